//! What checks and metrics have seen of a run so far.

use robot_io::{Event, IoError, RobotLayout, Time};

use crate::checks::{Check, Metric, MissionState, SavedTally, TruthSource, Verdict};
use crate::controller::ControllerStatus;
use crate::session::{CycleRecord, Session};
use crate::{ScenarioError, Stage};

/// The checks and metrics of a run, and how the mission and its controller stand.
#[derive(Debug)]
pub struct Tally {
    checks: Vec<Check>,
    metrics: Vec<(Metric, f64)>,
    has_mission: bool,
    /// Somebody is there who can let a stopped robot go on.
    has_operator: bool,
    /// Since when the mission is over.
    ended: Option<Time>,
    /// When the controller was lost.
    lost: Option<Time>,
}

impl Tally {
    /// Of a run that has not begun.
    pub fn new(stage: &Stage) -> Result<Tally, ScenarioError> {
        let case = &stage.case;
        let metric = |name: &String| name.parse::<Metric>().ok().map(|metric| (metric, f64::NAN));
        Ok(Tally {
            checks: stage.checks()?,
            metrics: case.metrics.iter().filter_map(metric).collect(),
            has_mission: !case.mission.steps.is_empty() || !case.controller.is_mission() || case.behaviour.is_some(),
            has_operator: false,
            ended: None,
            lost: None,
        })
    }

    /// From now on a stop is not the mission's end: somebody is there who can let the robot go on.
    pub fn wait_for_operator(&mut self) {
        self.has_operator = true;
    }

    /// Takes note of a cycle.
    pub fn observe(&mut self, session: &Session) {
        let (state, seen) = (mission_state(session), session.observation());
        for check in &mut self.checks {
            match check.robot().checked_sub(1).and_then(|other| session.others().get(other)) {
                None => check.observe(&seen, &state),
                Some(other) => check.observe(&other.observation(), &state_of(other.record(), &other.status())),
            }
        }
        for (metric, so_far) in &mut self.metrics {
            *so_far = metric.reducer.fold(*so_far, metric.signal.value(&seen));
        }
        let is_at_rest = match state {
            MissionState::Running => false,
            MissionState::Done => true,
            MissionState::Stopped(_) | MissionState::OutOfReach(_) => !self.has_operator,
        };
        let has_ended = is_at_rest && self.has_mission;
        self.ended = if has_ended { self.ended.or(Some(seen.readings.time)) } else { None };
        if session.record().panicked.is_some() {
            self.lost = self.lost.or(Some(seen.readings.time));
        }
        session.events().iter().for_each(|event| self.observe_event(event, session.layout()));
    }

    /// Takes note of a deadline task that took longer than it was given.
    pub fn observe_missed_deadline(&mut self) {
        self.checks.iter_mut().for_each(Check::observe_missed_deadline);
    }

    /// Since when the mission is over.
    pub fn ended(&self) -> Option<Time> {
        self.ended
    }

    /// When the controller was lost.
    pub fn lost(&self) -> Option<Time> {
        self.lost
    }

    /// The answers, given who knew the truth.
    pub fn verdicts(&self, truth_from: TruthSource) -> Vec<Verdict> {
        self.checks.iter().map(|check| check.verdict(truth_from)).collect()
    }

    /// The metrics with their values; not-a-number where nothing was seen.
    pub fn metrics(&self) -> &[(Metric, f64)] {
        &self.metrics
    }

    /// For a log.
    pub fn save(&mut self) -> SavedTally {
        SavedTally {
            checks: self.checks.iter_mut().map(Check::progress).collect(),
            metrics: self.metrics.iter().map(|(_, value)| *value).collect(),
            ended: self.ended,
            lost: self.lost,
        }
    }

    /// Goes on from what a log has of a run with the same checks and metrics.
    pub fn restore(&mut self, saved: &SavedTally) -> Result<(), IoError> {
        for (check, progress) in self.checks.iter_mut().zip(&saved.checks) {
            check.resume(progress)?;
        }
        for ((_, value), saved) in self.metrics.iter_mut().zip(&saved.metrics) {
            *value = *saved;
        }
        (self.ended, self.lost) = (saved.ended, saved.lost);
        Ok(())
    }

    /// Takes note of an event.
    pub fn observe_event(&mut self, event: &Event, layout: &RobotLayout) {
        self.checks.iter_mut().for_each(|check| check.observe_event(event, layout));
    }
}

/// How the mission stands, in words.
pub fn mission_text(session: &Session) -> String {
    match session.record().panicked.as_deref() {
        Some(message) => format!("the controller panicked: {message}"),
        None => session.status().to_string(),
    }
}

fn mission_state(session: &Session) -> MissionState {
    state_of(session.record(), &session.status())
}

fn state_of(record: &CycleRecord, status: &ControllerStatus<'_>) -> MissionState {
    if let Some(message) = &record.panicked {
        MissionState::Stopped(format!("the controller panicked: {message}"))
    } else if status.is_done() {
        MissionState::Done
    } else if let Some(cause) = status.stop_cause() {
        if status.is_out_of_reach() { MissionState::OutOfReach(cause) } else { MissionState::Stopped(cause) }
    } else {
        MissionState::Running
    }
}
