//! The ground: a grid of height samples, seen as the very triangles that the physics collides with.

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

/// A regular grid of height samples in the world frame, Z up. Row r, column c lies at
/// x = `origin_x` + c × `cell`, y = `origin_y` + r × `cell`.
///
/// Between samples the ground is two triangles a cell. Their common edge joins (row + 1, column) with
/// (row, column + 1), which is parry's default when its rows run along world x and its columns along world y,
/// as [`Terrain::height_field`] lays them out.
#[derive(Debug, Clone, PartialEq)]
pub struct Terrain {
    /// Samples along y, at least 2.
    pub rows: usize,
    /// Samples along x, at least 2.
    pub columns: usize,
    /// Distance of neighbouring samples [m].
    pub cell: f64,
    /// World x of sample (0, 0) [m].
    pub origin_x: f64,
    /// World y of sample (0, 0) [m].
    pub origin_y: f64,
    /// Heights [m], `rows × columns`, row-major: rows along +y, columns along +x.
    pub heights: Vec<f64>,
    /// Material of each cell, `(rows − 1) × (columns − 1)`, row-major: indices into the world's materials.
    pub cell_materials: Vec<u8>,
}

/// What parry's `HeightField` wants: a Y-up unit square, column-major, placed by a scale and a pose.
#[derive(Debug, Clone, PartialEq)]
pub struct HeightField {
    /// Rows of parry's matrix (along its z, which is world x).
    pub rows: usize,
    /// Columns of parry's matrix (along its x, which is world y).
    pub columns: usize,
    /// Column-major heights [m]: `Array2::new(rows, columns, heights)`.
    pub heights: Vec<f32>,
    /// Extent along parry's x, y and z: [m], [1], [m].
    pub scale: [f64; 3],
    /// Pose of parry's Y-up frame in the world.
    pub pose_in_world: Isometry3<f64>,
}

/// A cell and the place within it, each coordinate 0 to 1.
struct Place {
    row: usize,
    column: usize,
    u: f64,
    v: f64,
}

impl Terrain {
    /// Height of sample (row, column) [m].
    pub fn height(&self, row: usize, column: usize) -> f64 {
        self.heights[row * self.columns + column]
    }

    /// World x and y of sample (row, column) [m].
    pub fn position(&self, row: usize, column: usize) -> (f64, f64) {
        (self.origin_x + column as f64 * self.cell, self.origin_y + row as f64 * self.cell)
    }

    /// ((smallest x, largest x), (smallest y, largest y)) [m].
    pub fn extent(&self) -> ((f64, f64), (f64, f64)) {
        let (x, y) = self.position(self.rows - 1, self.columns - 1);
        ((self.origin_x, x), (self.origin_y, y))
    }

