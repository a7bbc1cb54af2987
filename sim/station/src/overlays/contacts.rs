//! Contact forces as arrows: three metres for the whole weight, so that a wheel of eight has a good hand's length.

use bevy::prelude::*;

use super::{OnTop, ink};
use crate::convert::vec3;
use crate::feed::{Latest, Phase};
use crate::stage::{Shown, Stage};

/// Draws contact forces.
pub(super) struct ContactsPlugin;

/// Length of the arrow for the robot's whole weight [m].
const WEIGHT_LENGTH: f64 = 3.0;
/// Contacts with less than this part of the weight are not drawn [1].
const FAINT: f64 = 0.002;
const FORCE: Color = ink(1.0, 0.55, 0.05);
const NORMAL: Color = ink(0.95, 0.85, 0.55);

impl Plugin for ContactsPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Update, draw.in_set(Phase::Draw).run_if(|shown: Res<Shown>| shown.0.contact_forces));
    }
}

fn draw(latest: Res<Latest>, stage: Res<Stage>, mut lines: Gizmos<OnTop>) {
    let Some(shown) = &latest.shown else { return };
    let weight = (stage.scene.robot.tree.mass() * stage.scene.world.gravity).max(1.0);
    for contact in &shown.frame.contacts {
        let strength = contact.force_in_world.norm() / weight;
        if strength < FAINT {
            continue;
        }
        let foot = vec3(&contact.position_in_world);
        let normal = vec3(&contact.normal_in_world);
        let force = vec3(&(contact.force_in_world * (WEIGHT_LENGTH / weight)));
        let flat = Quat::from_rotation_arc(Vec3::Z, normal.normalize_or(Vec3::Z));
        lines.circle(Isometry3d::new(foot, flat), 0.03, NORMAL).resolution(20);
        lines.arrow(foot, foot + force, FORCE).with_tip_length(0.2 * force.length().min(0.3));
    }
}
