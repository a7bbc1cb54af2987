//! Walk-Man's boards: the packets byte for byte, and both ends together.

use hil::board::walkman_joint::{bits, round_trip};
use hil::board::{INVALID_INPUT, Order};
use hil::virtual_bus::BoardFault;
use nalgebra::Vector3;
use proptest::prelude::*;
use robot_io::{Commands, JointCommand, JointStatus, Readings, Time};

use crate::bench::{Bench, layout, parse};

const HIP: &str = "joint = \"hip\"\ncounts = 65536\ndamp = 2.0";
/// 1 rad is 10430.4 of 65536 increments.
const RUNNING: [u8; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0];

fn at(microseconds: u64) -> Time {
    Time::from_nanoseconds(microseconds * 1000)
}

#[test]
fn the_command_packet_byte_for_byte() {
    let board = parse("walkman_joint", HIP).unwrap();
    assert_eq!((board.pdo_map().output_bytes(), board.pdo_map().input_bytes()), (12, 16));
    let mut driver = board.driver();
    let (mut readings, mut commands) = (Readings::new(&layout()), Commands::new(&layout()));
    commands.joints[0] = JointCommand::hold(1.0, 100.0, 2.0);
    let mut outputs = [0; 12];
    driver.decode(&RUNNING, at(0x0007_2345), &mut readings);
    driver.encode(Order::Follow, &commands, &RUNNING, &mut outputs);
    let expected = [
        0xbe, 0x28, 0x00, 0x00, // position desired, 10430
        0x01, 0x00, // run
        0xe8, 0x03, // PGain, 1000 × 0.1 N·m/rad
        0xc8, 0x00, // DGain, 200 × 0.01 N·m·s/rad
        0x45, 0x23, // time stamp [µs], wrapped
    ];
    assert_eq!(outputs, expected);
    // 3 N·m by a spring of 100 N·m/rad are 0.03 rad, 313 increments; -5 rad/s × 2 N·m·s/rad are -0.1 rad
    commands.joints[0] = JointCommand { velocity: -5.0, effort: 3.0, ..JointCommand::hold(-0.5, 100.0, 2.0) };
    driver.encode(Order::Follow, &commands, &RUNNING, &mut outputs);
    assert_eq!(outputs[..4], (-5945_i32).to_le_bytes(), "-0.57 rad");
    // a joint that moves as told gets its torque, however much the board's own damping takes of it: 30 N·m and 15 rad/s × 20 N·m·s/rad, 3.3 rad
    commands.joints[0] = JointCommand { velocity: 15.0, effort: 30.0, ..JointCommand::hold(0.5, 100.0, 20.0) };
    driver.encode(Order::Follow, &commands, &RUNNING, &mut outputs);
    assert_eq!(outputs[..4], 39_635_i32.to_le_bytes(), "3.8 rad");
    driver.encode(Order::Off, &commands, &RUNNING, &mut outputs);
    assert_eq!(outputs[..10], [0; 10]);
    driver.encode(Order::Reset, &commands, &RUNNING, &mut outputs);
    assert_eq!(outputs[4..6], [0x00, 0x80]);
}

#[test]
fn the_state_packet_byte_for_byte() {
    let board = parse("walkman_joint", &format!("{HIP}\nsign = -1\noffset = 0.25")).unwrap();
    let mut driver = board.driver();
    let mut readings = Readings::new(&layout());
    let inputs = [
        0x42, 0xd7, 0xff, 0xff, // position of the link, -10430
        0x00, 0x01, 0x00, 0x00, // reference position
        0xc5, 0x01, // 45.3 °C
        0x2e, 0xfb, // -1234 × 0.01 N·m
        0x01, 0x83, // hot, derated, saturated, running
        0x34, 0x12, // round trip time
    ];
    let report = driver.decode(&inputs, at(5_000), &mut readings);
    let joint = readings.joints[0];
    assert!((joint.position - (10430.0 / 65536.0 * std::f64::consts::TAU + 0.25)).abs() < 1e-12);
    assert!((joint.effort - 12.34).abs() < 1e-12 && (joint.temperature - 45.3).abs() < 1e-12);
    assert_eq!(joint.status.to_string(), "enabled+fault+derated+saturated");
    assert_eq!((joint.stamp, report.sample, report.fault), (at(5_000), Some(0x1234), Some(0x4310)));
    assert!(report.following);
    assert_eq!(round_trip(at(0x0001_1334), 0x1234), 0x100);
}

