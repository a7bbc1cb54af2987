//! What cameras report.

use nalgebra::{Point3, Vector3};
use serde::{Deserialize, Serialize};

use crate::{Period, State, Time};

/// A pinhole camera without distortion. In the sensor's frame x points ahead, y to the left and z up (REP 103); column
/// u runs to the right and row v down from the upper left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Intrinsics {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Focal length along a row [px].
    pub fx: f64,
    /// Focal length along a column [px].
    pub fy: f64,
    /// Column of the optical axis [px].
    pub cx: f64,
    /// Row of the optical axis [px].
    pub cy: f64,
}

impl Intrinsics {
    /// A camera with square pixels that sees `horizontal_angle` [rad] across its width.
    pub fn with_field_of_view(width: usize, height: usize, horizontal_angle: f64) -> Intrinsics {
        let focal = 0.5 * width as f64 / crate::math::tan(0.5 * horizontal_angle);
        let (cx, cy) = (0.5 * width as f64 - 0.5, 0.5 * height as f64 - 0.5);
        Intrinsics { width, height, fx: focal, fy: focal, cx, cy }
    }

    /// The direction in which a pixel looks, in the sensor's frame, one metre ahead (x = 1).
    pub fn ray(&self, column: f64, row: f64) -> Vector3<f64> {
        Vector3::new(1.0, -(column - self.cx) / self.fx, -(row - self.cy) / self.fy)
    }

    /// Column and row in which a point of the sensor's frame is seen; `None` behind the camera.
    pub fn project(&self, point: &Point3<f64>) -> Option<(f64, f64)> {
        let ahead = point.x > 1e-9;
        ahead.then(|| (self.cx - self.fx * point.y / point.x, self.cy - self.fy * point.z / point.x))
    }
}

/// A colour picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, State)]
pub struct Image {
    /// When the first row was exposed.
    pub stamp: Time,
    /// From one row to the next: rolling shutter; zero if all rows are exposed at once.
    pub row_period: Period,
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Red, green and blue (sRGB) of each pixel, row after row.
    #[state(packed)]
    pub rgb: Vec<u8>,
}

/// A picture of distances.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, State)]
pub struct DepthImage {
    /// When the first row was exposed.
    pub stamp: Time,
    /// From one row to the next: rolling shutter; zero if all rows are exposed at once.
    pub row_period: Period,
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Distance along the optical axis of each pixel [mm], row after row; 0 where there is none.
    #[state(packed)]
    pub depths: Vec<u16>,
}

impl DepthImage {
    /// The distance along the optical axis [m]; `None` where there is none.
    pub fn depth(&self, column: usize, row: usize) -> Option<f64> {
        let depth = self.depths.get(row * self.width + column).filter(|depth| **depth > 0 && column < self.width);
        depth.map(|depth| 1e-3 * f64::from(*depth))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_pixel_sees_what_is_projected_into_it() {
        let camera = Intrinsics::with_field_of_view(640, 480, 1.0);
        let point = Point3::from(camera.ray(100.0, 30.0) * 3.0);
        let (column, row) = camera.project(&point).unwrap();
        assert!((column - 100.0).abs() < 1e-9 && (row - 30.0).abs() < 1e-9);
        assert!(point.y > 0.0 && point.z > 0.0, "the upper left corner is to the left and up: {point}");
        assert_eq!(camera.project(&Point3::new(-1.0, 0.0, 0.0)), None);
    }
}
