//! Where a camera was while it took a picture, and how exact its pixels are.

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};
use robot_io::{Intrinsics, Settings};
use serde::{Deserialize, Serialize};

/// A camera while it took one picture: what its pixels see, and its pose when the first and the last row was exposed. In the
/// camera's frame x points ahead, y to the left and z up, as in [`Intrinsics`]; the fixed frame is the caller's, for example `odom`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraView {
    /// What its pixels see.
    pub intrinsics: Intrinsics,
    /// The camera in the fixed frame when the first row was exposed.
    pub first_row: Isometry3<f64>,
    /// The same for the last row. Between them the pose is interpolated (rolling shutter).
    pub last_row: Isometry3<f64>,
}

impl CameraView {
    /// A camera that stood still.
    pub fn still(intrinsics: Intrinsics, camera_in_fixed: Isometry3<f64>) -> CameraView {
        CameraView { intrinsics, first_row: camera_in_fixed, last_row: camera_in_fixed }
    }

    /// The camera in the fixed frame when a row was exposed.
    pub fn pose_at(&self, row: f64) -> Isometry3<f64> {
        if self.first_row == self.last_row || self.intrinsics.height < 2 {
            return self.first_row;
        }
        let share = (row / (self.intrinsics.height - 1) as f64).clamp(0.0, 1.0);
        let turned = self.first_row.rotation.inverse() * self.last_row.rotation;
        let shift = self.last_row.translation.vector - self.first_row.translation.vector;
        let rotation =
            self.first_row.rotation * nalgebra::UnitQuaternion::from_scaled_axis(turned.scaled_axis() * share);
        Isometry3::from_parts((self.first_row.translation.vector + shift * share).into(), rotation)
    }

    /// Where a pixel's ray begins in the fixed frame, and its direction with a length of 1 along the optical axis.
    pub fn ray(&self, column: f64, row: f64) -> (Point3<f64>, Vector3<f64>) {
        let pose = self.pose_at(row);
        (pose.translation.vector.into(), pose.rotation * self.intrinsics.ray(column, row))
    }

    /// Column, row and distance along the optical axis [m] of a point of the fixed frame; `None` behind the camera. The row
    /// decides when the point was seen, so it is found in two steps.
    pub fn project(&self, point: &Point3<f64>) -> Option<(f64, f64, f64)> {
        let seen = |row: f64| {
            let local = self.pose_at(row).inverse_transform_point(point);
            self.intrinsics.project(&local).map(|(column, row)| (column, row, local.x))
        };
        let middle = seen(0.5 * self.intrinsics.height as f64)?;
        if self.first_row == self.last_row { Some(middle) } else { seen(seen(middle.1)?.1) }
    }

    /// The pixel that is nearest to a place in the picture; `None` outside.
    pub fn pixel(&self, column: f64, row: f64) -> Option<usize> {
        let (u, v) = (column.round(), row.round());
        let inside = u >= 0.0 && v >= 0.0 && u < self.intrinsics.width as f64 && v < self.intrinsics.height as f64;
        inside.then(|| v as usize * self.intrinsics.width + u as usize)
    }
}

/// How exact a depth camera with structured light is: its depth comes from a disparity, so its error grows with the square of the
/// distance (Khoshelham and Oude Elberink, "Accuracy and resolution of Kinect depth data for indoor mapping applications", Sensors
/// 12, 2012).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct DepthNoise {
    /// From the projector to the camera [m].
    #[setting(0.075, positive)]
    pub baseline: f64,
    /// Standard deviation of a disparity [px]. Noise of 0.03 px, and steps of a sixteenth, which are uniform: 0.0625 / √12.
    #[setting(0.035, positive)]
    pub disparity_deviation: f64,
    /// How many neighbouring pixels share their errors. One in the simulator; a camera that correlates windows of 5 × 5 pixels has 25.
    #[setting(1.0, range = 1.0..=10_000.0)]
    pub shared_pixels: f64,
}

impl DepthNoise {
    /// Disparity [px] at one metre: that at a depth is this over the depth.
    pub fn disparity_at_one_metre(&self, intrinsics: &Intrinsics) -> f64 {
        intrinsics.fx * self.baseline
    }

    /// Standard deviation [m] of a depth [m].
    pub fn deviation(&self, intrinsics: &Intrinsics, depth: f64) -> f64 {
        depth * depth * self.disparity_deviation / self.disparity_at_one_metre(intrinsics)
    }

    /// That of depths which are those of planes through windows that reach so far to each side [px].
    #[must_use]
    pub fn smoothed(&self, reach: usize) -> DepthNoise {
        let side = (2 * reach + 1) as f64;
        let shared_pixels = self.shared_pixels.max(side * side);
        let fewer = (shared_pixels / self.shared_pixels).sqrt();
        DepthNoise { disparity_deviation: self.disparity_deviation / fewer, shared_pixels, ..*self }
    }

    /// Covariance [m²] of a measured point in the frame in which its ray is given: along the ray that of the depth, across
    /// it that of a place within a pixel. `ray` has a length of 1 along the optical axis.
    pub fn covariance(&self, intrinsics: &Intrinsics, ray: &Vector3<f64>, depth: f64) -> Matrix3<f64> {
        let along = self.deviation(intrinsics, depth);
        let across = depth / intrinsics.fx;
        let variance_across = across * across / 12.0;
        let direction = ray.normalize();
        let outer = direction * direction.transpose();
        let length = along * ray.norm();
        outer * (length * length) + (Matrix3::identity() - outer) * variance_across
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_a_moving_camera_sees_in_a_pixel_is_projected_into_it(
            column in 5.0_f64..310.0, row in 5.0_f64..230.0, depth in 0.5_f64..4.0,
            shift in prop::array::uniform3(-0.01_f64..0.01), turn in prop::array::uniform3(-0.01_f64..0.01),
        ) {
            let intrinsics = Intrinsics::with_field_of_view(320, 240, 1.0);
            let first_row = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.1, 0.6, -0.3));
            let last_row = first_row * Isometry3::new(shift.into(), turn.into());
            let view = CameraView { intrinsics, first_row, last_row };
            let (origin, ray) = view.ray(column, row);
            let (u, v, ahead) = view.project(&(origin + ray * depth)).unwrap();
            prop_assert!((u - column).abs() < 0.02 && (v - row).abs() < 0.02, "{} {} is not {} {}", u, v, column, row);
            prop_assert!((ahead - depth).abs() < 1e-4);
        }
    }

    #[test]
    fn an_error_of_depth_grows_with_the_square_of_the_distance() {
        let intrinsics = Intrinsics::with_field_of_view(320, 240, 58.0_f64.to_radians());
        let noise = DepthNoise::default();
        let (near, far) = (noise.deviation(&intrinsics, 1.0), noise.deviation(&intrinsics, 2.0));
        assert!((1e-3..3e-3).contains(&near), "{near}");
        assert!((far / near - 4.0).abs() < 1e-9);
    }
}
