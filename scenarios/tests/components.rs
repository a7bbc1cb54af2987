//! Components of one's own beside chiron's mission: they share the robot joint by joint, and what happens to one harms no other.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

extern crate scenarios as chiron;

use std::path::Path;

use desk::Desk;
use robot_io::{JointCommand, State};
use runtime::{Builder, Component, Cycle, Declaration, Lease, Runtime, Whole};
use scenarios::outcome::Outcome;
use scenarios::{
    CheckAnswer, CheckRefusal, CheckSetup, ControllerError, ControllerSetup, Observation, OwnCheck, Registry,
    ScenarioError,
};
use serde::Deserialize;

#[path = "support/desk.rs"]
mod desk;

#[allow(dead_code, missing_docs, reason = "a program of its own")]
#[path = "../templates/components/main.rs"]
mod page;

const FILE: &str = "shared.toml";

/// The centaur drives ahead, while three components want its left arm: the highest gets it, lets go of it, and the next one has it again.
const CASE: &str = r#"
title = "Three want an arm while the robot drives"
world = "flat"
robot = "centaur"
seed = 1
duration = 30.0
linger = 2.0
pose = "arms_forward"

[controller]
name = "shared"

[mission]
name = "ahead"

[[mission.steps]]
goto = { x = 3.0, y = 0.0 }

[[check]]
kind = "mission"
end = "done"
before = 20.0

[[check]]
kind = "reached"
x = 3.0
y = 0.0
within = 0.1

[[check]]
kind = "event"
contains = "left_arm passes from mission to low"
after = 0.99
before = 1.01

[[check]]
kind = "event"
contains = "left_arm passes from low to middle"
after = 1.99
before = 2.01

[[check]]
kind = "event"
contains = "left_arm passes from middle to high"
after = 2.99
before = 3.01

[[check]]
kind = "event"
contains = "left_arm passes from high to middle"
after = 3.99
before = 4.01

[[check]]
kind = "event"
contains = "left_arm passes from middle to low"
after = 5.99
before = 6.01

[[check]]
kind = "event"
contains = "left_arm passes from low to mission"
after = 6.99
before = 7.01

[[check]]
kind = "elbow"
at = [0.9, 1.9, 2.9, 3.9, 5.9, 6.9, 9.5]
offset = [0.0, 0.1, 0.2, 0.3, 0.2, 0.1, 0.0]
"#;

const ELBOW: &str = "left_arm_elbow_pitch";

/// Wants the left arm for a while, to turn its elbow a little.
#[derive(Debug, State)]
struct Wants {
    #[state(fixed)]
    level: u32,
    /// From when to when [s].
    #[state(fixed)]
    window: [f64; 2],
    /// It breaks when it works then [s].
    #[state(fixed)]
    breaks: [f64; 2],
    #[state(fixed)]
    elbow: usize,
    /// Where the elbow shall be, and how it is held.
    #[state(fixed)]
    command: JointCommand,
    #[state(fixed)]
    arm: Option<Lease>,
}

/// The table `[controller.settings]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shared {
    /// Who has the highest priority breaks then [s].
    #[serde(default)]
    breaks: [f64; 2],
}

impl Wants {
    fn new(
        setup: &ControllerSetup<'_>,
        level: u32,
        window: [f64; 2],
        breaks: [f64; 2],
    ) -> Result<Wants, ControllerError> {
        let elbow = setup.joint(ELBOW)?;
        let (stiffness, damping) = setup.gains()[elbow];
        let found = setup.robot.description.pose("arms_forward").unwrap().positions[elbow];
        // the second wants twice as much, and so on
        let command = JointCommand::hold(found + 0.1 * f64::from(level - 1), stiffness, damping);
        Ok(Wants { level, window, breaks, elbow, command, arm: None })
    }
}

impl Component for Wants {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        self.arm = Some(wants.lease("left_arm", self.level));
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        let (now, arm) = (cycle.now().seconds(), self.arm.unwrap());
        assert!(!(self.breaks[0]..self.breaks[1]).contains(&now), "its gripper is gone");
        if !(self.window[0]..self.window[1]).contains(&now) {
            return cycle.let_go(arm);
        }
        if cycle.ask(arm) {
            *cycle.joint(self.elbow).unwrap() = self.command;
        }
    }
}

fn shared(setup: &ControllerSetup<'_>) -> Result<Builder, ControllerError> {
    let (Shared { breaks }, never) = (setup.settings()?, [0.0; 2]);
    Ok(Runtime::builder()
        .with("mission", Whole::new(setup.mission()?, 1))
        .with("low", Wants::new(setup, 2, [1.0, 7.0], never)?)
        .with("high", Wants::new(setup, 4, [3.0, 4.0], breaks)?)
        .with("middle", Wants::new(setup, 3, [2.0, 6.0], never)?))
}

