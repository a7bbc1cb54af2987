//! The terrain, cast by hierarchical traversal of its cells.
//!
//! A pyramid holds the lowest and the highest sample of every block of 2ᵏ × 2ᵏ cells. A ray passes a block whose range of
//! heights it does not enter in one stride, and looks into the others, down to the two triangles of a cell. (Musgrave,
//! "Grid tracing: fast ray tracing for height fields", 1988; the pyramid as in Tevs, Ihrke and Seidel, "Maximum mipmaps for
//! fast, accurate, and scalable dynamic height field rendering", 2008.)

use nalgebra::Vector3;
use worlds::Terrain;

use super::ray::Ray;

/// The ground as rays see it: the triangles of [`Terrain`], heights in single precision as the physics has them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Grid {
    cell: f64,
    origin: [f64; 2],
    /// Cells along x and y.
    cells: [usize; 2],
    /// Samples, a row after the other along x.
    heights: Vec<f32>,
    /// From single cells upwards.
    levels: Vec<Level>,
}

#[derive(Clone, Debug, PartialEq)]
struct Level {
    columns: usize,
    /// Lowest and highest sample of each block.
    bounds: Vec<[f32; 2]>,
}

/// Where a ray meets the ground.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroundHit {
    /// How far away [m].
    pub distance: f64,
    /// Slopes of the triangle along x and y [1].
    pub slope: [f64; 2],
    /// The cell, row after row.
    pub cell: usize,
}

/// A ray in cells along x and y, and in metres along z and for its length.
struct Path {
    from: [f64; 2],
    step: [f64; 2],
    inverse: [f64; 2],
    z: f64,
    dz: f64,
}

impl GroundHit {
    /// The triangle's normal, upwards, of unit length.
    pub fn normal(&self) -> Vector3<f64> {
        Vector3::new(-self.slope[0], -self.slope[1], 1.0).normalize()
    }
}

impl Grid {
    /// The grid of a terrain.
    pub fn new(terrain: &Terrain) -> Grid {
        let cells = [terrain.columns - 1, terrain.rows - 1];
        let heights: Vec<f32> = terrain.heights.iter().map(|height| *height as f32).collect();
        let mut levels = vec![lowest_level(&heights, cells)];
        while let Some(level) = levels.last().filter(|level| level.bounds.len() > 1) {
            levels.push(coarser(level));
        }
        Grid { cell: terrain.cell, origin: [terrain.origin_x, terrain.origin_y], cells, heights, levels }
    }

    /// Takes over the height of a sample.
    pub fn see(&mut self, terrain: &Terrain, sample: usize) {
        self.heights[sample] = terrain.heights[sample] as f32;
        let [columns, rows] = self.cells;
        let (row, column) = (sample / (columns + 1), sample % (columns + 1));
        for row in row.saturating_sub(1)..=row.min(rows - 1) {
            for column in column.saturating_sub(1)..=column.min(columns - 1) {
                self.levels[0].bounds[row * columns + column] = cell_bounds(&self.heights, columns, row, column);
                for level in 1..self.levels.len() {
                    let (finer, coarser) = self.levels.split_at_mut(level);
                    let (row, column) = (row >> level, column >> level);
                    coarser[0].bounds[row * coarser[0].columns + column] = block_bounds(&finer[level - 1], row, column);
                }
            }
        }
    }

    /// The first triangle that a ray passes through, from either side, at most `limit` [m] away.
    pub fn cast(&self, ray: &Ray, limit: f64) -> Option<GroundHit> {
        let path = self.path(ray);
        let (mut t, end) = self.clip(&path, limit)?;
        // signed 32-bit numbers become floats in one instruction, unsigned 64-bit ones do not
        let last = self.cells.map(|cells| cells as i32 - 1);
        let within = |axis: usize, t: f64| ((path.from[axis] + path.step[axis] * t) as i32).clamp(0, last[axis]);
        let mut cell = [within(0, t), within(1, t)];
        let top = self.levels.len() - 1;
        // a block about as wide as the ray is long
        let across = (end - t) * path.step[0].abs().max(path.step[1].abs());
        let mut level = ((across as usize + 1).ilog2() as usize).min(top);
        // on which side of the ground the ray is; rounding between neighbouring cells cannot make it slip through
        let mut above = None;
        loop {
            let block = cell.map(|cell| cell >> level);
            let (leave, axis) = path.leaves(block, level, end);
            let here = &self.levels[level];
            let [low, high] = here.bounds[block[1] as usize * here.columns + block[0] as usize];
            let (z0, z1) = (path.z + path.dz * t, path.z + path.dz * leave);
            let (lower, upper) = if path.dz < 0.0 { (z1, z0) } else { (z0, z1) };
            let (is_over, is_under) = (lower > f64::from(high), upper < f64::from(low));
            let crossed = above.is_some_and(|above| if above { is_under } else { is_over });
            if (is_over || is_under) && !crossed {
                above = Some(is_over);
            } else if level > 0 {
                level -= 1;
                continue;
            } else if let Some(hit) = self.cross(&path, cell.map(|cell| cell as usize), t, leave, &mut above) {
                return Some(hit);
            }
            let axis = axis?;
            cell[axis] = path.next(block, level, axis);
            if cell[axis] < 0 || cell[axis] > last[axis] {
                return None;
            }
            // the other coordinate stays within the block that is left
            let other = 1 - axis;
            let first = block[other] << level;
            cell[other] = within(other, leave).clamp(first, first + (1 << level) - 1).min(last[other]);
            t = leave;
            level = (level + 1).min(top);
        }
    }

