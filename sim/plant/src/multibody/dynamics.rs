//! The articulated-body algorithm and the step in time.

use nalgebra::{Isometry3, Matrix6, Translation3, UnitQuaternion, Vector3};

use super::spatial::{Twist, Wrench, angular, cross_force, inertia, linear, momentum};
use super::state::Multibody;

/// What acts in a joint: an effort, a rotor, and a spring and a damper that are taken implicitly, at the end of the step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Drive {
    /// [N·m or N]
    pub effort: f64,
    /// Reflected inertia [kg·m² or kg].
    pub rotor: f64,
    /// [N·m/rad or N/m]
    pub stiffness: f64,
    /// [N·m·s/rad or N·s/m]
    pub damping: f64,
    /// Where the spring is relaxed [rad or m].
    pub rest_position: f64,
    /// Where the damper is [rad/s or m/s].
    pub rest_velocity: f64,
}

impl Multibody {
    /// Sets the outer forces to gravity [m/s²], downward, and forgets the last step's impulses.
    pub fn weigh(&mut self, gravity: f64) {
        for (body, bone) in self.bodies.iter_mut().zip(&self.skeleton.bodies) {
            let weight = Vector3::new(0.0, 0.0, -bone.inertia.mass * gravity);
            body.outer = super::spatial::wrench_at(&weight, &body.com);
            body.impulse = Wrench::zeros();
        }
    }

    /// Articulated-body algorithm (Featherstone 2008, table 7.1) with one drive per body; the base's is ignored. A rotor J
    /// adds J to Featherstone's D. A spring k and a damper d at the end of a step h, −k (q + h q̇′) − d q̇′ with
    /// q̇′ = q̇ + h q̈, add h d + h² k.
    pub fn accelerate(&mut self, drives: &[Drive], step: f64) {
        for (body, bone) in self.bodies.iter_mut().zip(&self.skeleton.bodies) {
            let mass = bone.inertia.mass;
            body.articulated = inertia(mass, &body.com, &body.at_com);
            let momentum = momentum(mass, &body.com, &body.at_com, &body.twist);
            body.force = cross_force(&body.twist, &momentum) - body.outer;
        }
        for index in (1..self.bodies.len()).rev() {
            let (q, q_dot) = (self.state.positions[index], self.state.velocities[index]);
            let Drive { effort, rotor, stiffness, damping, rest_position, rest_velocity } = drives[index];
            let held = stiffness * (rest_position - q - step * q_dot) + damping * (rest_velocity - q_dot);
            let body = &mut self.bodies[index];
            body.U = body.articulated * body.axis;
            let resistance = rotor + step * damping + step * step * stiffness;
            body.D_inverse = 1.0 / (body.axis.dot(&body.U) + resistance);
            body.u = effort + held - body.axis.dot(&body.force);
            let mut passed = body.articulated;
            subtract_square(&mut passed, &body.U, body.D_inverse);
            let force = body.force + passed * body.bias + body.U * (body.u * body.D_inverse);
            let parent = &mut self.bodies[self.skeleton.bodies[index].parent];
            parent.articulated += passed;
            parent.force += force;
        }
        let base = &self.bodies[0];
        self.base_inverse = base.articulated.try_inverse().unwrap_or_else(Matrix6::zeros);
        self.base_acceleration = -(self.base_inverse * base.force);
        self.fall(step);
    }

    /// The velocities at the end of the step without contact.
    fn fall(&mut self, step: f64) {
        // accelerations are kept in `force`, which has done its duty
        self.bodies[0].force = self.base_acceleration;
        self.bodies[0].next_twist = self.bodies[0].twist + self.base_acceleration * step;
        for index in 1..self.bodies.len() {
            let carried = self.bodies[self.skeleton.bodies[index].parent].force + self.bodies[index].bias;
            let body = &mut self.bodies[index];
            body.acceleration = (body.u - body.U.dot(&carried)) * body.D_inverse;
            body.force = carried + body.axis * body.acceleration;
            body.next_twist = body.twist + body.force * step;
        }
    }

    /// Adds what the bodies' contact impulses do to the velocities at the end of the step, and steps on.
    pub fn integrate(&mut self, step: f64) {
        // the impulses go down to the base …
        for body in &mut self.bodies {
            body.force = body.impulse;
        }
        for index in (1..self.bodies.len()).rev() {
            let body = &mut self.bodies[index];
            body.u = body.axis.dot(&body.force);
            let force = body.force - body.U * (body.u * body.D_inverse);
            self.bodies[self.skeleton.bodies[index].parent].force += force;
        }
        // … and the jumps of velocity come up again
        let jump: Twist = self.base_inverse * self.bodies[0].force;
        self.bodies[0].force = jump;
        for index in 1..self.bodies.len() {
            let carried = self.bodies[self.skeleton.bodies[index].parent].force;
            let body = &mut self.bodies[index];
            let joint = (body.u - body.U.dot(&carried)) * body.D_inverse;
            body.force = carried + body.axis * joint;
            self.state.velocities[index] += step * body.acceleration + joint;
            self.state.positions[index] += step * self.state.velocities[index];
        }
        for body in &mut self.bodies {
            body.next_twist += body.force;
        }
        self.expected_momentum = self.momentum_after(step);
        self.move_base(step);
    }

