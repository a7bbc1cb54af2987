//! Where the base and the joints were in the last cycles.

use nalgebra::Isometry3;
use robot_io::math::wrap_angle;
use robot_io::{Period, State, Time};

/// What is remembered of one cycle.
#[derive(Clone, Copy, Debug, PartialEq, State)]
pub(super) struct Moment {
    pub time: Time,
    /// The base in the odometry frame.
    pub base_in_odom: Isometry3<f64>,
    /// Angular rate by the gyroscope [rad/s].
    pub angular_rate: f64,
    /// Difference of the specific force from that at rest [m/s²].
    pub acceleration: f64,
}

/// A ring of moments, oldest to newest, with the positions of the joints in each.
#[derive(Clone, Debug, State)]
#[state(then = "bound")]
pub(super) struct History {
    #[state(fixed)]
    joints: usize,
    /// Where the next moment goes.
    next: usize,
    filled: usize,
    #[state(elements)]
    moments: Vec<Moment>,
    /// For each moment and joint its position as read [rad], whole turns counted.
    #[state(elements)]
    positions: Vec<f64>,
}

/// A joint's motion over a short time: a straight line through its readings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Line {
    middle: Time,
    position: f64,
    rate: f64,
}

impl History {
    /// Room for `capacity` moments and `joints` joints.
    pub fn new(capacity: usize, joints: usize) -> History {
        let capacity = capacity.max(2);
        let (moments, positions) = (vec![Moment::default(); capacity], vec![0.0; capacity * joints]);
        History { moments, positions, joints, next: 0, filled: 0 }
    }

    pub fn clear(&mut self) {
        (self.next, self.filled) = (0, 0);
    }

    /// A broken snapshot must not lead outside.
    fn bound(&mut self) {
        (self.next, self.filled) = (self.next % self.moments.len(), self.filled.min(self.moments.len()));
    }

    /// Adds a moment and the joints' positions as their encoders say; the turns since the last moment are counted here.
    pub fn push(&mut self, moment: Moment, positions: impl Iterator<Item = f64>) {
        for (joint, read) in positions.take(self.joints).enumerate() {
            let last = self.filled.checked_sub(1).map(|last| self.position(last, joint));
            let position = last.map_or(read, |last| last + wrap_angle(read - last));
            self.positions[self.next * self.joints + joint] = position;
        }
        self.moments[self.next] = moment;
        self.next = (self.next + 1) % self.moments.len();
        self.filled = (self.filled + 1).min(self.moments.len());
    }

    pub fn oldest(&self) -> Option<&Moment> {
        (self.filled > 0).then(|| self.get(0))
    }

    /// Oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Moment> {
        (0..self.filled).map(|place| self.get(place))
    }

    /// The moments before and after a time, or the two at the end nearest to it; `None` before there are two.
    pub fn around(&self, time: Time) -> Option<(&Moment, &Moment)> {
        self.before(time).map(|before| (self.get(before), self.get(before + 1)))
    }

    /// The joints' positions at a time, along the line between the readings before and after it.
    pub fn positions_at(&self, time: Time, positions: &mut [f64]) {
        let Some(before) = self.before(time) else { return };
        let share = share_of_way(time, self.get(before), self.get(before + 1)).clamp(0.0, 1.0);
        for (joint, position) in positions.iter_mut().enumerate().take(self.joints) {
            let (from, to) = (self.position(before, joint), self.position(before + 1, joint));
            *position = from + share * (to - from);
        }
    }

    /// The line through a joint's readings within `half_width` [s] of a time; `None` if there are none.
    pub fn line(&self, joint: usize, middle: Time, half_width: f64) -> Option<Line> {
        let near = |place: &usize| seconds_after(self.get(*place).time, middle).abs() <= half_width;
        let first = self.position((0..self.filled).find(near)?, joint);
        let (mut n, mut t, mut a, mut tt, mut ta) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for place in (0..self.filled).filter(near) {
            let time = seconds_after(self.get(place).time, middle);
            let moved = self.position(place, joint) - first;
            (n, t, a, tt, ta) = (n + 1.0, t + time, a + moved, tt + time * time, ta + time * moved);
        }
        let spread = n * tt - t * t;
        let rate = if spread > 0.0 { (n * ta - t * a) / spread } else { 0.0 };
        Some(Line { middle, position: first + (a - rate * t) / n, rate })
    }

    fn before(&self, time: Time) -> Option<usize> {
        let last = self.filled.checked_sub(2)?;
        // the newest are asked for most
        Some((0..=last).rev().find(|place| self.get(*place).time <= time).unwrap_or(0))
    }

    fn get(&self, place: usize) -> &Moment {
        &self.moments[self.slot(place)]
    }

    fn position(&self, place: usize, joint: usize) -> f64 {
        self.positions[self.slot(place) * self.joints + joint]
    }

    fn slot(&self, place: usize) -> usize {
        let capacity = self.moments.len();
        (self.next + capacity - self.filled + place) % capacity
    }
}

