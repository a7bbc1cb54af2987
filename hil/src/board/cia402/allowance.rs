//! How far a position target may move: as far as the MainDevice could have moved it since.

use robot_io::State;

/// Outputs that are remembered: a longer disturbance is the watchdog's.
const REMEMBERED: usize = 8;

/// The last outputs with when they came, and how many cycles' travel each used.
///
/// Outputs arrive late when somebody on the way is held up, and bunched together afterwards; some never arrive. So the time
/// since the last ones says too little: what counts is the time since any of those remembered, less what came in between.
#[derive(Clone, Debug, Default, State)]
#[state(then = "bound")]
pub(super) struct Allowance {
    /// When outputs came, newest first [ns].
    arrivals: [u64; REMEMBERED],
    /// The cycles' travel that they used.
    used: [u64; REMEMBERED],
    count: u64,
    /// When the present outputs came [ns]; `None` where nobody tells.
    now: Option<u64>,
}

impl Allowance {
    /// New outputs have come at `now` [ns].
    pub fn arrive(&mut self, now: u64) {
        self.now = Some(now);
    }

    /// So many cycles of `period` [ns] could the MainDevice have made for the present outputs. 1 at the least.
    pub fn cycles(&self, period: u64) -> u64 {
        let Some(now) = self.now.filter(|_| period > 0) else { return 1 };
        let (mut most, mut used) = (1, 0);
        for place in 0..self.count as usize {
            // up to a tenth of a cycle early is the clock's and the cable's doing
            let elapsed = now.saturating_sub(self.arrivals[place]) + 9 * period / 10;
            most = most.max((elapsed / period).saturating_sub(used));
            used += self.used[place];
        }
        most
    }

    /// The present outputs used so many cycles' travel.
    pub fn use_up(&mut self, cycles: u64) {
        let Some(now) = self.now else { return };
        self.arrivals.rotate_right(1);
        self.used.rotate_right(1);
        (self.arrivals[0], self.used[0]) = (now, cycles.max(1));
        self.count = (self.count + 1).min(REMEMBERED as u64);
    }

    /// What was before no longer counts: another mode, another state.
    pub fn forget(&mut self) {
        self.count = 0;
    }

    /// A broken snapshot must not lead outside.
    fn bound(&mut self) {
        self.count = self.count.min(REMEMBERED as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: u64 = 4_000_000;

    /// What outputs may use that arrive at these times [µs], each using `steps`.
    fn allowed(arrivals: &[(u64, u64)]) -> Vec<u64> {
        let mut allowance = Allowance::default();
        let mut answer = |&(at, used): &(u64, u64)| {
            allowance.arrive(1_000 * at);
            let cycles = allowance.cycles(PERIOD);
            allowance.use_up(used);
            cycles
        };
        arrivals.iter().map(&mut answer).collect()
    }

    #[test]
    fn a_cycle_each_in_steady_state_however_they_jitter_a_little() {
        assert_eq!(allowed(&[(0, 1), (4_000, 1), (8_300, 1), (12_000, 1), (16_000, 1)]), [1; 5]);
        assert_eq!(allowed(&[(0, 1), (200, 1), (400, 1), (600, 1)]), [1; 4], "and a cycle each to a hasty MainDevice");
    }

    #[test]
    fn outputs_that_are_lost_are_made_up_for_once() {
        assert_eq!(allowed(&[(0, 1), (4_000, 1), (12_000, 2), (16_000, 1)]), [1, 1, 2, 1]);
    }

    #[test]
    fn outputs_that_come_late_are_no_reason_to_allow_less() {
        // those of 4 ms come at 7 ms, those of 8 ms never
        assert_eq!(allowed(&[(0, 1), (7_000, 1), (12_000, 2)])[2], 2);
        // those of 4 and 12 ms come at 12.5 ms together, those of 8 ms never
        assert!(allowed(&[(0, 1), (12_500, 1), (12_500, 2)])[2] >= 2);
    }
}