    /// Lowest and highest sample [m].
    pub fn height_range(&self) -> (f64, f64) {
        self.heights.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &h| (low.min(h), high.max(h)))
    }

    /// Height of the triangulated surface at (x, y) [m]; `None` outside the grid.
    #[inline]
    pub fn height_at(&self, x: f64, y: f64) -> Option<f64> {
        let place = self.locate(x, y)?;
        let (base, du, dv) = self.plane(&place);
        Some(base + du * place.u + dv * place.v)
    }

    /// Unit normal of the triangle at (x, y), in the world frame, pointing up; `None` outside the grid.
    #[inline]
    pub fn normal_at(&self, x: f64, y: f64) -> Option<Vector3<f64>> {
        let place = self.locate(x, y)?;
        let (_, du, dv) = self.plane(&place);
        Some(Vector3::new(-du / self.cell, -dv / self.cell, 1.0).normalize())
    }

    /// Height of the ground within `reach` of (x, y) along both axes, if it is level there and does not end [m].
    pub fn level_around(&self, x: f64, y: f64, reach: f64) -> Option<f64> {
        let samples = |at: f64, origin: f64, count: usize| {
            let (first, last) =
                (((at - reach - origin) / self.cell).floor(), ((at + reach - origin) / self.cell).ceil());
            (first >= 0.0 && last < count as f64).then_some(first as usize..=last as usize)
        };
        let (rows, columns) = (samples(y, self.origin_y, self.rows)?, samples(x, self.origin_x, self.columns)?);
        let level = self.height(*rows.start(), *columns.start());
        let row = |row: usize| &self.heights[row * self.columns..][columns.clone()];
        rows.into_iter().all(|number| row(number).iter().all(|height| *height == level)).then_some(level)
    }

    /// Index of the material at (x, y); `None` outside the grid.
    #[inline]
    pub fn material_at(&self, x: f64, y: f64) -> Option<usize> {
        let place = self.locate(x, y)?;
        Some(usize::from(self.cell_materials[place.row * (self.columns - 1) + place.column]))
    }

    /// The same ground on a grid of another cell size [m], over at least the same extent: what a survey of that
    /// resolution reports. A coarser sample is the mean over its own cell, a finer one the triangulated surface.
    pub fn resampled(&self, cell: f64) -> Terrain {
        let ((x_min, x_max), (y_min, y_max)) = self.extent();
        let count = |length: f64| libm::ceil(length / cell - 1e-9).max(1.0) as usize + 1;
        let (rows, columns) = (count(y_max - y_min), count(x_max - x_min));
        let at = |row: usize, column: usize| (x_min + column as f64 * cell, y_min + row as f64 * cell);
        let mut heights = Vec::with_capacity(rows * columns);
        for (row, column) in pairs(rows, columns) {
            let (x, y) = at(row, column);
            heights.push(self.mean_around(x, y, 0.5 * cell));
        }
        let mut cell_materials = Vec::with_capacity((rows - 1) * (columns - 1));
        for (row, column) in pairs(rows - 1, columns - 1) {
            let (x, y) = at(row, column);
            cell_materials.push(self.clamped_material(x + 0.5 * cell, y + 0.5 * cell));
        }
        Terrain { rows, columns, cell, origin_x: x_min, origin_y: y_min, heights, cell_materials }
    }

    /// The same triangles in the layout of parry's `HeightField`: no sample moves, because parry's column-major
    /// matrix with rows along world x is this row-major one. The pose permutes the axes: parry's x, y, z are
    /// the world's y, z, x.
    pub fn height_field(&self) -> HeightField {
        let ((x_min, x_max), (y_min, y_max)) = self.extent();
        let centre = Translation3::new(0.5 * (x_min + x_max), 0.5 * (y_min + y_max), 0.0);
        let permutation = UnitQuaternion::new_unchecked(Quaternion::new(0.5, 0.5, 0.5, 0.5));
        HeightField {
            rows: self.columns,
            columns: self.rows,
            heights: self.heights.iter().map(|&h| h as f32).collect(),
            scale: [y_max - y_min, 1.0, x_max - x_min],
            pose_in_world: Isometry3::from_parts(centre, permutation),
        }
    }

    /// The plane of the triangle at a place: height at the cell's (0, 0) corner, and rise over one cell in u and v.
    #[inline]
    fn plane(&self, place: &Place) -> (f64, f64, f64) {
        let corner = |dr, dc| self.height(place.row + dr, place.column + dc);
        let (h01, h10) = (corner(0, 1), corner(1, 0));
        if place.u + place.v <= 1.0 {
            let h00 = corner(0, 0);
            (h00, h01 - h00, h10 - h00)
        } else {
            let h11 = corner(1, 1);
            (h01 + h10 - h11, h11 - h10, h11 - h01)
        }
    }

    #[inline]
    fn locate(&self, x: f64, y: f64) -> Option<Place> {
        let (column, u) = split((x - self.origin_x) / self.cell, self.columns)?;
        let (row, v) = split((y - self.origin_y) / self.cell, self.rows)?;
        Some(Place { row, column, u, v })
    }

    /// Mean of the samples within `half` of (x, y) in x and y; the surface itself where the grid is coarser than that.
    fn mean_around(&self, x: f64, y: f64, half: f64) -> f64 {
        let span = |centre: f64, origin: f64, samples: usize| {
            let low = libm::ceil((centre - half - origin) / self.cell - 1e-9).max(0.0) as usize;
            let high = libm::floor((centre + half - origin) / self.cell + 1e-9).max(0.0) as usize;
            (low, high.min(samples - 1))
        };
        let (r0, r1) = span(y, self.origin_y, self.rows);
        let (c0, c1) = span(x, self.origin_x, self.columns);
        if half <= 0.5 * self.cell || r0 > r1 || c0 > c1 {
            let ((x_min, x_max), (y_min, y_max)) = self.extent();
            return self.height_at(x.clamp(x_min, x_max), y.clamp(y_min, y_max)).unwrap_or(0.0);
        }
        let rows = (r0..=r1).map(|r| self.heights[r * self.columns + c0..=r * self.columns + c1].iter().sum::<f64>());
        rows.sum::<f64>() / ((r1 - r0 + 1) * (c1 - c0 + 1)) as f64
    }

    fn clamped_material(&self, x: f64, y: f64) -> u8 {
        let index = |value: f64, cells: usize| (libm::floor(value).max(0.0) as usize).min(cells - 1);
        let row = index((y - self.origin_y) / self.cell, self.rows - 1);
        let column = index((x - self.origin_x) / self.cell, self.columns - 1);
        self.cell_materials[row * (self.columns - 1) + column]
    }
}

