//! A way over the map, as the global search finds it.

use robot_io::{Manoeuvre, Path, Pose2, State, StateVisitor, StepEdge};

/// A way over the map.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct GlobalPlan {
    /// Its pieces in order: drives, and edges between them.
    pub pieces: Vec<Piece>,
    /// Whether it leads to the goal.
    pub outcome: Outcome,
    /// What the search says it costs [m]: metres of easy ground.
    pub cost: f64,
    /// Share of its length on ground that nobody has seen, 0 to 1.
    pub unknown_share: f64,
}

/// A piece of a way that is travelled in one manner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Piece {
    /// The poses of the base, on the map.
    pub path: Path,
    /// In which manner.
    pub manoeuvre: Manoeuvre,
}

/// Where a plan leads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Outcome {
    /// Nobody has planned yet.
    #[default]
    None,
    /// To the goal.
    ToGoal,
    /// Not to the goal, but to the reachable place that is nearest to it.
    ToNearest {
        /// Why not farther.
        refusal: Refusal,
        /// That place.
        nearest: Pose2,
    },
}

/// Why there is no way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
pub enum Refusal {
    /// The robot itself stands where it must not be.
    #[default]
    StartForbidden,
    /// The goal is on or too near to an obstacle.
    GoalForbidden,
    /// The goal is off the map.
    GoalOffMap,
    /// Obstacles are all around.
    Enclosed,
}

impl State for Piece {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("path", &mut self.path);
        let (mut steps, mut edge) = match self.manoeuvre {
            Manoeuvre::Drive => (false, StepEdge::default()),
            Manoeuvre::Step(edge) => (true, edge),
        };
        visitor.field("steps", &mut steps);
        visitor.field("edge", &mut edge);
        self.manoeuvre = if steps { Manoeuvre::Step(edge) } else { Manoeuvre::Drive };
    }
}

impl State for Outcome {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let (mut kind, mut refusal, mut nearest) = match *self {
            Outcome::None => (0_u64, Refusal::default(), Pose2::default()),
            Outcome::ToGoal => (1, Refusal::default(), Pose2::default()),
            Outcome::ToNearest { refusal, nearest } => (2, refusal, nearest),
        };
        visitor.field("kind", &mut kind);
        visitor.field("refusal", &mut refusal);
        visitor.field("nearest", &mut nearest);
        *self = match kind {
            1 => Outcome::ToGoal,
            2 => Outcome::ToNearest { refusal, nearest },
            _ => Outcome::None,
        };
    }
}
