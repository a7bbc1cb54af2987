//! Who watches the bus: every kind of trouble has one reaction, one latched cause and one way back.
//!
//! The table is in `hil/SAFETY.md`, and `tests/bus_faults.rs` carries it out.

use std::borrow::Cow;

use robot_io::{Event, Events, JointState, Readings, RobotLayout, Severity, State, StateVisitor, Subject, Time};

use crate::board::{BoardReport, Order};
use crate::bus_file::{BusPlan, Reactions, StopReaction};
use crate::exchange::Exchanged;
use crate::wire::{AlCode, AlState};

const SOURCE: &str = "bus";

/// Why a robot on a bus was stopped. Boards are given by their place in the bus file, joints by that in the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// No frame came back for too long [cycles].
    FramesLost(u64),
    /// Frames came back with a short working counter for too long: found and expected.
    WorkingCounter(u16, u16),
    /// A board does not answer.
    BoardGone(usize),
    /// A board left OP.
    BoardState(usize, AlState),
    /// A board's samples do not advance.
    Stale(usize),
    /// A drive has latched a fault, with its code (CiA 402 object 0x603F).
    DriveFault(usize, u16),
    /// A drive fell out of "operation enabled" without a fault.
    DriveOff(usize),
    /// A winding is too hot, in whole degrees [°C].
    Hot(usize, u16),
    /// A joint's position has jumped: board and joint.
    Jump(usize, usize),
    /// The controller's answers stopped or came too late [cycles].
    Overrun(u64),
    /// The controller asked for an emergency stop.
    EmergencyStop,
}

impl Cause {
    /// The board that it is about.
    pub fn board(self) -> Option<usize> {
        match self {
            Cause::BoardGone(board)
            | Cause::BoardState(board, _)
            | Cause::Stale(board)
            | Cause::DriveFault(board, _)
            | Cause::DriveOff(board)
            | Cause::Hot(board, _)
            | Cause::Jump(board, _) => Some(board),
            Cause::FramesLost(_) | Cause::WorkingCounter(..) | Cause::Overrun(_) | Cause::EmergencyStop => None,
        }
    }

    /// The cause as one word, for the digest: its kind, and its two numbers.
    fn word(self) -> u64 {
        let (kind, first, second) = match self {
            Cause::FramesLost(cycles) => (1, cycles, 0),
            Cause::WorkingCounter(found, expected) => (2, found.into(), expected.into()),
            Cause::BoardGone(board) => (3, board as u64, 0),
            Cause::BoardState(board, state) => (4, board as u64, state as u64),
            Cause::Stale(board) => (5, board as u64, 0),
            Cause::DriveFault(board, code) => (6, board as u64, code.into()),
            Cause::DriveOff(board) => (7, board as u64, 0),
            Cause::Hot(board, temperature) => (8, board as u64, temperature.into()),
            Cause::Jump(board, joint) => (9, board as u64, joint as u64),
            Cause::Overrun(age) => (10, age, 0),
            Cause::EmergencyStop => (11, 0, 0),
        };
        kind << 48 | first << 16 | second
    }

    /// What happened, with the meaning of the two numbers.
    pub const fn text(self) -> &'static str {
        match self {
            Cause::FramesLost(_) => "stop: frames lost; in a row and ridden through [cycles]",
            Cause::WorkingCounter(..) => "stop: working counter short; found and expected",
            Cause::BoardGone(_) => "stop: board does not answer; its place on the cable",
            Cause::BoardState(..) => "stop: board left OP; AL status code [hex]",
            Cause::Stale(_) => "stop: board's samples do not advance; its place on the cable",
            Cause::DriveFault(..) => "stop: drive fault; error code [hex]",
            Cause::DriveOff(_) => "stop: drive no longer follows; its place on the cable",
            Cause::Hot(..) => "stop: winding too hot [°C]",
            Cause::Jump(..) => "stop: encoder jumped; place of its board on the cable",
            Cause::Overrun(_) => "stop: controller overrun; age of its commands and limit [cycles]",
            Cause::EmergencyStop => "stop: the controller asked for an emergency stop",
        }
    }

    /// True where the board's own registers know more.
    pub(super) const fn asks_for_code(self) -> bool {
        matches!(self, Cause::BoardState(..))
    }

    pub(super) fn event(self, now: Time, plan: &BusPlan, code: Option<AlCode>) -> Event {
        let place = |board: usize| (1 + board) as f64;
        let Reactions { ride_through, command_age, stop_temperature, .. } = plan.reactions;
        let (value, limit) = match self {
            Cause::FramesLost(cycles) => (cycles as f64, ride_through as f64),
            Cause::WorkingCounter(found, expected) => (f64::from(found), f64::from(expected)),
            Cause::BoardGone(board) | Cause::Stale(board) | Cause::DriveOff(board) | Cause::Jump(board, _) => {
                (place(board), f64::NAN)
            }
            Cause::BoardState(..) => (code.map_or(f64::NAN, |code| f64::from(code.0)), f64::NAN),
            Cause::DriveFault(_, code) => (f64::from(code), f64::NAN),
            Cause::Hot(_, temperature) => (f64::from(temperature), stop_temperature),
            Cause::Overrun(age) => (age as f64, command_age as f64),
            Cause::EmergencyStop => (f64::NAN, f64::NAN),
        };
        let joint = match self {
            Cause::Jump(_, joint) => Some(joint),
            other => other.board().and_then(|board| plan.boards[board].kind.joints().first().copied()),
        };
        let subject = joint.map_or(Subject::Robot, Subject::Joint);
        Event { what: Cow::Borrowed(self.text()), ..Event::note(now, Severity::Stop, SOURCE, "") }
            .about(subject)
            .with(value, limit)
    }
}

