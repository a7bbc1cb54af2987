//! Narrow holes: trenches and pits that the laser does not see into until the robot stands before them.
//!
//! No beam goes through the ground. Of a trench as wide as a wheel, beams from a few metres away meet the upper part of the far
//! wall only: few points, which the median of a cell and the filter take for noise. But a point that lies below the ground on both
//! sides of it lies in a hole, however deep that is.

use super::bins::{Bins, Sample};
use super::{Ground, HeightSettings, Heights};

/// The ground on either side is looked for within so many cells.
const WIDEST: i32 = 3;
/// So many points tell a hole, within so many cells of each other: trenches are long.
const FEWEST: usize = 2;
const AROUND: i32 = 2;
/// Directions in which the two sides may lie; the other side lies opposite.
const SIDES: [(i32, i32); 4] = [(1, 0), (1, 1), (0, 1), (-1, 1)];

/// The cells in which the laser has seen a hole. Expects heights that are not filtered yet.
pub(super) fn find(bins: &Bins, heights: &Heights, settings: &HeightSettings) -> Vec<usize> {
    let frame = &heights.frame;
    let deep: Vec<usize> = (0..frame.len()).map(|cell| points_below(bins, heights, cell, settings)).collect();
    // one echo from below the ground is none
    let around = |cell: usize| {
        let window = (-AROUND..=AROUND).flat_map(|along| (-AROUND..=AROUND).map(move |across| (across, along)));
        window
            .filter_map(|(across, along)| frame.neighbour(cell, across, along))
            .map(|other| deep[other])
            .sum::<usize>()
    };
    (0..frame.len()).filter(|cell| deep[*cell] > 0 && around(*cell) >= FEWEST).collect()
}

/// Marks holes as ground that is not there. Where the map shows a hole as deep as it is, there is nothing to add.
pub(super) fn mark(heights: &mut Heights, holes: &[usize], settings: &HeightSettings) {
    for &hole in holes {
        let ground = |other: usize| (heights.ground[other] >= Ground::Weak).then(|| heights.height[other]);
        let is_shown = heights.height[hole] < brim(heights, hole, settings, ground);
        if heights.ground[hole] != Ground::StoodOn && !is_shown {
            (heights.height[hole], heights.spread[hole], heights.ground[hole]) = (f64::NAN, 0.0, Ground::Missing);
        }
    }
}

/// How many points of a cell, seen from near enough to be sure, lie in a hole; none where something stands above the ground as well.
fn points_below(bins: &Bins, heights: &Heights, cell: usize, settings: &HeightSettings) -> usize {
    let near = |point: &&Sample| point.range() <= settings.sure_range;
    let lowest = bins.cell(cell).iter().filter(near).map(|point| f64::from(point.z)).fold(f64::INFINITY, f64::min);
    // what all views together make of the ground tells soon that most cells are no holes
    let ground = |other: usize| {
        let is_level = f64::from(heights.spread[other]) < settings.deepest_hole;
        (heights.ground[other] >= Ground::Measured && is_level).then(|| heights.height[other])
    };
    if lowest >= brim(heights, cell, settings, ground) {
        return 0;
    }
    // but views may be off each other: what counts is one view's own ground
    let views = bins.cell(cell).chunk_by(|one, two| one.age == two.age).filter(|view| near(&&view[0]));
    let below = views.map(|view| {
        let brim = brim(heights, cell, settings, |other| level(bins, other, view[0].age, settings));
        let below = view.iter().filter(|point| f64::from(point.z) < brim).count();
        let above = view.iter().filter(|point| f64::from(point.z) > brim + 2.0 * settings.deepest_hole).count();
        if above < FEWEST { below } else { 0 }
    });
    below.sum()
}

/// The height of the ground in a cell as one view shows it [m], if it is level there.
fn level(bins: &Bins, cell: usize, age: u16, settings: &HeightSettings) -> Option<f64> {
    let points = bins.cell(cell);
    let view =
        &points[points.partition_point(|point| point.age < age)..points.partition_point(|point| point.age <= age)];
    let heights = view.iter().map(|point| f64::from(point.z));
    let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), z| (low.min(z), high.max(z)));
    (high - low < settings.deepest_hole).then_some(low)
}

/// What is lower than this [m] lies in a hole: the ground on both sides is higher by more than a step, and than a slope that could
/// be driven. Minus infinity if there is no ground on both sides.
fn brim(heights: &Heights, cell: usize, settings: &HeightSettings, ground: impl Fn(usize) -> Option<f64>) -> f64 {
    let slope = robot_io::math::tan(settings.steepest_slope_deg.to_radians());
    let brim_along = |(across, along): (i32, i32)| {
        let away = heights.frame.cell * f64::from(across * across + along * along).sqrt();
        let side = |sign: i32| {
            let grounds = (1..=WIDEST).filter_map(|step| {
                let other = heights.frame.neighbour(cell, sign * step * across, sign * step * along)?;
                let fall = settings.deepest_hole.max(slope * away * f64::from(step));
                ground(other).map(|height| height - fall)
            });
            grounds.fold(f64::NEG_INFINITY, f64::max)
        };
        side(1).min(side(-1))
    };
    SIDES.into_iter().map(brim_along).fold(f64::NEG_INFINITY, f64::max)
}
