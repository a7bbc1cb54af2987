//! A drive in trouble, and its way back.

use hil::board::Order;
use hil::board::cia402::DriveState;
use hil::virtual_bus::BoardFault;
use proptest::prelude::*;
use robot_io::{JointCommand, JointStatus, Readings, Time};

use crate::bench::{Bench, layout, parse};
use crate::cia402::{HIP, state};

fn running(text: &str) -> Bench {
    let mut bench = Bench::new("cia402", &format!("{HIP}\n{text}"));
    bench.command(JointCommand::hold(0.1, 100.0, 6.0));
    bench.switch_on();
    bench.cycles(500);
    bench
}

fn tripped(bench: &mut Bench) -> u16 {
    bench.cycles(3);
    assert_eq!(state(bench), DriveState::Fault);
    assert_eq!(bench.told.joints[0], JointCommand::default(), "no torque");
    assert!(bench.readings.joints[0].status.contains(JointStatus::FAULT));
    assert!(!bench.readings.joints[0].status.contains(JointStatus::ENABLED));
    bench.cycles(20);
    assert_eq!(state(bench), DriveState::Fault, "following does not acknowledge");
    bench.report.fault.unwrap()
}

fn back_again(bench: &mut Bench) {
    bench.order = Order::Reset;
    bench.cycles(8);
    assert_eq!(state(bench), DriveState::SwitchOnDisabled);
    assert_eq!(bench.report.fault, None);
    bench.switch_on();
    bench.cycles(1000);
    assert!((bench.truth.joints[0].position - 0.1).abs() < 1e-3);
}

#[test]
fn a_drive_fault_is_reported_and_acknowledged() {
    let mut bench = running("");
    bench.firmware.set_fault(Some(BoardFault::DriveFault { code: 0x2310 }));
    assert_eq!(tripped(&mut bench), 0x2310);
    assert_eq!(bench.firmware.error(&bench.objects), Some((0x2310, 0b11)));
    bench.order = Order::Reset;
    bench.cycles(100);
    assert_eq!(state(&bench), DriveState::Fault, "its cause is still there");
    bench.firmware.set_fault(None);
    bench.cycles(40);
    back_again(&mut bench);
}

#[test]
fn a_hot_winding_trips_at_the_trip_temperature() {
    let mut bench = running("trip_temperature = 90.0");
    bench.firmware.set_fault(Some(BoardFault::Hot { temperature: 89.9 }));
    bench.cycles(10);
    assert!(bench.report.following && bench.report.temperature == Some(89.9));
    bench.firmware.set_fault(Some(BoardFault::Hot { temperature: 90.0 }));
    assert_eq!(tripped(&mut bench), 0x4310);
    bench.firmware.set_fault(None);
    back_again(&mut bench);
}

#[test]
fn a_fault_of_the_robot_behind_trips_and_is_reset_with_it() {
    for (temperature, code) in [(30.0, 0xff01), (100.0, 0x4310)] {
        let mut bench = running("");
        bench.truth.joints[0].status = JointStatus::FAULT;
        bench.truth.joints[0].temperature = temperature;
        assert_eq!(tripped(&mut bench), code);
        bench.truth.joints[0].temperature = 30.0;
        back_again(&mut bench);
        assert!(!bench.truth.joints[0].status.contains(JointStatus::FAULT), "the robot's own was reset");
    }
}

#[test]
fn a_jump_of_the_target_trips_the_drive() {
    let mut bench = running("");
    // 5 rad/s for 1 ms are 796 increments of a million per turn
    let target = bench.object(0x607a, 0);
    bench.cycle_with(&[(0x607a, target + 796)]);
    assert_eq!(state(&bench), DriveState::OperationEnabled);
    bench.cycle_with(&[(0x607a, target + 796 + 797)]);
    assert_eq!(state(&bench), DriveState::Fault);
    assert_eq!(bench.object(0x603f, 0) as u16, 0x8611);
}

