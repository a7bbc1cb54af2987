//! The terrain around a solid, in a frame that lies near it.
//!
//! Parry counts in f32, which tells a micrometre some metres from the origin. A rigid foot feels a micrometre in a step of a millisecond as a
//! millimetre a second, so that one that stands far out would never come to rest. Near the solid the same numbers tell nanometres.

use core::ops::Range;

use nalgebra::{Isometry3, Translation3, Vector3};
use parry3d::bounding_volume::{Aabb, BoundingVolume};
use parry3d::math::{Pose, Vector};
use parry3d::shape::{HeightField, Triangle, TrianglePseudoNormals};

use crate::convert::{pose, vector};

/// The frame's origin is a multiple of this, which f32 has exactly [m].
const GRID: f64 = 1.0 / 64.0;
/// What is asked for is this much larger, so that rounding leaves nothing out [m].
const ROUNDING: f32 = 1e-4;

/// A part of the terrain.
#[derive(Clone, Copy)]
pub(crate) struct Patch<'a> {
    ground: &'a HeightField,
    origin: Vector,
    /// The first corner of the first cell, and the cells' sides along x and z [m].
    first: Vector,
    sides: Vector,
}

/// Some cells of the terrain: rows along the frame's z, columns along its x.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    pub rows: Range<usize>,
    pub columns: Range<usize>,
}

/// One of the two triangles of a cell, by the cell's row and column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facet {
    pub row: usize,
    pub column: usize,
    /// The one at the cell's last corner, not the one at its first.
    pub is_last: bool,
}

/// A side of a triangle, which another one shares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    /// The corner of the terrain at which it is counted, by row and column.
    pub at: (usize, usize),
    /// Which of that corner's it is: the one along its column, the one along its row, or the one across the cell that begins there.
    pub which: usize,
    /// On its other side; `None` at the edge of the terrain.
    pub beyond: Option<Facet>,
}

impl Facet {
    /// Its corners, by row and column.
    pub fn corners(&self) -> [(usize, usize); 3] {
        let Facet { row, column, is_last } = *self;
        let third = if is_last { (row + 1, column + 1) } else { (row, column) };
        if is_last {
            [(row + 1, column), third, (row, column + 1)]
        } else {
            [third, (row + 1, column), (row, column + 1)]
        }
    }

    /// Its sides: from the first corner to the second, and so on.
    pub fn sides(&self) -> [Side; 3] {
        let Facet { row, column, is_last } = *self;
        let other =
            |row: Option<usize>, column: Option<usize>| Some(Facet { row: row?, column: column?, is_last: !is_last });
        let across = Side { at: (row, column), which: 2, beyond: other(Some(row), Some(column)) };
        if is_last {
            let along_row = Side { at: (row + 1, column), which: 1, beyond: other(Some(row + 1), Some(column)) };
            let along_column = Side { at: (row, column + 1), which: 0, beyond: other(Some(row), Some(column + 1)) };
            [along_row, along_column, across]
        } else {
            let along_column = Side { at: (row, column), which: 0, beyond: other(Some(row), column.checked_sub(1)) };
            let along_row = Side { at: (row, column), which: 1, beyond: other(row.checked_sub(1), Some(column)) };
            [along_column, across, along_row]
        }
    }
}

impl<'a> Patch<'a> {
    /// The terrain around a solid, with the solid's place in the patch's frame and the patch's own place in the terrain's.
    pub fn around(ground: &'a HeightField, solid_in_ground: &Isometry3<f64>) -> (Patch<'a>, Pose, Translation3<f64>) {
        let (patch, place) = Patch::at(ground, &solid_in_ground.translation.vector);
        let middle = solid_in_ground.translation.vector - place.vector;
        (patch, pose(&Isometry3::from_parts(middle.into(), solid_in_ground.rotation)), place)
    }

    /// The terrain around a place, with the patch's own place in the terrain's frame.
    pub fn at(ground: &'a HeightField, place: &Vector3<f64>) -> (Patch<'a>, Translation3<f64>) {
        let origin = place.map(|at| (at / GRID).round() * GRID);
        let sides = Vector::new(ground.cell_width(), 0.0, ground.cell_height());
        let scale = ground.scale();
        let first = Vector::new(-0.5 * scale.x, 0.0, -0.5 * scale.z) - vector(&origin);
        (Patch { ground, origin: vector(&origin), first, sides }, origin.into())
    }

    /// How far a place is over the boundary between the two triangles of a cell, seen from above: farther than zero on the last one [m].
    pub fn across(&self, (row, column): (usize, usize), at: Vector) -> f32 {
        let Vector { x: width, z: height, .. } = self.sides;
        let from = at - self.first - self.sides * Vector::new(column as f32, 0.0, row as f32);
        (from.x * height + from.z * width - width * height) / (width * width + height * height).sqrt()
    }

