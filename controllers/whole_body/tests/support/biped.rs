//! A biped of two legs and a trunk, and time that passes for it.

use nalgebra::{DMatrix, DVector, Isometry3, Translation3, UnitQuaternion, Vector3};
use robot_model::{
    BASE_DOF, Configuration, Data, GRAVITY_IN_WORLD, Tree, Urdf, aba, forward_kinematics, link_jacobian_in_world,
};
use whole_body::{Contact, InverseDynamics};

const URDF: &str = include_str!("biped.urdf");
/// The sole below the ankle [m].
pub const SOLE: f64 = -0.08;
/// How long one step of the test's time is [s].
pub const STEP: f64 = 0.001;

pub struct Biped {
    pub tree: Tree,
    pub configuration: Configuration,
    pub velocity: Vec<f64>,
    pub contacts: Vec<Contact>,
    data: Data,
}

pub fn tree() -> Tree {
    Urdf::read("biped.urdf", URDF).unwrap().tree
}

/// The foot's sole: 0.24 m by 0.12 m, its middle 3 cm before the ankle.
pub fn sole(side: &str, friction: f64) -> Contact {
    let corner = |x, y| Vector3::new(0.03 + x, y, SOLE);
    let corners = [corner(-0.12, -0.06), corner(0.12, -0.06), corner(0.12, 0.06), corner(-0.12, 0.06)];
    let mut contact = Contact::patch(&format!("{side} sole"), &format!("{side}_foot"), corners, friction).unwrap();
    contact.least_force = 10.0;
    contact
}

impl Biped {
    /// Both feet flat on the ground, knees bent by `knees` [rad], at rest.
    pub fn crouched(knees: f64) -> Biped {
        let tree = tree();
        let mut configuration = Configuration::zero(&tree);
        for side in ["left", "right"] {
            for (joint, angle) in [("hip_pitch", -knees / 2.0), ("knee", knees), ("ankle_pitch", -knees / 2.0)] {
                configuration.joints[tree.joint(&format!("{side}_{joint}")).unwrap()] = angle;
            }
        }
        let height = 0.8 * (knees / 2.0).cos() - SOLE;
        configuration.base_in_world = Isometry3::translation(0.0, 0.0, height);
        let velocity = vec![0.0; tree.velocity_dof()];
        let data = Data::new(&tree);
        let contacts = ["left", "right"].map(|side| sole(side, 0.6)).to_vec();
        Biped { tree, configuration, velocity, contacts, data }
    }

    pub fn link_in_world(&mut self, name: &str) -> Isometry3<f64> {
        forward_kinematics(&self.tree, &self.configuration, &mut self.data);
        self.data.link_in_world[self.tree.link(name).unwrap()]
    }

    /// What torques and wrenches really do to the robot, by the articulated body algorithm: its accelerations.
    pub fn accelerations(&mut self, control: &InverseDynamics) -> Vec<f64> {
        let dof = self.tree.velocity_dof();
        let mut efforts = vec![0.0; dof];
        efforts[BASE_DOF..].copy_from_slice(control.torques());
        forward_kinematics(&self.tree, &self.configuration, &mut self.data);
        let mut jacobian = DMatrix::zeros(6, dof);
        for contact in &self.contacts {
            let wrench = control.wrench(&contact.name).unwrap();
            let link = self.tree.link(&contact.link).unwrap();
            let frame = self.data.link_in_world[link] * contact.frame_in_link;
            let point = contact.frame_in_link.translation.vector;
            link_jacobian_in_world(&self.tree, &self.data, link, &point, &mut jacobian);
            let force = frame.rotation * Vector3::new(wrench[0], wrench[1], wrench[2]);
            let torque = frame.rotation * Vector3::new(wrench[3], wrench[4], wrench[5]);
            for (coordinate, effort) in efforts.iter_mut().enumerate() {
                let column = jacobian.column(coordinate);
                for axis in 0..3 {
                    *effort += column[axis] * force[axis] + column[3 + axis] * torque[axis];
                }
            }
        }
        let Biped { tree, configuration, velocity, data, .. } = self;
        aba(tree, configuration, velocity, &efforts, &GRAVITY_IN_WORLD, data).unwrap();
        data.accelerations.as_slice().to_vec()
    }

    /// The trunk gets this speed [m/s] along x and y, and the legs theirs so that the feet stand still.
    pub fn push(&mut self, x: f64, y: f64) {
        let dof = self.tree.velocity_dof();
        let mut base = DVector::zeros(BASE_DOF);
        (base[0], base[1]) = (x, y);
        let (mut of_joints, mut of_base) = (DMatrix::zeros(12, dof - BASE_DOF), DVector::zeros(12));
        forward_kinematics(&self.tree, &self.configuration, &mut self.data);
        let mut jacobian = DMatrix::zeros(6, dof);
        for (number, foot) in ["left_foot", "right_foot"].into_iter().enumerate() {
            let link = self.tree.link(foot).unwrap();
            link_jacobian_in_world(&self.tree, &self.data, link, &Vector3::zeros(), &mut jacobian);
            of_joints.rows_mut(6 * number, 6).copy_from(&jacobian.columns(BASE_DOF, dof - BASE_DOF));
            of_base.rows_mut(6 * number, 6).copy_from(&(jacobian.columns(0, BASE_DOF) * &base));
        }
        let joints = of_joints.lu().solve(&-of_base).unwrap();
        self.velocity[..BASE_DOF].copy_from_slice(base.as_slice());
        self.velocity[BASE_DOF..].copy_from_slice(joints.as_slice());
    }

    /// One step of time at these accelerations.
    pub fn step(&mut self, accelerations: &[f64]) {
        integrate(&mut self.configuration, &mut self.velocity, accelerations);
    }
}

/// One step of time at these accelerations, with the mean velocity.
pub fn integrate(configuration: &mut Configuration, velocity: &mut [f64], accelerations: &[f64]) {
    let middle: Vec<f64> = velocity.iter().zip(accelerations).map(|(v, a)| v + 0.5 * STEP * a).collect();
    let vector = |from: usize| Vector3::new(middle[from], middle[from + 1], middle[from + 2]) * STEP;
    let base = &mut configuration.base_in_world;
    let turn = UnitQuaternion::from_scaled_axis(vector(3));
    let shift = base.rotation * UnitQuaternion::from_scaled_axis(0.5 * vector(3)) * vector(0);
    *base = Isometry3::from_parts(Translation3::from(base.translation.vector + shift), base.rotation * turn);
    for (joint, speed) in configuration.joints.iter_mut().zip(&middle[BASE_DOF..]) {
        *joint += STEP * speed;
    }
    velocity.iter_mut().zip(accelerations).for_each(|(v, a)| *v += STEP * a);
}

/// From 0 to 1 while `time` goes from 0 to `duration`, at rest at both ends: value, speed and acceleration.
pub fn smooth(time: f64, duration: f64) -> (f64, f64, f64) {
    let s = (time / duration).clamp(0.0, 1.0);
    let value = s * s * s * (10.0 + s * (6.0 * s - 15.0));
    let speed = 30.0 * s * s * (1.0 - s) * (1.0 - s) / duration;
    let acceleration = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / (duration * duration);
    (value, speed, acceleration)
}
