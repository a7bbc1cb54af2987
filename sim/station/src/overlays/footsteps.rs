//! Footsteps: where soles stand and have stood, and where they are planned to stand. Left and right have their colours.

use bevy::prelude::*;
use robot_io::Pose2;
use worlds::Terrain;

use super::{InWorld, ink};
use crate::convert::vec3;
use crate::feed::{Latest, Phase};
use crate::stage::{Shown, Stage};
use crate::step_plan::{self, on_ground};

/// Draws footsteps.
pub(super) struct FootstepsPlugin;

/// Left and right, the same as in the report.
pub(crate) const SIDES: [Color; 2] = [ink(0.20, 0.55, 1.0), ink(1.0, 0.52, 0.08)];
/// Outlines on the ground hover by this much [m].
const LIFT: f64 = 0.012;
/// How much of the colour a print has at first, and what it fades to [1].
const FRESH: f32 = 0.65;
const FADED: f32 = 0.22;
/// Prints until it has faded.
const FADING: f32 = 14.0;
/// Size of the inner outline of a step to come [1].
const INNER: f64 = 0.72;

impl Plugin for FootstepsPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Update, draw.in_set(Phase::Draw).run_if(|shown: Res<Shown>| shown.0.footsteps));
    }
}

/// What stands is bright, what has stood fades, what is to come has two outlines.
fn draw(latest: Res<Latest>, stage: Res<Stage>, mut lines: Gizmos<InWorld>) {
    let Some(shown) = &latest.shown else { return };
    let Some(size) = step_plan::size(&shown.telemetry) else { return };
    let terrain = &stage.scene.world.terrain;
    for (age, print) in shown.footprints.latest_first().enumerate() {
        let faded = (FRESH - (FRESH - FADED) * age as f32 / FADING).max(FADED);
        lines.lineloop(outline(terrain, &print.pose, size, 1.0), SIDES[print.side].with_alpha(faded));
    }
    for sole in step_plan::standing(shown) {
        lines.lineloop(outline(terrain, &sole.pose, size, 1.0), SIDES[sole.side]);
    }
    for step in step_plan::to_come(shown) {
        for part in [1.0, INNER] {
            lines.lineloop(outline(terrain, &step.pose, size, part), SIDES[step.side]);
        }
    }
}

/// The corners of a sole of this length and width on the ground, `part` of its size.
fn outline(terrain: &Terrain, sole: &Pose2, size: [f64; 2], part: f64) -> impl Iterator<Item = Vec3> {
    let [length, width] = size.map(|side| 0.5 * part * side);
    let corners = [(length, width), (length, -width), (-length, -width), (-length, width)];
    corners.map(|(ahead, left)| vec3(&on_ground(terrain, sole, ahead, left)) + Vec3::Z * LIFT as f32).into_iter()
}
