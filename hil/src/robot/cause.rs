//! Why a robot on a bus is stopped, and which causes still last.

use std::borrow::Cow;

use robot_io::{CauseKind, Event, RobotLayout, Severity, State, StateVisitor, Subject, Time};

use crate::bus_file::{BusPlan, Reactions};
use crate::wire::{AlCode, AlState};

pub(super) const SOURCE: &str = "bus";

/// Why a robot on a bus was stopped. Boards are given by their place in the bus file, joints by that in the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// No frame came back for too long [cycles].
    FramesLost(u64),
    /// Frames came back with a wrong working counter for too long: found and expected.
    WorkingCounter(u16, u16),
    /// A board that takes part wrongly: it makes the working counter wrong.
    WrongCount(usize),
    /// Several boards up to the end of the cable do not answer: the last that does, if any, the first that does not, how many.
    CableCut(Option<usize>, usize, usize),
    /// A board does not answer.
    BoardGone(usize),
    /// A board left OP.
    BoardState(usize, AlState),
    /// Most boards left OP in the same cycle: one of them, and how many.
    BoardsLeftOp(usize, usize),
    /// A board's samples do not advance.
    Stale(usize),
    /// A drive has latched a fault, with its code (CiA 402 object 0x603F).
    DriveFault(usize, u16),
    /// A drive's safe torque off is open.
    StoOpen(usize),
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
    /// The board that it is about; the first of several.
    pub fn board(self) -> Option<usize> {
        match self {
            Cause::BoardGone(board)
            | Cause::CableCut(_, board, _)
            | Cause::WrongCount(board)
            | Cause::BoardState(board, _)
            | Cause::BoardsLeftOp(board, _)
            | Cause::Stale(board)
            | Cause::DriveFault(board, _)
            | Cause::StoOpen(board)
            | Cause::DriveOff(board)
            | Cause::Hot(board, _)
            | Cause::Jump(board, _) => Some(board),
            Cause::FramesLost(_) | Cause::WorkingCounter(..) | Cause::Overrun(_) | Cause::EmergencyStop => None,
        }
    }

    /// True if the board's own word on its position, or its motor, is not to be trusted.
    pub(super) fn spoils(self, board: usize) -> bool {
        let unsound = matches!(
            self,
            Cause::Stale(_) | Cause::DriveFault(..) | Cause::DriveOff(_) | Cause::Hot(..) | Cause::Jump(..)
        );
        unsound && self.board() == Some(board)
    }

    /// True where the board's own registers know more.
    pub(super) const fn asks_for_code(self) -> bool {
        matches!(self, Cause::BoardState(..) | Cause::BoardsLeftOp(..))
    }

    /// What it is to a controller and in a bus file.
    pub(super) const fn kind(self) -> CauseKind {
        match self {
            Cause::FramesLost(_) => CauseKind::FramesLost,
            Cause::WorkingCounter(..) | Cause::WrongCount(_) => CauseKind::WorkingCounter,
            Cause::CableCut(..) => CauseKind::CableCut,
            Cause::BoardGone(_) => CauseKind::BoardGone,
            Cause::BoardState(..) | Cause::BoardsLeftOp(..) => CauseKind::BoardState,
            Cause::Stale(_) => CauseKind::Stale,
            Cause::DriveFault(..) => CauseKind::DriveFault,
            Cause::StoOpen(_) => CauseKind::StoOpen,
            Cause::DriveOff(_) => CauseKind::DriveOff,
            Cause::Hot(..) => CauseKind::Hot,
            Cause::Jump(..) => CauseKind::Jump,
            Cause::Overrun(_) => CauseKind::Overrun,
            Cause::EmergencyStop => CauseKind::ControllerStop,
        }
    }

    /// The number seen and the one allowed.
    fn numbers(self, reactions: &Reactions, code: Option<AlCode>) -> (f64, f64) {
        let Reactions { ride_through, command_age, stop_temperature, .. } = *reactions;
        let code = code.map_or(0.0, |code| code.0.into());
        match self {
            Cause::FramesLost(cycles) => (cycles as f64, ride_through as f64),
            Cause::WorkingCounter(found, expected) => (found.into(), expected.into()),
            Cause::CableCut(_, _, count) => (count as f64, 0.0),
            Cause::BoardState(..) => (code, 1.0),
            Cause::BoardsLeftOp(_, count) => (code, count as f64),
            Cause::DriveFault(_, code) => (code.into(), 0.0),
            Cause::Hot(_, temperature) => (temperature.into(), stop_temperature),
            Cause::Overrun(age) => (age as f64, command_age as f64),
            _ => (0.0, 0.0),
        }
    }

    /// The same cause as a controller reads it.
    pub(super) fn told(self, plan: &BusPlan, code: Option<AlCode>) -> robot_io::Cause {
        let (kind, (value, limit)) = (self.kind(), self.numbers(&plan.reactions, code));
        let joint = match self {
            Cause::Jump(_, joint) => Some(joint),
            other => other.board().and_then(|board| plan.boards[board].kind.joints().first().copied()),
        };
        let board = match self {
            Cause::CableCut(last, ..) => last,
            other => other.board(),
        };
        robot_io::Cause { kind, board, joint, value, limit }
    }

    /// True if both are the same cause, perhaps with other numbers.
    fn is_again(self, other: Cause) -> bool {
        let joint = |cause| if let Cause::Jump(_, joint) = cause { Some(joint) } else { None };
        let kinds = core::mem::discriminant(&self) == core::mem::discriminant(&other);
        kinds && self.board() == other.board() && joint(self) == joint(other)
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
            Cause::CableCut(_, first, count) => (12, first as u64, count as u64),
            Cause::WrongCount(board) => (13, board as u64, 0),
            Cause::BoardsLeftOp(board, count) => (14, board as u64, count as u64),
            Cause::StoOpen(board) => (15, board as u64, 0),
        };
        kind << 48 | first << 16 | second
    }
}

