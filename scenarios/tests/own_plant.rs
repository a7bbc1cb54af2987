//! A plant that is not ours, behind the same plug: a program of somebody else's adds it in one line.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

extern crate scenarios as chiron;

use std::time::Duration;

use desk::Desk;
use robot_io::{
    Clock, Commands, Controller, DummyClock, DummyRobot, IoError, JointCommand, Readings, State, StateVisitor, Time,
};
use scenarios::outcome::Outcome;
use scenarios::{Pace, PlantRefusal, Registry};

#[path = "support/desk.rs"]
mod desk;

#[allow(dead_code, missing_docs, reason = "a program of its own, whose test examines its robot")]
#[path = "../templates/plant/main.rs"]
mod page;

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
                setup.argument().ok_or_else(|| PlantRefusal("expected rig:ADDRESS, found no address".to_owned()))?;
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

const FILE: &str = "nod.toml";

fn desk() -> Desk {
    Desk::with(FILE, CASE, registry())
}

#[test]
fn a_run_on_it_is_checked_recorded_and_fed_to_the_controller_again() {
    let desk = desk();
    desk.passes(FILE, &["--plant", "dummy"], "out");
    let log = desk.at("out/run.mcap");
    let log = log.to_str().unwrap();
    assert_eq!(desk.chiron(&["replay", log, "--controllers-only", "--quiet"]).unwrap(), Outcome::Passed);
    let refused = desk.chiron(&["replay", log, "--verify"]).unwrap_err().to_string();
    assert!(refused.contains("the run was on 'dummy', whose world cannot be computed again"), "{refused}");
}

#[test]
fn one_whose_time_goes_on_by_itself_has_a_thread_of_its_own() {
    let desk = desk();
    desk.passes(FILE, &["--plant", "rig:/dev/rig0:7"], "out");
    assert!(desk.refused(FILE, &["--plant", "rig"]).contains("plant 'rig': expected rig:ADDRESS, found no address"));
}

#[test]
fn what_was_cut_off_there_goes_on_in_its_own_time() {
    let desk = desk();
    let on_rig = ["--plant", "rig:/dev/rig0:7"];
    assert_eq!(desk.run(FILE, &[&on_rig[..], &["--duration", "0.5"]].concat(), "first").unwrap().0, Outcome::Failed);
    let log = desk.at("first/run.mcap");
    desk.passes(FILE, &[&on_rig[..], &["--continue", log.to_str().unwrap()]].concat(), "second");
    let log = replay::LogReader::open(&desk.at("second/run.mcap")).unwrap();
    let mut cycles = log.cycles();
    let first = &cycles.next_cycle().unwrap().unwrap().readings;
    assert!(
        first.cycle > 100 && first.time >= Time::from_seconds(0.5),
        "its first cycle is {} at {}",
        first.cycle,
        first.time
    );
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let desk = desk();
    let unknown = desk.refused(FILE, &["--plant", "bus"]);
    let known =
        "--plant: expected dummy, one_short, rig, sim, virtual-bus, modelled-bus or ethercat:INTERFACE, found 'bus'";
    assert!(unknown.contains(known), "{unknown}");
    desk.change(FILE, "seed = 1", "seed = 1\nplant = \"bus\"");
    let unknown = desk.refused(FILE, &[]);
    assert!(unknown.contains("nod.toml:6: plant: expected dummy") && unknown.contains("found 'bus'"), "{unknown}");
    let told = desk.refused(FILE, &["--plant", "dummy:7"]);
    assert!(told.contains("plant 'dummy:7': expected nothing behind its name, found '7'"), "{told}");
    let short = desk.refused(FILE, &["--plant", "one_short"]);
    assert!(
        short.contains("plant 'one_short': expected 'laser") || short.contains("as joint 56, found none"),
        "{short}"
    );
    assert!(!desk.at("refused").exists(), "nothing is left of it");
}

#[test]
fn what_chiron_new_plant_writes_takes_two_poses() {
    let desk = Desk::beginning("plant", "rig", page::plants());
    desk.passes("rig/rig.toml", &[], "out");
    let shadowed = desk.run("rig/rig.toml", &["--twin", "shadow"], "shadowed").unwrap().1;
    assert_eq!(shadowed["truth_from"], "twin", "the twin knows what is really the case");
}

#[test]
fn the_tutorial_shows_what_is_run() {
    let page = include_str!("../templates/plant/main.rs");
    for part in ["impl RobotIo for Rig {", "impl Clock for RigClock {"] {
        desk::expect_shown(part, page);
    }
}