#[test]
fn the_emulated_board_fills_its_packet_byte_for_byte() {
    let mut bench = Bench::new("walkman_joint", HIP);
    let joint = &mut bench.truth.joints[0];
    (joint.position, joint.temperature, joint.effort) = (-1.0, 45.3, -12.34);
    joint.status = JointStatus::DERATED;
    bench.measure();
    let expected = [
        0x42, 0xd7, 0xff, 0xff, // -10430
        0x42, 0xd7, 0xff, 0xff, // it does not run: the reference is where it is
        0xc5, 0x01, 0x2e, 0xfb, // 45.3 °C, -12.34 N·m
        0x00, 0x01, // derated
        0x07, 0x00, // no stamp yet: its own clock, 7 µs after the start
    ];
    assert_eq!(bench.inputs, expected);
}

#[test]
fn it_follows_position_velocity_and_torque() {
    let mut bench = Bench::new("walkman_joint", HIP);
    bench.command(JointCommand::hold(0.4, 100.0, 6.0));
    assert!(bench.switch_on() <= 3);
    bench.cycles(1500);
    assert!((bench.truth.joints[0].position - 0.4).abs() < 1e-4);
    assert!(bench.readings.joints[0].velocity.abs() < 0.01);
    assert!(bench.readings.joints[0].status.contains(JointStatus::ENABLED));
    bench.command(JointCommand::turn(0.5, 2.0));
    bench.cycles(400);
    assert!((bench.truth.joints[0].velocity - 0.5).abs() < 0.03, "{}", bench.truth.joints[0].velocity);
    assert!((bench.readings.joints[0].velocity - 0.5).abs() < 0.05, "derived from positions");
    bench.command(JointCommand { effort: -1.0, ..JointCommand::default() });
    let before = bench.truth.joints[0].velocity;
    bench.cycles(10);
    assert!((bench.truth.joints[0].velocity - before + 0.1).abs() < 0.02, "-1 N·m for 10 ms on 0.1 kg·m²");
    bench.order = Order::Damp;
    bench.cycles(500);
    assert!(bench.truth.joints[0].velocity.abs() < 1e-3 && bench.report.following);
    bench.order = Order::Off;
    bench.cycles(3);
    assert_eq!(bench.told.joints[0], JointCommand::default());
    assert!(!bench.report.following);
}

#[test]
fn the_round_trip_time_says_how_long_frames_travel_and_that_the_board_lives() {
    let mut bench = Bench::new("walkman_joint", HIP);
    bench.command(JointCommand::hold(0.0, 10.0, 1.0));
    bench.switch_on();
    for _ in 0..200 {
        bench.cycle();
        let returned = u16::from_le_bytes([bench.inputs[14], bench.inputs[15]]);
        assert_eq!(round_trip(bench.now(), returned), 0, "in memory, the board's clock 7 µs ahead");
    }
    bench.operational = false;
    for _ in 0..20 {
        let sample = bench.report.sample;
        bench.cycle();
        assert_ne!(bench.report.sample, sample, "without outputs too");
        assert!(!bench.truth.joints[0].status.contains(JointStatus::ENABLED));
    }
    assert_eq!(bench.told.joints[0], JointCommand::default(), "no outputs, no torque");
    bench.firmware.set_fault(Some(BoardFault::FrozenInputs));
    bench.cycles(2);
    let (sample, stamp) = (bench.report.sample, bench.readings.joints[0].stamp);
    bench.cycles(5);
    assert_eq!((bench.report.sample, bench.readings.joints[0].stamp), (sample, stamp));
}

