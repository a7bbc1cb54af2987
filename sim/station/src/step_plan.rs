//! Footsteps that are planned, and how soles lie on the ground.

use nalgebra::Vector3;
use robot_io::{Layer, Path, Pose2, Telemetry};
use worlds::Terrain;

use crate::StationFrame;
use crate::belief::{odom_in_world, scalar};
use crate::soles::{Sole, soles};

/// The layer in which a controller says where its soles are to stand, one after the other, in its odometry frame.
pub(crate) const FOOTSTEPS: &str = "footsteps";
/// Soles lie on slopes up to this one [1]; what is steeper is an edge beside them.
const STEEPEST: f64 = 0.35;

/// Length and width of a sole [m]; `None` if the controller does not say them.
pub(crate) fn size(telemetry: &Telemetry) -> Option<[f64; 2]> {
    Some([scalar(telemetry, "sole_length [m]")?, scalar(telemetry, "sole_width [m]")?])
}

/// The soles that carry.
pub(crate) fn standing(shown: &StationFrame) -> impl Iterator<Item = Sole> {
    let base = shown.frame.links_in_world.first();
    let both = base.and_then(|base| soles(base, &shown.telemetry));
    both.into_iter().flatten().filter(|(_, carries)| *carries).map(|(sole, _)| sole)
}

/// The soles of the plan that do not stand yet, the next one first.
pub(crate) fn to_come(shown: &StationFrame) -> Vec<Sole> {
    let telemetry = &shown.telemetry;
    let Some(base) = shown.frame.links_in_world.first() else { return Vec::new() };
    let (Some(plan), Some(soles)) = (plan(telemetry), soles(base, telemetry)) else { return Vec::new() };
    let Some(odom) = odom_in_world(base, telemetry) else { return Vec::new() };
    let planned: Vec<Pose2> = plan.poses.iter().map(|step| step.placed_at(&odom)).collect();
    let begun = scalar(telemetry, "footsteps_begun").unwrap_or(0.0).max(0.0) as usize;
    // a step that has begun is still to come while its foot is in the air
    let is_left = |(index, step): &(usize, Sole)| *index >= begun || (*index + 1 == begun && !soles[step.side].1);
    let steps = sided(&planned, &soles.map(|(sole, _)| sole.pose)).enumerate();
    steps.filter(is_left).map(|(_, step)| step).collect()
}

fn plan(telemetry: &Telemetry) -> Option<&Path> {
    telemetry.layers.iter().find_map(|(name, layer)| match layer {
        Layer::Path(path) if *name == FOOTSTEPS => Some(&**path),
        _ => None,
    })
}

/// The steps of a plan with their feet, which take turns: the left foot stands to the left of the right one, in most steps at
/// least. A lonely step belongs to the foot on whose side of the soles it is.
fn sided<'s>(steps: &'s [Pose2], soles: &[Pose2; 2]) -> impl Iterator<Item = Sole> + use<'s> {
    let turn = |index: usize| if index.is_multiple_of(2) { 1.0 } else { -1.0 };
    let pairs = steps.windows(2).enumerate().map(|(index, pair)| turn(index) * pair[0].seen_from(&pair[1]).y);
    let mut left = pairs.sum::<f64>();
    if let [only] = steps {
        left = soles.iter().map(|sole| only.seen_from(sole).y).sum();
    }
    let first = usize::from(left < 0.0);
    steps.iter().enumerate().map(move |(index, pose)| Sole { side: (first + index) % 2, pose: *pose })
}

/// A place of a sole, seen from its middle, where it lies on the ground of the world [m]. What hangs over an edge is as high as the
/// middle.
pub(crate) fn on_ground(terrain: &Terrain, sole: &Pose2, ahead: f64, left: f64) -> Vector3<f64> {
    let place = Pose2 { x: ahead, y: left, yaw: 0.0 }.placed_at(sole);
    let middle = terrain.height_at(sole.x, sole.y).unwrap_or(0.0);
    let reach = STEEPEST * robot_io::math::hypot(ahead, left);
    let height = terrain.height_at(place.x, place.y).filter(|height| (height - middle).abs() <= reach);
    Vector3::new(place.x, place.y, height.unwrap_or(middle))
}

#[cfg(test)]
#[path = "step_plan_tests.rs"]
mod tests;
