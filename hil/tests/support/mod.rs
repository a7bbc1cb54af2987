//! A small robot on a small bus: a hip on a CiA 402 drive, a knee on a Walk-Man board, a wheel on a drive that also has the
//! wheel's contact switch, and a body board.
#![allow(dead_code, clippy::unwrap_used, reason = "tests share it, and not every test needs everything")]

use std::sync::Arc;

use hil::bus_file::BusPlan;
use hil::exchange::Exchange;
use hil::host::Modelled;
use hil::main_device::EtherCat;
use hil::robot::{EtherCatClock, EtherCatRobot, plug};
use hil::virtual_bus::{BusFault, BusFaultKind, InProcess, VirtualBus};
use robot_io::{
    Clock, Commands, DummyRobot, Event, Events, JointCommand, Lifecycle, Period, Readings, RobotIo, RobotLayout, Time,
};

/// The bus file of [`RobotLayout::example`].
pub const BUS: &str = r#"
name = "example"
watchdog_ms = 20

[[board]]
name = "hip_drive"
type = "cia402"
vendor = 0xC402
product = 1
serial = 101
joint = "hip"
counts = 500000
rated_torque = 20.0
damp = 2.0

[[board]]
name = "knee_board"
type = "walkman_joint"
vendor = 0x0664
product = 2
serial = 102
joint = "knee"
counts = 500000
damp = 2.0

[[board]]
name = "wheel_drive"
type = "cia402"
vendor = 0xC402
product = 1
serial = 103
joint = "wheel"
counts = 150000
rated_torque = 7.5
damp = 1.0
contact = "wheel_contact"
sto = { bit = 3, open = 1 }

[[board]]
name = "body_board"
type = "body"
vendor = 0x0664
product = 4
serial = 104
imu = "imu"
battery = "battery"
"#;

pub const HIP: usize = 0;
pub const KNEE: usize = 1;
pub const WHEEL: usize = 2;

/// A controller's end of a bus with a dummy robot behind its boards.
pub struct Bench {
    pub robot: EtherCatRobot,
    pub clock: EtherCatClock,
    pub readings: Readings,
    pub commands: Commands,
    pub events: Events,
}

pub fn plan() -> Arc<BusPlan> {
    Arc::new(BusPlan::parse(BUS, "bus.toml", &RobotLayout::example()).unwrap())
}

/// A fault on the timeline [ms].
pub fn between(kind: BusFaultKind, from_ms: u64, until_ms: Option<u64>) -> BusFault {
    let at = |ms| Time::ZERO + Period::from_milliseconds(ms);
    BusFault { from: at(from_ms), until: until_ms.map(at), kind }
}

impl Bench {
    /// Over ethercrab and the virtual bus.
    pub fn virtual_bus(faults: Vec<BusFault>) -> Bench {
        Bench::over(&plan(), faults)
    }

    /// The same with another bus file.
    pub fn over(plan: &Arc<BusPlan>, faults: Vec<BusFault>) -> Bench {
        let layout = RobotLayout::example();
        let (robot, clock) = DummyRobot::with_clock(layout.clone());
        let bus = VirtualBus::new(plan, robot, clock, faults, 1).unwrap();
        let exchange = EtherCat::new(InProcess::new(bus), plan.clone(), layout.period).unwrap();
        Bench::new(Box::new(exchange), plan)
    }

    /// Over a model of the bus.
    pub fn modelled() -> Bench {
        let (robot, clock) = DummyRobot::with_clock(RobotLayout::example());
        Bench::new(Box::new(Modelled::new(plan(), robot, clock).unwrap()), &plan())
    }

    fn new(exchange: Box<dyn Exchange>, plan: &Arc<BusPlan>) -> Bench {
        let layout = RobotLayout::example();
        let (robot, clock) = plug(exchange, plan.clone(), &layout);
        let (readings, commands) = (Readings::new(&layout), Commands::new(&layout));
        Bench { robot, clock, readings, commands, events: Events::new() }
    }

    /// One cycle of a controller that swings hip and knee and turns the wheel.
    pub fn cycle(&mut self) {
        self.read();
        self.answer();
        self.clock.advance().unwrap();
    }

    /// One cycle in which nobody answers.
    pub fn silent_cycle(&mut self) {
        self.read();
        self.clock.advance().unwrap();
    }

    pub fn read(&mut self) {
        self.robot.read(&mut self.readings).unwrap();
        self.robot.drain_events(&mut self.events);
    }

    pub fn answer(&mut self) {
        let phase = self.readings.time.seconds();
        self.commands.answer(&self.readings);
        self.commands.joints[HIP] = JointCommand::hold(0.3 * phase.min(1.0), 50.0, 5.0);
        self.commands.joints[KNEE] = JointCommand::hold(-0.2 * phase.min(1.0), 50.0, 5.0);
        self.commands.joints[WHEEL] = JointCommand::turn(2.0, 1.0);
        self.robot.write(&self.commands).unwrap();
    }

    /// Cycles until the robot stops; the cycle in which that was seen, or `None` within `most` cycles.
    pub fn until_stop(&mut self, most: u64) -> Option<u64> {
        (0..most).find(|_| {
            self.cycle();
            self.robot.lifecycle() == Lifecycle::Fault
        })
    }

    pub fn stop_event(&self) -> Option<&Event> {
        self.events.iter().find(|event| event.severity == robot_io::Severity::Stop)
    }
}
