//! A run under a person's hand: it lasts until they end it, begins again when they ask, and notes all that they do.

use std::collections::VecDeque;
use std::path::PathBuf;

use crossbeam::channel::{Sender, unbounded};
use plant::Push;
use robot_io::{Event, OperatorInput, OperatorRequest, Period, Severity, Time, Twist};
use station::{Request, Status, Verdict};

use super::Show;
use crate::run_log::RunLog;
use crate::runner::{Finished, Runner};
use crate::session::{Session, TimedPush};
use crate::{ScenarioError, Staffing, Stage};

/// A pull lasts so long unless it is renewed.
const PULL: Period = Period::from_milliseconds(100);

/// A run with a person at the desk.
#[derive(Debug)]
pub struct Live {
    stage: Stage,
    how: How,
    log: Option<LogPlace>,
    runner: Runner,
    operator: Sender<OperatorInput>,
    /// Buttons that have been pressed and wait for their cycle.
    buttons: VecDeque<OperatorRequest>,
    attempt: u64,
    /// How the scenario's checks were answered when its time was over.
    result: Option<Verdict>,
    events: Vec<Event>,
}

/// How each attempt is staffed.
#[derive(Clone, Copy, Debug)]
struct How {
    workers: usize,
    core: Option<usize>,
    picture_at: Option<Time>,
}

/// Where the log of a run with restarts goes: the last attempt's log has the name, those before it are kept beside it as
/// `attempt_1.mcap`, `attempt_2.mcap` and so on.
#[derive(Clone, Debug)]
pub struct LogPlace(pub PathBuf);

impl LogPlace {
    fn begin(&self, stage: &Stage) -> Result<RunLog, ScenarioError> {
        RunLog::create(&self.0, stage, true)
    }

    /// Puts the log of an attempt that is over aside.
    fn put_aside(&self, attempt: u64) -> Result<PathBuf, ScenarioError> {
        let aside = self.0.with_file_name(format!("attempt_{}.mcap", attempt + 1));
        let moved = std::fs::rename(&self.0, &aside);
        moved.map_err(|error| ScenarioError::file(&self.0, "put aside", &error))?;
        Ok(aside)
    }
}

impl Live {
    /// A run of `stage` that begins now and is recorded if there is a place for a log.
    pub fn begin(stage: Stage, staffing: &Staffing, log: Option<LogPlace>) -> Result<Live, ScenarioError> {
        let how = How { workers: staffing.workers, core: staffing.core, picture_at: staffing.picture_at };
        let (runner, operator) = start(&stage, how, log.as_ref())?;
        Ok(Live {
            stage,
            how,
            log,
            runner,
            operator,
            buttons: VecDeque::new(),
            attempt: 0,
            result: None,
            events: Vec::new(),
        })
    }

    /// Ends the run: closes the log and answers the checks. A scenario whose time was not over has been interrupted.
    pub fn finish(mut self) -> Result<Finished, ScenarioError> {
        if self.result.is_none() {
            self.runner.interrupt();
        }
        self.runner.finish()
    }

    /// The scenario that is run.
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// To the desk; the session holds the other end for as long as it runs.
    fn tell(&self, twist: Option<Twist>, request: Option<OperatorRequest>) {
        let _ = self.operator.send(OperatorInput { twist, request });
    }

    /// The same robot at the same place once more, or with another seed.
    fn restart(&mut self, seed: Option<u64>) -> Result<(), ScenarioError> {
        let now = self.runner.session().readings().time;
        let note = |severity, what: String| Event { what: what.into(), ..Event::note(now, severity, "session", "") };
        if !self.stage.case.plant.is_simulated() {
            self.events.push(note(Severity::Warning, "no restart: the robot is not a simulated one".to_owned()));
            return Ok(());
        }
        self.stage.set_seed(seed.unwrap_or(self.stage.case.seed));
        self.runner.close_log()?;
        let aside = self.log.as_ref().map(|log| log.put_aside(self.attempt)).transpose()?;
        (self.runner, self.operator) = start(&self.stage, self.how, self.log.as_ref())?;
        (self.attempt, self.result) = (self.attempt + 1, None);
        self.events.clear();
        self.buttons.clear();
        if let Some(path) = aside {
            println!("  {}: the run before the restart", path.display());
        }
        Ok(())
    }
}

impl Show for Live {
    fn session(&mut self) -> &mut Session {
        self.runner.session()
    }

