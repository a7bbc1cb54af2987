//! The table of `hil/SAFETY.md`, carried out: every single fault, its reaction, its cause and the way back.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use hil::robot::Cause;
use hil::virtual_bus::BusFaultKind;
use robot_io::{Clock, Lifecycle, RobotIo};

use support::{Bench, HIP, KNEE, WHEEL, between};

/// When faults begin [cycles of 1 ms].
const BEGIN: u64 = 100;
/// The example bus rides through this many cycles.
const RIDE: u64 = 2;

/// Breaks something from 100 ms to 200 ms; says why the robot stopped and how many cycles that took.
fn stopped_by(kind: BusFaultKind) -> (Bench, Cause, u64) {
    let mut bench = Bench::virtual_bus(vec![between(kind.clone(), BEGIN, Some(2 * BEGIN))]);
    bench.robot.bring_up().unwrap();
    let stopped = bench.until_stop(2 * BEGIN).unwrap_or_else(|| panic!("{kind:?} stops nothing"));
    let cause = bench.robot.cause().unwrap();
    bench.read();
    // the exchange at 100 ms is that of the cycle before
    (bench, cause, stopped + 2 - BEGIN)
}

/// A fault that must be ridden through: nothing stops, and the robot is where it would be anyway.
fn ridden_through(kind: BusFaultKind, until: u64) -> Bench {
    let mut bench = Bench::virtual_bus(vec![between(kind.clone(), BEGIN, Some(until))]);
    bench.robot.bring_up().unwrap();
    assert_eq!(bench.until_stop(4 * BEGIN), None, "{kind:?}: {:?}", bench.robot.cause());
    assert!((bench.readings.joints[HIP].position - 0.3 * 0.397).abs() < 0.005, "{:?}", bench.readings.joints[HIP]);
    bench
}

/// The robot holds still, ignores commands, and comes back once the fault is gone.
fn comes_back(mut bench: Bench) {
    let moved = |bench: &Bench| bench.readings.joints[HIP].position;
    (0..5).for_each(|_| bench.cycle());
    let held = moved(&bench);
    (0..BEGIN + 50).for_each(|_| bench.cycle());
    assert!((moved(&bench) - held).abs() < 3e-3, "stopped, it holds: {held} to {}", moved(&bench));
    bench.robot.transition(Lifecycle::Inactive).unwrap();
    bench.robot.transition(Lifecycle::Active).unwrap();
    assert_eq!(bench.robot.cause(), None);
    for _ in 0..20 {
        bench.cycle();
    }
    assert_eq!(bench.robot.lifecycle(), Lifecycle::Active, "{:?}", bench.robot.cause());
    assert!(moved(&bench) > held + 0.01, "{held} to {}", moved(&bench));
}

fn board(name: &str) -> String {
    name.to_owned()
}

#[test]
fn one_lost_frame() {
    let bench = ridden_through(BusFaultKind::FrameLoss { probability: 1.0 }, BEGIN + RIDE);
    assert!(bench.stop_event().is_none());
}

#[test]
fn frames_lost() {
    let (bench, cause, cycles) = stopped_by(BusFaultKind::FrameLoss { probability: 1.0 });
    assert!(matches!(cause, Cause::FramesLost(_)), "{cause:?}");
    assert_eq!(cycles, RIDE + 1);
    comes_back(bench);
}

#[test]
fn late_frame() {
    ridden_through(BusFaultKind::FrameDelay { probability: 1.0 }, BEGIN + RIDE);
}

#[test]
fn corrupt_frame() {
    ridden_through(BusFaultKind::CorruptBytes { probability: 1.0, caught: true }, BEGIN + RIDE);
}

#[test]
fn a_flip_that_no_checksum_sees_never_moves_a_joint_outside_its_limits() {
    for seed in 0..5 {
        let fault = BusFaultKind::CorruptBytes { probability: 0.3, caught: false };
        let mut bench = Bench::virtual_bus(vec![between(fault, BEGIN + seed, None)]);
        bench.robot.bring_up().unwrap();
        bench.until_stop(2 * BEGIN);
        for joint in [HIP, KNEE] {
            assert!(bench.readings.joints[joint].position.abs() < 2.1);
        }
    }
}

