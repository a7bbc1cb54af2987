//! Hands do what they are told, around what is known, and say why not.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use handling::{Frame, HandFailure, HandProgress, HandTask, Insertion, Place, Shift, Taking, Turn};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use support::{Bench, Rim, name};

const LEFT: &str = "left_hand";

/// The hand ahead of the body, pointing ahead.
fn ahead(x: f64, y: f64, z: f64) -> HandTask {
    HandTask::Reach(Place {
        frame: Frame::Base,
        pose: Isometry3::translation(x, y, z),
        of_held: false,
        ..Place::default()
    })
}

fn take(model: &str) -> HandTask {
    HandTask::Grasp(Taking { model: name(model), pointing: None, side: None, then: None, lift: 0.05, force: 0.8 })
}

#[test]
fn a_hand_reaches_a_place_smoothly_and_stays_there() {
    let mut bench = Bench::new();
    bench.want(LEFT, ahead(0.5, 0.25, 0.3));
    let (mut fastest, mut before) = (0.0_f64, bench.readings.joints.clone());
    for _ in 0..3_000 {
        bench.cycle();
        let moved = bench.readings.joints.iter().zip(&before).map(|(now, then)| (now.position - then.position).abs());
        // fingers are led by forces, which nothing bears here
        let is_finger = |joint: usize| bench.robot.tree.joints[joint].name.contains("finger");
        fastest =
            moved.enumerate().filter(|(joint, _)| !is_finger(*joint)).map(|(_, moved)| moved).fold(fastest, f64::max);
        before.clone_from(&bench.readings.joints);
    }
    assert_eq!(bench.state(LEFT).progress, HandProgress::Done);
    let off = bench.link("left_hand_grasp_link").translation.vector - Vector3::new(0.5, 0.25, 1.1);
    assert!(off.norm() < 1e-3, "{} m off", off.norm());
    assert!(fastest < 0.5 * 8.0 * 0.004, "a joint jumps by {fastest} rad in a cycle");
    bench.leave();
    bench.run(1.0);
    let off = bench.link("left_hand_grasp_link").translation.vector - Vector3::new(0.5, 0.25, 1.1);
    assert!(off.norm() < 1e-3, "{} m off a second later", off.norm());
}

#[test]
fn a_hand_goes_around_what_is_in_the_way() {
    let mut bench = Bench::new();
    bench.want(LEFT, ahead(0.5, 0.25, 0.35));
    assert_eq!(bench.until_over(LEFT), HandProgress::Done);
    // between here and there, from the height of the waist to above the hand
    bench.wall(0.45, [0.0, 0.1], [0.7, 1.25]);
    bench.cycle();
    bench.want(LEFT, ahead(0.5, -0.12, 0.3));
    let mut nearest = f64::INFINITY;
    let over = loop {
        bench.cycle();
        let hand = bench.link("left_hand_grasp_link").translation.vector;
        let inside = (0.0..=0.1).contains(&hand.y) && (0.7..=1.25).contains(&hand.z);
        nearest = nearest.min(if inside { (hand.x - 0.45).abs() } else { f64::INFINITY });
        match bench.state(LEFT).progress {
            HandProgress::Begun | HandProgress::Left(_) => {}
            HandProgress::Done if bench.state(LEFT).goal == 1 => {}
            over => break over,
        }
    };
    assert!(nearest > 0.02, "the hand is within {nearest} m of the wall");
    assert_eq!(over, HandProgress::Done);
}

