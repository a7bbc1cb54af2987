//! How bodies answer to impulses on each other.

use nalgebra::Matrix6;

use super::spatial::{Twist, Wrench};
use super::state::Multibody;

/// For some bodies, those in contact, the change of each one's twist by an impulse on each other: the blocks of the
/// inverse operational-space inertia of the whole robot, drives and rotors included. The recursion is that of
/// Featherstone's EFPA (Wensing, Featherstone and Orin, "A reduced-order recursive algorithm for the computation of the
/// operational-space inertia matrix", ICRA 2012), walked once for each body in contact over the branches in contact.
#[derive(Clone, Debug, Default)]
pub(crate) struct Responses {
    /// The bodies in contact, ascending.
    pub bodies: Vec<usize>,
    /// Row-major: twist of the first per impulse on the second.
    blocks: Vec<Matrix6<f64>>,
    /// For each body of the robot whether it lies between base and a body in contact.
    on_branch: Vec<bool>,
    /// Working memory: for each body the impulse that reaches it, and its answer.
    reaching: Vec<Matrix6<f64>>,
    answer: Vec<Matrix6<f64>>,
}

impl Responses {
    /// Computes the blocks for the bodies named in `self.bodies`; after [`Multibody::accelerate`].
    pub fn compute(&mut self, robot: &Multibody) {
        let count = robot.bodies.len();
        self.on_branch.clear();
        self.on_branch.resize(count, false);
        self.reaching.resize(count, Matrix6::zeros());
        self.answer.resize(count, Matrix6::zeros());
        for body in &self.bodies {
            let mut body = *body;
            while !self.on_branch[body] {
                self.on_branch[body] = true;
                body = robot.skeleton.bodies[body].parent;
            }
        }
        let size = self.bodies.len();
        self.blocks.clear();
        self.blocks.resize(size * size, Matrix6::zeros());
        for pushed in 0..size {
            self.push(robot, self.bodies[pushed]);
            for felt in 0..size {
                self.blocks[felt * size + pushed] = self.answer[self.bodies[felt]];
            }
        }
    }

    /// The twist that an impulse on the body with this place in the list gives to another.
    #[inline]
    pub fn twist(&self, felt: usize, pushed: usize, impulse: &Wrench) -> Twist {
        self.blocks[felt * self.bodies.len() + pushed] * impulse
    }

    /// A block.
    pub fn block(&self, felt: usize, pushed: usize) -> &Matrix6<f64> {
        &self.blocks[felt * self.bodies.len() + pushed]
    }

    /// Answers of all bodies on branches to unit impulses on one.
    fn push(&mut self, robot: &Multibody, pushed: usize) {
        let mut body = pushed;
        self.reaching[body] = Matrix6::identity();
        while body != 0 {
            let parent = robot.skeleton.bodies[body].parent;
            let moving = &robot.bodies[body];
            // what the joint does not take up is passed on
            let taken = moving.axis.transpose() * self.reaching[body] * moving.D_inverse;
            self.reaching[parent] = self.reaching[body] - moving.U * taken;
            body = parent;
        }
        self.answer[0] = robot.base_inverse * self.reaching[0];
        let mut on_path = PathMarker::new(robot, pushed);
        for index in 1..robot.bodies.len() {
            if !self.on_branch[index] {
                continue;
            }
            let moving = &robot.bodies[index];
            let carried = self.answer[robot.skeleton.bodies[index].parent];
            let mut joint = -(moving.U.transpose() * carried);
            if on_path.contains(index) {
                joint += moving.axis.transpose() * self.reaching[index];
            }
            self.answer[index] = carried + moving.axis * (joint * moving.D_inverse);
        }
    }
}

/// Tells which bodies carry a body, asked in ascending order.
struct PathMarker {
    /// Descending from the body to the base.
    path: [usize; 64],
    left: usize,
}

impl PathMarker {
    fn new(robot: &Multibody, mut body: usize) -> PathMarker {
        let mut path = [0; 64];
        let mut left = 0;
        while body != 0 && left < path.len() {
            path[left] = body;
            left += 1;
            body = robot.skeleton.bodies[body].parent;
        }
        PathMarker { path, left }
    }

    fn contains(&mut self, body: usize) -> bool {
        let found = self.left > 0 && self.path[self.left - 1] == body;
        self.left -= usize::from(found);
        found
    }
}
