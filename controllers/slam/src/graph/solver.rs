//! The normal equations of a pose graph, sparse.

use nalgebra::{DMatrix, Matrix6, SMatrix, Vector3, Vector6};
use nalgebra_sparse::factorization::CscCholesky;
use nalgebra_sparse::{CooMatrix, CscMatrix};

use super::ordering::elimination_order;
use super::uncertain::skew;
use super::{Constraint, GraphSettings, PoseGraph, UncertainPose, difference};

/// The unknowns of a graph, in the order in which they are eliminated. The first node is none of them.
pub struct System {
    /// The place of each node but the first among the unknowns.
    place: Vec<usize>,
}

impl System {
    /// The system of a graph. Adding a node or a constraint asks for another.
    pub fn new(graph: &PoseGraph) -> System {
        let free = graph.nodes().len().saturating_sub(1);
        let both_free = graph.constraints().iter().filter(|c| c.from > 0 && c.to > 0);
        System { place: elimination_order(free, both_free.map(|c| (c.from - 1, c.to - 1))) }
    }

    /// By how much each node has to move; `None` if the equations have no solution.
    pub fn step(&self, graph: &PoseGraph, settings: &GraphSettings, damping: f64) -> Option<Vec<Vector6<f64>>> {
        let (matrix, right_side) = self.linearize(graph, settings, damping);
        let solution = CscCholesky::factor(&matrix).ok()?.solve(&right_side);
        let row = |node: usize| self.first_row(node).map(|row| solution.fixed_view::<6, 1>(row, 0).into_owned());
        Some((0..graph.nodes().len()).map(|node| row(node).unwrap_or_default()).collect())
    }

    /// The covariances that the equations stand for.
    pub fn marginals(self, graph: &PoseGraph, settings: &GraphSettings) -> Option<Marginals> {
        let (matrix, _) = self.linearize(graph, settings, 0.0);
        let factor = CscCholesky::factor(&matrix).ok()?;
        Some(Marginals { system: self, factor })
    }

    /// Matrix and right side of the equations.
    fn linearize(&self, graph: &PoseGraph, settings: &GraphSettings, damping: f64) -> (CscMatrix<f64>, DMatrix<f64>) {
        let size = 6 * self.place.len();
        let mut matrix = CooMatrix::new(size, size);
        let mut right_side = DMatrix::zeros(size, 1);
        let mut diagonal = vec![Matrix6::zeros(); self.place.len()];
        for constraint in graph.constraints() {
            self.add_constraint(graph, settings, constraint, &mut matrix, &mut diagonal, &mut right_side);
        }
        self.add_tilts(graph, settings, &mut diagonal, &mut right_side);
        for (place, block) in diagonal.iter_mut().enumerate() {
            (0..6).for_each(|k| block[(k, k)] *= 1.0 + damping);
            push_block(&mut matrix, 6 * place, 6 * place, block);
        }
        (CscMatrix::from(&matrix), right_side)
    }

    /// One constraint's share.
    fn add_constraint(
        &self,
        graph: &PoseGraph,
        settings: &GraphSettings,
        constraint: &Constraint,
        matrix: &mut CooMatrix<f64>,
        diagonal: &mut [Matrix6<f64>],
        right_side: &mut DMatrix<f64>,
    ) {
        let error = difference(&graph.seen_from(constraint.to, constraint.from), &constraint.to_in_from.pose);
        let mut information = constraint.to_in_from.information();
        if constraint.closes_loop {
            information *= kernel_weight(error.dot(&(information * error)), settings.kernel_width);
        }
        let (by_from, by_to) = jacobians(graph, constraint);
        for (node, jacobian) in [(constraint.from, by_from), (constraint.to, by_to)] {
            let Some(row) = self.first_row(node) else { continue };
            diagonal[row / 6] += jacobian.transpose() * information * jacobian;
            let mut rows = right_side.fixed_view_mut::<6, 1>(row, 0);
            rows -= jacobian.transpose() * (information * error);
        }
        if let (Some(row), Some(column)) = (self.first_row(constraint.from), self.first_row(constraint.to)) {
            let block = by_from.transpose() * information * by_to;
            push_block(matrix, row, column, &block);
            push_block(matrix, column, row, &block.transpose());
        }
    }

