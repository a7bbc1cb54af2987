//! Two hands carry one thing.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use handling::{HandFailure, HandProgress, HandTask, Shift, Taking, Turn};
use nalgebra::{Isometry3, Vector3};
use support::{Bench, name};

const CRATES: &str = include_str!("../../../scenarios/objects/crates.toml");
const LEFT: &str = "left_hand";
const RIGHT: &str = "right_hand";

/// A crate before the robot, and each hand's task to take it by the grip on its side.
fn bench_with_crate() -> (Bench, [(&'static str, HandTask); 2]) {
    let mut bench = Bench::knowing(CRATES);
    bench.put("crate", 7, Isometry3::translation(0.6, 0.0, 1.0));
    bench.shelf(0.93, [0.45, 1.1], [-0.4, 0.4]);
    bench.blocked = Some((&[LEFT, RIGHT], 0.55));
    let take = |side: f64| {
        let side = Some(Vector3::y() * side);
        HandTask::Grasp(Taking { model: name("crate"), side, lift: 0.15, force: 0.8, ..Taking::default() })
    };
    (bench, [(LEFT, take(1.0)), (RIGHT, take(-1.0))])
}

/// The same in both hands.
fn bench_that_holds_a_crate() -> Bench {
    let (mut bench, takes) = bench_with_crate();
    for (hand, take) in takes {
        bench.want(hand, take);
        assert_eq!(bench.until_over(hand), HandProgress::Done, "{hand}");
    }
    bench
}

fn up(by: f64) -> HandTask {
    HandTask::Shift(Shift { by: Vector3::z() * by, may_touch: true, ..Shift::default() })
}

/// The right hand in the frame of the left one.
fn from_left_to_right(bench: &Bench) -> Isometry3<f64> {
    bench.state(LEFT).pose_in_odom.inv_mul(&bench.state(RIGHT).pose_in_odom)
}

/// Runs to the end of what a hand does; how far the hands are from where they were to each other, at the worst [m, rad].
fn follow(bench: &mut Bench, hand: &str) -> (HandProgress, [f64; 2]) {
    let (begin, mut worst) = (from_left_to_right(bench), [0.0_f64; 2]);
    for _ in 0..5_000 {
        bench.cycle();
        let moved = begin.inv_mul(&from_left_to_right(bench));
        worst = [worst[0].max(moved.translation.vector.norm()), worst[1].max(moved.rotation.angle())];
        if let Some(over) = bench.over(hand) {
            return (over, worst);
        }
    }
    panic!("{hand} is not over: {:?}", bench.state(hand));
}

#[test]
fn each_hand_takes_the_grip_on_its_side() {
    let bench = bench_that_holds_a_crate();
    let [left, right] = [LEFT, RIGHT].map(|hand| bench.state(hand).pose_in_odom.translation.y);
    assert!(left > 0.1 && right < -0.1, "{left} m and {right} m to the left");
}

#[test]
fn two_hands_lift_and_lower_one_thing_as_one() {
    let mut bench = bench_that_holds_a_crate();
    for (leader, other, by) in [(LEFT, RIGHT, 0.15), (RIGHT, LEFT, -0.15)] {
        let before = [LEFT, RIGHT].map(|hand| bench.state(hand).pose_in_odom.translation.z);
        bench.want_of_both(leader, other, up(by));
        let (over, [apart, turned]) = follow(&mut bench, leader);
        assert_eq!(over, HandProgress::Done);
        assert!(apart < 1e-3 && turned < 2e-3, "the hands move by {apart} m and {turned} rad against each other");
        for (hand, before) in [LEFT, RIGHT].iter().zip(before) {
            let moved = bench.state(hand).pose_in_odom.translation.z - before;
            assert!((moved - by).abs() < 1e-3, "{hand} moves by {moved} m");
        }
    }
}

#[test]
fn what_is_in_the_hands_is_told_to_who_looks_out_for_what_comes() {
    let mut bench = bench_that_holds_a_crate();
    bench.want_of_both(LEFT, RIGHT, up(0.1));
    assert_eq!(follow(&mut bench, LEFT).0, HandProgress::Done);
    bench.run(0.1);
    let carried = bench.said.lock().unwrap().carried.clone();
    assert_eq!(carried.things.len(), 2, "by either hand: {carried:?}");
    for thing in carried.things {
        let off = (thing.place - Vector3::new(0.6, 0.0, 1.1)).norm();
        assert!(off < 5e-3 && (0.19..0.25).contains(&thing.radius), "{off} m off, {thing:?}");
    }
}

#[test]
fn they_tilt_it_about_one_axis() {
    let mut bench = bench_that_holds_a_crate();
    bench.want_of_both(LEFT, RIGHT, up(0.1));
    assert_eq!(follow(&mut bench, LEFT).0, HandProgress::Done);
    let tilt = Turn {
        frame: handling::Frame::Object(name("crate")),
        axis: Vector3::x(),
        by: 0.15,
        until: 1e3,
        free: true,
        ..Turn::default()
    };
    bench.want_of_both(LEFT, RIGHT, HandTask::Turn(tilt));
    let (over, [apart, turned]) = follow(&mut bench, LEFT);
    assert_eq!(over, HandProgress::Done);
    assert!(apart < 2e-3 && turned < 5e-3, "the hands move by {apart} m and {turned} rad against each other");
    let [left, right] = [LEFT, RIGHT].map(|hand| bench.state(hand).pose_in_odom.translation.z);
    assert!(left - right > 0.03, "{left} m and {right} m high");
}

#[test]
fn what_only_one_hand_holds_is_not_moved_by_two() {
    let (mut bench, [(_, take), _]) = bench_with_crate();
    bench.want(LEFT, take);
    assert_eq!(bench.until_over(LEFT), HandProgress::Done);
    bench.want_of_both(LEFT, RIGHT, up(0.1));
    assert_eq!(bench.until_over(LEFT), HandProgress::Failed(HandFailure::Apart(name(RIGHT))));
}

#[test]
fn both_stop_where_one_hand_loses_it() {
    let mut bench = bench_that_holds_a_crate();
    bench.want_of_both(LEFT, RIGHT, up(0.15));
    bench.run(1.0);
    assert!(matches!(bench.state(LEFT).progress, HandProgress::Left(_)), "{:?}", bench.state(LEFT));
    // nothing is between the right hand's fingers any more
    bench.blocked = Some((&[LEFT], 0.55));
    assert_eq!(follow(&mut bench, LEFT).0, HandProgress::Failed(HandFailure::Apart(name(RIGHT))));
    bench.run(1.0);
    let high = [LEFT, RIGHT].map(|hand| bench.state(hand).pose_in_odom.translation.z);
    bench.run(1.0);
    for (hand, before) in [LEFT, RIGHT].iter().zip(high) {
        let moved = (bench.state(hand).pose_in_odom.translation.z - before).abs();
        assert!(moved < 1e-3, "{hand} still moves by {moved} m");
    }
    assert_eq!(bench.state(RIGHT).progress, HandProgress::Failed(HandFailure::Lost(name("crate"))));
}
