//! One bus cycle: orders and commands to outputs, the exchange, inputs to readings, supervision.

use std::sync::Arc;

use robot_io::{Commands, Events, IoError, JointStatus, Lifecycle, Readings, RobotLayout, State, StateVisitor, Time};

use super::cause;
use super::commands::Accepted;
use super::following::FollowWatch;
use super::supervisor::Supervisor;
use super::watched::Watched;
use crate::board::{BoardDriver, BoardReport, Order};
use crate::bus_file::BusPlan;
use crate::exchange::Statistics;
use crate::exchange::{Exchange, Exchanged, ProcessImage};

/// Everything that robot and clock share.
#[derive(Debug)]
pub(super) struct Bus {
    pub exchange: Box<dyn Exchange>,
    pub plan: Arc<BusPlan>,
    pub layout: RobotLayout,
    pub lifecycle: Lifecycle,
    pub drivers: Vec<Box<dyn BoardDriver>>,
    pub reports: Vec<BoardReport>,
    pub image: ProcessImage,
    pub exchanged: Exchanged,
    pub readings: Readings,
    pub commands: Accepted,
    pub supervisor: Supervisor,
    following: FollowWatch,
    pub cycle: u64,
    pub now: Time,
    pub events: Events,
}

/// What a cycle was like on the bus, for histograms and logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CycleReport {
    /// The frame did not come back in time.
    pub lost: bool,
    /// The working counter.
    pub working_counter: u16,
    /// The working counter if all is well.
    pub expected: u16,
    /// How far the boards' clocks are from the reference clock [ns].
    pub clock_difference: Option<i64>,
    /// The board whose clock was asked, by its place in the bus file from 0, and how far it is off [ns].
    pub clock: Option<(usize, i64)>,
    /// Time from sending to the last answer [ns].
    pub round_trip: u64,
    /// How late the cycle began [ns].
    pub late: u64,
    /// Frames by their fate, from the beginning.
    pub frames: Statistics,
}

impl Bus {
    pub fn new(exchange: Box<dyn Exchange>, plan: Arc<BusPlan>, layout: RobotLayout) -> Bus {
        let bytes = |count: usize| vec![0_u8; count];
        let maps = || plan.boards.iter().map(|board| board.kind.pdo_map());
        let image = ProcessImage {
            outputs: maps().map(|map| bytes(map.output_bytes())).collect(),
            inputs: maps().map(|map| bytes(map.input_bytes())).collect(),
        };
        let boards = plan.boards.len();
        Bus {
            drivers: plan.boards.iter().map(|board| board.kind.driver()).collect(),
            reports: vec![BoardReport::default(); boards],
            exchanged: Exchanged { states: vec![None; boards], ..Exchanged::default() },
            readings: Readings::new(&layout),
            commands: Accepted::new(&layout),
            supervisor: Supervisor::new(&plan, &layout),
            following: FollowWatch::new(boards, layout.period, plan.reactions.ride_through),
            image,
            exchange,
            plan,
            layout,
            lifecycle: Lifecycle::default(),
            cycle: 0,
            now: Time::ZERO,
            events: Events::with_capacity(64),
        }
    }

    pub fn read(&self, readings: &mut Readings) -> Result<(), IoError> {
        if !self.lifecycle.can_read() {
            return Err(IoError::NotReadable { state: self.lifecycle });
        }
        readings.check(&self.layout)?;
        // what the operator does is the session's to fill in
        let operator = readings.operator;
        readings.copy_from(&self.readings);
        readings.operator = operator;
        readings.status.lifecycle = self.lifecycle;
        Ok(())
    }

    pub fn write(&mut self, commands: &Commands) -> Result<(), IoError> {
        commands.check(&self.layout)?;
        if self.lifecycle == Lifecycle::Active {
            self.commands.accept(commands, &self.layout, self.cycle);
            if commands.emergency_stop {
                self.supervisor.emergency_stop();
                self.react();
            }
        }
        Ok(())
    }

    /// Ends the cycle: the answer goes out, time passes, new inputs come in.
    pub fn advance(&mut self) -> Result<Time, IoError> {
        let next = self.now + self.layout.period;
        if self.lifecycle.can_read() {
            self.check_answer();
            self.encode();
            self.exchange.pass(next)?;
            (self.now, self.cycle) = (next, self.cycle + 1);
            self.exchange.exchange(&mut self.image, &mut self.exchanged);
            self.decode();
            self.supervise();
        } else {
            self.exchange.pass(next)?;
            (self.now, self.cycle) = (next, self.cycle + 1);
        }
        Ok(self.now)
    }

    pub fn cycle_report(&self) -> CycleReport {
        let Exchanged { lost, working_counter, expected, clock_difference, clock, round_trip, late, .. } =
            self.exchanged;
        let frames = self.exchange.statistics();
        CycleReport { lost, working_counter, expected, clock_difference, clock, round_trip, late, frames }
    }

