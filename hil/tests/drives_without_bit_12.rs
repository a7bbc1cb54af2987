//! Drives that never set statusword bit 12, "drive follows the command value": they start if the bus file knows of them, and
//! are named with the remedy if it does not. Nothing stands still in silence.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::sync::Arc;

use hil::bus_file::BusPlan;
use hil::main_device::EtherCat;
use hil::robot::{EtherCatClock, EtherCatRobot, plug};
use hil::virtual_bus::{InProcess, VirtualBus};
use robot_io::{Clock, Commands, DummyRobot, JointCommand, Readings, RobotIo, RobotLayout};

/// The example's bus; `without` drives set no bit 12.
fn plan(without: bool) -> Arc<BusPlan> {
    let drives = if without { "type = \"cia402\"\nfollows = \"enabled\"" } else { "type = \"cia402\"" };
    let text = support::BUS.replace("type = \"cia402\"", drives);
    Arc::new(BusPlan::parse(&text, "bus.toml", &RobotLayout::example()).unwrap())
}

/// A bridge that believes `told`, in front of drives that never set the bit.
fn bridge(told: Arc<BusPlan>) -> (EtherCatRobot, EtherCatClock) {
    let layout = RobotLayout::example();
    let (robot, clock) = DummyRobot::with_clock(layout.clone());
    let bus = VirtualBus::new(&plan(true), robot, clock, Vec::new(), 1).unwrap();
    let exchange = EtherCat::new(InProcess::new(bus), told.clone(), layout.period).unwrap();
    plug(Box::new(exchange), told, &layout)
}

#[test]
fn they_move_if_the_bus_file_says_so() {
    let layout = RobotLayout::example();
    let (mut robot, mut clock) = bridge(plan(true));
    robot.bring_up().unwrap();
    let (mut readings, mut commands) = (Readings::new(&layout), Commands::new(&layout));
    for _ in 0..500 {
        robot.read(&mut readings).unwrap();
        commands.answer(&readings);
        commands.joints[support::HIP] = JointCommand::hold(0.3, 50.0, 5.0);
        robot.write(&commands).unwrap();
        clock.advance().unwrap();
    }
    assert!((readings.joints[support::HIP].position - 0.3).abs() < 1e-3, "{}", readings.joints[support::HIP].position);
}

#[test]
fn otherwise_the_start_fails_with_the_board_and_the_remedy() {
    let (mut robot, _clock) = bridge(plan(false));
    let message = robot.bring_up().unwrap_err().to_string();
    for part in ["board 'hip_drive'", "bit 12", "follows = \"enabled\""] {
        assert!(message.contains(part), "{message}");
    }
}