/// Where the elbow is at some times, from where the mission has it.
#[derive(State)]
struct Elbow {
    #[state(fixed)]
    settings: Settings,
    #[state(fixed)]
    elbow: usize,
    #[state(fixed)]
    home: f64,
    worst: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    at: Vec<f64>,
    offset: Vec<f64>,
}

impl Elbow {
    fn new(setup: &CheckSetup<'_>) -> Result<Elbow, CheckRefusal> {
        let elbow = setup.joint(ELBOW)?;
        let home = setup.robot.description.pose("arms_forward").unwrap().positions[elbow];
        Ok(Elbow { settings: setup.settings()?, elbow, home, worst: 0.0 })
    }
}

impl OwnCheck for Elbow {
    fn name(&self) -> String {
        "the elbow is where its owner wants it".to_owned()
    }

    fn observe(&mut self, seen: &Observation<'_>) {
        let now = seen.readings.time.seconds();
        let due = self.settings.at.iter().zip(&self.settings.offset).filter(|(at, _)| (now - **at).abs() < 1e-6);
        for (_, offset) in due {
            let found = seen.readings.joints[self.elbow].position - self.home;
            self.worst = self.worst.max((found - offset).abs());
        }
    }

    fn answer(&self) -> CheckAnswer {
        CheckAnswer { passed: self.worst < 0.05, value: Some(self.worst), limit: Some(0.05), unit: "rad" }
    }
}

fn desk(case: &str) -> Desk {
    let registry = Registry::standard().with_components("shared", shared).with_check("elbow", Elbow::new);
    Desk::with(FILE, case, registry)
}

#[test]
fn the_highest_priority_wins_each_cycle() {
    let desk = desk(CASE);
    let digest = |more: &[&str], out: &str| desk.passes(FILE, more, out);
    assert_eq!(digest(&[], "sim"), digest(&["--workers", "0"], "again"), "the same, run again");
    assert_eq!(digest(&["--plant", "modelled-bus"], "modelled"), digest(&["--plant", "virtual-bus"], "bus"));
    let (log, fork) = (desk.at("sim/run.mcap"), desk.at("fork"));
    let (log, fork) = (log.to_str().unwrap(), fork.to_str().unwrap());
    assert_eq!(desk.chiron(&["replay", log, "--verify", "--quiet"]).unwrap(), Outcome::Passed);
    let forked = ["replay", log, "--fork-at", "3.5", "--seed", "2", "--out", fork, "--quiet"];
    assert_eq!(desk.chiron(&forked).unwrap(), Outcome::Passed, "while the highest has it");
}

/// The highest breaks while it has the arm, and the operator starts it again.
fn broken() -> String {
    let more = "[controller]\nname = \"shared\"\n\n[controller.settings]\nbreaks = [3.2, 3.4]\n\n\
                [[operator]]\nat = 3.3\ncomponent = \"high\"\nswitch = \"pause\"\n\n\
                [[operator]]\nat = 3.6\ncomponent = \"high\"\nswitch = \"start\"\n";
    let events = [
        ("component 'high' stopped: panicked: its gripper is gone", 3.2),
        ("left_arm passes from high to middle", 3.2),
        ("high: expected a command for one that is stopped, found 'pause'", 3.3),
        ("the operator tells component 'high' to start", 3.6),
        ("left_arm passes from middle to high", 3.6),
    ];
    let check = |(what, at): (&str, f64)| {
        let (after, before) = (at - 0.01, at + 0.01);
        format!("\n[[check]]\nkind = \"event\"\ncontains = \"{what}\"\nafter = {after}\nbefore = {before}\n")
    };
    CASE.replace("[controller]\nname = \"shared\"\n", more) + &events.map(check).concat()
}

#[test]
fn one_that_breaks_harms_nobody_is_started_again_and_fails_the_run() {
    let desk = desk(&broken());
    let run = |more: &[&str], out: &str| {
        let (outcome, metrics) = desk.run(FILE, more, out).unwrap();
        assert_eq!(outcome, Outcome::Failed);
        let checks = metrics["checks"].as_array().unwrap();
        let failed: Vec<_> = checks.iter().filter(|check| check["passed"] == false).collect();
        assert_eq!(failed.len(), 1, "{failed:?}");
        assert_eq!(failed[0]["name"], "component 'high' does not break");
        assert_eq!(failed[0]["value"], 3.2);
        metrics["digest"].clone()
    };
    assert_eq!(run(&["--plant", "modelled-bus"], "modelled"), run(&["--plant", "virtual-bus"], "bus"));
    run(&[], "sim");
    let log = desk.at("sim/run.mcap");
    assert_eq!(desk.chiron(&["replay", log.to_str().unwrap(), "--verify", "--quiet"]).unwrap(), Outcome::Passed);
    for log in ["sim/run.mcap", "bus/run.mcap"].map(|log| desk.at(log)) {
        for component in ["mission", "low", "high", "middle"] {
            assert_eq!(
                alone(&desk, &log, component).unwrap(),
                Outcome::Passed,
                "{component} breaks alone too, if it broke"
            );
        }
    }
}

