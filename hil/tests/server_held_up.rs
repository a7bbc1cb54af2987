//! `one_lost_frame` and `late_frame` of SAFETY.md hold through a server that is held up now and then, as programs on an
//! ordinary kernel are: 3 ms in every 120, at a cycle of 4 ms. No clock is read: the server's pace and the boards run on
//! times that this test makes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::collections::VecDeque;
use std::sync::Arc;

use hil::HilError;
use hil::bus_file::BusPlan;
use hil::link::Link;
use hil::main_device::EtherCat;
use hil::robot::{Cause, EtherCatClock, EtherCatRobot, plug};
use hil::virtual_bus::pace::Pace;
use hil::virtual_bus::{Fate, VirtualBus};
use robot_io::{
    Clock, Commands, DummyClock, DummyRobot, JointCommand, Lifecycle, Period, Readings, RobotIo, RobotLayout, Time,
};

const MS: u64 = 1_000_000;
const PERIOD: Period = Period::from_milliseconds(4);

/// When the server is held up.
#[derive(Clone, Copy, Debug)]
struct HoldUp {
    every: u64,
    lasts: u64,
    /// When in it.
    phase: u64,
    /// Whether the last process data before that gets lost on the way.
    loses: bool,
}

/// The server of `hil::virtual_bus::server` on a time line of its own.
#[derive(Debug)]
struct Server {
    bus: VirtualBus<DummyRobot, DummyClock>,
    pace: Pace,
    now: u64,
    held_up: HoldUp,
    waiting: VecDeque<Vec<u8>>,
    back: VecDeque<Vec<u8>>,
}

impl Server {
    /// How long ago the last hold-up began.
    fn since(&self) -> u64 {
        (self.now + self.held_up.every - self.held_up.phase) % self.held_up.every
    }

    fn is_held_up(&self) -> bool {
        self.now > self.held_up.every && self.since() < self.held_up.lasts
    }

    fn answer(&mut self, mut frame: Vec<u8>) {
        self.bus.run_to(self.now);
        if self.bus.carry(&mut frame) == Fate::Back {
            self.pace.frame(self.now, is_process_data(&frame));
            self.back.push_back(frame);
        }
    }

    /// Goes on to `end`, or to where something else begins.
    fn step(&mut self, end: u64) {
        if self.is_held_up() {
            self.now = end.min(self.now + self.held_up.lasts - self.since());
            if !self.is_held_up() {
                let waiting = std::mem::take(&mut self.waiting);
                waiting.into_iter().for_each(|frame| self.answer(frame));
            }
            return;
        }
        self.bus.run_to(self.now);
        if !self.bus.is_in_use() {
            self.pace.rest(self.now);
        } else if self.pace.is_due(self.now) {
            self.pace.make(self.now);
            self.bus.tick().unwrap();
        }
        let held_up_at = self.now + self.held_up.every - self.since();
        self.now = self.pace.next(self.now).max(self.now + 1).min(end).min(held_up_at);
    }
}

impl Link for Server {
    fn send(&mut self, frame: &[u8]) -> Result<(), HilError> {
        let HoldUp { every, loses, .. } = self.held_up;
        let is_last = self.now > every && self.since() >= every - PERIOD.nanoseconds();
        match frame.to_vec() {
            frame if loses && is_last && is_process_data(&frame) => {}
            frame if self.is_held_up() => self.waiting.push_back(frame),
            frame => self.answer(frame),
        }
        Ok(())
    }

