//! A controller in trouble: slow, or gone.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use robot_io::{ASKED_TO_BREAK, Event, Events, Period, Severity, ShortName, Time, last_words};

use crate::case::{ControllerFault, ControllerTrouble};

const SOURCE: &str = "controller";
/// The controller as a whole panics.
const WHOLE: ControllerTrouble = ControllerTrouble::Panic { component: None };

/// Stands around the controller: makes the trouble that a scenario asks for, and catches every panic.
///
/// A slow controller is one whose each answer takes n cycles too long: of n + 1 cycles only the last has an answer. In
/// the others nothing is asked of it and nothing is written; the safety filter's watchdog and the plug's own see that.
/// What happens in a cycle depends on its time alone, so there is nothing to save.
#[derive(Debug)]
pub struct ControllerFaults {
    faults: Vec<ControllerFault>,
    period: Period,
    panicked: Option<String>,
    events: Events,
}

impl ControllerFaults {
    /// A controller with these faults ahead of it and a cycle of `period`.
    pub fn new(faults: Vec<ControllerFault>, period: Period) -> ControllerFaults {
        ControllerFaults { faults, period, panicked: None, events: Events::with_capacity(4) }
    }

    /// Lets the controller answer, unless it is too slow for this cycle or gone; true if it has answered.
    pub fn answer(&mut self, now: Time, update: impl FnOnce()) -> bool {
        self.announce(now);
        if self.panicked.is_some() || self.is_silent(now) {
            return false;
        }
        let panics = self.active(now).any(|fault| fault.kind == WHOLE);
        // the controller is never asked again afterwards, so nobody sees a state that was left half-way
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            if panics {
                // not the hook's business: it is wanted
                resume_unwind(Box::new(ASKED_TO_BREAK));
            }
            update();
        }));
        if let Err(payload) = &outcome {
            self.note_panic(now, last_words(payload.as_ref()));
        }
        outcome.is_ok()
    }

    /// Forgets a panic: the session went back to before it.
    pub fn restore(&mut self) {
        self.panicked = None;
        self.events.clear();
    }

    /// With which words the controller panicked, if it did.
    pub fn panicked(&self) -> Option<&str> {
        self.panicked.as_deref()
    }

    /// True if the scenario asks for a panic.
    pub fn wants_panic(&self) -> bool {
        self.faults.iter().any(|fault| fault.kind == WHOLE)
    }

    /// The components that break in this cycle, because the scenario asks for it.
    pub fn breaking(&self, now: Time) -> Vec<ShortName> {
        let begins = self.faults.iter().filter(|fault| fault.is_active(now) && !self.was_active(fault, now));
        let component = |fault: &ControllerFault| match fault.kind {
            ControllerTrouble::Panic { component } => component,
            ControllerTrouble::Slow { .. } => None,
        };
        begins.filter_map(component).collect()
    }

    /// Moves what happened to the end of `events`.
    pub fn drain_events(&mut self, events: &mut Events) {
        events.append(&mut self.events);
    }

    fn active(&self, now: Time) -> impl Iterator<Item = &ControllerFault> {
        self.faults.iter().filter(move |fault| fault.is_active(now))
    }

    /// True if a fault was there one cycle ago.
    fn was_active(&self, fault: &ControllerFault, now: Time) -> bool {
        let before = now.nanoseconds().checked_sub(self.period.nanoseconds());
        before.is_some_and(|before| fault.is_active(Time::from_nanoseconds(before)))
    }

    fn announce(&mut self, now: Time) {
        let slow = |fault: &&ControllerFault| matches!(fault.kind, ControllerTrouble::Slow { .. });
        for fault in self.faults.iter().filter(slow) {
            let (severity, what) = match (self.was_active(fault, now), fault.is_active(now)) {
                (false, true) => (Severity::Error, "controller slow"),
                (true, false) => (Severity::Info, "fault healed"),
                _ => continue,
            };
            self.events.push(Event::note(now, severity, "fault_injector", what));
        }
    }

    fn is_silent(&self, now: Time) -> bool {
        self.active(now).any(|fault| match fault.kind {
            ControllerTrouble::Slow { cycles } => {
                let since = now.since(fault.from).nanoseconds() / self.period.nanoseconds().max(1);
                since % (cycles + 1) < cycles
            }
            ControllerTrouble::Panic { .. } => false,
        })
    }

    fn note_panic(&mut self, now: Time, message: String) {
        let what = format!("controller panicked: {message}").into();
        self.events.push(Event { what, ..Event::note(now, Severity::Stop, SOURCE, "") });
        self.panicked = Some(message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(kind: ControllerTrouble, from: f64, until: f64) -> ControllerFaults {
        let (from, until) = (Time::from_seconds(from), Some(Time::from_seconds(until)));
        ControllerFaults::new(vec![ControllerFault { from, until, kind }], Period::from_milliseconds(1_000))
    }

    fn answers(faults: &mut ControllerFaults, cycles: u32) -> Vec<bool> {
        (0..cycles).map(|cycle| faults.answer(Time::from_seconds(f64::from(cycle)), || {})).collect()
    }

    #[test]
    fn a_slow_controller_answers_in_the_last_of_each_n_and_one_cycles() {
        let mut slow = faults(ControllerTrouble::Slow { cycles: 2 }, 1.0, 7.0);
        assert_eq!(answers(&mut slow, 9), [true, false, false, true, false, false, true, true, true]);
        let mut events = Events::new();
        slow.drain_events(&mut events);
        assert_eq!(events.len(), 2, "it begins and heals: {events:?}");
    }

    #[test]
    fn a_panic_is_caught_and_the_controller_never_asked_again() {
        let mut panics = faults(WHOLE, 2.0, 3.0);
        assert_eq!(answers(&mut panics, 5), [true, true, false, false, false]);
        assert_eq!(panics.panicked(), Some("because the scenario asks for it"));
    }

    #[test]
    fn a_panic_of_its_own_is_told_in_its_own_words() {
        let mut none = ControllerFaults::new(Vec::new(), Period::from_milliseconds(1));
        assert!(!none.answer(Time::ZERO, || resume_unwind(Box::new(format!("index {}", 7)))));
        let mut events = Events::new();
        none.drain_events(&mut events);
        assert_eq!(events[0].what, "controller panicked: index 7");
        assert_eq!(events[0].severity, Severity::Stop);
    }
}
