//! The plug between a robot and whoever drives it.
//!
//! A robot is something that is [read](RobotIo::read), [written](RobotIo::write) and moved through a
//! [life cycle](Lifecycle). A [`Clock`] makes time pass. A [`Controller`] turns [`Readings`] into [`Commands`].
//! Simulation, EtherCAT bus and recorded log are three implementations of the first two; everything that moves the
//! robot is an implementation of the third, and neither side can see the other.
//!
//! One control cycle is four stages:
//!
//! ```
//! use robot_io::{Clock, Commands, Controller, DummyController, DummyRobot, Readings, RobotIo, RobotLayout};
//!
//! # fn main() -> Result<(), robot_io::IoError> {
//! let layout = RobotLayout::example();
//! let (mut robot, mut clock) = DummyRobot::with_clock(layout.clone());
//! let mut controller = DummyController::default();
//! let mut readings = Readings::new(&layout);
//! let mut commands = Commands::new(&layout);
//!
//! robot.bring_up()?;
//! for _ in 0..3 {
//!     robot.read(&mut readings)?;
//!     controller.update(&readings, &mut commands);
//!     robot.write(&commands)?;
//!     clock.advance()?;
//! }
//! assert_eq!(readings.cycle, 2);
//! # Ok(())
//! # }
//! ```
//!
//! Wrappers are robots around robots: [`SafetyFilter`] keeps commands within limits, [`FaultInjector`] breaks things
//! on purpose, `replay::Recorder` writes a log. The crate knows no thread, clock, file or logger.

// the derives name this crate as others do
extern crate self as robot_io;

mod clock;
mod commands;
pub mod conformance;
mod controller;

pub mod colour_maps;
pub mod deadline;
mod delegate;
mod digest;
mod dummy;
mod error;
mod event;
mod fault_injector;
mod hasher;
mod image;
mod joint;
mod layers;
mod layout;
mod lifecycle;
mod mapping;
pub mod math;
mod navigation;
mod operator;
mod parts;
mod pool;
mod random;
mod readings;
mod robot;
mod safety_filter;
mod saved_state;
mod scan;
mod sealed;
mod sensors;
pub mod settings;
mod side;
mod state;
mod status;
mod telemetry;
mod time;

pub use clock::Clock;
pub use commands::Commands;
pub use controller::Controller;
pub use digest::Digest;
pub use dummy::{DummyClock, DummyController, DummyRobot};
pub use error::IoError;
pub use event::{Event, Events, Severity, Subject};
pub use fault_injector::{Fault, FaultInjector, FaultKind};
pub use hasher::StateHasher;
pub use image::{DepthImage, Image, Intrinsics};
pub use joint::{JointCommand, JointState, JointStatus};
pub use layers::{Edge, Grid, Layer, Marker, PoseGraphView, SurfelView};
pub use layout::{CameraLayout, JointKind, JointLayout, JointLimits, LaserLayout, RobotLayout, SensorLayout};
pub use lifecycle::Lifecycle;
pub use mapping::{Localization, LocalizationState, MapView, MapViews};
pub use navigation::{HeightMap, Manoeuvre, Odometry, Path, Pose2, StepEdge, Twist};
pub use operator::{OperatorInput, OperatorRequest, ShortName, Switch};
pub use parts::{ASKED_TO_BREAK, NotTheSame, Parts, last_words};
pub use pool::{Keeper, Pool, Saved};
pub use random::RandomStream;
pub use readings::Readings;
pub use robot::RobotIo;
pub use robot_io_derive::{Settings, State};
pub use safety_filter::{Intervention, InterventionKind, SafetyFilter, SafetyLimits, StopCause};
pub use saved_state::{StateDifference, StateReader, StateWriter, first_difference};
pub use scan::{LaserScan, Pack, Packed, PointCloud, ScanGeometry};
pub use sealed::Sealed;
pub use sensors::{Battery, Contact, ForceTorque, Imu};
pub use settings::{SettingError, Settings};
pub use side::Side;
pub use state::{Seal, State, StateVisitor};
pub use status::{Cause, CauseKind, Causes, RobotStatus};
pub use telemetry::{ActiveState, Telemetry};
pub use time::{Period, Rate, Time};
