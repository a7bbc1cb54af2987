//! The global search: A* over the cost map, with the robot's outline where it is narrow (Momaro, section 6.2.1, which takes the
//! robot for a point).

mod astar;
mod field;
mod settings;
mod smooth;

pub use settings::SearchSettings;

use robot_io::{Manoeuvre, Pose2};

use crate::cost::heading_bin;
use crate::{GlobalPlan, Goal, NavigationMap, Outcome, Piece, Refusal};
use astar::{ANY, Crossing, Found, Node, Query, Search};
use field::{Field, Room};

/// Plans a way from a pose to a goal, or to the reachable place that is nearest to it.
pub fn plan(map: &NavigationMap, from: &Pose2, goal: &Goal, settings: &SearchSettings) -> GlobalPlan {
    let field = Field::new(map);
    let Some(start_cell) = field.frame().index_at(from.x, from.y) else {
        return refused(from, Refusal::StartForbidden);
    };
    let start = node_at(&field, start_cell, heading_bin(from.yaw));
    let (goal_node, refusal) = goal_of(&field, goal);
    let crossings: Vec<Crossing> = Vec::new();
    let query = Query {
        start: start.unwrap_or(Node { cell: start_cell, slot: ANY }),
        escape: start.is_none(),
        goal: goal_node,
        toward: (goal.pose_in_map.x, goal.pose_in_map.y),
        crossings: &crossings,
    };
    let found = Search::new(&field, settings, &query).run();
    let stuck = start.is_none() && found.way.len() <= 1;
    let refusal = refusal.unwrap_or(if stuck { Refusal::StartForbidden } else { Refusal::Enclosed });
    compose(&field, &found, from, goal, refusal, settings)
}

/// The node of a robot in a cell at a heading; `None` if it does not fit.
fn node_at(field: &Field<'_>, cell: usize, heading: usize) -> Option<Node> {
    match field.room(cell) {
        Room::Any => Some(Node { cell, slot: ANY }),
        room => room.fits(heading).then_some(Node { cell, slot: heading }),
    }
}

/// The node of the goal, or why there is none. A goal without a heading takes that at which the robot fits best.
fn goal_of(field: &Field<'_>, goal: &Goal) -> (Option<Node>, Option<Refusal>) {
    let Some(cell) = field.frame().index_at(goal.pose_in_map.x, goal.pose_in_map.y) else {
        return (None, Some(Refusal::GoalOffMap));
    };
    let heading = heading_bin(goal.pose_in_map.yaw);
    let node = match field.room(cell) {
        Room::Some(bits) if !goal.with_heading => Some(Node { cell, slot: bits.trailing_zeros() as usize }),
        _ => node_at(field, cell, heading),
    };
    (node, node.is_none().then_some(Refusal::GoalForbidden))
}

fn compose(
    field: &Field<'_>,
    found: &Found,
    from: &Pose2,
    goal: &Goal,
    refusal: Refusal,
    settings: &SearchSettings,
) -> GlobalPlan {
    let path = smooth::smooth(field, found, from, goal, settings);
    let last = path.poses.last().copied().unwrap_or(*from);
    let near_enough = last.distance(&goal.pose_in_map) <= goal.tolerance;
    let outcome = match found.is_goal || near_enough {
        true => Outcome::ToGoal,
        false => Outcome::ToNearest { refusal, nearest: last },
    };
    let unknown_share = smooth::unknown_share(field, &path);
    GlobalPlan { pieces: vec![Piece { path, manoeuvre: Manoeuvre::Drive }], outcome, cost: found.cost, unknown_share }
}

fn refused(from: &Pose2, refusal: Refusal) -> GlobalPlan {
    GlobalPlan { outcome: Outcome::ToNearest { refusal, nearest: *from }, ..GlobalPlan::default() }
}