#[test]
fn cable_cut() {
    let (bench, cause, cycles) = stopped_by(BusFaultKind::CableCut { after: "hip_drive".to_owned() });
    assert_eq!(cause, Cause::CableCut(Some(0), 1, 3));
    assert_eq!(cycles, RIDE + 1);
    comes_back(bench);
}

#[test]
fn working_counter() {
    let (bench, cause, cycles) = stopped_by(BusFaultKind::WrongCount { board: board("knee_board"), by: -1 });
    assert!(matches!(cause, Cause::WorkingCounter(found, expected) if found < expected), "{cause:?}");
    assert_eq!(cycles, RIDE + 1);
    comes_back(bench);
}

#[test]
fn board_gone() {
    let (bench, cause, cycles) = stopped_by(BusFaultKind::BoardOff { board: "knee_board".to_owned() });
    assert_eq!(cause, Cause::BoardGone(1));
    assert_eq!(cycles, RIDE + 1);
    comes_back(bench);
}

#[test]
fn board_reset() {
    let (bench, cause, cycles) = stopped_by(BusFaultKind::BoardReset { board: "wheel_drive".to_owned() });
    assert_eq!(cause, Cause::BoardGone(2));
    assert!(cycles <= RIDE + 1);
    comes_back(bench);
}

#[test]
fn al_error() {
    let (bench, cause, cycles) = stopped_by(BusFaultKind::AlError { board: "hip_drive".to_owned(), code: 0x001a });
    assert!(matches!(cause, Cause::BoardState(0, _)), "{cause:?}");
    assert_eq!(cycles, 1);
    let what = &bench.stop_event().unwrap().what;
    assert!(what.contains("0x001a"), "the AL status code is read from the board: {what}");
    comes_back(bench);
}

#[test]
fn drive_fault() {
    let (bench, cause, cycles) = stopped_by(BusFaultKind::DriveFault { board: board("wheel_drive"), code: 0x2310 });
    assert_eq!(cause, Cause::DriveFault(2, 0x2310));
    assert!(cycles <= 2, "{cycles}");
    assert_eq!(bench.stop_event().unwrap().subject, robot_io::Subject::Joint(WHEEL));
    comes_back(bench);
}

#[test]
fn sto_open() {
    let (mut bench, cause, cycles) = stopped_by(BusFaultKind::StoOpen { board: board("wheel_drive") });
    assert_eq!(cause, Cause::StoOpen(2));
    assert!(cycles <= 2, "{cycles}");
    let event = bench.stop_event().unwrap();
    assert_eq!(event.subject, robot_io::Subject::Joint(WHEEL));
    assert!(event.what.contains("safe torque off") && event.what.contains("then clear the stop"), "{}", event.what);
    let refused = bench.robot.transition(Lifecycle::Inactive).unwrap_err().to_string();
    assert!(refused.contains("'wheel_drive'") && refused.contains("STO"), "{refused}");
    assert_eq!(bench.robot.lifecycle(), Lifecycle::Fault, "it is not reset in vain");
    (0..BEGIN + 5).for_each(|_| bench.cycle());
    assert!(bench.events.iter().any(|event| event.what.contains("closed again")), "{:?}", bench.events);
    comes_back(bench);
}

#[test]
fn an_open_sto_refuses_to_start_by_name() {
    let mut bench = Bench::virtual_bus(vec![between(BusFaultKind::StoOpen { board: board("wheel_drive") }, 0, None)]);
    let refused = bench.robot.bring_up().unwrap_err().to_string();
    assert!(refused.contains("board 'wheel_drive': its safe torque off (STO) is open"), "{refused}");
}

#[test]
fn hot_board_warns() {
    let bench = ridden_through(BusFaultKind::HotBoard { board: board("hip_drive"), temperature: 90.0 }, 2 * BEGIN);
    let warnings = bench.events.iter().filter(|event| event.what.contains("winding hot")).count();
    assert_eq!(warnings, 1);
}

#[test]
fn hot_board_stops() {
    let (bench, cause, cycles) = stopped_by(BusFaultKind::HotBoard { board: board("hip_drive"), temperature: 120.0 });
    assert!(matches!(cause, Cause::Hot(0, _) | Cause::DriveFault(0, 0x4310)), "{cause:?}");
    assert!(cycles <= 2);
    comes_back(bench);
}

