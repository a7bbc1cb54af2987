//! A skill that is not ours: the page that `chiron new skill` writes, run as its owner would run it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

extern crate scenarios as chiron;

use std::path::{Path, PathBuf};

use clap::Parser;
use scenarios::cli::Cli;
use scenarios::outcome::Outcome;
use scenarios::{Library, Registry, ScenarioError, execute};
use tempfile::TempDir;

#[allow(dead_code, missing_docs, reason = "a program of its own")]
#[path = "../templates/skill/main.rs"]
mod page;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Somebody's folder outside the repository, with what `chiron new skill wave` has left there.
struct Project {
    folder: TempDir,
}

impl Project {
    fn new() -> Project {
        let project = Project { folder: TempDir::new().unwrap() };
        let at = project.at("wave");
        chiron(Registry::standard(), &["new", "skill", "wave", "--path", at.to_str().unwrap()]).unwrap();
        project
    }

    fn at(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    /// Changes the scenario.
    fn with(&self, from: &str, to: &str) {
        let case = self.at("wave/wave.toml");
        let text = std::fs::read_to_string(&case).unwrap();
        assert!(text.contains(from), "{from}");
        std::fs::write(&case, text.replace(from, to)).unwrap();
    }

    /// Runs the scenario into a folder; gives back its metrics.
    fn run(&self, more: &[&str], out: &str) -> (Outcome, serde_json::Value) {
        let (case, out) = (self.at("wave/wave.toml"), self.at(out));
        let fixed = ["run", case.to_str().unwrap(), "--no-pictures", "--quiet", "--out", out.to_str().unwrap()];
        let outcome = chiron(page::skills(), &[&fixed, more].concat()).unwrap();
        let metrics = std::fs::read_to_string(out.join("metrics.json")).unwrap();
        (outcome, serde_json::from_str(&metrics).unwrap())
    }
}

fn chiron(registry: Registry, arguments: &[&str]) -> Result<Outcome, ScenarioError> {
    let cli = Cli::parse_from(std::iter::once(&"chiron").chain(arguments));
    execute(cli, &Library::at(Path::new(ROOT)).with_registry(registry))
}

#[test]
fn it_waves_in_simulation_over_the_bus_in_a_replay_and_in_a_fork() {
    let project = Project::new();
    let digest = |more: &[&str], out: &str| {
        let (outcome, metrics) = project.run(more, out);
        assert_eq!(outcome, Outcome::Passed, "{more:?}: {metrics}");
        metrics["digest"].as_str().unwrap().to_owned()
    };
    assert_eq!(digest(&[], "sim"), digest(&["--workers", "0"], "again"), "the same, run again");
    assert_eq!(digest(&["--plant", "modelled-bus"], "modelled"), digest(&["--plant", "virtual-bus"], "bus"));
    for out in ["sim", "bus"] {
        let log = project.at(out).join("run.mcap");
        for how in ["--verify", "--controllers-only"] {
            let replayed = chiron(page::skills(), &["replay", log.to_str().unwrap(), how, "--quiet"]).unwrap();
            assert_eq!(replayed, Outcome::Passed, "{out} {how}");
        }
    }
    let (log, fork) = (project.at("sim/run.mcap"), project.at("fork"));
    let (log, fork) = (log.to_str().unwrap(), fork.to_str().unwrap());
    let forked = ["replay", log, "--fork-at", "6.3", "--seed", "2", "--out", fork, "--quiet"];
    assert_eq!(chiron(page::skills(), &forked).unwrap(), Outcome::Passed, "in the middle of the wave");
}

#[test]
fn a_joint_that_does_not_follow_is_told_tried_again_and_left_out() {
    let project = Project::new();
    let locked = "[[fault]]\nat = 3.0\njoint = \"left_arm_elbow_pitch\"\nkind = \"stuck_encoder\"\n\n[[check]]\nkind = \"event\"\n\
                  contains = \"does not follow\"\n\n[[check]]\nkind = \"mission\"";
    project.with("[[check]]\nkind = \"mission\"", locked);
    project.with("swing = 0.4", "swing = 1.2");
    project.with("[[mission.steps]]\ngoto", "[mission.progress]\non_stall = \"skip\"\n\n[[mission.steps]]\ngoto");
    let (outcome, metrics) = project.run(&[], "out");
    assert_eq!(outcome, Outcome::Passed, "{metrics}");
}

#[test]
fn what_it_cannot_do_is_refused_before_anything_is_written() {
    let project = Project::new();
    let (case, out) = (project.at("wave/wave.toml"), project.at("out"));
    let good = std::fs::read_to_string(&case).unwrap();
    let arguments = ["run", case.to_str().unwrap(), "--out", out.to_str().unwrap()];
    for (from, to, expected) in [
        ("times = 3", "tims = 3", "unknown field `tims`, expected one of `joint`, `swing`, `times`"),
        ("times = 3", "times = -3", "invalid value: integer `-3`, expected u32"),
        (
            "left_arm_elbow_pitch",
            "third_elbow",
            "expected a joint to move, found 'third_elbow', which centaur does not have",
        ),
        ("left_arm_elbow_pitch", "front_left_knee_pitch", "which carries the robot or turns without end"),
    ] {
        std::fs::write(&case, good.replace(from, to)).unwrap();
        let refused = chiron(page::skills(), &arguments).unwrap_err().to_string();
        assert!(refused.contains("wave.toml:15: steps[1].wave: ") && refused.contains(expected), "{to}: {refused}");
        assert!(!out.join("run.mcap").exists() && !out.join("run.mcap.partial").exists(), "{to}");
    }
    std::fs::write(&case, &good).unwrap();
    let unknown = chiron(Registry::standard(), &arguments).unwrap_err().to_string();
    let expected = "wave.toml:15: steps[1].wave: expected goto, wait, stance, pose, explore; found 'wave'";
    assert!(unknown.contains(expected), "{unknown}");
}

#[test]
fn the_tutorial_shows_what_is_run() {
    let (page, shown) =
        (include_str!("../templates/skill/main.rs"), include_str!("../../controllers/OWN_CONTROLLER.md"));
    let code = shown.split_once("impl Skill for Wave {").and_then(|(_, rest)| rest.split_once("\n}\n")).unwrap().0;
    for line in code.lines().map(|line| line.split("  //").next().unwrap_or_default().trim_end()) {
        assert!(page.lines().any(|ran| ran == line), "{line}");
    }
}

#[test]
fn a_program_without_it_can_tell_what_a_log_holds() {
    let project = Project::new();
    project.run(&["--duration", "3"], "sim");
    let log = project.at("sim/run.mcap");
    let log = log.to_str().unwrap();
    assert_eq!(chiron(Registry::standard(), &["replay", log]).unwrap(), Outcome::Passed);
    let refused = chiron(Registry::standard(), &["replay", log, "--verify"]).unwrap_err().to_string();
    assert!(refused.contains("steps[1].wave") && refused.contains("found 'wave'"), "{refused}");
}
