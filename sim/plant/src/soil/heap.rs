//! How much soil lies on a tool, and how.
//!
//! The upper side of the tool is a height field t. The highest surface on which loose soil stays is the lowest s ≥ t that rises towards the inside by no
//! more than its slope of repose from where it would run off: s(x) = max(t(x), min over neighbours y of s(y) + slope · |x − y|), from the
//! rim inwards, as floods are found in maps (Barnes, Lehman and Mulla, "Priority-flood", 2014). Soil that fills less lies under the same surface, as much
//! lower. Soil around a tool that is in the ground is a rim too.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use nalgebra::{Matrix3, Vector3};
use robot_model::Inertia;

/// Cells along the longer side of a tool.
const CELLS: usize = 28;
/// A filling is found so exactly, as halves of its depth.
const HALVINGS: usize = 40;

/// The upper side of a tool, in a frame of which z points up.
#[derive(Clone, Debug, Default)]
pub(super) struct Heap {
    columns: usize,
    pitch: f64,
    /// The middle of the first cell [m].
    origin: (f64, f64),
    /// Height of the tool [m]; none beside it.
    top: Vec<Option<f64>>,
    /// The highest that soil can lie there [m].
    level: Vec<f64>,
    /// For each cell the one of the rim over which what is too much runs off.
    outlet: Vec<usize>,
    flood: BinaryHeap<Wet>,
}

/// A cell that the flood has reached.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Wet {
    level: f64,
    cell: usize,
    outlet: usize,
}

impl Eq for Wet {}

impl Ord for Wet {
    /// The lowest is the greatest, as the heap wants it.
    fn cmp(&self, other: &Self) -> Ordering {
        other.level.total_cmp(&self.level).then(other.cell.cmp(&self.cell))
    }
}

impl PartialOrd for Wet {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Heap {
    /// Looks at a tool from above that is in a box from `low` to `high` [m] along x and y.
    pub fn survey(&mut self, low: (f64, f64), high: (f64, f64), top: impl Fn(f64, f64) -> Option<f64>) {
        let (along, across) = (high.0 - low.0, high.1 - low.1);
        self.pitch = along.max(across).max(1e-3) / CELLS as f64;
        let count = |length: f64| (length / self.pitch - 1e-6).ceil().max(1.0) as usize;
        let (columns, rows) = (count(along), count(across));
        // cells lie about the middle, so that a thin tool is met
        let first = |low: f64, high: f64, cells: usize| 0.5 * (low + high - (cells - 1) as f64 * self.pitch);
        (self.columns, self.origin) = (columns, (first(low.0, high.0, columns), first(low.1, high.1, rows)));
        self.top.clear();
        for cell in 0..columns * rows {
            let (x, y) = self.place(cell);
            self.top.push(top(x, y));
        }
    }

    fn place(&self, cell: usize) -> (f64, f64) {
        let columns = self.columns.max(1);
        let (column, row) = (cell % columns, cell / columns);
        (self.origin.0 + column as f64 * self.pitch, self.origin.1 + row as f64 * self.pitch)
    }

    /// A cell's eight neighbours: the cell, unless that would be outside the box, its place, and how far away it is [m].
    fn around(&self, cell: usize) -> impl Iterator<Item = (Option<usize>, (f64, f64), f64)> + use<> {
        const WAYS: [(isize, isize); 8] = [(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)];
        let (columns, rows, pitch) = (self.columns, self.top.len() / self.columns, self.pitch);
        let (column, row) = (cell % columns, cell / columns);
        let (x, y) = self.place(cell);
        WAYS.into_iter().map(move |(along, across)| {
            let column = column.checked_add_signed(along).filter(|column| *column < columns);
            let row = row.checked_add_signed(across).filter(|row| *row < rows);
            let there = (x + along as f64 * pitch, y + across as f64 * pitch);
            let far = pitch * ((along * along + across * across) as f64).sqrt();
            (column.zip(row).map(|(column, row)| row * columns + column), there, far)
        })
    }

