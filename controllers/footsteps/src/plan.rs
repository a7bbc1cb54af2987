//! A plan: steps in their order, and how good they are.

use robot_io::{Pose2, State};
use walking::{Footstep, Side};

use crate::refusal::Refusal;

/// A step of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct PlannedStep {
    /// Where the foot is set.
    pub foot: Footstep,
    /// The clearance that its swing needs [m]: [`walking::SwingSettings::clearance`].
    pub clearance: f64,
    /// Share of the sole that is carried.
    pub support: f64,
    /// Share of the sole on ground that was not seen.
    pub unseen: f64,
    /// What it costs.
    pub cost: f64,
}

/// How a search has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub enum Outcome {
    /// Nothing was asked.
    #[default]
    None,
    /// The steps lead to the goal.
    ToGoal,
    /// A foot does not stand where a plan can begin.
    FeetRefused {
        /// Which one.
        side: Side,
        /// Why.
        refusal: Refusal,
    },
    /// A foot cannot stand at the goal.
    GoalRefused {
        /// Which one.
        side: Side,
        /// Why.
        refusal: Refusal,
    },
    /// No way was found.
    Unreached {
        /// The foot nearest to the goal that was reached.
        nearest: Pose2,
        /// What was guessed to be left from there, in the unit of [`Cost`](crate::Cost).
        left: f64,
        /// What most of the steps are refused for that would lead on from there.
        refusal: Refusal,
        /// True if there is none; false if the search was not allowed to look any longer.
        exhausted: bool,
    },
}

/// Footsteps to a goal.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct FootstepPlan {
    /// Where the feet stand before it: left, right.
    pub feet: [Footstep; 2],
    /// The steps, in their order. There are none if no way was found, or none is needed.
    pub steps: Vec<PlannedStep>,
    /// What they cost, in the unit of [`Cost`](crate::Cost).
    pub cost: f64,
    /// No way costs less than the cost divided by this: 1 for the best one. It holds for steps on the planner's lattice.
    pub bound: f64,
    /// From so many feet on the ground was looked ahead.
    pub expansions: usize,
    /// How the search has ended.
    pub outcome: Outcome,
}

impl FootstepPlan {
    /// The steps as [`walking::Gait::follow`] takes them.
    pub fn footsteps(&self) -> Vec<Footstep> {
        self.steps.iter().map(|step| step.foot).collect()
    }

    /// Whether it leads to the goal.
    pub fn is_to_goal(&self) -> bool {
        self.outcome == Outcome::ToGoal
    }

    /// Where the feet stand after so many steps: left, right.
    pub fn feet_after(&self, steps: usize) -> [Footstep; 2] {
        let mut feet = self.feet;
        for step in self.steps.iter().take(steps) {
            feet[step.foot.side.index()] = step.foot;
        }
        feet
    }

    /// The largest clearance that its swings need [m]; 0 without steps.
    pub fn clearance(&self) -> f64 {
        self.steps.iter().map(|step| step.clearance).fold(0.0, f64::max)
    }
}
