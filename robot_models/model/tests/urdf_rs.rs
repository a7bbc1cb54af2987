//! An independent reader, urdf-rs, finds the same numbers in the same file.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;
use robot_model::{Motion, Tree, Urdf};
use support::{LEG, assert_close};

proptest! {
    #[test]
    fn numbers_are_read_alike(changes in prop::collection::vec((0..1000_usize, 0.001..3.0_f64), 0..8)) {
        let text = changes.iter().fold(LEG.to_owned(), |text, (which, factor)| scaled(&text, *which, *factor));
        if let Ok(ours) = Urdf::read("leg.urdf", &text) {
            compare(&ours.tree, &urdf_rs::read_from_string(&text).unwrap());
        }
    }
}

/// The text with all numbers of its `which`-th attribute multiplied; names stay what they are.
fn scaled(text: &str, which: usize, factor: f64) -> String {
    let mut parts: Vec<String> = text.split('"').map(str::to_owned).collect();
    let values = parts.len() / 2;
    let value = &mut parts[2 * (which % values) + 1];
    let numbers: Result<Vec<f64>, _> = value.split_whitespace().map(str::parse::<f64>).collect();
    if let Ok(numbers) = numbers {
        *value = numbers.iter().map(|number| (number * factor).to_string()).collect::<Vec<_>>().join(" ");
    }
    parts.join("\"")
}

fn compare(ours: &Tree, theirs: &urdf_rs::Robot) {
    assert_eq!(ours.links.len(), theirs.links.len());
    for link in &theirs.links {
        let our = &ours.links[ours.link(&link.name).unwrap()];
        let inertial = &link.inertial;
        assert_eq!(our.inertia.mass, inertial.mass.value);
        assert_eq!(our.inertia.com_in_link, Vector3::from(inertial.origin.xyz.0));
        let turned = pose(&inertial.origin).rotation.to_rotation_matrix();
        let back = turned.transpose() * our.inertia.rotational_at_com_in_link * turned;
        let (i, given) = (&inertial.inertia, [back.m11, back.m12, back.m13, back.m22, back.m23, back.m33]);
        assert_close(&given, &[i.ixx, i.ixy, i.ixz, i.iyy, i.iyz, i.izz], 1e-15, &link.name);
        assert_eq!((our.visuals.len(), our.collisions.len()), (link.visual.len(), link.collision.len()));
    }
    for joint in &theirs.joints {
        let is_it = |name: &Option<String>| name.as_ref() == Some(&joint.name);
        let our = ours.links.iter().find(|link| is_it(&link.joint_name)).unwrap();
        assert_eq!(our.name, joint.child.link);
        assert_eq!(ours.links[our.parent.unwrap()].name, joint.parent.link);
        let difference = our.placement_in_parent.inv_mul(&pose(&joint.origin));
        assert!(difference.translation.vector.amax() < 1e-15 && difference.rotation.angle() < 1e-7, "{}", joint.name);
        if let Motion::Joint(index) = our.motion {
            let axis = Vector3::from(joint.axis.xyz.0).normalize();
            assert_close(our.axis_in_link.as_slice(), axis.as_slice(), 1e-15, &joint.name);
            let limits = ours.joints[index].limits;
            if limits.lower.is_finite() {
                let given = [joint.limit.lower, joint.limit.upper, joint.limit.velocity, joint.limit.effort];
                assert_eq!([limits.lower, limits.upper, limits.velocity, limits.effort], given);
            }
        }
    }
}

fn pose(origin: &urdf_rs::Pose) -> Isometry3<f64> {
    let [roll, pitch, yaw] = origin.rpy.0;
    Isometry3::from_parts(Translation3::from(origin.xyz.0), UnitQuaternion::from_euler_angles(roll, pitch, yaw))
}