    fn is_tool(&self, cell: Option<usize>) -> bool {
        cell.is_some_and(|cell| self.top[cell].is_some())
    }

    /// Finds how high soil can lie that stays on a `slope`, with the ground as high around as `ground` says.
    pub fn flood(&mut self, slope: f64, ground: impl Fn(f64, f64) -> f64) {
        let cells = self.top.len();
        self.level.clear();
        self.level.resize(cells, f64::INFINITY);
        self.outlet.clear();
        self.outlet.resize(cells, 0);
        self.flood.clear();
        for cell in 0..cells {
            let Some(top) = self.top[cell] else { continue };
            let beside = self.around(cell).filter(|(beside, ..)| !self.is_tool(*beside));
            let rim = beside.map(|(_, (x, y), _)| ground(x, y)).reduce(f64::min);
            if let Some(rim) = rim {
                self.flood.push(Wet { level: top.max(rim), cell, outlet: cell });
            }
        }
        while let Some(Wet { level, cell, outlet }) = self.flood.pop() {
            if self.level[cell] <= level {
                continue;
            }
            (self.level[cell], self.outlet[cell]) = (level, outlet);
            for (beside, _, far) in self.around(cell) {
                let Some((beside, top)) = beside.and_then(|beside| Some((beside, self.top[beside]?))) else { continue };
                let level = top.max(level + slope * far);
                if level < self.level[beside] {
                    self.flood.push(Wet { level, cell: beside, outlet });
                }
            }
        }
    }

    /// Depths [m] of soil of which the surface is lower by so much than the highest that stays, cell by cell.
    fn depths(&self, lower: f64) -> impl Iterator<Item = (usize, f64)> {
        let cells = self.top.iter().zip(&self.level).enumerate();
        cells.filter_map(move |(cell, (top, level))| Some((cell, (level - lower - (*top)?).max(0.0))))
    }

    fn area(&self) -> f64 {
        self.pitch * self.pitch
    }

    /// How much it can hold [m³].
    pub fn room(&self) -> f64 {
        self.depths(0.0).map(|(_, depth)| depth).sum::<f64>() * self.area()
    }

    /// Hands each place beside the tool over which some of what is too much runs off to `each`: x, y, how high the rim is there, and its share of the whole.
    pub fn spill(&self, mut each: impl FnMut((f64, f64, f64), f64)) {
        let mut shares = vec![0_u32; self.top.len()];
        let holds = |depth: f64| depth > 0.0;
        let is_flat = !self.depths(0.0).any(|(_, depth)| holds(depth));
        for (cell, depth) in self.depths(0.0) {
            if is_flat || holds(depth) {
                shares[self.outlet[cell]] += 1;
            }
        }
        let whole = f64::from(shares.iter().sum::<u32>());
        if whole <= 0.0 {
            // so thin that no cell has met it
            let (x, y) = self.place(self.top.len() / 2);
            return each((x, y, 0.0), 1.0);
        }
        for (cell, share) in shares.iter().enumerate().filter(|(_, share)| **share > 0) {
            let (x, y) = self.place(cell);
            let beside = self.around(cell).find(|(beside, ..)| !self.is_tool(*beside));
            let (there_x, there_y) = beside.map_or((x, y), |(_, there, _)| there);
            // clear of the rim
            let (x, y) = (there_x + 0.5 * (there_x - x), there_y + 0.5 * (there_y - y));
            each((x, y, self.top[cell].unwrap_or_default()), f64::from(*share) / whole);
        }
    }

