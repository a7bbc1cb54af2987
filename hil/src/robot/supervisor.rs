//! Who watches the bus: every kind of trouble has one reaction, one latched cause and one way back.
//!
//! The table is in `hil/SAFETY.md`, and `tests/bus_faults.rs` carries it out.

use robot_io::{Events, JointState, Readings, RobotLayout, Severity, State};

use super::cause::{Cause, Latch};
use super::count_search::CountSearch;
use super::watched::Watched;
use crate::board::{BoardReport, Order};
use crate::bus_file::{BoardPlan, BusPlan, Reactions, StopReaction, StopRules};
use crate::exchange::Exchanged;
use crate::wire::AlState;

const STO_OPEN_WHILE_OFF: &str = "safe torque off (STO) open: the drive cannot be switched on";
const STO_CLOSED: &str = "safe torque off (STO) closed again: acknowledge the stop to go on";
const CLOCK_ASTRAY: &str = "clock far from the reference clock (0x092C); look at its cable [ns]";

/// Counts trouble, latches its causes, and says what each board is to do meanwhile.
#[derive(Clone, Debug, State)]
pub(super) struct Supervisor {
    #[state(fixed)]
    reactions: Reactions,
    /// Boards in the order of the cable.
    #[state(fixed)]
    cable: Vec<usize>,
    /// Frames lost for so many cycles let the boards' watchdogs expire.
    #[state(fixed)]
    watchdog: u64,
    /// How far a joint can really move in a cycle, with a margin [rad or m].
    #[state(fixed)]
    reach: Vec<f64>,
    /// What each board does at a stop.
    #[state(fixed)]
    rules: Vec<StopRules>,
    lost: u64,
    wrong: u64,
    #[state(elements)]
    gone: Vec<u64>,
    #[state(elements)]
    stale: Vec<u64>,
    #[state(elements)]
    jumped: Vec<u64>,
    /// Of each joint whether a reading has been accepted since the last start.
    #[state(elements)]
    known: Vec<bool>,
    /// Of each board whether its safe torque off is open, and whether its clock was told to be off.
    #[state(elements)]
    sto_open: Vec<bool>,
    #[state(elements)]
    astray: Vec<bool>,
    /// Excused boards that are absent now.
    #[state(elements)]
    away: Vec<bool>,
    #[state(elements)]
    warned: Vec<bool>,
    /// Boards that are on and hold, between a stop's acknowledgement and switching on again.
    #[state(elements)]
    holding: Vec<bool>,
    /// Boards that may be absent now.
    #[state(elements)]
    excused: Vec<bool>,
    /// Boards that did not hear from the bridge since the last start: what they say of that is no news.
    #[state(elements)]
    left_alone: Vec<bool>,
    /// Which board makes the working counter wrong.
    search: CountSearch,
    latch: Latch,
    /// Joints of the board being decoded, as they were.
    #[state(scratch)]
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
            cable: (0..boards).collect(),
            // one cycle less: a watchdog runs from the end of the last frame that came through
            watchdog: (plan.watchdog.nanoseconds() / layout.period.nanoseconds().max(1)).saturating_sub(1),
            reach: layout.joints.iter().map(|joint| reach(joint.limits.velocity)).collect(),
            lost: 0,
            wrong: 0,
            gone: vec![0; boards],
            stale: vec![0; boards],
            jumped: vec![0; joints],
            known: vec![false; joints],
            sto_open: vec![false; boards],
            astray: vec![false; boards],
            excused: plan.boards.iter().map(BoardPlan::may_leave).collect(),
            away: vec![false; boards],
            warned: vec![false; boards],
            left_alone: vec![false; boards],
            latch: Latch::new(boards),
            search: CountSearch::new(boards),
            holding: vec![false; boards],
            rules: plan.boards.iter().map(|board| board.stop).collect(),
            kept: Vec::with_capacity(joints),
        }
    }

    /// Where each board sits on the cable.
    pub fn place(&mut self, places: impl Fn(usize) -> usize) {
        self.cable.sort_by_key(|board| places(*board));
    }

    /// Why the robot is stopped, in the order in which it was found.
    pub fn causes(&self) -> impl Iterator<Item = Cause> + '_ {
        self.latch.iter()
    }

    /// One more cause, once, when it has just begun.
    pub fn take_new(&mut self) -> Option<Cause> {
        self.latch.take_new()
    }

    /// Forgets everything: somebody has looked at the causes and taken care of them.
    pub fn acknowledge(&mut self) {
        (self.lost, self.wrong) = (0, 0);
        self.search.forget();
        self.latch.clear();
        for counts in [&mut self.gone, &mut self.stale, &mut self.jumped] {
            counts.fill(0);
        }
        for flags in [&mut self.known, &mut self.warned, &mut self.astray, &mut self.left_alone, &mut self.holding] {
            flags.fill(false);
        }
    }

    /// The boards that would hold, whatever failed: they stay on when the stop is acknowledged.
    pub fn holders(&self) -> Vec<bool> {
        (0..self.rules.len()).map(|board| self.reaction(board) == StopReaction::Hold).collect()
    }

    /// These boards stay on and hold until the robot is switched on again.
    pub fn hold(&mut self, boards: Vec<bool>) {
        self.holding = boards;
    }

    /// True between an acknowledgement and switching on, for a board that has stayed on.
    pub fn held(&self, board: usize) -> bool {
        self.holding[board]
    }

    /// Whether a board may be absent from now on.
    pub fn excuse(&mut self, board: usize, excused: bool) {
        self.excused[board] = excused;
    }

    pub fn emergency_stop(&mut self) {
        self.latch.see(Cause::EmergencyStop);
    }

    pub fn check_age(&mut self, age: u64) {
        if age > self.reactions.command_age {
            self.latch.see(Cause::Overrun(age));
        }
    }

    /// What the bus file says that a board does about the causes that are there: of several reactions that with the least torque.
    fn reaction(&self, board: usize) -> StopReaction {
        let (own, all) = (&self.rules[board], &self.reactions.stop);
        let kinds = self.latch.iter().map(Cause::kind);
        kinds.filter_map(|kind| own.on(kind).or(all.on(kind))).max().unwrap_or_default()
    }

    /// What a board does while the robot is stopped. A board that has itself failed is never told to hold: what it believes
    /// of its position may be wrong. One that was out of reach goes on with what its own firmware does meanwhile.
    pub fn order(&self, board: usize) -> Order {
        let tripped =
            |cause: Cause| matches!(cause, Cause::DriveFault(tripped, _) | Cause::StoOpen(tripped) if tripped == board);
        let left_op = |cause: Cause| matches!(cause, Cause::BoardState(left, _) if left == board);
        let spoilt = self.latch.iter().any(|cause| cause.spoils(board));
        match self.reaction(board) {
            _ if self.latch.iter().any(tripped) => Order::Off,
            StopReaction::Off => Order::Off,
            StopReaction::Damp => Order::Damp,
            StopReaction::Hold if spoilt => Order::Damp,
            StopReaction::Hold if self.left_alone[board] || self.latch.iter().any(left_op) => Order::Hold,
            StopReaction::Hold => Order::Follow,
        }
    }

    /// True in the cycle in which a board answers again after it was gone for too long.
    pub fn is_back(&self, board: usize) -> bool {
        self.gone[board] > self.reactions.ride_through
    }

    /// A board whose answers are to be counted, while the working counter is wrong and nobody knows by whom.
    pub fn suspect(&mut self) -> Option<usize> {
        let open = self.wrong > 0 && self.latch.iter().any(|cause| matches!(cause, Cause::WorkingCounter(..)));
        let gone = &self.gone;
        if open { self.search.next(|board| gone[board] == 0) } else { None }
    }

    /// What came of it: the suspect's answers were counted right or wrong.
    pub fn judge(&mut self, board: usize, counts_right: bool) {
        self.search.judge(board, counts_right);
        self.search.guilty().for_each(|board| self.latch.see(Cause::WrongCount(board)));
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
        self.observe_clock(seen, events);
        if seen.exchanged.lost {
            return;
        }
        self.latch.age();
        self.observe_reach(seen);
        self.observe_states(seen);
        for (board, report) in seen.reports.iter().enumerate() {
            self.observe_sto(board, report, seen, events);
            if seen.plan.boards[board].optional {
                self.observe_optional(board, seen, events);
            }
            if !self.excused[board] && seen.exchanged.states[board].is_some() {
                self.observe_board(board, seen.exchanged.states[board], report, seen.operational);
            }
            self.observe_temperature(board, report, seen, events);
        }
        for joint in 0..self.jumped.len() {
            if self.jumped[joint] > self.reactions.ride_through {
                let board = seen.plan.boards.iter().position(|board| board.kind.joints().contains(&joint));
                self.latch.see(Cause::Jump(board.unwrap_or(0), joint));
            }
        }
        // last, so that a cause that names a board comes first
        if self.wrong > self.reactions.ride_through {
            let Exchanged { working_counter, expected, missing, .. } = *seen.exchanged;
            self.latch.see(Cause::WorkingCounter(working_counter, expected.saturating_sub(missing)));
            self.search.guilty().for_each(|board| self.latch.see(Cause::WrongCount(board)));
        }
    }

    fn observe_frames(&mut self, exchanged: &Exchanged) {
        self.lost = if exchanged.lost { self.lost + 1 } else { 0 };
        if self.lost > self.reactions.ride_through {
            self.latch.see(Cause::FramesLost(self.lost));
        }
        if self.lost >= self.watchdog {
            self.left_alone.fill(true);
        }
        if !exchanged.lost {
            // what silent boards do not count is no riddle
            let due = exchanged.expected.saturating_sub(exchanged.missing);
            self.wrong = if exchanged.working_counter == due { 0 } else { self.wrong + 1 };
            self.search.look(i64::from(due) - i64::from(exchanged.working_counter));
        }
    }

    /// Boards that do not answer: one by one, or as all those behind a cut.
    fn observe_reach(&mut self, seen: &Watched<'_>) {
        let ride_through = self.reactions.ride_through;
        for (board, state) in seen.exchanged.states.iter().enumerate() {
            let there = state.is_some() || self.excused[board];
            self.gone[board] = if there { 0 } else { self.gone[board] + 1 };
            if self.gone[board] > ride_through {
                self.left_alone[board] = true;
                seen.plan.boards[board].kind.joints().iter().for_each(|joint| self.known[*joint] = false);
            }
        }
        let (cable, gone) = (&self.cable, &self.gone);
        let is_gone = |board: usize| gone[board] > ride_through;
        let end = cable.iter().rposition(|board| !is_gone(*board)).map_or(0, |last| last + 1);
        cable[..end].iter().filter(|board| is_gone(**board)).for_each(|board| self.latch.see(Cause::BoardGone(*board)));
        // what lies behind a nearer cut is still there
        let lasts =
            |cause: &Cause| matches!(cause, Cause::CableCut(_, first, _) | Cause::BoardGone(first) if is_gone(*first));
        let hidden: Vec<Cause> = self.latch.iter().filter(lasts).collect();
        hidden.into_iter().for_each(|cause| self.latch.see(cause));
        // boards that were gone before the cut have a cause of their own
        let own = |board: &&usize| self.latch.lasts(Cause::BoardGone(**board));
        let begin = end + cable[end..].iter().take_while(own).count();
        cable[end..begin].iter().for_each(|board| self.latch.see(Cause::BoardGone(*board)));
        match cable[begin..] {
            [] => {}
            [board] => self.latch.see(Cause::BoardGone(board)),
            [first, ..] => {
                let last = begin.checked_sub(1).map(|before| cable[before]);
                self.latch.see(Cause::CableCut(last, first, cable.len() - begin));
            }
        }
    }

    /// Boards that have left OP: one by one, or nearly all at once, which has one reason for all.
    fn observe_states(&mut self, seen: &Watched<'_>) {
        let left = |board: usize| {
            let state = seen.exchanged.states[board].filter(|state| *state != AlState::Op);
            state
                .filter(|_| seen.operational && !self.left_alone[board] && !self.excused[board])
                .map(|state| (board, state))
        };
        let left: Vec<(usize, AlState)> = (0..self.gone.len()).filter_map(left).collect();
        let fresh = |board: usize, state| !self.latch.lasts(Cause::BoardState(board, state));
        let count = left.iter().filter(|(board, state)| fresh(*board, *state)).count();
        if count > 1 && 4 * count >= 3 * self.gone.len() {
            self.latch.see(Cause::BoardsLeftOp(left[0].0, count));
            left.iter().for_each(|(board, _)| self.left_alone[*board] = true);
            return;
        }
        left.into_iter().for_each(|(board, state)| self.latch.see(Cause::BoardState(board, state)));
    }

    fn observe_board(&mut self, board: usize, state: Option<AlState>, report: &BoardReport, operational: bool) {
        if report.sto_open {
            // a fault that it brings with it is no other trouble, and cannot be reset meanwhile
            if operational {
                self.latch.see(Cause::StoOpen(board));
            }
            return;
        }
        if let Some(code) = report.fault {
            self.latch.see(Cause::DriveFault(board, code));
        }
        if self.stale[board] > self.reactions.stale_after {
            self.latch.see(Cause::Stale(board));
        }
        let expected = operational && state == Some(AlState::Op) && self.order(board) != Order::Off;
        if expected && !report.following && report.fault.is_none() && !self.left_alone[board] {
            self.latch.see(Cause::DriveOff(board));
        }
    }

    /// A clock that is far from the reference clock is told once.
    fn observe_clock(&mut self, seen: &Watched<'_>, events: &mut Events) {
        let Some((board, difference)) = seen.exchanged.clock else { return };
        let limit = self.reactions.warn_clock;
        if difference.unsigned_abs() > limit && !std::mem::replace(&mut self.astray[board], true) {
            events.push(seen.note(board, Severity::Warning, CLOCK_ASTRAY).with(difference as f64, limit as f64));
        }
    }

    /// A board that may be absent stops nothing. That it has gone, or takes part again, is told.
    fn observe_optional(&mut self, board: usize, seen: &Watched<'_>, events: &mut Events) {
        let away = seen.exchanged.states[board].is_none_or(|state| state < AlState::SafeOp);
        if std::mem::replace(&mut self.away[board], away) != away {
            events.push(seen.optional_board(board, away));
        }
    }

    /// Says when a safe torque off is opened or closed while that is no cause of its own.
    fn observe_sto(&mut self, board: usize, report: &BoardReport, seen: &Watched<'_>, events: &mut Events) {
        let before = std::mem::replace(&mut self.sto_open[board], report.sto_open);
        let (severity, what) = match (before, report.sto_open) {
            (false, true) if !seen.operational => (Severity::Warning, STO_OPEN_WHILE_OFF),
            (true, false) => (Severity::Info, STO_CLOSED),
            _ => return,
        };
        events.push(seen.note(board, severity, what));
    }

    fn observe_temperature(&mut self, board: usize, report: &BoardReport, seen: &Watched<'_>, events: &mut Events) {
        let Some(temperature) = report.temperature else { return };
        let Reactions { warn_temperature, stop_temperature, .. } = self.reactions;
        if temperature >= stop_temperature {
            self.latch.see(Cause::Hot(board, temperature.clamp(0.0, 65_535.0) as u16));
        }
        if temperature >= warn_temperature && !std::mem::replace(&mut self.warned[board], true) {
            let event = seen.note(board, Severity::Warning, "winding hot [°C]");
            events.push(event.with(temperature, warn_temperature));
        }
    }
}
