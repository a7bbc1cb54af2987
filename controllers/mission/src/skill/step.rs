//! A step of a mission that names a skill.

use core::fmt;

use page::Fault;
use robot_io::RobotLayout;
use robot_model::RobotModel;

use super::registry::Build;
use super::{Skill, SkillSetup, Skills};
use crate::MissionError;

/// What to do, by a skill's name.
#[derive(Clone)]
pub struct SkillStep {
    name: String,
    goal: toml::Table,
    at: Place,
    /// What makes the skill, once it is found.
    build: Option<Build>,
}

/// Where a step stands, for messages.
#[derive(Clone, Debug, PartialEq)]
struct Place {
    file: String,
    line: usize,
    field: String,
}

impl SkillStep {
    /// A step that names a skill that nobody has looked for yet. File, line and field say where it stands.
    pub(crate) fn new(name: &str, goal: toml::Table, file: &str, line: usize, field: &str) -> SkillStep {
        let at = Place { file: file.to_owned(), line, field: field.to_owned() };
        SkillStep { name: name.to_owned(), goal, at, build: None }
    }

    /// The skill's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it shall do: its table in the mission file.
    pub fn goal(&self) -> &toml::Table {
        &self.goal
    }

    /// Looks for the skill; refused if nobody has it.
    pub(crate) fn find(&mut self, skills: &Skills) -> Result<(), MissionError> {
        self.build = skills.find(&self.name);
        if self.build.is_some() {
            return Ok(());
        }
        let own: String = skills.names().map(|name| format!(", {name}")).collect();
        Err(self.refused(format!("expected goto, wait, stance, pose, explore{own}; found '{}'", self.name)))
    }

    /// Makes the skill for a robot.
    pub(crate) fn build(&self, robot: &RobotModel, layout: &RobotLayout) -> Result<Box<dyn Skill>, MissionError> {
        let unknown = || self.refused(format!("expected a skill that this program has, found '{}'", self.name));
        let build = self.build.as_ref().ok_or_else(unknown)?;
        build(&SkillSetup { robot, layout, goal: &self.goal }).map_err(|error| self.refused(error.to_string()))
    }

    fn refused(&self, message: String) -> MissionError {
        let Place { file, line, field } = &self.at;
        MissionError::File(Fault::new(file, *line, format!("{field}: {message}")))
    }
}

/// Two steps are the same if they ask for the same.
impl PartialEq for SkillStep {
    fn eq(&self, other: &SkillStep) -> bool {
        self.name == other.name && self.goal == other.goal
    }
}

impl fmt::Debug for SkillStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SkillStep").field("name", &self.name).field("goal", &self.goal).finish()
    }
}
