//! A small move of a floating base and its joints.

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use robot_model::{BASE_DOF, Configuration};

/// Moves a configuration by a step in velocity coordinates: the base by a shift [m] and a rotation vector [rad] in its own
/// frame, then the joints.
pub(crate) fn move_by(configuration: &mut Configuration, step: &[f64]) {
    let base = &mut configuration.base_in_world;
    let shift = base.rotation * Vector3::new(step[0], step[1], step[2]);
    let turn = rotation(&Vector3::new(step[3], step[4], step[5]));
    let rotation = UnitQuaternion::new_normalize((base.rotation * turn).into_inner());
    *base = Isometry3::from_parts(Translation3::from(base.translation.vector + shift), rotation);
    for (position, step) in configuration.joints.iter_mut().zip(&step[BASE_DOF..]) {
        *position += step;
    }
}

fn rotation(vector: &Vector3<f64>) -> UnitQuaternion<f64> {
    let angle = vector.norm();
    let (sine, cosine) = libm::sincos(0.5 * angle);
    let per_angle = if angle > 1e-12 { sine / angle } else { 0.5 };
    UnitQuaternion::new_normalize(Quaternion::from_parts(cosine, vector * per_angle))
}
