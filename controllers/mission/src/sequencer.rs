//! Works a list of orders off, one after the other, and watches that each gets better.

mod left;

use navigation::Reach;
use robot_io::{Event, Events, Period, Pose2, Severity, State, Subject, Time};

use crate::order::{ActionOrder, LegOrder, Order};
use crate::plan::{OnStall, ProgressRules};
use crate::progress::{ProgressMonitor, ProgressThresholds, Remaining};
use crate::skill::{Progress, SKIPPED_AFTER_FAILURE};
pub(crate) use crate::task::{Task, View, Way};
use crate::{MissionError, SOURCE};

/// Room for steps that come in while the mission runs.
const SPARE_STEPS: usize = 64;

/// Orders, and how far they are done.
#[derive(Clone, Debug, State)]
pub struct Sequencer {
    #[state(fixed)]
    rules: ProgressRules,
    /// Its orders are no steps of a mission but an errand, whose end somebody else judges.
    #[state(fixed)]
    is_errand: bool,
    orders: Vec<Order>,
    index: usize,
    phase: Phase,
    begun: Time,
    goal_in_odom: Pose2,
    monitor: ProgressMonitor,
    left: Remaining,
    tries: u32,
    retry_at: Option<Time>,
    overdue: bool,
    beginnings: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, State)]
enum Phase {
    Ready,
    Driving,
    Acting,
}

impl Sequencer {
    /// A sequencer for `orders`.
    pub fn new(rules: ProgressRules, orders: &[Order]) -> Sequencer {
        let thresholds = ProgressThresholds {
            stall_time: Period::from_seconds(rules.stall_time),
            distance: rules.minimal_progress,
            turn: rules.minimal_turn,
        };
        let mut room = Vec::with_capacity(orders.len() + SPARE_STEPS);
        room.extend_from_slice(orders);
        Sequencer {
            rules,
            is_errand: false,
            orders: room,
            index: 0,
            phase: Phase::Ready,
            begun: Time::ZERO,
            goal_in_odom: Pose2::default(),
            monitor: ProgressMonitor::new(thresholds),
            left: Remaining::default(),
            tries: 0,
            retry_at: None,
            overdue: false,
            beginnings: 0,
        }
    }

    /// A sequencer for what somebody else wants.
    pub fn for_errand(rules: ProgressRules, orders: &[Order]) -> Sequencer {
        Sequencer { is_errand: true, ..Sequencer::new(rules, orders) }
    }

    /// The same, whose beginnings come after so many others.
    #[must_use]
    pub fn counting_from(self, beginnings: u64) -> Sequencer {
        Sequencer { beginnings, ..self }
    }

    /// Index of the step under way; the number of steps when all are done.
    pub fn index(&self) -> usize {
        self.index
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.orders.len()
    }

    /// True if all steps are done.
    pub fn is_done(&self) -> bool {
        self.index >= self.orders.len()
    }

    /// True while something is done on the spot.
    pub fn is_acting(&self) -> bool {
        self.phase == Phase::Acting
    }

    /// What is left of the action under way.
    pub fn left(&self) -> Remaining {
        self.left
    }

    /// How long there has been no progress.
    pub fn without_progress(&self, now: Time) -> Period {
        self.monitor.without_progress(now)
    }

    /// Counts beginnings: of legs, of actions, and of further tries of either.
    pub fn beginnings(&self) -> u64 {
        self.beginnings
    }

    /// The goals still to drive to, in order, in the odometry frame.
    pub fn goals_ahead(&self) -> impl Iterator<Item = &LegOrder> {
        let left = self.orders.get(self.index..).unwrap_or_default();
        let done = usize::from(self.phase == Phase::Acting);
        left.iter().skip(done).filter_map(|order| order.leg.as_ref())
    }

    /// The goal after the present leg's, if the robot is to drive on at once.
    pub fn goal_after(&self) -> Option<&LegOrder> {
        let present = self.orders.get(self.index)?;
        if present.action.is_some() {
            return None;
        }
        self.orders.get(self.index + 1)?.leg.as_ref()
    }

    /// The odometry frame has been found to lie elsewhere: what was at a pose is now at `corrected` of it. A goal that jumps away
    /// by that is not held against the action under way.
    pub fn rebase(&mut self, corrected: impl Fn(&Pose2) -> Pose2, now: Time) {
        let before = self.goal_in_odom;
        for leg in self.orders.iter_mut().filter_map(|order| order.leg.as_mut()) {
            leg.goal_in_odom = corrected(&leg.goal_in_odom);
        }
        self.goal_in_odom = corrected(&before);
        if before.distance(&self.goal_in_odom) > self.rules.minimal_progress {
            self.monitor.restart(now);
        }
    }

