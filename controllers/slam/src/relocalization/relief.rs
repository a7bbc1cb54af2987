//! The shape of the land as the highest thing in every cell of a grid.

use nalgebra::{Isometry3, Point3, UnitQuaternion};

/// A grid of heights [m] in a levelled frame; not-a-number where nothing was seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Relief {
    /// Side of a cell [m].
    pub cell: f64,
    origin: [f64; 2],
    columns: usize,
    rows: usize,
    heights: Vec<f32>,
    /// Where the highest point of each cell is.
    places: Vec<[f64; 2]>,
}

impl Relief {
    /// The relief of points. What lies higher than `ceiling` above the frame's origin is left out: it may be a roof.
    pub fn of(points: &[Point3<f64>], cell: f64, ceiling: f64) -> Relief {
        let Some((low, high)) = bounds(points) else { return Relief::default() };
        let count = |low: f64, high: f64| ((high - low) / cell) as usize + 1;
        let (columns, rows) = (count(low[0], high[0]), count(low[1], high[1]));
        let (heights, places) = (vec![f32::NAN; columns * rows], vec![[0.0; 2]; columns * rows]);
        let mut relief = Relief { cell, origin: low, columns, rows, heights, places };
        for point in points.iter().filter(|point| point.z < ceiling) {
            let Some(index) = relief.index(point.x, point.y) else { continue };
            let height = point.z as f32;
            if relief.heights[index].is_nan() || height > relief.heights[index] {
                (relief.heights[index], relief.places[index]) = (height, [point.x, point.y]);
            }
        }
        relief
    }

    /// The height [m] of the cell at a place; not-a-number where nothing was seen.
    pub fn at(&self, x: f64, y: f64) -> f32 {
        self.index(x, y).map_or(f32::NAN, |index| self.heights[index])
    }

    /// Middle and height of every cell in which something was seen, row after row.
    pub fn cells(&self) -> impl Iterator<Item = Point3<f64>> {
        let middle = |index: usize, along: usize| self.origin[along] + (index as f64 + 0.5) * self.cell;
        let seen = self.heights.iter().enumerate().filter(|(_, height)| !height.is_nan());
        seen.map(move |(index, height)| {
            Point3::new(middle(index % self.columns, 0), middle(index / self.columns, 1), f64::from(*height))
        })
    }

    /// The highest point that was seen in every cell, row after row. A cell that holds an edge is as high as what is behind it, all over; its
    /// highest point is where that begins.
    pub fn tops(&self) -> impl Iterator<Item = Point3<f64>> {
        let seen = self.places.iter().zip(&self.heights).filter(|(_, height)| !height.is_nan());
        seen.map(|([x, y], height)| Point3::new(*x, *y, f64::from(*height)))
    }

    fn index(&self, x: f64, y: f64) -> Option<usize> {
        let (column, row) = ((x - self.origin[0]) / self.cell, (y - self.origin[1]) / self.cell);
        let inside = column >= 0.0 && row >= 0.0 && column < self.columns as f64 && row < self.rows as f64;
        inside.then(|| row as usize * self.columns + column as usize)
    }
}

/// Lowest and highest x and y.
fn bounds(points: &[Point3<f64>]) -> Option<([f64; 2], [f64; 2])> {
    let start = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    let (low, high) = points.iter().fold(start, |(low, high), point| {
        ([low[0].min(point.x), low[1].min(point.y)], [high[0].max(point.x), high[1].max(point.y)])
    });
    (low[0].is_finite() && high[0].is_finite() && low[1].is_finite() && high[1].is_finite()).then_some((low, high))
}

/// A frame at a pose's origin with its heading, but level; the pose as seen from it.
pub fn levelled(pose: &Isometry3<f64>) -> Isometry3<f64> {
    let (_, _, yaw) = pose.rotation.euler_angles();
    let heading = UnitQuaternion::from_euler_angles(0.0, 0.0, yaw);
    Isometry3::from_parts(Default::default(), heading.inverse() * pose.rotation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_point_of_a_cell_counts_but_not_a_roof() {
        let points = [Point3::new(0.1, 0.1, 0.2), Point3::new(0.2, 0.2, 0.5), Point3::new(0.2, 0.1, 9.0)];
        let relief = Relief::of(&points, 0.5, 3.0);
        assert_eq!(relief.at(0.15, 0.15), 0.5);
        assert!(relief.at(5.0, 0.0).is_nan());
        assert_eq!(relief.cells().count(), 1);
        assert!(Relief::of(&[], 0.5, 3.0).at(0.0, 0.0).is_nan());
    }

    #[test]
    fn a_levelled_frame_keeps_the_heading() {
        let pose = Isometry3::from_parts(
            nalgebra::Vector3::new(1.0, 2.0, 3.0).into(),
            UnitQuaternion::from_euler_angles(0.1, -0.2, 2.0),
        );
        let (roll, pitch, yaw) = levelled(&pose).rotation.euler_angles();
        assert!((roll - 0.1).abs() < 1e-9 && (pitch + 0.2).abs() < 1e-9 && yaw.abs() < 1e-9);
    }
}