#[test]
fn a_target_that_is_not_the_position_at_switch_on_trips_the_drive() {
    let mut bench = Bench::new("cia402", HIP);
    bench.truth.joints[0].position = 0.5;
    bench.measure();
    bench.order = Order::Follow;
    bench.command(JointCommand::hold(0.5, 100.0, 5.0));
    for _ in 0..10 {
        bench.cycle_with(&[(0x607a, 0)]);
        assert_eq!(bench.told.joints[0], JointCommand::default());
    }
    assert_eq!(bench.report.fault, Some(0x8611));
}

#[test]
fn a_joint_that_stays_behind_trips_the_drive_if_it_is_watched() {
    for watched in [true, false] {
        let mut bench = running(if watched { "following_window = 0.05\nfollowing_time = 0.02" } else { "" });
        bench.inertia = 1e6;
        bench.command(JointCommand::hold(0.9, 100.0, 6.0));
        bench.cycles(60);
        assert_eq!(state(&bench) == DriveState::Fault, watched);
        assert_eq!(bench.report.fault, watched.then_some(0x8611));
    }
}

#[test]
fn a_frame_or_two_that_get_lost_trip_nothing() {
    let mut bench = running("");
    bench.command(JointCommand { velocity: 4.0, ..JointCommand::hold(0.9, 100.0, 6.0) });
    for k in 0..300 {
        bench.operational = true;
        let now = bench.now();
        bench.driver.decode(&bench.inputs.clone(), now, &mut bench.readings);
        bench.driver.encode(bench.order, &bench.commands, &bench.inputs.clone(), &mut bench.outputs);
        if k % 5 > 1 {
            bench.deliver();
        }
        bench.pass();
        assert_eq!(state(&bench), DriveState::OperationEnabled);
    }
}

#[test]
fn without_outputs_a_drive_does_as_it_was_set() {
    for (text, end, fault) in [
        ("", DriveState::SwitchOnDisabled, None),
        ("bus_loss = \"fault\"", DriveState::Fault, Some(0x8130)),
        ("bus_loss = \"quick_stop\"", DriveState::SwitchOnDisabled, None),
    ] {
        let mut bench = running(text);
        bench.operational = false;
        bench.firmware.react(&mut bench.objects, false);
        bench.cycles(200);
        assert_eq!((state(&bench), bench.report.fault), (end, fault));
        assert_eq!(bench.told.joints[0], JointCommand::default());
        bench.operational = true;
        back_again(&mut bench);
    }
}

#[test]
fn a_fault_reaction_brakes_first_if_it_is_set_to() {
    let mut bench = running("fault_reaction = \"ramp\"\nquick_stop_deceleration = 10.0");
    bench.command(JointCommand::turn(1.0, 2.0));
    bench.cycles(500);
    bench.firmware.set_fault(Some(BoardFault::DriveFault { code: 0x3210 }));
    bench.cycles(50);
    assert_eq!(state(&bench), DriveState::FaultReaction);
    assert!((bench.told.joints[0].velocity - 0.5).abs() < 0.05);
    bench.cycles(60);
    assert_eq!(state(&bench), DriveState::Fault);
}

#[test]
fn a_frozen_board_keeps_its_inputs_and_its_last_command() {
    let mut bench = running("");
    let (inputs, sample, stamp) = (bench.inputs.clone(), bench.report.sample, bench.readings.joints[0].stamp);
    bench.firmware.set_fault(Some(BoardFault::FrozenInputs));
    bench.cycles(10);
    assert_eq!(bench.inputs, inputs);
    assert!(bench.readings.joints[0].stamp <= stamp + robot_io::Period::from_milliseconds(1));
    assert_ne!(bench.report.sample, sample, "the newest sample had not been read before");
    let stuck = bench.report.sample;
    bench.cycles(10);
    assert_eq!(bench.report.sample, stuck);
    assert!(bench.told.joints[0].stiffness > 0.0);
    bench.firmware.set_fault(None);
    bench.cycles(2);
    assert_ne!(bench.report.sample, stuck);
}