#[test]
fn encoder_jump() {
    let (bench, cause, cycles) = stopped_by(BusFaultKind::EncoderJump { board: board("wheel_drive"), by: 0.5 });
    assert_eq!(cause, Cause::Jump(2, WHEEL));
    assert_eq!(cycles, RIDE + 1);
    assert!(bench.readings.joints[WHEEL].position < 0.21, "a position that cannot be is not believed");
}

#[test]
fn frozen_board() {
    for name in ["hip_drive", "knee_board", "body_board"] {
        let (bench, cause, cycles) = stopped_by(BusFaultKind::FrozenInputs { board: board(name) });
        assert!(matches!(cause, Cause::Stale(_)), "{name}: {cause:?}");
        assert_eq!(cycles, 4, "{name}");
        comes_back(bench);
    }
}

#[test]
fn controller_overrun() {
    let mut bench = Bench::virtual_bus(Vec::new());
    bench.robot.bring_up().unwrap();
    (0..20).for_each(|_| bench.cycle());
    (0..2).for_each(|_| bench.silent_cycle());
    bench.cycle();
    assert_eq!(bench.robot.lifecycle(), Lifecycle::Active, "two missing answers are ridden through");
    (0..4).for_each(|_| bench.silent_cycle());
    assert!(matches!(bench.robot.cause(), Some(Cause::Overrun(_))), "{:?}", bench.robot.cause());
    comes_back(bench);
}

#[test]
fn emergency_stop() {
    let mut bench = Bench::virtual_bus(Vec::new());
    bench.robot.bring_up().unwrap();
    (0..BEGIN).for_each(|_| bench.cycle());
    let before = bench.readings.joints[WHEEL].position;
    bench.read();
    bench.answer();
    bench.commands.emergency_stop = true;
    bench.robot.write(&bench.commands).unwrap();
    bench.commands.emergency_stop = false;
    bench.clock.advance().unwrap();
    assert_eq!(bench.robot.cause(), Some(Cause::EmergencyStop));
    (0..2).for_each(|_| bench.cycle());
    let within = bench.readings.joints[WHEEL].position;
    (0..10).for_each(|_| bench.cycle());
    assert!(within - before < 2.0 * 0.004, "{before} to {within}");
    assert!((bench.readings.joints[WHEEL].position - within).abs() < 1e-4, "the wheel stands still after two cycles");
    comes_back(bench);
}

#[test]
fn bridge_dies() {
    use hil::bus_file::BusPlan;
    use hil::exchange::Exchange;
    use hil::link::Link;
    use hil::main_device::EtherCat;
    use hil::virtual_bus::{InProcess, VirtualBus};
    use hil::wire::{AlCode, AlState};
    use robot_io::{DummyRobot, RobotLayout, Time};

    let layout = RobotLayout::example();
    let plan: std::sync::Arc<BusPlan> = support::plan();
    let (robot, clock) = DummyRobot::with_clock(layout.clone());
    let bus = VirtualBus::new(&plan, robot, clock, Vec::new(), 1).unwrap();
    let mut ethercat = EtherCat::new(InProcess::new(bus), plan, layout.period).unwrap();
    ethercat.configure().unwrap();
    ethercat.request(AlState::Op).unwrap();
    let mut image = hil::exchange::ProcessImage::default();
    let mut report = hil::exchange::Exchanged::default();
    for board in &support::plan().boards {
        image.outputs.push(vec![0; board.kind.pdo_map().output_bytes()]);
        image.inputs.push(vec![0; board.kind.pdo_map().input_bytes()]);
    }
    for _ in 0..20 {
        ethercat.exchange(&mut image, &mut report);
        ethercat.link_mut().unwrap().pass(Time::ZERO).unwrap();
    }
    assert!(report.states.iter().all(|state| *state == Some(AlState::Op)), "{report:?}");
    // the bridge falls silent, the world goes on
    (0..25).for_each(|_| ethercat.link_mut().unwrap().pass(Time::ZERO).unwrap());
    assert_eq!(ethercat.diagnose(0), Some((AlState::SafeOp, AlCode::SYNC_MANAGER_WATCHDOG)));
}

#[test]
fn every_row_of_the_table_has_its_test() {
    let table = include_str!("../SAFETY.md");
    let tests = include_str!("bus_faults.rs");
    let rows: Vec<&str> = table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    assert!(rows.len() >= 15);
    for row in rows.iter().filter(|row| **row != "controller_panic") {
        assert!(tests.contains(&format!("fn {row}()")), "no test named {row}");
    }
}
