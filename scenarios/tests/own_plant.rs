//! A plant that is not ours, behind the same plug: a program of somebody else's adds it in one line.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Parser;
use robot_io::{
    Clock, Commands, Controller, DummyClock, DummyRobot, IoError, JointCommand, Readings, State, StateVisitor, Time,
};
use scenarios::cli::Cli;
use scenarios::outcome::Outcome;
use scenarios::{Library, Pace, PlantRefusal, Registry, ScenarioError, execute};
use tempfile::TempDir;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

const CASE: &str = r#"
title = "A robot that does what it is told"
world = "flat"
robot = "centaur"
seed = 1
duration = 2.0
linger = 0.1

[controller]
name = "nod"

[[check]]
kind = "mission"
end = "done"
before = 1.5
"#;

/// Asks one joint to go to 0.3 rad, and is done when it is there.
#[derive(Default)]
struct Nod {
    there: bool,
}

impl State for Nod {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("there", &mut self.there);
    }
}

impl Controller for Nod {
    fn reset(&mut self, _readings: &Readings) {
        self.there = false;
    }

    fn update(&mut self, readings: &Readings, commands: &mut Commands) {
        commands.answer(readings);
        commands.joints.fill(JointCommand::hold(0.3, 100.0, 10.0));
        self.there |= readings.time >= Time::from_seconds(1.0) && (readings.joints[0].position - 0.3).abs() < 1e-9;
    }

    fn is_done(&self) -> bool {
        self.there
    }
}

/// A clock that waits, as that of a machine.
struct Slow(DummyClock);

impl Clock for Slow {
    fn now(&self) -> Time {
        self.0.now()
    }

    fn advance(&mut self) -> Result<Time, IoError> {
        std::thread::sleep(Duration::from_millis(1));
        self.0.advance()
    }
}

fn registry() -> Registry {
    Registry::standard()
        .with("nod", |_| Ok(Nod::default()))
        .with_plant("dummy", Pace::LockStep, |setup| Ok(DummyRobot::with_clock(setup.layout.clone())))
        .with_plant("rig", Pace::RealTime, |setup| {
            let address =
                setup.argument.ok_or_else(|| PlantRefusal("expected rig:ADDRESS, found no address".to_owned()))?;
            assert_eq!(address, "/dev/rig0:7");
            let (robot, clock) = DummyRobot::with_clock(setup.layout.clone());
            Ok((robot, Slow(clock)))
        })
        .with_plant("one_short", Pace::LockStep, |setup| {
            let mut layout = setup.layout.clone();
            layout.joints.pop();
            Ok(DummyRobot::with_clock(layout))
        })
}

struct Bench(TempDir);

impl Bench {
    fn new() -> Bench {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("nod.toml"), CASE).unwrap();
        Bench(folder)
    }

    fn at(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    fn run(&self, plant: &str, out: &str) -> Result<Outcome, ScenarioError> {
        let (case, out) = (self.at("nod.toml"), self.at(out));
        let words = ["run", case.to_str().unwrap(), "--plant", plant, "--no-pictures", "--quiet", "--out"];
        chiron(&[&words[..], &[out.to_str().unwrap()]].concat())
    }

    fn refused(&self, plant: &str) -> String {
        self.run(plant, "refused").unwrap_err().to_string()
    }
}

fn chiron(arguments: &[&str]) -> Result<Outcome, ScenarioError> {
    let cli = Cli::parse_from(std::iter::once(&"chiron").chain(arguments));
    execute(cli, &Library::at(Path::new(ROOT)).with_registry(registry()))
}

#[test]
fn a_run_on_it_is_checked_recorded_and_fed_to_the_controller_again() {
    let bench = Bench::new();
    assert_eq!(bench.run("dummy", "out").unwrap(), Outcome::Passed);
    let log = bench.at("out/run.mcap");
    let log = log.to_str().unwrap();
    assert_eq!(chiron(&["replay", log, "--controllers-only", "--quiet"]).unwrap(), Outcome::Passed);
    let refused = chiron(&["replay", log, "--verify"]).unwrap_err().to_string();
    assert!(refused.contains("the run was on 'dummy', whose world cannot be computed again"), "{refused}");
}

#[test]
fn one_whose_time_goes_on_by_itself_has_a_thread_of_its_own() {
    let bench = Bench::new();
    assert_eq!(bench.run("rig:/dev/rig0:7", "out").unwrap(), Outcome::Passed);
    assert!(bench.refused("rig").contains("plant 'rig': expected rig:ADDRESS, found no address"));
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let bench = Bench::new();
    let unknown = bench.refused("bus");
    let known =
        "--plant: expected sim, virtual-bus, modelled-bus or ethercat:INTERFACE, dummy, one_short, rig, found 'bus'";
    assert!(unknown.contains(known), "{unknown}");
    let case = bench.at("nod.toml");
    std::fs::write(&case, CASE.replace("seed = 1", "seed = 1\nplant = \"bus\"")).unwrap();
    let unknown = chiron(&["run", case.to_str().unwrap()]).unwrap_err().to_string();
    assert!(unknown.contains("nod.toml:6: plant: expected sim") && unknown.contains("found 'bus'"), "{unknown}");
    let short = bench.refused("one_short");
    assert!(
        short.contains("plant 'one_short': expected 'laser") || short.contains("as joint 56, found none"),
        "{short}"
    );
    assert!(!bench.at("refused").exists(), "nothing is left of it");
}
