//! What the wheels know about the ground, where the laser cannot see.

use robot_io::Pose2;

use super::missing::Sights;
use super::{Ground, HeightSettings, Heights};
use crate::{ContactPlane, RobotFootprint};

/// How far beyond its outline the robot knows that it stands free [m].
const OUTLINE_MARGIN: f64 = 0.05;
/// So far beyond the blind radius the next ground is looked for [m].
const BEYOND: f64 = 0.6;

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

/// Ground near the robot that nobody sees, because the robot itself hides it, is taken for the plane of the wheels. What could
/// have been seen and was not stays unknown, and so does all up to where the ground that is seen lies lower.
pub(super) fn assume(heights: &mut Heights, robot: &RobotFootprint, sights: &Sights<'_>, settings: &HeightSettings) {
    let Some(plane) = robot.contact_plane() else { return };
    let here = robot.pose();
    let frame = heights.frame;
    let mut assumed = Vec::new();
    for cell in frame.square(here.x, here.y, settings.blind_radius) {
        let (x, y) = frame.center(cell);
        let distance = libm::hypot(x - here.x, y - here.y);
        if distance > settings.blind_radius || heights.ground[cell] != Ground::Unknown {
            continue;
        }
        let height = plane.height_at(x, y);
        if !sights.could_see(heights, x, y, height) && !falls_off(heights, &here, [x, y], &plane, settings) {
            assumed.push((cell, height));
        }
    }
    for (cell, height) in assumed {
        heights.height[cell] = height;
        heights.ground[cell] = Ground::Assumed;
    }
}

/// True if the next ground that is seen beyond a place, as one looks from the robot, lies lower than the wheels' plane, or is
/// known to be missing.
fn falls_off(
    heights: &Heights,
    here: &Pose2,
    [x, y]: [f64; 2],
    plane: &ContactPlane,
    settings: &HeightSettings,
) -> bool {
    let distance = libm::hypot(x - here.x, y - here.y).max(1e-6);
    let (ux, uy) = ((x - here.x) / distance, (y - here.y) / distance);
    let steps = ((settings.blind_radius + BEYOND - distance) / heights.frame.cell).max(0.0) as usize;
    let places = (1..=steps).map(|step| step as f64 * heights.frame.cell).map(|s| (x + s * ux, y + s * uy));
    for (u, v) in places {
        let Some(cell) = heights.frame.index_at(u, v) else { return false };
        match heights.ground[cell] {
            Ground::Missing => return true,
            Ground::Unknown | Ground::Assumed => {}
            _ => return heights.height[cell] < plane.height_at(u, v) - settings.deepest_fall,
        }
    }
    false
}
