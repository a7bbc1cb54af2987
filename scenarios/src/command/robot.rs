//! `chiron robot`: describe a robot, compute with it, drop it, let it stand.

mod drives;
mod trial;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use robot_model::description::Base;
use robot_model::{RobotModel, Summary, evaluate};

use self::drives::held;
use self::trial::{Reading, Trial};
use crate::cli::RobotArgs;
use crate::outcome::Outcome;
use crate::robot_place::wrong_in_robot;
use crate::{Library, ScenarioError};

/// More than any state has [bytes]; of a device without an end no more is read.
const LARGEST_STATE: u64 = 1 << 24;

/// Prints what is asked for. Fails if a test does.
pub fn robot(args: &RobotArgs, library: &Library) -> Result<Outcome, ScenarioError> {
    let mut model = RobotModel::load(&library.robot(&args.robot)?)?;
    if args.fixed_base {
        model.description.base = Base::Fixed;
    }
    if let Some(state) = &args.eval {
        println!("{}", evaluation(&model, state)?);
        return Ok(Outcome::Passed);
    }
    if args.drop_test || args.hold_test {
        return tests(&model, args);
    }
    print!("{}", Summary(&model));
    if args.report {
        print!("\n{}", model.report);
    }
    Ok(Outcome::Passed)
}

/// Kinematics and dynamics of the state in a file, as JSON.
fn evaluation(model: &RobotModel, state: &Path) -> Result<String, ScenarioError> {
    let mut text = String::new();
    let read = File::open(state).and_then(|file| file.take(LARGEST_STATE).read_to_string(&mut text));
    read.map_err(|error| ScenarioError::file(state, "read", &error))?;
    let evaluation = evaluate(model, &text, &state.display().to_string())?;
    let json = |error: serde_json::Error| ScenarioError::File { path: state.to_owned(), message: error.to_string() };
    serde_json::to_string(&evaluation).map_err(json)
}

fn tests(model: &RobotModel, args: &RobotArgs) -> Result<Outcome, ScenarioError> {
    if args.drop_test && model.description.base == Base::Fixed {
        let message =
            "expected a base that floats for a drop test, found one that is fixed to the world: try --hold-test";
        return Err(wrong_in_robot(model, "base", message.to_owned()));
    }
    let held = held(model)?;
    held.remarks.iter().for_each(|remark| println!("{remark}"));
    Trial::new(&held)?.remarks().iter().for_each(|remark| println!("{remark}"));
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
    let ground = if held.model.description.base == Base::Fixed { "a post" } else { "level concrete" };
    let mut page = format!("{test} of {}: pose '{}', {} s on {ground}\n", held.model.name, held.pose, args.duration);
    for reading in readings {
        let Reading { what, value, unit, .. } = reading;
        // The unit of a pure number is not shown.
        let unit = if *unit == "1" { "" } else { unit };
        let (mark, limit) = match reading.limit {
            None => (" ", String::new()),
            Some(limit) => (if reading.holds() { "✓" } else { "✗" }, format!("  (at most {limit})")),
        };
        let whose = reading.joint.as_ref().map(|joint| format!("  {joint}")).unwrap_or_default();
        page += &format!("  {mark} {what:<34} {value:>10.4} {unit}{limit}{whose}\n");
    }
    let passed = readings.iter().all(Reading::holds);
    page += &format!("{test}: {}\n", if passed { "passed" } else { "FAILED" });
    print!("{page}");
    passed
}

#[cfg(test)]
#[path = "robot/tests.rs"]
mod checks;
