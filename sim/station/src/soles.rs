//! Soles on the ground: where they stand, and where footsteps are planned.

use nalgebra::Vector3;
use robot_io::{Layer, Path, Pose2, Telemetry};
use worlds::Terrain;

use crate::StationFrame;
use crate::belief::{odom_in_world, scalar};

/// The layer in which a controller says where its soles are to stand, one after the other, in its odometry frame.
pub(crate) const FOOTSTEPS: &str = "footsteps";
/// What it calls a sole's pose, and whether it carries: left, right.
const SOLES: [[&str; 4]; 2] = [
    ["left_sole_x [m]", "left_sole_y [m]", "left_sole_yaw [rad]", "left_sole_carries"],
    ["right_sole_x [m]", "right_sole_y [m]", "right_sole_yaw [rad]", "right_sole_carries"],
];
/// Soles lie on slopes up to this one [1]; what is steeper is an edge beside them.
const STEEPEST: f64 = 0.35;

/// A sole seen from above, in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sole {
    /// 0 for the left one, 1 for the right one.
    pub(crate) side: usize,
    /// Its middle.
    pub(crate) pose: Pose2,
}

/// What a frame says of its soles.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Soles {
    /// Length and width [m].
    pub(crate) size: [f64; 2],
    /// Those that carry.
    pub(crate) standing: Vec<Sole>,
    /// Those of the plan that do not stand yet, the next one first.
    pub(crate) to_come: Vec<Sole>,
}

impl Soles {
    /// `None` if the controller says nothing of soles.
    pub(crate) fn of(shown: &StationFrame) -> Option<Soles> {
        let telemetry = &shown.telemetry;
        let size = [scalar(telemetry, "sole_length [m]")?, scalar(telemetry, "sole_width [m]")?];
        let odom = odom_in_world(shown)?;
        let mut carry = [false; 2];
        let mut poses = [Pose2::default(); 2];
        for (side, [x, y, yaw, carries]) in SOLES.into_iter().enumerate() {
            let [x, y, yaw] = [scalar(telemetry, x)?, scalar(telemetry, y)?, scalar(telemetry, yaw)?];
            poses[side] = Pose2 { x, y, yaw }.placed_at(&odom);
            carry[side] = scalar(telemetry, carries)? > 0.5;
        }
        let standing = (0..2).filter(|side| carry[*side]).map(|side| Sole { side, pose: poses[side] }).collect();
        let planned: Vec<Pose2> =
            plan(telemetry).iter().flat_map(|plan| &plan.poses).map(|step| step.placed_at(&odom)).collect();
        let begun = scalar(telemetry, "footsteps_begun").unwrap_or(0.0).max(0.0) as usize;
        let steps = sided(&planned, &poses);
        // a step that has begun is still to come while its foot is in the air
        let to_come = steps.skip(begun.saturating_sub(1)).enumerate();
        let to_come = to_come.filter(|(index, step)| begun == 0 || *index > 0 || !carry[step.side]);
        Some(Soles { size, standing, to_come: to_come.map(|(_, step)| step).collect() })
    }
}

fn plan(telemetry: &Telemetry) -> Option<&Path> {
    telemetry.layers.iter().find_map(|(name, layer)| match layer {
        Layer::Path(path) if *name == FOOTSTEPS => Some(&**path),
        _ => None,
    })
}

/// The steps of a plan with their feet, which take turns: the left foot stands to the left of the right one, in most steps at
/// least. A lonely step belongs to the foot on whose side of the soles it is.
fn sided(steps: &[Pose2], soles: &[Pose2; 2]) -> impl Iterator<Item = Sole> {
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

/// Where soles have stood.
#[derive(Clone, Debug, Default, bevy::prelude::Resource)]
pub(crate) struct Footprints(Vec<(f64, Sole)>);

/// A foot that is set down nearer than this to where it stood stands there still [m].
const SAME_PLACE: f64 = 0.02;
/// So many are kept at most.
const MOST_PRINTS: usize = 600;

impl Footprints {
    /// Takes note of the soles that stand at a time [s]. If time has gone back, what came after is forgotten.
    pub(crate) fn add(&mut self, time: f64, standing: &[Sole]) {
        while self.0.last().is_some_and(|(after, _)| *after > time) {
            self.0.pop();
        }
        for sole in standing {
            let last = self.0.iter().rev().find(|(_, known)| known.side == sole.side);
            if last.is_none_or(|(_, known)| known.pose.distance(&sole.pose) > SAME_PLACE) {
                self.0.push((time, *sole));
            }
        }
        self.0.drain(..self.0.len().saturating_sub(MOST_PRINTS));
    }

    /// Another run begins.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// From the latest one back.
    pub(crate) fn latest_first(&self) -> impl Iterator<Item = &Sole> {
        self.0.iter().rev().map(|(_, sole)| sole)
    }
}

#[cfg(test)]
#[path = "soles_tests.rs"]
mod tests;