/// What the supervisor looks at after each exchange.
#[derive(Debug)]
pub(super) struct Watched<'a> {
    pub exchanged: &'a Exchanged,
    pub reports: &'a [BoardReport],
    /// All boards should be in OP and follow.
    pub operational: bool,
    pub now: Time,
    pub plan: &'a BusPlan,
}

/// Counts trouble, latches the first cause, and says what each board is to do meanwhile.
#[derive(Clone, Debug)]
pub(super) struct Supervisor {
    reactions: Reactions,
    /// How far a joint can really move in a cycle, with a margin [rad or m].
    reach: Vec<f64>,
    lost: u64,
    short: u64,
    gone: Vec<u64>,
    stale: Vec<u64>,
    jumped: Vec<u64>,
    /// Of each joint whether a reading has been accepted since the last start.
    known: Vec<bool>,
    warned: Vec<bool>,
    cause: Option<Cause>,
    is_new: bool,
    /// Drives are on and hold, between a stop's acknowledgement and switching on again.
    holding: bool,
    /// Joints of the board being decoded, as they were.
    kept: Vec<JointState>,
}

/// What a jump is measured from beside the velocity limit: a count of the coarsest encoder and then some [rad].
const JUMP_MARGIN: f64 = 0.02;

impl Supervisor {
    pub fn new(plan: &BusPlan, layout: &RobotLayout) -> Supervisor {
        let (boards, joints) = (plan.boards.len(), layout.joints.len());
        let period = layout.period.seconds();
        let reach = |limit: f64| plan.reactions.jump_factor * limit * period + JUMP_MARGIN;
        Supervisor {
            reactions: plan.reactions,
            reach: layout.joints.iter().map(|joint| reach(joint.limits.velocity)).collect(),
            lost: 0,
            short: 0,
            gone: vec![0; boards],
            stale: vec![0; boards],
            jumped: vec![0; joints],
            known: vec![false; joints],
            warned: vec![false; boards],
            cause: None,
            is_new: false,
            holding: false,
            kept: Vec::with_capacity(joints),
        }
    }

    /// Why the robot is stopped.
    pub fn cause(&self) -> Option<Cause> {
        self.cause
    }

    /// The cause, once, when it has just been latched.
    pub fn take_new(&mut self) -> Option<Cause> {
        if std::mem::take(&mut self.is_new) { self.cause } else { None }
    }

    /// Forgets everything: somebody has looked at the cause and taken care of it.
    pub fn acknowledge(&mut self) {
        (self.lost, self.short, self.cause) = (0, 0, None);
        (self.is_new, self.holding) = (false, false);
        for counts in [&mut self.gone, &mut self.stale, &mut self.jumped] {
            counts.fill(0);
        }
        self.known.fill(false);
        self.warned.fill(false);
    }

    /// Drives stay on and hold until the robot is switched on again.
    pub fn hold(&mut self) {
        self.holding = self.reactions.stop == StopReaction::Hold;
    }

    /// True between an acknowledgement and switching on, if drives have stayed on.
    pub fn held(&self) -> bool {
        self.holding
    }

    pub fn emergency_stop(&mut self) {
        self.latch(Cause::EmergencyStop);
    }

    pub fn check_age(&mut self, age: u64) {
        if age > self.reactions.command_age {
            self.latch(Cause::Overrun(age));
        }
    }

    /// What a board does while the robot is stopped. A board that has itself failed is never told to hold: what it believes
    /// of its position may be wrong.
    pub fn order(&self, board: usize) -> Order {
        let culprit = self.cause.filter(|cause| cause.board() == Some(board));
        match (culprit, self.reactions.stop) {
            (Some(Cause::DriveFault(..)), _) | (_, StopReaction::Off) => Order::Off,
            (Some(_), _) | (None, StopReaction::Damp) => Order::Damp,
            (None, StopReaction::Hold) => Order::Follow,
        }
    }