#[test]
fn what_comes_into_the_way_stops_the_hand_before_it_is_met() {
    let mut bench = Bench::new();
    bench.want(LEFT, ahead(0.25, 0.25, 0.3));
    assert_eq!(bench.until_over(LEFT), HandProgress::Done);
    let shift = Shift { by: Vector3::new(0.3, 0.0, 0.0), ..Shift::default() };
    bench.want(LEFT, HandTask::Shift(shift));
    bench.run(0.5);
    assert!(matches!(bench.state(LEFT).progress, HandProgress::Left(_)), "{:?}", bench.state(LEFT));
    bench.wall(0.57, [0.0, 0.5], [0.8, 1.4]);
    let over = bench.until_over(LEFT);
    assert!(
        matches!(over, HandProgress::Failed(HandFailure::Blocked(_, around)) if around == name("what is around")),
        "{over:?}"
    );
    // the fingers reach 5 cm beyond the middle of the grasp
    let hand = bench.link("left_hand_grasp_link").translation.x;
    assert!(hand < 0.52, "the hand is at {hand} m, the wall at 0.57 m");
}

#[test]
fn a_hand_that_nobody_wants_to_go_on_comes_to_rest() {
    let mut bench = Bench::new();
    bench.want(LEFT, ahead(0.5, 0.25, 0.3));
    bench.run(0.6);
    let early = bench.link("left_hand_grasp_link").translation.vector;
    bench.leave();
    bench.run(1.5);
    let rest = bench.link("left_hand_grasp_link").translation.vector;
    bench.run(0.5);
    let still = (bench.link("left_hand_grasp_link").translation.vector - rest).norm();
    assert!(still < 1e-9, "it still moves by {still} m");
    assert!((rest - early).norm() < 0.3, "it goes on for {} m", (rest - early).norm());
}

#[test]
fn a_battery_is_grasped_between_the_fingers_and_moves_along() {
    let mut bench = Bench::new();
    let battery = Isometry3::translation(0.6, 0.1, 1.047);
    bench.put("battery", 7, battery);
    bench.put("cup", 8, Isometry3::translation(0.62, 0.35, 1.037));
    bench.shelf(0.987, [0.45, 1.2], [-0.3, 0.5]);
    bench.want(LEFT, take("battery"));
    // without physics the fingers close on nothing
    let over = bench.until_over(LEFT);
    assert_eq!(over, HandProgress::Failed(HandFailure::Empty));
    let hand = bench.link("left_hand_grasp_link");
    let inside = hand.inverse_transform_point(&battery.translation.vector.into());
    assert!(inside.coords.norm() < 0.07, "the battery is at {inside} of the hand");
}

#[test]
fn what_is_held_moves_along_is_put_where_it_shall_be_and_is_missed_when_it_is_gone() {
    let mut bench = Bench::new();
    let battery = Isometry3::translation(0.6, 0.1, 1.047);
    bench.put("battery", 7, battery);
    // the fingers are 50 mm apart at about half of their way
    bench.blocked = Some((&[LEFT], 0.55));
    bench.want(LEFT, take("battery"));
    assert_eq!(bench.until_over(LEFT), HandProgress::Done);
    let held = bench.state(LEFT).holds.unwrap();
    assert_eq!((held.model, held.id), (name("battery"), 7));
    assert!((held.pose_in_odom.translation.vector - battery.translation.vector).norm() < 0.002);
    bench.want(LEFT, take("battery"));
    assert_eq!(bench.until_over(LEFT), HandProgress::Failed(HandFailure::Holds(Some(name("battery")))));
    let there = Isometry3::translation(0.55, 0.2, 0.45);
    bench.want(LEFT, HandTask::Reach(Place { frame: Frame::Base, pose: there, of_held: true, ..Place::default() }));
    assert_eq!(bench.until_over(LEFT), HandProgress::Done);
    let held = bench.state(LEFT).holds.unwrap().pose_in_odom.translation.vector;
    assert!((held - Vector3::new(0.55, 0.2, 1.25)).norm() < 2e-3, "the battery is at {held}");
    bench.blocked = None;
    bench.run(0.5);
    assert_eq!(bench.state(LEFT).holds, None);
    assert_eq!(bench.state(LEFT).progress, HandProgress::Failed(HandFailure::Lost(name("battery"))));
    assert!(bench.events.iter().any(|said| said == "the hand has lost its battery"), "{:?}", bench.events);
}

