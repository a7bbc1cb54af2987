//! Where soles stand and have stood, as a controller says it, in the world.

use nalgebra::Isometry3;
use plant::Frame;
use robot_io::{Pose2, Telemetry};

use crate::belief::{odom_in_world, scalar};

/// What a controller calls a sole's pose, and whether it carries: left, right.
pub(crate) const SOLES: [[&str; 4]; 2] = [
    ["left_sole_x [m]", "left_sole_y [m]", "left_sole_yaw [rad]", "left_sole_carries"],
    ["right_sole_x [m]", "right_sole_y [m]", "right_sole_yaw [rad]", "right_sole_carries"],
];

/// A sole seen from above, in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sole {
    /// 0 for the left one, 1 for the right one.
    pub side: usize,
    /// Its middle.
    pub pose: Pose2,
}

/// Both soles, and whether they carry, left and right; `None` if the controller says nothing of soles.
pub(crate) fn soles(base_in_world: &Isometry3<f64>, telemetry: &Telemetry) -> Option<[(Sole, bool); 2]> {
    let odom = odom_in_world(base_in_world, telemetry)?;
    let mut soles = [(Sole::default(), false); 2];
    for (side, [x, y, yaw, carries]) in SOLES.into_iter().enumerate() {
        let [x, y, yaw] = [scalar(telemetry, x)?, scalar(telemetry, y)?, scalar(telemetry, yaw)?];
        let pose = Pose2 { x, y, yaw }.placed_at(&odom);
        soles[side] = (Sole { side, pose }, scalar(telemetry, carries)? > 0.5);
    }
    Some(soles)
}

/// Where soles have stood. It is kept where the run is, so that no step is missed by a window that is slow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Footprints(Vec<(f64, Sole)>);

/// A foot that is set down nearer than this to where it stood stands there still [m].
const SAME_PLACE: f64 = 0.02;
/// So many are kept at most.
const MOST: usize = 600;

impl Footprints {
    /// None yet, with memory for all that there can be.
    pub fn with_room() -> Footprints {
        // both soles are added before the oldest ones go
        Footprints(Vec::with_capacity(MOST + 2))
    }

    /// Takes note of the soles that carry in a frame. If time has gone back, what came after is forgotten.
    pub fn note(&mut self, frame: &Frame, telemetry: &Telemetry) {
        let time = frame.time.seconds();
        self.0.truncate(self.0.partition_point(|(stood, _)| *stood <= time));
        let soles = frame.links_in_world.first().and_then(|base| soles(base, telemetry));
        for (sole, carries) in soles.into_iter().flatten() {
            let last = self.0.iter().rev().find(|(_, known)| known.side == sole.side);
            if carries && last.is_none_or(|(_, known)| known.pose.distance(&sole.pose) > SAME_PLACE) {
                self.0.push((time, sole));
            }
        }
        self.0.drain(..self.0.len().saturating_sub(MOST));
    }

    /// From the latest one back.
    pub fn latest_first(&self) -> impl Iterator<Item = &Sole> {
        self.0.iter().rev().map(|(_, sole)| sole)
    }
}

#[cfg(test)]
#[path = "soles_tests.rs"]
mod tests;
