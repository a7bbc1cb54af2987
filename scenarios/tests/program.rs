//! A controller in another process, as a person with Python would run it: alone, over the bus, replayed, forked, and in trouble.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::path::{Path, PathBuf};

use clap::Parser;
use scenarios::cli::Cli;
use scenarios::outcome::Outcome;
use scenarios::{Library, ScenarioError, execute};
use tempfile::TempDir;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn chiron(arguments: &[&str]) -> Result<Outcome, ScenarioError> {
    let cli = Cli::parse_from(std::iter::once(&"chiron").chain(arguments));
    execute(cli, &Library::at(Path::new(ROOT)))
}

/// False, loudly, where nothing can be tested for want of Python.
fn has_python() -> bool {
    let found =
        std::process::Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("SKIPPED: there is no python3 on this machine, so controllers in Python are not tested");
    }
    found
}

/// What `chiron new program wave` leaves.
struct Project {
    folder: TempDir,
}

impl Project {
    fn new() -> Project {
        let project = Project { folder: TempDir::new().unwrap() };
        chiron(&["new", "program", "wave", "--path", project.at("wave").to_str().unwrap()]).unwrap();
        project
    }

    /// The same with one text of a file replaced by another.
    fn changed(file: &str, from: &str, to: &str) -> Project {
        let project = Project::new();
        let path = project.at("wave").join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} has no {from}");
        std::fs::write(&path, text.replace(from, to)).unwrap();
        project
    }

    fn at(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    fn run(&self, more: &[&str], out: &str) -> Result<(Outcome, serde_json::Value), ScenarioError> {
        let (case, out) = (self.at("wave/wave.toml"), self.at(out));
        let fixed = ["run", case.to_str().unwrap(), "--no-pictures", "--quiet", "--out", out.to_str().unwrap()];
        let outcome = chiron(&[&fixed, more].concat())?;
        let metrics = std::fs::read_to_string(out.join("metrics.json")).unwrap();
        Ok((outcome, serde_json::from_str(&metrics).unwrap()))
    }

    fn passes(&self, more: &[&str], out: &str) -> String {
        let (outcome, metrics) = self.run(more, out).unwrap();
        assert_eq!(outcome, Outcome::Passed, "{more:?}: {metrics}");
        metrics["digest"].as_str().unwrap().to_owned()
    }
}

#[test]
fn it_waves_in_simulation_and_over_the_bus_and_a_log_replays_without_it() {
    if !has_python() {
        return;
    }
    let project = Project::new();
    assert_eq!(project.passes(&[], "sim"), project.passes(&[], "again"));
    assert_eq!(
        project.passes(&["--plant", "modelled-bus"], "model"),
        project.passes(&["--plant", "virtual-bus"], "bus")
    );
    for out in ["sim", "bus"] {
        let log = project.at(out).join("run.mcap");
        for how in [["--verify", "--run-program"], ["--controllers-only", "--run-program"]] {
            assert_eq!(
                chiron(&[&["replay", log.to_str().unwrap(), "--quiet"], &how[..]].concat()).unwrap(),
                Outcome::Passed
            );
        }
    }
    std::fs::remove_file(project.at("wave/wave.py")).unwrap();
    for out in ["sim", "bus"] {
        let log = project.at(out).join("run.mcap");
        let log = log.to_str().unwrap();
        assert_eq!(chiron(&["replay", log, "--verify", "--quiet"]).unwrap(), Outcome::Passed, "{out}");
        let refused = chiron(&["replay", log, "--controllers-only"]).unwrap_err().to_string();
        assert!(refused.contains("`python3 wave.py`; --run-program starts it"), "{refused}");
    }
}

#[test]
fn a_fork_goes_on_from_what_the_program_said_that_it_remembers() {
    if !has_python() {
        return;
    }
    let project = Project::new();
    project.passes(&[], "sim");
    let (log, fork) = (project.at("sim/run.mcap"), project.at("fork"));
    let (log, fork) = (log.to_str().unwrap(), fork.to_str().unwrap());
    let forked = ["replay", log, "--fork-at", "3.3", "--out", fork, "--quiet"];
    let refused = chiron(&forked).unwrap_err().to_string();
    assert!(refused.contains("--run-program"), "{refused}");
    assert_eq!(chiron(&[&forked[..], &["--run-program"]].concat()).unwrap(), Outcome::Passed);
    let same = chiron(&["diff", log, &format!("{fork}/run.mcap")]).unwrap();
    assert_eq!(same, Outcome::Passed, "a fork that changes nothing is the same to the bit");
}

