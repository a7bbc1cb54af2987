//! From what is wanted to a configuration: stances and poses.
//!
//! Gauss and Newton's method on the tasks' errors, level by level with the same hierarchy as the dynamics, under the joints'
//! limits. A step that makes things worse is taken back, and the next one is shorter. Masses do not matter but for the centre of mass; gains do not matter at all.

use robot_model::{BASE_DOF, Configuration, Tree};

use crate::base_step::move_by;
use crate::dense::{add_scaled, norm};
use crate::error::WholeBodyError;
use crate::hierarchy::{Hierarchy, Level, Problem};
use crate::observation::Observation;
use crate::qp::Limits;
use crate::robot_state::RobotState;
use crate::tasks::{BoundTask, Task};

/// The longest step of a joint or of the base's rotation [rad], and of the base along an axis [m].
const LONGEST_STEP: f64 = 0.2;
/// How much less an error counts than one of the level above when a step is judged. A step of a level leaves those above as
/// they are to the first order only.
const LESS_PER_LEVEL: f64 = 0.3;
/// Steps after which what is not reached is not going to be.
const MOST_STEPS: usize = 200;
/// A step that is shorter than this [rad or m] is the last.
const SHORT: f64 = 1e-10;
/// See [`Settings::damping`](crate::Settings::damping). Larger than there: a pose that cannot be reached is approached gently.
const DAMPING: f64 = 1e-3;

/// Tasks of a robot, and all memory to look for a configuration that does them.
#[derive(Clone, Debug)]
pub struct InverseKinematics {
    state: RobotState,
    tasks: Vec<BoundTask>,
    problem: Problem,
    hierarchy: Hierarchy,
    observation: Observation,
    /// Where the last step began.
    before: Configuration,
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
            before: Configuration::zero(tree),
            steps: 0,
        })
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
        let mut error = self.look(configuration);
        for steps in 1..=MOST_STEPS {
            self.steps = steps;
            self.write_limits(longest);
            self.hierarchy.solve(&mut self.problem)?;
            copy(configuration, &mut self.before);
            let step = self.hierarchy.solution();
            move_by(configuration, step);
            if step.iter().all(|number| number.abs() < SHORT) {
                break;
            }
            let then = self.look(configuration);
            if then <= error + SHORT {
                (error, longest) = (then, LONGEST_STEP.min(2.0 * longest));
            } else {
                copy(&self.before, configuration);
                error = self.look(configuration);
                longest *= 0.5;
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

    /// Observes all tasks at a configuration, and writes their levels. What is returned are the lengths of the levels'
    /// errors, each level counting less than the one above it.
    fn look(&mut self, configuration: &Configuration) -> f64 {
        self.state.set_at_rest(configuration);
        self.problem.begin(self.state.tree.velocity_dof());
        for bound in &self.tasks {
            self.observation.observe(bound, &mut self.state);
            let root = bound.task.weight.max(0.0).sqrt();
            let level = &mut self.problem.levels[bound.level];
            for (number, sight) in self.observation.sights.iter().enumerate() {
                add_scaled(level.push(root * sight.error), root, self.observation.jacobian.row(number));
            }
        }
        self.problem.levels.iter().rev().fold(0.0, |below, level| norm(&level.targets) + LESS_PER_LEVEL * below)
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
    }
}

fn copy(from: &Configuration, to: &mut Configuration) {
    to.base_in_world = from.base_in_world;
    to.joints.copy_from_slice(&from.joints);
}
