//! Where the robot is and how it moves, from its own sensors.
//!
//! [`OdometryEstimator`] turns wheel and leg encoders, the inertial measurement unit and the contact switches into
//! [`Odometry`](robot_io::Odometry): attitude from gyroscope and accelerometer, velocity from the rolling constraints of all wheels, each
//! as much as it can be believed, integrated in three dimensions. Truth is not to be had here.
//!
//! [`LeggedEstimator`] does the same for a robot that stands and walks on feet: a right-invariant Kalman filter of the inertial measurement unit
//! and of where the feet stand. What each foot feels comes with it.

mod attitude;
mod bump;
mod error;
mod ground;
mod legged;
mod level;
mod odometry;
mod settings;
mod standstill;
mod twist;
mod undercarriage;

pub use bump::Bump;
pub use error::EstimationError;
pub use legged::{Footing, LeggedEstimator, LeggedSettings};
pub use odometry::OdometryEstimator;
pub use settings::OdometrySettings;
