//! Key views as nodes, registrations as edges.

use nalgebra::{Isometry3, Matrix6, Vector3};
use robot_io::{Settings, State};
use serde::{Deserialize, Serialize};

use super::solver::{Marginals, System};
use super::{UncertainPose, difference, moved};

/// How a graph is optimised.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct GraphSettings {
    /// Most steps of Levenberg and Marquardt.
    #[setting(20, range = 1..=10_000)]
    pub max_iterations: usize,
    /// Beyond this Mahalanobis distance a loop closure pulls less and less (Cauchy's kernel). 3.5 is where one in twenty right
    /// ones would lie: χ² with six degrees of freedom, 95 %: 12.6.
    #[setting(3.5, positive)]
    pub kernel_width: f64,
    /// Beyond this squared Mahalanobis distance a loop closure contradicts the rest of the graph: χ² with six degrees of
    /// freedom, 99.9 %.
    #[setting(22.5, positive)]
    pub consistency_limit: f64,
    /// Standard deviation of the direction of up that the IMU tells [rad].
    #[setting(0.01, positive)]
    pub up_deviation: f64,
}

/// A pose in the map.
#[derive(Clone, Copy, Debug, PartialEq, State)]
pub struct Node {
    /// The node in the map frame.
    pub pose: Isometry3<f64>,
    /// Up in the node's frame as odometry told it, where it can be believed.
    pub up: Option<Vector3<f64>>,
}

/// What ties two nodes together.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Constraint {
    /// Index of the node in whose frame the other is seen.
    pub from: usize,
    /// Index of the other.
    pub to: usize,
    /// The other, as seen by the registration.
    pub to_in_from: UncertainPose,
    /// True if it does not follow the order of time: it may be wrong, so it pulls with a robust kernel.
    pub closes_loop: bool,
}

/// What an optimisation has done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Optimization {
    /// Steps taken.
    pub iterations: usize,
    /// Half the sum of squared Mahalanobis distances before, with the kernel.
    pub cost_before: f64,
    /// The same after.
    pub cost_after: f64,
}

/// A graph of poses. The first node is where it is.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct PoseGraph {
    nodes: Vec<Node>,
    constraints: Vec<Constraint>,
}

impl PoseGraph {
    /// The nodes in the order in which they were added.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// What ties them together, in the order in which it was added.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// Adds a node and returns its index. It has to be tied to the others by a constraint.
    pub fn add_node(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Ties two nodes together. A constraint between nodes that do not exist, or whose covariance is not positive definite, is
    /// refused.
    pub fn tie(&mut self, constraint: Constraint) -> bool {
        let known = constraint.from.max(constraint.to) < self.nodes.len() && constraint.from != constraint.to;
        let sound = known && constraint.to_in_from.covariance.cholesky().is_some();
        if sound {
            self.constraints.push(constraint);
        }
        sound
    }

    /// Moves all nodes as one: what their frames tell of each other stays. Up, which is known in the robot's own frame, lies elsewhere in
    /// them if that frame has come to lie at `base` in each.
    pub fn put_elsewhere(&mut self, moved: &Isometry3<f64>, base: &Isometry3<f64>) {
        for node in &mut self.nodes {
            node.pose = moved * node.pose;
            node.up = node.up.map(|up| base.rotation * up);
        }
    }

    /// True if some constraint ties the two nodes together.
    pub fn are_tied(&self, a: usize, b: usize) -> bool {
        self.constraints.iter().any(|c| (c.from, c.to) == (a, b) || (c.from, c.to) == (b, a))
    }

    /// One node seen from another, by the nodes' present poses.
    pub fn seen_from(&self, to: usize, from: usize) -> Isometry3<f64> {
        self.nodes[from].pose.inv_mul(&self.nodes[to].pose)
    }

    /// Moves the nodes to where the constraints want them: Levenberg and Marquardt's method.
    pub fn optimize(&mut self, settings: &GraphSettings) -> Optimization {
        const GAIN_THAT_IS_NONE: f64 = 1e-6;
        const MOST_DAMPING: f64 = 1e6;
        let system = System::new(self);
        let cost_before = self.cost(settings);
        let mut done = Optimization { iterations: 0, cost_before, cost_after: cost_before };
        let mut damping = 1e-6;
        while done.iterations < settings.max_iterations && damping < MOST_DAMPING {
            done.iterations += 1;
            let Some(step) = system.step(self, settings, damping) else {
                damping *= 10.0;
                continue;
            };
            let mut candidate = self.clone();
            candidate.nodes.iter_mut().zip(&step).for_each(|(node, step)| node.pose = moved(&node.pose, step));
            let cost = candidate.cost(settings);
            if cost > done.cost_after {
                damping *= 10.0;
                continue;
            }
            *self = candidate;
            damping *= 0.1;
            let gain = done.cost_after - cost;
            done.cost_after = cost;
            if gain <= GAIN_THAT_IS_NONE * cost {
                break;
            }
        }
        done
    }

    /// How well the poses are known; `None` if some node is tied to nothing.
    pub fn marginals(&self, settings: &GraphSettings) -> Option<Marginals> {
        System::new(self).marginals(self, settings)
    }

    /// Squared Mahalanobis distance between a constraint and what the graph says without it. Above
    /// [`consistency_limit`](GraphSettings::consistency_limit) one of the two is wrong.
    pub fn contradiction(&self, constraint: &Constraint, settings: &GraphSettings) -> f64 {
        let Some(marginals) = self.marginals(settings) else { return f64::INFINITY };
        marginals.relative(self, constraint.from, constraint.to).distance_squared(&constraint.to_in_from)
    }

    /// Half the sum of squared distances, with the kernel.
    fn cost(&self, settings: &GraphSettings) -> f64 {
        let ties = self.constraints.iter().map(|c| {
            let error = difference(&self.seen_from(c.to, c.from), &c.to_in_from.pose);
            let information = c.to_in_from.information();
            let squared = error.dot(&(information * error));
            if c.closes_loop { kernel_cost(squared, settings.kernel_width) } else { squared }
        });
        let ups = self.nodes.iter().skip(1).filter_map(|node| node.up.map(|up| node.pose.rotation * up));
        let tilts = ups.map(|up| (up.x * up.x + up.y * up.y) / (settings.up_deviation * settings.up_deviation));
        0.5 * (ties.sum::<f64>() + tilts.sum::<f64>())
    }
}

impl UncertainPose {
    /// The inverse of the covariance; zero if there is none.
    pub fn information(&self) -> Matrix6<f64> {
        self.covariance.cholesky().map_or_else(Matrix6::zeros, |factor| factor.inverse())
    }
}

/// Cauchy's cost of a squared distance.
fn kernel_cost(squared: f64, width: f64) -> f64 {
    width * width * libm::log1p(squared / (width * width))
}

impl Default for Node {
    fn default() -> Self {
        Node { pose: Isometry3::identity(), up: None }
    }
}
