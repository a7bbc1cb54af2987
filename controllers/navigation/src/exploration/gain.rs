//! What a place would show: rays over the grid.

use robot_io::Pose2;
use robot_io::math::{atan2, cos, sin};

use super::Region;
use crate::NavigationMap;
use crate::height::GridFrame;

/// Rays in a turn.
const RAYS: usize = 90;

/// Casts rays over the unknown part of a region; the memory is reused.
pub(super) struct Rays<'a> {
    map: &'a NavigationMap,
    region: &'a Region,
    /// The map, or more where the region reaches beyond it.
    frame: GridFrame,
    range: f64,
    /// In which cast a cell was last seen.
    seen_in: Vec<u32>,
    cast: u32,
}

/// What a place would show.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Seen {
    /// Unknown ground within the region [m²].
    pub area: f64,
    /// Where it is, on the whole [rad].
    pub direction: f64,
}

impl<'a> Rays<'a> {
    pub fn new(map: &'a NavigationMap, region: &'a Region, range: f64) -> Rays<'a> {
        let on_map = map.frame();
        let far = |origin: f64, cells: usize| origin + cells.saturating_sub(1) as f64 * on_map.cell;
        let (mut low, mut high) = (
            [on_map.origin_x, on_map.origin_y],
            [far(on_map.origin_x, on_map.columns), far(on_map.origin_y, on_map.rows)],
        );
        // what lies farther beyond the map than a view sees does not matter
        for corner in &region.corners {
            for axis in 0..2 {
                low[axis] = low[axis].min(corner[axis].max(low[axis] - range));
                high[axis] = high[axis].max(corner[axis].min(high[axis] + range));
            }
        }
        let frame = GridFrame::around(on_map.cell, low, high);
        Rays { map, region, frame, range, seen_in: vec![0; frame.len()], cast: 0 }
    }

    /// What is seen from a place.
    pub fn gain(&mut self, from: &Pose2) -> Seen {
        self.cast += 1;
        let (mut cells, mut sum) = (0.0, (0.0, 0.0));
        let steps = (self.range / self.frame.cell) as usize;
        for ray in 0..RAYS {
            let angle = ray as f64 * core::f64::consts::TAU / RAYS as f64;
            let (dx, dy) = (cos(angle) * self.frame.cell, sin(angle) * self.frame.cell);
            for step in 1..=steps {
                let (x, y) = (from.x + step as f64 * dx, from.y + step as f64 * dy);
                let Some(cell) = self.frame.index_at(x, y) else { break };
                // obstacles have no gaps between their cells
                if self.map.clearance_at(x, y).is_some_and(|clearance| clearance <= 1.01 * self.frame.cell) {
                    break;
                }
                let known = self.map.frame().index_at(x, y).is_some_and(|cell| !self.map.costs().is_unknown(cell));
                if !known && self.seen_in[cell] != self.cast && self.region.contains(x, y) {
                    self.seen_in[cell] = self.cast;
                    // a ray stands for all cells between it and the next
                    let width = (step as f64 * core::f64::consts::TAU / RAYS as f64).max(1.0);
                    cells += width;
                    (sum.0, sum.1) = (sum.0 + dx * width, sum.1 + dy * width);
                }
            }
        }
        let direction = if cells > 0.0 { atan2(sum.1, sum.0) } else { from.yaw };
        Seen { area: cells * self.frame.cell * self.frame.cell, direction }
    }
}
