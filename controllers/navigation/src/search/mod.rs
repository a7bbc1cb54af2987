//! The global search: A* over the cost map, with the robot's outline where it is narrow (Momaro, section 6.2.1, which takes the
//! robot for a point).

mod astar;
mod edges;
mod field;
mod settings;
mod smooth;

pub use settings::SearchSettings;

use robot_io::{Manoeuvre, Path, Pose2};

use crate::cost::{heading_bin, heading_of};
use crate::{GlobalPlan, Goal, NavigationMap, Outcome, Piece, Refusal};
use astar::{ANY, Found, Node, Query, Search};
use field::{Field, Room};

/// Plans a way from a pose to a goal, or to the reachable place that is nearest to it, for a robot that likes to have so much `room` beside
/// its outline [m].
pub fn plan(map: &NavigationMap, from: &Pose2, goal: &Goal, room: f64, settings: &SearchSettings) -> GlobalPlan {
    let field = Field::new(map, room);
    let Some(start_cell) = field.frame().index_at(from.x, from.y) else {
        return refused(from, Refusal::StartForbidden);
    };
    let start = node_at(&field, start_cell, heading_bin(from.yaw));
    let (goal_node, refusal) = goal_of(&field, goal);
    let crossings = edges::crossings(map, &field, settings);
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
    let pieces = pieces(map, &field, &found, from, goal, settings);
    let last = pieces.iter().rev().find_map(|piece| piece.path.poses.last()).copied().unwrap_or(*from);
    let near_enough = found.is_goal || last.distance(&goal.pose_in_map) <= goal.tolerance;
    let outcome = if near_enough { Outcome::ToGoal } else { Outcome::ToNearest { refusal, nearest: last } };
    let unknown_share = unknown_share(&field, &pieces);
    GlobalPlan { pieces, outcome, cost: found.cost, unknown_share }
}

/// The node of a robot in a cell at a heading; `None` if it does not fit.
fn node_at(field: &Field<'_>, cell: usize, heading: usize) -> Option<Node> {
    match field.room(cell) {
        Room::Any => Some(Node { cell, slot: ANY }),
        room => room.fits(heading).then_some(Node { cell, slot: heading }),
    }
}

/// The node of the goal, or why there is none. A goal without a heading may be reached at any at which the robot fits.
fn goal_of(field: &Field<'_>, goal: &Goal) -> (Option<Node>, Option<Refusal>) {
    let Some(cell) = field.frame().index_at(goal.pose_in_map.x, goal.pose_in_map.y) else {
        return (None, Some(Refusal::GoalOffMap));
    };
    let heading = heading_bin(goal.pose_in_map.yaw);
    let node = match field.room(cell) {
        Room::Some(_) if !goal.with_heading => Some(Node { cell, slot: ANY }),
        _ => node_at(field, cell, heading),
    };
    (node, node.is_none().then_some(Refusal::GoalForbidden))
}

/// The way cut at its edges.
fn pieces(
    map: &NavigationMap,
    field: &Field<'_>,
    found: &Found,
    from: &Pose2,
    goal: &Goal,
    settings: &SearchSettings,
) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let (mut begin, mut start) = (0, *from);
    for (place, edge) in
        found.way.iter().enumerate().filter_map(|(place, (_, edge))| Some((place, map.edges.get((*edge)?)?)))
    {
        let (before, after) = edges::ends(map, edge);
        let path = smooth::smooth(field, &found.way[begin..place], &start, Some(&before), settings);
        pieces.push(Piece { path, manoeuvre: Manoeuvre::Drive });
        let path = Path { poses: vec![before, after] };
        pieces.push(Piece { path, manoeuvre: Manoeuvre::Step(*edge) });
        (begin, start) = (place, after);
    }
    let end = found.is_goal.then_some(goal.pose_in_map);
    let mut path = smooth::smooth(field, &found.way[begin..], &start, end.as_ref(), settings);
    if let (true, false, [.., before, last]) = (found.is_goal, goal.with_heading, &mut path.poses[..]) {
        last.yaw = arrival(field, found, before.yaw);
    }
    pieces.push(Piece { path, manoeuvre: Manoeuvre::Drive });
    pieces
}

/// The heading at the end of a way [rad]: that of the travel, or if the robot does not fit so, that which the search found.
fn arrival(field: &Field<'_>, found: &Found, travel: f64) -> f64 {
    match found.way.last() {
        Some((node, _)) if node.slot != ANY && !field.room(node.cell).fits(heading_bin(travel)) => {
            heading_of(node.slot)
        }
        _ => travel,
    }
}

/// Share of the poses on ground that nobody has seen.
fn unknown_share(field: &Field<'_>, pieces: &[Piece]) -> f64 {
    let poses = pieces.iter().flat_map(|piece| &piece.path.poses);
    let known = |pose: &Pose2| field.frame().index_at(pose.x, pose.y).is_some_and(|cell| !field.costs.is_unknown(cell));
    let (unknown, all) = poses.fold((0, 0_u32), |(unknown, all), pose| (unknown + u32::from(!known(pose)), all + 1));
    f64::from(unknown) / f64::from(all.max(1))
}

fn refused(from: &Pose2, refusal: Refusal) -> GlobalPlan {
    GlobalPlan { outcome: Outcome::ToNearest { refusal, nearest: *from }, ..GlobalPlan::default() }
}
