//! Progress along the way instead of a timeout.

use robot_io::{Period, State, Time};

/// Watches the way that is left. Progress means to beat the best so far by a threshold. A new plan that leads a longer way
/// round may set the best back, but only by as much in all as there is credit, so that going to and fro between two plans is no
/// progress.
#[derive(Clone, Copy, Debug, PartialEq, State)]
pub(crate) struct Progress {
    #[state(fixed)]
    threshold: f64,
    best: f64,
    credit: f64,
    since: Time,
}

impl Progress {
    /// Has seen nothing yet; `threshold` [m].
    pub fn new(threshold: f64) -> Progress {
        Progress { threshold, best: f64::INFINITY, credit: 0.0, since: Time::ZERO }
    }

    /// Begins with a new goal; longer plans may come up to `credit` [m] in all.
    pub fn begin(&mut self, now: Time, credit: f64) {
        (self.best, self.credit, self.since) = (f64::INFINITY, credit, now);
    }

    /// Begins another try, with the same credit.
    pub fn try_again(&mut self, now: Time) {
        (self.best, self.since) = (f64::INFINITY, now);
    }

    /// A new plan: `left` is its length [m].
    pub fn replanned(&mut self, now: Time, left: f64) {
        let longer = left - self.best;
        if longer > 0.0 && longer.is_finite() {
            let granted = longer.min(self.credit);
            (self.best, self.credit) = (self.best + granted, self.credit - granted);
            if granted > self.threshold {
                self.since = now;
            }
        }
    }

    /// Takes note of what is left [m]; returns how long there has been no progress.
    pub fn note(&mut self, now: Time, left: f64) -> Period {
        if left <= self.best - self.threshold {
            (self.best, self.since) = (left, now);
        }
        now.since(self.since)
    }

    /// The least that was ever left [m].
    pub fn best(&self) -> f64 {
        self.best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stall_after(mut left: impl FnMut(f64) -> f64) -> f64 {
        let mut progress = Progress::new(0.1);
        progress.begin(Time::ZERO, 5.0);
        let seconds = (0..400).map(f64::from);
        seconds.map(|t| progress.note(Time::from_seconds(t), left(t)).seconds()).fold(0.0, f64::max)
    }

    #[test]
    fn slow_is_not_stuck_and_to_and_fro_is() {
        assert!(stall_after(|t| 20.0 - 0.05 * t) < 5.0);
        assert!(stall_after(|t| 3.0 + (t % 4.0 - 2.0).abs()) > 300.0);
    }

    #[test]
    fn a_detour_is_granted_but_not_for_ever() {
        let mut progress = Progress::new(0.1);
        progress.begin(Time::ZERO, 5.0);
        let mut longest: f64 = 0.0;
        for second in 0..200 {
            let now = Time::from_seconds(f64::from(second));
            // two plans in turn, 3 m and 6 m long, and the robot goes to and fro
            if second % 10 == 0 {
                progress.replanned(now, if second % 20 == 0 { 3.0 } else { 6.0 });
            }
            longest = longest.max(progress.note(now, if second % 20 < 10 { 3.0 } else { 6.0 }).seconds());
        }
        assert!(longest > 100.0, "{longest}");
    }
}
