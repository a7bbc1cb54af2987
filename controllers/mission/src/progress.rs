//! Progress instead of timeouts.
//!
//! "A timeout is not progress: give each action a progress metric and a monitor" (digest of the Momaro paper, 1.3):
//! a fixed timeout once aborted an approach that was still getting nearer, and the mission would have gone on without
//! its battery.

use robot_io::{Period, State, Time};

/// How much of an action is left. Each number falls to zero as the action succeeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Remaining {
    /// Way left [m].
    pub distance: f64,
    /// Turn left [rad]: of the base, or of the joint that is farthest from its place.
    pub turn: f64,
    /// Time left [s], of actions that take the time they take.
    pub time: f64,
}

/// What counts as progress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProgressThresholds {
    /// Without progress for so long, an action is stalled.
    pub stall_time: Period,
    /// So much nearer than ever before [m].
    pub distance: f64,
    /// So much better turned than ever before [rad].
    pub turn: f64,
}

/// Watches one action. Progress means to beat the best so far by the threshold; since no metric falls below zero, no
/// action can make progress for ever.
#[derive(Clone, Copy, Debug, State)]
pub struct ProgressMonitor {
    #[state(fixed)]
    thresholds: ProgressThresholds,
    best: Remaining,
    last_progress: Time,
}

impl ProgressMonitor {
    /// A monitor that has seen nothing yet.
    pub fn new(thresholds: ProgressThresholds) -> ProgressMonitor {
        ProgressMonitor { thresholds, best: UNSEEN, last_progress: Time::ZERO }
    }

    /// Begins with an action, or with another try of it.
    pub fn restart(&mut self, now: Time) {
        (self.best, self.last_progress) = (UNSEEN, now);
    }

    /// Takes note of what is left; true if the action is stalled.
    pub fn is_stalled(&mut self, now: Time, left: &Remaining) -> bool {
        let ProgressThresholds { distance, turn, .. } = self.thresholds;
        let progress = [
            beats(&mut self.best.distance, left.distance, distance),
            beats(&mut self.best.turn, left.turn, turn),
            beats(&mut self.best.time, left.time, f64::MIN_POSITIVE),
        ];
        if progress.contains(&true) {
            self.last_progress = now;
        }
        self.without_progress(now) >= self.thresholds.stall_time
    }

    /// How long there has been no progress.
    pub fn without_progress(&self, now: Time) -> Period {
        now.since(self.last_progress)
    }
}

const UNSEEN: Remaining = Remaining { distance: f64::INFINITY, turn: f64::INFINITY, time: f64::INFINITY };

/// Keeps the smaller value, if it is smaller by `threshold`. Not-a-number never beats anything.
fn beats(best: &mut f64, left: f64, threshold: f64) -> bool {
    let better = left <= *best - threshold && left < *best;
    if better {
        *best = left;
    }
    better
}

#[cfg(test)]
mod tests {
    use super::*;

    fn monitor() -> ProgressMonitor {
        let stall_time = Period::from_milliseconds(5_000);
        ProgressMonitor::new(ProgressThresholds { stall_time, distance: 0.05, turn: 0.05 })
    }

    fn seconds_until_stall(mut metric: impl FnMut(f64) -> Remaining) -> Option<u64> {
        let mut monitor = monitor();
        monitor.restart(Time::ZERO);
        (0..600).find(|&s| monitor.is_stalled(Time::from_seconds(s as f64), &metric(s as f64)))
    }

    #[test]
    fn ten_minutes_of_slow_progress_are_not_a_stall() {
        let creeping = |t: f64| Remaining { distance: 20.0 - 0.02 * t, ..Remaining::default() };
        assert_eq!(seconds_until_stall(creeping), None, "2 cm/s is progress");
    }

    #[test]
    fn standing_in_front_of_a_wall_is_a_stall_although_the_robot_jerks() {
        let jerking = |t: f64| Remaining { distance: 3.0 + 0.04 * (t % 2.0), ..Remaining::default() };
        assert_eq!(seconds_until_stall(jerking), Some(5));
    }

    #[test]
    fn going_to_and_fro_is_a_stall() {
        let pacing = |t: f64| Remaining { distance: if t % 4.0 < 2.0 { 1.0 } else { 2.0 }, ..Remaining::default() };
        assert_eq!(seconds_until_stall(pacing), Some(5));
    }

    #[test]
    fn turning_on_the_spot_is_progress_as_long_as_it_turns_to_the_goal() {
        let turning = |t: f64| Remaining { distance: 0.02, turn: (3.0 - 0.1 * t).max(0.0), time: 0.0 };
        assert_eq!(seconds_until_stall(turning), Some(35), "stalled 5 s after the last progress");
    }
}
