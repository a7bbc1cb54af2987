//! Two faults of the bus in one run, all pairs of ten kinds: each cause is told by its board or cable, nothing healthy is blamed,
//! the robot stays up, follows again once both are gone, and ends in order.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fmt::Write;
use std::path::Path;

use hil::bus_file::BusPlan;
use robot_io::{Event, Severity};
use scenarios::progress::Progress;
use scenarios::runner::Runner;
use scenarios::{Case, Library, Staffing, Stage};

/// What breaks, and how a person is told. Boards of the first and of the second fault, both of which carry weight.
const KNEE: &str = "front_left_knee_pitch";
const HIP: &str = "rear_left_hip_pitch";
/// Before the rear right leg, and behind it.
const CUTS: [&str; 2] = ["rear_left_wheel_right", "rear_right_wheel_right"];

/// Each kind: its fields in a scenario without the board, and what is said of it.
const KINDS: [(&str, &str, &str); 10] = [
    ("frame_loss", "probability = 1.0", "frames lost"),
    ("cable_cut", "", "cable cut behind board"),
    ("board_off", "", "does not answer"),
    ("board_reset", "", "does not answer"),
    ("al_error", "code = 0x001a", "left OP: AL status code 0x001a"),
    ("wrong_count", "by = -1", "working counter wrong by board"),
    ("frozen_inputs", "", "hangs: its samples do not advance"),
    ("encoder_jump", "by = 0.4", "encoder jumped"),
    ("hot_board", "temperature = 103.0", "winding too hot"),
    ("drive_fault", "code = 0x2310", "drive fault 0x2310"),
];

/// One fault: a place in [`KINDS`], and whether it is the first or the second of its run.
#[derive(Clone, Copy)]
struct Fault {
    kind: usize,
    second: usize,
}

impl Fault {
    fn board(self) -> &'static str {
        match KINDS[self.kind].0 {
            "cable_cut" => CUTS[self.second],
            _ => [KNEE, HIP][self.second],
        }
    }

    /// Its table in a scenario; from `at` [s] on.
    fn table(self, at: f64) -> String {
        let (kind, fields, _) = KINDS[self.kind];
        let lasts = if kind == "frame_loss" { 0.02 } else { 1.0 };
        let mut text = format!("[[bus_fault]]\nat = {at}\nuntil = {}\nkind = \"{kind}\"\n{fields}\n", at + lasts);
        match kind {
            "frame_loss" => {}
            "cable_cut" => writeln!(text, "after = \"{}\"", self.board()).unwrap(),
            _ => writeln!(text, "board = \"{}\"", self.board()).unwrap(),
        }
        text
    }

    fn is_told_by(self, event: &Event) -> bool {
        let (kind, _, said) = KINDS[self.kind];
        let board = kind == "frame_loss" || event.what.contains(&format!("'{}'", self.board()));
        event.source == "bus" && event.severity == Severity::Stop && event.what.contains(said) && board
    }
}

/// Drives ahead, breaks both things, mends them, clears the stop.
fn case(faults: [Fault; 2], apart: f64) -> Case {
    let tables = faults[0].table(1.0) + &faults[1].table(1.0 + apart);
    let text = format!(
        r#"
        title = "two faults"
        world = "flat"
        robot = "centaur"
        plant = "virtual-bus"
        seed = 5
        duration = 3.2
        spawn = {{ x = 0.0, y = 0.0, yaw = 0.0 }}
        metrics = ["tilt.max", "speed.final"]

        [mission]
        name = "straight"

        [[mission.steps]]
        goto = {{ x = 8.0, y = 0.0, yaw = 0.0 }}

        {tables}

        [[operator]]
        at = 2.5
        press = "clear_emergency_stop"
        "#
    );
    Case::parse(&text, "two_faults.toml").unwrap()
}

/// The boards that a message names.
fn named<'a>(event: &'a Event, plan: &'a BusPlan) -> impl Iterator<Item = &'a str> {
    let names = plan.boards.iter().map(|board| board.name.as_str());
    names.filter(|name| event.what.contains(&format!("'{name}'")))
}

/// Runs one pair; what is wrong with it.
fn complaints(stage: &Stage, faults: [Fault; 2]) -> Vec<String> {
    let plan = stage.bus.as_ref().unwrap();
    let finished = Runner::new(stage, Staffing::default(), None).unwrap().run(&mut Progress::silent()).unwrap();
    let events = &finished.series.events;
    let mut wrong = Vec::new();
    for fault in faults {
        if !events.iter().any(|event| fault.is_told_by(event)) {
            wrong.push(format!("{} of {} is not told", KINDS[fault.kind].0, fault.board()));
        }
    }
    for event in events.iter().filter(|event| event.severity >= Severity::Error) {
        let healthy = named(event, plan).find(|name| !faults.iter().any(|fault| fault.board() == *name));
        if healthy.is_some() || !["bus", "mission", "safety_filter"].contains(&event.source.as_ref()) {
            wrong.push(format!("blamed without reason: {} {}", event.source, event.what));
        }
        if event.source == "mission" && !event.what.starts_with("robot stopped: ") {
            wrong.push(format!("the mission says: {}", event.what));
        }
    }
    let tilt = finished.outcome.metrics["tilt.max"].unwrap();
    if tilt > 10.0 {
        wrong.push(format!("tilted by {tilt:.1}°"));
    }
    if !events.iter().any(|event| event.what == "the robot follows again") {
        wrong.push("it does not follow again".to_owned());
    }
    if let Some(event) = events.iter().find(|event| event.what.contains("not switched off")) {
        wrong.push(event.what.clone().into_owned());
    }
    wrong
}

#[test]
fn every_pair_of_bus_faults_has_its_causes_told_and_is_no_fall() {
    let library = Library::at(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")));
    let loaded =
        Stage::load(&library, case([Fault { kind: 0, second: 0 }, Fault { kind: 1, second: 1 }], 0.0)).unwrap();
    let (mut runs, mut report) = (0, String::new());
    for (one, kind) in KINDS.iter().enumerate() {
        // silence has no second of its own kind
        for other in (one.max(1)..KINDS.len()).filter(|other| (one, *other) != (0, 0)) {
            // of two cuts the farther comes first: behind a nearer one nobody can see it
            let are_cuts = one == other && kind.0 == "cable_cut";
            let [first_place, second_place] = if are_cuts { [1, 0] } else { [0, 1] };
            let faults = [Fault { kind: one, second: first_place }, Fault { kind: other, second: second_place }];
            // every other pair of different kinds in the same cycle
            let apart = if one != other && (one + other) % 2 == 0 { 0.0 } else { 0.3 };
            let stage = Stage { case: case(faults, apart), ..loaded.clone() };
            for wrong in complaints(&stage, faults) {
                writeln!(report, "{} and {}: {wrong}", kind.0, KINDS[other].0).unwrap();
            }
            runs += 1;
        }
    }
    assert!(runs >= 30, "{runs} pairs");
    assert_eq!(report, "", "the pairs with complaints");
}
