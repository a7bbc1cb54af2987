//! Where the robot is, and the working memory of one step.
#![expect(non_snake_case, reason = "U and D are Featherstone's names")]

use nalgebra::{Isometry3, Matrix3, Matrix6, Translation3, UnitQuaternion, Vector3};
use robot_io::StateVisitor;

use super::model::Skeleton;
use super::spatial::{Twist, Wrench, angular, linear, pair, velocity_at};

/// What a step changes and the next one needs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    /// Pose of the base.
    pub base_in_world: Isometry3<f64>,
    /// Velocity of the base's origin [m/s], along the world's axes.
    pub base_velocity: Vector3<f64>,
    /// Angular velocity of the base [rad/s], along the world's axes.
    pub base_angular_velocity: Vector3<f64>,
    /// For each body the position of the joint above it [rad or m]; 0 for the base.
    pub positions: Vec<f64>,
    /// For each body the velocity of the joint above it [rad/s or m/s]; 0 for the base.
    pub velocities: Vec<f64>,
}

/// What moves farther or faster than this [m, rad, m/s, rad/s] has left physics, and soon is no number.
const LARGEST: f64 = 1e9;

impl State {
    /// The first body whose place or velocity is no longer a finite number: 0 for the base, else the one below a joint.
    pub fn no_number(&self) -> Option<usize> {
        let State { base_in_world, base_velocity, base_angular_velocity, positions, velocities } = self;
        let is_number = |number: &f64| number.abs() <= LARGEST;
        let joint = positions.iter().zip(velocities).position(|(at, speed)| !is_number(at) || !is_number(speed));
        let place = base_in_world.translation.vector.iter().chain(base_in_world.rotation.coords.iter());
        let base = place.chain(base_velocity.iter()).chain(base_angular_velocity.iter()).all(is_number);
        joint.or((!base).then_some(0))
    }
}

/// The robot's bodies in motion.
#[derive(Clone, Debug)]
pub(crate) struct Multibody {
    /// What is constant.
    pub skeleton: Skeleton,
    /// What is not.
    pub state: State,
    /// What follows from it, body by body.
    pub bodies: Vec<Body>,
    /// The point about which all spatial vectors are taken: the base's origin at the beginning of the step.
    pub reference: Vector3<f64>,
    /// Momentum that the bodies must have at the end of the step, about the reference of its beginning.
    pub(super) expected_momentum: Wrench,
    /// Inverse of the base's articulated inertia.
    pub(super) base_inverse: Matrix6<f64>,
    /// Acceleration of the base before contact.
    pub(super) base_acceleration: Twist,
}

/// One body in one step.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    /// Its frame in the world.
    pub in_world: Isometry3<f64>,
    /// Its centre of mass, relative to the reference.
    pub com: Vector3<f64>,
    /// Its velocity.
    pub twist: Twist,
    /// Its velocity at the end of the step, about the same point.
    pub next_twist: Twist,
    /// Force and torque from outside in this step, gravity included.
    pub outer: Wrench,
    /// Contact impulse of this step.
    pub impulse: Wrench,
    /// Acceleration of its joint before contact.
    pub(super) acceleration: f64,
    /// The joint's unit twist, S.
    pub(super) axis: Twist,
    /// Velocity product v × S q̇.
    pub(super) bias: Twist,
    /// Rotational inertia about the centre of mass, along the world's axes.
    pub(super) at_com: Matrix3<f64>,
    /// Articulated inertia.
    pub(super) articulated: Matrix6<f64>,
    /// Articulated bias force.
    pub(super) force: Wrench,
    /// Articulated inertia times S.
    pub(super) U: Wrench,
    /// 1 / D, where D = SᵀU + rotor and implicit terms.
    pub(super) D_inverse: f64,
    /// What is left for the joint.
    pub(super) u: f64,
}

impl Multibody {
    /// A robot at rest.
    pub fn new(skeleton: Skeleton, base_in_world: Isometry3<f64>, positions: Vec<f64>) -> Multibody {
        let count = skeleton.bodies.len();
        let body = Body {
            in_world: Isometry3::identity(),
            com: Vector3::zeros(),
            twist: Twist::zeros(),
            next_twist: Twist::zeros(),
            outer: Wrench::zeros(),
            impulse: Wrench::zeros(),
            acceleration: 0.0,
            axis: Twist::zeros(),
            bias: Twist::zeros(),
            at_com: Matrix3::zeros(),
            articulated: Matrix6::zeros(),
            force: Wrench::zeros(),
            U: Wrench::zeros(),
            D_inverse: 0.0,
            u: 0.0,
        };
        let (base_velocity, base_angular_velocity) = (Vector3::zeros(), Vector3::zeros());
        let state =
            State { base_in_world, base_velocity, base_angular_velocity, positions, velocities: vec![0.0; count] };
        let mut robot = Multibody {
            skeleton,
            state,
            bodies: vec![body; count],
            reference: Vector3::zeros(),
            expected_momentum: Wrench::zeros(),
            base_inverse: Matrix6::zeros(),
            base_acceleration: Twist::zeros(),
        };
        robot.update();
        robot
    }

