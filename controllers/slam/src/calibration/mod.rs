//! Where the laser really is, found while driving.
//!
//! The drawing says where the laser sits on its axis and where the axis sits on the robot; the robot was built a little otherwise.
//! What can be told from its own sweeps and wheels is estimated sweep by sweep, with its uncertainty, and put right once it is
//! certain. What cannot be told stays as drawn, and its deviation stays that of the prior.

mod motion;
mod settings;
mod shown;

use core::ops::SubAssign;

use nalgebra::{Isometry3, SMatrix, SVector, Vector6};
use robot_io::State;
use robot_io::math::hypot;

use self::motion::{DELAY, Told};
use crate::belief::Belief;
use crate::correction::Correction;
use crate::{Sweep, Turn};

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
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Calibration {
    laser: Belief<6>,
    axis: Belief<{ motion::NUMBERS }>,
    /// Sweeps that said something.
    sweeps: u64,
    /// How many motions in a row did not go with what is known of the axis.
    contradictions: u64,
    /// What the last sweep was made with.
    applied: Correction,
    /// By how much each second of delay moves the cloud, because the axis turns: translation [m/s], rotation [rad/s].
    turning: Vector6<f64>,
    /// Where the base was at the end of the sweep before.
    before: Option<Before>,
    /// Where it was in the odometry frame when the laser was last learnt about.
    learnt_from: Option<Isometry3<f64>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
struct Before {
    base_in_odom: Isometry3<f64>,
    base_in_map: Isometry3<f64>,
    /// During the sweep, by odometry, along the axes of the odometry frame [m/s], [rad/s].
    velocity: Vector6<f64>,
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
        self.turning = turn.turning;
        let is_steady = base_in_map.is_some() && turn.motion.turn < settings.most_turn;
        if let Some(sides) = turn.sides(sweep).filter(|_| is_steady) {
            let (evidence, surfaces) = sides.evidence(&self.applied.laser, &turn.axis);
            if surfaces >= settings.fewest_surfaces && self.is_another_view(&sweep.base_in_odom) {
                self.learnt_from = Some(sweep.base_in_odom);
                self.laser.learn(&evidence, &settings.laser_errs(), settings.kept);
                self.sweeps += 1;
            }
        }
        let now = base_in_map.map(|base_in_map| Before {
            base_in_odom: sweep.base_in_odom,
            base_in_map: *base_in_map,
            velocity: velocity(sweep),
        });
        if let (Some(before), Some(now)) = (self.before, now) {
            let known = self.axis.normal(&settings.axis_prior(&self.turning));
            let applied = self.applied.axis.push(0.0).push(self.applied.delay);
            let evidence = motion::evidence(&before.to(&now), &applied, &known);
            self.contradictions = if evidence.is_none() { self.contradictions + 1 } else { 0 };
            match evidence {
                Some(evidence) => self.axis.learn(&evidence, &SVector::zeros(), settings.kept),
                None if self.contradictions >= settings.most_contradictions => self.axis.doubt(),
                None => {}
            }
        }
        self.before = now;
    }

    /// Whether a sweep from here may tell more of the laser than the last one did: what a view makes wrong, as a step between the two sides of
    /// a cell that is taken for one surface, it makes wrong again as long as the robot stands.
    fn is_another_view(&self, base_in_odom: &Isometry3<f64>) -> bool {
        /// [m], [rad]
        const MOVED: [f64; 2] = [0.3, 0.2];
        self.learnt_from.is_none_or(|before| {
            let moved = before.inv_mul(base_in_odom);
            moved.translation.vector.norm() > MOVED[0] || moved.rotation.angle() > MOVED[1]
        })
    }

    /// Notes what the next turn is made with; returns by what its cloud is moved in the base against one made as the last, if that has
    /// changed.
    pub(crate) fn apply(&mut self, correction: &Correction) -> Option<Isometry3<f64>> {
        let before = core::mem::replace(&mut self.applied, *correction);
        let moved = (before.axis != correction.axis).then(|| correction.since(&before))?;
        if let Some(last) = &mut self.before {
            last.base_in_map *= moved.inverse();
        }
        Some(moved)
    }

    /// What comes next happens elsewhere.
    pub(crate) fn forget_place(&mut self) {
        self.before = None;
    }

    /// By what the laser has to be moved in the frame of its axis: translation [m], rotation [rad].
    pub fn laser(&self, settings: &CalibrationSettings) -> Estimated<6> {
        estimated(self.laser.normal(&settings.laser_prior()))
    }

    /// By what the cloud lies off in the base, besides for the delay that is put right: translation [m], rotation [rad]; then by which
    /// share the way is longer than the wheels tell; then by how much later than told the scans are stamped [s].
    pub fn axis(&self, settings: &CalibrationSettings) -> Estimated<{ motion::NUMBERS }> {
        let mut found = self.axis_as_stamped(settings);
        let of_delay = self.applied.axis - self.applied.of_drawing();
        found.mean.fixed_rows_mut::<6>(0).sub_assign(&of_delay);
        found.deviation = found.deviation.zip_map(&self.axis_steadily(settings), hypot);
        found
    }

    /// The same of the cloud with the stamps as told, as well as motions tell.
    fn axis_as_stamped(&self, settings: &CalibrationSettings) -> Estimated<{ motion::NUMBERS }> {
        estimated(self.axis.normal(&settings.axis_prior(&self.turning)))
    }

    /// Deviations of what all motions together have wrong in the same way.
    fn axis_steadily(&self, settings: &CalibrationSettings) -> SVector<f64, { motion::NUMBERS }> {
        /// A scan plane that leans by ε shows what is h above the laser and r away aside by ε h, about the axis. Driving past it by b,
        /// at an angle θ to the way, it seems to come nearer by ε (h/r) b sin θ; that is fitted best, over all θ, by a motion aside of
        /// ε ⟨h/r⟩ b times a half (surfaces that look anywhere) to one (surfaces that face the robot). What stands about sets ⟨h/r⟩:
        /// the heading seen was 0.19 of the leaning on synthetic sweeps, 0.24 and 0.28 in the arena.
        const LEANING: f64 = 0.2;
        let mut steady = SVector::zeros();
        steady[5] = LEANING * self.laser(settings).deviation.fixed_rows::<2>(3).norm();
        steady[DELAY] = settings.odometry_lag;
        steady
    }

    /// What the laser is to be corrected by from now on, if that differs from what it is corrected by, beyond doubt. Numbers that are
    /// not known so well stay as they are.
    pub(crate) fn due(&self, applied: &Correction, settings: &CalibrationSettings) -> Option<Correction> {
        let mut next = *applied;
        if self.sweeps >= settings.fewest_sweeps {
            let laser = self.laser(settings);
            next.laser = Vector6::from_fn(|part, _| laser.due(part, 0.0, applied.laser[part]));
        }
        let (axis, steady) = (self.axis_as_stamped(settings), self.axis_steadily(settings));
        next.axis = Vector6::from_fn(|part, _| axis.due(part, steady[part], applied.axis[part]));
        next.delay = axis.due(DELAY, steady[DELAY], applied.delay);
        if next.delay != applied.delay {
            next.turning = self.turning;
        }
        (next != *applied).then_some(next)
    }
}