/// The event that tells a person of a cause.
pub(super) fn event(cause: &robot_io::Cause, now: Time, layout: &RobotLayout) -> Event {
    let what = Cow::Owned(format!("stop: {}; {}", cause.describe(layout), cause.kind.remedy()));
    let event = Event { what, ..Event::note(now, Severity::Stop, SOURCE, "") };
    event.about(cause.joint.map_or(Subject::Robot, Subject::Joint))
}

/// A cause that is gone for this long has ended, and is told again if it comes back [cycles].
const ENDED_AFTER: u64 = 25;

/// The causes of a stop. Each is told once when it begins, however long it lasts and whatever else is there.
#[derive(Clone, Debug, Default)]
pub(super) struct Latch {
    causes: Vec<Latched>,
    /// What has begun and was not told yet.
    new: Vec<Cause>,
}

#[derive(Clone, Copy, Debug)]
struct Latched {
    cause: Cause,
    /// For how many cycles it has not been there.
    absent: u64,
}

impl Latch {
    /// An empty latch for a bus with so many boards.
    pub fn new(boards: usize) -> Latch {
        Latch { causes: Vec::with_capacity(2 * boards + 8), new: Vec::with_capacity(boards + 8) }
    }

    /// True if this cause was there within the last cycles.
    pub fn lasts(&self, cause: Cause) -> bool {
        self.causes.iter().any(|latched| latched.cause.is_again(cause) && latched.absent <= ENDED_AFTER)
    }

    /// All of them, in the order in which they were found.
    pub fn iter(&self) -> impl Iterator<Item = Cause> + '_ {
        self.causes.iter().map(|latched| latched.cause)
    }

    /// One more that has begun and was not told yet.
    pub fn take_new(&mut self) -> Option<Cause> {
        if self.new.is_empty() { None } else { Some(self.new.remove(0)) }
    }

    /// Somebody has looked at them.
    pub fn clear(&mut self) {
        self.causes.clear();
        self.new.clear();
    }

    /// A cause is there in this cycle.
    pub fn see(&mut self, cause: Cause) {
        match self.causes.iter_mut().find(|latched| latched.cause.is_again(cause)) {
            Some(latched) => {
                if latched.absent > ENDED_AFTER {
                    self.new.push(cause);
                }
                *latched = Latched { cause, absent: 0 };
            }
            None => {
                self.causes.push(Latched { cause, absent: 0 });
                self.new.push(cause);
            }
        }
    }

    /// A cycle has been looked at: what was not seen in it is absent for one more.
    pub fn age(&mut self) {
        self.causes.iter_mut().for_each(|latched| latched.absent = latched.absent.saturating_add(1));
    }
}

impl State for Latch {
    /// Shown and not taken back: a bus is never restored.
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let mut count = self.causes.len();
        count.visit_state(visitor);
        for Latched { cause, absent } in &mut self.causes {
            cause.word().visit_state(visitor);
            absent.visit_state(visitor);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_told_once_while_it_lasts_and_again_when_it_comes_back() {
        let mut latch = Latch::new(4);
        let mut cycle = |seen: &[Cause]| {
            latch.age();
            seen.iter().for_each(|cause| latch.see(*cause));
            std::iter::from_fn(|| latch.take_new()).count()
        };
        let (cut, fault) = (Cause::CableCut(Some(1), 2, 5), Cause::DriveFault(0, 0x2310));
        assert_eq!(cycle(&[cut, fault]), 2, "several at once");
        assert_eq!((0..100).map(|_| cycle(&[cut])).sum::<usize>(), 0);
        assert_eq!(cycle(&[cut, Cause::DriveFault(0, 0x3210)]), 1, "it was gone in between");
        assert_eq!(cycle(&[Cause::CableCut(Some(0), 1, 6), cut]), 1, "a second cut");
        (0..5).for_each(|_| assert_eq!(cycle(&[]), 0));
        assert_eq!(cycle(&[cut]), 0, "a moment's absence is not the end of it");
        assert_eq!(latch.iter().next(), Some(cut));
        assert_eq!(latch.iter().count(), 3);
    }
}
