//! When cycles begin on a network: at whole periods of this machine's clock, led gently by the reference clock of the boards.

/// The most that a cycle's start is moved to follow the reference clock, as a part of the period.
const STEP: i64 = 200;
/// The part of the phase's error that is corrected in a cycle.
const GAIN: i64 = 16;

/// Places the cycles of a run, counted in its own time, on this machine's clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    period: u64,
    /// What is added to the run's time to get the machine's [ns].
    offset: Option<i64>,
    /// The last cycle's start in the run's time [ns].
    last: u64,
}

/// The start of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Start {
    /// When it is due, on the machine's clock [ns].
    pub due: u64,
    /// Whole cycles that were left out to get there.
    pub skipped: u64,
}

impl Pace {
    pub fn new(period: u64) -> Pace {
        Pace { period: period.max(1), offset: None, last: 0 }
    }

    /// When the cycle that begins at `next` in the run's time is due. After a stall of more than a period whole cycles are left out:
    /// the run's time falls behind the machine's, and no cycles follow each other in a burst.
    pub fn next(&mut self, next: u64, now: u64) -> Start {
        self.last = next;
        let first = now.next_multiple_of(self.period) as i64 - next as i64;
        let offset = *self.offset.get_or_insert(first);
        let due = next.saturating_add_signed(offset);
        let skipped = now.saturating_sub(due) / self.period;
        let due = due + skipped * self.period;
        self.offset = Some(offset + (skipped * self.period) as i64);
        Start { due, skipped }
    }

    /// When a cycle is due that does not move the run's time.
    pub fn linger(&mut self, now: u64) -> Start {
        self.offset = self.offset.map(|offset| offset + self.period as i64);
        self.next(self.last, now)
    }

    /// Frames passed the reference clock at this time of it [ns]; SYNC0 is placed after whole periods of it, so cycles are
    /// moved until frames pass there.
    pub fn steer(&mut self, reference: u64) {
        let period = self.period as i64;
        let phase = (reference % self.period) as i64;
        let error = if phase > period / 2 { phase - period } else { phase };
        let step = (error / GAIN).clamp(-period / STEP, period / STEP);
        self.offset = self.offset.map(|offset| offset - step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_follow_each_other_at_whole_periods() {
        let mut pace = Pace::new(1_000);
        assert_eq!(pace.next(0, 10_300), Start { due: 11_000, skipped: 0 });
        assert_eq!(pace.next(1_000, 11_400), Start { due: 12_000, skipped: 0 });
        assert_eq!(pace.linger(12_100), Start { due: 13_000, skipped: 0 });
        assert_eq!(pace.next(2_000, 13_100), Start { due: 14_000, skipped: 0 });
    }

    #[test]
    fn a_stall_leaves_cycles_out() {
        let mut pace = Pace::new(1_000);
        pace.next(0, 9_500);
        assert_eq!(pace.next(1_000, 11_700), Start { due: 11_000, skipped: 0 }, "late by less than a period");
        assert_eq!(pace.next(2_000, 17_400), Start { due: 17_000, skipped: 5 });
        assert_eq!(pace.next(3_000, 17_500), Start { due: 18_000, skipped: 0 });
    }

    #[test]
    fn frames_come_to_pass_the_reference_clock_at_whole_periods() {
        for (drift, phase) in [(100_i64, 300_000_i64), (-100, -300_000)] {
            let mut pace = Pace::new(1_000_000);
            let mut now = 5_000_000_u64;
            let mut reference = 0;
            for cycle in 0..2_000_u64 {
                let start = pace.next(cycle * 1_000_000, now);
                // the reference clock is off by a phase and runs fast or slow
                reference = start.due.saturating_add_signed(phase + drift * cycle as i64);
                pace.steer(reference);
                now = start.due + 100_000;
            }
            let error = (reference % 1_000_000).min(1_000_000 - reference % 1_000_000);
            assert!(error < 5_000, "{error} ns with a drift of {drift} ns a cycle");
        }
    }
}