/// Lets a component do again alone what it did in a log.
fn alone(desk: &Desk, log: &Path, component: &str) -> Result<Outcome, ScenarioError> {
    desk.chiron(&["replay", log.to_str().unwrap(), "--component", component, "--quiet"])
}

#[test]
fn a_component_that_was_changed_is_told_apart_alone_with_what_the_others_said_then() {
    let desk = desk(CASE);
    desk.run(FILE, &["--duration", "4"], "out").unwrap();
    let log = desk.at("out/run.mcap");
    let gentler = |setup: &ControllerSetup<'_>| {
        let mut middle = Wants::new(setup, 3, [2.0, 6.0], [0.0; 2])?;
        middle.command.position -= 0.01;
        Ok(Runtime::builder()
            .with("mission", Whole::new(setup.mission()?, 1))
            .with("low", Wants::new(setup, 2, [1.0, 7.0], [0.0; 2])?)
            .with("high", Wants::new(setup, 4, [3.0, 4.0], [0.0; 2])?)
            .with("middle", middle))
    };
    let other = Desk::new(Registry::standard().with_components("shared", gentler));
    assert_eq!(alone(&other, &log, "middle").unwrap(), Outcome::Failed);
    assert_eq!(alone(&other, &log, "high").unwrap(), Outcome::Passed, "it does not hear of the change");
    // a log without notes has nothing that a component could be given
    desk.run("centaur_drives_flat", &["--duration", "0.5"], "flat").unwrap();
    let refused = alone(&desk, &desk.at("flat/run.mcap"), "mission").unwrap_err().to_string();
    assert!(refused.contains("expected the topic /components"), "{refused}");
}

#[test]
fn a_word_to_a_component_that_is_not_there_is_refused_with_those_that_are() {
    let refused = desk(&broken().replace("component = \"high\"", "component = \"higher\"")).refused(FILE, &[]);
    let expected = "shared.toml:18: operator: component: expected a component of controller 'shared' (mission, base, preview, skill, \
                    posture, low, high, middle), found 'higher'";
    assert!(refused.contains(expected), "{refused}");
    let alone = desk(&broken()).refused(FILE, &["--controller", "mission"]);
    assert!(alone.contains("controller 'mission' (base, preview, skill, posture), found 'high'"), "{alone}");
}

#[test]
fn a_mission_that_nobody_disturbs_commands_as_if_it_were_alone() {
    let whole = |setup: &ControllerSetup<'_>| Ok(Runtime::builder().with("mission", Whole::new(setup.mission()?, 1)));
    let desk = Desk::new(Registry::standard().with_components("whole", whole));
    let metrics = |controller: &str| {
        let more = ["--duration", "9", "--controller", controller];
        let (_, metrics) = desk.run("centaur_drives_flat", &more, controller).unwrap();
        metrics["metrics"].clone()
    };
    let (alone, whole) = (metrics("mission"), metrics("whole"));
    assert!(alone["distance.final"].as_f64().unwrap() > 1.0, "{alone}");
    assert_eq!(alone, whole, "to the last bit");
}

#[test]
fn a_group_that_the_robot_does_not_have_is_refused_with_those_that_it_has() {
    #[derive(State)]
    struct Tail;
    impl Component for Tail {
        fn declare(&mut self, wants: &mut Declaration<'_>) {
            wants.lease("tail", 1);
        }
        fn update(&mut self, _cycle: &mut Cycle<'_>) {}
    }
    let registry = Registry::standard().with_components("shared", |_| Ok(Runtime::builder().with("tail", Tail)));
    let case = CASE.split("[[check]]\nkind = \"elbow\"").next().unwrap();
    let refused = Desk::with(FILE, case, registry).refused(FILE, &[]);
    assert!(refused.contains("shared.toml:10: controller: ") && refused.contains("upper_body"), "{refused}");
}

#[test]
fn what_chiron_new_components_writes_drives_and_waves() {
    let desk = Desk::beginning("components", "wave", page::components());
    let digest = |more: &[&str], out: &str| desk.passes("wave/wave.toml", more, out);
    assert_eq!(digest(&["--plant", "modelled-bus"], "modelled"), digest(&["--plant", "virtual-bus"], "bus"));
    digest(&[], "sim");
    let log = desk.at("sim/run.mcap");
    assert_eq!(desk.chiron(&["replay", log.to_str().unwrap(), "--verify", "--quiet"]).unwrap(), Outcome::Passed);
}

#[test]
fn the_tutorial_shows_what_is_run() {
    let page = include_str!("../templates/components/main.rs");
    for part in [
        "impl Component for Lookout {",
        "impl Component for Waver {",
        "fn shared(setup: &ControllerSetup<'_>) -> Result<Builder, ControllerError> {",
    ] {
        desk::expect_shown(part, page);
    }
}
