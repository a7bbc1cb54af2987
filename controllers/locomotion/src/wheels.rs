//! The wheels' servos: a speed, and a reference position that keeps them from creeping.

use robot_io::{JointCommand, Readings, State};
use robot_model::RobotModel;

use crate::chassis::{Leg, PairWheel};

/// What a wheel is told in one cycle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WheelOrder {
    /// Speed over ground along the heading [m/s].
    pub speed: f64,
    /// Force on the ground along the heading that is fed forward [N].
    pub force: f64,
}

/// Reference positions of all wheels.
///
/// A wheel follows its reference with stiffness and damping, standing or driving: so there is no switch between holding
/// and driving, and on a slope it does not creep. A reference waits for a wheel that lags too far behind, so that
/// wheels which rough ground makes roll differently do not fight each other for ever.
#[derive(Clone, Debug, State)]
pub(crate) struct Wheels {
    #[state(fixed)]
    lag: f64,
    #[state(fixed)]
    gains: Vec<(f64, f64)>,
    references: Vec<f64>,
}

impl Wheels {
    pub fn new(model: &RobotModel, legs: &[Leg], lag: f64) -> Wheels {
        let gain = |wheel: &PairWheel| {
            let settings = model.description.joints[wheel.joint];
            (settings.stiffness, settings.damping)
        };
        let gains: Vec<(f64, f64)> = legs.iter().flat_map(|leg| &leg.wheels).map(gain).collect();
        Wheels { lag, references: vec![0.0; gains.len()], gains }
    }

    pub fn reset(&mut self, legs: &[Leg], readings: &Readings) {
        for (reference, wheel) in self.references.iter_mut().zip(legs.iter().flat_map(|leg| &leg.wheels)) {
            *reference = readings.joints[wheel.joint].position;
        }
    }

    /// The command of the wheel with this index, which now stands at `position` [rad].
    pub fn command(
        &mut self,
        index: usize,
        wheel: &PairWheel,
        position: f64,
        order: WheelOrder,
        dt: f64,
    ) -> JointCommand {
        let rate = wheel.sign * order.speed / wheel.radius;
        let next = self.references[index] + rate * dt;
        self.references[index] = next.clamp(position - self.lag, position + self.lag);
        let (stiffness, damping) = self.gains[index];
        JointCommand {
            position: self.references[index],
            velocity: rate,
            effort: wheel.sign * order.force * wheel.radius,
            stiffness,
            damping,
        }
    }
}
