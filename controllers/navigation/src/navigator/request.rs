//! The slow part: a map from the views, and a plan on it.

use robot_io::{MapViews, Pose2, Sealed, State, Time};

use crate::{GlobalPlan, Goal, MapSettings, NavigationMap, Outcome, RobotFootprint, SearchSettings, plan};

/// A question that owns all it needs.
pub(crate) struct Request {
    pub views: Sealed<MapViews>,
    /// The last map; empty if it does not tell of the same places.
    pub before: Sealed<NavigationMap>,
    pub robot: RobotFootprint,
    pub now: Time,
    pub from: Pose2,
    /// The goal and its number.
    pub goal: Option<(u64, Goal)>,
    /// Where to go if there is no way to the goal, in place of what is nearest to it.
    pub second_look: Option<Pose2>,
    pub penalties: Vec<Penalty>,
    /// Where there is no way if there is another one.
    pub closed: Vec<Penalty>,
    pub map: MapSettings,
    pub search: SearchSettings,
    /// Room beside its outline that the rollout asks for [m].
    pub room: f64,
}

/// The answer.
#[derive(Clone, Debug, Default, State)]
pub(crate) struct Planned {
    /// The map.
    pub map: Sealed<NavigationMap>,
    /// Number of the goal that the plan leads to; zero if nobody asked for one.
    pub goal: u64,
    /// The plan.
    pub plan: Sealed<GlobalPlan>,
}

/// A place to keep away from.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub(crate) struct Penalty {
    /// Its middle, on the map [m].
    pub x: f64,
    /// Its middle, on the map [m].
    pub y: f64,
    /// Its radius [m].
    pub radius: f64,
    /// What it costs there at least, 0 to 1 (forbidden).
    pub cost: f64,
}

impl Request {
    /// Makes the map and plans on it.
    pub fn compute(&self) -> Planned {
        let map = self.before.renewed(&self.views, &self.robot, self.now, &self.map);
        let map = raised(map, &self.penalties);
        let Some((number, goal)) = &self.goal else {
            return Planned { map: Sealed::new(map), ..Planned::default() };
        };
        let planned = |map: NavigationMap| {
            let plan = Sealed::new(self.plan(&map, goal));
            Planned { map: Sealed::new(map), goal: *number, plan }
        };
        if self.closed.is_empty() {
            return planned(map);
        }
        let other = planned(raised(map.clone(), &self.closed));
        if other.plan.outcome == Outcome::ToGoal { other } else { planned(map) }
    }

    fn plan(&self, map: &NavigationMap, goal: &Goal) -> GlobalPlan {
        let found = plan(map, &self.from, goal, self.room, &self.search);
        match self.second_look.filter(|_| found.outcome != Outcome::ToGoal) {
            Some(place) => {
                let there = Goal { pose_in_map: place, with_heading: false, ..*goal };
                GlobalPlan { outcome: found.outcome, ..plan(map, &self.from, &there, self.room, &self.search) }
            }
            None => found,
        }
    }
}

/// A map with places that cost more.
fn raised(mut map: NavigationMap, penalties: &[Penalty]) -> NavigationMap {
    for Penalty { x, y, radius, cost } in penalties {
        map.raise_cost([*x, *y], *radius, *cost as f32);
    }
    map
}
