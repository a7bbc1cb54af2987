//! Narrow holes: trenches and pits that the laser does not see into until the robot stands before them.
//!
//! No beam goes through the ground. Of a trench as wide as a wheel, beams from a few metres away meet the upper part of the far
//! wall only: few points, which the median of a cell and the filter take for noise. But a point that lies below the ground on both
//! sides of it lies in a hole, however deep that is.

use super::bins::Bins;
use super::{Ground, HeightSettings, Heights};

/// The ground on either side is looked for within so many cells.
const WIDEST: i32 = 3;
/// So many points tell a hole.
const FEWEST: usize = 2;
/// Directions in which the two sides may lie; the other side lies opposite.
const SIDES: [(i32, i32); 4] = [(1, 0), (1, 1), (0, 1), (-1, 1)];

/// The cells in which the laser has seen a hole. Expects heights that are not filtered yet.
pub(super) fn find(bins: &Bins, heights: &Heights, settings: &HeightSettings) -> Vec<usize> {
    let frame = &heights.frame;
    let deep: Vec<usize> = (0..frame.len()).map(|cell| points_below(bins, heights, cell, settings)).collect();
    // one echo from below the ground is none
    let around = |cell: usize| {
        let window = (-1..=1).flat_map(|along| (-1..=1).map(move |across| (across, along)));
        window
            .filter_map(|(across, along)| frame.neighbour(cell, across, along))
            .map(|other| deep[other])
            .sum::<usize>()
    };
    (0..frame.len()).filter(|cell| deep[*cell] > 0 && around(*cell) >= FEWEST).collect()
}

/// Marks holes as ground that is not there.
pub(super) fn mark(heights: &mut Heights, holes: &[usize]) {
    for &hole in holes {
        if heights.ground[hole] != Ground::StoodOn {
            (heights.height[hole], heights.spread[hole], heights.ground[hole]) = (f64::NAN, 0.0, Ground::Missing);
        }
    }
}

/// How many points of a cell, seen from near enough to be sure, lie in a hole; none where something stands above the ground as well.
fn points_below(bins: &Bins, heights: &Heights, cell: usize, settings: &HeightSettings) -> usize {
    let mut near = bins.cell(cell).iter().filter(|point| point.range() <= settings.sure_range).peekable();
    if near.peek().is_none() {
        return 0;
    }
    let brim = SIDES.into_iter().map(|side| brim(heights, cell, side, settings)).fold(f64::NEG_INFINITY, f64::max);
    let (mut below, mut above) = (0, 0);
    for z in near.map(|point| f64::from(point.z)) {
        below += usize::from(z < brim);
        above += usize::from(z > brim + 2.0 * settings.deepest_hole);
    }
    if above < FEWEST { below } else { 0 }
}

/// What is lower than this [m] lies in a hole: the ground on both sides is higher by more than a step, and than a slope that could
/// be driven. Minus infinity if there is no ground on both sides.
fn brim(heights: &Heights, cell: usize, (across, along): (i32, i32), settings: &HeightSettings) -> f64 {
    let slope = robot_io::math::tan(settings.steepest_slope_deg.to_radians());
    let away = heights.frame.cell * f64::from(across * across + along * along).sqrt();
    let side = |sign: i32| {
        let grounds = (1..=WIDEST).filter_map(|step| {
            let other = heights.frame.neighbour(cell, sign * step * across, sign * step * along)?;
            let fall = settings.deepest_hole.max(slope * away * f64::from(step));
            let is_level = heights.ground[other] >= Ground::Measured && f64::from(heights.spread[other]) < fall;
            is_level.then(|| heights.height[other] - fall)
        });
        grounds.fold(f64::NEG_INFINITY, f64::max)
    };
    side(1).min(side(-1))
}