impl<const N: usize> Estimated<N> {
    /// What a number is to be corrected by, if it is corrected by `applied` now. What may well be as drawn stays so; what is known to be
    /// otherwise follows its estimate, which gets better all the time, in steps that are worth it. `steady` is the deviation of what
    /// all sweeps have wrong in the same way.
    fn due(&self, part: usize, steady: f64, applied: f64) -> f64 {
        // a dozen numbers are looked at after each sweep: 2.5 deviations are soon exceeded by chance; what stays the same has one chance
        const BEYOND_DOUBT: [f64; 2] = [3.5, 2.0];
        const WORTHWHILE: [f64; 2] = [0.3, 0.3];
        let [of_chance, of_steady] = if applied == 0.0 { BEYOND_DOUBT } else { WORTHWHILE };
        let is_due = (self.mean[part] - applied).abs() > hypot(of_chance * self.deviation[part], of_steady * steady);
        if is_due { self.mean[part] } else { applied }
    }
}

impl Before {
    fn to(&self, now: &Before) -> Told {
        let faster = now.velocity - self.velocity;
        let in_base = |part| self.base_in_odom.rotation.inverse() * faster.fixed_rows::<3>(part).into_owned();
        let (way, turn) = (in_base(0), in_base(3));
        Told {
            by_map: self.base_in_map.inv_mul(&now.base_in_map),
            by_odometry: self.base_in_odom.inv_mul(&now.base_in_odom),
            faster: Vector6::new(way.x, way.y, way.z, turn.x, turn.y, turn.z),
        }
    }
}

/// Of the base during a sweep, by odometry, along the axes of the odometry frame [m/s], [rad/s].
fn velocity(sweep: &Sweep) -> Vector6<f64> {
    let took = sweep.end.since(sweep.begin).seconds().max(1e-3);
    let (begin, end) = (&sweep.begin_in_odom, &sweep.base_in_odom);
    let way = end.translation.vector - begin.translation.vector;
    let turn = (end.rotation * begin.rotation.inverse()).scaled_axis();
    Vector6::new(way.x, way.y, way.z, turn.x, turn.y, turn.z) / took
}

fn estimated<const N: usize>((mean, covariance): (SVector<f64, N>, SMatrix<f64, N, N>)) -> Estimated<N> {
    Estimated { mean, deviation: SVector::from_fn(|row, _| covariance[(row, row)].max(0.0).sqrt()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robot_io::RandomStream;

    /// How many of a thousand runs put right what is as drawn, if a dozen numbers get six independent looks each.
    fn wrong_of_a_thousand() -> usize {
        const LOOKS: u64 = 72;
        let noise = RandomStream::new(1, "looks");
        let is_due = |look: u64| {
            let found = Estimated {
                mean: SVector::<f64, 1>::new(noise.normal(look, 0)),
                deviation: SVector::<f64, 1>::new(1.0),
            };
            found.due(0, 0.0, 0.0) != 0.0
        };
        (0..1000).filter(|run| (0..LOOKS).any(|look| is_due(run * LOOKS + look))).count()
    }

    #[test]
    fn what_is_as_drawn_is_left_so_in_nearly_all_runs() {
        let wrong = wrong_of_a_thousand();
        assert!(wrong < 50, "{wrong} of 1000");
    }

    #[test]
    fn what_is_known_to_be_otherwise_is_put_right_and_followed() {
        let found = Estimated { mean: SVector::<f64, 1>::new(3.6), deviation: SVector::<f64, 1>::new(1.0) };
        assert_eq!(found.due(0, 0.0, 0.0), 3.6);
        assert_eq!(found.due(0, 0.0, 3.2), 3.6, "it follows");
        assert_eq!(found.due(0, 0.0, 3.5), 3.5, "in steps that are worth it");
        assert_eq!(found.due(0, 1.0, 0.0), 0.0, "not if all sweeps together may be off by nearly as much");
    }
}
