//! What a task sees: its Jacobian, how far it is off, and how that changes.

use nalgebra::{DMatrix, Isometry3, Translation3, Unit, UnitQuaternion, Vector3};

use crate::dense::Rows;
use crate::robot_state::RobotState;
use crate::tasks::{AngularMomentum, BoundTask, CenterOfMass, Gaze, Goal, Pose, Posture};

/// One row of what a task sees; the unit is the task's own.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sight {
    /// Wanted less measured position.
    pub error: f64,
    /// Wanted less measured velocity.
    pub rate: f64,
    /// Wanted acceleration.
    pub forward: f64,
    /// J̇ v.
    pub bias: f64,
}

/// What one task sees; made once for the largest.
#[derive(Clone, Debug)]
pub(crate) struct Observation {
    /// J over the velocity coordinates.
    pub jacobian: Rows,
    pub sights: Vec<Sight>,
}

impl Observation {
    /// Memory for that many velocity coordinates.
    pub fn new(velocity_dof: usize) -> Observation {
        let most = velocity_dof.max(6);
        Observation { jacobian: Rows::new(most, velocity_dof), sights: Vec::with_capacity(most) }
    }

    /// Looks with a task's eyes.
    pub fn observe(&mut self, bound: &BoundTask, state: &mut RobotState) {
        self.jacobian.clear();
        self.sights.clear();
        match &bound.task.goal {
            Goal::CenterOfMass(goal) => self.center_of_mass(goal, state),
            Goal::AngularMomentum(goal) => self.angular_momentum(goal, state),
            Goal::Pose(goal) => self.pose(goal, bound.link, state),
            Goal::Posture(goal) => self.posture(goal, &bound.joints, state),
            Goal::Gaze(goal) => self.gaze(goal, bound.link, state),
        }
    }

    fn center_of_mass(&mut self, goal: &CenterOfMass, state: &RobotState) {
        let per_mass = if state.mass > 0.0 { 1.0 / state.mass } else { 0.0 };
        let velocity = state.momentum.linear * per_mass;
        for axis in (0..3).filter(|axis| goal.axes[*axis]) {
            let sight = Sight {
                error: goal.position[axis] - state.center_of_mass[axis],
                rate: goal.velocity[axis] - velocity[axis],
                forward: goal.acceleration[axis],
                bias: state.momentum_bias.linear[axis] * per_mass,
            };
            self.push(&state.momentum_matrix, sight, |column| per_mass * column[axis]);
        }
    }

    /// Per kilogram of the robot, so that its numbers are of the size of the others'. Momentum has no position.
    fn angular_momentum(&mut self, goal: &AngularMomentum, state: &RobotState) {
        let per_mass = if state.mass > 0.0 { 1.0 / state.mass } else { 0.0 };
        for axis in (0..3).filter(|axis| goal.axes[*axis]) {
            let sight = Sight {
                error: 0.0,
                rate: (goal.momentum[axis] - state.momentum.angular[axis]) * per_mass,
                forward: goal.rate[axis] * per_mass,
                bias: state.momentum_bias.angular[axis] * per_mass,
            };
            self.push(&state.momentum_matrix, sight, |column| per_mass * column[3 + axis]);
        }
    }

    fn pose(&mut self, goal: &Pose, link: usize, state: &mut RobotState) {
        let point = state.look_at(link, &Translation3::from(goal.point_in_link).into());
        let off = goal.pose_in_world.translation.vector - point.pose_in_world.translation.vector;
        let turned = rotation_vector(&(goal.pose_in_world.rotation * point.pose_in_world.rotation.inverse()));
        let (velocity, bias) = (point.velocity.to_vector(), point.bias.to_vector());
        for axis in (0..6).filter(|axis| goal.axes[*axis]) {
            let sight = Sight {
                error: if axis < 3 { off[axis] } else { turned[axis - 3] },
                rate: goal.velocity[axis] - velocity[axis],
                forward: goal.acceleration[axis],
                bias: bias[axis],
            };
            self.push(&state.jacobian, sight, |column| column[axis]);
        }
    }

    fn posture(&mut self, goal: &Posture, joints: &[usize], state: &RobotState) {
        for (goal, joint) in goal.joints.iter().zip(joints) {
            let coordinate = robot_model::BASE_DOF + joint;
            self.jacobian.push()[coordinate] = 1.0;
            self.sights.push(Sight {
                error: goal.position - state.configuration.joints[*joint],
                rate: goal.velocity - state.velocity[coordinate],
                forward: goal.acceleration,
                bias: 0.0,
            });
        }
    }

    /// Two rows: the rotations about two axes that are perpendicular to where the link looks.
    fn gaze(&mut self, goal: &Gaze, link: usize, state: &mut RobotState) {
        let point = state.look_at(link, &Isometry3::identity());
        let looks = Unit::new_normalize(point.pose_in_world.rotation * goal.axis_in_link);
        let wanted = goal.target_in_world - point.pose_in_world.translation.vector;
        let across = perpendicular(&looks);
        let turn = turn_onto(&looks, &wanted, &across);
        for axis in [across, looks.cross(&across)] {
            let sight = Sight {
                error: axis.dot(&turn),
                rate: -axis.dot(&point.velocity.angular),
                forward: 0.0,
                bias: axis.dot(&point.bias.angular),
            };
            self.push(&state.jacobian, sight, |column| (0..3).map(|k| axis[k] * column[3 + k]).sum());
        }
    }

    /// One more row, whose entries are made of the columns of a matrix.
    fn push(&mut self, matrix: &DMatrix<f64>, sight: Sight, entry: impl Fn(&[f64]) -> f64) {
        let columns = matrix.as_slice().chunks_exact(matrix.nrows());
        self.jacobian.push().iter_mut().zip(columns).for_each(|(to, column)| *to = entry(column));
        self.sights.push(sight);
    }
}

/// The rotation vector (axis times angle, at most π) [rad].
pub(crate) fn rotation_vector(rotation: &UnitQuaternion<f64>) -> Vector3<f64> {
    let (sine, cosine) = (rotation.imag(), rotation.w);
    let length = sine.norm();
    // of a quaternion and its opposite, which are the same rotation, the one that turns less
    let half = libm::atan2(length, cosine.abs());
    let per_sine = if length > 1e-12 { 2.0 * half / length } else { 2.0 };
    sine * per_sine * if cosine < 0.0 { -1.0 } else { 1.0 }
}

/// The rotation vector that turns `from` towards `to` [rad]; about `across` where they are opposite.
fn turn_onto(from: &Vector3<f64>, to: &Vector3<f64>, across: &Vector3<f64>) -> Vector3<f64> {
    let cross = from.cross(to);
    let (sine, cosine) = (cross.norm(), from.dot(to));
    let angle = libm::atan2(sine, cosine);
    match sine > 1e-12 * to.norm() {
        true => cross * (angle / sine),
        false => across * angle,
    }
}

/// A unit vector perpendicular to another, across its smallest component.
fn perpendicular(vector: &Vector3<f64>) -> Vector3<f64> {
    let smallest = vector.iamin();
    vector.cross(&Vector3::ith(smallest, 1.0)).normalize()
}
