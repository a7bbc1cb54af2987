//! What a sweep tells about the robot's motion.

use nalgebra::{Isometry3, Matrix6};
use robot_io::{State, StateVisitor, Time};

use crate::Sweep;

/// Something that follows the robot from sweep to sweep. The surfel map and the baselines are such, so that they can be
/// compared on the same log.
pub trait SweepOdometer: State + core::fmt::Debug {
    /// Takes in the next sweep and tells where the robot is.
    fn process(&mut self, sweep: &Sweep) -> SweepEstimate;
}

/// Where a sweep was taken.
#[derive(Clone, Copy, Debug, PartialEq, State)]
pub struct SweepEstimate {
    /// The sweep's end.
    pub stamp: Time,
    /// The base at the sweep's end in the map frame.
    pub base_in_map: Isometry3<f64>,
    /// Covariance of that pose: translation [m²], then rotation [rad²], along the axes of the map.
    pub covariance: Matrix6<f64>,
    /// What became of the sweep.
    pub verdict: Verdict,
    /// Share of the sweep's surfels or points that found a partner in the map, 0 to 1.
    pub matched_share: f64,
    /// Mean distance of the matched ones from their partners [m].
    pub mean_distance: f64,
    /// How many of the six directions of motion the world does not hold; odometry holds them.
    pub weak_directions: usize,
    /// What the verdict's flaw was judged by, and the limit; zeros where the sweep's own motion was.
    pub judged: [f64; 2],
}

/// What became of a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// It is part of the map.
    #[default]
    Accepted,
    /// It told the pose, but is not good enough for the map.
    LocalizedOnly(Flaw),
    /// It was left out altogether; odometry tells the pose.
    LeftOut(Flaw),
}

/// What is wrong with a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flaw {
    /// The robot was shaken while it was taken.
    #[default]
    Shaken,
    /// The robot was bumped while it was taken, and slid.
    Bumped,
    /// Scans are missing.
    Gaps,
    /// Too few points.
    Sparse,
    /// Too few of its points found a partner in the map.
    Unmatched,
    /// The registration did not converge.
    Diverged,
    /// The pose is too uncertain.
    Uncertain,
    /// What was matched lies too far beside its partners.
    Loose,
    /// Things stand where the map knows free space.
    Contradicted,
    /// It fits, but not where odometry can have led.
    Displaced,
    /// It fits, but not with the attitude to which odometry can have led.
    Turned,
    /// It fits, but worse than the sweeps before.
    Unusual,
}

const FLAWS: [Flaw; 12] = [
    Flaw::Shaken,
    Flaw::Bumped,
    Flaw::Gaps,
    Flaw::Sparse,
    Flaw::Unmatched,
    Flaw::Diverged,
    Flaw::Uncertain,
    Flaw::Loose,
    Flaw::Contradicted,
    Flaw::Displaced,
    Flaw::Turned,
    Flaw::Unusual,
];

impl Default for SweepEstimate {
    fn default() -> Self {
        SweepEstimate {
            stamp: Time::ZERO,
            base_in_map: Isometry3::identity(),
            covariance: Matrix6::zeros(),
            verdict: Verdict::default(),
            matched_share: 0.0,
            mean_distance: 0.0,
            weak_directions: 0,
            judged: [0.0; 2],
        }
    }
}

impl State for Verdict {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let count = FLAWS.len();
        let mut word = match *self {
            Verdict::Accepted => 0,
            Verdict::LocalizedOnly(flaw) => 1 + flaw as usize,
            Verdict::LeftOut(flaw) => 1 + count + flaw as usize,
        };
        word.visit_state(visitor);
        *self = match word.checked_sub(1) {
            None => Verdict::Accepted,
            Some(flaw) if flaw < count => Verdict::LocalizedOnly(FLAWS[flaw]),
            Some(flaw) => Verdict::LeftOut(FLAWS[(flaw - count).min(count - 1)]),
        };
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use robot_io::{StateReader, StateWriter};

    #[test]
    fn every_verdict_survives_being_saved() {
        let kept = FLAWS.map(Verdict::LocalizedOnly).into_iter().chain(FLAWS.map(Verdict::LeftOut));
        for verdict in kept.chain([Verdict::Accepted]) {
            let mut back = Verdict::LeftOut(Flaw::Gaps);
            StateReader::restore(&mut back, &StateWriter::save(&mut verdict.clone())).unwrap();
            assert_eq!(back, verdict);
        }
    }
}