#[test]
fn a_hand_that_touches_something_goes_out_of_that_first() {
    let mut bench = Bench::new();
    bench.want(LEFT, ahead(0.5, 0.25, 0.3));
    assert_eq!(bench.until_over(LEFT), HandProgress::Done);
    // through the fingers
    bench.wall(0.53, [0.1, 0.4], [0.9, 1.3]);
    let (before, mut farthest) = (bench.link("left_hand_grasp_link").translation.x, f64::NEG_INFINITY);
    bench.want(LEFT, ahead(0.35, -0.1, 0.3));
    bench.cycle();
    while matches!(bench.state(LEFT).progress, HandProgress::Begun | HandProgress::Left(_))
        || bench.state(LEFT).goal < 2
    {
        bench.cycle();
        farthest = farthest.max(bench.link("left_hand_grasp_link").translation.x);
    }
    assert_eq!(bench.state(LEFT).progress, HandProgress::Done);
    assert!(farthest < before + 0.005, "it goes further in, from {before} to {farthest} m");
}

#[test]
fn a_hand_follows_what_is_moved_while_it_comes() {
    let mut bench = Bench::new();
    let battery = |y| Isometry3::translation(0.6, y, 1.047);
    bench.put("battery", 7, battery(0.1));
    bench.want(LEFT, take("battery"));
    bench.run(0.6);
    assert!(bench.state(LEFT).looks, "it wants to know where the battery is while it comes");
    bench.put("battery", 7, battery(0.22));
    assert_eq!(bench.until_over(LEFT), HandProgress::Failed(HandFailure::Empty));
    let hand = bench.link("left_hand_grasp_link");
    let inside = hand.inverse_transform_point(&battery(0.22).translation.vector.into());
    assert!(inside.coords.norm() < 0.07, "the battery is at {inside} of the hand");
}

#[test]
fn what_may_be_turned_is_put_down_as_the_arm_likes() {
    let mut bench = Bench::new();
    bench.put("battery", 7, Isometry3::translation(0.6, 0.1, 1.047));
    bench.blocked = Some((&[LEFT], 0.55));
    bench.want(LEFT, take("battery"));
    assert_eq!(bench.until_over(LEFT), HandProgress::Done);
    // a part of a turn after which a battery does not look the same
    let askew = UnitQuaternion::from_euler_angles(0.0, 0.0, 0.7);
    let wanted = Isometry3::from_parts(Vector3::new(0.55, -0.1, 0.3).into(), askew);
    let place = Place { pose: wanted, of_held: true, any_turn: true, ..Place::default() };
    bench.want(LEFT, HandTask::Reach(place));
    assert_eq!(bench.until_over(LEFT), HandProgress::Done);
    let held = bench.state(LEFT).holds.unwrap().pose_in_odom;
    let off = held.translation.vector - Vector3::new(0.55, -0.1, 1.1);
    assert!(off.norm() < 2e-3, "the battery is {} m off", off.norm());
    let upright = (held.rotation * Vector3::z()).z.abs();
    assert!(upright > 0.9999, "the battery leans by {} rad", upright.acos());
}

#[test]
fn a_hand_over_a_thing_may_be_turned_as_the_base_is() {
    let mut bench = Bench::new();
    let askew = UnitQuaternion::from_euler_angles(0.0, 0.0, 0.7);
    bench.put("battery", 7, Isometry3::from_parts(Vector3::new(0.5, 0.2, 0.76).into(), askew));
    let down = UnitQuaternion::from_euler_angles(0.0, core::f64::consts::FRAC_PI_2, 0.0);
    let above = Isometry3::from_parts(Vector3::new(0.0, 0.0, 0.2).into(), down);
    let place = Place { frame: Frame::Object(name("battery")), pose: above, ..Place::default() };
    bench.want(LEFT, HandTask::Reach(Place { along_base: true, ..place }));
    assert_eq!(bench.until_over(LEFT), HandProgress::Done);
    let hand = bench.link("left_hand_grasp_link");
    let off = hand.translation.vector - Vector3::new(0.5, 0.2, 0.96);
    assert!(off.norm() < 2e-3 && hand.rotation.angle_to(&down) < 5e-3, "{hand}");
}