#[test]
fn a_program_that_breaks_stops_the_robot_and_is_told_in_words() {
    if !has_python() {
        return;
    }
    let broken = [
        ("return {", "raise ValueError('elbow')\n        return {", "its program has ended"),
        ("\"stiffness\": self.stiffness,", "\"stiffness\": [1.0],", "joints.stiffness: expected 56 numbers, found 1"),
        ("say({\"cycle\": readings[\"cycle\"],", "say({\"cycle\": 7,", "cycle: expected 0, found 7"),
        ("print(json.dumps(message), flush=True)", "print(str(message), flush=True)", "expected {\"chiron\": 1}"),
        ("\"chiron\": 1", "\"chiron\": 2", "found version 2"),
        (".index(self.settings[\"joint\"])", ".index(\"no such joint\")", "its program has ended"),
    ];
    for (number, (from, to, expected)) in broken.into_iter().enumerate() {
        let project = Project::changed("wave.py", from, to);
        match project.run(&["--duration", "3"], "out") {
            Ok((outcome, metrics)) => {
                assert!(outcome == Outcome::Failed && number < 3, "{to}");
                let told = metrics["mission"].as_str().unwrap();
                assert!(told.contains("the controller panicked") && told.contains(expected), "{told}");
            }
            Err(refused) => assert!(number >= 3 && refused.to_string().contains(expected), "{to}: {refused}"),
        }
    }
}

#[test]
fn a_program_that_hangs_trips_the_watchdog_as_a_slow_controller_does() {
    if !has_python() {
        return;
    }
    let hangs = "if readings[\"cycle\"] == 250:\n            import time; time.sleep(3600)\n        position, events";
    let project = Project::changed("wave.py", "position, events", hangs);
    let case = project.at("wave/wave.toml");
    let text = std::fs::read_to_string(&case).unwrap();
    std::fs::write(&case, text.replace("answer_within = 2.0", "answer_within = 0.5")).unwrap();
    let (outcome, metrics) = project.run(&["--duration", "3"], "out").unwrap();
    assert_eq!(outcome, Outcome::Failed);
    let stopped = metrics["stopped_by"].as_array().unwrap();
    assert!(stopped.iter().any(|why| why.as_str().unwrap().contains("controller")), "{stopped:?}");
    let log = project.at("out/run.mcap");
    assert_eq!(chiron(&["replay", log.to_str().unwrap(), "--verify", "--quiet"]).unwrap(), Outcome::Passed);
}

#[test]
fn what_the_scenario_says_of_it_is_checked() {
    let wrong = [
        ("program = [\"python3\", \"wave.py\"]", "program = []", "expected either `name`"),
        ("program = [\"python3\", \"wave.py\"]", "name = \"mission\"", "answer_within: expected `program`"),
        ("answer_within = 2.0", "answer_within = 0.0", "expected 0.0001 to 60 [s], found 0"),
        ("python3", "no_such_python", "cannot start 'no_such_python'"),
    ];
    for (from, to, expected) in wrong {
        let refused = Project::changed("wave.toml", from, to).run(&[], "out").unwrap_err().to_string();
        assert!(refused.contains("wave.toml:1") && refused.contains(expected), "{to}: {refused}");
    }
}

#[test]
fn a_program_may_answer_in_a_scenario_that_ships() {
    if !has_python() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let page = folder.path().join("hold.py");
    let holds = "import json, sys\nrobot = json.loads(sys.stdin.readline())\nprint('{\"chiron\": 1}', flush=True)\n\
        k = {name: [joint[name] for joint in robot['joints']] for name in ('stiffness', 'damping')}\nq = None\n\
        for line in sys.stdin:\n    now = json.loads(line)\n    q = q or now['joints']['position']\n\
        \x20   print(json.dumps({'cycle': now['cycle'], 'joints': {'position': q, **k}}), flush=True)\n";
    std::fs::write(&page, holds).unwrap();
    let out = folder.path().join("out");
    let arguments =
        ["run", "centaur_stands", "--duration", "4", "--no-pictures", "--quiet", "--out", out.to_str().unwrap()];
    let program = ["--program", "python3", page.to_str().unwrap()];
    assert_eq!(chiron(&[&arguments[..], &program].concat()).unwrap(), Outcome::Passed);
    let log = out.join("run.mcap");
    assert_eq!(chiron(&["replay", log.to_str().unwrap(), "--verify", "--quiet"]).unwrap(), Outcome::Passed);
}
