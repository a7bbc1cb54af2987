//! What led from one state of a statechart to the next: what the behaviour told, and why.

use robot_io::{ActiveState, Event, Time};

/// Who tells of transitions, and of what skills found out on the way to them.
const BEHAVIOUR: &str = "behaviour";

/// True if an event is of the statechart: a transition, or what a skill found out.
pub(crate) fn is_of_behaviour(event: &Event) -> bool {
    event.source == BEHAVIOUR
}

/// True if an event is a transition, and not only what a skill found out on the way to it.
pub(crate) fn is_transition(event: &Event) -> bool {
    is_of_behaviour(event) && event.what.contains(" ended as '")
}

/// What an event of the statechart tells, without who tells it.
pub(crate) fn told(event: &Event) -> &str {
    without_teller(&event.what)
}

fn without_teller(what: &str) -> &str {
    what.strip_prefix(BEHAVIOUR).map_or(what, str::trim_start)
}

/// What led to a state. A chart that was restored from a snapshot does not remember it; the log's events tell.
pub(crate) fn reason<'a>(state: &'a ActiveState, events: &'a [Event]) -> Option<&'a str> {
    if !state.because.is_empty() {
        return Some(without_teller(&state.because));
    }
    let before = &events[..events.partition_point(|event| event.time <= state.since)];
    before.iter().rfind(|event| is_transition(event)).map(told)
}

/// How long a state has been active [s].
pub(crate) fn age(state: &ActiveState, now: Time) -> f64 {
    now.since(state.since).seconds().max(0.0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use robot_io::Severity;

    use super::*;

    fn event(seconds: f64, source: &'static str, what: &'static str) -> Event {
        Event::note(Time::from_seconds(seconds), Severity::Info, source, what)
    }

    fn events() -> Vec<Event> {
        vec![
            event(1.0, "behaviour", "fetch/look ended as 'done', goes on with 'come'"),
            event(2.0, "behaviour", "the battery is out of reach by 0.1 m"),
            event(2.0, "mission", "leg ended as 'reached'"),
            event(3.0, "behaviour", "behaviour fetch/come ended as 'done', goes on with 'take'"),
        ]
    }

    #[test]
    fn a_state_that_does_not_remember_what_led_to_it_is_explained_by_the_last_transition_before_it() {
        let at = |seconds| ActiveState { since: Time::from_seconds(seconds), ..ActiveState::default() };
        assert_eq!(reason(&at(2.5), &events()), Some("fetch/look ended as 'done', goes on with 'come'"));
        assert_eq!(reason(&at(3.0), &events()), Some("fetch/come ended as 'done', goes on with 'take'"));
        assert_eq!(reason(&at(0.5), &events()), None);
        let knows = ActiveState { because: "it was told to".to_owned(), ..at(3.0) };
        assert_eq!(reason(&knows, &events()), Some("it was told to"));
    }

    #[test]
    fn a_state_that_a_seek_has_left_behind_is_not_younger_than_nothing() {
        let state = ActiveState { since: Time::from_seconds(2.0), ..ActiveState::default() };
        assert_eq!(age(&state, Time::from_seconds(5.0)), 3.0);
        assert_eq!(age(&state, Time::from_seconds(1.0)), 0.0);
    }
}
