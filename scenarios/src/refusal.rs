//! Runs from beginning to end, also those that a robot on a bus refuses to begin.

use std::collections::BTreeMap;

use robot_io::Time;

use crate::assemble::Staffing;
use crate::checks::{Check, CheckPlan, TruthSource, Verdict};
use crate::outcome::RunOutcome;
use crate::progress::Progress;
use crate::run_log::RunLog;
use crate::runner::{Finished, Runner};
use crate::series::Series;
use crate::stage::Stage;
use crate::{ScenarioError, outcome};

/// Runs a stage to its end. If the bus refuses to start and the scenario asks whether it does, that is the result.
pub fn run(
    stage: &Stage,
    staffing: Staffing,
    log: Option<RunLog>,
    progress: &mut Progress,
) -> Result<Finished, ScenarioError> {
    open(stage, staffing, || Ok(log), progress)
}

/// The same with a log that is opened once everything else stands.
pub fn open(
    stage: &Stage,
    staffing: Staffing,
    log: impl FnOnce() -> Result<Option<RunLog>, ScenarioError>,
    progress: &mut Progress,
) -> Result<Finished, ScenarioError> {
    match Runner::open(stage, staffing, log) {
        Ok(runner) => runner.run(progress),
        Err(error @ (ScenarioError::Bus(_) | ScenarioError::Io(_))) if asks_for_refusal(stage) => {
            Ok(refused(stage, &error.to_string()))
        }
        Err(error) => Err(blamed(stage, error)),
    }
}

/// A bus that does not start because of a fault that the scenario puts there from the beginning: at that fault's line.
fn blamed(stage: &Stage, error: ScenarioError) -> ScenarioError {
    if !matches!(error, ScenarioError::Bus(_) | ScenarioError::Io(_)) {
        return error;
    }
    let message = error.to_string();
    let is_named = |board: &str| message.contains(&format!("'{board}'"));
    let mut from_start = stage.case.bus_faults.iter().filter(|plan| plan.fault.from == Time::ZERO);
    match from_start.find(|plan| plan.fault.kind.board().is_some_and(is_named)) {
        Some(plan) => stage.case.wrong(plan.line, format!("bus_fault: with it the bus does not start: {message}")),
        None => error,
    }
}

fn asks_for_refusal(stage: &Stage) -> bool {
    stage.case.checks.iter().any(|check| matches!(check, CheckPlan::Refused { .. }))
}

/// The result of a run that never began; nothing else was measured.
fn refused(stage: &Stage, message: &str) -> Finished {
    let checks: Vec<Verdict> = stage.case.checks.iter().map(|plan| verdict(plan, message)).collect();
    let outcome = RunOutcome {
        case: stage.case.name.clone(),
        seed: stage.case.seed,
        passed: checks.iter().all(|check| check.passed),
        interrupted: false,
        checks,
        cycles: 0,
        simulated_s: 0.0,
        wall_s: 0.0,
        real_time_factor: 0.0,
        digest: robot_io::Digest::default().to_string(),
        plant: stage.case.plant.to_string(),
        truth_from: TruthSource::Nobody,
        mission: format!("refused: {message}"),
        is_of_mission: true,
        stopped_by: Vec::new(),
        known_failure: stage.case.known_failure.clone(),
        interventions: 0,
        metrics: BTreeMap::new(),
        deadline_tasks: BTreeMap::<String, outcome::TaskUse>::new(),
        twin: None,
        bus: None,
        version: env!("CARGO_PKG_VERSION"),
    };
    Finished { outcome, series: Series::new(&stage.layout()), moments: Vec::new(), picture: None, has_log: false }
}

fn verdict(plan: &CheckPlan, message: &str) -> Verdict {
    match plan {
        CheckPlan::Refused { contains } => {
            let passed = message.contains(contains.as_str());
            Verdict { name: plan.to_string(), value: Some(0.0), limit: Some(0.0), unit: "s", passed, remark: "" }
        }
        other => Check::new(other.clone()).verdict(TruthSource::Nobody),
    }
}
