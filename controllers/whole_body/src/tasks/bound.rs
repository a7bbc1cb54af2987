//! Tasks whose names are looked up in a robot.

use robot_model::Tree;

use crate::error::{WholeBodyError, check_number};
use crate::tasks::{Goal, Task};

/// More levels than these are a mistake.
const MOST_LEVELS: usize = 8;
/// Weights within a level: beyond these, another level says it better.
const WEIGHTS: (f64, f64) = (1e-6, 1e6);
/// Faster than any loop can follow.
const FREQUENCIES: (f64, f64) = (0.0, 1e3);
const DAMPING_RATIOS: (f64, f64) = (0.0, 100.0);

/// A task, and where in the tree what it speaks of is.
#[derive(Clone, Debug)]
pub(crate) struct BoundTask {
    pub task: Task,
    /// Its level, which stays.
    pub level: usize,
    /// Index of its link; the root where it speaks of none.
    pub link: usize,
    /// For each of its joints the index in the tree.
    pub joints: Vec<usize>,
}

impl BoundTask {
    /// Looks names up and checks numbers.
    pub fn bind(tree: &Tree, task: Task) -> Result<BoundTask, WholeBodyError> {
        task.check()?;
        let part = task.part();
        let link = match &task.goal {
            Goal::Pose(pose) => find_link(tree, &part, &pose.link)?,
            Goal::Gaze(gaze) => find_link(tree, &part, &gaze.link)?,
            _ => 0,
        };
        let joints = match &task.goal {
            Goal::Posture(posture) => find_joints(tree, &part, posture.joints.iter().map(|goal| goal.joint.as_str()))?,
            _ => Vec::new(),
        };
        Ok(BoundTask { level: task.level, task, link, joints })
    }

    /// All tasks of a list, whose names must differ.
    pub fn bind_all(tree: &Tree, tasks: Vec<Task>) -> Result<Vec<BoundTask>, WholeBodyError> {
        for (number, task) in tasks.iter().enumerate() {
            if tasks[..number].iter().any(|other| other.name == task.name) {
                return Err(WholeBodyError::refused(&task.part(), "name", "a name of its own", "one that is taken"));
            }
        }
        tasks.into_iter().map(|task| BoundTask::bind(tree, task)).collect()
    }
}

impl Task {
    fn part(&self) -> String {
        format!("task \"{}\"", self.name)
    }

    /// Are all numbers within their ranges?
    fn check(&self) -> Result<(), WholeBodyError> {
        let part = self.part();
        if self.level >= MOST_LEVELS {
            let expected = format!("a level from 0 to {}", MOST_LEVELS - 1);
            return Err(WholeBodyError::refused(&part, "level", expected, self.level));
        }
        check_number(&part, "weight", WEIGHTS, "1", self.weight)?;
        check_number(&part, "frequency", FREQUENCIES, "rad/s", self.frequency)?;
        check_number(&part, "damping_ratio", DAMPING_RATIOS, "1", self.damping_ratio)?;
        let (field, is_finite) = match &self.goal {
            Goal::CenterOfMass(goal) => {
                ("center_of_mass", all_finite(&[goal.position, goal.velocity, goal.acceleration]))
            }
            Goal::AngularMomentum(goal) => ("angular_momentum", all_finite(&[goal.momentum, goal.rate])),
            Goal::Pose(goal) => {
                let place = goal.pose_in_world.translation.vector;
                let turn = goal.pose_in_world.rotation.coords.iter().all(|number| number.is_finite());
                let moves = goal.velocity.iter().chain(&goal.acceleration).all(|number| number.is_finite());
                ("pose", all_finite(&[place, goal.point_in_link]) && turn && moves)
            }
            Goal::Posture(goal) => {
                let finite = |joint: &crate::tasks::JointGoal| {
                    [joint.position, joint.velocity, joint.acceleration].iter().all(|number| number.is_finite())
                };
                ("posture", goal.joints.iter().all(finite))
            }
            Goal::Gaze(goal) => {
                let has_axis = goal.axis_in_link.norm() > 1e-9;
                ("gaze", has_axis && all_finite(&[goal.axis_in_link, goal.target_in_world]))
            }
        };
        let expected = "finite numbers, and an axis that is not zero";
        if is_finite { Ok(()) } else { Err(WholeBodyError::refused(&part, field, expected, "others")) }
    }
}

fn all_finite(vectors: &[nalgebra::Vector3<f64>]) -> bool {
    vectors.iter().flat_map(|vector| vector.iter()).all(|number| number.is_finite())
}

pub(crate) fn find_link(tree: &Tree, part: &str, name: &str) -> Result<usize, WholeBodyError> {
    let names = || tree.links.iter().map(|link| link.name.as_str()).collect::<Vec<_>>().join(", ");
    tree.link(name)
        .ok_or_else(|| WholeBodyError::refused(part, "link", format!("one of {}", names()), format!("\"{name}\"")))
}

fn find_joints<'n>(
    tree: &Tree,
    part: &str,
    names: impl Iterator<Item = &'n str>,
) -> Result<Vec<usize>, WholeBodyError> {
    let known = || tree.joints.iter().map(|joint| joint.name.as_str()).collect::<Vec<_>>().join(", ");
    let mut found = Vec::new();
    for name in names {
        let joint = tree.joint(name).ok_or_else(|| {
            WholeBodyError::refused(part, "joint", format!("one of {}", known()), format!("\"{name}\""))
        })?;
        if found.contains(&joint) {
            return Err(WholeBodyError::refused(part, "joint", "each joint once", format!("\"{name}\" again")));
        }
        found.push(joint);
    }
    Ok(found)
}