    /// The mass of `volume` [m³] of soil that weighs `mass` [kg], as it lies there, in the heap's frame.
    pub fn filled(&self, volume: f64, mass: f64) -> Inertia {
        let wanted = volume / self.area();
        let deepest = self.depths(0.0).map(|(_, depth)| depth).fold(0.0, f64::max);
        let (mut low, mut high) = (0.0, deepest);
        for _ in 0..HALVINGS {
            let lower = 0.5 * (low + high);
            if self.depths(lower).map(|(_, depth)| depth).sum::<f64>() > wanted { low = lower } else { high = lower }
        }
        let parts = || {
            self.depths(low).filter(|(_, depth)| *depth > 0.0).map(|(cell, depth)| {
                let (x, y) = self.place(cell);
                (depth, Vector3::new(x, y, self.top[cell].unwrap_or_default() + 0.5 * depth))
            })
        };
        let whole: f64 = parts().map(|(depth, _)| depth).sum();
        if whole <= 0.0 {
            return Inertia::zero();
        }
        let com = parts().map(|(depth, at)| at * depth).sum::<Vector3<f64>>() / whole;
        let mut rotational = Matrix3::zeros();
        for (depth, at) in parts() {
            let (from_com, size) = (at - com, Vector3::new(self.pitch, self.pitch, depth));
            let own = size.component_mul(&size) / 12.0;
            let spread = from_com.component_mul(&from_com) + own;
            let products = from_com * from_com.transpose() + Matrix3::from_diagonal(&own);
            rotational += (Matrix3::from_diagonal_element(spread.sum()) - products) * (depth / whole * mass);
        }
        Inertia { mass, com_in_link: com, rotational_at_com_in_link: rotational }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A trough of 0.28 × 0.14 m with walls of 1 cm, 5 cm deep, without the wall towards larger x if it is open.
    fn trough(is_open: bool) -> Heap {
        let mut heap = Heap::default();
        let top = |x: f64, y: f64| {
            let is_wall = x < 0.01 || !(0.01..=0.13).contains(&y) || (x > 0.27 && !is_open);
            Some(if is_wall { 0.05 } else { 0.0 })
        };
        heap.survey((0.0, 0.0), (0.28, 0.14), top);
        heap
    }

    const SLOPE: f64 = 0.5;

    #[test]
    fn a_trough_holds_what_is_below_its_rim_and_a_heap_above() {
        let mut heap = trough(false);
        heap.flood(SLOPE, |_, _| -1.0);
        let level = 0.26 * 0.12 * 0.05;
        // over the middles of the walls a roof, hipped at its ends
        let (long, wide) = (0.27, 0.13);
        let roof = SLOPE * wide * wide * (3.0 * long - wide) / 12.0;
        assert!((heap.room() / (level + roof) - 1.0).abs() < 0.05, "{} of {} m³", heap.room(), level + roof);
        // without a slope nothing lies higher than the rim
        heap.flood(0.0, |_, _| -1.0);
        assert!((heap.room() / level - 1.0).abs() < 1e-9, "{} of {level} m³", heap.room());
    }

    #[test]
    fn what_is_too_much_runs_off_where_there_is_no_wall() {
        let mut heap = trough(true);
        heap.flood(SLOPE, |_, _| -1.0);
        let mut shares = 0.0;
        let mut ahead = 0.0;
        heap.spill(|(x, ..), share| {
            shares += share;
            ahead += if x > 0.28 { share } else { 0.0 };
        });
        assert!((shares - 1.0).abs() < 1e-12 && ahead > 0.5, "{ahead} of {shares}");
        let open = heap.room();
        // in the ground it cannot run off there
        heap.flood(SLOPE, |_, _| 0.05);
        assert!(heap.room() > 1.3 * open, "{} {open}", heap.room());
    }

    #[test]
    fn soil_lies_where_the_tool_holds_it() {
        let mut heap = trough(true);
        heap.flood(SLOPE, |_, _| -1.0);
        let volume = 0.3 * heap.room();
        let filled = heap.filled(volume, 2.0);
        let com = filled.com_in_link;
        assert!(filled.mass == 2.0 && com.x < 0.11 && (com.y - 0.07).abs() < 1e-9 && com.z > 0.0, "{com}");
        assert!(filled.rotational_at_com_in_link.symmetric_eigenvalues().min() > 0.0);
        assert!(heap.filled(0.9 * heap.room(), 2.0).com_in_link.z > com.z);
    }
}
