//! Numbers of the registration.

use nalgebra::Matrix6;
use robot_io::Settings;
use serde::{Deserialize, Serialize};

/// How surfels are registered. The figures are ours, found on synthetic rooms and arenas unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct RegistrationSettings {
    /// A guess is near if its prior is no farther off than this: deviation of the place, and of a point at 5 m by the turn [m].
    /// From a near guess only the finest surfels are used.
    #[setting(0.4, range = 0.0..=100.0)]
    pub near: f64,
    /// Level of the source with which to begin from a guess that is not near; then finer ones down to 0.
    #[setting(2, range = 0..=7)]
    pub first_level: usize,
    /// From a guess that is not near, headings to both sides by so much are tried on the coarse levels as well [rad].
    #[setting(0.1, range = 0.0..=3.0)]
    pub aside: f64,
    /// How often pairs are sought on a coarse level, at most.
    #[setting(10, range = 1..=1000)]
    pub coarse_iterations: usize,
    /// How often pairs are sought on the finest level, at most.
    #[setting(25, range = 1..=1000)]
    pub fine_iterations: usize,
    /// At rest: it moved by no more than this since pairs were last sought [m].
    #[setting(2e-4, range = 0.0..=0.1)]
    pub rest_distance: f64,
    /// At rest: it turned by no more than this [rad].
    #[setting(5e-5, range = 0.0..=0.1)]
    pub rest_angle: f64,
    /// Distances of this size begin to count less at the end of a stage [shares of a cell's side].
    #[setting(0.2, range = 0.01..=10.0)]
    pub width: f64,
    /// Deviation along the normal that every surfel has at least: of a map that is not quite sharp [m].
    #[setting(0.01, range = 1e-4..=1.0)]
    pub sharpness: f64,
    /// Normals of partners agree at least so far: cosine of the angle between them.
    #[setting(0.8, share)]
    pub agreement: f64,
    /// Below this [hold](crate::Registration::hold) a direction is weak.
    #[setting(0.0025, share)]
    pub weak_below: f64,
    /// Neighbouring surfels err together: so many count as one in the covariance.
    #[setting(4.0, range = 1.0..=1000.0)]
    pub correlation: f64,
    /// No pose is known better than the sweep itself is straight: least deviation of a place [m] and of an angle [rad]. Measured
    /// on the simulated centaur driving over rough ground.
    #[setting([0.0035, 0.0009], range = 0.0..=1.0)]
    pub straightness: [f64; 2],
    /// With fewer matched surfels nothing can be said.
    #[setting(20, positive)]
    pub fewest_matched: usize,
}

impl RegistrationSettings {
    /// How far off a pose with this covariance is: deviation of the place, and of a point at 5 m by the turn [m].
    pub(crate) fn reach(&self, covariance: &Matrix6<f64>) -> f64 {
        const ARM: f64 = 5.0;
        let variance = |first: usize| (first..first + 3).map(|k| covariance[(k, k)]).sum::<f64>();
        variance(0).sqrt() + ARM * variance(3).sqrt()
    }
}
