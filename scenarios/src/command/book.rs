//! `chiron bench physics`: the validation book.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;
use validation::{Case, MUJOCO};

use super::bench::machine;
use crate::ScenarioError;
use crate::cli::BenchArgs;
use crate::outcome::Outcome;
use crate::results::{expect_writable, write_whole};

/// MuJoCo's errors, as their file has them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mujoco {
    version: String,
    defaults: BTreeMap<String, f64>,
    against_slip: BTreeMap<String, f64>,
}

impl Mujoco {
    fn read() -> Result<Mujoco, ScenarioError> {
        toml::from_str(MUJOCO).map_err(|error| ScenarioError::Usage(format!("sim/validation/src/mujoco.toml: {error}")))
    }
}

/// Plays the cases, and prints a page in Markdown; failed if one is beyond its limit.
pub fn book(args: &BenchArgs, quiet: bool) -> Result<Outcome, ScenarioError> {
    expect_writable(args.out.as_ref(), "--out")?;
    if args.duration.is_some() {
        return Err(ScenarioError::Usage(
            "--duration: expected with `chiron bench speed`, found with physics".to_owned(),
        ));
    }
    let only = args.only.as_deref().unwrap_or_default();
    let cases: Vec<&Case> = validation::book().filter(|case| case.name.contains(only)).collect();
    if cases.is_empty() {
        let names: Vec<&str> = validation::book().map(|case| case.name).collect();
        let message = format!("--only: expected a part of one of {}, found '{only}'", names.join(", "));
        return Err(ScenarioError::Usage(message));
    }
    let mujoco = Mujoco::read()?;
    let mut rows = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        if !quiet {
            eprintln!("{} of {}: {}", number + 1, cases.len(), case.what);
        }
        let error = (case.error)().map_err(|error| ScenarioError::Usage(format!("{}: {error}", case.name)))?;
        rows.push((*case, error));
    }
    let page = page(&rows, &mujoco);
    println!("{page}");
    if let Some(path) = &args.out {
        write_whole(path, page.as_bytes())?;
    }
    Ok(if rows.iter().all(|(case, error)| passes(case, *error)) { Outcome::Passed } else { Outcome::Failed })
}

fn passes(case: &Case, error: f64) -> bool {
    error <= case.limit
}

/// An error with its unit; a share of what is right has none.
fn with_unit(error: f64, case: &Case) -> String {
    let unit = if case.unit == "1" { String::new() } else { format!(" {}", case.unit) };
    format!("{error:.1e}{unit}")
}

fn page(rows: &[(&Case, f64)], mujoco: &Mujoco) -> String {
    let version = &mujoco.version;
    let mut page = format!(
        "| case | what happens, and what of it is compared | what is right | error | limit | | MuJoCo {version} | the same against slip |\n\
         |---|---|---|---:|---:|---|---:|---:|\n"
    );
    for (case, error) in rows {
        let theirs =
            |of: &BTreeMap<String, f64>| of.get(case.name).map_or("–".to_owned(), |error| with_unit(*error, case));
        let (defaults, against_slip) = (theirs(&mujoco.defaults), theirs(&mujoco.against_slip));
        let verdict = if passes(case, *error) { "passed" } else { "**FAILED**" };
        let (found, limit) = (with_unit(*error, case), with_unit(case.limit, case));
        // Writing to a String cannot fail.
        _ = writeln!(
            page,
            "| {} | {} | {} | {found} | {limit} | {verdict} | {defaults} | {against_slip} |",
            case.name, case.what, case.reference
        );
    }
    let failed = rows.iter().filter(|(case, error)| !passes(case, *error)).count();
    _ = writeln!(
        page,
        "\n{} passed, {failed} failed. An error without a unit is a share of what is right. Steps of 1 ms.",
        rows.len() - failed
    );
    _ = writeln!(
        page,
        "MuJoCo {version}: implicitfast; against slip: elliptic cones, impratio 100, 20 iterations without slip; played before, by robot_models/compare/physics.py."
    );
    _ = writeln!(page, "Machine: {}; chiron {}.", machine(), env!("CARGO_PKG_VERSION"));
    page
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn mujoco_has_played_every_case_of_the_book_and_no_other() {
        let mujoco = Mujoco::read().unwrap();
        let names: BTreeSet<&str> = validation::book().map(|case| case.name).collect();
        for played in [&mujoco.defaults, &mujoco.against_slip] {
            assert_eq!(played.keys().map(String::as_str).collect::<BTreeSet<&str>>(), names);
        }
    }

    #[test]
    fn a_case_beyond_its_limit_is_told_so() {
        let case = validation::book().next().unwrap();
        let mujoco = Mujoco::read().unwrap();
        for (error, verdict) in [(case.limit, "passed"), (2.0 * case.limit, "FAILED"), (f64::NAN, "FAILED")] {
            assert!(page(&[(case, error)], &mujoco).contains(verdict), "{error}");
        }
    }
}