    /// Goes on: finishes what is finished, begins what comes next, and notices what has stalled.
    pub fn update(&mut self, view: &View, events: &mut Events) -> Task {
        while !self.is_done() {
            if self.phase == Phase::Ready {
                self.begin(view, events);
            }
            self.left = self.measure(view);
            if !self.is_finished(view) {
                return self.watch(view, events);
            }
            self.finish(view, events);
        }
        self.left = Remaining::default();
        Task::Nothing
    }

    /// Time stands still for the mission from `since` to `now`: nothing is held against the action under way.
    pub fn resume(&mut self, since: Time, now: Time) {
        let gap = now.since(since);
        self.begun = self.begun + gap;
        self.retry_at = self.retry_at.map(|at| at + gap);
        self.monitor.restart(now);
    }

    /// Gives the present step all its tries back, after a stop.
    pub fn try_again(&mut self, now: Time) {
        (self.tries, self.retry_at) = (0, None);
        self.beginnings += 1;
        self.monitor.restart(now);
    }

    /// Puts orders behind the present step, which is finished first.
    pub fn splice(&mut self, orders: &[Order]) -> Result<(), MissionError> {
        self.make_room(orders.len())?;
        let at = (self.index + usize::from(self.phase != Phase::Ready)).min(self.orders.len());
        for (offset, order) in orders.iter().enumerate() {
            self.orders.insert(at + offset, *order);
        }
        Ok(())
    }

    /// Replaces everything behind the present step, which is finished first.
    pub fn replace_rest(&mut self, orders: &[Order]) -> Result<(), MissionError> {
        self.orders.truncate(self.index + usize::from(self.phase != Phase::Ready));
        self.splice(orders)
    }

    /// Puts an order before the leg under way, which is driven afterwards; an action on the spot is finished first.
    pub fn interrupt(&mut self, order: Order) -> Result<(), MissionError> {
        if self.phase != Phase::Driving {
            return self.splice(&[order]);
        }
        self.make_room(1)?;
        self.orders.insert(self.index, order);
        self.phase = Phase::Ready;
        Ok(())
    }

    fn make_room(&self, more: usize) -> Result<(), MissionError> {
        let (expected, found) = (self.orders.capacity(), self.orders.len() + more);
        if found > expected { Err(MissionError::TooManySteps { expected, found }) } else { Ok(()) }
    }

    fn present(&self) -> Order {
        self.orders.get(self.index).copied().unwrap_or_default()
    }

    fn begin(&mut self, view: &View, events: &mut Events) {
        let order = self.present();
        (self.begun, self.tries, self.retry_at, self.overdue) = (view.now, 0, None, false);
        self.monitor.restart(view.now);
        self.beginnings += 1;
        self.phase = Phase::Acting;
        if let Some(leg) = order.leg {
            self.phase = Phase::Driving;
            self.goal_in_odom = leg.goal_from(&view.pose_in_odom);
            let distance = view.pose_in_odom.distance(&self.goal_in_odom);
            self.tell(view.now, Severity::Info, "leg begun, distance [m]", distance, f64::NAN, events);
        }
    }

    fn finish(&mut self, view: &View, events: &mut Events) {
        let was_driving = self.phase == Phase::Driving;
        if was_driving {
            let (allowed, _) = self.tolerances();
            self.tell(view.now, Severity::Info, "reached, distance [m]", self.left.distance, allowed, events);
        }
        if was_driving && self.present().action.is_some() {
            (self.phase, self.begun, self.tries, self.retry_at) = (Phase::Acting, view.now, 0, None);
            self.monitor.restart(view.now);
            self.beginnings += 1;
            return;
        }
        if !self.is_errand {
            let took = view.now.since(self.begun).seconds();
            self.tell(view.now, Severity::Info, "step done, last part took [s]", took, f64::NAN, events);
        }
        self.index += 1;
        self.phase = Phase::Ready;
    }

    fn watch(&mut self, view: &View, events: &mut Events) -> Task {
        if self.retry_at.is_some_and(|at| view.now < at) {
            return Task::Stand;
        }
        let begins_again = self.retry_at.take().is_some();
        if begins_again {
            self.beginnings += 1;
            self.monitor.restart(view.now);
        }
        self.report_overdue(view.now, events);
        if self.own_progress(view).is_some() && begins_again {
            return self.task();
        }
        if self.has_failed(view) {
            return self.try_again_or(Task::Fail, (SKIPPED_AFTER_FAILURE, f64::NAN, f64::NAN), view, events);
        }
        let stalled = match (self.finds_its_way(), view.way) {
            // no second try would find what is not there
            (true, Way::None(reach)) => return self.end_out_of_reach(view, reach, events),
            (true, Way::Stuck(distance)) => {
                self.tell(view.now, Severity::Warning, "stuck; distance left [m]", distance, f64::NAN, events);
                true
            }
            (true, _) => false,
            (false, _) if view.is_sent && self.is_skill() => {
                self.monitor.restart(view.now);
                false
            }
            (false, _) => self.monitor.is_stalled(view.now, &self.left),
        };
        if stalled { self.recover(view, events) } else { self.task() }
    }