/// The hand above a surface with a hole that is not quite where it was said to be.
fn above_a_hole(hole: [f64; 2]) -> Bench {
    let mut bench = Bench::new();
    bench.want(LEFT, ahead(0.45, 0.2, 0.2));
    assert_eq!(bench.until_over(LEFT), HandProgress::Done);
    bench.rim = Some(Rim { z: 0.98, hole, radius: 0.0015 });
    let by = Vector3::new(0.0, 0.0, -0.06);
    let insertion =
        Insertion { by, until: 10.0, left: 0.02, deeper: 0.0, around: Vector3::new(0.005, 0.005, 0.0), step: 0.0025 };
    bench.want_at(LEFT, HandTask::Insert(insertion), 0.05);
    bench
}

#[test]
fn a_hole_that_is_beside_where_it_was_said_to_be_is_found() {
    let mut bench = above_a_hole([0.453, 0.197]);
    assert_eq!(bench.until_over(LEFT), HandProgress::Done);
    let hand = bench.link("left_hand_grasp_link").translation.vector;
    let off = (hand.x - 0.453).hypot(hand.y - 0.197);
    assert!(off < 0.0016 && hand.z < 0.945, "the hand is at {hand}, {off} m from the hole's middle");
}

#[test]
fn where_there_is_no_hole_it_is_said_how_much_is_left() {
    let mut bench = above_a_hole([0.5, 0.3]);
    match bench.until_over(LEFT) {
        HandProgress::Failed(HandFailure::Stuck(places, left)) => {
            assert!(places == 25 && (left - 0.04).abs() < 0.005, "{places} places, {left} m left");
        }
        over => panic!("{over:?}"),
    }
}

/// An arc of the hand about an axis ahead, 5 cm below it.
fn around(axis: Vector3<f64>, by: f64, keep: bool) -> Turn {
    let about = Vector3::new(0.45, 0.2, 0.15);
    Turn { frame: Frame::Base, axis, about, by, keep, until: 40.0, free: false }
}

#[test]
fn a_hand_goes_on_an_arc_about_an_axis() {
    for (by, keep, free) in [(0.8, false, false), (-2.0, true, false), (-0.8, false, true)] {
        let mut bench = Bench::new();
        bench.want(LEFT, ahead(0.45, 0.2, 0.2));
        assert_eq!(bench.until_over(LEFT), HandProgress::Done);
        let before = bench.link("left_hand_grasp_link").rotation;
        bench.want_at(LEFT, HandTask::Turn(Turn { free, ..around(Vector3::x() * 3.0, by, keep) }), 0.1);
        loop {
            bench.cycle();
            let hand = bench.link("left_hand_grasp_link").translation.vector - Vector3::new(0.45, 0.2, 0.95);
            assert!(hand.x.abs() < 4e-3 && (hand.yz().norm() - 0.05).abs() < 4e-3, "it strays to {hand}");
            if bench.state(LEFT).goal == 2 && bench.state(LEFT).progress == HandProgress::Done {
                break;
            }
            let progress = bench.state(LEFT).progress;
            assert!(!matches!(progress, HandProgress::Failed(_) | HandProgress::Touched(_)), "{progress:?}");
        }
        let hand = bench.link("left_hand_grasp_link");
        let place = hand.translation.vector - Vector3::new(0.45, 0.2, 0.95);
        let off = place - Vector3::new(0.0, -0.05 * f64::sin(by), 0.05 * f64::cos(by));
        assert!(off.norm() < 3e-3, "{} m beside the end of the arc", off.norm());
        let turned = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), if keep { 0.0 } else { by }) * before;
        assert!(hand.rotation.angle_to(&turned) < 0.02, "turned by {} rad", hand.rotation.angle_to(&before));
    }
}

