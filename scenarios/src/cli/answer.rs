//! Who answers the robot, on the command line.

use clap::Args;

use crate::case::ControllerPlan;

/// A controller other than the scenario's.
#[derive(Clone, Debug, Args)]
pub struct AnswerArgs {
    /// Let this controller answer: one that this program knows [default: the scenario's].
    #[arg(long, value_name = "NAME")]
    pub controller: Option<String>,
    /// Let this program answer, in a process of its own: its name and its arguments, up to the next option.
    #[arg(long, value_name = "WORD", num_args = 1.., conflicts_with = "controller")]
    pub program: Vec<String>,
}

impl AnswerArgs {
    /// What they ask for; `None` for the scenario's controller.
    pub fn plan(&self) -> Option<ControllerPlan> {
        match self.program.as_slice() {
            [] => self.controller.as_deref().map(ControllerPlan::named),
            words => Some(ControllerPlan::program(words)),
        }
    }
}
