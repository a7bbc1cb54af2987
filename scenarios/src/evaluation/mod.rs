//! How well a robot knows where it is: what it believes against what is true.
//!
//! Both are trajectories in frames of their own: the map's zero height is the ground at the start. [`Alignment`] brings the
//! believed one beside the true one with the height of the first pose and nothing else, since the robot is told where it
//! starts; nobody fits one curve to the other.
//!
//! Drift is the KITTI benchmark's relative error (Geiger, Lenz and Urtasun, "Are we ready for autonomous driving?", 2012):
//! how far off the end of every piece of way of a given length is, seen from its beginning, in percent of the length.

mod baseline;
mod drift;
mod trajectory;

pub use baseline::{BaselineKind, Baselines};
pub use drift::{Drift, DriftReport, LENGTHS, PieceErrors};
pub use trajectory::truth_at;

use nalgebra::{Isometry3, Translation3};
use robot_io::Time;
use serde::{Deserialize, Serialize};

/// Brings believed poses of the base beside the true ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alignment {
    height: f64,
}

/// How far a believed pose is from the true one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PoseError {
    /// Distance [m].
    pub distance: f64,
    /// Angle of the rotation between them [rad].
    pub angle: f64,
}

/// One moment of both trajectories.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PosePair {
    /// When.
    pub time: Time,
    /// The base as the robot believes, aligned.
    pub believed: Isometry3<f64>,
    /// The base as it is.
    pub truth: Isometry3<f64>,
}

impl Alignment {
    /// From the first pose of each.
    pub fn new(believed: &Isometry3<f64>, truth: &Isometry3<f64>) -> Alignment {
        Alignment { height: truth.translation.z - believed.translation.z }
    }

    /// A believed pose, in the frame of the truth.
    pub fn apply(&self, believed: &Isometry3<f64>) -> Isometry3<f64> {
        Translation3::new(0.0, 0.0, self.height) * believed
    }
}

impl PoseError {
    /// How far `believed`, aligned, is from `truth`.
    pub fn between(believed: &Isometry3<f64>, truth: &Isometry3<f64>) -> PoseError {
        PoseError {
            distance: (believed.translation.vector - truth.translation.vector).norm(),
            angle: believed.rotation.angle_to(&truth.rotation),
        }
    }
}

/// Follows both trajectories through a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    alignment: Option<Alignment>,
    error: Option<PoseError>,
    drift: Drift,
}

impl Evaluation {
    /// Takes in a moment: the base on the map and in the world.
    pub fn observe(&mut self, time: Time, base_in_map: &Isometry3<f64>, base_in_world: &Isometry3<f64>) {
        let alignment = *self.alignment.get_or_insert_with(|| Alignment::new(base_in_map, base_in_world));
        let pair = PosePair { time, believed: alignment.apply(base_in_map), truth: *base_in_world };
        self.error = Some(PoseError::between(&pair.believed, &pair.truth));
        self.drift.add(&pair);
    }

    /// The last error; `None` before the first moment.
    pub fn error(&self) -> Option<PoseError> {
        self.error
    }

    /// The drift so far.
    pub fn drift(&self) -> &Drift {
        &self.drift
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;

    #[test]
    fn the_heights_zero_is_no_error_and_everything_else_is() {
        let mut evaluation = Evaluation::default();
        let (map, world) = (Isometry3::translation(1.0, 2.0, 0.6), Isometry3::translation(1.0, 2.0, 3.6));
        evaluation.observe(Time::ZERO, &map, &world);
        assert_eq!(evaluation.error(), Some(PoseError::default()));
        let off = Isometry3::new(Vector3::new(1.3, 2.4, 0.6), Vector3::new(0.0, 0.0, 0.1));
        evaluation.observe(Time::ZERO, &off, &world);
        let error = evaluation.error().unwrap_or_default();
        assert!((error.distance - 0.5).abs() < 1e-12 && (error.angle - 0.1).abs() < 1e-9, "{error:?}");
    }
}
