//! Hardware in the loop: the same controller over EtherCAT, against boards on a cable or emulated ones.
//!
//! Two ends meet in real EtherCAT frames. The MainDevice's end is [`robot`]: a [`RobotIo`](robot_io::RobotIo) and a
//! [`Clock`](robot_io::Clock) over ethercrab. The SubDevices' end is [`virtual_bus`]: emulated boards built from
//! EtherCAT's registers up, with any `RobotIo` behind them. What both must agree on, and nothing else, they share:
//! [`board`] (what a board type says and means), [`pdo`] (where in the process data it says it) and [`bus_file`] (which
//! board sits where).
//!
//! This is a test emulator and a bridge, not a certified SubDevice stack. EtherCAT is a registered trademark of Beckhoff
//! Automation GmbH.

pub mod board;
pub mod bus_file;
mod codes;
pub mod coe;
mod error;
pub mod esi;
pub mod exchange;
pub mod link;
pub mod main_device;
pub mod pdo;
pub mod realtime;
pub mod robot;
pub mod sii;
pub mod virtual_bus;
pub mod wire;

pub use error::HilError;
pub use virtual_bus::host;
