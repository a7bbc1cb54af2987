//! `chiron check CASE --map …`: how much a robot survives.

use std::path::PathBuf;

use super::run::load_stage;
use crate::cli::{Changes, CheckArgs, MapArgs};
use crate::limits::{Levels, Map, MapKind, MapPlan, Stop, draw, page, summary, table};
use crate::outcome::Outcome;
use crate::results::write_whole;
use crate::seeds::Seeds;
use crate::{Library, ScenarioError, Stage};

/// Draws a map, leaves its page and its JSON, and prints its table.
pub fn map(kind: MapKind, args: &CheckArgs, library: &Library, quiet: bool) -> Result<Outcome, ScenarioError> {
    let [case] = args.cases.as_slice() else {
        let found = if args.cases.is_empty() { "none".to_owned() } else { args.cases.join(", ") };
        return Err(ScenarioError::Usage(format!("--map {}: expected one scenario, found {found}", kind.word())));
    };
    let plan = plan(kind, args)?;
    let stages = stages(case, args, library)?;
    let [html, json] = places(kind, &stages[0].case.name, &args.map)?;
    let map = match draw(&stages, &plan, quiet) {
        Ok(map) => map,
        Err(Stop::Interrupted) => return Ok(Outcome::Interrupted),
        Err(Stop::Error(error)) => return Err(error),
    };
    let command = command(kind, case, args);
    write_whole(&html, page(&map, &command, args.map.least).as_bytes())?;
    write_whole(&json, (serde_json::to_string_pretty(&map).unwrap_or_default() + "\n").as_bytes())?;
    tell(&map, args.map.least, quiet);
    println!("{}", html.display());
    Ok(if below(&map, args.map.least) > 0 { Outcome::Failed } else { Outcome::Passed })
}

/// What the command line asks for, with everything that makes no sense refused before anything is run.
fn plan(kind: MapKind, args: &CheckArgs) -> Result<MapPlan, ScenarioError> {
    let MapArgs { resolution, limit, directions, phases, push_link, push_seconds, recover, from_start, least, .. } =
        &args.map;
    let word = kind.word();
    let only = [
        ("--directions", directions.is_some() && kind == MapKind::Step, "--map push or slope; a step goes up and down"),
        ("--phases", phases.is_some() && kind != MapKind::Push, "--map push"),
        ("--push-link", push_link.is_some() && kind != MapKind::Push, "--map push"),
        ("--push-seconds", push_seconds.is_some() && kind != MapKind::Push, "--map push"),
        (
            "--from-start",
            *from_start && kind != MapKind::Push,
            "--map push; other runs always begin at their beginning",
        ),
    ];
    if let Some((flag, _, with)) = only.iter().find(|(_, is_wrong, _)| *is_wrong) {
        return Err(ScenarioError::Usage(format!("{flag}: expected with {with}; found with --map {word}")));
    }
    let (usual_resolution, usual_limit, most) = kind.usual();
    let limit = within("--limit", *limit, usual_limit, (0.0, most), kind.unit())?;
    let resolution = within("--resolution", *resolution, usual_resolution.min(limit), (0.0, most), kind.unit())?;
    let levels =
        Levels::new(resolution, limit).map_err(|error| ScenarioError::Usage(format!("--map {word}: {error}")))?;
    within("--least", *least, 0.0, (0.0, limit), kind.unit())?;
    let usual_recover = if kind == MapKind::Push { 5.0 } else { 2.0 };
    Ok(MapPlan {
        kind,
        levels,
        directions: directions.unwrap_or(8).into(),
        phases: phases.unwrap_or(8).into(),
        push_link: push_link.clone(),
        push_seconds: within("--push-seconds", *push_seconds, 0.1, (0.005, 10.0), "s")?,
        recover: within("--recover", *recover, usual_recover, (0.1, 600.0), "s")?,
        from_start: *from_start,
        jobs: args.jobs.into(),
    })
}

