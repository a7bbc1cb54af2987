//! Joint axes and link frames.

use bevy::prelude::*;
use robot_model::Motion;

use super::{OnTop, ink};
use crate::convert::transform;
use crate::feed::{Latest, Phase};
use crate::stage::{Shown, Stage};

/// Draws joint axes and link frames.
pub(super) struct JointsPlugin;

const AXIS_LENGTH: f32 = 0.07;
const FRAME_LENGTH: f32 = 0.07;
const TURNS: Color = ink(0.25, 0.80, 1.0);
const SLIDES: Color = ink(0.85, 0.45, 1.0);

impl Plugin for JointsPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(
            Update,
            (
                draw_axes.run_if(|shown: Res<Shown>| shown.0.joint_axes),
                draw_frames.run_if(|shown: Res<Shown>| shown.0.frames),
            )
                .in_set(Phase::Draw),
        );
    }
}

fn draw_axes(latest: Res<Latest>, stage: Res<Stage>, mut lines: Gizmos<OnTop>) {
    let Some(shown) = &latest.shown else { return };
    let tree = &stage.scene.robot.tree;
    for (link, pose) in tree.links.iter().zip(&shown.frame.links_in_world) {
        let slides = match link.motion {
            Motion::Fixed => continue,
            Motion::Joint(joint) => tree.joints[joint].kind,
            Motion::Mimic(mimic) => mimic.kind,
        } == robot_model::JointKind::Prismatic;
        let place = transform(pose);
        let axis = place.rotation * crate::convert::vec3(&link.axis_in_link);
        let color = if slides { SLIDES } else { TURNS };
        let from = place.translation - AXIS_LENGTH * 0.5 * axis;
        lines.arrow(from, from + AXIS_LENGTH * axis, color).with_tip_length(0.012);
        if !slides {
            let ring = Isometry3d::new(place.translation, Quat::from_rotation_arc(Vec3::Z, axis));
            lines.circle(ring, 0.012, color).resolution(14);
        }
    }
}

fn draw_frames(latest: Res<Latest>, mut lines: Gizmos<OnTop>) {
    let Some(shown) = &latest.shown else { return };
    for (index, pose) in shown.frame.links_in_world.iter().enumerate() {
        lines.axes(transform(pose), if index == 0 { 3.0 * FRAME_LENGTH } else { FRAME_LENGTH });
    }
}