    /// Places the bodies where [`Multibody::integrate`] has taken them, with the momentum that they must have.
    ///
    /// Joints are stepped on in their own coordinates, in which momentum is kept only to the order of the step. The base's
    /// velocity makes up for it: that is exact, and of the second order in the step.
    pub fn arrive(&mut self) {
        let before = self.reference;
        self.update();
        let mut lacking = self.expected_momentum;
        let shift = self.reference - before;
        let turned = angular(&lacking) - shift.cross(&linear(&lacking));
        lacking.fixed_rows_mut::<3>(0).copy_from(&turned);
        let mut whole = Matrix6::zeros();
        for (body, bone) in self.bodies.iter().zip(&self.skeleton.bodies) {
            let mass = bone.inertia.mass;
            whole += inertia(mass, &body.com, &body.at_com);
            lacking -= momentum(mass, &body.com, &body.at_com, &body.twist);
        }
        let Some(correction) = whole.cholesky().map(|whole| whole.solve(&lacking)) else { return };
        self.state.base_velocity += linear(&correction);
        self.state.base_angular_velocity += angular(&correction);
        self.update();
    }

    /// The momentum about the present reference that outer forces and contact impulses lead to.
    fn momentum_after(&self, step: f64) -> Wrench {
        let of = |(body, bone): (&super::state::Body, &super::model::Bone)| {
            let now = momentum(bone.inertia.mass, &body.com, &body.at_com, &body.twist);
            now + body.outer * step + body.impulse
        };
        self.bodies.iter().zip(&self.skeleton.bodies).map(of).sum()
    }

    fn move_base(&mut self, step: f64) {
        let old = self.bodies[0].twist;
        let new = old + self.base_acceleration * step + self.bodies[0].force;
        let turning = angular(&new);
        // the spatial acceleration is that of a field at a fixed point; the base's origin moves on in it
        let moving = linear(&new) + angular(&old).cross(&linear(&old)) * step;
        let state = &mut self.state;
        let turn = UnitQuaternion::from_scaled_axis(turning * step);
        let rotation = UnitQuaternion::new_normalize((turn * state.base_in_world.rotation).into_inner());
        let translation = state.base_in_world.translation.vector + moving * step;
        state.base_in_world = Isometry3::from_parts(Translation3::from(translation), rotation);
        (state.base_velocity, state.base_angular_velocity) = (moving, turning);
    }

    /// Force [N] and torque [N·m] of a body on the one that carries it, about the body's origin and along the world's axes,
    /// as the mean of the last step of `step` [s]: what its subtree is pushed by, less what changed its momentum.
    pub fn reaction(&self, body: usize, step: f64) -> (Vector3<f64>, Vector3<f64>) {
        let mut sum = Wrench::zeros();
        for index in body..self.bodies.len() {
            if !self.is_carried_by(index, body) {
                continue;
            }
            let (moving, bone) = (&self.bodies[index], &self.skeleton.bodies[index]);
            let of = |twist: &Twist| momentum(bone.inertia.mass, &moving.com, &moving.at_com, twist);
            let gained = of(&(moving.next_twist - moving.twist)) / step;
            let turned = cross_force(&moving.twist, &of(&moving.twist));
            sum += moving.outer + moving.impulse / step - gained - turned;
        }
        let origin = self.bodies[body].in_world.translation.vector - self.reference;
        (linear(&sum), angular(&sum) - origin.cross(&linear(&sum)))
    }

    fn is_carried_by(&self, mut body: usize, carrier: usize) -> bool {
        while body > carrier {
            body = self.skeleton.bodies[body].parent;
        }
        body == carrier
    }
}

/// a −= v vᵀ s, for a symmetric result.
pub(super) fn subtract_square(a: &mut Matrix6<f64>, v: &Wrench, s: f64) {
    for column in 0..6 {
        let scaled = v[column] * s;
        for row in 0..6 {
            a[(row, column)] -= v[row] * scaled;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::spatial::pair;
    use super::*;

    #[test]
    fn a_square_is_subtracted() {
        let v = pair(&Vector3::new(1.0, 2.0, 3.0), &Vector3::new(4.0, 5.0, 6.0));
        let mut a = Matrix6::identity();
        subtract_square(&mut a, &v, 0.5);
        assert!((a - (Matrix6::identity() - v * v.transpose() * 0.5)).norm() < 1e-15);
    }
}
