//! Rapier's pipeline with our parameters, and the joints' angles and motor rows in f64.

use nalgebra::{Isometry3, Vector3};
use rapier3d::prelude::*;

use crate::actuator::MotorRow;
use crate::convert::{pose, pose64, vector, vector64};
use crate::spawn::{Spawned, SpawnedJoint, motor_axis};

/// The physics and its parameters.
pub(crate) struct Physics {
    /// Rapier's sets, and its pipeline, which only holds working memory.
    pub world: PhysicsWorld,
    /// Solver substeps in a step.
    pub substeps: usize,
    /// Bodies that have been pushed in the last step.
    pushed: Vec<RigidBodyHandle>,
}

/// A joint with its frames in the physics' precision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hinge {
    pub joint: SpawnedJoint,
    frame1: Pose,
    frame2: Pose,
    axis: JointAxis,
    /// Lowest and highest position [rad or m].
    limits: Option<[f32; 2]>,
    /// From here to a limit the solver has to know of it [rad or m].
    margin: f64,
}

/// Where a joint is and how fast it moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct JointMotion {
    /// [rad or m], turns counted
    pub position: f64,
    /// [rad/s or m/s]
    pub velocity: f64,
}

impl Physics {
    /// The physics of `spawned` under `gravity` [m/s²], in steps of `step` [s].
    pub fn new(spawned: &Spawned, gravity: f64, step: f64, substeps: usize) -> Physics {
        let world = PhysicsWorld {
            gravity: vector(&Vector3::new(0.0, 0.0, -gravity)),
            integration_parameters: parameters(step, substeps),
            bodies: spawned.bodies.clone(),
            colliders: spawned.colliders.clone(),
            impulse_joints: spawned.impulse_joints.clone(),
            ..PhysicsWorld::default()
        };
        Physics { world, substeps, pushed: Vec::with_capacity(64) }
    }

    /// One step; the pushes of this step end with it.
    pub fn step(&mut self) {
        self.world.step();
        for body in self.pushed.drain(..) {
            if let Some(body) = self.world.bodies.get_mut(body) {
                body.reset_forces(false);
                body.reset_torques(false);
            }
        }
    }

    /// Pushes a body at a point for the next step: force [N], in the world.
    pub fn push(&mut self, body: RigidBodyHandle, force: &Vector3<f64>, point: &Vector3<f64>) {
        if let Some(target) = self.world.bodies.get_mut(body) {
            target.add_force_at_point(vector(force), vector(point), true);
            self.pushed.push(body);
        }
    }

    /// Twists a body for the next step: torque [N·m], in the world.
    pub fn twist(&mut self, body: RigidBodyHandle, torque: &Vector3<f64>) {
        if let Some(target) = self.world.bodies.get_mut(body) {
            target.add_torque(vector(torque), true);
            self.pushed.push(body);
        }
    }

    /// Pose of a body's frame in the world.
    pub fn pose(&self, body: RigidBodyHandle) -> Isometry3<f64> {
        pose64(self.world.bodies[body].position())
    }

    /// Velocity [m/s], along the world's axes, of the point of a body that is at `point`.
    pub fn velocity_at(&self, body: RigidBodyHandle, point: &Vector3<f64>) -> Vector3<f64> {
        vector64(self.world.bodies[body].velocity_at_point(vector(point)))
    }

    /// Angular velocity [rad/s] of a body, along the world's axes.
    pub fn angular_velocity(&self, body: RigidBodyHandle) -> Vector3<f64> {
        vector64(self.world.bodies[body].angvel())
    }

    /// Where a hinge is, given where it was: turns are counted.
    pub fn motion(&self, hinge: &Hinge, before: f64) -> JointMotion {
        let parent = &self.world.bodies[hinge.joint.parent];
        let child = &self.world.bodies[hinge.joint.child];
        let frame1 = *parent.position() * hinge.frame1;
        let frame2 = *child.position() * hinge.frame2;
        let axis = frame1.rotation * Vector::X;
        if hinge.joint.slides {
            let at = frame2.translation;
            let position = f64::from((at - frame1.translation).dot(axis));
            let velocity = f64::from((child.velocity_at_point(at) - parent.velocity_at_point(at)).dot(axis));
            return JointMotion { position, velocity };
        }
        let relative = frame1.rotation.inverse() * frame2.rotation;
        let angle = 2.0 * libm::atan2(f64::from(relative.x), f64::from(relative.w));
        let turns = libm::round((before - angle) / core::f64::consts::TAU);
        let velocity = f64::from((child.angvel() - parent.angvel()).dot(axis));
        JointMotion { position: angle + turns * core::f64::consts::TAU, velocity }
    }

    /// Tells a joint's motor row what to do in the next step, and its limit if it is near.
    pub fn set_row(&mut self, hinge: &Hinge, row: &MotorRow, motion: &JointMotion) {
        let Some(joint) = self.world.impulse_joints.get_mut(hinge.joint.handle, false) else { return };
        let axis = hinge.axis as usize;
        let motor = &mut joint.data.motors[axis];
        motor.target_pos = row.target_position as f32;
        motor.target_vel = row.target_velocity as f32;
        motor.stiffness = row.stiffness as f32;
        motor.damping = row.damping as f32;
        motor.max_force = row.max_effort as f32;
        let Some(limits) = hinge.limits else { return };
        let near = motion.position < f64::from(limits[0]) + hinge.margin
            || motion.position > f64::from(limits[1]) - hinge.margin;
        if near {
            joint.data.set_limits(hinge.axis, limits);
        } else {
            joint.data.limit_axes.remove(JointAxesMask::from(hinge.axis));
        }
    }
}

impl Hinge {
    /// A joint with its limits [rad or m], infinite where there are none.
    pub fn new(joint: SpawnedJoint, lower: f64, upper: f64) -> Hinge {
        let (frame1, frame2) = (pose(&joint.frame_in_parent), pose(&joint.frame_in_child));
        let limited = lower.is_finite() && upper.is_finite();
        let limits = limited.then_some([lower as f32, upper as f32]);
        let margin = if joint.slides { 0.02 } else { 0.1 };
        Hinge { joint, frame1, frame2, axis: motor_axis(joint.slides), limits, margin }
    }
}

/// Rapier's parameters where ours differ from its own, which are made for games at 60 Hz.
pub(crate) fn parameters(step: f64, substeps: usize) -> IntegrationParameters {
    IntegrationParameters {
        dt: step as f32,
        num_solver_iterations: substeps,
        // at 1 kHz nothing here moves further in a step than it is thick
        max_ccd_substeps: 0,
        normalized_prediction_distance: 0.01,
        // rapier keeps contact points of a pair that has moved by up to 5 cm; a wheel would roll over a stone on them
        normalized_contact_recycle_distance: 0.002,
        ..IntegrationParameters::default()
    }
}