    fn receive(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, HilError> {
        let Some(frame) = self.back.pop_front() else { return Ok(None) };
        buffer[..frame.len()].copy_from_slice(&frame);
        Ok(Some(frame.len()))
    }

    fn is_lock_step(&self) -> bool {
        true
    }

    fn pass(&mut self, next: Time) -> Result<(), HilError> {
        while self.now < next.nanoseconds() {
            self.step(next.nanoseconds());
        }
        Ok(())
    }
}

/// The first or, behind the clock's, the second datagram is logical.
fn is_process_data(frame: &[u8]) -> bool {
    [16, 36].iter().any(|at| frame.get(*at).is_some_and(|command| (10..=12).contains(command)))
}

/// A controller's end of such a server.
fn bench(held_up: HoldUp) -> (EtherCatRobot, EtherCatClock, RobotLayout) {
    let layout = RobotLayout { period: PERIOD, ..RobotLayout::example() };
    let plan = Arc::new(BusPlan::parse(support::BUS, "bus.toml", &layout).unwrap());
    let (robot, clock) = DummyRobot::with_clock(layout.clone());
    let bus = VirtualBus::new(&plan, robot, clock, Vec::new(), 1).unwrap();
    let (waiting, back) = (VecDeque::new(), VecDeque::new());
    let server = Server { bus, pace: Pace::new(PERIOD, 0), now: 0, held_up, waiting, back };
    let (mut robot, clock) = plug(Box::new(EtherCat::new(server, plan.clone(), PERIOD).unwrap()), plan, &layout);
    robot.bring_up().unwrap();
    (robot, clock, layout)
}

/// Swings a joint at its highest speed for 3 s; how many cycles were lost.
fn swing(phase: u64, loses: bool) -> u64 {
    let (mut robot, mut clock, layout) = bench(HoldUp { every: 120 * MS, lasts: 3 * MS, phase, loses });
    let (mut readings, mut commands, mut lost) = (Readings::new(&layout), Commands::new(&layout), 0);
    for cycle in 0..750 {
        robot.read(&mut readings).unwrap();
        commands.answer(&readings);
        let end = if cycle / 90 % 2 == 0 { 0.9 } else { -0.9 };
        commands.joints[support::HIP] = JointCommand::hold(end, 50.0, 5.0);
        robot.write(&commands).unwrap();
        clock.advance().unwrap();
        lost += u64::from(robot.cycle_report().lost);
        let held = (robot.lifecycle(), robot.cause());
        assert_eq!(held, (Lifecycle::Active, None), "phase {phase} ns, cycle {cycle}, {lost} lost");
    }
    lost
}

#[test]
fn late_frame_through_a_server_that_is_held_up() {
    let lost: u64 = (0..8).map(|step| swing(step * MS / 2, false)).sum();
    assert!(lost > 50, "frames did come late: {lost}");
}

#[test]
fn one_lost_frame_through_a_server_that_is_held_up() {
    let lost: u64 = (0..8).map(|step| swing(step * MS / 2, true)).sum();
    assert!(lost > 150, "frames were lost: {lost}");
}

/// 60 ms in which nothing reaches the boards, whose watchdogs last 20: they leave OP as real ones do, the bridge stops and says
/// so, the robot's time goes on, and an acknowledgement brings everything back.
#[test]
fn a_server_that_is_held_up_for_longer_than_the_watchdog() {
    let (mut robot, mut clock, layout) = bench(HoldUp { every: 2_000 * MS, lasts: 60 * MS, phase: 0, loses: false });
    let (mut readings, mut commands) = (Readings::new(&layout), Commands::new(&layout));
    let mut cycles = |robot: &mut EtherCatRobot, count: usize| {
        for _ in 0..count {
            robot.read(&mut readings).unwrap();
            commands.answer(&readings);
            commands.joints[support::HIP] = JointCommand::hold(0.2, 50.0, 5.0);
            robot.write(&commands).unwrap();
            clock.advance().unwrap();
        }
        (readings.time, readings.joints[support::HIP].stamp)
    };
    cycles(&mut robot, 490);
    assert_eq!(robot.lifecycle(), Lifecycle::Active);
    let (now, stamp) = cycles(&mut robot, 60);
    assert_eq!(robot.lifecycle(), Lifecycle::Fault);
    assert!(matches!(robot.cause(), Some(Cause::FramesLost(_))), "{:?}", robot.causes());
    let old = now.since(stamp).seconds();
    assert!(old < 0.02, "the boards go on measuring in SAFE-OP, because the robot's time goes on: {old} s");
    for to in [Lifecycle::Inactive, Lifecycle::Active] {
        robot.transition(to).unwrap();
    }
    cycles(&mut robot, 100);
    assert_eq!((robot.lifecycle(), robot.cause()), (Lifecycle::Active, None));
}
