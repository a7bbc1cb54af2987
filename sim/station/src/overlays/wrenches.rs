//! What presses against each link, as one wrench: a sole's resultant force at its centre of pressure, and the moment about the
//! normal there. Shorter than the arrows of single contacts: one metre for the whole weight.

use core::f32::consts::FRAC_PI_2;

use bevy::prelude::*;
use nalgebra::Vector3;
use plant::{ContactPoint, Frame};

use super::{OnTop, ink};
use crate::convert::vec3;
use crate::feed::{Latest, Phase};
use crate::stage::{Shown, Stage};

/// Draws contact wrenches.
pub(super) struct WrenchesPlugin;

/// Forces below are none [N].
const NONE: f64 = 1e-3;
/// Length of the arrow for the robot's whole weight [m].
const WEIGHT_LENGTH: f64 = 1.0;
/// Wrenches with less than this part of the weight are not drawn [1].
const FAINT: f64 = 0.005;
/// A moment of the whole weight at this lever is a quarter of a circle [m].
const LEVER: f64 = 0.02;
/// Radius of a moment's arc [m].
const ARC: f32 = 0.09;
/// Their colour.
pub(crate) const WRENCH: Color = ink(1.0, 0.93, 0.35);

/// All that presses against one link, as a force at a centre of pressure and a moment about the normal there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wrench {
    /// Index of the link in the robot's tree.
    pub(crate) link: usize,
    /// The centre of pressure [m].
    pub(crate) point_in_world: Vector3<f64>,
    /// On the robot [N].
    pub(crate) force_in_world: Vector3<f64>,
    /// The mean direction away from what is touched.
    pub(crate) normal_in_world: Vector3<f64>,
    /// About the normal, counter-clockwise [N·m].
    pub(crate) moment: f64,
}

impl Plugin for WrenchesPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Update, draw.in_set(Phase::Draw).run_if(|shown: Res<Shown>| shown.0.contact_wrenches));
    }
}

fn draw(latest: Res<Latest>, stage: Res<Stage>, mut lines: Gizmos<OnTop>) {
    let Some(shown) = &latest.shown else { return };
    let weight = (stage.scene.robot.tree.mass() * stage.scene.world.gravity).max(1.0);
    for wrench in wrenches(&shown.frame) {
        if wrench.force_in_world.norm() < FAINT * weight {
            continue;
        }
        let foot = vec3(&wrench.point_in_world);
        let force = vec3(&(wrench.force_in_world * (WEIGHT_LENGTH / weight)));
        let flat = Quat::from_rotation_arc(Vec3::Z, vec3(&wrench.normal_in_world).normalize_or(Vec3::Z));
        for radius in [0.008, 0.016, 0.024] {
            lines.circle(Isometry3d::new(foot, flat), radius, WRENCH).resolution(24);
        }
        lines.arrow(foot, foot + force, WRENCH).with_tip_length(0.2 * force.length().min(0.4));
        draw_moment(wrench.moment / (LEVER * weight), Isometry3d::new(foot, flat), &mut lines);
    }
}

/// An arc about the normal from where x is, as long as the moment is large, with a tip.
fn draw_moment(strength: f64, at: Isometry3d, lines: &mut Gizmos<OnTop>) {
    let turn = (strength as f32 * FRAC_PI_2).clamp(-3.0 * FRAC_PI_2, 3.0 * FRAC_PI_2);
    if turn.abs() < 0.1 {
        return;
    }
    let steps = 32;
    let on_arc = |angle: f32| at * (ARC * Vec3::new(angle.cos(), angle.sin(), 0.1));
    lines.linestrip((0..=steps).map(|step| on_arc(turn * step as f32 / steps as f32)), WRENCH);
    let (end, before) = (on_arc(turn), on_arc(turn - 0.05 * turn.signum()));
    lines.arrow(before, end + (end - before), WRENCH).with_tip_length(0.02);
}

/// One wrench for each link that is pressed, in the order of the links.
pub(crate) fn wrenches(frame: &Frame) -> Vec<Wrench> {
    let mut links: Vec<usize> = frame.contacts.iter().filter_map(|contact| contact.link).collect();
    links.sort_unstable();
    links.dedup();
    links.into_iter().filter_map(|link| wrench(frame, link)).collect()
}

fn wrench(frame: &Frame, link: usize) -> Option<Wrench> {
    let touching = || frame.contacts.iter().filter(move |contact| contact.link == Some(link));
    let press = |contact: &ContactPoint| contact.force_in_world.dot(&contact.normal_in_world).max(0.0);
    let pressed: f64 = touching().map(press).sum();
    if pressed <= NONE {
        return None;
    }
    let mean = |of: fn(&ContactPoint) -> Vector3<f64>| {
        touching().map(|contact| press(contact) * of(contact)).sum::<Vector3<f64>>() / pressed
    };
    let point = mean(|contact| contact.position_in_world);
    let normal = mean(|contact| contact.normal_in_world).try_normalize(NONE)?;
    let force = touching().map(|contact| contact.force_in_world).sum();
    let moment = touching().map(|contact| (contact.position_in_world - point).cross(&contact.force_in_world));
    let moment = moment.sum::<Vector3<f64>>().dot(&normal);
    Some(Wrench { link, point_in_world: point, force_in_world: force, normal_in_world: normal, moment })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(place: [f64; 3], force: [f64; 3], link: usize) -> ContactPoint {
        let (position_in_world, force_in_world) = (place.into(), force.into());
        ContactPoint { position_in_world, force_in_world, normal_in_world: Vector3::z(), link: Some(link) }
    }

    fn frame(contacts: Vec<ContactPoint>) -> Frame {
        Frame { contacts, ..Frame::default() }
    }

    #[test]
    fn a_sole_has_one_wrench_at_its_centre_of_pressure() {
        let heel = contact([0.0, 0.0, 0.0], [0.0, -10.0, 100.0], 4);
        let toe = contact([0.2, 0.0, 0.0], [0.0, 10.0, 300.0], 4);
        let hand = contact([0.5, 0.0, 1.0], [0.0, 0.0, 20.0], 9);
        let all = wrenches(&frame(vec![hand, heel, toe]));
        assert_eq!(all.iter().map(|wrench| wrench.link).collect::<Vec<_>>(), [4, 9]);
        assert!((all[0].point_in_world - Vector3::new(0.15, 0.0, 0.0)).norm() < 1e-12);
        assert_eq!(all[0].force_in_world, Vector3::new(0.0, 0.0, 400.0));
        assert!((all[0].moment - 2.0).abs() < 1e-12, "it is turned counter-clockwise: {}", all[0].moment);
        assert_eq!(all[1].force_in_world.z, 20.0);
    }
}
