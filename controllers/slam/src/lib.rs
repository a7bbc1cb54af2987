//! Where the robot is and what the world looks like, from a turning laser scanner, odometry and IMU.
//!
//! ```text
//! scans ─▶ assembly: jump edges and the robot itself taken out, motion undone ─▶ Sweep, once a turn
//!            Sweep ─▶ registration: surfels against the robot-centric multiresolution map ─▶ SweepEstimate
//!                       ─▶ graph: key views, loop closures, localisation ─▶ robot_io::Localization, robot_io::MapViews
//! ```
//!
//! The method is that of Momaro: Schwarz et al., "Supervised Autonomy for Exploration and Mobile Manipulation in Rough
//! Terrain with a Centaur-Like Robot" (2016), section 5, after Droeschel, Stückler and Behnke (2014). What the authors
//! lacked is here as well: bad sweeps are recognised and left out, and directions in which the world gives no hold are
//! held by odometry.
//!
//! Nothing here knows a thread or a clock: the slow part is a [deadline task](robot_io::deadline).

mod assembly;
mod belief;
mod calibration;
mod correction;
mod error;
mod estimate;
pub mod graph;
mod grid;
mod halves;
mod kiss;
mod mapped;
mod mapper;
mod passing;
mod registration;
pub mod relocalization;
mod settings;
mod slam;
mod sweep;
mod vgicp;
mod voxel;

pub use assembly::{AssemblySettings, Glance, MOST_SCAN_DELAY, SweepAssembler, Turn};
pub use calibration::{Calibration, CalibrationSettings, Estimated};
pub use correction::Correction;
pub use error::SlamError;
pub use estimate::{Flaw, SweepEstimate, SweepOdometer, Verdict};
pub use grid::{GridSettings, LocalMap, OccupancySettings, Surfel, SurfelCloud};
pub use kiss::{KissIcp, KissSettings, Prediction};
pub use mapper::{GateSettings, LostSettings, Mapper, MapperSettings, MapperSetup, MotionSettings, ViewSettings};
pub use passing::Passing;
pub use registration::{PosePrior, Registration, RegistrationSettings, SlipModel, register, straighten};
pub use settings::SlamSettings;
pub use slam::Slam;
pub use sweep::{Motion, Sweep, SweepPoint};
pub use vgicp::{Vgicp, VgicpSettings};
