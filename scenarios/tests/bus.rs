//! The same scenario over emulated boards, over a model of them, and half of it simulated.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::path::{Path, PathBuf};

use scenarios::case::{MixedPlan, PlantKind, TwinPlan};
use scenarios::checks::TruthSource;
use scenarios::recording::{Fork, Recording, fork};
use scenarios::twin::JointResiduals;
use scenarios::{Case, Staffing, Stage};
use support::runs::{assert_computed_again, library, run};

/// The bench of two drives for five seconds.
fn case(plant: PlantKind) -> Case {
    let mut case = Case::load(&library(), "bench_two_drives").unwrap();
    case.plant = plant;
    case.duration = robot_io::Time::from_seconds(5.0);
    case.checks.clear();
    case
}

#[test]
fn frames_and_their_model_give_the_same_digest_and_no_residual() {
    let digests = [PlantKind::ModelledBus, PlantKind::VirtualBus].map(|plant| {
        let mut case = case(plant);
        case.twin = Some(TwinPlan::default());
        let finished = run(&Stage::load(&library(), case).unwrap(), None);
        for (joint, residuals) in finished.outcome.twin.unwrap() {
            assert_eq!(residuals, JointResiduals::default(), "{joint}");
        }
        finished.outcome.digest
    });
    assert_eq!(digests[0], digests[1]);
}

#[test]
fn a_run_over_the_virtual_bus_verifies_replays_and_says_what_cannot_be_done_with_it() {
    let stage = Stage::load(&library(), case(PlantKind::VirtualBus)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let finished = run(&stage, Some(&path));
    let bus = finished.outcome.bus.clone().unwrap();
    assert_eq!((bus.boards, bus.lost_cycles, bus.short_cycles), (2, 0, 0));
    assert!(bus.frames.sent > finished.outcome.cycles && bus.frames.lost == 0, "{:?}", bus.frames);
    assert_eq!(bus.times, None, "in lock-step nobody keeps time");

    let recording = Recording::open(&path).unwrap();
    assert_computed_again(&recording, &finished);

    let middle = robot_io::Time::from_seconds(2.0);
    let mut runner = recording.runner_at(middle).unwrap();
    let session = runner.session();
    assert!(session.readings().time < middle && session.next_cycle() > 900, "computed from the beginning");
    let change = Fork { at: middle, ..Fork::default() };
    let changed = change.stage(&recording).unwrap();
    let refused = fork(&recording, &changed, middle, || Ok(None)).unwrap_err().to_string();
    assert!(refused.contains("over a bus cannot be forked"), "{refused}");
}

#[test]
fn a_lost_frame_is_counted_and_ridden_through() {
    let mut text = case(PlantKind::VirtualBus).source.text;
    text += "\n[[bus_fault]]\nat = 1.0\nkind = \"frame_loss\"\nprobability = 0.02\n";
    let mut case = Case { checks: Vec::new(), ..Case::parse(&text, "case.toml").unwrap() };
    case.plant = PlantKind::VirtualBus;
    case.duration = robot_io::Time::from_seconds(3.0);
    let finished = run(&Stage::load(&library(), case).unwrap(), None);
    let bus = finished.outcome.bus.unwrap();
    assert!(bus.lost_cycles > 5 && bus.frames.lost >= bus.lost_cycles, "{bus:?}");
}

#[test]
fn an_unknown_board_is_named_with_its_line_and_the_known_ones() {
    let mut text = case(PlantKind::VirtualBus).source.text;
    let line = text.lines().count() + 2;
    text += "\n[[bus_fault]]\nat = 1.0\nkind = \"board_off\"\nboard = \"third_motor\"\n";
    let mut case = Case::parse(&text, "case.toml").unwrap();
    case.plant = PlantKind::VirtualBus;
    let message = Stage::load(&library(), case).unwrap_err().to_string();
    assert!(message.starts_with(&format!("case.toml:{line}: bus_fault: ")), "{message}");
    assert!(message.contains("'third_motor'") && message.contains("left_motor, right_motor"), "{message}");
}

/// The bus file of the bench with the left drive alone.
fn half_a_bus(folder: &Path) -> PathBuf {
    let text = std::fs::read_to_string(library().root().join("robot_models/bench/bus.toml")).unwrap();
    let mut table: toml::Table = text.parse().unwrap();
    let boards = table.get_mut("board").unwrap().as_array_mut().unwrap();
    boards.truncate(1);
    table.insert("partial".to_owned(), toml::Value::Boolean(true));
    let path = folder.join("half.toml");
    std::fs::write(&path, table.to_string()).unwrap();
    path
}

#[test]
fn a_mixed_robot_moves_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut case = case(PlantKind::VirtualBus);
    case.bus = Some(half_a_bus(folder.path()).display().to_string());
    case.mixed = Some(MixedPlan { bus: vec!["left_motor".to_owned()], line: 1 });
    case.duration = robot_io::Time::from_seconds(16.0);
    let stage = Stage::load(&library(), case.clone()).unwrap();
    let finished = run(&stage, None);
    assert!(finished.outcome.mission.contains("done"), "{}", finished.outcome.mission);
    assert_eq!(finished.outcome.truth_from, TruthSource::Twin);

    case.mixed = Some(MixedPlan { bus: vec!["right_motor".to_owned()], line: 7 });
    let stage = Stage::load(&library(), case.clone()).unwrap();
    let message = stage.assemble(Staffing::default()).unwrap_err().to_string();
    assert!(message.contains(":7: mixed: ") && message.contains("_motor'"), "{message}");
    case.mixed = Some(MixedPlan { bus: vec!["tail".to_owned()], line: 7 });
    let message = Stage::load(&library(), case).unwrap_err().to_string();
    assert!(message.contains("no limb or joint named 'tail'"), "{message}");
}

#[test]
fn a_run_that_fails_because_the_cable_was_cut_says_so_in_its_verdict() {
    let text = r#"
        title = "cut"
        world = "flat"
        robot = "bench"
        plant = "virtual-bus"
        seed = 1
        duration = 1.0
        spawn = { place = "start" }

        [mission]
        name = "turn"

        [[mission.steps]]
        pose = { name = "left_turned", tolerance = 0.05 }

        [[bus_fault]]
        at = 0.1
        kind = "cable_cut"
        after = "left_motor"

        [[check]]
        kind = "mission"
        end = "done"
        before = 0.9
    "#;
    let stage = Stage::load(&library(), Case::parse(text, "cut.toml").unwrap()).unwrap();
    let outcome = run(&stage, None).outcome;
    assert!(!outcome.passed);
    let ending = outcome.ending();
    assert!(ending.contains("; the robot was stopped at 0.1") && ending.contains("does not answer"), "{ending}");
    assert!(ending.contains("clear the stop"), "what to do: {ending}");
}
