//! What a person at the desk does with a run: the session between the wishes of a window.
//!
//! A [`Player`] plays a [`Live`] run or a [`Tape`], a log: it lets time pass, sends frames and obeys requests, until whoever is at
//! the desk ends it. It knows no window: whoever holds the other ends of its channels may be a test.

mod downlink;
mod live;
mod past;
mod tape;

pub use live::{Live, LogPlace};
pub use past::signals;
pub use tape::{Tape, TimeLine};

use std::time::Duration;

use crossbeam::channel::{Receiver, Sender, TryRecvError};
use mission::{TUNABLES, Tunable};
use plant::Frame;
use robot_io::{Event, Period, Readings, Time};
use station::{Playback, Request, Setting, StationFrame, Status};

use self::downlink::Downlink;
use crate::case::Link;
use crate::session::Session;
use crate::{ScenarioError, Stage, interrupt};

/// How long the session rests while it is paused.
const REST: Duration = Duration::from_millis(10);
/// A frame is made this often in simulated time, and shown if the window is ready for it.
const FRAME_INTERVAL: Period = Period::from_milliseconds(16);

/// What is played.
pub trait Show {
    /// The session as it is now.
    fn session(&mut self) -> &mut Session;

    /// One cycle; false if there is none after the present one.
    fn cycle(&mut self) -> Result<bool, ScenarioError>;

    /// What is asked of it beside letting time pass.
    fn obey(&mut self, request: Request) -> Result<(), ScenarioError>;

    /// Moves what happened since the last call to the end of `events`.
    fn drain_events(&mut self, events: &mut Vec<Event>);

    /// How it stands.
    fn status(&mut self) -> Status;

    /// First and last moment, if it has an end.
    fn span(&self) -> Option<(Time, Time)>;
}

/// How a show begins.
#[derive(Clone, Debug)]
pub struct Opening {
    /// Does time stand still at first?
    pub paused: bool,
    /// Simulated seconds per second; infinite for as fast as possible.
    pub speed: f64,
    /// What it is seen through; `None` for as it is.
    pub link: Option<Link>,
}

/// Runs a show between the window's wishes.
#[derive(Debug)]
pub struct Player<S> {
    show: S,
    frames: Sender<StationFrame>,
    requests: Receiver<Request>,
    paused: bool,
    speed: f64,
    /// Something has changed that the window has not been sent.
    fresh: bool,
    steps: u64,
    events: Vec<Event>,
    /// The last picture of each camera.
    seen: Readings,
    downlink: Option<Downlink>,
}

impl<S: Show> Player<S> {
    /// Plays `show` into `frames`, as `requests` ask. `frames` should hold one frame: what does not fit is dropped.
    pub fn new(show: S, opening: Opening, frames: Sender<StationFrame>, requests: Receiver<Request>) -> Player<S> {
        let Opening { paused, speed, link } = opening;
        let mut player = Player {
            show,
            frames,
            requests,
            paused,
            speed,
            fresh: true,
            steps: 0,
            events: Vec::new(),
            seen: Readings::default(),
            downlink: link.map(Downlink::new),
        };
        player.set_speed(speed);
        player
    }

    /// Plays until somebody asks for the end or the window is gone; gives back the show as it is then.
    pub fn play(mut self) -> Result<S, ScenarioError> {
        while self.obey_all()? && !interrupt::requested() {
            let goes_on = (!self.paused || self.steps > 0) && self.cycle()?;
            if !goes_on {
                self.steps = 0;
                self.send();
                std::thread::sleep(REST);
            }
        }
        Ok(self.show)
    }

    /// Obeys what has been asked since the last time; false if that is the end. Of moments to seek only the last counts.
    fn obey_all(&mut self) -> Result<bool, ScenarioError> {
        let mut seek = None;
        loop {
            match self.requests.try_recv() {
                Ok(Request::Quit) | Err(TryRecvError::Disconnected) => return Ok(false),
                Ok(Request::Seek(time)) => seek = Some(time),
                Ok(request) => self.obey(request)?,
                Err(TryRecvError::Empty) => break,
            }
        }
        seek.map_or(Ok(()), |time| self.obey(Request::Seek(time)))?;
        Ok(true)
    }

