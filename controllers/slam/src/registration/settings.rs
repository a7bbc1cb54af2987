//! Numbers of the registration.

use nalgebra::Matrix6;
use serde::{Deserialize, Serialize};

use crate::SlamError;

/// How surfels are registered. The figures are ours, found on synthetic rooms and arenas unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RegistrationSettings {
    /// A guess is near if its prior is no farther off than this: deviation of the place, and of a point at 5 m by the turn [m].
    /// From a near guess only the finest surfels are used.
    pub near: f64,
    /// Level of the source with which to begin from a guess that is not near; then finer ones down to 0.
    pub first_level: usize,
    /// From a guess that is not near, headings to both sides by so much are tried on the coarse levels as well [rad].
    pub aside: f64,
    /// How often pairs are sought on a coarse level, at most.
    pub coarse_iterations: usize,
    /// How often pairs are sought on the finest level, at most.
    pub fine_iterations: usize,
    /// At rest: it moved by no more than this since pairs were last sought [m].
    pub rest_distance: f64,
    /// At rest: it turned by no more than this [rad].
    pub rest_angle: f64,
    /// Distances of this size begin to count less at the end of a stage [shares of a cell's side].
    pub width: f64,
    /// Deviation along the normal that every surfel has at least: of a map that is not quite sharp [m].
    pub sharpness: f64,
    /// Normals of partners agree at least so far: cosine of the angle between them.
    pub agreement: f64,
    /// Below this [hold](crate::Registration::hold) a direction is weak.
    pub weak_below: f64,
    /// Neighbouring surfels err together: so many count as one in the covariance.
    pub correlation: f64,
    /// No pose is known better than the sweep itself is straight: least deviation of a place [m] and of an angle [rad]. Measured
    /// on the simulated centaur driving over rough ground.
    pub straightness: [f64; 2],
    /// With fewer matched surfels nothing can be said.
    pub fewest_matched: usize,
}

impl RegistrationSettings {
    /// How far off a pose with this covariance is: deviation of the place, and of a point at 5 m by the turn [m].
    pub(crate) fn reach(&self, covariance: &Matrix6<f64>) -> f64 {
        const ARM: f64 = 5.0;
        let variance = |first: usize| (first..first + 3).map(|k| covariance[(k, k)]).sum::<f64>();
        variance(0).sqrt() + ARM * variance(3).sqrt()
    }

    /// Refuses what makes no sense.
    pub fn check(&self) -> Result<(), SlamError> {
        let fields = [
            ("registration.near [m]", self.near, 0.0..=100.0),
            ("registration.rest_distance [m]", self.rest_distance, 0.0..=0.1),
            ("registration.rest_angle [rad]", self.rest_angle, 0.0..=0.1),
            ("registration.aside [rad]", self.aside, 0.0..=3.0),
            ("registration.width", self.width, 0.01..=10.0),
            ("registration.sharpness [m]", self.sharpness, 1e-4..=1.0),
            ("registration.agreement", self.agreement, 0.0..=1.0),
            ("registration.weak_below", self.weak_below, 0.0..=1.0),
            ("registration.straightness[0] [m]", self.straightness[0], 0.0..=1.0),
            ("registration.straightness[1] [rad]", self.straightness[1], 0.0..=1.0),
            ("registration.correlation", self.correlation, 1.0..=1000.0),
        ];
        match fields.into_iter().find(|(_, value, range)| !range.contains(value)) {
            Some((field, found, _)) => Err(SlamError::Setting { field, expected: "a sensible number", found }),
            None => Ok(()),
        }
    }
}

impl Default for RegistrationSettings {
    fn default() -> Self {
        RegistrationSettings {
            near: 0.4,
            first_level: 2,
            aside: 0.1,
            coarse_iterations: 10,
            fine_iterations: 25,
            rest_distance: 2e-4,
            rest_angle: 5e-5,
            width: 0.2,
            sharpness: 0.01,
            agreement: 0.8,
            weak_below: 0.0025,
            correlation: 4.0,
            straightness: [0.0035, 0.0009],
            fewest_matched: 20,
        }
    }
}
