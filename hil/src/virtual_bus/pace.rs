//! When the robot behind boards on a network card makes its cycles. Nothing here reads a clock.
//!
//! Its time goes on at its own rate, whatever comes over the cable: cycle k is due at a fixed time, and may be made up to
//! half a period sooner or later, so that it follows process data and keeps no frame waiting. Where frames leave no gap, it
//! is made at the end of that window between two of them.

use robot_io::Period;

/// Robots that are farther behind than this give cycles up instead of making them up [ns].
const PATIENCE: u64 = 100_000_000;
/// A MainDevice's cycle has several frames, one after the other. The robot moves when none has come for this long [ns], or
/// an eighth of a short cycle: a robot that takes its time would keep the later frames waiting.
const SILENCE: u64 = 150_000;
/// Process data that comes at least once in so many periods is followed.
const FOLLOWED: u64 = 3;

/// The robot's cycles on the time line. All times are of one monotonic clock [ns].
#[derive(Clone, Debug)]
pub struct Pace {
    period: u64,
    /// When the robot's next cycle is due.
    due: u64,
    /// When process data last came.
    last_cyclic: Option<u64>,
    /// When a frame last came.
    last_frame: u64,
    /// Process data came that the robot has not yet moved for.
    cyclic: bool,
    behind: u64,
}

impl Pace {
    /// The first cycle is due a period after `now`.
    pub fn new(period: Period, now: u64) -> Pace {
        let period = period.nanoseconds().max(1);
        Pace { period, due: now + period, last_cyclic: None, last_frame: now, cyclic: false, behind: 0 }
    }

    /// A frame was answered at `now`; `cyclic` if it brought process data.
    pub fn frame(&mut self, now: u64, cyclic: bool) {
        self.last_frame = now;
        if cyclic {
            (self.last_cyclic, self.cyclic) = (Some(now), true);
        }
    }

    /// Nobody drives a board: the robot's time stands still.
    pub fn rest(&mut self, now: u64) {
        (self.due, self.cyclic, self.behind) = (now + self.period, false, 0);
    }

    /// When the next cycle is made if nothing else comes.
    pub fn next(&self, now: u64) -> u64 {
        let half = self.period / 2;
        let follows = self.last_cyclic.is_some_and(|last| now.saturating_sub(last) < FOLLOWED * self.period);
        let latest = if follows { self.due + half } else { self.due };
        let silent = self.last_frame + SILENCE.min(self.period / 8);
        if self.cyclic { silent.max(self.due.saturating_sub(half)).min(latest) } else { latest }
    }

    /// Is it time for the next cycle?
    pub fn is_due(&self, now: u64) -> bool {
        now >= self.next(now)
    }

    /// A cycle begins at `now`. How many are given up because the robot is too far behind.
    pub fn make(&mut self, now: u64) -> u64 {
        self.cyclic = false;
        self.behind = now.saturating_sub(self.due + self.period / 2);
        let given_up = if self.behind > PATIENCE { (now - self.due) / self.period } else { 0 };
        self.due += (1 + given_up) * self.period;
        given_up
    }

    /// How much later than it may the last cycle began: more than a period means that the robot's time is behind.
    pub fn behind(&self) -> u64 {
        self.behind
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Period = Period::from_milliseconds(2);
    const MS: u64 = 1_000_000;

    /// A server with a MainDevice whose next frame comes when `next` says, given when the last was answered. Returns the
    /// cycles' beginnings. `busy`: from when to when the server is held up.
    fn run(next: impl Fn(u64) -> u64, answer: u64, tick: u64, end: u64, busy: impl Fn(u64) -> Option<u64>) -> Vec<u64> {
        let (mut pace, mut now, mut made) = (Pace::new(PERIOD, 0), 0, Vec::new());
        let mut frame = next(0);
        while now < end {
            now = busy(now).unwrap_or(now);
            if frame <= now {
                now += answer;
                pace.frame(now, true);
                frame = next(now).max(frame + 1);
            }
            if pace.is_due(now) {
                made.push(now);
                pace.make(now);
                now += tick;
            } else if frame > now {
                now = frame.min(pace.next(now)).max(now + 1);
            }
        }
        made
    }

    fn even(made: &[u64], end: u64) {
        let expected = end / PERIOD.nanoseconds();
        assert!(made.len().abs_diff(expected as usize) <= 2, "{} of {expected} cycles", made.len());
        for (k, at) in made.iter().enumerate() {
            let due = (k as u64 + 1) * PERIOD.nanoseconds();
            assert!(at.abs_diff(due) <= PERIOD.nanoseconds() / 2 + 300_000, "cycle {k} at {at} ns");
        }
    }

    #[test]
    fn time_goes_on_at_its_own_rate_under_cycles_of_200_us() {
        for answer in [5_000, 60_000, 150_000] {
            even(&run(|now| (now / 200_000 + 1) * 200_000, answer, 100_000, 4_000 * MS, |_| None), 4_000 * MS);
        }
    }

    #[test]
    fn time_goes_on_at_its_own_rate_under_a_free_running_main_device() {
        even(&run(|now| now + 10_000, 40_000, 100_000, 4_000 * MS, |_| None), 4_000 * MS);
        // the next frame is there before the answer to the last has left
        even(&run(|now| now, 40_000, 100_000, 4_000 * MS, |_| None), 4_000 * MS);
    }

    #[test]
    fn time_goes_on_at_its_own_rate_with_slow_process_data_and_without_any() {
        for period in [3 * MS, 10 * MS, 500 * MS] {
            even(&run(|now| (now / period + 1) * period, 40_000, 100_000, 4_000 * MS, |_| None), 4_000 * MS);
        }
        even(&run(|_| u64::MAX, 0, 100_000, 4_000 * MS, |_| None), 4_000 * MS);
    }

    #[test]
    fn a_cycle_follows_process_data_of_the_same_period_after_a_silence() {
        let made = run(|now| (now / (2 * MS) + 1) * 2 * MS, 40_000, 100_000, 1_000 * MS, |_| None);
        for at in &made[1..] {
            assert_eq!(at % (2 * MS), 40_000 + SILENCE, "right behind the frame");
        }
    }

    #[test]
    fn a_server_that_is_held_up_makes_its_cycles_up() {
        // 3 ms in every 120
        let busy = |now: u64| (now % (120 * MS) < 3 * MS).then(|| now / (120 * MS) * 120 * MS + 3 * MS);
        let made = run(|now| (now / (2 * MS) + 1) * 2 * MS, 40_000, 100_000, 4_000 * MS, busy);
        assert!(made.len().abs_diff(2_000) <= 2, "{}", made.len());
    }

    #[test]
    fn lateness_shows_at_once_and_what_cannot_be_made_up_is_given_up() {
        let mut pace = Pace::new(PERIOD, 0);
        assert_eq!((pace.make(2 * MS), pace.behind()), (0, 0));
        assert_eq!((pace.make(15 * MS), pace.behind()), (0, 10 * MS), "due at 4 ms, in time until 5 ms");
        assert_eq!((pace.make(16 * MS), pace.behind()), (0, 9 * MS), "and it makes up");
        assert_eq!(pace.make(508 * MS), 250, "half a second is too much");
        assert!(!pace.is_due(509 * MS) && pace.is_due(510 * MS));
    }
}
