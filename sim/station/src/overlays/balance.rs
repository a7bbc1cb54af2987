//! Centre of mass, support polygon, margin.

use std::f32::consts::FRAC_PI_2;

use bevy::prelude::*;
use nalgebra::{Vector2, Vector3};
use plant::Frame;

use super::{InWorld, OnTop, ink};
use crate::convert::vec3;
use crate::feed::{Latest, Phase};
use crate::stage::{Shown, Stage};
use crate::support::{convex_hull, margin, nearest_on_outline};

/// Draws the centre of mass and the support polygon.
pub(super) struct BalancePlugin;

/// How a frame stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Balance {
    /// Corners of the support polygon in the world, counter-clockwise [m].
    pub(crate) corners: Vec<Vector3<f64>>,
    /// Distance of the centre of mass from the polygon's outline, negative outside [m]; `None` if there is no polygon.
    pub(crate) margin: Option<f64>,
    /// The outline's nearest point, level [m].
    nearest: Option<Vector2<f64>>,
}

/// Margins below are worth a warning [m].
const SLIM: f64 = 0.05;
const MASS: Color = ink(0.98, 0.25, 0.45);
const SAFE: Color = ink(0.20, 0.85, 0.40);
const WARN: Color = ink(1.0, 0.75, 0.10);
const LOST: Color = ink(1.0, 0.20, 0.15);

/// The support polygon of the contacts that push the robot up, and the centre of mass in it.
pub(crate) fn balance(frame: &Frame) -> Balance {
    let carrying = frame.contacts.iter().filter(|point| point.link.is_some() && point.force_in_world.z > 0.0);
    let feet: Vec<Vector3<f64>> = carrying.map(|point| point.position_in_world).collect();
    let level: Vec<Vector2<f64>> = feet.iter().map(|foot| foot.xy()).collect();
    let hull = convex_hull(&level);
    let height = |corner: &Vector2<f64>| feet.iter().find(|f| f.xy() == *corner).map_or(0.0, |foot| foot.z);
    let corners = hull.iter().map(|corner| Vector3::new(corner.x, corner.y, height(corner))).collect();
    let centre = frame.com_in_world.xy();
    Balance { corners, margin: margin(&hull, centre), nearest: nearest_on_outline(&hull, centre) }
}

impl Plugin for BalancePlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(
            Update,
            (
                draw_mass.run_if(|shown: Res<Shown>| shown.0.centre_of_mass),
                draw_polygon.run_if(|shown: Res<Shown>| shown.0.support_polygon),
            )
                .in_set(Phase::Draw),
        );
    }
}

fn draw_mass(latest: Res<Latest>, stage: Res<Stage>, mut lines: Gizmos<OnTop>) {
    let Some(shown) = &latest.shown else { return };
    let com = &shown.frame.com_in_world;
    let centre = vec3(com);
    let ground = stage.scene.world.terrain.height_at(com.x, com.y).map_or(0.0, |height| height as f32);
    for axis in [Quat::IDENTITY, Quat::from_rotation_x(FRAC_PI_2), Quat::from_rotation_y(FRAC_PI_2)] {
        lines.circle(Isometry3d::new(centre, axis), 0.05, MASS).resolution(24);
    }
    lines.line(centre, centre.with_z(ground), MASS);
    lines.circle(Isometry3d::from_translation(centre.with_z(ground + 0.01)), 0.03, MASS).resolution(16);
}

fn draw_polygon(latest: Res<Latest>, mut lines: Gizmos<OnTop>, mut low: Gizmos<InWorld>) {
    let Some(shown) = &latest.shown else { return };
    let balance = balance(&shown.frame);
    let color = match balance.margin {
        Some(margin) if margin >= SLIM => SAFE,
        Some(margin) if margin >= 0.0 => WARN,
        _ => LOST,
    };
    let lifted = |corner: &Vector3<f64>| vec3(corner) + Vec3::new(0.0, 0.0, 0.01);
    lines.lineloop(balance.corners.iter().map(lifted), color);
    for corner in &balance.corners {
        low.circle(Isometry3d::from_translation(lifted(corner)), 0.02, color).resolution(12);
    }
    if let Some(nearest) = balance.nearest {
        let heights = balance.corners.iter().map(|corner| corner.z as f32);
        let height = heights.clone().sum::<f32>() / heights.count().max(1) as f32 + 0.01;
        let com = &shown.frame.com_in_world;
        let foot = Vec3::new(com.x as f32, com.y as f32, height);
        lines.line(foot, Vec3::new(nearest.x as f32, nearest.y as f32, height), color);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use plant::ContactPoint;

    #[test]
    fn only_contacts_that_push_up_support() {
        let contact = |x, y, z, force| ContactPoint {
            position_in_world: Vector3::new(x, y, z),
            force_in_world: Vector3::new(0.0, 0.0, force),
            normal_in_world: Vector3::z(),
            link: Some(0),
        };
        let contacts = vec![
            contact(0.4, 0.4, 0.1, 100.0),
            contact(-0.4, 0.4, 0.0, 100.0),
            contact(-0.4, -0.4, 0.0, 100.0),
            contact(0.4, -0.4, 0.1, 100.0),
            contact(3.0, 0.0, 0.1, 0.0),
        ];
        let frame = Frame { contacts, com_in_world: Vector3::new(0.3, 0.0, 0.7), ..Frame::default() };
        let balance = balance(&frame);
        assert_eq!(balance.corners.len(), 4);
        assert!((balance.margin.unwrap() - 0.1).abs() < 1e-12);
        assert!(balance.corners.iter().all(|corner| corner.z == if corner.x > 0.0 { 0.1 } else { 0.0 }));
    }
}
