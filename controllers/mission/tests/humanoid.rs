//! A mission on a robot with two feet: who may have one, and that it stands without allocating.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, dead_code, reason = "tests")]

#[path = "support/biped.rs"]
mod biped;
#[path = "../../../tests/support/counting.rs"]
mod counting;

use biped::{humanoid, standing};
use counting::{Counting, allocations};
use mission::{BaseTarget, MissionSettings, Mobility, Walking};
use nalgebra::Vector3;
use robot_io::{Commands, Events, Time};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn the_left_foot_comes_first() {
    let mut model = humanoid();
    assert!(Walking::new(&model, &model.layout(), &MissionSettings::default()).is_ok());
    model.description.feet.swap(0, 1);
    let error = Walking::new(&model, &model.layout(), &MissionSettings::default()).unwrap_err().to_string();
    assert!(error.contains("expected the left [[foot]] first, found \"right_foot\""), "{error}");
}

#[test]
fn it_stands_with_its_weight_on_its_legs_and_allocates_nothing() {
    let model = humanoid();
    let mut walking = Walking::new(&model, &model.layout(), &MissionSettings::default()).unwrap();
    let mut readings = standing(&model);
    let mut commands = Commands::new(&model.layout());
    walking.reset(&readings);
    let target = BaseTarget { stance: walking.usual_stance(), ..BaseTarget::default() };
    for cycle in 1..300_u64 {
        readings.time = Time::from_nanoseconds(cycle * 1_000_000);
        let before = allocations();
        walking.estimate(&readings);
        walking.act(&target, &readings, &mut commands);
        assert_eq!(allocations(), before, "cycle {cycle}");
        // what drives do is felt behind their springs
        for (joint, command) in readings.joints.iter_mut().zip(&commands.joints) {
            joint.effort = command.effort;
        }
    }
    for side in ["left", "right"] {
        let knee = commands.joints[model.tree.joint(&format!("{side}_knee_pitch")).unwrap()];
        assert!((20.0..60.0).contains(&-knee.effort), "the knee carries: {knee:?}");
    }
    assert_eq!(walking.tip_over_margin(), f64::INFINITY);
}

/// It tips forward at 2 rad/s, as a stick would.
#[test]
fn it_says_that_it_falls_and_holds_its_hands_out_before_it_lies() {
    const RATE: f64 = 2.0;
    let model = humanoid();
    let mut walking = Walking::new(&model, &model.layout(), &MissionSettings::default()).unwrap();
    let mut readings = standing(&model);
    let mut commands = Commands::new(&model.layout());
    walking.reset(&readings);
    let target = BaseTarget { stance: walking.usual_stance(), ..BaseTarget::default() };
    let shoulder = model.tree.joint("left_arm_shoulder_pitch").unwrap();
    let mut began = None;
    for cycle in 1..1000_u64 {
        let lean = RATE * (cycle as f64 - 100.0).max(0.0) * 0.001;
        let imu = &mut readings.imus[0];
        imu.angular_velocity = if lean > 0.0 { Vector3::new(0.0, RATE, 0.0) } else { Vector3::zeros() };
        imu.linear_acceleration = Vector3::new(-lean.sin(), 0.0, lean.cos()) * 9.81;
        readings.time = Time::from_nanoseconds(cycle * 1_000_000);
        imu.stamp = readings.time;
        walking.estimate(&readings);
        walking.act(&target, &readings, &mut commands);
        if walking.falls() && began.is_none() {
            began = Some(lean);
        }
        if began.is_some_and(|began| lean > began + 0.3) {
            break;
        }
    }
    let began = began.expect("it falls");
    assert!((0.2..0.8).contains(&began), "said at {began} rad");
    let stand = readings.joints[shoulder].position;
    assert!(commands.joints[shoulder].position < stand - 0.05, "{:?}", commands.joints[shoulder]);
    let mut events = Events::new();
    walking.drain_events(&mut events);
    let said: Vec<&str> = events.iter().map(|event| &*event.what).collect();
    let at =
        |words: &str| said.iter().position(|what| what.contains(words)).unwrap_or_else(|| panic!("{words}: {said:?}"));
    assert!(at("fall foreseen") < at("falls forward and gives up balance"), "{said:?}");
}
