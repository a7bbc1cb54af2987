//! A question to the planner, and its answer: slow work that runs beside the control cycle.

use std::sync::Arc;

use footsteps::{FootstepPlan, HeightTerrain, Planner, Query, Replanned, TerrainSettings};
use navigation::{HeightSettings, Heights, RobotFootprint};
use robot_io::{MapViews, Pose2, Sealed, State};
use walking::Footstep;

use super::frame::{Frame, each};

/// What is known of the ground.
#[derive(Clone, Debug)]
pub(super) enum Ground {
    /// The planner knows it.
    Told,
    /// What the robot has seen itself.
    Seen(Box<Sight>),
}

/// What the robot has seen, where it stands on it, and how that becomes ground for feet.
#[derive(Clone, Debug)]
pub(super) struct Sight {
    pub views: Sealed<MapViews>,
    pub robot: RobotFootprint,
    pub height: HeightSettings,
    pub terrain: TerrainSettings,
}

/// A copy of what was known when it was asked.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub planner: Arc<Planner>,
    pub ground: Ground,
    pub odom_in_map: Pose2,
    /// The plan that is walked, in the odometry frame, and so many of its steps are kept.
    pub old: FootstepPlan,
    pub kept: usize,
    /// Where the feet stand now, in the odometry frame.
    pub feet: [Footstep; 2],
    /// Where the middle between the feet shall be, in the odometry frame.
    pub goal: Pose2,
    pub number: u64,
    /// The first plan is looked for so long, in feet on the ground that are looked ahead from.
    pub expansions: usize,
}

/// What has become of the plan.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub(super) struct Answer {
    /// Of the question.
    pub number: u64,
    /// The whole plan from its first step on, in the odometry frame.
    pub plan: FootstepPlan,
    /// So many steps at its beginning are the old ones.
    pub kept: usize,
}

impl Question {
    pub fn answer(&self) -> Answer {
        let planner = match &self.ground {
            Ground::Told => Some(self.planner.as_ref().clone()),
            Ground::Seen(sight) => {
                let Sight { views, robot, height, terrain } = sight.as_ref();
                let heights = Heights::build(views, robot, height);
                HeightTerrain::from_heights(&heights, terrain).ok().map(|terrain| self.planner.on(Arc::new(terrain)))
            }
        };
        let Some(planner) = planner else { return Answer { number: self.number, ..Answer::default() } };
        let level = Frame { odom_in_map: self.odom_in_map, up: 0.0 };
        let found = self.feet.iter().filter_map(|foot| {
            let level = planner.parts().level(&level.to_map(foot)).ok()?;
            Some(level.position.z - foot.position.z)
        });
        let (sum, count) = found.fold((0.0, 0.0), |(sum, count), up| (sum + up, count + 1.0));
        let frame = Frame { up: if count > 0.0 { sum / count } else { 0.0 }, ..level };
        let old = each(&self.old, |foot| frame.to_map(foot));
        let goal = self.goal.placed_at(&self.odom_in_map);
        let replanned = if old.steps.is_empty() {
            let mut planning = planner.begin(&Query { feet: old.feet, first: None, goal });
            planning.advance(self.expansions);
            Replanned { plan: planning.plan(), kept: 0 }
        } else {
            planner.replan(&old, self.kept, &goal)
        };
        let plan = each(&replanned.plan, |foot| frame.to_odom(foot));
        Answer { number: self.number, plan, kept: replanned.kept }
    }
}
