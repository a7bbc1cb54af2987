//! The whole bridge over a veth pair for as long as one likes: our MainDevice on one end, all boards of a bus file on the
//! other, a controller that moves every joint. `cargo run --release -p hil --example soak BUS.toml MASTER_END BOARDS_END
//! [--period-us 1000] [--seconds 60] [--priority 80] [--master-core 0] [--server-core 1] [--server-priority 70]
//! [--robot-us 400] [--spin-master] [--spin-server]`. With `--robot-us` the boards' robot takes that long for a cycle.
//!
//! Prints histograms, frames by their fate at both ends, and how far joints were from where they had been told to be.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hil::HilError;
use hil::bus_file::BusPlan;
use hil::exchange::{Exchange, Exchanged, ProcessImage};
use hil::link::RawSocket;
use hil::main_device::{EtherCat, Statistics};
use hil::realtime::{CycleTimes, Histograms, RealtimeSetup};
use hil::robot::{EtherCatClock, EtherCatRobot, plug};
use hil::virtual_bus::VirtualBus;
use hil::virtual_bus::server::{Service, serve};
use hil::wire::{AlCode, AlState};
use robot_io::{
    Clock, Commands, DummyRobot, IoError, JointCommand, JointKind, Lifecycle, Period, Readings, RobotIo, RobotLayout,
    StateVisitor, Time,
};

mod card;

use card::{Outcome, Words};

const USAGE: &str = "expected BUS.toml MASTER_END BOARDS_END [--period-us N] [--seconds N] [--priority N] \
                     [--master-core N] [--server-core N] [--server-priority N] [--robot-us N] \
                     [--spin-master] [--spin-server]";
/// Joints swing by this much [rad or m] at half a hertz.
const SWING: f64 = 0.02;
/// Wheels and spinning sensors turn by this much [rad/s].
const TURN: f64 = 0.5;
/// A joint may be so far from its target: cycles of delay, quantisation [rad, m or rad/s].
const NEAR: f64 = 0.005;
/// So many lost cycles are told by their number.
const FIRST_LOST: usize = 24;
/// Cycles that are not counted: caches are cold, clocks find each other.
const WARM_UP: u64 = 1_000;

fn main() -> Outcome<()> {
    let mut words = Words::of_program();
    let period_us = words.option("--period-us")?;
    let seconds = words.option("--seconds")?.unwrap_or(60);
    let priority = words.option("--priority")?;
    let master = card::setup(words.option("--master-core")?, priority);
    let server_priority = words.option("--server-priority")?.or(priority);
    let server = card::setup(words.option("--server-core")?, server_priority);
    let robot_time = Duration::from_micros(words.option("--robot-us")?.unwrap_or(0));
    let (spin_master, spin_server) = (words.flag("--spin-master"), words.flag("--spin-server"));
    let [bus, near_end, far_end] = words.rest(USAGE)?;
    let (plan, layout) = card::load(&bus, period_us)?;
    let boards_end = RawSocket::open(&far_end)?.for_boards()?.spinning(spin_server);
    let stop = Arc::new(AtomicBool::new(false));
    let thread = std::thread::spawn({
        let (plan, layout, stop) = (card::load(&bus, period_us)?.0, layout.clone(), Arc::clone(&stop));
        move || serve_boards(&plan, &layout, robot_time, boards_end, server, &stop)
    });
    let link = RawSocket::open(&near_end)?.spinning(spin_master);
    let outcome = drive(link, plan, &layout, master, seconds);
    stop.store(true, Ordering::Relaxed);
    match thread.join() {
        Ok(service) => println!("boards' end: {:?}", service?),
        Err(_) => return Err("the boards' end panicked".into()),
    }
    outcome
}

/// The boards' end.
fn serve_boards(
    plan: &BusPlan,
    layout: &RobotLayout,
    robot_time: Duration,
    mut link: RawSocket,
    setup: RealtimeSetup,
    stop: &AtomicBool,
) -> Result<Service, HilError> {
    let (robot, clock) = DummyRobot::with_clock(layout.clone());
    let clock = Busy { clock, robot_time };
    let mut bus = VirtualBus::new(plan, robot, clock, Vec::new(), 0)?;
    eprintln!("boards' end:\n{}", setup.apply());
    serve(&mut bus, &mut link, layout.period, |_| !stop.load(Ordering::Relaxed))
}

