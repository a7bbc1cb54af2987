//! `chiron chart`: the steps of a scenario's mission as a statechart.

use crate::cli::ChartArgs;
use crate::outcome::Outcome;
use crate::{Case, Library, ScenarioError, Stage};

/// Prints the chart.
pub fn chart(args: &ChartArgs, library: &Library) -> Result<Outcome, ScenarioError> {
    let case = Case::load(library, &args.case)?;
    if case.mission.steps.is_empty() {
        let message = format!("{}: expected a mission with steps, found none", args.case);
        return Err(ScenarioError::Usage(message));
    }
    let name = args.name.as_deref().unwrap_or(&case.name).to_owned();
    let stage = Stage::load(library, case)?;
    print!("{}", stage.case.mission.to_chart(&name, &stage.spawn));
    Ok(Outcome::Passed)
}
