//! How feet give way to the forces that they feel.
//!
//! A robot whose joints follow positions puts the wanted pressure under its feet by moving them a little: damping control, after
//! Kajita et al. (2010) and Caron et al. (2019). A foot turns towards the wanted moment, and the foot that carries too little goes
//! down while the other one goes up. All of it decays.

use nalgebra::Vector2;
use robot_io::{Settings, State};
use serde::{Deserialize, Serialize};

/// How feet give way. Start values; they belong to one robot and its drives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct AdmittanceSettings {
    /// Turning rate for a moment, about the foot's x and y [rad/s per Nm].
    #[setting([0.01, 0.01], not_negative)]
    pub turning: [f64; 2],
    /// Speed for a difference of the vertical forces [m/s per N].
    #[setting(1e-4, not_negative)]
    pub lifting: f64,
    /// What was given way decays in this time [s].
    #[setting(0.5, positive)]
    pub decay: f64,
    /// Farthest turn of a foot [rad].
    #[setting(0.2, not_negative)]
    pub farthest_turn: f64,
    /// Highest turning rate [rad/s].
    #[setting(1.0, not_negative)]
    pub fastest_turn: f64,
    /// Farthest difference of height, half of it for each foot [m].
    #[setting(0.04, not_negative)]
    pub farthest_lift: f64,
    /// Highest speed of that difference [m/s].
    #[setting(0.2, not_negative)]
    pub fastest_lift: f64,
    /// A foot with less than this does not give way [N].
    #[setting(30.0, not_negative)]
    pub least_force: f64,
}

/// What one foot feels, or should feel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FootWrench {
    /// Vertical force [N].
    pub force: f64,
    /// Moments about the sole's x and y, through its middle [Nm].
    pub moment: Vector2<f64>,
}

/// By how much a foot gives way.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Yield {
    /// Turn about the sole's x and y [rad].
    pub turn: Vector2<f64>,
    /// Rate of it [rad/s].
    pub turning: Vector2<f64>,
    /// Upwards [m].
    pub lift: f64,
    /// Rate of it [m/s].
    pub lifting: f64,
}

/// The feet, giving way.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct FootAdmittance {
    feet: [Yield; 2],
}

impl FootAdmittance {
    /// One cycle of `step` [s]: left foot and right foot, each as wanted and as felt.
    pub fn update(
        &mut self,
        wanted: &[FootWrench; 2],
        felt: &[FootWrench; 2],
        settings: &AdmittanceSettings,
        step: f64,
    ) -> [Yield; 2] {
        for (k, foot) in self.feet.iter_mut().enumerate() {
            let carries = felt[k].force >= settings.least_force && wanted[k].force > 0.0;
            let pull = if carries { felt[k].moment - wanted[k].moment } else { Vector2::zeros() };
            for axis in 0..2 {
                let rate = settings.turning[axis] * pull[axis] - foot.turn[axis] / settings.decay;
                let rate = rate.clamp(-settings.fastest_turn, settings.fastest_turn);
                let next = foot.turn[axis] + rate * step;
                let kept = next.clamp(-settings.farthest_turn, settings.farthest_turn);
                foot.turning[axis] = (kept - foot.turn[axis]) / step;
                foot.turn[axis] = kept;
            }
        }
        self.update_lift(wanted, felt, settings, step);
        self.feet
    }

    /// The difference of the heights: left less right.
    fn update_lift(
        &mut self,
        wanted: &[FootWrench; 2],
        felt: &[FootWrench; 2],
        settings: &AdmittanceSettings,
        step: f64,
    ) {
        let both = wanted.iter().all(|foot| foot.force > 0.0);
        let difference = |feet: &[FootWrench; 2]| feet[0].force - feet[1].force;
        let pull = if both { difference(felt) - difference(wanted) } else { 0.0 };
        let now = self.feet[0].lift - self.feet[1].lift;
        let rate = settings.lifting * pull - now / settings.decay;
        let rate = rate.clamp(-settings.fastest_lift, settings.fastest_lift);
        let next = (now + rate * step).clamp(-settings.farthest_lift, settings.farthest_lift);
        let rate = (next - now) / step;
        for (foot, half) in self.feet.iter_mut().zip([0.5, -0.5]) {
            (foot.lift, foot.lifting) = (half * next, half * rate);
        }
    }
}
