//! `chiron robot`: describe a robot, compute with it, drop it, let it stand.

mod drives;
mod trial;

use std::io::Write;
use std::path::Path;

use robot_model::{RobotModel, Summary, evaluate};

use self::drives::held;
use self::trial::{Reading, Trial};
use crate::cli::{Outcome, RobotArgs};
use crate::{Library, ScenarioError};

/// The longest test [s].
const LONGEST: f64 = 3_600.0;

/// Prints what is asked for. Fails if a test does.
pub fn robot(args: &RobotArgs) -> Result<Outcome, ScenarioError> {
    let model = RobotModel::load(&Library::find().robot(&args.robot)?)?;
    if let Some(state) = &args.eval {
        say(&(evaluation(&model, state)? + "\n"));
        return Ok(Outcome::Passed);
    }
    if args.drop_test || args.hold_test {
        return tests(&model, args);
    }
    say(&Summary(&model).to_string());
    if args.report {
        say(&format!("\n{}", model.report));
    }
    Ok(Outcome::Passed)
}

/// Kinematics and dynamics of the state in a file, as JSON.
fn evaluation(model: &RobotModel, state: &Path) -> Result<String, ScenarioError> {
    let text = std::fs::read_to_string(state).map_err(|error| ScenarioError::file(state, "read", &error))?;
    let evaluation = evaluate(model, &text, &state.display().to_string())?;
    let json = |error: serde_json::Error| ScenarioError::File { path: state.to_owned(), message: error.to_string() };
    serde_json::to_string(&evaluation).map_err(json)
}

fn tests(model: &RobotModel, args: &RobotArgs) -> Result<Outcome, ScenarioError> {
    if !(args.duration > 0.0 && args.duration <= LONGEST) {
        let message = format!("--duration: expected more than 0 s, up to {LONGEST} s, found {}", args.duration);
        return Err(ScenarioError::Usage(message));
    }
    let held = held(model)?;
    held.remarks.iter().for_each(|remark| say(&format!("{remark}\n")));
    let mut passed = true;
    if args.drop_test {
        passed &= tell("drop test", &held, args, &Trial::new(&held)?.drop(args.duration)?);
    }
    if args.hold_test {
        passed &= tell("hold test", &held, args, &Trial::new(&held)?.hold(args.duration)?);
    }
    Ok(if passed { Outcome::Passed } else { Outcome::Failed })
}

/// Prints the readings of a test; true if all are within their limits.
fn tell(test: &str, held: &drives::Held, args: &RobotArgs, readings: &[Reading]) -> bool {
    let mut page =
        format!("{test} of {}: pose '{}', {} s on level concrete\n", held.model.name, held.pose, args.duration);
    for reading in readings {
        let Reading { what, value, unit, .. } = reading;
        // The unit of a pure number is not shown.
        let unit = if *unit == "1" { "" } else { unit };
        let (mark, limit) = match reading.limit {
            None => (" ", String::new()),
            Some(limit) => (if reading.holds() { "✓" } else { "✗" }, format!("  (at most {limit})")),
        };
        page += &format!("  {mark} {what:<34} {value:>10.4} {unit}{limit}\n");
    }
    let passed = readings.iter().all(Reading::holds);
    page += &format!("{test}: {}\n", if passed { "passed" } else { "FAILED" });
    say(&page);
    passed
}

/// Prints, and lets a reader such as `head` go when it has seen enough.
fn say(text: &str) {
    drop(std::io::stdout().write_all(text.as_bytes()));
}

#[cfg(test)]
#[path = "robot/tests.rs"]
mod checks;