    fn path(&self, ray: &Ray) -> Path {
        let in_cells = |axis: usize| (ray.origin[axis] - self.origin[axis]) / self.cell;
        let step = [ray.direction.x / self.cell, ray.direction.y / self.cell];
        Path {
            from: [in_cells(0), in_cells(1)],
            step,
            inverse: [1.0 / step[0], 1.0 / step[1]],
            z: ray.origin.z,
            dz: ray.direction.z,
        }
    }

    /// Where a ray is over the grid and within its heights; `None` if nowhere.
    fn clip(&self, path: &Path, limit: f64) -> Option<(f64, f64)> {
        let (mut begin, mut end) = (0.0_f64, limit);
        for axis in 0..2 {
            let size = self.cells[axis] as f64;
            if path.step[axis] == 0.0 {
                if !(0.0..=size).contains(&path.from[axis]) {
                    return None;
                }
                continue;
            }
            let (a, b) = (-path.from[axis] * path.inverse[axis], (size - path.from[axis]) * path.inverse[axis]);
            begin = begin.max(a.min(b));
            end = end.min(a.max(b));
        }
        (begin <= end).then_some((begin, end))
    }

    /// Where the ray passes from one side of the cell's triangles to the other between `begin` and `end`. The height above
    /// them is linear on each side of the diagonal.
    fn cross(
        &self,
        path: &Path,
        cell: [usize; 2],
        begin: f64,
        end: f64,
        above: &mut Option<bool>,
    ) -> Option<GroundHit> {
        let across = self.cells[0] + 1;
        let corner = cell[1] * across + cell[0];
        let height = |offset: usize| f64::from(self.heights[corner + offset]);
        let (h00, h01, h10, h11) = (height(0), height(1), height(across), height(across + 1));
        let (u0, v0) = (path.from[0] - cell[0] as f64, path.from[1] - cell[1] as f64);
        // on which side of the diagonal u + v = 1, and where it is crossed
        let (sum, rate) = (u0 + v0 - 1.0, path.step[0] + path.step[1]);
        let starts_lower = sum + rate * (0.5 * (begin + end)) <= 0.0;
        let diagonal = -sum / rate;
        let split = diagonal > begin && diagonal < end;
        let first_lower = if split { rate > 0.0 } else { starts_lower };
        let pieces = [(begin, if split { diagonal } else { end }, first_lower), (diagonal, end, !first_lower)];
        for (from, to, lower) in &pieces[..1 + usize::from(split)] {
            let (base, du, dv) =
                if *lower { (h00, h01 - h00, h10 - h00) } else { (h01 + h10 - h11, h11 - h10, h11 - h01) };
            let clearance = path.z - base - du * u0 - dv * v0;
            let change = path.dz - du * path.step[0] - dv * path.step[1];
            let side = *above.get_or_insert(clearance + change * from > 0.0);
            if (clearance + change * to > 0.0) != side {
                let distance = (-clearance / change).clamp(*from, *to);
                let slope = [du / self.cell, dv / self.cell];
                return Some(GroundHit { distance, slope, cell: cell[1] * self.cells[0] + cell[0] });
            }
        }
        None
    }
}

impl Path {
    /// Where the ray leaves a block, and through which side; no side if it ends within.
    fn leaves(&self, block: [i32; 2], level: usize, end: f64) -> (f64, Option<usize>) {
        let side = |axis: usize| {
            if self.step[axis] == 0.0 {
                return f64::INFINITY;
            }
            let border = (block[axis] + i32::from(self.step[axis] > 0.0)) << level;
            (f64::from(border) - self.from[axis]) * self.inverse[axis]
        };
        let (x, y) = (side(0), side(1));
        let (leave, axis) = if x <= y { (x, 0) } else { (y, 1) };
        if leave < end { (leave, Some(axis)) } else { (end, None) }
    }

    /// The first cell beyond a block along an axis.
    fn next(&self, block: [i32; 2], level: usize, axis: usize) -> i32 {
        if self.step[axis] > 0.0 { (block[axis] + 1) << level } else { (block[axis] << level) - 1 }
    }
}

fn lowest_level(heights: &[f32], [columns, rows]: [usize; 2]) -> Level {
    let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    Level { columns, bounds: cells.map(|(row, column)| cell_bounds(heights, columns, row, column)).collect() }
}

fn cell_bounds(heights: &[f32], columns: usize, row: usize, column: usize) -> [f32; 2] {
    let corner = row * (columns + 1) + column;
    let corners = [corner, corner + 1, corner + columns + 1, corner + columns + 2].map(|at| heights[at]);
    hull(corners.into_iter().map(|height| [height, height]))
}

fn coarser(level: &Level) -> Level {
    let (columns, rows) = (level.columns, level.bounds.len() / level.columns);
    let (across, down) = (columns.div_ceil(2), rows.div_ceil(2));
    let blocks = (0..down).flat_map(|row| (0..across).map(move |column| (row, column)));
    Level { columns: across, bounds: blocks.map(|(row, column)| block_bounds(level, row, column)).collect() }
}

/// Of a block over the four of the finer level.
fn block_bounds(finer: &Level, row: usize, column: usize) -> [f32; 2] {
    let (columns, rows) = (finer.columns, finer.bounds.len() / finer.columns);
    let (row, column) = (2 * row, 2 * column);
    let (right, below) = ((column + 1).min(columns - 1), (row + 1).min(rows - 1));
    let four = [(row, column), (row, right), (below, column), (below, right)];
    hull(four.into_iter().map(|(row, column)| finer.bounds[row * columns + column]))
}

fn hull(of: impl Iterator<Item = [f32; 2]>) -> [f32; 2] {
    of.fold([f32::INFINITY, f32::NEG_INFINITY], |[low, high], [a, b]| [low.min(a), high.max(b)])
}
