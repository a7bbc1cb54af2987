//! A check that is not ours, added by a program of somebody else's in one line.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::path::{Path, PathBuf};

use clap::Parser;
use robot_io::State;
use scenarios::cli::Cli;
use scenarios::outcome::Outcome;
use scenarios::{
    CheckAnswer, CheckRefusal, CheckSetup, Library, Observation, OwnCheck, Registry, ScenarioError, execute,
};
use serde::Deserialize;
use tempfile::TempDir;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

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

struct Bench(TempDir);

impl Bench {
    fn with(text: &str) -> Bench {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("shoved.toml"), text).unwrap();
        Bench(folder)
    }

    fn at(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    fn run(&self) -> Result<Outcome, ScenarioError> {
        let (case, out) = (self.at("shoved.toml"), self.at("out"));
        chiron(&["run", case.to_str().unwrap(), "--no-pictures", "--quiet", "--out", out.to_str().unwrap()])
    }

    fn found(&self, out: &str) -> f64 {
        let metrics = std::fs::read_to_string(self.at(out).join("metrics.json")).unwrap();
        let metrics: serde_json::Value = serde_json::from_str(&metrics).unwrap();
        let check = &metrics["checks"][0];
        assert_eq!(check["name"], "set in motion at least 2 times");
        check["value"].as_f64().unwrap()
    }
}

fn chiron(arguments: &[&str]) -> Result<Outcome, ScenarioError> {
    let cli = Cli::parse_from(std::iter::once(&"chiron").chain(arguments));
    let registry = Registry::standard().with_check("shoves", Shoves::new);
    execute(cli, &Library::at(Path::new(ROOT)).with_registry(registry))
}

#[test]
fn it_sees_the_run_and_a_fork_goes_on_from_what_it_has_seen() {
    let bench = Bench::with(CASE);
    assert_eq!(bench.run().unwrap(), Outcome::Passed);
    let counted = bench.found("out");
    assert!(counted >= 2.0, "{counted}");
    let (log, fork) = (bench.at("out/run.mcap"), bench.at("fork"));
    let forked = ["replay", log.to_str().unwrap(), "--fork-at", "3.4", "--out", fork.to_str().unwrap(), "--quiet"];
    assert_eq!(chiron(&forked).unwrap(), Outcome::Passed, "the pushes were before the fork");
    assert_eq!(bench.found("fork"), counted);
    let never = Bench::with(&CASE.replace("200.0", "0.0"));
    assert_eq!(never.run().unwrap(), Outcome::Failed, "nobody pushes it");
}

#[test]
fn a_kind_or_a_setting_that_there_is_not_is_refused_with_its_line() {
    let wrong = [
        ("\"shoves\"", "\"shove\"", "shoved.toml:20: check: kind: expected one of metric, reached"),
        ("least = 2", "least = 2\nmost = 3", "shoved.toml:20: check: unknown field `most`"),
        ("kind = \"shoves\"\n", "", "shoved.toml:20: check: expected `kind`, for example one of metric"),
        ("kind = \"shoves\"\n", "kind = \"reached\"\n", "shoved.toml:20: check: unknown field `"),
    ];
    for (from, to, expected) in wrong {
        let bench = Bench::with(&CASE.replace(from, to));
        let refused = bench.run().unwrap_err().to_string();
        assert!(refused.contains(expected), "{to}: {refused}");
        assert!(!bench.at("out").exists(), "{to}");
    }
}
