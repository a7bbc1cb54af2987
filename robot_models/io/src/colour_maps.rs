//! Colours for numbers, the same in viewer, report and logs.

use crate::{Grid, HeightMap};

/// Heights from low to high: sRGB after viridis (Smith and van der Walt, 2015, CC0), each eighth of the way.
const HEIGHTS: [[f64; 3]; 9] = [
    [68.0, 1.0, 84.0],
    [71.0, 45.0, 123.0],
    [59.0, 82.0, 139.0],
    [44.0, 114.0, 142.0],
    [33.0, 145.0, 140.0],
    [39.0, 173.0, 129.0],
    [92.0, 200.0, 99.0],
    [170.0, 220.0, 50.0],
    [253.0, 231.0, 37.0],
];
/// Costs from free to forbidden: part, then red, green, blue and opacity.
const COSTS: [(f64, [f64; 4]); 5] = [
    (0.0, [150.0, 165.0, 160.0, 70.0]),
    (0.1, [253.0, 231.0, 120.0, 150.0]),
    (0.5, [250.0, 160.0, 50.0, 225.0]),
    (0.99, [225.0, 60.0, 40.0, 245.0]),
    (1.0, [120.0, 15.0, 38.0, 255.0]),
];

/// Colours tell heights apart that are nearer to each other than this [m], no more.
const LEAST_RANGE: f64 = 0.3;
/// What costs so much is no ground to drive on.
const FORBIDDEN: f32 = 0.99;

/// The heights [m] between which colours change: those of the ground that may be driven on, if `costs` tells of the same
/// cells, else all that are known. Walls would leave the ground one colour.
pub fn height_range(map: &HeightMap, costs: Option<&Grid>) -> Option<(f64, f64)> {
    let costs = costs.filter(|grid| (grid.columns, grid.rows) == (map.columns, map.rows));
    let may_drive = |index: usize| costs.and_then(|grid| grid.values.get(index)).is_some_and(|cost| *cost < FORBIDDEN);
    let known = || map.heights.iter().enumerate().filter(|(_, height)| height.is_finite());
    let bounds = |(low, high): (f64, f64), (_, height): (usize, &f64)| (low.min(*height), high.max(*height));
    let nothing = (f64::INFINITY, f64::NEG_INFINITY);
    let ground = known().filter(|(index, _)| may_drive(*index)).fold(nothing, bounds);
    let (low, high) = if ground.0 <= ground.1 { ground } else { known().fold(nothing, bounds) };
    (low <= high).then(|| (low, high.max(low + LEAST_RANGE)))
}

/// The colour (sRGB) of a height, 0 (lowest) to 1 (highest).
pub fn height_colour(part: f64) -> [u8; 3] {
    let along = part.clamp(0.0, 1.0) * (HEIGHTS.len() - 1) as f64;
    let below = (along as usize).min(HEIGHTS.len() - 2);
    mix(&HEIGHTS[below], &HEIGHTS[below + 1], along - below as f64)
}

/// The colour (sRGB, then opacity) of a cost, 0 (free) to 1 (forbidden); clear where it is not a number.
pub fn cost_colour(cost: f64) -> [u8; 4] {
    if cost.is_nan() {
        return [0; 4];
    }
    let cost = cost.clamp(0.0, 1.0);
    let after = COSTS.iter().position(|(stop, _)| *stop >= cost).unwrap_or(COSTS.len() - 1).max(1);
    let ((from, near), (to, far)) = (&COSTS[after - 1], &COSTS[after]);
    mix(near, far, (cost - from) / (to - from))
}

fn mix<const N: usize>(from: &[f64; N], to: &[f64; N], part: f64) -> [u8; N] {
    core::array::from_fn(|channel| (from[channel] + part * (to[channel] - from[channel])).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_higher_is_brighter() {
        let brightness = |i: u32| {
            let [red, green, blue] = height_colour(f64::from(i) / 100.0).map(f64::from);
            0.3 * red + 0.59 * green + 0.11 * blue
        };
        assert!((0..100).all(|i| brightness(i) < brightness(i + 1)));
        assert_eq!((height_colour(-1.0), height_colour(2.0)), ([68, 1, 84], [253, 231, 37]));
        assert_eq!(height_colour(f64::NAN), [0; 3], "nobody knows, nobody panics");
    }

    #[test]
    fn walls_do_not_stretch_the_colours_of_the_ground() {
        let heights = vec![0.1, 0.9, 3.0, f64::NAN];
        let map = HeightMap { cell: 0.1, columns: 2, rows: 2, heights, ..HeightMap::default() };
        let costs = Grid { cell: 0.1, columns: 2, rows: 2, values: vec![0.0, 0.5, 1.0, f32::NAN], ..Grid::default() };
        assert_eq!(height_range(&map, Some(&costs)), Some((0.1, 0.9)));
        assert_eq!(height_range(&map, None), Some((0.1, 3.0)));
        assert_eq!(height_range(&map, Some(&Grid { columns: 1, ..costs.clone() })), Some((0.1, 3.0)), "other cells");
        let walls = Grid { values: vec![1.0; 4], ..costs };
        assert_eq!(height_range(&map, Some(&walls)), Some((0.1, 3.0)), "better than nothing");
        let level = HeightMap { heights: vec![0.5; 4], ..map.clone() };
        assert_eq!(height_range(&level, None), Some((0.5, 0.8)));
        assert_eq!(height_range(&HeightMap { heights: vec![f64::NAN; 4], ..map }, None), None);
    }

    #[test]
    fn what_costs_more_is_redder_and_less_clear_and_the_unknown_is_clear() {
        assert_eq!(cost_colour(f64::NAN), [0; 4]);
        assert_eq!((cost_colour(0.0), cost_colour(1.0)), ([150, 165, 160, 70], [120, 15, 38, 255]));
        let opacity = |i: u32| cost_colour(f64::from(i) / 100.0)[3];
        assert!((0..100).all(|i| opacity(i) <= opacity(i + 1)));
        assert!((10..98).all(|i| cost_colour(f64::from(i) / 100.0)[1] >= cost_colour(f64::from(i + 1) / 100.0)[1]));
    }
}
