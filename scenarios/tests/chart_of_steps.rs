//! The steps of a mission as a statechart: `chiron chart`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::path::{Path, PathBuf};

use desk::Desk;
use scenarios::outcome::Outcome;
use scenarios::{Case, Library, Registry, Stage};

#[path = "support/desk.rs"]
mod desk;

const FILE: &str = "steps.toml";

/// What the tables of a list of steps begin with.
const STEPS: [&str; 2] = ["[[mission.steps]]", "[mission.steps."];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A scenario in a folder, with its steps taken out and put into a chart beside it.
fn with_chart(text: &str) -> Desk {
    let desk = Desk::with(FILE, text, Registry::standard());
    let library = Library::at(&root());
    let stage = Stage::load(&library, Case::load(&library, desk.at(FILE).to_str().unwrap()).unwrap()).unwrap();
    std::fs::create_dir(desk.at("charts")).unwrap();
    std::fs::write(desk.at("charts/list.toml"), stage.case.mission.to_chart("list", &stage.spawn)).unwrap();
    let tables = text.split_inclusive('\n').fold(Vec::<String>::new(), |mut tables, line| {
        match tables.last_mut().filter(|_| !line.starts_with('[')) {
            Some(table) => table.push_str(line),
            None => tables.push(line.to_owned()),
        }
        tables
    });
    let rest: String = tables.into_iter().filter(|table| !STEPS.iter().any(|start| table.starts_with(start))).collect();
    let behaviour = "[behaviour]\nchart = \"list\"\n\n[mission]";
    std::fs::write(desk.at(FILE), rest.replacen("[mission]", behaviour, 1)).unwrap();
    desk
}

#[test]
fn every_list_of_steps_that_ships_becomes_a_chart_that_can_be_carried_out_or_it_says_which_step_cannot() {
    let library = Library::at(&root());
    let mut count = 0;
    for entry in std::fs::read_dir(root().join("scenarios/cases")).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        // a chart that is there already has its own test
        if text.contains("[[mission.steps]]") && !text.contains("[behaviour]") {
            let desk = with_chart(&text);
            let case = Case::load(&library, desk.at(FILE).to_str().unwrap()).unwrap();
            assert!(case.mission.steps.is_empty());
            let loaded = Stage::load(&library, case);
            if text.contains("[mission.steps.reach]") {
                // no skill of charts moves the whole body
                let told = loaded.err().unwrap().to_string();
                assert!(told.contains("expected a skill") && told.ends_with("found 'reach'"), "{told}");
                continue;
            }
            let stage = loaded.unwrap();
            assert_eq!(stage.charts.len(), 1, "{}", stage.case.title);
            count += 1;
        }
    }
    assert!(count > 20, "{count} lists");
}

const LIST: &str = r#"
title = "A list of everything"
about = "Frames, drives that go through, looks, stances, poses, waits."
world = "flat"
robot = "centaur"
seed = 3
duration = 60.0
linger = 0.2
spawn = { x = 1.0, y = -2.0, yaw = 1.57 }

[mission]
name = "everything"
frame = "start"

[mission.progress]
retries = 2
retry_pause = 0.5
on_stall = "skip"

[[mission.steps]]
goto = { x = 1.0, y = 0.2, pass = true, timeout = 20.0 }

[[mission.steps]]
goto = { x = 1.5, y = 0.8, yaw = -0.5, look = "keep", speed = 0.4, tolerance = 0.04 }
stance = { height = 0.5, seconds = 1.0 }

[[mission.steps]]
pose = { name = "arms_forward" }

[[mission.steps]]
wait = { seconds = 0.5 }

[[check]]
kind = "mission"
end = "done"

[[check]]
kind = "reached"
x = 0.2
y = -0.5
within = 0.06
heading = 61.3
heading_within = 4.0
"#;

#[test]
fn a_list_that_has_become_a_chart_does_the_same_and_takes_as_long() {
    let took = |desk: &Desk| {
        let (outcome, metrics) = desk.run(FILE, &[], "out").unwrap();
        assert_eq!(outcome, Outcome::Passed, "{metrics}");
        metrics["simulated_s"].as_f64().unwrap()
    };
    let (list, chart) = (took(&Desk::with(FILE, LIST, Registry::standard())), took(&with_chart(LIST)));
    // where a list drives through a place it knows already where it goes on
    assert!((list - chart).abs() < 0.05 * list, "list {list} s, chart {chart} s");
}

#[test]
fn what_follows_a_step_that_comes_to_nothing_is_in_the_chart_as_well() {
    let desk = with_chart(LIST);
    let chart = std::fs::read_to_string(desk.at("charts/list.toml")).unwrap();
    for line in [
        "[states.step_1]   # should take no more than 20 s",
        "failed = { ladder = [\"step_1_rest\", \"step_1_rest\", \"step_2\"] }",
        "out_of_reach = \"step_2\"",
        "inputs = { seconds = 0.5 }",
        "done = \"step_2_there\"",
        "stalled = { ladder = [\"step_3_rest\", \"step_3_rest\", \"step_4\"] }",
        "outcomes = [\"done\"]",
    ] {
        assert!(chart.lines().any(|found| found == line), "{line} is not in\n{chart}");
    }
}

#[test]
fn a_mission_without_steps_has_nothing_to_become_a_chart() {
    let refused = Desk::new(Registry::standard()).chiron(&["chart", "centaur_inspects"]).unwrap_err().to_string();
    assert_eq!(refused, "centaur_inspects: expected a mission with steps, found none");
}
