//! The robot at an instant: all that tasks, contacts and limits ask for.

use nalgebra::{DMatrix, Isometry3, Vector3};
use robot_model::{
    Configuration, Data, Tree, Twist, Wrench, center_of_mass_in_world, centroidal_momentum, centroidal_momentum_bias,
    centroidal_momentum_matrix, crba, forward_bias, forward_kinematics, forward_velocities, link_bias_in_world,
    link_jacobian_in_world, link_velocity_in_world, rnea,
};

/// The robot's tree and what was computed of it.
#[derive(Clone, Debug)]
pub(crate) struct RobotState {
    pub tree: Tree,
    pub configuration: Configuration,
    /// In the tree's velocity order.
    pub velocity: Vec<f64>,
    /// Mass of the robot [kg].
    pub mass: f64,
    /// The mass matrix and, in its efforts, what gravity and velocities ask for.
    pub data: Data,
    /// The Jacobian that was asked for last.
    pub jacobian: DMatrix<f64>,
    /// The centroidal momentum matrix.
    pub momentum_matrix: DMatrix<f64>,
    /// Its change times the velocities [N, N·m].
    pub momentum_bias: Wrench,
    /// [kg·m/s, kg·m²/s].
    pub momentum: Wrench,
    /// In the world [m].
    pub center_of_mass: Vector3<f64>,
    zeros: Vec<f64>,
}

/// A point of a link and what it does, along the world's axes.
pub(crate) struct Point {
    pub pose_in_world: Isometry3<f64>,
    pub velocity: Twist,
    pub bias: Twist,
}

impl RobotState {
    pub fn new(tree: &Tree) -> RobotState {
        let dof = tree.velocity_dof();
        RobotState {
            tree: tree.clone(),
            configuration: Configuration::zero(tree),
            velocity: vec![0.0; dof],
            mass: tree.mass(),
            data: Data::new(tree),
            jacobian: DMatrix::zeros(6, dof),
            momentum_matrix: DMatrix::zeros(6, dof),
            momentum_bias: Wrench::zero(),
            momentum: Wrench::zero(),
            center_of_mass: Vector3::zeros(),
            zeros: vec![0.0; dof],
        }
    }

    /// The robot is there and moves so; the mass matrix and the efforts at no acceleration too.
    pub fn set(&mut self, configuration: &Configuration, velocity: &[f64], gravity: &Vector3<f64>) {
        self.velocity.copy_from_slice(velocity);
        self.place(configuration);
        self.compute(Some(gravity));
    }

    /// The robot is there, at rest, without dynamics.
    pub fn set_at_rest(&mut self, configuration: &Configuration) {
        self.velocity.fill(0.0);
        self.place(configuration);
        self.compute(None);
    }

    fn place(&mut self, configuration: &Configuration) {
        self.configuration.base_in_world = configuration.base_in_world;
        self.configuration.joints.copy_from_slice(&configuration.joints);
    }

    fn compute(&mut self, gravity: Option<&Vector3<f64>>) {
        let RobotState { tree, configuration, velocity, data, .. } = self;
        match gravity {
            Some(gravity) => {
                crba(tree, configuration, data);
                rnea(tree, configuration, velocity, &self.zeros, gravity, data);
            }
            None => {
                forward_kinematics(tree, configuration, data);
                forward_velocities(tree, velocity, data);
            }
        }
        forward_bias(tree, velocity, data);
        centroidal_momentum_matrix(tree, data, &mut self.momentum_matrix);
        self.momentum_bias = centroidal_momentum_bias(tree, data);
        self.momentum = centroidal_momentum(tree, data);
        self.center_of_mass = center_of_mass_in_world(tree, data);
    }

    /// Looks at a frame that is fixed to a link, and fills the Jacobian of its origin.
    pub fn look_at(&mut self, link: usize, frame_in_link: &Isometry3<f64>) -> Point {
        let point = frame_in_link.translation.vector;
        link_jacobian_in_world(&self.tree, &self.data, link, &point, &mut self.jacobian);
        self.point(link, frame_in_link)
    }

    /// The same without the Jacobian.
    pub fn point(&self, link: usize, frame_in_link: &Isometry3<f64>) -> Point {
        let point = frame_in_link.translation.vector;
        let link_in_world = &self.data.link_in_world[link];
        let arm = link_in_world.rotation * point;
        Point {
            pose_in_world: link_in_world * frame_in_link,
            velocity: link_velocity_in_world(&self.tree, &self.data, link).at(&arm),
            bias: link_bias_in_world(&self.tree, &self.data, link, &point),
        }
    }
}