    /// True if the present action finds its way on the map and watches its own progress.
    fn finds_its_way(&self) -> bool {
        let order = self.present();
        match self.phase {
            Phase::Driving => order.leg.is_some_and(|leg| leg.navigate),
            _ => matches!(order.action, Some(ActionOrder::Explore { .. })),
        }
    }

    fn report_overdue(&mut self, now: Time, events: &mut Events) {
        let timeout = self.present().leg.map_or(f64::INFINITY, |leg| leg.timeout);
        let elapsed = now.since(self.begun).seconds();
        if self.phase == Phase::Driving && elapsed > timeout && !self.overdue {
            self.overdue = true;
            self.tell(now, Severity::Warning, "overdue but making progress [s]", elapsed, timeout, events);
        }
    }

    /// True if the present action is one that says itself that it cannot be done.
    fn has_failed(&self, view: &View) -> bool {
        self.own_progress(view) == Some(Progress::Failed) && view.now > self.begun
    }

    /// How far the present action has got, if it says so itself.
    fn own_progress(&self, view: &View) -> Option<Progress> {
        match self.task() {
            Task::Act(ActionOrder::Skill { .. }) => Some(view.skill),
            Task::Act(ActionOrder::Motion { .. }) => Some(view.motion),
            _ => None,
        }
    }

    fn is_skill(&self) -> bool {
        matches!(self.task(), Task::Act(ActionOrder::Skill { .. }))
    }

    /// Once more after a pause, then skip or stop as the file says.
    fn recover(&mut self, view: &View, events: &mut Events) -> Task {
        let (is_way, left, allowed) = self.worst_left();
        let what = if is_way { "stalled, distance left [m]" } else { "stalled, turn left [rad]" };
        self.tell(view.now, Severity::Warning, what, left, allowed, events);
        self.try_again_or(Task::Stop, ("skipped after a stall", left, allowed), view, events)
    }

    fn try_again_or(&mut self, end: Task, skipped: (&'static str, f64, f64), view: &View, events: &mut Events) -> Task {
        if self.tries < self.rules.retries && !self.overdue {
            self.tries += 1;
            self.retry_at = Some(view.now + Period::from_seconds(self.rules.retry_pause));
            let (tries, retries) = (f64::from(self.tries), f64::from(self.rules.retries));
            self.tell(view.now, Severity::Info, "trying again", tries, retries, events);
            return Task::Stand;
        }
        if self.rules.on_stall == OnStall::Stop {
            return end;
        }
        self.tell(view.now, Severity::Error, skipped.0, skipped.1, skipped.2, events);
        self.index += 1;
        self.phase = Phase::Ready;
        Task::Stand
    }

    /// A goal out of reach ends its step at once: stopped or skipped, as the file says of a stall.
    fn end_out_of_reach(&mut self, view: &View, reach: Reach, events: &mut Events) -> Task {
        let stops = self.rules.on_stall == OnStall::Stop;
        let (severity, end) = match (self.is_errand, stops) {
            (true, _) => (Severity::Warning, ""),
            (_, true) => (Severity::Stop, "stopped: "),
            (_, false) => (Severity::Error, "skipped: "),
        };
        let event = Event::note(view.now, severity, SOURCE, "").about(self.subject());
        events.push(Event { what: format!("{end}goal out of reach: {reach}").into(), ..event });
        if stops {
            return Task::OutOfReach(reach);
        }
        self.index += 1;
        self.phase = Phase::Ready;
        Task::Stand
    }

    fn task(&self) -> Task {
        let order = self.present();
        match (self.phase, order.leg, order.action) {
            (Phase::Driving, Some(leg), _) => Task::Drive(LegOrder { goal_in_odom: self.goal_in_odom, ..leg }),
            (_, _, Some(action)) => Task::Act(action),
            _ => Task::Stand,
        }
    }

    fn tell(&self, now: Time, how: Severity, what: &'static str, value: f64, limit: f64, events: &mut Events) {
        events.push(Event::note(now, how, SOURCE, what).about(self.subject()).with(value, limit));
    }

    fn subject(&self) -> Subject {
        if self.is_errand { Subject::Robot } else { Subject::Step(self.index) }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
#[path = "sequencer_tests.rs"]
mod tests;