#[test]
fn broken_encoders_say_what_they_say() {
    let mut bench = running("");
    bench.firmware.set_fault(Some(BoardFault::FrozenEncoder));
    bench.command(JointCommand { effort: 0.5, ..JointCommand::default() });
    let sample = bench.report.sample;
    bench.cycles(100);
    assert!((bench.readings.joints[0].position - 0.1).abs() < 1e-3 && bench.truth.joints[0].position > 0.12);
    assert_ne!(bench.report.sample, sample, "samples go on");
    let mut bench = running("");
    bench.firmware.set_fault(Some(BoardFault::EncoderJump { by: 0.3 }));
    bench.cycles(2);
    assert!((bench.readings.joints[0].position - 0.4).abs() < 2e-3);
    bench.cycles(1000);
    assert!(
        (bench.truth.joints[0].position + 0.2).abs() < 1e-3,
        "the drive turns the joint to where it believes 0.1 to be"
    );
}

#[test]
fn power_off_forgets_what_was_written() {
    let mut bench = running("");
    bench.set_object(0x6072, 0, 1);
    bench.firmware.power_on(&mut bench.objects);
    assert_eq!(bench.object(0x6072, 0), 2000);
    bench.pass();
    assert_eq!(state(&bench), DriveState::SwitchOnDisabled);
    assert_eq!(bench.told.joints[0], JointCommand::default());
}

#[test]
fn a_robot_behind_that_has_stopped_measuring_shows_in_the_sample_time() {
    let mut bench = running("");
    let sampled = bench.object(0x2021, 0);
    let stamp = bench.truth.joints[0].stamp;
    for _ in 0..5 {
        bench.cycle += 1;
        bench.truth.time = bench.now();
        bench.truth.joints[0].stamp = stamp;
        bench.measure();
    }
    assert_eq!(bench.object(0x2021, 0), sampled);
}

proptest! {
    #[test]
    fn any_inputs_give_finite_readings(bytes in proptest::collection::vec(any::<u8>(), 27), repeat in 1_usize..4) {
        let board = parse("cia402", &format!("{HIP}\ncontact = \"wheel_contact\"")).unwrap();
        prop_assert_eq!(board.pdo_map().input_bytes(), bytes.len());
        let mut driver = board.driver();
        let mut readings = Readings::new(&layout());
        let mut outputs = vec![0; board.pdo_map().output_bytes()];
        let commands = robot_io::Commands::new(&layout());
        for k in 0..repeat {
            driver.decode(&bytes, Time::from_nanoseconds(k as u64), &mut readings);
            driver.encode(Order::Follow, &commands, &bytes, &mut outputs);
            let joint = readings.joints[0];
            let numbers = [joint.position, joint.velocity, joint.effort, joint.temperature, readings.contacts[0].force];
            prop_assert!(numbers.iter().all(|x| x.is_finite()));
        }
    }

    #[test]
    fn any_outputs_leave_the_robot_with_finite_commands_within_its_limits(
        frames in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 27), 1..20), enabled: bool,
    ) {
        let mut bench = if enabled { running("") } else { Bench::new("cia402", HIP) };
        prop_assert_eq!(bench.outputs.len(), 27);
        for frame in frames {
            bench.outputs.copy_from_slice(&frame);
            bench.deliver();
            bench.pass();
            let told = bench.told.joints[0];
            prop_assert!(told.is_finite() && told.velocity.abs() <= 5.0 + 1e-6);
            prop_assert!(told.stiffness >= 0.0 && told.damping >= 0.0);
        }
    }

    #[test]
    fn what_is_measured_arrives_to_half_an_increment_and_always_the_same(q in -0.9..0.9_f64, q_dot in -5.0..5.0_f64, effort in -30.0..30.0_f64) {
        let mut first = Bench::new("cia402", HIP);
        let mut second = Bench::new("cia402", HIP);
        for bench in [&mut first, &mut second] {
            (bench.truth.joints[0].position, bench.truth.joints[0].velocity) = (q, q_dot);
            bench.truth.joints[0].effort = effort;
            bench.measure();
            bench.exchange();
        }
        let (a, b) = (first.readings.joints[0], second.readings.joints[0]);
        prop_assert_eq!(a.position.to_bits(), b.position.to_bits());
        prop_assert!((a.position - q).abs() <= std::f64::consts::PI / 1e6 + 1e-12);
        prop_assert!((a.velocity - q_dot).abs() <= 0.5e-6 + 1e-12);
        prop_assert!((a.effort - effort).abs() <= 0.01 + 1e-9);
    }
}
