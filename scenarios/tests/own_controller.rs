//! A controller that is not ours: the page that `chiron new controller` writes, run as its owner would run it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

extern crate scenarios as chiron;

use std::path::{Path, PathBuf};

use clap::Parser;
use scenarios::cli::Cli;
use scenarios::outcome::Outcome;
use scenarios::{Library, Registry, ScenarioError, execute};
use tempfile::TempDir;

#[allow(dead_code, missing_docs, reason = "a program of its own")]
#[path = "../templates/controller/main.rs"]
mod page;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Somebody's folder outside the repository, with what `chiron new controller wave` has left there.
struct Project {
    folder: TempDir,
}

impl Project {
    fn new() -> Project {
        let project = Project { folder: TempDir::new().unwrap() };
        let at = project.at("wave");
        chiron(Registry::standard(), &["new", "controller", "wave", "--path", at.to_str().unwrap()]).unwrap();
        project
    }

    fn at(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    /// Runs the scenario into a folder; gives back its digest.
    fn run(&self, registry: Registry, more: &[&str], out: &str) -> String {
        let (case, out) = (self.at("wave/wave.toml"), self.at(out));
        let fixed = ["run", case.to_str().unwrap(), "--no-pictures", "--quiet", "--out", out.to_str().unwrap()];
        let outcome = chiron(registry, &[&fixed, more].concat()).unwrap();
        let metrics = std::fs::read_to_string(out.join("metrics.json")).unwrap();
        assert_eq!(outcome, Outcome::Passed, "{more:?}: {metrics}");
        let metrics: serde_json::Value = serde_json::from_str(&metrics).unwrap();
        metrics["digest"].as_str().unwrap().to_owned()
    }
}

fn chiron(registry: Registry, arguments: &[&str]) -> Result<Outcome, ScenarioError> {
    let cli = Cli::parse_from(std::iter::once(&"chiron").chain(arguments));
    execute(cli, &Library::at(Path::new(ROOT)).with_registry(registry))
}

#[test]
fn it_waves_in_simulation_over_the_bus_in_a_replay_and_in_a_fork() {
    let project = Project::new();
    let simulated = project.run(page::controllers(), &[], "sim");
    assert_eq!(simulated, project.run(page::controllers(), &["--workers", "0"], "again"), "the same, run again");
    let modelled = project.run(page::controllers(), &["--plant", "modelled-bus"], "modelled");
    assert_eq!(modelled, project.run(page::controllers(), &["--plant", "virtual-bus"], "bus"));
    for out in ["sim", "bus"] {
        let log = project.at(out).join("run.mcap");
        for how in ["--verify", "--controllers-only"] {
            let replayed = chiron(page::controllers(), &["replay", log.to_str().unwrap(), how, "--quiet"]).unwrap();
            assert_eq!(replayed, Outcome::Passed, "{out} {how}");
        }
    }
    let (log, fork) = (project.at("sim/run.mcap"), project.at("fork"));
    let (log, fork) = (log.to_str().unwrap(), fork.to_str().unwrap());
    let forked = ["replay", log, "--fork-at", "3.3", "--seed", "2", "--out", fork, "--quiet"];
    assert_eq!(chiron(page::controllers(), &forked).unwrap(), Outcome::Passed);
    assert_eq!(chiron(Registry::standard(), &["diff", log, &format!("{fork}/run.mcap")]).unwrap(), Outcome::Failed);
}

#[test]
fn a_program_without_it_says_which_controllers_it_has_and_where_the_name_stands() {
    let project = Project::new();
    let case = project.at("wave/wave.toml");
    let refused = chiron(Registry::standard(), &["run", case.to_str().unwrap()]).unwrap_err().to_string();
    assert!(refused.contains("wave.toml:10: controller: expected one of mission, program, found 'wave'"), "{refused}");
    project.run(page::controllers(), &["--duration", "8"], "sim");
    let log = project.at("sim/run.mcap");
    let log = log.to_str().unwrap();
    let refused = chiron(Registry::standard(), &["replay", log, "--verify"]).unwrap_err().to_string();
    assert!(refused.contains("expected one of mission, program, found 'wave'"), "{refused}");
    assert_eq!(chiron(Registry::standard(), &["replay", log]).unwrap(), Outcome::Passed, "what it holds can be told");
}

#[test]
fn settings_that_it_does_not_know_are_refused_before_anything_is_written() {
    let project = Project::new();
    let (case, out) = (project.at("wave/wave.toml"), project.at("out"));
    let good = std::fs::read_to_string(&case).unwrap();
    let broken = [
        ("swing = 0.4", "swin = 0.4", "controller: settings: unknown field `swin`"),
        ("times = 3", "times = -3", "controller: settings: invalid value"),
        ("\"left_arm_elbow_pitch\"", "\"third_elbow\"", "controller: centaur has no joint named 'third_elbow'"),
        ("[controller.settings]", "[controller.setting]", "unknown field `setting`"),
    ];
    for (from, to, expected) in broken {
        std::fs::write(&case, good.replace(from, to)).unwrap();
        let arguments = ["run", case.to_str().unwrap(), "--out", out.to_str().unwrap()];
        let refused = chiron(page::controllers(), &arguments).unwrap_err().to_string();
        assert!(refused.contains("wave.toml:1") && refused.contains(expected), "{to}: {refused}");
        assert!(!out.join("run.mcap").exists() && !out.join("run.mcap.partial").exists(), "{to}");
    }
}

#[test]
fn another_controller_may_answer_in_a_scenario_that_ships() {
    let folder = TempDir::new().unwrap();
    let digest = |controller: &str| {
        let out = folder.path().join(controller);
        let registry = Registry::standard().with("around", |setup| setup.mission());
        let arguments = ["run", "centaur_drives_flat", "--duration", "6", "--no-pictures", "--quiet", "--controller"];
        let _ = chiron(registry, &[&arguments[..], &[controller, "--out", out.to_str().unwrap()]].concat()).unwrap();
        let metrics = std::fs::read_to_string(out.join("metrics.json")).unwrap();
        let metrics: serde_json::Value = serde_json::from_str(&metrics).unwrap();
        metrics["digest"].as_str().unwrap().to_owned()
    };
    assert_eq!(digest("mission"), digest("around"), "the mission by another name is the same mission");
}

#[test]
fn a_folder_that_exists_is_left_as_it_is() {
    let project = Project::new();
    let at = project.at("wave");
    let again = chiron(Registry::standard(), &["new", "controller", "wave", "--path", at.to_str().unwrap()]);
    assert!(again.unwrap_err().to_string().contains("does not exist yet"));
    for name in ["Wave", "../wave", "mission", "my-arm"] {
        let refused = chiron(Registry::standard(), &["new", "controller", name]).unwrap_err().to_string();
        assert!(refused.contains("small letters"), "{name}: {refused}");
    }
}
