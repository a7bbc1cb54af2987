//! What the operator sees of a robot that is far away: late, and not all of the time.

use std::collections::VecDeque;

use robot_io::Event;
use station::{Playback, StationFrame};

use crate::case::Link;

/// The way from the robot to the window.
#[derive(Debug)]
pub(super) struct Downlink {
    link: Link,
    /// In the order in which they were sent.
    on_the_way: VecDeque<StationFrame>,
    /// What happened while nothing got away, which the next frame brings along.
    kept_back: Vec<Event>,
    /// The last frame that has arrived; at first that of the beginning.
    seen: Option<StationFrame>,
}

impl Downlink {
    /// Nothing is on the way yet.
    pub fn new(link: Link) -> Downlink {
        Downlink { link, on_the_way: VecDeque::new(), kept_back: Vec::new(), seen: None }
    }

    /// Sends a frame off. What there is to be seen at that moment, and of how the show goes on what is so here.
    pub fn pass(&mut self, mut frame: StationFrame) -> StationFrame {
        let (here, attempt) = (frame.playback, frame.status.attempt);
        let mut seen = match self.seen.take() {
            Some(seen) if seen.status.attempt == attempt => seen,
            _ => {
                self.on_the_way.clear();
                self.kept_back.clear();
                StationFrame { events: Vec::new(), ..frame.clone() }
            }
        };
        self.kept_back.append(&mut frame.events);
        if self.link.black_out(here.now).is_none() {
            frame.events = core::mem::take(&mut self.kept_back);
            self.on_the_way.push_back(frame);
        }
        let delay = self.link.delay;
        let mut events = Vec::new();
        while let Some(mut arrived) = self.on_the_way.pop_front_if(|sent| sent.playback.now + delay <= here.now) {
            events.append(&mut arrived.events);
            seen = arrived;
        }
        self.seen = Some(seen.clone());
        seen.playback = Playback { paused: here.paused, speed: here.speed, ..seen.playback };
        seen.status.link = Some(self.link.describe(here.now));
        StationFrame { events, ..seen }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::BlackOut;
    use robot_io::{Period, Severity, Time};

    fn at(seconds: f64) -> StationFrame {
        let now = Time::from_seconds(seconds);
        let mut frame = StationFrame::default();
        frame.playback.now = now;
        frame.events = vec![Event::note(now, Severity::Info, "test", "a moment")];
        frame
    }

    fn seen(link: Link, moments: impl Iterator<Item = f64>) -> Vec<(f64, Vec<f64>)> {
        let mut downlink = Downlink::new(link);
        let seconds = |time: Time| time.seconds();
        moments
            .map(|moment| {
                let frame = downlink.pass(at(moment));
                let events = frame.events.iter().map(|event| seconds(event.time)).collect();
                (seconds(frame.playback.now), events)
            })
            .collect()
    }

    #[test]
    fn what_is_seen_is_late_and_no_event_is_lost() {
        let link = Link { delay: Period::from_seconds(2.0), black_outs: Vec::new() };
        let seen = seen(link, (0..5).map(f64::from));
        assert_eq!(seen.iter().map(|(now, _)| *now).collect::<Vec<_>>(), [0.0, 0.0, 0.0, 1.0, 2.0]);
        assert_eq!(seen.into_iter().flat_map(|(_, events)| events).collect::<Vec<_>>(), [0.0, 1.0, 2.0]);
    }

    #[test]
    fn nothing_is_seen_of_a_black_out_but_later_what_happened_in_it() {
        let dark = BlackOut { at: Time::from_seconds(2.0), until: Time::from_seconds(5.0) };
        let link = Link { delay: Period::from_seconds(1.0), black_outs: vec![dark] };
        let seen = seen(link, (0..8).map(f64::from));
        assert_eq!(seen.iter().map(|(now, _)| *now).collect::<Vec<_>>(), [0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 5.0, 6.0]);
        assert_eq!(seen[6].1, [2.0, 3.0, 4.0, 5.0]);
    }

    #[test]
    fn a_run_that_begins_again_is_seen_from_its_beginning() {
        let mut downlink = Downlink::new(Link { delay: Period::from_seconds(2.0), black_outs: Vec::new() });
        (0..5).for_each(|moment| _ = downlink.pass(at(f64::from(moment))));
        let mut again = at(0.0);
        again.status.attempt = 1;
        let shown = downlink.pass(again);
        assert_eq!((shown.playback.now, shown.events.len()), (Time::ZERO, 0));
    }
}