    /// Places all bodies and their velocities where the state says.
    pub fn update(&mut self) {
        let state = &self.state;
        self.reference = state.base_in_world.translation.vector;
        for index in 0..self.bodies.len() {
            let bone = &self.skeleton.bodies[index];
            let (in_world, parent_twist) = match index {
                0 => (state.base_in_world, pair(&state.base_angular_velocity, &state.base_velocity)),
                _ => {
                    let parent = &self.bodies[bone.parent];
                    let joint = parent.in_world * bone.joint_in_parent;
                    (joint * moved(&bone.axis, bone.slides, state.positions[index]), parent.twist)
                }
            };
            let body = &mut self.bodies[index];
            body.in_world = in_world;
            let rotation = in_world.rotation.to_rotation_matrix().into_inner();
            body.com = rotation * bone.inertia.com_in_link + in_world.translation.vector - self.reference;
            body.at_com = rotation * bone.inertia.rotational_at_com_in_link * rotation.transpose();
            body.twist = parent_twist;
            if index > 0 {
                let axis = rotation * bone.axis;
                let at = in_world.translation.vector - self.reference;
                body.axis = match bone.slides {
                    true => pair(&Vector3::zeros(), &axis),
                    false => pair(&axis, &at.cross(&axis)),
                };
                let own = body.axis * state.velocities[index];
                body.twist += own;
                body.bias = super::spatial::cross_motion(&body.twist, &own);
            }
        }
    }

    /// Velocity [m/s] of the point of a body that is at `point`, along the world's axes.
    pub fn velocity_at(&self, body: usize, point: &Vector3<f64>) -> Vector3<f64> {
        velocity_at(&self.bodies[body].twist, &(point - self.reference))
    }

    /// Angular velocity of a body [rad/s], along the world's axes.
    pub fn angular_velocity(&self, body: usize) -> Vector3<f64> {
        angular(&self.bodies[body].twist)
    }

    /// Mass [kg] and centre of mass [m], in the world.
    pub fn center_of_mass(&self) -> (f64, Vector3<f64>) {
        let (mut mass, mut moment) = (0.0, Vector3::zeros());
        for (body, bone) in self.bodies.iter().zip(&self.skeleton.bodies) {
            mass += bone.inertia.mass;
            moment += body.com * bone.inertia.mass;
        }
        (mass, moment / mass + self.reference)
    }

    /// Linear momentum [N·s] and angular momentum about the world's origin [N·m·s], rotors not included: the model has them
    /// at their joints only.
    pub fn momentum(&self) -> (Vector3<f64>, Vector3<f64>) {
        let mut sum = Wrench::zeros();
        for (body, bone) in self.bodies.iter().zip(&self.skeleton.bodies) {
            sum += super::spatial::momentum(bone.inertia.mass, &body.com, &body.at_com, &body.twist);
        }
        (linear(&sum), angular(&sum) + self.reference.cross(&linear(&sum)))
    }

    /// Kinetic and potential energy [J] of the bodies, rotors not included.
    pub fn energy(&self, gravity: f64) -> f64 {
        let energy = |(body, bone): (&Body, &super::model::Bone)| {
            let momentum = super::spatial::momentum(bone.inertia.mass, &body.com, &body.at_com, &body.twist);
            0.5 * body.twist.dot(&momentum) + bone.inertia.mass * gravity * (body.com.z + self.reference.z)
        };
        self.bodies.iter().zip(&self.skeleton.bodies).map(energy).sum()
    }
}

impl robot_io::State for State {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("base_in_world", &mut self.base_in_world);
        visitor.field("base_velocity", &mut self.base_velocity);
        visitor.field("base_angular_velocity", &mut self.base_angular_velocity);
        visitor.field("positions", self.positions.as_mut_slice());
        visitor.field("velocities", self.velocities.as_mut_slice());
    }
}

/// The displacement by which a joint at `position` [rad or m] moves its body.
fn moved(axis: &Vector3<f64>, slides: bool, position: f64) -> Isometry3<f64> {
    if slides {
        return Translation3::from(axis * position).into();
    }
    let (sin, cos) = libm::sincos(0.5 * position);
    let turn = nalgebra::Quaternion::from_parts(cos, axis * sin);
    Isometry3::from_parts(Translation3::identity(), UnitQuaternion::new_unchecked(turn))
}
