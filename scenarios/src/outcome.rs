//! The result of a run, as `metrics.json` keeps it.

use std::collections::BTreeMap;
use std::path::Path;

use mission::{FAILED, SKIPPED_AFTER_FAILURE, STOPPED_BY_FAILURE};
use robot_io::{Event, Severity, Subject};
use serde::Serialize;

use crate::ScenarioError;
use crate::bus_use::BusUse;
use crate::checks::{TruthSource, Verdict};
use crate::residual::JointResiduals;
use crate::results::write_whole;

/// How a command ended, as the shell sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything held.
    Passed,
    /// A check failed.
    Failed,
    /// Somebody ended it before its time.
    Interrupted,
}

/// Everything that a script may want to know of a run.
#[derive(Clone, Debug, Serialize)]
pub struct RunOutcome {
    /// The scenario.
    pub case: String,
    /// Its seed.
    pub seed: u64,
    /// True if every check held.
    pub passed: bool,
    /// True if somebody ended it before its time; it has not passed then.
    pub interrupted: bool,
    /// The checks, in the file's order.
    pub checks: Vec<Verdict>,
    /// Control cycles run.
    pub cycles: u64,
    /// Simulated time [s].
    pub simulated_s: f64,
    /// Time on the wall, without loading and reporting [s].
    pub wall_s: f64,
    /// Simulated time over time on the wall.
    pub real_time_factor: f64,
    /// The digest of all cycles' digests, as 16 hexadecimal digits.
    pub digest: String,
    /// What stood behind the plug.
    pub plant: String,
    /// Who knew what was really the case.
    pub truth_from: TruthSource,
    /// How the mission ended, or whatever controller answers in its place.
    pub mission: String,
    /// True if that is a mission's word, which does not say whose it is.
    #[serde(skip)]
    pub is_of_mission: bool,
    /// What stopped the robot, in the order in which it was found: when, what, and what to do about it.
    pub stopped_by: Vec<String>,
    /// Why the scenario is known to fail, if its file says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_failure: Option<String>,
    /// Commands that the safety filter changed or refused.
    pub interventions: u64,
    /// Metrics that the scenario names, by name.
    pub metrics: BTreeMap<String, Option<f64>>,
    /// Largest share of its time that a deadline task took on this machine, by task.
    pub deadline_tasks: BTreeMap<String, TaskUse>,
    /// How far each joint was from its shadow, if the run had a twin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twin: Option<BTreeMap<String, JointResiduals>>,
    /// What the run was like on the bus, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bus: Option<BusUse>,
    /// The program that made it.
    pub version: &'static str,
}

/// How a deadline task kept its time on this machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct TaskUse {
    /// How often it ran.
    pub runs: u64,
    /// How often it took longer than it was given.
    pub overruns: u64,
    /// The longest computation [ms].
    pub longest_ms: f64,
    /// What it was given [ms].
    pub given_ms: f64,
}

impl RunOutcome {
    /// The result as the shell sees it.
    pub fn verdict(&self) -> Outcome {
        match (self.interrupted, self.passed) {
            (true, _) => Outcome::Interrupted,
            (false, true) => Outcome::Passed,
            (false, false) => Outcome::Failed,
        }
    }

    /// How the mission ended, and what stopped the robot before: a step that stalls behind a cut cable is the cable's.
    pub fn ending(&self) -> String {
        let mission = &self.mission;
        match self.stopped_by.as_slice() {
            [] => mission.clone(),
            [only] => format!("{mission}; the robot was stopped {only}"),
            [first, rest @ ..] => format!("{mission}; the robot was stopped {first}, and {} more", rest.len()),
        }
    }

    /// Writes `metrics.json`.
    pub fn write(&self, path: &Path) -> Result<(), ScenarioError> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| ScenarioError::File { path: path.to_owned(), message: error.to_string() })?;
        write_whole(path, (text + "\n").as_bytes())
    }
}

/// How a mission ended, with what its skills said of the steps that were left out or stopped it.
pub(crate) fn with_reasons(ending: String, events: &[Event]) -> String {
    let (mut text, mut said) = (ending, BTreeMap::new());
    for event in events {
        let Subject::Step(step) = event.subject else { continue };
        if let Some(why) = event.what.strip_prefix(FAILED) {
            said.insert(step, why);
        }
        let why = said.get(&step).copied().unwrap_or("it did not say why");
        match &*event.what {
            SKIPPED_AFTER_FAILURE => text += &format!("; step {} was left out: {why}", step + 1),
            STOPPED_BY_FAILURE => text += &format!(": {why}"),
            _ => {}
        }
    }
    text
}

/// What stopped the robot itself, said by its bus or its safety filter; what the mission makes of it is no cause.
pub(crate) fn stops(events: &[Event]) -> Vec<String> {
    let own = |event: &&Event| event.severity == Severity::Stop && ["bus", "safety_filter"].contains(&&*event.source);
    let said = |event: &Event| {
        let what = event.what.strip_prefix("stop: ").unwrap_or(&event.what);
        format!("at {}: {what}", event.time)
    };
    events.iter().filter(own).map(said).collect()
}