/// A robot that takes its time, as a simulation does.
struct Busy<C> {
    clock: C,
    robot_time: Duration,
}

impl<C: Clock> Clock for Busy<C> {
    fn now(&self) -> Time {
        self.clock.now()
    }

    fn advance(&mut self) -> Result<Time, IoError> {
        let begin = Instant::now();
        while begin.elapsed() < self.robot_time {
            core::hint::spin_loop();
        }
        self.clock.advance()
    }
}

/// The MainDevice's end.
fn drive(link: RawSocket, plan: BusPlan, layout: &RobotLayout, setup: RealtimeSetup, seconds: u64) -> Outcome<()> {
    let plan = Arc::new(plan);
    let seen = Arc::new(Mutex::new(Statistics::default()));
    let bus = EtherCat::new(link, Arc::clone(&plan), layout.period)?;
    let (robot, clock) = plug(Box::new(Counted { bus, seen: Arc::clone(&seen) }), Arc::clone(&plan), layout);
    eprintln!("MainDevice's end:\n{}", setup.apply());
    let begin = Instant::now();
    let mut run = Run::new(robot, clock, layout)?;
    eprintln!("{} boards up in {:?}, {:?}", plan.boards.len(), begin.elapsed(), frames(&seen));
    run.cycles(WARM_UP)?;
    run.forget();
    let before = frames(&seen);
    run.cycles(seconds * 1_000_000_000 / layout.period.nanoseconds())?;
    println!("{}", run.histograms.summary());
    println!("{:?}", run.tally);
    println!("frames before the run: {before:?}");
    println!("frames after the run:  {:?}", frames(&seen));
    run.robot.transition(Lifecycle::Inactive)?;
    Ok(())
}

fn frames(seen: &Mutex<Statistics>) -> Statistics {
    seen.lock().map(|seen| *seen).unwrap_or_default()
}

/// What did not go as it should, in cycles.
#[derive(Debug, Default)]
struct Tally {
    cycles: u64,
    lost: u64,
    /// The first cycles that were lost: regular ones have a reason.
    lost_at: Vec<u64>,
    wrong_working_counter: u64,
    /// Times the robot stopped and was brought back.
    stops: u64,
    /// Cycles in which some joint was not near its target.
    astray: u64,
    /// The joint that was farthest from its target, and how far [rad, m or rad/s].
    farthest: (usize, f64),
    /// The boards' clocks from the reference clock [ns].
    clock_difference: i64,
}

struct Run {
    robot: EtherCatRobot,
    clock: EtherCatClock,
    readings: Readings,
    commands: Commands,
    middle: Vec<f64>,
    period: Period,
    histograms: Histograms,
    tally: Tally,
    began: Option<Instant>,
    cycle: u64,
}

impl Run {
    fn new(mut robot: EtherCatRobot, clock: EtherCatClock, layout: &RobotLayout) -> Outcome<Run> {
        robot.bring_up()?;
        let (mut readings, commands) = (Readings::new(layout), Commands::new(layout));
        robot.read(&mut readings)?;
        let middle = readings.joints.iter().map(|joint| joint.position).collect();
        let (period, histograms) = (layout.period, Histograms::new(layout.period)?);
        let (tally, began) = (Tally::default(), None);
        Ok(Run { robot, clock, readings, commands, middle, period, histograms, tally, began, cycle: 0 })
    }

    fn forget(&mut self) {
        self.histograms.clear();
        self.tally = Tally { lost_at: Vec::with_capacity(FIRST_LOST), ..Tally::default() };
    }

    fn cycles(&mut self, count: u64) -> Outcome<()> {
        let end = Instant::now() + Duration::from_nanos(count * self.period.nanoseconds());
        while Instant::now() < end {
            self.one_cycle()?;
        }
        Ok(())
    }

    fn one_cycle(&mut self) -> Outcome<()> {
        let begin = Instant::now();
        self.robot.read(&mut self.readings)?;
        self.look();
        self.swing();
        self.robot.write(&self.commands)?;
        let controller = begin.elapsed().as_nanos() as u64;
        self.clock.advance()?;
        self.note(controller);
        if self.robot.lifecycle() == Lifecycle::Fault {
            self.come_back()?;
        }
        Ok(())
    }

