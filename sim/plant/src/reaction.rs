//! What a joint's two bodies do to each other, from the impulses that the solver left.
//!
//! Rapier makes the rows of a joint orthogonal to each other (modified Gram–Schmidt in the metric of the inverse mass
//! matrix) and keeps one impulse for each row of the result. The rows are made again here, in f64, and summed.

use nalgebra::{Matrix3, Vector3};
use rapier3d::prelude::*;

use crate::convert::{pose64, vector64};
use crate::physics::Physics;
use crate::spawn::SpawnedJoint;

/// A constraint row: velocity along it = linear·(v₂ − v₁) + angular₂·ω₂ − angular₁·ω₁.
#[derive(Clone, Copy)]
struct Row {
    linear: Vector3<f64>,
    angular1: Vector3<f64>,
    angular2: Vector3<f64>,
    impulse: f64,
}

/// Force [N] and torque [N·m] of the joint's child on its parent, about `origin`, along the world's axes, by the last
/// substep.
pub(crate) fn of_child_on_parent(
    physics: &Physics,
    joint: &SpawnedJoint,
    origin: &Vector3<f64>,
) -> (Vector3<f64>, Vector3<f64>) {
    let Some(set) = physics.world.impulse_joints.get(joint.handle) else {
        return (Vector3::zeros(), Vector3::zeros());
    };
    let (one, two) = (&physics.world.bodies[joint.parent], &physics.world.bodies[joint.child]);
    let mut rows = rows(joint, set, one, two);
    let masses = Masses::of(one, two);
    orthogonalise(&mut rows, &masses);
    let com = vector64(two.center_of_mass());
    let motor = motor_row(joint, set, one, two);
    let substep = f64::from(physics.world.integration_parameters.dt) / physics.substeps as f64;
    // the solver adds a row's impulse to the first body and takes it from the second
    let mut force = Vector3::zeros();
    let mut torque = Vector3::zeros();
    for row in rows.iter().chain(core::iter::once(&motor)) {
        let push = row.linear * (row.impulse / substep);
        force += push;
        torque += row.angular2 * (row.impulse / substep) + (com - origin).cross(&push);
    }
    // what it takes from the child is what the child gives to the parent; the lever is the child's
    (force, torque)
}

fn rows(joint: &SpawnedJoint, set: &ImpulseJoint, one: &RigidBody, two: &RigidBody) -> [Row; 6] {
    let frame1 = pose64(one.position()) * joint.frame_in_parent;
    let frame2 = pose64(two.position()) * joint.frame_in_child;
    let basis = frame1.rotation.to_rotation_matrix().into_inner();
    let axis = |index: usize| Vector3::from(basis.column(index));
    let relative = frame1.rotation.inverse() * frame2.rotation;
    let (sin, cos) = (relative.i, relative.w);
    // the rate of the relative quaternion's vector part, half an angle for small ones
    let angular_y = (axis(1) * cos + axis(2) * sin) * 0.5;
    let angular_z = (axis(2) * cos - axis(1) * sin) * 0.5;
    let turn = |angular: Vector3<f64>, impulse: f32| Row {
        linear: Vector3::zeros(),
        angular1: angular,
        angular2: angular,
        impulse: f64::from(impulse),
    };
    let at = frame2.translation.vector;
    let slide = |index: usize, impulse: f32| Row {
        linear: axis(index),
        angular1: (at - vector64(one.center_of_mass())).cross(&axis(index)),
        angular2: (at - vector64(two.center_of_mass())).cross(&axis(index)),
        impulse: f64::from(impulse),
    };
    let limit = |index: usize| {
        let axis_is_limited = set.data.limit_axes.bits() & (1 << index) != 0;
        if axis_is_limited { set.data.limits[index].impulse } else { 0.0 }
    };
    let impulses = &set.impulses;
    if joint.slides {
        let angular_x = axis(0) * (0.5 * cos);
        let locked = [turn(angular_x, impulses[3]), turn(angular_y, impulses[4]), turn(angular_z, impulses[5])];
        return [locked[0], locked[1], locked[2], slide(1, impulses[1]), slide(2, impulses[2]), slide(0, limit(0))];
    }
    let locked = [turn(angular_y, impulses[4]), turn(angular_z, impulses[5])];
    let slides = [slide(0, impulses[0]), slide(1, impulses[1]), slide(2, impulses[2])];
    [locked[0], locked[1], slides[0], slides[1], slides[2], turn(axis(0), limit(3))]
}

/// The motor's row, which rapier leaves as it is.
fn motor_row(joint: &SpawnedJoint, set: &ImpulseJoint, one: &RigidBody, two: &RigidBody) -> Row {
    let frame1 = pose64(one.position()) * joint.frame_in_parent;
    let frame2 = pose64(two.position()) * joint.frame_in_child;
    let axis = frame1.rotation * Vector3::x();
    if !joint.slides {
        let impulse = f64::from(set.data.motors[JointAxis::AngX as usize].impulse);
        return Row { linear: Vector3::zeros(), angular1: axis, angular2: axis, impulse };
    }
    let lever = |body: &RigidBody| (frame2.translation.vector - vector64(body.center_of_mass())).cross(&axis);
    let impulse = f64::from(set.data.motors[JointAxis::LinX as usize].impulse);
    Row { linear: axis, angular1: lever(one), angular2: lever(two), impulse }
}

/// Inverse masses and rotational inertias of the two bodies.
struct Masses {
    linear: f64,
    angular1: Matrix3<f64>,
    angular2: Matrix3<f64>,
}

impl Masses {
    fn of(one: &RigidBody, two: &RigidBody) -> Masses {
        let inverse = |body: &RigidBody| {
            let properties = body.mass_properties();
            let inertia = properties.local_mprops.reconstruct_inverse_inertia_matrix();
            let column = |c: usize| vector64(inertia.col(c));
            let local = Matrix3::from_columns(&[column(0), column(1), column(2)]);
            let rotation = pose64(body.position()).rotation.to_rotation_matrix().into_inner();
            rotation * local * rotation.transpose()
        };
        let linear = [one, two].iter().map(|body| 1.0 / f64::from(body.mass())).sum();
        Masses { linear, angular1: inverse(one), angular2: inverse(two) }
    }

    fn product(&self, a: &Row, b: &Row) -> f64 {
        self.linear * a.linear.dot(&b.linear)
            + a.angular1.dot(&(self.angular1 * b.angular1))
            + a.angular2.dot(&(self.angular2 * b.angular2))
    }
}

/// Rapier's `finalize_constraints`: each row is freed of those before it. The last one, the limit, frees none.
fn orthogonalise(rows: &mut [Row; 6], masses: &Masses) {
    for j in 0..rows.len() {
        let before = rows[j];
        let own = masses.product(&before, &before);
        if own <= 0.0 {
            continue;
        }
        for row in rows.iter_mut().skip(j + 1) {
            let share = masses.product(row, &before) / own;
            row.linear -= before.linear * share;
            row.angular1 -= before.angular1 * share;
            row.angular2 -= before.angular2 * share;
        }
    }
}
