//! Who answers the robot, as a scenario says it.

use page::{Fault, Fields, Range};

use crate::controller::{MISSION, PROGRAM};

/// How long a program may take to answer.
const ANSWER: Range = Range::new(1e-4, 60.0, "s");

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

    pub(super) fn read(table: &mut Fields<'_>) -> Result<ControllerPlan, Fault> {
        let [name, program, answer_within] = ["name", "program", "answer_within"].map(|key| table.get(key));
        let settings = table.one("settings", Fields::rest)?.unwrap_or_default();
        let plan = match (name, program, &answer_within) {
            (Some(name), None, None) => ControllerPlan::named(name.text()?),
            (Some(_), None, Some(answer_within)) => return Err(answer_within.error("`program` beside it", "`name`")),
            (None, Some(program), _) => match program.texts()?.as_slice() {
                [] => return Err(program.error("a program and its arguments", "none")),
                words => ControllerPlan::program(words),
            },
            (name, ..) => {
                table.finish()?;
                let expected = "either `name`, a controller of this program, or `program`, a program and its arguments";
                return Err(table.error(expected, if name.is_some() { "both" } else { "neither" }));
            }
        };
        let answer_within = answer_within.map(|answer| answer.number(ANSWER)).transpose()?;
        Ok(ControllerPlan { answer_within, settings, line: Some(table.line()), ..plan })
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
