//! The question and the answer of every algorithm.
#![expect(non_snake_case, reason = "Featherstone's names")]

use nalgebra::{DMatrix, DVector, Isometry3, Matrix6, Vector6};

use crate::spatial::{SpatialInertia, Twist, Wrench};
use crate::tree::Tree;

/// Where the robot is: its base and its joints.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// Pose of the root link in the world [m].
    pub base_in_world: Isometry3<f64>,
    /// Positions of the independent joints in the tree's order [rad or m].
    pub joints: Vec<f64>,
}

/// Results and scratch memory of the algorithms, sized once for a tree; no algorithm allocates.
///
/// Which fields an algorithm fills, it says; what it does not mention, it leaves alone.
#[derive(Clone, Debug)]
pub struct Data {
    /// Pose of each link in the world [m], by [`forward_kinematics`](crate::forward_kinematics).
    pub link_in_world: Vec<Isometry3<f64>>,
    /// Pose of each link in the root link's frame [m], by [`forward_kinematics`](crate::forward_kinematics).
    pub link_in_base: Vec<Isometry3<f64>>,
    /// The mass matrix over the velocity coordinates, by [`crba`](crate::crba).
    pub mass_matrix: DMatrix<f64>,
    /// Generalized efforts over the velocity coordinates [N, N·m], by [`rnea`](crate::rnea).
    pub efforts: DVector<f64>,
    /// Generalized accelerations over the velocity coordinates [m/s², rad/s²], by [`aba`](crate::aba).
    pub accelerations: DVector<f64>,

    /// Per body: unit twist of its joint in the base frame (already times the mimic multiplier).
    pub(crate) axes: Vec<Twist>,
    /// Per body: twist relative to the world, in the base frame.
    pub(crate) twists: Vec<Twist>,
    /// Per body: velocity product, later whole acceleration, in the base frame.
    pub(crate) accelerations_of_bodies: Vec<Twist>,
    /// Per body: wrench it needs, then with all its descendants, in the base frame.
    pub(crate) wrenches: Vec<Wrench>,
    /// Per body: own inertia in the base frame.
    pub(crate) inertias: Vec<SpatialInertia>,
    /// Per body: inertia with all its descendants, in the base frame.
    pub(crate) composites: Vec<SpatialInertia>,
    /// Per body: articulated inertia in the base frame.
    pub(crate) articulated: Vec<Matrix6<f64>>,
    /// Per body: articulated inertia times axis.
    pub(crate) U: Vec<Vector6<f64>>,
    /// Per body: axis times U.
    pub(crate) D: Vec<f64>,
    /// Per body: effort left for the joint.
    pub(crate) u: Vec<f64>,
    /// As many zeros as there are velocity coordinates.
    pub(crate) zeros: Vec<f64>,
    /// A copy of the mass matrix that is factored in place.
    pub(crate) factor: DMatrix<f64>,
}

impl Configuration {
    /// All joints at zero, the base at the world's origin.
    pub fn zero(tree: &Tree) -> Configuration {
        Configuration { base_in_world: Isometry3::identity(), joints: vec![0.0; tree.dof()] }
    }
}

impl Data {
    /// Memory for `tree`.
    pub fn new(tree: &Tree) -> Data {
        let (links, bodies, dof) = (tree.links.len(), tree.bodies.len(), tree.velocity_dof());
        Data {
            link_in_world: vec![Isometry3::identity(); links],
            link_in_base: vec![Isometry3::identity(); links],
            mass_matrix: DMatrix::zeros(dof, dof),
            efforts: DVector::zeros(dof),
            accelerations: DVector::zeros(dof),
            axes: vec![Twist::zero(); bodies],
            twists: vec![Twist::zero(); bodies],
            accelerations_of_bodies: vec![Twist::zero(); bodies],
            wrenches: vec![Wrench::zero(); bodies],
            inertias: vec![SpatialInertia::zero(); bodies],
            composites: vec![SpatialInertia::zero(); bodies],
            articulated: vec![Matrix6::zeros(); bodies],
            U: vec![Vector6::zeros(); bodies],
            D: vec![0.0; bodies],
            u: vec![0.0; bodies],
            zeros: vec![0.0; dof],
            factor: DMatrix::zeros(dof, dof),
        }
    }
}