#[test]
fn faults_latch_and_are_acknowledged() {
    for (fault, code) in [
        (BoardFault::Hot { temperature: 120.0 }, 0x4310),
        (BoardFault::DriveFault { code: 0x2310 }, 0x2310),
        (BoardFault::DriveFault { code: 0x7305 }, 0x7300),
        (BoardFault::DriveFault { code: 0x8611 }, 0xff00),
    ] {
        let mut bench = Bench::new("walkman_joint", HIP);
        bench.command(JointCommand::hold(0.1, 100.0, 6.0));
        bench.switch_on();
        bench.firmware.set_fault(Some(fault));
        bench.cycles(3);
        assert_eq!(bench.report.fault, Some(code));
        assert_eq!(bench.told.joints[0], JointCommand::default());
        bench.firmware.set_fault(None);
        bench.cycles(50);
        assert_eq!(bench.report.fault, Some(code), "latched");
        bench.order = Order::Reset;
        bench.cycles(4);
        assert_eq!(bench.report.fault, None);
        bench.switch_on();
    }
}

#[test]
fn a_fault_of_the_robot_behind_is_reset_with_the_board() {
    let mut bench = Bench::new("walkman_joint", HIP);
    bench.switch_on();
    bench.truth.joints[0].status = JointStatus::FAULT;
    bench.cycles(3);
    assert_eq!(bench.report.fault, Some(0xff01));
    bench.order = Order::Reset;
    bench.cycles(5);
    assert_eq!((bench.report.fault, bench.truth.joints[0].status), (None, JointStatus::default()));
}

#[test]
fn torque_stays_within_the_joints_limit() {
    let mut bench = Bench::new("walkman_joint", HIP);
    bench.command(JointCommand::hold(1.0, 6000.0, 5.0));
    bench.switch_on();
    bench.cycles(2);
    assert_eq!(bench.told.joints[0].effort, 40.0);
    bench.exchange();
    assert!(bench.readings.joints[0].status.contains(JointStatus::SATURATED));
}

#[test]
fn both_ends_remember_what_they_show() {
    for (kind, text) in [("walkman_joint", HIP), ("walkman_force_torque", "force_torque = \"ankle\"")] {
        let mut bench = Bench::new(kind, text);
        bench.command(JointCommand::hold(0.4, 100.0, 6.0));
        bench.order = Order::Follow;
        bench.cycles(30);
        let saved = bench.save();
        let (truth, cycle, inputs) = (bench.truth.clone(), bench.cycle, bench.inputs.clone());
        bench.cycles(40);
        let end = bench.save();
        let mut other = Bench::new(kind, text);
        other.restore(&saved);
        (other.truth, other.cycle, other.inputs, other.order) = (truth, cycle, inputs, Order::Follow);
        other.command(JointCommand::hold(0.4, 100.0, 6.0));
        other.cycles(40);
        assert!(other.save() == end && other.truth == bench.truth);
    }
}

#[test]
fn the_force_torque_packet_byte_for_byte() {
    let mut bench = Bench::new("walkman_force_torque", "force_torque = \"ankle\"");
    assert_eq!((bench.outputs.len(), bench.inputs.len()), (2, 30));
    bench.truth.force_torques[0].force = [1.0, -2.0, 350.5].into();
    bench.truth.force_torques[0].torque = [0.25, 0.0, -8.0].into();
    bench.cycle = 70;
    bench.truth.time = bench.now();
    bench.truth.force_torques[0].stamp = bench.now();
    bench.measure();
    let expected = [
        0x00, 0x00, 0x80, 0x3f, 0x00, 0x00, 0x00, 0xc0, 0x00, 0x40, 0xaf, 0x43, // force [N]
        0x00, 0x00, 0x80, 0x3e, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xc1, // torque [N·m]
        0x00, 0x00, // no fault
        0x77, 0x11, // round trip: no stamp came, its own 70007 µs
        0x77, 0x11, // time stamp, the same
    ];
    assert_eq!(bench.inputs, expected);
    bench.exchange();
    assert_eq!(bench.readings.force_torques[0].force, Vector3::new(1.0, -2.0, 350.5));
    assert_eq!(bench.readings.force_torques[0].torque, Vector3::new(0.25, 0.0, -8.0));
    assert_eq!(bench.readings.force_torques[0].stamp, bench.now());
    assert_eq!(bench.outputs, [0x70, 0x11], "70000 µs");
}