    /// A controller that has stopped answering, or answers too late.
    fn check_answer(&mut self) {
        if self.lifecycle == Lifecycle::Active {
            self.supervisor.check_age(self.commands.age(self.cycle));
            self.react();
        }
    }

    /// Turns orders and commands into outputs.
    pub fn encode(&mut self) {
        let commands = self.commands.current();
        for (board, driver) in self.drivers.iter_mut().enumerate() {
            let order = match self.lifecycle {
                Lifecycle::Active => Order::Follow,
                Lifecycle::Fault => self.supervisor.order(board),
                Lifecycle::Inactive if self.supervisor.held(board) => Order::Follow,
                _ => Order::Off,
            };
            driver.encode(order, commands, &self.image.inputs[board], &mut self.image.outputs[board]);
        }
    }

    /// Takes over the inputs of the boards that answered. A board that did not keeps its readings with their old stamps.
    pub fn decode(&mut self) {
        (self.readings.cycle, self.readings.time) = (self.cycle, self.now);
        if self.exchanged.lost {
            return;
        }
        for (board, driver) in self.drivers.iter_mut().enumerate() {
            if self.exchanged.states[board].is_none() {
                continue;
            }
            let kind = &self.plan.boards[board].kind;
            let back = self.supervisor.is_back(board);
            self.supervisor.keep(kind.joints(), &self.readings);
            let report = driver.decode(&self.image.inputs[board], self.now, &mut self.readings);
            let fresh = report.sample.is_none() || report.sample != self.reports[board].sample;
            self.supervisor.settle(board, kind.joints(), fresh, &mut self.readings);
            self.reports[board] = report;
            if back && self.lifecycle == Lifecycle::Fault {
                // it was out of reach, and holds where it is now
                self.commands.freeze(kind.joints(), &self.readings);
            }
        }
    }

    /// Whether a board may be absent from now on, and whether it is: nobody knows of its joints then.
    pub fn excuse(&mut self, board: usize, absent: bool) {
        let plan = &self.plan.boards[board];
        self.supervisor.excuse(board, plan.may_leave() || plan.optional && absent);
        for joint in plan.kind.joints().iter().filter(|_| absent) {
            self.readings.joints[*joint].status = JointStatus::ABSENT;
        }
    }

    /// Somebody has looked at the causes of a stop and taken care of them, or it is a new start.
    pub fn forget_causes(&mut self) {
        self.supervisor.acknowledge();
        self.readings.status.causes.clear();
    }

    /// Looks at what came back and stops the robot where it must be stopped.
    fn supervise(&mut self) {
        let operational = self.lifecycle == Lifecycle::Active;
        let watched = Watched {
            exchanged: &self.exchanged,
            reports: &self.reports,
            operational: matches!(self.lifecycle, Lifecycle::Active | Lifecycle::Fault),
            now: self.now,
            plan: &self.plan,
            layout: &self.layout,
        };
        self.supervisor.observe(&watched, &mut self.events);
        if !self.exchanged.lost {
            self.following.observe(&self.reports, operational, self.now, &self.plan, &mut self.events);
        }
        if let Some(board) = self.supervisor.suspect()
            && let Some(right) = self.exchange.counts_right(board)
        {
            self.supervisor.judge(board, right);
        }
        self.react();
    }

    /// What was found becomes an event, each cause once; at the moment of the stop targets are frozen.
    fn react(&mut self) {
        while let Some(cause) = self.supervisor.take_new() {
            let code = cause.board().filter(|_| cause.asks_for_code());
            let code = code.and_then(|board| self.exchange.diagnose(board)).map(|(_, code)| code);
            let told = cause.told(&self.plan, code);
            self.events.push(cause::event(&told, self.now, &self.layout));
            self.readings.status.causes.add(told);
            if self.lifecycle == Lifecycle::Active {
                self.lifecycle = Lifecycle::Fault;
                let all: Vec<usize> = (0..self.layout.joints.len()).collect();
                self.commands.freeze(&all, &self.readings);
            }
        }
    }
}

impl State for Bus {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let mut lifecycle = self.lifecycle as u64;
        visitor.field("lifecycle", &mut lifecycle);
        visitor.field("cycle", &mut self.cycle);
        visitor.field("now", &mut self.now);
        for bytes in self.image.outputs.iter_mut().chain(&mut self.image.inputs) {
            visit_bytes(bytes, visitor);
        }
        self.drivers.iter_mut().for_each(|driver| driver.visit_state(visitor));
        visitor.field("readings", &mut self.readings);
        visitor.field("commands", &mut self.commands);
        visitor.field("supervisor", &mut self.supervisor);
        visitor.field("following", &mut self.following);
    }
}

/// Bytes as words of eight.
fn visit_bytes(bytes: &mut [u8], visitor: &mut dyn StateVisitor) {
    for chunk in bytes.chunks_mut(8) {
        let mut word = chunk.iter().rev().fold(0_u64, |word, byte| word << 8 | u64::from(*byte));
        visitor.word(&mut word);
        chunk.iter_mut().zip(word.to_le_bytes()).for_each(|(byte, new)| *byte = new);
    }
}