/// Cell number and the fraction within it, for a coordinate in cells; the far edge belongs to the last cell.
#[inline]
fn split(coordinate: f64, samples: usize) -> Option<(usize, f64)> {
    let last = (samples - 1) as f64;
    // A point on the edge may miss it by the rounding of its division.
    if !(-1e-9..=last + 1e-9).contains(&coordinate) {
        return None;
    }
    // not negative, so that cutting off the fraction is the floor; this runs hundreds of times a physics step
    let index = (coordinate.clamp(0.0, last) as usize).min(samples.saturating_sub(2));
    Some((index, (coordinate - index as f64).clamp(0.0, 1.0)))
}

/// (row, column) in row-major order.
pub(crate) fn pairs(rows: usize, columns: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..rows).flat_map(move |row| (0..columns).map(move |column| (row, column)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn terrain(rows: usize, columns: usize, cell: f64, height: impl Fn(f64, f64) -> f64) -> Terrain {
        let (origin_x, origin_y) = (-1.0, 2.0);
        let heights = pairs(rows, columns).map(|(r, c)| height(origin_x + c as f64 * cell, origin_y + r as f64 * cell));
        let heights = heights.collect();
        let cell_materials = (0..(rows - 1) * (columns - 1)).map(|i| (i % 7) as u8).collect();
        Terrain { rows, columns, cell, origin_x, origin_y, heights, cell_materials }
    }

    #[test]
    fn the_edge_of_a_cell_runs_from_row_plus_one_to_column_plus_one() {
        let mut saddle = terrain(2, 2, 1.0, |_, _| 0.0);
        saddle.heights = vec![1.0, 0.0, 0.0, 1.0];
        assert_eq!(saddle.height_at(-0.5, 2.5), Some(0.0), "the middle lies on the edge between the two zeros");
        saddle.heights = vec![0.0, 1.0, 1.0, 0.0];
        assert_eq!(saddle.height_at(-0.5, 2.5), Some(1.0));
        assert_eq!(saddle.height_at(-0.75, 2.25), Some(0.5));
        assert_eq!(saddle.height_at(-0.25, 2.75), Some(0.5));
    }

    #[test]
    fn outside_is_none_and_the_edges_are_inside() {
        let ground = terrain(4, 3, 0.1, |_, _| 0.5);
        let ((x0, x1), (y0, y1)) = ground.extent();
        for (x, y) in [(x0, y0), (x1, y1), (x0, y1), (x1, y0)] {
            assert_eq!(ground.height_at(x, y), Some(0.5));
            assert!(ground.material_at(x, y).is_some() && ground.normal_at(x, y).is_some());
        }
        for (x, y) in [(x0 - 1e-6, y0), (x1 + 1e-6, y1), (x0, y1 + 1e-6), (f64::NAN, y0), (f64::INFINITY, y0)] {
            assert_eq!(ground.height_at(x, y), None);
        }
    }

    #[test]
    fn ground_is_level_up_to_where_it_rises_or_ends() {
        let ground = terrain(21, 21, 0.1, |x, _| if x > 0.55 { 0.3 } else { 0.2 });
        assert_eq!(ground.level_around(0.0, 3.0, 0.45), Some(0.2));
        assert_eq!(ground.level_around(0.0, 3.0, 0.55), None);
        assert_eq!(ground.level_around(0.85, 3.0, 0.1), Some(0.3));
        assert_eq!(ground.level_around(0.85, 3.0, 0.2), None);
        assert_eq!(ground.level_around(f64::NAN, 3.0, 0.2), None);
    }

    #[test]
    fn materials_are_per_cell() {
        let ground = terrain(3, 4, 0.5, |_, _| 0.0);
        assert_eq!(ground.material_at(-0.9, 2.1), Some(0));
        assert_eq!(ground.material_at(0.4, 2.1), Some(2));
        assert_eq!(ground.material_at(0.4, 2.9), Some(5));
    }

    #[test]
    fn a_coarse_grid_averages_and_covers_the_extent() {
        let ground = terrain(101, 81, 0.05, |x, y| 0.3 * x - 0.2 * y + 0.01 * (if x > 0.0 { 1.0 } else { -1.0 }));
        let coarse = ground.resampled(0.5);
        assert_eq!((coarse.rows, coarse.columns), (11, 9));
        assert!((coarse.height(5, 4) - (0.3 * 1.0 - 0.2 * 4.5 + 0.01)).abs() < 1e-12);
        let same = ground.resampled(0.05);
        assert!(same.heights.iter().zip(&ground.heights).all(|(a, b)| (a - b).abs() < 1e-12));
        assert_eq!(same.cell_materials, ground.cell_materials);
    }

    #[test]
    fn parrys_layout_places_every_sample_where_it_is() {
        let ground = terrain(5, 3, 0.25, |x, y| x + 10.0 * y);
        let field = ground.height_field();
        for (row, column) in pairs(ground.rows, ground.columns) {
            // Parry: vertex (i, j) is at ((-0.5 + j / (columns - 1)) · scale.x, height, (-0.5 + i / (rows - 1)) · scale.z).
            let (i, j) = (column, row);
            let along = |k: usize, n: usize, scale: f64| (-0.5 + k as f64 / (n - 1) as f64) * scale;
            let h = f64::from(field.heights[i + j * field.rows]);
            let (x, z) = (along(j, field.columns, field.scale[0]), along(i, field.rows, field.scale[2]));
            let point = field.pose_in_world * nalgebra::Point3::new(x, h, z);
            let (x, y) = ground.position(row, column);
            let expected = nalgebra::Point3::new(x, y, ground.height(row, column));
            assert!((point - expected).norm() < 1e-6, "{point} {expected}");
        }
    }

    proptest! {
        #[test]
        fn a_plane_is_reproduced_everywhere(a in -1.0..1.0f64, b in -1.0..1.0f64, c in -5.0..5.0f64, s in 0.0..1.0f64, t in 0.0..1.0f64) {
            let ground = terrain(17, 9, 0.13, |x, y| a * x + b * y + c);
            let ((x0, x1), (y0, y1)) = ground.extent();
            let (x, y) = (x0 + s * (x1 - x0), y0 + t * (y1 - y0));
            prop_assert!((ground.height_at(x, y).unwrap() - (a * x + b * y + c)).abs() < 1e-12);
            let normal = Vector3::new(-a, -b, 1.0).normalize();
            prop_assert!((ground.normal_at(x, y).unwrap() - normal).norm() < 1e-9);
        }

        #[test]
        fn the_surface_stays_within_its_corners_and_near_the_bilinear_one(
            h in prop::array::uniform4(-1.0..1.0f64), u in 0.0..1.0f64, v in 0.0..1.0f64
        ) {
            let mut ground = terrain(2, 2, 1.0, |_, _| 0.0);
            ground.heights = h.to_vec();
            let z = ground.height_at(-1.0 + u, 2.0 + v).unwrap();
            let (low, high) = ground.height_range();
            prop_assert!(low - 1e-12 <= z && z <= high + 1e-12);
            let bilinear = h[0] * (1.0 - u) * (1.0 - v) + h[1] * u * (1.0 - v) + h[2] * (1.0 - u) * v + h[3] * u * v;
            // The two differ by the twist times at most a quarter.
            prop_assert!((z - bilinear).abs() <= 0.25 * (h[0] - h[1] - h[2] + h[3]).abs() + 1e-12);
        }
    }
}
