//! `chiron diff`: the first difference between two logs.

use crate::ScenarioError;
use crate::cli::{DiffArgs, Outcome};

/// Names the first cycle, component and field in which two runs differ.
pub fn diff(args: &DiffArgs) -> Result<Outcome, ScenarioError> {
    match replay::diff(&args.a, &args.b)? {
        None => {
            println!("no difference between {} and {}", args.a.display(), args.b.display());
            Ok(Outcome::Passed)
        }
        Some(divergence) => {
            println!("{divergence}");
            Ok(Outcome::Failed)
        }
    }
}
