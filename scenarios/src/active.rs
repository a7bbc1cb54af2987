//! Which states of statecharts were active when.

use std::sync::Arc;

use robot_io::{ActiveState, Time};

/// More spans than these are left out: a chart that goes round and round for hours fills no memory.
const MOST_SPANS: usize = 4_000;

/// A state that was active.
#[derive(Clone, Debug)]
pub struct Span {
    /// The state.
    pub state: Arc<ActiveState>,
    /// When it was seen first.
    pub begun: Time,
    /// When it was seen no more; `None` as long as it is active.
    pub ended: Option<Time>,
}

/// All states that were active in a run, in the order in which they began.
#[derive(Clone, Debug, Default)]
pub struct ActiveStates {
    spans: Vec<Span>,
    /// Those that have not ended.
    open: Vec<usize>,
    is_cut: bool,
}

impl ActiveStates {
    /// Takes note of one cycle.
    pub fn observe(&mut self, now: Time, states: &[Arc<ActiveState>]) {
        let ActiveStates { spans, open, is_cut } = self;
        open.retain(|span| {
            let is_active = states.iter().any(|state| Arc::ptr_eq(state, &spans[*span].state));
            if !is_active {
                spans[*span].ended = Some(now);
            }
            is_active
        });
        for state in states {
            let is_open = open.iter().any(|span| Arc::ptr_eq(state, &spans[*span].state));
            if is_open {
                continue;
            }
            if spans.len() == MOST_SPANS {
                *is_cut = true;
                continue;
            }
            open.push(spans.len());
            spans.push(Span { state: Arc::clone(state), begun: now, ended: None });
        }
    }

    /// All that were seen, the first to begin first.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// True if there were more than there is room for.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> Time {
        Time::from_seconds(seconds)
    }

    fn state(path: &str) -> Arc<ActiveState> {
        Arc::new(ActiveState { path: path.to_owned(), ..ActiveState::default() })
    }

    #[test]
    fn a_state_lasts_from_where_it_was_seen_first_to_where_it_was_seen_no_more() {
        let (up, down, eyes) = (state("greet/up"), state("greet/down"), state("look/about"));
        let mut active = ActiveStates::default();
        active.observe(at(1.0), &[up.clone(), eyes.clone()]);
        active.observe(at(1.5), &[up.clone(), eyes.clone()]);
        active.observe(at(2.0), &[eyes.clone(), down]);
        // the same state anew is another span
        active.observe(at(3.0), &[eyes, state("greet/down")]);
        let seen: Vec<_> =
            active.spans().iter().map(|span| (span.state.path.as_str(), span.begun, span.ended)).collect();
        let expected = [
            ("greet/up", at(1.0), Some(at(2.0))),
            ("look/about", at(1.0), None),
            ("greet/down", at(2.0), Some(at(3.0))),
            ("greet/down", at(3.0), None),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_chart_that_never_rests_fills_no_memory() {
        let mut active = ActiveStates::default();
        for cycle in 0..2 * MOST_SPANS {
            active.observe(at(cycle as f64), &[state("spin/round")]);
        }
        assert!(active.spans().len() == MOST_SPANS && active.is_cut());
    }
}
