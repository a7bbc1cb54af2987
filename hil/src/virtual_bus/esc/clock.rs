//! A board's clock, and the loop that makes it follow the reference clock (ETG.1000.4, 6.8).

use robot_io::State;

use super::memory::Memory;
use crate::wire::register as reg;

/// Time in which the loop takes away most of a difference [ns], and in how many corrections at the least.
const SETTLING: f64 = 16.0e6;
const SETTLING_CORRECTIONS: f64 = 8.0;
/// A correction moves the clock by no more than this part of the time since the last one, so time never runs back.
const LARGEST_STEP: f64 = 0.01;
/// A crystal is wrong by less than this; the loop learns no more (1000 ppm).
const LARGEST_LEARNED: f64 = 0.001;
/// Corrections further apart than this say nothing of the speed between them [ns].
const LONGEST_GAP: u64 = 1_000_000_000;

/// Local time as a piecewise linear function of true time.
#[derive(Clone, Debug, Default, State)]
pub(super) struct Clock {
    /// True time of the last change [ns].
    since: u64,
    /// Local time then [ns].
    local: u64,
    /// What `local` lacks [ns].
    fraction: f64,
    /// The crystal's error: 1e-6 is 1 ppm.
    drift: f64,
    /// What the loop has learned of the crystal's error and adds to the speed.
    learned: f64,
    /// Filtered difference [ns].
    difference: f64,
    /// Local time of the last correction [ns].
    corrected: Option<u64>,
}

impl Clock {
    /// A clock that shows `local` at true time `now` and has not been corrected. The crystal stays the same.
    pub(super) fn start(&mut self, now: u64, local: u64) {
        *self = Clock { since: now, local, drift: self.drift, ..Clock::default() };
    }

    /// Local time at true time `now` [ns].
    pub(super) fn local(&self, now: u64) -> u64 {
        let elapsed = now.wrapping_sub(self.since);
        self.local.wrapping_add(elapsed).wrapping_add_signed(libm::floor(self.gained(elapsed)) as i64)
    }

    pub(super) fn set_drift(&mut self, now: u64, ppm: f64) {
        self.rebase(now);
        self.drift = ppm * 1.0e-6;
    }

    /// Forgets what the loop has learned.
    pub(super) fn restart(&mut self, now: u64) {
        self.rebase(now);
        (self.learned, self.difference, self.corrected) = (0.0, 0.0, None);
    }

    /// The local system time is `ahead` of the received one [ns]: takes part of that away at once and learns the speed, a
    /// proportional and integral controller with critical damping. Returns the filtered difference.
    pub(super) fn correct(&mut self, now: u64, ahead: i32, filter_depth: u8) -> f64 {
        let local = self.local(now);
        let weight = 1.0 / f64::from(1_u32 << filter_depth.min(15));
        self.difference += (f64::from(ahead) - self.difference) * weight;
        let gap = self.corrected.map(|last| local.wrapping_sub(last));
        self.corrected = Some(local);
        if let Some(gap) = gap.filter(|gap| (1..LONGEST_GAP).contains(gap)) {
            let settling = SETTLING.max(SETTLING_CORRECTIONS * gap as f64);
            let error = f64::from(ahead) / settling;
            self.rebase(now);
            self.fraction -= error.clamp(-LARGEST_STEP, LARGEST_STEP) * gap as f64;
            let learned = self.learned - 0.25 * error * gap as f64 / settling;
            self.learned = learned.clamp(-LARGEST_LEARNED, LARGEST_LEARNED);
        }
        self.difference
    }

    fn rebase(&mut self, now: u64) {
        let gained = self.gained(now.wrapping_sub(self.since));
        self.local = self.local(now);
        self.fraction = gained - libm::floor(gained);
        self.since = now;
    }

    /// By how much more than the true time local time has advanced [ns]. A frame reaches the boards one after the other, so
    /// a look at a clock may come from a little before its last change.
    fn gained(&self, elapsed: u64) -> f64 {
        self.fraction + (elapsed as i64) as f64 * (self.drift + self.learned)
    }
}

/// When a frame was at a board's ports, true time [ns].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::virtual_bus) struct Passing {
    /// At port 0, on its way out.
    pub(in crate::virtual_bus) out: u64,
    /// At port 1, on its way back; `None` if port 1 is closed.
    pub(in crate::virtual_bus) back: Option<u64>,
}

/// What a write to [`SYSTEM_TIME`](reg::SYSTEM_TIME) does: compares and corrects.
pub(super) fn compare(clock: &mut Clock, memory: &mut Memory, now: u64, received: u32) {
    let local = clock.local(now).wrapping_add(memory.u64(reg::SYSTEM_TIME_OFFSET)) as u32;
    let ahead = local.wrapping_sub(memory.u32(reg::TRANSMISSION_DELAY)).wrapping_sub(received) as i32;
    let mean = clock.correct(now, ahead, memory.u8(reg::DIFFERENCE_FILTER));
    memory.set_u32(reg::TIME_DIFFERENCE, sign_magnitude(mean));
}

/// What a write to [`RECEIVE_TIMES`](reg::RECEIVE_TIMES) does: latches.
pub(super) fn latch(clock: &Clock, memory: &mut Memory, passing: Passing) {
    let out = clock.local(passing.out);
    memory.set_u32(reg::RECEIVE_TIMES, out as u32);
    if let Some(back) = passing.back {
        memory.set_u32(reg::RECEIVE_TIMES + 4, clock.local(back) as u32);
    }
    memory.set_u64(reg::RECEIVE_TIME, out);
}

/// Bit 31 is set if the local time is behind (ETG.1000.4, register 0x092C).
fn sign_magnitude(difference: f64) -> u32 {
    let magnitude = libm::fabs(libm::round(difference)).min(f64::from(i32::MAX)) as u32;
    magnitude | u32::from(difference < 0.0 && magnitude > 0) << 31
}
