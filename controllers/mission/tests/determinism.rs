//! A restored mission goes on to the bit, slow work comes when it was promised, and a cycle allocates nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

#[path = "../../../tests/support/counting.rs"]
mod counting;
mod support;

use std::sync::Arc;

use counting::{Counting, allocations};
use robot_io::{
    Commands, HeightMap, OperatorRequest, Pose2, ShortName, StateReader, StateWriter, Twist, first_difference,
};
use support::{Bench, SHOULDER, Setup};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const TOUR: &str = "
[[steps]]
goto = { x = 3, y = 0, pass = true }
[[steps]]
goto = { x = 5, y = 2, yaw = 1.0 }
pose = { name = 'ready' }
[[steps]]
stance = { height = 0.6, pitch = 0.1, seconds = 1 }
[[steps]]
goto = { x = 0, y = 0 }
wait = { seconds = 1 }
";

/// A ramp of 15° from x = 2 m to x = 4 m.
fn ramp() -> HeightMap {
    let (columns, rows, cell) = (61, 41, 0.25);
    let height = |index: usize| 0.268 * ((index % columns) as f64 * cell - 3.0 - 2.0).clamp(0.0, 2.0);
    let heights = (0..columns * rows).map(height).collect();
    HeightMap { cell, origin_x: -3.0, origin_y: -5.0, columns, rows, heights }
}

fn bench() -> Bench {
    Bench::with(TOUR, Setup { prior: Some(ramp()), ..Setup::default() }).unwrap()
}

/// The same hand at the desk in every run.
fn cycle(bench: &mut Bench) -> Commands {
    let push = Twist { x: 0.2, y: -0.1, yaw: 0.1 };
    bench.operator.twist = (2_000..2_300).contains(&bench.cycle).then_some(push);
    if bench.cycle == 1_200 {
        bench.operator.request = Some(OperatorRequest::GoTo(Pose2 { x: 1.0, y: 1.0, yaw: 0.5 }));
    }
    bench.cycle();
    bench.commands.clone()
}

#[test]
fn a_mission_that_is_saved_anywhere_goes_on_to_the_bit_in_a_fresh_one() {
    // 5: a preview is under way; 1,300: the leg of the operator; 2,100: the operator drives; later: pose, stance, way back
    for saved_at in [5, 700, 1_300, 2_100, 4_000, 5_000] {
        let mut first = bench();
        (0..saved_at).for_each(|_| drop(cycle(&mut first)));
        let saved = StateWriter::save(&mut first.mission);
        let mut second = bench();
        StateReader::restore(&mut second.mission, &saved).unwrap();
        (second.cycle, second.board, second.commands) = (first.cycle, first.board.clone(), first.commands.clone());
        for _ in 0..3_000 {
            let (expected, found) = (cycle(&mut first), cycle(&mut second));
            assert_eq!(found, expected, "saved in cycle {saved_at}, now {}", first.cycle);
        }
        let difference = first_difference(&mut second.mission, &StateWriter::save(&mut first.mission));
        assert_eq!(difference, None, "saved in cycle {saved_at}");
        assert_eq!(second.telemetry().path, first.telemetry().path);
    }
}

/// What an operator has changed is part of the state: the skills of a fresh mission take the settings with it.
#[test]
fn a_mission_that_was_tuned_and_moved_by_hand_goes_on_to_the_bit_in_a_fresh_one() {
    let setting = ShortName::new("ramp.acceleration").unwrap();
    let work = |bench: &mut Bench| {
        bench.operator.request = match bench.cycle {
            100 => Some(OperatorRequest::Set { setting, value: 0.1 }),
            110 => Some(OperatorRequest::MoveJoint { joint: SHOULDER, position: 0.3 }),
            400 => Some(OperatorRequest::ReleaseJoint { joint: SHOULDER }),
            _ => None,
        };
        bench.cycle();
        bench.commands.clone()
    };
    for saved_at in [105, 150, 402] {
        let mut first = bench();
        (0..saved_at).for_each(|_| drop(work(&mut first)));
        let mut second = bench();
        StateReader::restore(&mut second.mission, &StateWriter::save(&mut first.mission)).unwrap();
        (second.cycle, second.board, second.commands) = (first.cycle, first.board.clone(), first.commands.clone());
        for _ in 0..600 {
            let (expected, found) = (work(&mut first), work(&mut second));
            assert_eq!(found, expected, "saved in cycle {saved_at}, now {}", first.cycle);
        }
        assert_eq!(first_difference(&mut second.mission, &StateWriter::save(&mut first.mission)), None);
    }
}

#[test]
fn a_preview_is_used_from_exactly_the_promised_cycle_on() {
    let mut bench = bench();
    let pieces = |bench: &Bench| bench.mission.preview().pieces.len();
    // the first leg begins in cycle 0, the preview sees it in cycle 1 at the latest, the result comes 12 cycles later
    let came = (0..40).find(|_| {
        bench.cycle();
        pieces(&bench) > 0
    });
    assert_eq!(came, Some(12), "48 ms at 250 Hz after cycle 0");
    assert_eq!(bench.mission.preview().known_share, 1.0);
}

#[test]
fn the_way_up_a_ramp_is_taken_slowly_only_with_a_map() {
    let fastest_on_the_ramp = |prior| {
        let steps = "[[steps]]\ngoto = { x = 6, y = 0, yaw = 0 }\n";
        let mut bench = Bench::with(steps, Setup { prior, ..Setup::default() }).unwrap();
        let mut fastest: f64 = 0.0;
        while bench.pose().x < 3.5 && bench.cycle < 20_000 {
            bench.cycle();
            fastest = if bench.pose().x > 2.7 { fastest.max(bench.speed()) } else { fastest };
        }
        fastest
    };
    let (known, unknown) = (fastest_on_the_ramp(Some(ramp())), fastest_on_the_ramp(None));
    assert!(known < 0.35 && unknown > 0.38, "{known} m/s with map, {unknown} m/s without");
}

#[test]
fn the_path_that_is_shown_is_the_same_until_a_new_preview_comes() {
    let mut bench = bench();
    bench.run(0.5);
    let path = bench.telemetry().path.unwrap();
    bench.run(1.0);
    assert!(Arc::ptr_eq(&path, &bench.telemetry().path.unwrap()));
    assert!(path.length() > 5.0, "{} m", path.length());
    bench.run(1.0);
    assert!(!Arc::ptr_eq(&path, &bench.telemetry().path.unwrap()), "every two seconds a new one");
}

#[test]
fn a_cycle_allocates_nothing() {
    let mut bench = bench();
    bench.allocations_counted_by = Some(allocations);
    let mut telemetry = robot_io::Telemetry::default();
    // the telemetry's buffer belongs to the session and grows until the first preview has come
    (0..20).for_each(|_| drop(cycle(&mut bench)));
    bench.mission_shows(&mut telemetry);
    bench.allocations = 0;
    while !bench.status().is_done() && bench.cycle < 15_000 {
        cycle(&mut bench);
        let before = allocations();
        bench.mission_shows(&mut telemetry);
        bench.allocations += allocations() - before;
    }
    assert!(bench.status().is_done(), "{}", bench.status());
    assert_eq!(bench.allocations, 0, "in {} cycles", bench.cycle);
}
