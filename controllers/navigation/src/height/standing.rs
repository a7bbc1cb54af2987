//! What the wheels know about the ground, where the laser cannot see.

use super::{Ground, HeightSettings, Heights};
use crate::RobotFootprint;

/// How far beyond its outline the robot knows that it stands free [m].
const OUTLINE_MARGIN: f64 = 0.05;

/// Where the robot stands, there is ground: cells under it that nobody measured, or that are further off the plane of the
/// wheels than the robot's own body could not be, get the height of that plane. A robot whose wheels stand on different
/// levels keeps what is measured: it is just climbing.
pub(super) fn stand(heights: &mut Heights, robot: &RobotFootprint, settings: &HeightSettings) {
    let Some(plane) = robot.contact_plane() else { return };
    let astride = plane.residual > 0.5 * settings.standing_error;
    let here = robot.pose();
    let frame = heights.frame;
    for cell in frame.square(here.x, here.y, robot.circumscribed_radius() + OUTLINE_MARGIN) {
        let (x, y) = frame.center(cell);
        if !robot.covers(x, y, OUTLINE_MARGIN) {
            continue;
        }
        let height = plane.height_at(x, y);
        let unknown = heights.ground[cell] == Ground::Unknown;
        let off = (heights.height[cell] - height).abs() > settings.standing_error
            || f64::from(heights.spread[cell]) > settings.standing_error;
        if unknown || off && !astride {
            heights.height[cell] = height;
            heights.spread[cell] = 0.0;
            heights.ground[cell] = Ground::StoodOn;
        }
    }
}

/// Ground near the robot that nobody sees, because the robot itself hides it, is taken for the plane of the wheels.
pub(super) fn assume(heights: &mut Heights, robot: &RobotFootprint, settings: &HeightSettings) {
    let Some(plane) = robot.contact_plane() else { return };
    let here = robot.pose();
    let frame = heights.frame;
    for cell in frame.square(here.x, here.y, settings.blind_radius) {
        let (x, y) = frame.center(cell);
        let near = libm::hypot(x - here.x, y - here.y) <= settings.blind_radius;
        if near && heights.ground[cell] == Ground::Unknown {
            heights.height[cell] = plane.height_at(x, y);
            heights.ground[cell] = Ground::Assumed;
        }
    }
}
