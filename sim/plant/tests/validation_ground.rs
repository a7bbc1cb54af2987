//! Things on the ground, against closed forms.

#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use plant::{Frame, Simulation};
use robot_io::{Commands, JointCommand, Lifecycle};
use support::{active, bare, cart, collision_box, hold, link, quiet, ramp, run, world};

/// A box of 5 kg.
fn sledge() -> robot_model::RobotModel {
    bare(&format!("<robot name=\"s\">{}</robot>", link("box", 5.0, [0.0; 3], 0.05, &collision_box(0.4, 0.3, 0.1))))
}

/// How far the box slides down the slope from one time to another [m].
fn slide(degrees: f64, from: f64, to: f64) -> f64 {
    let ground = world("sand", &ramp(degrees));
    let mut simulation = Simulation::new(&ground, &sledge(), &quiet("zero", 0.0, 0.0)).unwrap();
    run(&mut simulation, from);
    let begin = simulation.truth().base_in_world.translation.vector;
    run(&mut simulation, to - from);
    (simulation.truth().base_in_world.translation.vector - begin).norm()
}

#[test]
fn below_the_friction_cone_a_box_holds() {
    // sand: µ = 0.45, 24.2°
    let slipped = slide(22.0, 2.0, 12.0);
    assert!(slipped < 1e-3, "{slipped} m in ten seconds");
}

#[test]
fn above_it_the_box_slides_with_the_rest() {
    let degrees: f64 = 30.0;
    let (sin, cos) = degrees.to_radians().sin_cos();
    let acceleration = 9.81 * (sin - 0.45 * cos);
    let expected = 0.5 * acceleration * (1.4 * 1.4 - 0.6 * 0.6);
    // it falls onto the ramp first, and so starts a little early or late
    let slid = slide(degrees, 0.6, 1.4);
    assert!((slid / expected - 1.0).abs() < 0.1, "{slid} m, expected {expected} m");
}

#[test]
fn a_box_presses_with_its_weight_upwards() {
    let mut simulation = Simulation::new(&world("concrete", ""), &sledge(), &quiet("zero", 0.0, 0.0)).unwrap();
    run(&mut simulation, 1.0);
    let mut frame = Frame::default();
    simulation.frame(&mut frame);
    let force: f64 = frame.contacts.iter().map(|contact| contact.force_in_world.z).sum();
    assert!((force - 5.0 * 9.81).abs() < 0.01, "{force} N");
    assert!(frame.contacts.len() >= 4 && frame.contacts.iter().all(|contact| contact.normal_in_world.z > 0.99));
}

#[test]
fn a_wheel_rolls_without_slipping() {
    let mut simulation = active(&world("concrete", ""), &cart(), &quiet("stand", -5.0, 0.0));
    let commands = hold(&simulation, Some(1.0));
    simulation.command(&commands).unwrap();
    run(&mut simulation, 2.0);
    let truth = simulation.truth();
    let wheel = simulation.robot().tree.joint("fl_drive").unwrap();
    let rolled = truth.joint_velocities[wheel] * 0.1;
    let driven = truth.base_velocity_in_world.x;
    assert!(driven > 0.9, "{driven} m/s");
    // the tyre gives way by some tenths of a millimetre, which makes the wheel that much smaller
    assert!((rolled / driven - 1.0).abs() < 0.01, "v = {driven} m/s, ω r = {rolled} m/s");
    assert!(truth.wheel_slips.iter().all(|slip| *slip < 0.01), "{:?}", truth.wheel_slips);
}

#[test]
fn a_rolling_cart_is_slowed_by_its_rolling_resistance() {
    let mut simulation = active(&world("concrete", ""), &cart(), &quiet("stand", -8.0, 0.0));
    let commands = hold(&simulation, Some(2.0));
    simulation.command(&commands).unwrap();
    run(&mut simulation, 2.0);
    // limp wheels; the steering goes on holding
    let mut limp = hold(&simulation, None);
    for wheel in &simulation.robot().description.wheels {
        limp.joints[wheel.drive_joint] = JointCommand::default();
    }
    simulation.command(&limp).unwrap();
    run(&mut simulation, 0.1);
    let begin = simulation.truth().base_velocity_in_world.x;
    run(&mut simulation, 2.0);
    let lost = begin - simulation.truth().base_velocity_in_world.x;
    // the wheels' spin goes with it: I/r² = 0.2 kg each
    let mass = 12.0;
    let expected = 2.0 * 0.013 * mass * 9.81 / (mass + 4.0 * 0.002 / 0.01);
    assert!((lost / expected - 1.0).abs() < 0.03, "lost {lost} m/s, expected {expected} m/s");
}

