//! Controllers speak f64 and nalgebra, Bevy f32 and glam. Both see the same world: metres, Z up.

use bevy::prelude::{Color, Quat, Transform, Vec3};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

/// A vector as Bevy sees it.
pub(crate) fn vec3(v: &Vector3<f64>) -> Vec3 {
    Vec3::new(v.x as f32, v.y as f32, v.z as f32)
}

/// A point as Bevy sees it.
pub(crate) fn point(p: &Point3<f64>) -> Vec3 {
    vec3(&p.coords)
}

/// A rotation as Bevy sees it.
pub(crate) fn quat(q: &UnitQuaternion<f64>) -> Quat {
    Quat::from_xyzw(q.i as f32, q.j as f32, q.k as f32, q.w as f32).normalize()
}

/// A pose as Bevy sees it.
pub(crate) fn transform(pose: &Isometry3<f64>) -> Transform {
    Transform { translation: vec3(&pose.translation.vector), rotation: quat(&pose.rotation), scale: Vec3::ONE }
}

/// A vector as the rest of the program sees it.
pub(crate) fn vector3(v: Vec3) -> Vector3<f64> {
    Vector3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z))
}

/// An opaque colour from red, green and blue in 0…1.
pub(crate) fn srgb(color: [f32; 3]) -> Color {
    Color::srgb(color[0], color[1], color[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_moves_points_alike_on_both_sides() {
        let pose = Isometry3::new(Vector3::new(1.0, -2.0, 0.5), Vector3::new(0.3, -0.7, 1.1));
        let here = pose * Point3::new(0.2, 0.4, -0.6);
        let there = transform(&pose) * Vec3::new(0.2, 0.4, -0.6);
        assert!((point(&here) - there).length() < 1e-6, "{here} and {there}");
    }
}
