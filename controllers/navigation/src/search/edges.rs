//! Edges as ways from cell to cell.

use robot_io::{Pose2, StepEdge};

use super::SearchSettings;
use super::astar::Crossing;
use super::field::Field;
use crate::NavigationMap;
use crate::cost::heading_bin;
use crate::edges::advanced;

/// Where the robot stands before and after stepping over an edge, facing square to it.
pub(super) fn ends(map: &NavigationMap, edge: &StepEdge) -> (Pose2, Pose2) {
    let (ahead, behind) = map.robot.reach();
    let yaw = edge.pose.yaw;
    let before = advanced(&edge.pose, -ahead - map.stand_off, yaw);
    (before, advanced(&edge.pose, edge.gap + behind + map.stand_off, yaw))
}

/// The edges that can be stepped over, in order of the cell before them.
pub(super) fn crossings(map: &NavigationMap, field: &Field<'_>, settings: &SearchSettings) -> Vec<Crossing> {
    let mut crossings: Vec<Crossing> = Vec::new();
    for (number, edge) in map.edges.iter().enumerate() {
        let (before, after) = ends(map, edge);
        let cell = |pose: &Pose2| field.frame().index_at(pose.x, pose.y);
        let (Some(from), Some(to)) = (cell(&before), cell(&after)) else { continue };
        let heading = heading_bin(edge.pose.yaw);
        if field.room(from).fits(heading) && field.room(to).fits(heading) {
            let cost = settings.edge + before.distance(&after);
            crossings.push(Crossing { from, to, heading, cost, edge: number });
        }
    }
    crossings.sort_by_key(|crossing| (crossing.from, crossing.edge));
    crossings
}
