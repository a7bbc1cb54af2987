//! What a skill is made from.

use robot_io::{JointLimits, RobotLayout};
use robot_model::RobotModel;
use serde::de::DeserializeOwned;

use crate::posture::{Posture, PostureJoint};

/// All that a skill may know before the first cycle.
#[derive(Debug)]
pub struct SkillSetup<'a> {
    /// The robot, as its controller is told that it is.
    pub robot: &'a RobotModel,
    /// Its joints and sensors, in the order of readings and commands, and the control cycle.
    pub layout: &'a RobotLayout,
    /// The skill's table in the mission file.
    pub goal: &'a toml::Table,
}

/// Why there can be no such skill. The message is shown with the mission's file and line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SkillRefusal(pub String);

/// A joint that a skill may move: one that does not carry the robot, and has ends.
#[derive(Clone, Copy, Debug)]
pub struct SkillJoint {
    pub(super) held: PostureJoint,
    limits: JointLimits,
}

impl SkillSetup<'_> {
    /// What the skill shall do, as a type of its own.
    pub fn goal<T: DeserializeOwned>(&self) -> Result<T, SkillRefusal> {
        let goal = toml::Value::Table(self.goal.clone()).try_into();
        goal.map_err(|error: toml::de::Error| SkillRefusal(error.message().replace('\n', ", ")))
    }

    /// A joint to move; refused if the robot has none of this name, or if it carries the robot or turns without end.
    pub fn joint(&self, name: &str) -> Result<SkillJoint, SkillRefusal> {
        let refuse = |what: &str| SkillRefusal(format!("expected a joint to move, found '{name}', which {what}"));
        let index = self.layout.joint(name).ok_or_else(|| refuse(&format!("{} does not have", self.robot.name)))?;
        let held = Posture::new(self.robot).joint(index).copied();
        let held = held.ok_or_else(|| refuse("carries the robot or turns without end"))?;
        if held.stiffness <= 0.0 {
            return Err(refuse("is limp: the robot's file gives it no stiffness"));
        }
        Ok(SkillJoint { held, limits: self.layout.joints[index].limits })
    }

    /// All joints that may be moved, in the layout's order; refused if one of them is limp.
    pub fn joints(&self) -> Result<Vec<SkillJoint>, SkillRefusal> {
        let posture = Posture::new(self.robot);
        posture.joints().iter().map(|held| self.joint(&self.layout.joints[held.index()].name)).collect()
    }
}

impl SkillJoint {
    /// Its index in readings and commands.
    pub fn index(&self) -> usize {
        self.held.index()
    }

    /// How fast it is moved at most [rad/s or m/s]: the share of its top speed that poses use.
    pub fn speed(&self) -> f64 {
        self.held.speed
    }

    /// Its range, top speed and top effort.
    pub fn limits(&self) -> &JointLimits {
        &self.limits
    }
}
