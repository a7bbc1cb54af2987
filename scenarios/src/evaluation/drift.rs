//! Relative errors over pieces of way.

use serde::{Deserialize, Serialize};

use super::{PoseError, PosePair};

/// Lengths of the pieces that are looked at [m].
pub const LENGTHS: [f64; 5] = [10.0, 20.0, 30.0, 40.0, 50.0];
/// From the beginning of one piece to that of the next [m].
const STEP: f64 = 1.0;

/// Relative errors of all pieces of way so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Drift {
    /// Both trajectories at every metre of the true way: way [m] and poses.
    milestones: Vec<(f64, PosePair)>,
    last: Option<PosePair>,
    way: f64,
    pieces: [PieceErrors; LENGTHS.len()],
}

/// The errors of all pieces of one length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PieceErrors {
    /// How many pieces.
    pub count: u64,
    /// Sum of their translation errors, as parts of their length.
    translation: f64,
    /// Sum of their rotation errors [rad/m].
    rotation: f64,
    /// The largest translation error, as a part of the length.
    worst: f64,
}

/// What a run's drift comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DriftReport {
    /// Mean translation error of all pieces [%].
    pub translation_percent: f64,
    /// Mean rotation error of all pieces [deg/m].
    pub rotation_deg_per_m: f64,
    /// The largest translation error of a piece [%].
    pub worst_percent: f64,
    /// How many pieces were looked at.
    pub pieces: u64,
}

impl Drift {
    /// Takes in the next moment of both trajectories.
    pub fn add(&mut self, pair: &PosePair) {
        if let Some(last) = &self.last {
            self.way += (pair.truth.translation.vector - last.truth.translation.vector).norm();
        }
        self.last = Some(*pair);
        if self.milestones.last().is_some_and(|(way, _)| self.way < way + STEP) {
            return;
        }
        for (length, errors) in LENGTHS.iter().zip(&mut self.pieces) {
            let begin = self.milestones.iter().rev().find(|(way, _)| self.way - way >= *length);
            if let Some((way, begin)) = begin {
                errors.add(&relative(begin, pair), self.way - way);
            }
        }
        self.milestones.push((self.way, *pair));
    }

    /// The true way so far [m].
    pub fn way(&self) -> f64 {
        self.way
    }

    /// Mean translation error of all pieces [%]; not-a-number while the way is too short for any.
    pub fn translation_percent(&self) -> f64 {
        self.report().map_or(f64::NAN, |report| report.translation_percent)
    }

    /// The errors of the pieces of each of [`LENGTHS`].
    pub fn by_length(&self) -> &[PieceErrors] {
        &self.pieces
    }

    /// All lengths together; `None` while the way is too short for any.
    pub fn report(&self) -> Option<DriftReport> {
        let mut all = PieceErrors::default();
        for errors in &self.pieces {
            all.count += errors.count;
            all.translation += errors.translation;
            all.rotation += errors.rotation;
            all.worst = all.worst.max(errors.worst);
        }
        (all.count > 0).then(|| DriftReport {
            translation_percent: all.translation_percent(),
            rotation_deg_per_m: all.rotation_deg_per_m(),
            worst_percent: 100.0 * all.worst,
            pieces: all.count,
        })
    }
}

impl PieceErrors {
    fn add(&mut self, error: &PoseError, length: f64) {
        self.count += 1;
        self.translation += error.distance / length;
        self.rotation += error.angle / length;
        self.worst = self.worst.max(error.distance / length);
    }

    /// Mean translation error [%].
    pub fn translation_percent(&self) -> f64 {
        100.0 * self.translation / self.count as f64
    }

    /// The largest translation error of a piece [%].
    pub fn worst_percent(&self) -> f64 {
        100.0 * self.worst
    }

    /// Mean rotation error [deg/m].
    pub fn rotation_deg_per_m(&self) -> f64 {
        (self.rotation / self.count as f64).to_degrees()
    }
}

/// How far off the end of a piece is, seen from its beginning.
fn relative(begin: &PosePair, end: &PosePair) -> PoseError {
    let believed = begin.believed.inv_mul(&end.believed);
    let truth = begin.truth.inv_mul(&end.truth);
    PoseError::between(&believed, &truth)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use nalgebra::{Isometry3, Vector3};
    use robot_io::Time;

    /// A drive of 100 m along x, of which the robot believes `scale` times as much and a bend of `bend` [rad/m].
    fn drive(scale: f64, bend: f64) -> Drift {
        let mut drift = Drift::default();
        for step in 0..=1000 {
            let x = 0.1 * f64::from(step);
            let believed = Isometry3::new(Vector3::new(scale * x, 0.0, 0.0), Vector3::new(0.0, 0.0, bend * x));
            drift.add(&PosePair { time: Time::ZERO, believed, truth: Isometry3::translation(x, 0.0, 0.0) });
        }
        drift
    }

    #[test]
    fn a_robot_that_knows_everything_does_not_drift() {
        let report = drive(1.0, 0.0).report().unwrap();
        assert!(report.translation_percent < 1e-9 && report.rotation_deg_per_m < 1e-6, "{report:?}");
        assert_eq!(report.pieces, 91 + 81 + 71 + 61 + 51);
    }

    #[test]
    fn odometry_that_counts_one_percent_too_much_drifts_by_one_percent() {
        let drift = drive(1.01, 0.0);
        let report = drift.report().unwrap();
        assert!((report.translation_percent - 1.0).abs() < 1e-6, "{report:?}");
        assert!((report.worst_percent - 1.0).abs() < 1e-6);
        assert!(drift.by_length().iter().all(|errors| (errors.translation_percent() - 1.0).abs() < 1e-6));
    }

    #[test]
    fn turning_is_counted_per_metre() {
        let report = drive(1.0, 1e-3).report().unwrap();
        assert!((report.rotation_deg_per_m - 1e-3_f64.to_degrees()).abs() < 1e-6, "{report:?}");
    }

    #[test]
    fn a_short_way_has_no_drift() {
        let mut drift = Drift::default();
        let here = PosePair { time: Time::ZERO, believed: Isometry3::identity(), truth: Isometry3::identity() };
        (0..100).for_each(|_| drift.add(&here));
        assert_eq!((drift.report(), drift.way()), (None, 0.0));
    }
}