#[test]
fn the_same_question_moves_the_same_joints_to_the_bit() {
    let run = || {
        let mut bench = Bench::new();
        bench.shelf(0.987, [0.45, 1.2], [-0.3, 0.5]);
        bench.put("battery", 7, Isometry3::translation(0.6, 0.1, 1.047));
        bench.want(LEFT, take("battery"));
        bench.run(3.0);
        bench.readings.joints.iter().map(|joint| joint.position.to_bits()).collect::<Vec<u64>>()
    };
    assert_eq!(run(), run());
}

#[test]
fn what_cannot_be_done_is_said_with_names_and_numbers() {
    let mut bench = Bench::new();
    bench.put("cup", 3, Isometry3::translation(3.0, 0.0, 0.9));
    for (task, words) in [
        (take("battery"), "no battery is known"),
        (take("spoon"), "expected a model of an object, found 'spoon'"),
        (take("cup"), "grasps are out of reach"),
        (HandTask::Pose(name("headstand")), "expected a pose of the robot, found 'headstand'"),
        (ahead(2.5, 0.0, 0.3), "out of reach by"),
        (HandTask::Reach(Place { of_held: true, ..Place::default() }), "the hand holds nothing"),
        (HandTask::Shift(Shift { by: Vector3::new(f64::NAN, 0.0, 0.0), ..Shift::default() }), "out of bounds"),
        (HandTask::Turn(around(Vector3::zeros(), 1.0, true)), "out of bounds"),
        (HandTask::Turn(around(Vector3::x(), f64::NAN, true)), "out of bounds"),
        (HandTask::Turn(Turn { frame: Frame::Object(name("battery")), ..Turn::default() }), "no battery is known"),
    ] {
        bench.want(LEFT, task);
        match bench.until_over(LEFT) {
            HandProgress::Failed(why) => assert!(why.to_string().contains(words), "{why} for {task:?}"),
            over => panic!("{over:?} for {task:?}"),
        }
    }
}

#[test]
fn a_hand_inside_the_body_is_refused_by_what_it_would_meet() {
    let mut bench = Bench::new();
    let into_torso = Isometry3::from_parts(
        Vector3::new(0.12, 0.0, 0.35).into(),
        UnitQuaternion::from_euler_angles(0.0, 0.0, core::f64::consts::PI),
    );
    bench.want(
        LEFT,
        HandTask::Reach(Place { frame: Frame::Base, pose: into_torso, of_held: false, ..Place::default() }),
    );
    let over = bench.until_over(LEFT);
    assert!(
        matches!(over, HandProgress::Failed(HandFailure::Blocked(..) | HandFailure::OutOfReach(..))),
        "the hand shall be inside of the torso: {over:?}"
    );
}

/// From where the centaur's left hand can take a cup of a table: `cargo test --release -p handling --test hands -- --ignored --nocapture`.
#[test]
#[ignore = "prints a table"]
fn from_where_a_cup_can_be_taken() {
    for (model, half) in [("cup", 0.05), ("battery", 0.06)] {
        for above in [0.19, 0.09, -0.01, -0.11] {
            println!(
                "{model} on a table {above:.2} m above the base; ahead from 0.45 m to 0.75 m, left from -0.1 m to 0.4 m"
            );
            for ahead in [0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75] {
                let row = [-0.1, 0.0, 0.1, 0.2, 0.3, 0.4].map(|left| {
                    let mut bench = Bench::new();
                    bench.shelf(0.8 + above, [ahead - 0.15, ahead + 0.4], [-0.5, 0.6]);
                    bench.put(model, 7, Isometry3::translation(ahead, left, 0.8 + above + half));
                    bench.want(LEFT, take(model));
                    match bench.until_over(LEFT) {
                        HandProgress::Failed(HandFailure::Empty) => 'x',
                        HandProgress::Failed(HandFailure::NoGrasp(..)) => '.',
                        HandProgress::Failed(HandFailure::NoWay(_)) => 'w',
                        _ => '?',
                    }
                });
                println!("{ahead:.2} {}", row.iter().collect::<String>());
            }
        }
    }
}