    /// Each joint near where it was told to be?
    fn look(&mut self) {
        if self.commands.cycle == 0 {
            return;
        }
        let joints = self.readings.joints.iter().zip(&self.commands.joints);
        let off = joints.map(|(joint, command)| {
            let is_held = command.stiffness > 0.0;
            if is_held { (joint.position - command.position).abs() } else { (joint.velocity - command.velocity).abs() }
        });
        let far = off.enumerate().max_by(|one, other| one.1.total_cmp(&other.1)).unwrap_or_default();
        self.tally.astray += u64::from(far.1 > NEAR);
        if far.1 > self.tally.farthest.1 {
            self.tally.farthest = far;
        }
    }

    fn swing(&mut self) {
        self.cycle += 1;
        self.commands.answer(&self.readings);
        // by cycles: the boards' robot makes one for each of ours
        let phase = core::f64::consts::PI * self.cycle as f64 * self.period.seconds();
        let ramp = (self.cycle as f64 * self.period.seconds()).min(1.0);
        let layout = self.robot.layout();
        for ((command, middle), joint) in self.commands.joints.iter_mut().zip(&self.middle).zip(&layout.joints) {
            *command = match joint.kind {
                JointKind::Continuous => JointCommand::turn(TURN, 1.0),
                _ => JointCommand::hold(middle + ramp * SWING * phase.sin(), 100.0, 1.0),
            };
        }
    }

    fn note(&mut self, controller: u64) {
        let report = self.robot.cycle_report();
        let end = Instant::now();
        let began = end - Duration::from_nanos(report.round_trip);
        let period = self.period.nanoseconds();
        let gap = self.began.replace(began).map_or(period, |last| (began - last).as_nanos() as u64);
        let (round_trip, lateness) = (report.round_trip, report.late);
        let whole = round_trip + controller;
        self.histograms.record(&CycleTimes { jitter: gap.abs_diff(period), round_trip, lateness, controller, whole });
        self.tally.cycles += 1;
        self.tally.lost += u64::from(report.lost);
        if report.lost && self.tally.lost_at.len() < FIRST_LOST {
            self.tally.lost_at.push(self.cycle);
        }
        self.tally.wrong_working_counter += u64::from(!report.lost && report.working_counter != report.expected);
        let difference = report.clock_difference.unwrap_or_default().abs();
        self.tally.clock_difference = self.tally.clock_difference.max(difference);
    }

    /// A stop is told, and ended as an operator would.
    fn come_back(&mut self) -> Outcome<()> {
        self.tally.stops += 1;
        eprintln!("cycle {}: stopped: {:?}", self.cycle, self.robot.cause());
        self.robot.transition(Lifecycle::Inactive)?;
        self.robot.transition(Lifecycle::Active)?;
        self.robot.read(&mut self.readings)?;
        self.commands = Commands::new(self.robot.layout());
        self.began = None;
        Ok(())
    }
}

/// The bus, and its frames shown to the one who prints them.
#[derive(Debug)]
struct Counted {
    bus: EtherCat<RawSocket>,
    seen: Arc<Mutex<Statistics>>,
}

impl Exchange for Counted {
    fn configure(&mut self) -> Result<(), HilError> {
        self.bus.configure()
    }

    fn request(&mut self, state: AlState) -> Result<(), HilError> {
        self.bus.request(state)
    }

    fn exchange(&mut self, image: &mut ProcessImage, report: &mut Exchanged) {
        self.bus.exchange(image, report);
        if let Ok(mut seen) = self.seen.try_lock() {
            *seen = self.bus.statistics();
        }
    }

    fn pass(&mut self, next: Time) -> Result<(), HilError> {
        self.bus.pass(next)
    }

    fn linger(&mut self) -> Result<(), HilError> {
        self.bus.linger()
    }

    fn recover(&mut self, board: usize) -> Result<(), HilError> {
        self.bus.recover(board)
    }

    fn diagnose(&mut self, board: usize) -> Option<(AlState, AlCode)> {
        self.bus.diagnose(board)
    }

    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        self.bus.visit_state(visitor);
    }
}
