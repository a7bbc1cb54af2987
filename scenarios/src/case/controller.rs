//! Who answers the robot, as a scenario says it.

use serde::Deserialize;
use toml::Spanned;

use super::file::Reader;
use crate::ScenarioError;
use crate::controller::{MISSION, PROGRAM};

/// A program may take longest so long to answer [s].
const LONGEST_ANSWER: f64 = 60.0;

/// A scenario's table `[controller]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ControllerPlan {
    /// Its name in the registry.
    pub name: String,
    /// The program to start and its arguments, if it is one.
    pub program: Vec<String>,
    /// How long a program may take to answer, on the wall [s]; `None` for what is usual on the plant.
    pub answer_within: Option<f64>,
    /// The table `[controller.settings]`, which the controller reads.
    pub settings: toml::Table,
    /// The line of the table, from 1; `None` if it is not the scenario that says so.
    pub line: Option<usize>,
}

impl Default for ControllerPlan {
    /// The mission.
    fn default() -> ControllerPlan {
        ControllerPlan::named(MISSION)
    }
}

impl ControllerPlan {
    /// A controller of the registry, without settings.
    pub fn named(name: &str) -> ControllerPlan {
        let (name, settings) = (name.to_owned(), toml::Table::new());
        ControllerPlan { name, program: Vec::new(), answer_within: None, settings, line: None }
    }

    /// A program in another process.
    pub fn program(words: &[String]) -> ControllerPlan {
        ControllerPlan { program: words.to_vec(), ..ControllerPlan::named(PROGRAM) }
    }

    /// True if the scenario's mission is what answers.
    pub fn is_mission(&self) -> bool {
        self.name == MISSION
    }

    /// True if a program in another process answers.
    pub fn is_program(&self) -> bool {
        self.name == PROGRAM
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ControllerFile {
    name: Option<String>,
    program: Option<Vec<String>>,
    answer_within: Option<f64>,
    #[serde(default)]
    settings: toml::Table,
}

impl Reader<'_> {
    pub(super) fn controller(&self, table: Spanned<ControllerFile>) -> Result<ControllerPlan, ScenarioError> {
        let offset = table.span().start;
        let ControllerFile { name, program, answer_within, settings } = table.into_inner();
        let plan = match (name, program) {
            (Some(name), None) if answer_within.is_none() => ControllerPlan::named(&name),
            (None, Some(words)) if !words.is_empty() => ControllerPlan::program(&words),
            (Some(_), None) => {
                return Err(self.error(offset, "controller: answer_within: expected `program` beside it, found `name`"));
            }
            _ => {
                let expected = "either `name`, a controller of this program, or `program`, a program and its arguments";
                return Err(self.error(offset, format!("controller: expected {expected}")));
            }
        };
        if let Some(found) = answer_within.filter(|seconds| !(1e-4..=LONGEST_ANSWER).contains(seconds)) {
            let message = format!("controller: answer_within: expected 0.0001 to {LONGEST_ANSWER} [s], found {found}");
            return Err(self.error(offset, message));
        }
        Ok(ControllerPlan { answer_within, settings, line: Some(self.line(offset)), ..plan })
    }
}
