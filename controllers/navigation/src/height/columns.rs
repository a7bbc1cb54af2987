//! Thin things that stand: poles, table legs. A turning laser meets them in one sweep and misses them in the next three; beams
//! that pass beside them to the ground do not say that they are gone. Whoever draws the map takes out what beams go through.

use super::bins::{Bins, Sample};
use super::{GridFrame, HeightSettings, Heights};

/// What is lower above the ground is no column's [m].
const LOWEST: f64 = 0.2;
/// A column is at least so tall [m], and so many points show it.
const TALLEST_STUMP: f64 = 0.3;
const FEWEST_POINTS: usize = 4;
/// What is as wide as this, and farther away as wide as this angle, is met by more than one scan plane [m], [rad]: the centaur's
/// planes are 0.09 rad apart.
const WIDE: f64 = 0.25;
const WIDE_ANGLE: f64 = 0.14;
/// Something thin lies in so many cells at most.
const MOST_CELLS: usize = 2;

/// The points of the newest view that shows a thin column in a cell; `None` without one.
pub(super) fn thin_column<'b>(
    bins: &'b Bins,
    cell: usize,
    ground: f64,
    settings: &HeightSettings,
) -> Option<&'b [Sample]> {
    let views = bins.cell(cell).chunk_by(|one, two| one.age == two.age);
    // what is nearer than the blind radius may be the robot's own arms
    let in_range = |view: &&[Sample]| (settings.blind_radius..=settings.near).contains(&view[0].range());
    let mut columns = views.filter(in_range).filter(|view| is_column(view, ground, settings));
    columns.find(|view| is_thin(bins, cell, view[0], ground, settings))
}

fn is_column(points: &[Sample], ground: f64, settings: &HeightSettings) -> bool {
    let tall = points.iter().map(|point| f64::from(point.z) - ground);
    let tall = tall.filter(|above| (LOWEST..settings.clearance).contains(above));
    let (count, low, high) = tall.fold((0, f64::INFINITY, f64::NEG_INFINITY), |(count, low, high), above| {
        (count + 1, above.min(low), above.max(high))
    });
    count >= FEWEST_POINTS && high - low >= TALLEST_STUMP
}

/// True if the view shows no other column near by but in cells that touch the first.
fn is_thin(bins: &Bins, cell: usize, seen: Sample, ground: f64, settings: &HeightSettings) -> bool {
    let reach = (WIDE.max(WIDE_ANGLE * seen.range()) / bins.frame.cell).ceil() as i32;
    let mut touching = 0;
    for (across, along) in (-reach..=reach).flat_map(|row| (-reach..=reach).map(move |column| (column, row))) {
        let Some(other) = bins.frame.neighbour(cell, across, along).filter(|other| *other != cell) else { continue };
        let points = bins.cell(other);
        let begin = points.partition_point(|point| point.age < seen.age);
        let end = points.partition_point(|point| point.age <= seen.age);
        if is_column(&points[begin..end], ground, settings) {
            touching += 1;
            if across.abs().max(along.abs()) > 1 || touching >= MOST_CELLS {
                return false;
            }
        }
    }
    true
}

/// The cells in which something stands that has nothing beside it.
pub(super) fn thin_cells(heights: &Heights) -> Vec<usize> {
    const WINDOW: i32 = 2;
    let stands = |cell: usize| f64::from(heights.spread[cell]) >= TALLEST_STUMP;
    let around = |frame: &GridFrame, cell: usize| {
        let window = (-WINDOW..=WINDOW).flat_map(|row| (-WINDOW..=WINDOW).map(move |column| (column, row)));
        window.filter_map(|(across, along)| frame.neighbour(cell, across, along)).filter(|other| stands(*other)).count()
    };
    (0..heights.frame.len()).filter(|cell| stands(*cell) && around(&heights.frame, *cell) <= MOST_CELLS).collect()
}
