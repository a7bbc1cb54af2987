//! Obstacles of their own kind, with margins of their own: drops, which one falls into, and thin things, which one hardly sees.

use crate::cost::{CostSettings, FORBIDDEN, Shape};
use crate::height::{Ground, Heights};

/// Forbids what is too near to a drop, on its upper side, or to something thin.
pub(super) fn keep_away(heights: &Heights, shape: &Shape, settings: &CostSettings, cost: &mut [f32]) {
    for cell in (0..heights.frame.len()).filter(|cell| is_brink(heights, shape, settings, *cell)) {
        let brink = heights.height[cell];
        // what lies lower than a brink is its foot, and not nearer to falling
        let is_upper = |other: usize| {
            let apart = (heights.height[other] - brink).abs();
            apart.is_nan() || apart <= settings.highest_step
        };
        forbid(heights, cell, settings.drop_margin, is_upper, cost);
    }
    for cell in &heights.thin {
        forbid(heights, *cell, settings.thin_margin, |_| true, cost);
    }
}

/// True if the ground ends at a cell, or falls off deeply beside it.
fn is_brink(heights: &Heights, shape: &Shape, settings: &CostSettings, cell: usize) -> bool {
    match heights.ground[cell] {
        Ground::Missing => true,
        Ground::Unknown | Ground::Assumed => false,
        _ => shape.step[cell] >= settings.deepest_step,
    }
}

fn forbid(heights: &Heights, cell: usize, margin: f64, is_meant: impl Fn(usize) -> bool, cost: &mut [f32]) {
    let (x, y) = heights.frame.center(cell);
    for other in heights.frame.square(x, y, margin) {
        let (u, v) = heights.frame.center(other);
        if libm::hypot(u - x, v - y) <= margin + 1e-9 && is_meant(other) {
            cost[other] = FORBIDDEN;
        }
    }
}
