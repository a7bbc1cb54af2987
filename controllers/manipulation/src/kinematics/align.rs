//! Frames whose z lies along a joint's axis, so that the joint turns two columns and nothing else.

use nalgebra::{Quaternion, Unit, UnitQuaternion, Vector3};

/// A rotation that takes z onto `axis`.
pub(crate) fn z_onto(axis: &Unit<Vector3<f64>>) -> UnitQuaternion<f64> {
    if axis.z >= 0.0 {
        return half_turn(&Unit::new_normalize(Vector3::z() + axis.as_ref()));
    }
    // z upside down first: then the two are never nearly opposite
    half_turn(&Unit::new_normalize(Vector3::z() - axis.as_ref())) * half_turn(&Vector3::x_axis())
}

fn half_turn(axis: &Unit<Vector3<f64>>) -> UnitQuaternion<f64> {
    UnitQuaternion::new_unchecked(Quaternion::from_parts(0.0, axis.into_inner()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_axis_is_met() {
        let axes = [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.3, -0.4, 0.5], [1e-9, 2e-9, -1.0]];
        for axis in axes.map(|axis| Unit::new_normalize(Vector3::from(axis))) {
            let turned = z_onto(&axis) * Vector3::z();
            assert!((turned - axis.as_ref()).norm() < 1e-14, "{turned} for {axis:?}");
            assert!((z_onto(&axis).norm() - 1.0).abs() < 1e-14);
        }
    }
}
