//! Frames come in, requests go out. The session never waits for the viewer, nor the viewer for the session.

use std::time::Instant;

use bevy::prelude::*;
use crossbeam::channel::{Receiver, Sender, TryRecvError};

use crate::events::EventBook;
use crate::history::History;
use crate::{LogSignals, Request, StationFrame};

/// Takes in frames.
pub(crate) struct FeedPlugin;

/// What happens in which order within `Update`.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Phase {
    /// What the person at the desk does.
    Input,
    /// Things move to where the frame says.
    Move,
    /// Lines are drawn about them.
    Draw,
}

/// Where frames come from.
#[derive(Resource)]
pub(crate) struct Inbox(pub(crate) Receiver<StationFrame>);

/// Where requests go.
#[derive(Resource, Clone)]
pub(crate) struct Outbox(pub(crate) Sender<Request>);

/// The signals of a whole log.
#[derive(Resource, Default)]
pub(crate) struct Past {
    awaited: Option<Receiver<LogSignals>>,
    pub(crate) known: Option<LogSignals>,
}

/// How fast simulated time really passes.
#[derive(Resource, Default, Debug)]
pub(crate) struct Pace {
    /// Simulated seconds per second [1], smoothed; `None` while time stands still.
    pub(crate) factor: Option<f64>,
    last: Option<(Instant, f64)>,
}

/// The last frame.
#[derive(Resource, Default)]
pub(crate) struct Latest {
    pub(crate) shown: Option<StationFrame>,
    /// Has it come since the last picture?
    fresh: bool,
    /// Is it to be fresh in the next picture?
    held: bool,
    /// Has the run begun again with this frame? What was shown before belongs to another one.
    pub(crate) restarted: bool,
    /// Is nobody sending any more?
    pub(crate) ended: bool,
}

impl Latest {
    /// The frame, if it has come since the last picture.
    pub(crate) fn news(&self) -> Option<&StationFrame> {
        self.shown.as_ref().filter(|_| self.fresh)
    }

    /// Shows a frame from this picture on, before the systems that take in frames run.
    pub(crate) fn hold(&mut self, frame: StationFrame) {
        self.shown = Some(frame);
        self.held = true;
    }

    /// Shows a frame.
    pub(crate) fn show(&mut self, frame: StationFrame) {
        self.restarted = self.shown.as_ref().is_some_and(|before| before.status.attempt != frame.status.attempt);
        self.shown = Some(frame);
        self.fresh = true;
    }
}

impl Past {
    /// Nothing is known yet.
    pub(crate) fn new(awaited: Option<Receiver<LogSignals>>) -> Past {
        Past { awaited, known: None }
    }
}

impl Outbox {
    /// Sends a request; nobody listens after the end of a run, which is no error.
    pub(crate) fn send(&self, request: Request) {
        let _ = self.0.send(request);
    }
}

impl Plugin for FeedPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Latest>()
            .init_resource::<History>()
            .init_resource::<EventBook>()
            .init_resource::<Pace>()
            .init_resource::<Past>()
            .configure_sets(Update, (Phase::Input, Phase::Move, Phase::Draw).chain())
            .add_systems(First, grow_stale)
            .add_systems(PreUpdate, receive.run_if(resource_exists::<Inbox>))
            .add_systems(PreUpdate, learn_past)
            .add_systems(PreUpdate, (remember, measure).after(receive));
    }
}

fn grow_stale(mut latest: ResMut<Latest>) {
    latest.fresh = core::mem::take(&mut latest.held);
    latest.restarted = false;
}

fn receive(inbox: Res<Inbox>, mut latest: ResMut<Latest>) {
    match inbox.0.try_recv() {
        Ok(frame) => latest.show(frame),
        Err(TryRecvError::Disconnected) => latest.ended = true,
        Err(TryRecvError::Empty) => {}
    }
}

fn remember(latest: Res<Latest>, mut history: ResMut<History>, mut events: ResMut<EventBook>) {
    if let Some(frame) = latest.news() {
        if latest.restarted {
            history.clear();
            events.clear();
        }
        history.push(frame);
        events.add(&frame.events);
    }
}

fn learn_past(mut past: ResMut<Past>) {
    if let Some(known) = past.awaited.as_ref().and_then(|awaited| awaited.try_recv().ok()) {
        past.known = Some(known);
    }
}

/// Time constant of the smoothing [s].
const SMOOTHING: f64 = 1.0;

fn measure(latest: Res<Latest>, mut pace: ResMut<Pace>) {
    let Some(shown) = latest.news() else { return };
    let (here, there) = (Instant::now(), shown.frame.time.seconds());
    if let Some((before, then)) = pace.last {
        let passed = here.duration_since(before).as_secs_f64().max(1e-6);
        pace.factor = smoothed(pace.factor, (there - then) / passed, passed).filter(|_| !shown.playback.paused);
    }
    pace.last = Some((here, there));
}

/// First-order low pass; a jump back in a log starts anew.
fn smoothed(before: Option<f64>, factor: f64, passed: f64) -> Option<f64> {
    if factor < 0.0 {
        return None;
    }
    let weight = 1.0 - (-passed / SMOOTHING).exp();
    Some(before.map_or(factor, |before| before + weight * (factor - before)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn the_real_time_factor_settles_within_a_few_seconds() {
        let mut factor = Some(0.0);
        for _ in 0..150 {
            factor = smoothed(factor, 2.0, 1.0 / 30.0);
        }
        assert!((factor.unwrap() - 2.0).abs() < 0.02, "{factor:?}");
        assert_eq!(smoothed(factor, -40.0, 0.1), None, "a seek backwards says nothing about speed");
    }
}