    fn obey(&mut self, request: Request) -> Result<(), ScenarioError> {
        self.fresh = true;
        match request {
            Request::Play => self.paused = false,
            Request::Pause => self.paused = true,
            Request::Step => (self.paused, self.steps) = (true, self.steps + 1),
            Request::Speed(speed) => self.set_speed(speed),
            other => {
                self.show.obey(other)?;
                // whatever session there is now, it keeps this pace
                self.set_speed(self.speed);
            }
        }
        Ok(())
    }

    fn set_speed(&mut self, speed: f64) {
        self.speed = speed;
        self.show.session().set_speed(speed.is_finite().then_some(speed));
    }

    /// One cycle; false if there is none.
    fn cycle(&mut self) -> Result<bool, ScenarioError> {
        if !self.show.cycle()? {
            return Ok(false);
        }
        self.steps = self.steps.saturating_sub(1);
        self.fresh = true;
        self.show.drain_events(&mut self.events);
        let session = self.show.session();
        keep_pictures(&mut self.seen, session.readings());
        let stride = FRAME_INTERVAL.cycles_of(session.layout().period).max(1);
        if session.readings().cycle.is_multiple_of(stride) {
            self.send();
        }
        Ok(true)
    }

    /// Sends the present moment if the window is ready for it.
    fn send(&mut self) {
        if !self.fresh || self.frames.is_full() {
            return;
        }
        let (span, status) = (self.show.span(), self.show.status());
        self.show.drain_events(&mut self.events);
        let session = self.show.session();
        let mut frame = Frame::default();
        session.frame_into(&mut frame);
        let mut readings = session.readings().clone();
        let now = readings.time;
        show_pictures(&self.seen, &mut readings);
        let frame = StationFrame {
            frame,
            readings,
            commands: session.commands().clone(),
            telemetry: session.telemetry().clone(),
            events: std::mem::take(&mut self.events),
            playback: Playback { paused: self.paused, speed: self.speed, now, span },
            status,
            footprints: session.footprints().clone(),
        };
        let frame = match &mut self.downlink {
            Some(downlink) => downlink.pass(frame),
            None => frame,
        };
        // A window that has just been closed misses nothing.
        drop(self.frames.try_send(frame));
        self.fresh = false;
    }
}

/// The controller's settings that can be changed while it runs, as a scenario has them.
pub fn settings(stage: &Stage) -> Vec<Setting> {
    let of = |tunable: &Tunable| {
        let Tunable { name, unit, range, .. } = *tunable;
        Setting { name, unit, range, value: tunable.value(&stage.settings) }
    };
    TUNABLES.iter().map(of).collect()
}

/// Which joints an operator may move by hand, in the order of the layout.
pub fn movable(stage: &Stage) -> Vec<bool> {
    mission::movable(&stage.robot)
}

/// Remembers what cameras have just taken. A moment before the last picture, in a log or after a restart, forgets them all.
fn keep_pictures(seen: &mut Readings, readings: &Readings) {
    if readings.time < seen.time || seen.images.len() != readings.images.len() {
        (seen.images, seen.depth_images) = (readings.images.clone(), readings.depth_images.clone());
    }
    seen.time = readings.time;
    for (kept, new) in seen.images.iter_mut().zip(&readings.images) {
        *kept = new.clone().or(kept.take());
    }
    for (kept, new) in seen.depth_images.iter_mut().zip(&readings.depth_images) {
        *kept = new.clone().or(kept.take());
    }
}

fn show_pictures(seen: &Readings, readings: &mut Readings) {
    if seen.time == readings.time {
        readings.images.clone_from(&seen.images);
        readings.depth_images.clone_from(&seen.depth_images);
    }
}
