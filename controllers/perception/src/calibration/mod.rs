//! Where a camera really sits on the robot: from what it sees in the hand.

mod settings;
mod solve;

pub use settings::CalibrationSettings;
pub use solve::{Calibration, Observation, calibrate};
