//! From what is wanted to a configuration: stances and poses.
//!
//! Gauss and Newton's method on the tasks' errors, level by level with the same hierarchy as the dynamics, under the joints'
//! limits. Each level is damped by half of its squared error (T. Sugihara, "Solvability-unconcerned inverse kinematics by the
//! Levenberg–Marquardt method", IEEE Trans. on Robotics 27, 2011): what can be reached is reached in few steps, what cannot is
//! approached without hopping to and fro. Masses do not matter but for the centre of mass; gains do not matter at all.

use robot_model::{BASE_DOF, Configuration, Tree};

use crate::base_step::move_by;
use crate::dense::{add_scaled, dot};
use crate::error::{WholeBodyError, check_number};
use crate::hierarchy::{Hierarchy, Level, Problem};
use crate::observation::Observation;
use crate::qp::Limits;
use crate::robot_state::RobotState;
use crate::self_collision::{Capsule, DISTANCES_OF_PAIR, Pair};
use crate::tasks::{BoundTask, Task};

/// The longest step of a joint or of the base's rotation [rad], and of the base along an axis [m].
const LONGEST_STEP: f64 = 0.2;
/// After so many steps each may be only so much as long as the one before: what swings to and fro along limits that bend
/// comes to rest.
const LONG_STEPS: usize = 100;
const SHORTER: f64 = 0.98;
/// Steps after which what is not reached is not going to be.
const MOST_STEPS: usize = 500;
/// A step that is shorter than this [rad or m] is the last.
const SHORT: f64 = 1e-10;
/// See [`Settings::damping`](crate::Settings::damping).
const DAMPING: f64 = 1e-4;

/// Tasks of a robot, and all memory to look for a configuration that does them.
#[derive(Clone, Debug)]
pub struct InverseKinematics {
    state: RobotState,
    tasks: Vec<BoundTask>,
    problem: Problem,
    hierarchy: Hierarchy,
    observation: Observation,
    /// What is kept apart, and how far.
    pairs: Vec<Pair>,
    least_distance: f64,
    steps: usize,
}

impl InverseKinematics {
    /// For this robot. Of tasks only what they look at, their level and weight count. An angular momentum has no position,
    /// so that such a task asks for nothing.
    pub fn new(tree: &Tree, tasks: Vec<Task>) -> Result<InverseKinematics, WholeBodyError> {
        let tasks = BoundTask::bind_all(tree, tasks)?;
        let variables = tree.velocity_dof();
        let levels = tasks.iter().map(|bound| bound.level + 1).max().unwrap_or(1);
        let rows = tasks.len() * variables.max(6);
        let problem = Problem {
            variables,
            equalities: Level::new(0, variables),
            levels: (0..levels).map(|_| Level::new(rows, variables)).collect(),
            limits: Limits::new(variables, 0, 0),
        };
        Ok(InverseKinematics {
            state: RobotState::new(tree),
            tasks,
            problem,
            hierarchy: Hierarchy::new(variables, variables, levels, rows, DAMPING),
            observation: Observation::new(variables),
            pairs: Vec::new(),
            least_distance: 0.0,
            steps: 0,
        })
    }

    /// The same with pairs of capsules that are kept `least_distance` [m] apart; those it had are forgotten.
    pub fn keeping_apart(
        mut self,
        capsules: &[Capsule],
        pairs: &[(String, String)],
        least_distance: f64,
    ) -> Result<InverseKinematics, WholeBodyError> {
        check_number("a pair to keep apart", "least_distance", (0.0, 1.0), "m", least_distance)?;
        self.pairs = Pair::bind_all(&self.state.tree, capsules, pairs)?;
        self.least_distance = least_distance;
        let variables = self.problem.variables;
        let distances = DISTANCES_OF_PAIR * self.pairs.len();
        self.problem.limits = Limits::new(variables, distances, distances * variables);
        let (limits, levels) = (variables + distances, self.problem.levels.len());
        let rows = self.tasks.len() * variables.max(6);
        self.hierarchy = Hierarchy::new(variables, limits, levels, rows, DAMPING);
        Ok(self)
    }

    /// A task's data, to move what it wants and its weight.
    pub fn task_mut(&mut self, name: &str) -> Option<&mut Task> {
        self.tasks.iter_mut().map(|bound| &mut bound.task).find(|task| task.name == name)
    }

    /// Moves `configuration` to where the tasks are done as well as can be, within the joints' limits. It begins there, and
    /// which of several answers it finds depends on that.
    pub fn solve(&mut self, configuration: &mut Configuration) -> Result<(), WholeBodyError> {
        let expected = self.state.tree.dof();
        if configuration.joints.len() != expected {
            let (part, found) = ("the configuration", configuration.joints.len());
            return Err(WholeBodyError::refused(part, "joints", format!("{expected} numbers"), found));
        }
        self.hierarchy.forget();
        for (joint, position) in self.state.tree.joints.iter().zip(&mut configuration.joints) {
            *position = position.max(joint.limits.lower).min(joint.limits.upper);
        }
        let mut longest = LONGEST_STEP;
        for steps in 1..=MOST_STEPS {
            self.steps = steps;
            self.state.set_at_rest(configuration);
            self.write_tasks();
            self.write_limits(longest);
            self.hierarchy.solve(&mut self.problem)?;
            let step = self.hierarchy.solution();
            move_by(configuration, step);
            if step.iter().all(|number| number.abs() < SHORT) {
                break;
            }
            if steps > LONG_STEPS {
                longest *= SHORTER;
            }
        }
        Ok(())
    }

    /// How many steps the last search took.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// How far a task is from being done at this configuration: the length of its error over its axes [m and rad]. `None` if
    /// there is no such task.
    pub fn error(&mut self, name: &str, configuration: &Configuration) -> Option<f64> {
        let number = self.tasks.iter().position(|bound| bound.task.name == name)?;
        self.state.set_at_rest(configuration);
        self.observation.observe(&self.tasks[number], &mut self.state);
        let squares = self.observation.sights.iter().map(|sight| sight.error * sight.error);
        Some(squares.sum::<f64>().sqrt())
    }

    fn write_tasks(&mut self) {
        self.problem.begin(self.state.tree.velocity_dof());
        for bound in &self.tasks {
            self.observation.observe(bound, &mut self.state);
            let root = bound.task.weight.max(0.0).sqrt();
            let level = &mut self.problem.levels[bound.level];
            for (number, sight) in self.observation.sights.iter().enumerate() {
                add_scaled(level.push(root * sight.error), root, self.observation.jacobian.row(number));
            }
        }
        for level in &mut self.problem.levels {
            level.damping = 0.5 * dot(&level.targets, &level.targets);
        }
    }

    fn write_limits(&mut self, longest: f64) {
        for coordinate in 0..BASE_DOF {
            self.problem.limits.bound(coordinate, -longest, longest);
        }
        for (number, joint) in self.state.tree.joints.iter().enumerate() {
            let position = self.state.configuration.joints[number];
            let lower = (joint.limits.lower - position).clamp(-longest, 0.0);
            let upper = (joint.limits.upper - position).clamp(0.0, longest);
            self.problem.limits.bound(BASE_DOF + number, lower, upper);
        }
        for pair in &mut self.pairs {
            for found in pair.look(&self.state).iter().flatten() {
                pair.differentiate(found, &mut self.state);
                // what is too near already comes apart by a step's length at a time
                let least = (self.least_distance - found.distance).min(0.1 * longest);
                self.problem.limits.push(0, least, f64::INFINITY, pair.gradient.iter().copied());
            }
        }
    }
}
