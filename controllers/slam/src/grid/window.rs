//! Which cells of a level there are, and where in memory: a box of cells that moves with the robot through a fixed grid.

use nalgebra::{Point3, Vector3};
use robot_io::{State, StateVisitor};

/// A cell by its place in the fixed grid of its level: it reaches from `key · cell` to `(key + 1) · cell`.
pub(crate) type CellKey = [i32; 3];

/// A box of cells. Cells keep their place in memory while the box moves: it is a ring along each axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Window {
    /// Side of a cell [m].
    pub(crate) cell: f64,
    inverse_cell: f64,
    side_bits: u32,
    height_bits: u32,
    /// Its lowest cell along each axis.
    low: CellKey,
}

impl Window {
    pub(crate) fn new(cell: f64, side_cells: usize, height_cells: usize) -> Window {
        let bits = |cells: usize| cells.next_power_of_two().trailing_zeros().clamp(2, 8);
        let (side_bits, height_bits) = (bits(side_cells), bits(height_cells));
        let mut window = Window { cell, inverse_cell: 1.0 / cell, side_bits, height_bits, low: [0; 3] };
        window.low = window.low_about(&Point3::origin());
        window
    }

    /// Number of cells.
    pub(crate) fn len(&self) -> usize {
        1 << (2 * self.side_bits + self.height_bits)
    }

    pub(crate) fn key(&self, point: &Point3<f64>) -> CellKey {
        [point.x, point.y, point.z].map(|at| floor(at * self.inverse_cell))
    }

    /// A walk along a line from cell to cell, between two distances from `origin` [m]; `None` if it does not begin in the window.
    /// It ends at the window's border. `inverse` has one over each part of the direction.
    pub(crate) fn walk(
        &self,
        origin: &Point3<f64>,
        (direction, inverse): (&Vector3<f64>, &Vector3<f64>),
        [from, to]: [f64; 2],
    ) -> Option<Walk> {
        /// Far more than rounding makes up on the way [m].
        const SURELY: f64 = 1e-9;
        let key = self.key(&(origin + direction * from));
        if from >= to || !self.contains(key) {
            return None;
        }
        let mut walk =
            Walk { parts: [0; 3], masks: [0; 3], steps: [0; 3], next: [f64::INFINITY; 3], each: [0.0; 3], to };
        for axis in 0..3 {
            let (cells, shift, slope) = (self.cells_along(axis), self.shift(axis), direction[axis]);
            walk.masks[axis] = (cells - 1) << shift;
            walk.parts[axis] = (key[axis] as u32) << shift & walk.masks[axis];
            if slope != 0.0 {
                let at = key[axis].wrapping_sub(self.low[axis]) as u32;
                let (up, left) = if slope > 0.0 { (1, cells - 1 - at) } else { (u32::MAX, at) };
                walk.steps[axis] = up << shift;
                walk.each[axis] = self.cell * inverse[axis].abs();
                walk.next[axis] =
                    (f64::from(key[axis] + i32::from(slope > 0.0)) * self.cell - origin[axis]) * inverse[axis];
                walk.to = walk.to.min(walk.next[axis] + walk.each[axis] * f64::from(left) - SURELY);
            }
        }
        Some(walk)
    }

    pub(crate) fn middle(&self, key: CellKey) -> Point3<f64> {
        Point3::from(Vector3::from(key.map(|k| (f64::from(k) + 0.5) * self.cell)))
    }

    pub(crate) fn contains(&self, key: CellKey) -> bool {
        (0..3).all(|axis| (key[axis].wrapping_sub(self.low[axis]) as u32) < self.cells_along(axis))
    }

    /// Where a cell of the window lies in memory.
    pub(crate) fn place(&self, key: CellKey) -> Option<usize> {
        self.contains(key).then(|| self.wrapped(key))
    }

    /// True if the window of the next finer level covers a cell of the level above it.
    pub(crate) fn covers_coarser(&self, key: CellKey) -> bool {
        self.contains(key.map(|k| k.saturating_mul(2)))
    }

    /// Moves the window so that `centre` is near its middle; it moves by pairs of cells, and not at all while `centre` stays
    /// within a pair of cells of its middle. Shows the places of the cells that leave to `clear`.
    pub(crate) fn recentre(&mut self, centre: &Point3<f64>, mut clear: impl FnMut(usize)) {
        for (axis, wanted) in self.low_about(centre).into_iter().enumerate() {
            let shift = wanted.saturating_sub(self.low[axis]);
            if shift.abs() <= 2 {
                continue;
            }
            let cells = self.cells_along(axis) as i32;
            let first =
                if shift > 0 { self.low[axis] } else { self.low[axis].saturating_add(cells + shift.max(-cells)) };
            for at in first..first.saturating_add(shift.abs().min(cells)) {
                self.each_in_slab(axis, at, &mut clear);
            }
            self.low[axis] = wanted;
        }
    }

