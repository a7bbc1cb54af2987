//! Capture point and zero-moment point on the ground, as they are and as they should be.

use bevy::prelude::*;
use nalgebra::Vector2;

use super::{OnTop, ink};
use crate::balance_points::BalancePoints;
use crate::feed::{Latest, Phase};
use crate::stage::{Shown, Stage};

/// Draws capture point and zero-moment point.
pub(super) struct BalancePointsPlugin;

/// Half the size of a mark [m].
const SIZE: f32 = 0.042;
/// Marks hover by this much [m].
const LIFT: f32 = 0.015;
/// Of what is wanted, how much of the colour is left [1].
const PALE: f32 = 0.75;
/// The capture point.
pub(crate) const CAPTURE: Color = ink(0.95, 0.30, 1.0);
/// The zero-moment point.
pub(crate) const PRESSURE: Color = ink(0.10, 0.95, 1.0);

impl Plugin for BalancePointsPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Update, draw.in_set(Phase::Draw).run_if(|shown: Res<Shown>| shown.0.balance_points));
    }
}

/// What is measured is full, what is wanted is hollow; a line joins the two.
fn draw(latest: Res<Latest>, stage: Res<Stage>, mut lines: Gizmos<OnTop>) {
    let Some(shown) = &latest.shown else { return };
    let points = BalancePoints::of(shown);
    let Some(any) = points.capture.or(points.zmp_wanted) else { return };
    // one plane for all, where the robot is carried
    let ground = || stage.scene.world.terrain.height_at(any.x, any.y).unwrap_or(0.0);
    let height = points.zmp.map_or_else(ground, |zmp| zmp.z) as f32 + LIFT;
    let at = |place: Vector2<f64>| Vec3::new(place.x as f32, place.y as f32, height);
    let (capture, capture_wanted) = (points.capture.map(at), points.capture_wanted.map(at));
    let (zmp, zmp_wanted) = (points.zmp.map(|zmp| at(zmp.xy())), points.zmp_wanted.map(at));
    for (measured, wanted, corners, color) in [(capture, capture_wanted, 24, CAPTURE), (zmp, zmp_wanted, 4, PRESSURE)] {
        if let Some(wanted) = wanted {
            mark(wanted, SIZE, corners, color.with_alpha(PALE), &mut lines);
        }
        if let Some(measured) = measured {
            for part in [0.2, 0.4, 0.6, 0.8, 1.0] {
                mark(measured, part * SIZE, corners, color, &mut lines);
            }
        }
        if let (Some(measured), Some(wanted)) = (measured, wanted) {
            lines.line(measured, wanted, color);
        }
    }
}

/// A circle, or a square that stands on its corner.
fn mark(centre: Vec3, size: f32, corners: u32, color: Color, lines: &mut Gizmos<OnTop>) {
    lines.circle(Isometry3d::from_translation(centre), size, color).resolution(corners);
}