/// A number of the command line, or the usual one.
fn within(
    flag: &str,
    given: Option<f64>,
    usual: f64,
    (low, high): (f64, f64),
    unit: &str,
) -> Result<f64, ScenarioError> {
    let value = given.unwrap_or(usual);
    let wrong = || ScenarioError::Usage(format!("{flag}: expected {low} to {high} {unit}, found {value}"));
    (low..=high).contains(&value).then_some(value).ok_or_else(wrong)
}

/// The scenario with each seed.
fn stages(case: &str, args: &CheckArgs, library: &Library) -> Result<Vec<Stage>, ScenarioError> {
    let seeds: Vec<Option<u64>> = args.seeds.as_ref().map_or(vec![None], |seeds| seeds.iter().map(Some).collect());
    if let Some(remark) = args.seeds.as_ref().and_then(Seeds::remark) {
        println!("{remark}");
    }
    let stage = |seed| load_stage(library, case, &Changes { seed, ends: args.ends.clone(), ..Changes::default() });
    seeds.into_iter().map(stage).collect()
}

/// Where the page and the JSON go; what is there stays unless it is to be replaced.
fn places(kind: MapKind, case: &str, args: &MapArgs) -> Result<[PathBuf; 2], ScenarioError> {
    let usual = || PathBuf::from("out").join(format!("{case}-maps"));
    let folder = args.out.clone().unwrap_or_else(usual);
    let places = ["html", "json"].map(|ending| folder.join(format!("map_{}.{ending}", kind.word())));
    let wrong =
        |path: &PathBuf, message: &str| Err(ScenarioError::File { path: path.clone(), message: message.to_owned() });
    if folder.exists() && !folder.is_dir() {
        return wrong(&folder, "expected a folder for the map, found a file");
    }
    match places.iter().find(|place| place.exists()) {
        Some(there) if !args.force => {
            wrong(there, "expected no map here; name another folder with --out, or replace it with --force")
        }
        _ => Ok(places),
    }
}

fn below(map: &Map, least: Option<f64>) -> usize {
    least.map_or(0, |least| map.cells.iter().filter(|cell| !cell.holds(least)).count())
}

fn tell(map: &Map, least: Option<f64>, quiet: bool) {
    if !quiet {
        println!("{}", table(map));
        println!("{}", summary(map));
    }
    let Some(least) = least else { return };
    let below: Vec<String> = map.cells.iter().filter(|cell| !cell.holds(least)).map(|cell| map.place(cell)).collect();
    match below.as_slice() {
        [] => println!("passed: every cell holds {least} {}", map.unit),
        places => println!(
            "FAILED: {} of {} cells do not hold {least} {}: {}",
            places.len(),
            map.cells.len(),
            map.unit,
            places.join("; ")
        ),
    }
}

/// The command line that draws the same again.
fn command(kind: MapKind, case: &str, args: &CheckArgs) -> String {
    let MapArgs { resolution, limit, directions, phases, push_link, push_seconds, recover, from_start, least, .. } =
        &args.map;
    let number = |flag: &str, value: Option<f64>| value.map(|value| format!("{flag} {value}"));
    let count = |flag: &str, value: Option<u16>| value.map(|value| format!("{flag} {value}"));
    let flags = [
        args.seeds.as_ref().map(|seeds| format!("--seeds {seeds}")),
        args.ends.plant.as_ref().map(|plant| format!("--plant {plant}")),
        args.ends.controller.as_ref().map(|controller| format!("--controller {controller}")),
        number("--resolution", *resolution),
        number("--limit", *limit),
        count("--directions", *directions),
        count("--phases", *phases),
        push_link.as_ref().map(|link| format!("--push-link {link}")),
        number("--push-seconds", *push_seconds),
        number("--recover", *recover),
        from_start.then(|| "--from-start".to_owned()),
        number("--least", *least),
        (!args.ends.program.is_empty()).then(|| format!("--program {}", args.ends.program.join(" "))),
    ];
    let flags: String = flags.into_iter().flatten().map(|flag| format!(" {flag}")).collect();
    format!("chiron check {case} --map {}{flags}", kind.word())
}