    fn each_in_slab(&self, axis: usize, at: i32, clear: &mut impl FnMut(usize)) {
        let (one, other) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut key = [0; 3];
        key[axis] = at;
        for u in 0..self.cells_along(one) as i32 {
            for v in 0..self.cells_along(other) as i32 {
                (key[one], key[other]) = (u, v);
                clear(self.wrapped(key));
            }
        }
    }

    fn wrapped(&self, key: CellKey) -> usize {
        let part = |axis: usize| (key[axis] as u32 & (self.cells_along(axis) - 1)) << self.shift(axis);
        (part(2) | part(1) | part(0)) as usize
    }

    fn shift(&self, axis: usize) -> u32 {
        axis as u32 * self.side_bits
    }

    fn cells_along(&self, axis: usize) -> u32 {
        1 << if axis == 2 { self.height_bits } else { self.side_bits }
    }

    /// Even, so that a cell of the next coarser level is covered as a whole or not at all.
    fn low_about(&self, centre: &Point3<f64>) -> CellKey {
        let mut low = self.key(centre);
        for (axis, at) in low.iter_mut().enumerate() {
            *at = ((*at + 1) & !1).saturating_sub(self.cells_along(axis) as i32 / 2);
        }
        low
    }
}

/// A walk from cell to cell (Amanatides and Woo, "A fast voxel traversal algorithm for ray tracing", 1987).
pub(crate) struct Walk {
    /// What each axis adds to the place of the cell in memory: a ring.
    parts: [u32; 3],
    masks: [u32; 3],
    /// One up, one down, or none.
    steps: [u32; 3],
    /// How far along the line the next cell begins [m], and how far it is from there through a cell [m].
    next: [f64; 3],
    each: [f64; 3],
    /// How far the walk goes [m].
    to: f64,
}

impl Walk {
    /// Shows where the cells lie in memory. Nothing in it depends on the direction but numbers: a processor does not have to guess.
    pub(crate) fn each_place(self, mut show: impl FnMut(usize)) {
        let Walk { parts: [mut i, mut j, mut k], masks, steps, next: [mut x, mut y, mut z], each, to } = self;
        loop {
            show((i | j | k) as usize);
            let (is_x, is_z) = (x < y && x <= z, z < x && z < y);
            let is_y = !is_x && !is_z;
            if (if is_x {
                x
            } else if is_z {
                z
            } else {
                y
            }) >= to
            {
                return;
            }
            let step = |is_it: bool, axis: usize| if is_it { (steps[axis], each[axis]) } else { (0, 0.0) };
            let [(a, along_x), (b, along_y), (c, along_z)] = [step(is_x, 0), step(is_y, 1), step(is_z, 2)];
            (i, j, k) = (i.wrapping_add(a) & masks[0], j.wrapping_add(b) & masks[1], k.wrapping_add(c) & masks[2]);
            (x, y, z) = (x + along_x, y + along_y, z + along_z);
        }
    }
}

/// The largest whole number that is not above `x`; without a call, which it takes on processors of the oldest kind.
pub(crate) fn floor(x: f64) -> i32 {
    let truncated = x as i32;
    truncated.saturating_sub(i32::from(f64::from(truncated) > x))
}

impl Default for Window {
    fn default() -> Self {
        Window::new(1.0, 4, 4)
    }
}

impl State for Window {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("cell", &mut self.cell);
        visitor.field("side_bits", &mut self.side_bits);
        visitor.field("height_bits", &mut self.height_bits);
        for at in &mut self.low {
            let mut bits = *at as u32;
            visitor.field("low", &mut bits);
            *at = bits as i32;
        }
        self.inverse_cell = 1.0 / self.cell;
        (self.side_bits, self.height_bits) = (self.side_bits.clamp(2, 8), self.height_bits.clamp(2, 8));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// After any walk, exactly the cells that are in the new window and were in the old one have kept their contents.
        #[test]
        fn moving_clears_what_leaves_and_nothing_else(
            walk in prop::collection::vec((-9.0_f64..9.0, -9.0_f64..9.0, -3.0_f64..3.0), 1..6)
        ) {
            let mut window = Window::new(0.5, 8, 4);
            let mut memory: Vec<Option<CellKey>> = vec![None; window.len()];
            for (x, y, z) in walk {
                let before = window;
                window.recentre(&Point3::new(x, y, z), |place| memory[place] = None);
                for i in -40..40 {
                    for (j, k) in (-40..40).flat_map(|j| (-20..20).map(move |k| (j, k))) {
                        let key = [i, j, k];
                        if let Some(place) = window.place(key) {
                            let kept = before.contains(key) && memory[place].is_some();
                            prop_assert_eq!(memory[place], kept.then_some(key));
                            memory[place] = Some(key);
                        }
                    }
                }
                prop_assert!(memory.iter().all(Option::is_some));
                let off = window.middle(window.low) + Vector3::new(1.75, 1.75, 0.75) - Point3::new(x, y, z);
                prop_assert!(off.amax() <= 2.0, "{}", off);
            }
        }
    }
}