#[test]
fn a_parked_cart_is_held_by_rolling_resistance_only_as_far_as_it_goes() {
    // concrete: 0.013, 0.74°
    for (degrees, holds) in [(0.5, true), (1.5, false)] {
        let ground = world("concrete", &ramp(degrees));
        let mut simulation = Simulation::new(&ground, &cart(), &quiet("stand", 0.0, 0.0)).unwrap();
        run(&mut simulation, 1.0);
        let begin = simulation.truth().base_in_world.translation.x;
        run(&mut simulation, 5.0);
        let moved = (simulation.truth().base_in_world.translation.x - begin).abs();
        assert_eq!(moved < 2e-3, holds, "{degrees}°: moved {moved} m");
    }
}

#[test]
fn a_cart_with_held_wheels_does_not_creep_on_twenty_degrees() {
    let mut simulation = active(&world("concrete", &ramp(20.0)), &cart(), &quiet("stand", 0.0, 0.0));
    let mut commands = hold(&simulation, None);
    for wheel in &simulation.robot().description.wheels {
        commands.joints[wheel.drive_joint] = JointCommand::hold(0.0, 100.0, 2.0);
    }
    simulation.command(&commands).unwrap();
    run(&mut simulation, 3.0);
    let begin = simulation.truth().base_in_world.translation.vector;
    run(&mut simulation, 10.0);
    let crept = (simulation.truth().base_in_world.translation.vector - begin).norm();
    assert!(crept < 1e-4, "{} mm in ten seconds", crept * 1e3);
}

#[test]
fn an_imu_feels_gravity_and_its_lever_arm() {
    let mut simulation = active(&world("concrete", ""), &cart(), &quiet("stand", 0.0, 0.0));
    run(&mut simulation, 1.0);
    let reading = simulation.readings().imus[0];
    assert!((reading.linear_acceleration.norm() - 9.81).abs() < 1e-3, "{}", reading.linear_acceleration);
    // turning on the spot: wheels of both sides against each other
    let mut commands = hold(&simulation, Some(0.0));
    for wheel in &simulation.robot().description.wheels {
        let side = if wheel.name.ends_with('l') { -1.0 } else { 1.0 };
        commands.joints[wheel.drive_joint] = JointCommand::turn(side * 10.0, 1.0);
    }
    simulation.command(&commands).unwrap();
    run(&mut simulation, 1.5);
    let (mut outward, mut rate) = (0.0, 0.0);
    for _ in 0..1_000 {
        simulation.step();
        let reading = simulation.readings().imus[0];
        outward += reading.linear_acceleration.x / 1_000.0;
        rate += reading.angular_velocity.z / 1_000.0;
    }
    assert!(rate > 0.5, "turns at {rate} rad/s");
    // 0.2 m ahead of the middle: centripetal, towards the middle
    assert!((outward / (-rate * rate * 0.2) - 1.0).abs() < 0.25, "{outward} m/s² at {rate} rad/s");
}

#[test]
fn a_robot_that_is_switched_off_does_not_obey() {
    let mut simulation = Simulation::new(&world("concrete", ""), &cart(), &quiet("stand", 0.0, 0.0)).unwrap();
    simulation.transition(Lifecycle::Inactive).unwrap();
    let mut commands = Commands::new(simulation.layout());
    commands.joints.fill(JointCommand::turn(10.0, 1.0));
    simulation.command(&commands).unwrap();
    run(&mut simulation, 0.5);
    assert!(simulation.truth().base_in_world.translation.x.abs() < 1e-3);
}