    /// The IMU's share: what it took for up should point up.
    fn add_tilts(
        &self,
        graph: &PoseGraph,
        settings: &GraphSettings,
        diagonal: &mut [Matrix6<f64>],
        right_side: &mut DMatrix<f64>,
    ) {
        let information = 1.0 / (settings.up_deviation * settings.up_deviation);
        for (node, at) in graph.nodes().iter().enumerate() {
            let (Some(row), Some(up)) = (self.first_row(node), at.up) else { continue };
            let up: Vector3<f64> = at.pose.rotation * up;
            // turning by a small v moves up by v × up: its x by v.y, its y by −v.x
            diagonal[row / 6][(3, 3)] += information;
            diagonal[row / 6][(4, 4)] += information;
            right_side[(row + 3, 0)] += information * up.y;
            right_side[(row + 4, 0)] -= information * up.x;
        }
    }

    /// The first of a node's six rows; `None` for the node that stays where it is.
    fn first_row(&self, node: usize) -> Option<usize> {
        node.checked_sub(1).and_then(|node| self.place.get(node)).map(|place| 6 * place)
    }
}

/// How well the poses of a graph are known.
#[allow(missing_debug_implementations, reason = "a matrix nobody wants to see")]
pub struct Marginals {
    system: System,
    factor: CscCholesky<f64>,
}

impl Marginals {
    /// A node's pose in the map with its covariance, relative to the first node.
    pub fn of(&self, graph: &PoseGraph, node: usize) -> UncertainPose {
        UncertainPose { pose: graph.nodes()[node].pose, covariance: self.block(node, node) }
    }

    /// One node as seen from another, with the covariance of that.
    pub fn relative(&self, graph: &PoseGraph, from: usize, to: usize) -> UncertainPose {
        let to_in_from = UncertainPose { pose: graph.seen_from(to, from), ..UncertainPose::default() };
        let (by_from, by_to) = jacobians(graph, &Constraint { from, to, to_in_from, closes_loop: false });
        let cross = by_from * self.block(from, to) * by_to.transpose();
        let covariance = by_from * self.block(from, from) * by_from.transpose()
            + by_to * self.block(to, to) * by_to.transpose()
            + cross
            + cross.transpose();
        UncertainPose { covariance, ..to_in_from }
    }

    /// Covariance of the errors of two nodes.
    fn block(&self, a: usize, b: usize) -> Matrix6<f64> {
        let (Some(row), Some(column)) = (self.system.first_row(a), self.system.first_row(b)) else {
            return Matrix6::zeros();
        };
        let mut unit = DMatrix::zeros(6 * self.system.place.len(), 6);
        unit.fixed_view_mut::<6, 6>(column, 0).copy_from(&Matrix6::identity());
        self.factor.solve(&unit).fixed_view::<6, 6>(row, 0).into_owned()
    }
}

/// How a constraint's error changes when its nodes move.
fn jacobians(graph: &PoseGraph, constraint: &Constraint) -> (Matrix6<f64>, Matrix6<f64>) {
    let (from, to) = (graph.nodes()[constraint.from].pose, graph.nodes()[constraint.to].pose);
    let back = from.rotation.inverse().to_rotation_matrix().into_inner();
    let arm = skew(&(to.translation.vector - from.translation.vector));
    let mut by_to = SMatrix::<f64, 6, 6>::zeros();
    by_to.fixed_view_mut::<3, 3>(0, 0).copy_from(&back);
    by_to.fixed_view_mut::<3, 3>(3, 3).copy_from(&back);
    let mut by_from = -by_to;
    by_from.fixed_view_mut::<3, 3>(0, 3).copy_from(&(back * arm));
    (by_from, by_to)
}

/// The weight that Cauchy's kernel leaves to an error.
fn kernel_weight(squared: f64, width: f64) -> f64 {
    1.0 / (1.0 + squared / (width * width))
}

/// Adds a block to a matrix that is being collected.
fn push_block(matrix: &mut CooMatrix<f64>, row: usize, column: usize, block: &Matrix6<f64>) {
    for c in 0..6 {
        (0..6).for_each(|r| matrix.push(row + r, column + c, block[(r, c)]));
    }
}
