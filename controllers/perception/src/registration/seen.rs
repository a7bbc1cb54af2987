//! What of a model a camera sees.

use nalgebra::{Isometry3, Point3};

use crate::camera::CameraView;
use crate::model::{Surface, SurfacePoint};

/// A point of a surface that is seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeenPoint {
    /// In the object's frame.
    pub sample: SurfacePoint,
    /// Column and row in the picture.
    pub place: (f64, f64),
    /// Distance along the optical axis [m].
    pub depth: f64,
    /// Cosine of the angle at which it is seen.
    pub cosine: f64,
}

/// Finds the points of a model that face the camera, are inside the picture and are not behind others: a depth buffer of pieces of surface with cells as large as the
/// points are apart. Keeps its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Visibility {
    /// For each cell depth and sample of the nearest point.
    nearest: Vec<Option<(f64, SurfacePoint)>>,
    points: Vec<SeenPoint>,
}

/// Surfaces that are met at a flatter angle fill no pixel: cosine of 87°.
const LEAST_COSINE: f64 = 0.05;

impl Visibility {
    /// The points that are seen.
    pub fn seen(&mut self, surface: &Surface, pose: &Isometry3<f64>, view: &CameraView) -> &[SeenPoint] {
        self.points.clear();
        let middle_row = 0.5 * view.intrinsics.height as f64;
        let eye = pose.inverse_transform_point(&view.pose_at(middle_row).translation.vector.into());
        let seen = surface.points.iter().filter_map(|sample| facing(sample, &eye, pose, view));
        self.points.extend(seen);
        let nearest_depth = self.points.iter().map(|seen| seen.depth).fold(f64::INFINITY, f64::min);
        // in a cell there is at least one of the points of the nearest surface
        let cell = (1.6 * surface.spacing * view.intrinsics.fx / nearest_depth.max(1e-3)).max(1.0);
        let columns = (view.intrinsics.width as f64 / cell) as usize + 1;
        let rows = (view.intrinsics.height as f64 / cell) as usize + 1;
        let place = |seen: &SeenPoint| {
            let [column, row] = [seen.place.0, seen.place.1].map(|at| ((at + 0.5).max(0.0) / cell) as usize);
            row.min(rows - 1) * columns + column.min(columns - 1)
        };
        self.nearest.clear();
        self.nearest.resize(columns * rows, None);
        for seen in &self.points {
            let nearest = &mut self.nearest[place(seen)];
            if nearest.as_ref().is_none_or(|(depth, _)| seen.depth < *depth) {
                *nearest = Some((seen.depth, seen.sample));
            }
        }
        let (nearest, margin) = (&self.nearest, surface.spacing);
        self.points.retain(|seen| {
            let Some((depth, other)) = &nearest[place(seen)] else { return true };
            // a slanted surface has different depths within a cell, but none of it is behind itself
            let behind = (other.point - seen.sample.point).dot(&other.normal);
            seen.depth <= depth + margin || behind <= margin
        });
        &self.points
    }
}

/// `eye` is where the camera is, in the object's frame.
fn facing(sample: &SurfacePoint, eye: &Point3<f64>, pose: &Isometry3<f64>, view: &CameraView) -> Option<SeenPoint> {
    let towards = eye - sample.point;
    let cosine = sample.normal.dot(&towards) / towards.norm();
    if cosine < LEAST_COSINE {
        return None;
    }
    let (column, row, depth) = view.project(&(pose * sample.point))?;
    view.pixel(column, row)?;
    Some(SeenPoint { sample: *sample, place: (column, row), depth, cosine })
}
