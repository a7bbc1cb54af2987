//! Footsteps: where soles stand and have stood, and where they are planned to stand. Left and right have their colours.

use bevy::prelude::*;
use robot_io::Pose2;
use worlds::Terrain;

use super::{InWorld, ink};
use crate::convert::vec3;
use crate::feed::{Latest, Phase};
use crate::soles::{Footprints, Soles, on_ground};
use crate::stage::{Shown, Stage};

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

impl Plugin for FootstepsPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Footprints>()
            .add_systems(Update, note.in_set(Phase::Move))
            .add_systems(Update, draw.in_set(Phase::Draw).run_if(|shown: Res<Shown>| shown.0.footsteps));
    }
}

fn note(latest: Res<Latest>, mut prints: ResMut<Footprints>) {
    let Some(shown) = latest.news() else { return };
    if latest.restarted {
        prints.clear();
    }
    if let Some(soles) = Soles::of(shown) {
        prints.add(shown.frame.time.seconds(), &soles.standing);
    }
}

fn draw(latest: Res<Latest>, stage: Res<Stage>, prints: Res<Footprints>, mut lines: Gizmos<InWorld>) {
    let Some(soles) = latest.shown.as_ref().and_then(Soles::of) else { return };
    let terrain = &stage.scene.world.terrain;
    for (age, print) in prints.latest_first().enumerate() {
        let stands = soles.standing.iter().any(|sole| sole.side == print.side) && age < 2;
        let faded = (FRESH - (FRESH - FADED) * age as f32 / FADING).max(FADED);
        let color = SIDES[print.side].with_alpha(if stands { 1.0 } else { faded });
        lines.lineloop(outline(terrain, &print.pose, soles.size, 1.0), color);
    }
    for step in &soles.to_come {
        let color = SIDES[step.side];
        lines.lineloop(outline(terrain, &step.pose, soles.size, 1.0), color);
        lines.lineloop(outline(terrain, &step.pose, soles.size, 0.72), color);
    }
}

/// The corners of a sole of this length and width on the ground, `part` of its size.
fn outline(terrain: &Terrain, sole: &Pose2, size: [f64; 2], part: f64) -> impl Iterator<Item = Vec3> {
    let [length, width] = size.map(|side| 0.5 * part * side);
    let corners = [(length, width), (length, -width), (-length, -width), (-length, width)];
    corners.map(|(ahead, left)| vec3(&on_ground(terrain, sole, ahead, left)) + Vec3::Z * LIFT as f32).into_iter()
}
