//! A run in the viewer: the session on a thread of its own, the window on the main one.
//!
//! A live run and a log take the same path: a log is its run computed again from the nearest snapshot, so everything
//! that can be seen live can be seen at any moment of a log.

use std::time::Duration;

use crossbeam::channel::{Receiver, Sender, bounded, unbounded};
use plant::{Frame, Push};
use robot_io::{Event, OperatorInput, Period, Time};
use station::{Options, Playback, Request, StationFrame};

use crate::recording::Recording;
use crate::run_log::RunLog;
use crate::runner::{Finished, Runner};
use crate::session::{Snapshot, TimedPush};
use crate::{ScenarioError, Staffing, Stage, pictures};

/// How long the session rests while it is paused.
const REST: Duration = Duration::from_millis(10);
/// A frame is made this often in simulated time, and shown if the window is ready for it.
const FRAME_INTERVAL: Period = Period::from_milliseconds(16);
/// A pull lasts so long unless it is renewed.
const PULL: Period = Period::from_milliseconds(100);

/// Where a log can be entered, and where it ends.
#[derive(Debug, Default)]
pub struct TimeLine {
    /// Complete states, in order of time.
    pub snapshots: Vec<Snapshot>,
    /// The last moment.
    pub end: Time,
    /// All that happened.
    pub events: Vec<Event>,
    /// Where the run begins again if there are no states to go on from, as over a bus.
    pub recording: Option<Recording>,
}

/// How a show begins.
#[derive(Clone, Copy, Debug)]
pub struct Opening {
    /// Does time stand still at first?
    pub paused: bool,
    /// Simulated seconds per second.
    pub speed: f64,
}

/// Shows a live run until it is over or the window is closed, then lets it run to its end.
pub fn watch(
    stage: &Stage,
    staffing: Staffing,
    log: Option<RunLog>,
    opening: Opening,
) -> Result<Finished, ScenarioError> {
    let (operator, live) = unbounded();
    let runner = Runner::new(stage, Staffing { live: Some(live), ..staffing }, log)?;
    let mut runner = show(stage, runner, operator, opening, None)?;
    runner.session().set_speed(None);
    runner.run(&mut crate::progress::Progress::silent())
}

/// Shows a log, with a time line.
pub fn watch_log(recording: &Recording, line: TimeLine) -> Result<(), ScenarioError> {
    let (operator, _) = unbounded();
    let stage = &recording.stage;
    let runner = Runner::resume(stage, recording.session(0)?, None)?;
    show(stage, runner, operator, Opening { paused: true, speed: 1.0 }, Some(line)).map(drop)
}

fn show<'s>(
    stage: &'s Stage,
    runner: Runner<'s>,
    operator: Sender<OperatorInput>,
    opening: Opening,
    line: Option<TimeLine>,
) -> Result<Runner<'s>, ScenarioError> {
    let (frames, shown) = bounded(1);
    let (asked, requests) = unbounded();
    let stage_hand = StageHand {
        runner,
        frames,
        requests,
        operator,
        paused: opening.paused,
        speed: opening.speed,
        fresh: true,
        steps: 0,
        pending: line.as_ref().map(|line| line.events.clone()).unwrap_or_default(),
        line,
    };
    std::thread::scope(|scope| {
        let work = scope.spawn(|| stage_hand.work());
        let window = station::open(pictures::scene(stage, stage.layout()), shown, asked, Options::default());
        let worked =
            work.join().unwrap_or_else(|_| Err(ScenarioError::Usage("the session's thread failed".to_owned())));
        window?;
        worked
    })
}

/// Runs the session between the window's wishes.
struct StageHand<'s> {
    runner: Runner<'s>,
    frames: Sender<StationFrame>,
    requests: Receiver<Request>,
    operator: Sender<OperatorInput>,
    paused: bool,
    speed: f64,
    /// Something has changed that the window has not been sent.
    fresh: bool,
    steps: u64,
    pending: Vec<Event>,
    line: Option<TimeLine>,
}

impl<'s> StageHand<'s> {
    fn work(mut self) -> Result<Runner<'s>, ScenarioError> {
        self.runner.session().set_speed(Some(self.speed));
        loop {
            while let Ok(request) = self.requests.try_recv() {
                if request == Request::Quit {
                    return Ok(self.runner);
                }
                self.obey(request)?;
            }
            let goes_on = !self.runner.is_over() && (!self.paused || self.steps > 0);
            if goes_on {
                self.step()?;
            } else {
                self.send();
                std::thread::sleep(REST);
            }
        }
    }

    fn step(&mut self) -> Result<(), ScenarioError> {
        self.runner.cycle()?;
        self.steps = self.steps.saturating_sub(1);
        self.fresh = true;
        let session = self.runner.session();
        if self.line.is_none() {
            self.pending.extend_from_slice(session.events());
        }
        let stride = FRAME_INTERVAL.cycles_of(session.layout().period).max(1);
        if session.readings().cycle.is_multiple_of(stride) {
            self.send();
        }
        Ok(())
    }

    fn obey(&mut self, request: Request) -> Result<(), ScenarioError> {
        match request {
            Request::Play => self.paused = false,
            Request::Pause => self.paused = true,
            Request::Step => (self.paused, self.steps) = (true, self.steps + 1),
            Request::Speed(speed) => {
                self.speed = speed;
                self.runner.session().set_speed(speed.is_finite().then_some(speed));
            }
            Request::Seek(time) => self.seek(time)?,
            // The session holds the other end for as long as it runs.
            Request::Operator(input) => drop(self.operator.send(input)),
            Request::Pull { link, point_in_link, force_in_world } => {
                let at = self.runner.session().readings().time;
                let push = Push { link, point_in_link, force_in_world, until: at + PULL };
                self.runner.session().push_now(TimedPush { at, push });
            }
            Request::Release | Request::Quit => {}
        }
        self.fresh = true;
        Ok(())
    }

    /// Goes to a moment of the log: the last snapshot before it, or the beginning, and then cycle by cycle.
    fn seek(&mut self, time: Time) -> Result<(), ScenarioError> {
        let Some(line) = &self.line else { return Ok(()) };
        let before = line.snapshots.partition_point(|snapshot| snapshot.time <= time);
        let session = self.runner.session();
        match (line.snapshots.get(before.saturating_sub(1)), &line.recording) {
            (Some(snapshot), _) => session.restore(snapshot)?,
            (None, Some(recording)) => *session = recording.session(0)?,
            (None, None) => return Ok(()),
        }
        session.set_speed(None);
        while self.runner.session().readings().time < time && !self.runner.is_over() {
            self.runner.session().cycle()?;
        }
        self.runner.session().set_speed(Some(self.speed));
        Ok(())
    }

    /// Sends the present moment if the window is ready for it.
    fn send(&mut self) {
        if !self.fresh || self.frames.is_full() {
            return;
        }
        let mut frame = Frame::default();
        let span = self.line.as_ref().map(|line| (Time::ZERO, line.end));
        let session = self.runner.session();
        session.frame_into(&mut frame);
        let now = session.readings().time;
        let frame = StationFrame {
            frame,
            readings: session.readings().clone(),
            commands: session.commands().clone(),
            telemetry: session.telemetry().clone(),
            events: std::mem::take(&mut self.pending),
            playback: Playback { paused: self.paused, speed: self.speed, now, span },
        };
        // A window that has just been closed misses nothing.
        drop(self.frames.try_send(frame));
        self.fresh = false;
    }
}
