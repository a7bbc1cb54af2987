//! Runs a session to its end and gathers what checks, metrics, report and log need.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hil::bus_file::BusPlan;
use robot_io::{Period, Severity, Time};

use crate::ScenarioError;
use crate::assemble::Staffing;
use crate::bus_use::BusTally;
use crate::checks::{Metric, Verdict};
use crate::console::Console;
use crate::interrupt;
use crate::moment::{Moment, thin_out};
use crate::outcome::{RunOutcome, TaskUse, stops, with_reasons};
use crate::progress::Progress;
use crate::run_log::RunLog;
use crate::series::Series;
use crate::session::{OtherRobot, Session, Snapshot};
use crate::stage::Stage;
use crate::tally::{Tally, mission_text};
use crate::touches::Touches;

/// How often a picture could be taken of the run.
const FRAME_INTERVAL: Period = Period::from_milliseconds(500);
/// How many moments are kept to choose pictures from; of more, every other one is dropped and the interval doubled.
const MOST_MOMENTS: usize = 256;

/// A run whose controller has panicked goes on so long, to show that the robot stops.
const AFTER_PANIC: Period = Period::from_milliseconds(1_000);

/// Said after a stop to whoever can do something about it.
const HOW_TO_GO_ON: &str =
    "            once its cause is gone: `acknowledge` and Enter here, or `chiron bus acknowledge` elsewhere";

/// A session under way, with everybody who watches it.
#[derive(Debug)]
pub struct Runner {
    stage: Stage,
    session: Session,
    tally: Tally,
    series: Series,
    moments: Vec<Moment>,
    /// The cycles between two moments.
    moment_stride: u64,
    picture_at: Option<Time>,
    picture: Option<Moment>,
    tasks: BTreeMap<String, TaskUse>,
    bus: Option<BusTally>,
    log: Option<RunLog>,
    console: Option<Console>,
    touches: Touches,
    wall: Duration,
    cycles: u64,
    interrupted: bool,
}

/// What a run leaves.
#[derive(Debug)]
pub struct Finished {
    /// The result.
    pub outcome: RunOutcome,
    /// Signals over time.
    pub series: Series,
    /// Moments to take pictures of.
    pub moments: Vec<Moment>,
    /// The moment of which a picture was to be taken, if the run came to it.
    pub picture: Option<Moment>,
    /// True if there is a log of it.
    pub has_log: bool,
}

impl Runner {
    /// A run of `stage` that begins now; with a log, every cycle is written to it.
    pub fn new(stage: &Stage, staffing: Staffing, log: Option<RunLog>) -> Result<Runner, ScenarioError> {
        Runner::open(stage, staffing, || Ok(log))
    }

    /// A run of `stage` that begins now; its log is opened once everything else stands, and if the run cannot begin nothing
    /// is left of it.
    pub fn open(
        stage: &Stage,
        mut staffing: Staffing,
        log: impl FnOnce() -> Result<Option<RunLog>, ScenarioError>,
    ) -> Result<Runner, ScenarioError> {
        let picture_at = staffing.picture_at;
        let mut console = staffing.console.take();
        staffing.live = staffing.live.or(console.as_mut().and_then(Console::take_requests));
        let mut parts = stage.assemble(staffing)?;
        let log = log()?;
        parts.log = log.as_ref().map(RunLog::writer);
        match Session::start(parts) {
            Ok(session) => Ok(Runner { picture_at, console, ..Runner::resume(stage, session, log)? }),
            Err(error) => {
                log.into_iter().for_each(RunLog::discard);
                Err(error)
            }
        }
    }

    /// A run that goes on with a session as it is.
    pub fn resume(stage: &Stage, session: Session, log: Option<RunLog>) -> Result<Runner, ScenarioError> {
        let bus_tally = |bus: &Arc<BusPlan>| BusTally::new(bus, session.layout());
        let on_bus = stage.bus.as_ref().filter(|_| stage.case.plant.has_bus());
        Ok(Runner {
            bus: on_bus.map(bus_tally).transpose()?,
            tally: Tally::new(stage)?,
            series: Series::new(session.layout()),
            moments: Vec::new(),
            moment_stride: FRAME_INTERVAL.cycles_of(session.layout().period).max(1),
            picture_at: None,
            picture: None,
            tasks: BTreeMap::new(),
            touches: Touches::default(),
            wall: Duration::ZERO,
            cycles: 0,
            interrupted: false,
            stage: stage.clone(),
            session,
            log,
            console: None,
        })
    }