    /// The scenario's end is not the end of the session: its checks are answered and the robot can be driven on.
    fn cycle(&mut self) -> Result<bool, ScenarioError> {
        // a simulation that has broken stands still until somebody begins again
        if self.runner.session().broken().is_some() {
            return Ok(false);
        }
        if let Some(button) = self.buttons.pop_front() {
            self.tell(None, Some(button));
        }
        match &self.result {
            None => self.runner.cycle()?,
            Some(_) => self.runner.go_on()?,
        }
        self.events.extend_from_slice(self.runner.session().events());
        if self.result.is_none() && self.runner.is_over() {
            self.result = Some(verdict(&self.runner));
        }
        Ok(true)
    }

    fn obey(&mut self, request: Request) -> Result<(), ScenarioError> {
        match request {
            Request::Operator(OperatorInput { twist, request: None }) => self.tell(twist, None),
            Request::Operator(OperatorInput { request: Some(button), .. }) => queue(&mut self.buttons, button),
            Request::Pull { link, point_in_link, force_in_world } => {
                let at = self.runner.session().readings().time;
                let push = Push { link, point_in_link, force_in_world, until: at + PULL };
                self.runner.session().push_now(TimedPush { at, push });
            }
            Request::Restart { seed } => self.restart(seed)?,
            _ => {}
        }
        Ok(())
    }

    fn drain_events(&mut self, events: &mut Vec<Event>) {
        events.append(&mut self.events);
    }

    fn status(&mut self) -> Status {
        let session = self.runner.session();
        Status {
            attempt: self.attempt,
            seed: self.stage.case.seed,
            result: self.result.clone(),
            ..session_status(session)
        }
    }

    fn span(&self) -> Option<(Time, Time)> {
        None
    }
}

/// What a session says of itself.
pub(super) fn session_status(session: &Session) -> Status {
    Status {
        mission: session.status().to_string(),
        stop: session.record().stop.map(|cause| cause.text().to_owned()),
        ..Status::default()
    }
}

/// One button is pressed in a cycle. A stop comes before everything else, and of a slider only the last place counts.
fn queue(buttons: &mut VecDeque<OperatorRequest>, button: OperatorRequest) {
    use OperatorRequest::{EmergencyStop, MoveJoint, Set};
    let replaces = |before: &OperatorRequest| match (before, &button) {
        (MoveJoint { joint: a, .. }, MoveJoint { joint: b, .. }) => a == b,
        (Set { setting: a, .. }, Set { setting: b, .. }) => a == b,
        (MoveJoint { .. }, EmergencyStop) => true,
        _ => false,
    };
    buttons.retain(|before| !replaces(before));
    if button == EmergencyStop { buttons.push_front(button) } else { buttons.push_back(button) }
}

fn start(stage: &Stage, how: How, log: Option<&LogPlace>) -> Result<(Runner, Sender<OperatorInput>), ScenarioError> {
    let (operator, live) = unbounded();
    let How { workers, core, picture_at } = how;
    let staffing = Staffing { workers, core, picture_at, live: Some(live), ..Staffing::default() };
    let runner = Runner::open(stage, staffing, || log.map(|log| log.begin(stage)).transpose())?;
    Ok((runner.with_operator(), operator))
}

fn verdict(runner: &Runner) -> Verdict {
    let verdicts = runner.verdicts();
    let failed: Vec<&str> = verdicts.iter().filter(|check| !check.passed).map(|check| check.name.as_str()).collect();
    let stopped = runner.stopped_by().first().map_or(String::new(), |stop| format!("; the robot was stopped {stop}"));
    let text = match (verdicts.len(), failed.as_slice()) {
        (0, _) => "no checks".to_owned(),
        (all, []) => format!("passed, {all} of {all} checks"),
        (_, failed) => format!("FAILED: {}{stopped}", failed.join("; ")),
    };
    Verdict { passed: failed.is_empty(), text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_overtakes_sliders_and_a_slider_keeps_its_last_place() {
        let mut buttons = VecDeque::new();
        let at = |joint, position| OperatorRequest::MoveJoint { joint, position };
        for button in [at(1, 0.1), OperatorRequest::Pause, at(2, 0.1), at(1, 0.2), at(1, 0.3)] {
            queue(&mut buttons, button);
        }
        assert_eq!(buttons, [OperatorRequest::Pause, at(2, 0.1), at(1, 0.3)]);
        queue(&mut buttons, OperatorRequest::EmergencyStop);
        assert_eq!(buttons, [OperatorRequest::EmergencyStop, OperatorRequest::Pause]);
    }
}