    /// Before a board's inputs are decoded: remembers its joints.
    pub fn keep(&mut self, joints: &[usize], readings: &Readings) {
        self.kept.clear();
        self.kept.extend(joints.iter().map(|joint| readings.joints[*joint]));
    }

    /// After they are decoded: old samples keep their stamps, and a position that cannot be is not believed.
    pub fn settle(&mut self, board: usize, joints: &[usize], fresh: bool, readings: &mut Readings) {
        self.stale[board] = if fresh { 0 } else { self.stale[board] + 1 };
        for (joint, kept) in joints.iter().copied().zip(&self.kept) {
            let reading = &mut readings.joints[joint];
            if !fresh {
                reading.stamp = kept.stamp;
                continue;
            }
            let cycles = 1.0 + self.jumped[joint] as f64;
            let jumped = self.known[joint] && (reading.position - kept.position).abs() > cycles * self.reach[joint];
            self.jumped[joint] = if jumped { self.jumped[joint] + 1 } else { 0 };
            self.known[joint] = true;
            if jumped {
                *reading = *kept;
            }
        }
    }

    /// Looks at one cycle.
    pub fn observe(&mut self, seen: &Watched<'_>, events: &mut Events) {
        self.observe_frames(seen.exchanged);
        if seen.exchanged.lost {
            return;
        }
        for (board, report) in seen.reports.iter().enumerate() {
            self.observe_board(board, seen.exchanged.states[board], report, seen.operational);
            self.observe_temperature(board, report, seen, events);
        }
        let jumped = |(_, count): &(usize, &u64)| **count > self.reactions.ride_through;
        if let Some((joint, _)) = self.jumped.iter().enumerate().find(jumped) {
            let board = seen.plan.boards.iter().position(|board| board.kind.joints().contains(&joint));
            self.latch(Cause::Jump(board.unwrap_or(0), joint));
        }
        // last, so that a cause that names a board comes first
        if self.short > self.reactions.ride_through {
            self.latch(Cause::WorkingCounter(seen.exchanged.working_counter, seen.exchanged.expected));
        }
    }

    fn observe_frames(&mut self, exchanged: &Exchanged) {
        self.lost = if exchanged.lost { self.lost + 1 } else { 0 };
        if self.lost > self.reactions.ride_through {
            self.latch(Cause::FramesLost(self.lost));
        }
        if !exchanged.lost {
            self.short = if exchanged.working_counter == exchanged.expected { 0 } else { self.short + 1 };
        }
    }

    fn observe_board(&mut self, board: usize, state: Option<AlState>, report: &BoardReport, operational: bool) {
        let Reactions { ride_through, stale_after, .. } = self.reactions;
        let Some(state) = state else {
            self.gone[board] += 1;
            if self.gone[board] > ride_through {
                self.latch(Cause::BoardGone(board));
            }
            return;
        };
        self.gone[board] = 0;
        if let Some(code) = report.fault {
            self.latch(Cause::DriveFault(board, code));
        } else if operational && state != AlState::Op {
            self.latch(Cause::BoardState(board, state));
        } else if self.stale[board] > stale_after {
            self.latch(Cause::Stale(board));
        } else if operational && !report.following {
            self.latch(Cause::DriveOff(board));
        }
    }

    fn observe_temperature(&mut self, board: usize, report: &BoardReport, seen: &Watched<'_>, events: &mut Events) {
        let Some(temperature) = report.temperature else { return };
        let Reactions { warn_temperature, stop_temperature, .. } = self.reactions;
        if temperature >= stop_temperature {
            self.latch(Cause::Hot(board, temperature.clamp(0.0, 65_535.0) as u16));
        }
        if temperature >= warn_temperature && !self.warned[board] {
            self.warned[board] = true;
            let joint = seen.plan.boards[board].kind.joints().first();
            let subject = joint.map_or(Subject::Robot, |joint| Subject::Joint(*joint));
            let event = Event::note(seen.now, Severity::Warning, SOURCE, "winding hot [°C]").about(subject);
            events.push(event.with(temperature, warn_temperature));
        }
    }

    /// Keeps the first cause.
    fn latch(&mut self, cause: Cause) {
        if self.cause.is_none() {
            (self.cause, self.is_new) = (Some(cause), true);
        }
    }
}

impl State for Supervisor {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("lost", &mut self.lost);
        visitor.field("short", &mut self.short);
        visitor.field("gone", self.gone.as_mut_slice());
        visitor.field("stale", self.stale.as_mut_slice());
        visitor.field("jumped", self.jumped.as_mut_slice());
        visitor.field("known", self.known.as_mut_slice());
        visitor.field("warned", self.warned.as_mut_slice());
        visitor.field("holding", &mut self.holding);
        // shown and not taken back: a bus is never restored
        let mut cause = self.cause.map_or(0, Cause::word);
        visitor.field("cause", &mut cause);
    }
}