    /// Hands each triangle that may be within a box to `each`, with its number.
    pub fn triangles_in(&self, bounds: &Aabb, mut each: impl FnMut(u32, &Triangle)) {
        let bounds = Aabb::new(bounds.mins + self.origin, bounds.maxs + self.origin).loosened(ROUNDING);
        self.ground.map_elements_in_local_aabb(&bounds, &mut |index, Triangle { a, b, c }| {
            each(index, &Triangle::new(*a - self.origin, *b - self.origin, *c - self.origin));
        });
    }

    /// The normals halfway between a triangle and its neighbours.
    pub fn normals(&self, triangle: u32) -> Option<TrianglePseudoNormals> {
        self.ground.triangle_normal_constraints(triangle)
    }

    /// The cells over which a box stands, whatever its height.
    pub fn cells_under(&self, bounds: &Aabb) -> Cells {
        let span = |axis: usize, count: usize| {
            let place = |at: f32| ((at - self.first[axis]) / self.sides[axis]).clamp(0.0, count as f32);
            // casts round down
            let (low, high) = (place(bounds.mins[axis] - ROUNDING), place(bounds.maxs[axis] + ROUNDING));
            low as usize..(high as usize + 1).min(count)
        };
        Cells { rows: span(2, self.ground.nrows()), columns: span(0, self.ground.ncols()) }
    }

    /// The height of the ground under a box, if it is level there and does not end [m].
    pub fn level_under(&self, bounds: &Aabb) -> Option<f32> {
        let end = self.first + self.sides * Vector::new(self.ground.ncols() as f32, 0.0, self.ground.nrows() as f32);
        let is_within = |axis: usize| bounds.mins[axis] >= self.first[axis] && bounds.maxs[axis] <= end[axis];
        if !is_within(0) || !is_within(2) {
            return None;
        }
        let Cells { rows, columns } = self.cells_under(bounds);
        let heights = self.ground.heights();
        let level = heights[(rows.start, columns.start)];
        let is_level = |column: usize| (rows.start..=rows.end).all(|row| heights[(row, column)] == level);
        (columns.start..=columns.end).all(is_level).then(|| self.corner((rows.start, columns.start)).y)
    }

    /// A corner of the terrain.
    pub fn corner(&self, (row, column): (usize, usize)) -> Vector {
        let height = self.ground.heights()[(row, column)] * self.ground.scale().y - self.origin.y;
        let Vector { x, z, .. } = self.first + self.sides * Vector::new(column as f32, 0.0, row as f32);
        Vector::new(x, height, z)
    }

    /// The triangle straight above or below a point, and how deep below it that is [m]; negative above it.
    pub fn along_plumb(&self, at: Vector) -> Option<(Facet, f32)> {
        let cell = |axis: usize| Some((at[axis] - self.first[axis]) / self.sides[axis]).filter(|place| *place >= 0.0);
        let (row, column) = (cell(2)? as usize, cell(0)? as usize);
        let facet = Facet { row, column, is_last: self.across((row, column), at) > 0.0 };
        let triangle = self.triangle(facet)?;
        let normal = upward(&triangle)?;
        Some((facet, normal.dot(triangle.a - at) / normal.y))
    }

    /// A triangle; `None` beyond the edge of the terrain.
    pub fn triangle(&self, facet: Facet) -> Option<Triangle> {
        if facet.row >= self.ground.nrows() || facet.column >= self.ground.ncols() {
            return None;
        }
        let [a, b, c] = facet.corners().map(|at| self.corner(at));
        Some(Triangle::new(a, b, c))
    }

    /// A triangle's number for [`normals`](Patch::normals).
    pub fn number(&self, facet: Facet) -> u32 {
        let (rows, columns) = (self.ground.nrows(), self.ground.ncols());
        (facet.column * rows + facet.row + if facet.is_last { rows * columns } else { 0 }) as u32
    }
}

/// The normal of a triangle of the terrain, which is up.
pub(crate) fn upward(triangle: &Triangle) -> Option<Vector> {
    triangle.normal().map(|normal| if normal.y < 0.0 { -normal } else { normal })
}

#[cfg(test)]
mod tests {
    use super::*;
    use parry3d::utils::Array2;

    #[test]
    fn ground_is_level_where_all_samples_under_a_box_are_as_high() {
        let mut heights = Array2::repeat(5, 5, 0.25);
        heights[(4, 4)] = 0.3;
        let ground = HeightField::new(heights, Vector::new(4.0, 1.0, 4.0));
        let (patch, _) = Patch::at(&ground, &Vector3::zeros());
        let around = |x: f32, z: f32| Aabb::from_half_extents(Vector::new(x, 0.0, z), Vector::splat(0.4));
        assert_eq!(patch.level_under(&around(0.0, 0.0)), Some(0.25));
        assert_eq!(patch.level_under(&around(0.5, 0.5)), Some(0.25));
        assert_eq!(patch.level_under(&around(1.5, 1.5)), None);
        // beyond its end there is no ground
        assert_eq!(patch.level_under(&around(-1.7, 0.0)), None);
        assert_eq!(patch.level_under(&around(0.0, 9.0)), None);
    }
}