    /// What checks and metrics have seen so far.
    pub fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }

    /// Goes on from a state of a run with the same checks.
    pub fn resume_from(&mut self, snapshot: &Snapshot) -> Result<(), ScenarioError> {
        self.session.restore(snapshot)?;
        Ok(snapshot.tally().map_or(Ok(()), |saved| self.tally.restore(saved))?)
    }

    /// The same run with a person at the desk: a stop is not its end, for they can let the robot go on.
    #[must_use]
    pub fn with_operator(mut self) -> Runner {
        self.tally.wait_for_operator();
        self
    }

    /// The session.
    pub fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// True if the scenario's time is over, or the mission's and the time to linger after it.
    pub fn is_over(&self) -> bool {
        let now = self.session.readings().time;
        let next = now + self.session.layout().period;
        let since = |begin: Time, linger: Period| now.since(begin) >= linger;
        let linger = self.stage.case.linger.map(|linger| linger.since(Time::ZERO));
        let lingered = self.tally.ended().zip(linger).is_some_and(|(end, linger)| since(end, linger));
        let abandoned = self.tally.lost().is_some_and(|lost| since(lost, linger.unwrap_or(AFTER_PANIC)));
        let broken = self.session.broken().is_some();
        self.cycles > 0 && (next >= self.stage.case.duration || lingered || abandoned || broken)
    }

    /// One cycle, and what is to be noted of it.
    pub fn cycle(&mut self) -> Result<(), ScenarioError> {
        self.compute(Runner::observe)
    }

    /// One cycle after the end, for whoever drives on: it goes into the log, and neither checks nor report see it.
    pub fn go_on(&mut self) -> Result<(), ScenarioError> {
        self.compute(|_| ())
    }

    fn compute(&mut self, observe: impl FnOnce(&mut Runner)) -> Result<(), ScenarioError> {
        let begin = Instant::now();
        if let Some(log) = &mut self.log {
            log.before_cycle(&mut self.session, &mut self.tally)?;
        }
        self.session.cycle()?;
        self.cycles += 1;
        observe(self);
        if let Some(log) = &mut self.log {
            log.after_cycle(&self.session)?;
        }
        self.wall += begin.elapsed();
        Ok(())
    }

    /// Somebody ends the run before its time: it has not passed.
    pub fn interrupt(&mut self) {
        self.interrupted = true;
    }

    /// Closes the log; what comes after is not recorded.
    pub fn close_log(&mut self) -> Result<(), ScenarioError> {
        self.log.take().map_or(Ok(()), |log| log.finish().map(drop))
    }

    /// Runs to the end.
    pub fn run(mut self, progress: &mut Progress) -> Result<Finished, ScenarioError> {
        while !self.is_over() {
            if interrupt::requested() {
                self.interrupt();
                break;
            }
            self.cycle()?;
            self.tell_operator(progress);
            if self.cycles.is_multiple_of(25) {
                progress.show(self.session.readings().time, &mission_text(&self.session));
            }
        }
        progress.finish();
        self.finish()
    }

    /// Whoever can act is told at once what stops the robot, and what came of an acknowledgement.
    fn tell_operator(&self, progress: &Progress) {
        let Some(console) = &self.console else { return };
        let name = |joint: usize| self.session.layout().joints.get(joint).map(|joint| joint.name.as_str());
        for event in self.session.events() {
            if event.severity >= Severity::Error || event.what.starts_with("emergency stop") {
                let line = event.describe(name);
                progress.tell(&format!("{:>10}  {line}", event.time.to_string()));
                console.tell(line, event.severity == Severity::Stop);
            }
            if event.severity == Severity::Stop && event.source == "safety_filter" {
                progress.tell(HOW_TO_GO_ON);
            }
        }
    }

    /// Closes the log and answers the checks.
    pub fn finish(mut self) -> Result<Finished, ScenarioError> {
        self.keep_moment();
        self.series.map.conclude(&self.session.observation());
        self.series.events.extend(self.session.shut_down());
        let has_log = self.log.is_some();
        self.close_log()?;
        let outcome = self.outcome();
        Ok(Finished { outcome, series: self.series, moments: self.moments, picture: self.picture, has_log })
    }

    fn observe(&mut self) {
        self.tally.observe(&self.session);
        let others = self.session.others().iter().map(|other| (other.name(), other.truth()));
        self.series.observe(&self.session.observation(), self.session.commands(), others);
        self.series.events.extend(self.session.events().iter().cloned());
        self.observe_touches();
        if let Some(bus) = &mut self.bus {
            bus.observe(&self.session);
        }
        self.observe_tasks();
        if self.picture.is_none() && self.picture_at.is_some_and(|at| self.session.readings().time >= at) {
            self.picture = Some(Moment::of(&self.session));
        }
        if self.session.readings().cycle.is_multiple_of(self.moment_stride) {
            self.keep_moment();
        }
    }

    /// Contacts that nobody asked for are events of the truth.
    fn observe_touches(&mut self) {
        let Runner { session, touches, tally, series, stage, .. } = self;
        let others = session.others().iter().map(OtherRobot::observation);
        for (robot, seen) in std::iter::once(session.observation()).chain(others).enumerate() {
            let (now, contact) = (seen.truth.time, seen.truth.unwanted_contact);
            if let Some(event) = contact.and_then(|contact| touches.event(now, robot, contact, stage)) {
                tally.observe_event(&event, session.layout());
                series.events.push(event);
            }
        }
    }

    fn observe_tasks(&mut self) {
        let period = self.session.layout().period;
        for delivery in self.session.take_deliveries() {
            let given = period.seconds() * delivery.latency_cycles as f64;
            let took = delivery.took.as_secs_f64();
            let usage = self.tasks.entry(delivery.task.into_owned()).or_default();
            usage.runs += 1;
            usage.longest_ms = usage.longest_ms.max(took * 1e3);
            usage.given_ms = given * 1e3;
            if took > given || delivery.cycle > delivery.due {
                usage.overruns += 1;
                self.tally.observe_missed_deadline();
            }
        }
    }

    fn keep_moment(&mut self) {
        self.moments.push(Moment::of(&self.session));
        if self.moments.len() > MOST_MOMENTS {
            thin_out(&mut self.moments);
            self.moment_stride *= 2;
        }
    }

    /// What was asked, and what nobody needs to ask.
    pub fn verdicts(&self) -> Vec<Verdict> {
        let truth_from = self.session.observation().truth_from;
        let mut verdicts = self.tally.verdicts(truth_from);
        let mut unasked = |name: String, at: Time| {
            verdicts.push(Verdict {
                name,
                value: Some(at.seconds()),
                limit: None,
                unit: "s",
                passed: false,
                remark: "",
            });
        };
        let now = self.session.readings().time;
        if let (Some(lost), false) = (self.tally.lost(), self.session.wants_panic()) {
            unasked("the controller does not panic".to_owned(), lost);
        }
        for other in self.session.others() {
            if other.is_lost() {
                unasked(format!("{}: the controller does not panic", other.name()), now);
            }
        }
        if let Some((part, at)) = &self.session.record().broken_part {
            unasked(format!("component '{part}' does not break"), *at);
        }
        if self.session.broken().is_some() {
            unasked("every state of the simulation is a number".to_owned(), now);
        }
        if self.interrupted {
            unasked("the run is not interrupted".to_owned(), now);
        }
        verdicts
    }

    /// What stopped the robot so far, each time with when and what to do about it.
    pub fn stopped_by(&self) -> Vec<String> {
        stops(&self.series.events)
    }

    fn outcome(&self) -> RunOutcome {
        let checks = self.verdicts();
        let simulated_s = self.session.layout().period.seconds() * self.cycles as f64;
        let wall_s = self.wall.as_secs_f64();
        let metric =
            |(metric, value): &(Metric, f64)| (metric.to_string(), Some(*value).filter(|value| value.is_finite()));
        RunOutcome {
            case: self.stage.case.name.clone(),
            seed: self.stage.case.seed,
            passed: checks.iter().all(|check| check.passed),
            interrupted: self.interrupted,
            checks,
            cycles: self.cycles,
            simulated_s,
            wall_s,
            real_time_factor: simulated_s / wall_s.max(1e-9),
            digest: self.session.digest().to_string(),
            plant: self.stage.case.plant.to_string(),
            truth_from: self.session.observation().truth_from,
            mission: with_reasons(mission_text(&self.session), &self.series.events),
            is_of_mission: self.session.status().is_mission(),
            stopped_by: self.stopped_by(),
            known_failure: self.stage.case.known_failure.clone(),
            interventions: self.session.record().interventions,
            metrics: self.tally.metrics().iter().map(metric).collect(),
            deadline_tasks: self.tasks.clone(),
            twin: self.session.shadow().map(|shadow| shadow.summary(self.session.layout())),
            bus: self.bus.as_ref().map(|bus| bus.outcome(&self.session)),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}
