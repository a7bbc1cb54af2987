//! Where the laser really is, found while driving.
//!
//! The drawing says where the laser sits on its axis and where the axis sits on the robot; the robot was built a little otherwise.
//! What can be told from its own sweeps and wheels is estimated sweep by sweep, with its uncertainty, and put right once it is
//! certain. What cannot be told stays as drawn, and its deviation stays that of the prior.

mod belief;
mod correction;
mod halves;
mod motion;
mod settings;
mod shown;

use nalgebra::{Isometry3, SMatrix, SVector, Vector6};
use robot_io::{State, StateVisitor};

use self::belief::Belief;
use crate::{Sweep, Turn};

pub(crate) use halves::{Half, Sides};

pub use correction::Correction;
pub use settings::CalibrationSettings;

/// Numbers with their standard deviations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimated<const N: usize> {
    /// The numbers.
    pub mean: SVector<f64, N>,
    /// Their standard deviations.
    pub deviation: SVector<f64, N>,
}

/// What has been found out so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Calibration {
    laser: Belief<6>,
    axis: Belief<{ motion::NUMBERS }>,
    /// Sweeps that said something.
    sweeps: u64,
    /// What the sweep before was made with, and where odometry and the map had the base at its end.
    before: Option<Before>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Before {
    base_in_odom: Isometry3<f64>,
    base_in_map: Isometry3<f64>,
    correction: Correction,
}

impl Calibration {
    /// Learns from a turn. `base_in_map` is where mapping has found the base at its end, if that is to be believed.
    pub(crate) fn learn(
        &mut self,
        turn: &Turn,
        sweep: &Sweep,
        base_in_map: Option<&Isometry3<f64>>,
        settings: &CalibrationSettings,
    ) {
        if settings.is_off {
            return;
        }
        let correction = turn.correction;
        let is_steady = base_in_map.is_some() && turn.motion.turn < settings.most_turn;
        if let Some(sides) = turn.sides(sweep).filter(|_| is_steady) {
            let (evidence, surfaces) = sides.evidence(&correction.laser, &turn.axis);
            if surfaces >= settings.fewest_surfaces {
                self.laser.learn(&evidence, &settings.laser_errs(), settings.kept);
                self.sweeps += 1;
            }
        }
        let now = base_in_map.map(|base_in_map| Before {
            base_in_odom: sweep.base_in_odom,
            base_in_map: *base_in_map,
            correction,
        });
        if let (Some(before), Some(now)) = (self.before, now)
            && before.correction == correction
        {
            let by_map = before.base_in_map.inv_mul(&now.base_in_map);
            let by_odometry = before.base_in_odom.inv_mul(&now.base_in_odom);
            let known = self.axis.normal(&settings.axis_prior());
            let applied = correction.axis.push(0.0);
            if let Some(evidence) = motion::evidence(&by_map, &by_odometry, &applied, &known) {
                self.axis.learn(&evidence, &SVector::zeros(), settings.kept);
            }
        }
        self.before = now;
    }

    /// What comes next happens elsewhere.
    pub(crate) fn forget_place(&mut self) {
        self.before = None;
    }

    /// By what the laser has to be moved in the frame of its axis: translation [m], rotation [rad].
    pub fn laser(&self, settings: &CalibrationSettings) -> Estimated<6> {
        estimated(self.laser.normal(&settings.laser_prior()))
    }

    /// By what the cloud lies off in the base: translation [m], rotation [rad]; then by which share the way is longer than the wheels
    /// tell.
    pub fn axis(&self, settings: &CalibrationSettings) -> Estimated<{ motion::NUMBERS }> {
        /// Measured: a scan plane that leans sideways by an angle looks like a heading that is off by a fifth of it.
        const LEANING: f64 = 0.2;
        let mut found = estimated(self.axis.normal(&settings.axis_prior()));
        let leaning = self.laser(settings).deviation.fixed_rows::<2>(3).norm();
        found.deviation[5] = robot_io::math::hypot(found.deviation[5], LEANING * leaning);
        found
    }

    /// What the laser is to be corrected by from now on, if that differs from what it is corrected by, beyond doubt. Numbers that are
    /// not known so well stay as they are.
    pub(crate) fn due(&self, applied: &Correction, settings: &CalibrationSettings) -> Option<Correction> {
        let mut next = *applied;
        if self.sweeps >= settings.fewest_sweeps {
            next.laser = sure(&applied.laser, &self.laser(settings));
        }
        let axis = self.axis(settings);
        let six = |numbers: &SVector<f64, { motion::NUMBERS }>| numbers.fixed_rows::<6>(0).into_owned();
        next.axis = sure(&applied.axis, &Estimated { mean: six(&axis.mean), deviation: six(&axis.deviation) });
        (next != *applied).then_some(next)
    }
}

/// Of six numbers those that are no accident are taken anew.
fn sure(applied: &Vector6<f64>, found: &Estimated<6>) -> Vector6<f64> {
    const DEVIATIONS: f64 = 2.5;
    Vector6::from_fn(|part, _| {
        let is_sure = (found.mean[part] - applied[part]).abs() > DEVIATIONS * found.deviation[part];
        if is_sure { found.mean[part] } else { applied[part] }
    })
}

fn estimated<const N: usize>((mean, covariance): (SVector<f64, N>, SMatrix<f64, N, N>)) -> Estimated<N> {
    Estimated { mean, deviation: SVector::from_fn(|row, _| covariance[(row, row)].max(0.0).sqrt()) }
}

impl State for Calibration {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("laser", &mut self.laser);
        visitor.field("axis", &mut self.axis);
        visitor.field("sweeps", &mut self.sweeps);
        visitor.field("before", &mut self.before);
    }
}

impl State for Before {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("base_in_odom", &mut self.base_in_odom);
        visitor.field("base_in_map", &mut self.base_in_map);
        visitor.field("correction", &mut self.correction);
    }
}
