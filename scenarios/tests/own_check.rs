//! A check that is not ours, added by a program of somebody else's in one line.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use desk::Desk;
use robot_io::State;
use scenarios::outcome::Outcome;
use scenarios::{CheckAnswer, CheckRefusal, CheckSetup, Observation, OwnCheck, Registry};
use serde::Deserialize;

#[path = "support/desk.rs"]
mod desk;

const CASE: &str = r#"
title = "A robot that stands and is pushed"
world = "flat"
robot = "centaur"
seed = 1
duration = 4.0

[[push]]
at = 1.0
duration = 0.1
link = "base_link"
force = [0.0, 200.0, 0.0]

[[push]]
at = 2.0
duration = 0.1
link = "base_link"
force = [0.0, 200.0, 0.0]

[[check]]
kind = "shoves"
speed = 0.01
least = 2
"#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// Slower is rest [m/s].
    speed: f64,
    /// How often it must have been moved.
    least: u64,
}

/// Counts how often the base was set in motion.
#[derive(State)]
struct Shoves {
    #[state(fixed)]
    settings: Settings,
    moves: bool,
    counted: u64,
}

impl Shoves {
    fn new(setup: &CheckSetup<'_>) -> Result<Shoves, CheckRefusal> {
        Ok(Shoves { settings: setup.settings()?, moves: true, counted: 0 })
    }
}

impl OwnCheck for Shoves {
    fn name(&self) -> String {
        format!("set in motion at least {} times", self.settings.least)
    }

    fn observe(&mut self, seen: &Observation<'_>) {
        let moves = seen.truth.base_velocity_in_world.norm() > self.settings.speed;
        self.counted += u64::from(moves && !self.moves);
        self.moves = moves;
    }

    fn needs_truth(&self) -> bool {
        true
    }

    fn answer(&self) -> CheckAnswer {
        let passed = self.counted >= self.settings.least;
        CheckAnswer { passed, value: Some(self.counted as f64), limit: Some(self.settings.least as f64), unit: "1" }
    }
}

const FILE: &str = "shoved.toml";

fn desk(text: &str) -> Desk {
    Desk::with(FILE, text, Registry::standard().with_check("shoves", Shoves::new))
}

fn found(metrics: &serde_json::Value) -> f64 {
    let check = &metrics["checks"][0];
    assert_eq!(check["name"], "set in motion at least 2 times");
    check["value"].as_f64().unwrap()
}

#[test]
fn it_sees_the_run_and_a_fork_goes_on_from_what_it_has_seen() {
    let pushed = desk(CASE);
    let (outcome, metrics) = pushed.run(FILE, &[], "out").unwrap();
    let counted = found(&metrics);
    assert!(outcome == Outcome::Passed && counted >= 2.0, "{counted}");
    let (log, fork) = (pushed.at("out/run.mcap"), pushed.at("fork"));
    let forked = ["replay", log.to_str().unwrap(), "--fork-at", "3.4", "--out", fork.to_str().unwrap(), "--quiet"];
    assert_eq!(pushed.chiron(&forked).unwrap(), Outcome::Passed, "the pushes were before the fork");
    let metrics = std::fs::read_to_string(fork.join("metrics.json")).unwrap();
    assert_eq!(found(&serde_json::from_str(&metrics).unwrap()), counted);
    let (never, _) = desk(&CASE.replace("200.0", "0.0")).run(FILE, &[], "out").unwrap();
    assert_eq!(never, Outcome::Failed, "nobody pushes it");
}

#[test]
fn a_kind_or_a_setting_that_there_is_not_is_refused_with_its_line() {
    for (from, to, expected) in [
        ("\"shoves\"", "\"shove\"", "shoved.toml:20: check: kind: expected one of metric, reached"),
        ("least = 2", "least = 2\nmost = 3", "shoved.toml:20: check: unknown field `most`"),
        ("kind = \"shoves\"\n", "", "shoved.toml:20: check: expected `kind`, for example one of metric"),
        ("kind = \"shoves\"\n", "kind = \"reached\"\n", "shoved.toml:20: check: unknown field `"),
    ] {
        let desk = desk(&CASE.replace(from, to));
        let refused = desk.refused(FILE, &[]);
        assert!(refused.contains(expected), "{to}: {refused}");
        assert!(!desk.at("refused").exists(), "{to}");
    }
}
