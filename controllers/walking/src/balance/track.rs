//! The law that keeps the DCM on its reference.

use nalgebra::{Vector2, Vector3};
use robot_io::{Settings, State};
use serde::{Deserialize, Serialize};

use crate::dcm::Reference;
use crate::polygon::Polygon;

/// How the DCM is followed. The figures are ours.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct TrackSettings {
    /// Rate at which an error decays while the pressure point is free to move [1/s].
    #[setting(4.0, positive)]
    pub gain: f64,
    /// Share of a lasting error that is made up for per second [1/s].
    #[setting(0.5, not_negative)]
    pub integral: f64,
    /// Farthest that the integral shifts the pressure point [m].
    #[setting(0.04, not_negative)]
    pub integral_most: f64,
    /// Rate at which the filter believes what is measured [1/s].
    #[setting(60.0, positive)]
    pub believe: f64,
    /// How old the measured DCM is [s].
    #[setting(0.0, range = 0.0..=0.1)]
    pub delay: f64,
}

/// A DCM between what was measured and what the pressure point must have made of it: a Luenberger observer of ξ̇ = ω (ξ − v).
#[derive(Clone, Copy, Debug, PartialEq, State)]
pub struct Filter {
    #[state(fixed)]
    settings: TrackSettings,
    #[state(fixed)]
    step: f64,
    dcm: Vector3<f64>,
}

impl Filter {
    /// Begins with `dcm` [m]; `step` [s] between two calls.
    pub fn new(settings: TrackSettings, step: f64, dcm: Vector3<f64>) -> Filter {
        Filter { settings, step, dcm }
    }

    /// The DCM now [m], with the VRP at `vrp` [m] since the last call, when `measured` [m] is seen; what is no number is
    /// not believed.
    pub fn update(&mut self, measured: &Vector3<f64>, vrp: &Vector3<f64>, omega: f64) -> Vector3<f64> {
        let now = measured + (measured - vrp) * (omega * self.settings.delay);
        let predicted = self.dcm + (self.dcm - vrp) * (omega * self.step);
        let seen = now.iter().all(|value| value.is_finite());
        let believe = (self.settings.believe * self.step).min(1.0);
        self.dcm = if seen { predicted + (now - predicted) * believe } else { predicted };
        self.dcm
    }
}

/// What follows for the centre of mass.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Wanted {
    /// Wanted point of pressure on the ground, ZMP [m].
    pub zmp: Vector2<f64>,
    /// Wanted VRP [m].
    pub vrp: Vector3<f64>,
    /// Wanted acceleration of the centre of mass [m/s²].
    pub com_acceleration: Vector3<f64>,
    /// Whether the ZMP had to be kept in the support.
    pub clamped: bool,
}

/// Proportional and integral: v = v_ref + (1 + k/ω) (ξ − ξ_ref) + ∫, from Englsberger et al. (2015), equation of the VRP with
/// ξ̇ − ξ̇_ref = −k (ξ − ξ_ref); the ZMP is kept in the support as by Caron, Kheddar and Tempier, "Stair climbing stabilization of
/// the HRP-4 humanoid robot using whole-body admittance control" (2019).
#[derive(Clone, Copy, Debug, PartialEq, State)]
pub struct Tracker {
    #[state(fixed)]
    settings: TrackSettings,
    #[state(fixed)]
    step: f64,
    integral: Vector2<f64>,
}

impl Tracker {
    /// Without a lasting error; `step` [s] between two calls.
    pub fn new(settings: TrackSettings, step: f64) -> Tracker {
        Tracker { settings, step, integral: Vector2::zeros() }
    }

    /// The ZMP and the acceleration for a `dcm` and a `com` [m] over `support`.
    pub fn update(
        &mut self,
        dcm: &Vector3<f64>,
        com: &Vector3<f64>,
        reference: &Reference,
        support: &Polygon,
        omega: f64,
    ) -> Wanted {
        let (error, most) = (dcm - reference.dcm, self.settings.integral_most);
        let law = reference.vrp + error * (1.0 + self.settings.gain / omega);
        let free = law.xy() + self.integral;
        let zmp = support.nearest(&free);
        let clamped = (zmp - free).norm() > 1e-9;
        if !clamped {
            let grown = self.integral + error.xy() * (self.settings.integral * self.step);
            self.integral = grown.sup(&Vector2::repeat(-most)).inf(&Vector2::repeat(most));
        }
        let vrp = zmp.push(law.z);
        Wanted { zmp, vrp, com_acceleration: (com - vrp) * (omega * omega), clamped }
    }
}