impl Line {
    /// The joint's position at a time [rad], whole turns counted.
    pub fn position(&self, time: Time) -> f64 {
        self.position + self.rate * seconds_after(time, self.middle)
    }

    /// The joint's velocity [rad/s].
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// The line of what lags behind by `lag` [rad].
    #[must_use]
    pub fn lagging(self, lag: f64) -> Line {
        Line { position: self.position - lag * self.rate.signum(), ..self }
    }

    /// The line of what is told so much too late.
    #[must_use]
    pub fn told_late(self, by: Period) -> Line {
        Line { position: self.position + self.rate * by.seconds(), ..self }
    }
}

/// From one time to another [s], negative if `time` comes first.
pub(super) fn seconds_after(time: Time, other: Time) -> f64 {
    1e-9 * (time.nanoseconds() as i64 - other.nanoseconds() as i64) as f64
}

/// How far a time is on the way from one moment to the next, 0 to 1; beyond if it lies outside.
pub(super) fn share_of_way(time: Time, before: &Moment, after: &Moment) -> f64 {
    let whole = seconds_after(after.time, before.time);
    if whole > 0.0 { seconds_after(time, before.time) / whole } else { 0.0 }
}

impl Default for Moment {
    fn default() -> Self {
        Moment { time: Time::ZERO, base_in_odom: Isometry3::identity(), angular_rate: 0.0, acceleration: 0.0 }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Moment {
        Moment { time: Time::from_nanoseconds(1_000_000 * milliseconds), ..Moment::default() }
    }

    #[test]
    fn the_ring_keeps_the_newest() {
        let mut history = History::new(3, 0);
        (0..5).for_each(|cycle| history.push(at(4 * cycle), core::iter::empty()));
        let times: Vec<u64> = history.iter().map(|moment| moment.time.nanoseconds() / 1_000_000).collect();
        assert_eq!(times, [8, 12, 16]);
        let (before, after) = history.around(Time::from_seconds(0.013)).unwrap();
        assert!((share_of_way(Time::from_seconds(0.013), before, after) - 0.25).abs() < 1e-9);
        assert_eq!(history.around(Time::from_seconds(1.0)).unwrap().1.time, Time::from_seconds(0.016));
    }

    #[test]
    fn the_line_counts_turns_and_averages_the_encoder() {
        let mut history = History::new(50, 2);
        let step = core::f64::consts::TAU / 4096.0;
        for cycle in 0..50 {
            let angle = 3.0 + 5.0 * 0.004 * cycle as f64;
            history.push(at(4 * cycle), [0.5, wrap_angle((angle / step).round() * step)].into_iter());
        }
        let line = history.line(1, Time::from_seconds(0.1), 0.06).unwrap();
        assert!((line.position(Time::from_seconds(0.12)) - (3.0 + 0.6)).abs() < 0.2 * step, "{line:?}");
        assert!((line.rate - 5.0).abs() < 0.005);
        assert_eq!(history.line(0, Time::from_seconds(0.1), 0.06).unwrap().position(Time::ZERO), 0.5);
    }
}
