//! All that happened, in order of time, each event once.

use bevy::prelude::Resource;
use robot_io::{Event, Time};

/// The events known so far.
#[derive(Resource, Default, Debug)]
pub(crate) struct EventBook {
    events: Vec<Event>,
}

impl EventBook {
    /// Adds those that are new: a seek in a log may send some again.
    pub(crate) fn add(&mut self, events: &[Event]) {
        for event in events {
            let from = self.events.partition_point(|known| known.time < event.time);
            let to = self.events.partition_point(|known| known.time <= event.time);
            if !self.events[from..to].iter().any(|known| same(known, event)) {
                self.events.insert(to, event.clone());
            }
        }
    }

    /// Forgets all of them.
    pub(crate) fn clear(&mut self) {
        self.events.clear();
    }

    /// All of them, by time.
    pub(crate) fn all(&self) -> &[Event] {
        &self.events
    }

    /// Those up to this moment.
    pub(crate) fn until(&self, now: Time) -> &[Event] {
        &self.events[..self.events.partition_point(|event| event.time <= now)]
    }
}

/// Equal to the bit: an event without numbers has NaN there, which is not equal to itself.
fn same(a: &Event, b: &Event) -> bool {
    let numbers = |event: &Event| (event.value.to_bits(), event.limit.to_bits());
    a.time == b.time
        && a.severity == b.severity
        && a.source == b.source
        && a.subject == b.subject
        && a.what == b.what
        && numbers(a) == numbers(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use robot_io::Severity;

    #[test]
    fn an_event_sent_twice_is_listed_once_and_in_order() {
        let at = |seconds| Event::note(Time::from_seconds(seconds), Severity::Info, "mission", "step done");
        let mut book = EventBook::default();
        book.add(&[at(2.0), at(1.0)]);
        book.add(&[at(1.0), at(3.0)]);
        let times: Vec<f64> = book.all().iter().map(|event| event.time.seconds()).collect();
        assert_eq!(times, [1.0, 2.0, 3.0]);
        assert_eq!(book.until(Time::from_seconds(2.0)).len(), 2);
    }

    #[test]
    fn two_things_at_the_same_moment_are_both_listed() {
        let mut book = EventBook::default();
        let stop = Event::note(Time::ZERO, Severity::Stop, "safety_filter", "stop");
        book.add(&[stop.clone(), stop.clone().with(1.0, 0.5), stop]);
        assert_eq!(book.all().len(), 2);
    }
}
