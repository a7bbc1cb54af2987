//! `chiron diff`: the first difference between two logs.

use replay::{Difference, LogReader};

use crate::ScenarioError;
use crate::cli::DiffArgs;
use crate::outcome::Outcome;

/// Names the first cycle, component and field in which two runs differ.
pub fn diff(args: &DiffArgs) -> Result<Outcome, ScenarioError> {
    let Difference { from: (begin, time), cycles, first } = replay::compare(&args.a, &args.b)?;
    if begin > 0 {
        println!("compared from cycle {begin} ({time}) on, the first that both logs have");
    }
    match first {
        None => {
            println!("no difference in {cycles} cycles between {} and {}", args.a.display(), args.b.display());
            Ok(Outcome::Passed)
        }
        Some(divergence) => {
            println!("the same in {cycles} cycles, then: {}", divergence.describe("first", "second"));
            let (a, b) = (LogReader::open(&args.a)?, LogReader::open(&args.b)?);
            replay::header_differences(&a, &b).iter().for_each(|line| println!("  {line}"));
            Ok(Outcome::Failed)
        }
    }
}
