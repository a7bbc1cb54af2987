//! `chiron table`: many runs in few rows.

use crate::ScenarioError;
use crate::cli::TableArgs;
use crate::outcome::Outcome;
use crate::table::{read, to_markdown};

/// Prints the table of the runs in all files together.
pub fn table(args: &TableArgs) -> Result<Outcome, ScenarioError> {
    let mut runs = Vec::new();
    for path in &args.results {
        runs.extend(read(path)?);
    }
    if runs.is_empty() {
        return Err(ScenarioError::Usage("expected results of at least one run, found none".to_owned()));
    }
    print!("{}", to_markdown(runs, args.each));
    Ok(Outcome::Passed)
}