#[test]
fn a_force_that_is_no_number_keeps_the_last_and_is_told() {
    let mut bench = Bench::new("walkman_force_torque", "force_torque = \"ankle\"");
    bench.truth.force_torques[0].force.x = 7.0;
    bench.cycles(2);
    let stamp = bench.readings.force_torques[0].stamp;
    bench.truth.force_torques[0].force = [f64::NAN, 1.0, 1.0].into();
    bench.cycles(3);
    assert_eq!(bench.report.fault, Some(INVALID_INPUT));
    assert_eq!((bench.readings.force_torques[0].force.x, bench.readings.force_torques[0].force.y), (7.0, 0.0));
    assert!(bench.readings.force_torques[0].stamp <= stamp + robot_io::Period::from_milliseconds(1));
    bench.truth.force_torques[0].force = [8.0, 1.0, 1.0].into();
    bench.cycles(2);
    assert_eq!((bench.report.fault, bench.readings.force_torques[0].force.x), (None, 8.0));
    bench.firmware.set_fault(Some(BoardFault::DriveFault { code: 1 }));
    bench.cycles(2);
    assert_eq!(bench.report.fault, Some(0xff00));
}

#[test]
fn wrong_settings_are_told() {
    let error = |kind: &str, text: &str| parse(kind, text).err().unwrap();
    assert!(error("walkman_joint", "joint = \"hip\"").starts_with("bus.toml:1: counts: expected"));
    assert!(error("walkman_joint", "joint = \"hip\"\ncounts = 1").starts_with("bus.toml:1: damp: expected"));
    assert!(error("walkman_joint", &format!("{HIP}\ntorque_unit = 0")).contains(": torque_unit: expected"));
    assert!(error("walkman_force_torque", "").contains("force_torque: expected a force/torque sensor, found nothing"));
    assert!(
        error("walkman_force_torque", "force_torque = \"toe\"").ends_with("found string `\"toe\"`; there are: ankle")
    );
}

proptest! {
    #[test]
    fn any_bytes_give_finite_readings(bytes in proptest::collection::vec(any::<u8>(), 30), more in proptest::collection::vec(any::<u8>(), 16)) {
        let joint = parse("walkman_joint", HIP).unwrap();
        let sensor = parse("walkman_force_torque", "force_torque = \"ankle\"").unwrap();
        let (mut readings, commands) = (Readings::new(&layout()), Commands::new(&layout()));
        let (mut joint, mut sensor) = (joint.driver(), sensor.driver());
        let mut outputs = [0; 12];
        for (k, inputs) in [&bytes[..16], &more[..], &bytes[14..]].into_iter().enumerate() {
            joint.decode(inputs, at(k as u64), &mut readings);
            joint.encode(Order::Follow, &commands, inputs, &mut outputs);
        }
        sensor.decode(&bytes, at(1), &mut readings);
        let state = readings.joints[0];
        prop_assert!([state.position, state.velocity, state.effort, state.temperature].iter().all(|x| x.is_finite()));
        let wrench = readings.force_torques[0];
        prop_assert!(wrench.force.iter().chain(wrench.torque.iter()).all(|x| x.is_finite()));
    }

    #[test]
    fn any_packets_leave_the_robot_with_finite_commands(packets in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 12), 1..20)) {
        let mut bench = Bench::new("walkman_joint", HIP);
        for packet in packets {
            bench.outputs.copy_from_slice(&packet);
            bench.deliver();
            bench.pass();
            let told = bench.told.joints[0];
            prop_assert!(told.is_finite());
            let runs = u16::from_le_bytes([bench.inputs[12], bench.inputs[13]]) & bits::RUNNING != 0;
            prop_assert!(runs || told == JointCommand::default());
        }
    }
}
