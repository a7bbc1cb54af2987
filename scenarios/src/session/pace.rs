//! Holding simulated time to the clock on the wall.

use std::time::{Duration, Instant};

use robot_io::{Clock, IoError, Time};

/// A clock that waits, so that simulated time passes `speed` times as fast as real time. It never changes what the
/// clock inside says, so a paced run has the same result as a free one.
#[derive(Debug)]
pub struct RealTime<C> {
    inner: C,
    speed: Option<f64>,
    anchor: Option<(Instant, Time)>,
}

impl<C: Clock> RealTime<C> {
    /// A clock around `inner`; without a speed it does not wait.
    pub fn new(inner: C, speed: Option<f64>) -> RealTime<C> {
        RealTime { inner, speed, anchor: None }
    }

    /// The clock inside.
    pub fn inner(&self) -> &C {
        &self.inner
    }

    /// Another speed from now on; `None` for as fast as possible.
    pub fn set_speed(&mut self, speed: Option<f64>) {
        (self.speed, self.anchor) = (speed, None);
    }

    /// How long to sleep before `time` is due; zero if it is late, and then lateness is forgiven beyond 100 ms.
    fn wait_for(&mut self, time: Time, now: Instant) -> Duration {
        let Some(speed) = self.speed.filter(|speed| *speed > 0.0) else { return Duration::ZERO };
        let (start, start_time) = *self.anchor.get_or_insert((now, time));
        let due = start + Duration::from_secs_f64(time.since(start_time).seconds() / speed);
        if now.saturating_duration_since(due) > Duration::from_millis(100) {
            self.anchor = Some((now, time));
        }
        due.saturating_duration_since(now)
    }
}

impl<C: Clock> Clock for RealTime<C> {
    fn now(&self) -> Time {
        self.inner.now()
    }

    fn advance(&mut self) -> Result<Time, IoError> {
        let time = self.inner.advance()?;
        std::thread::sleep(self.wait_for(time, Instant::now()));
        Ok(time)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use robot_io::{DummyClock, Period};

    fn clock(speed: Option<f64>) -> RealTime<DummyClock> {
        RealTime::new(DummyClock::new(Period::from_milliseconds(10)), speed)
    }

    #[test]
    fn at_half_speed_ten_milliseconds_wait_for_twenty() {
        let (mut clock, now) = (clock(Some(0.5)), Instant::now());
        assert_eq!(clock.wait_for(Time::ZERO, now), Duration::ZERO);
        assert_eq!(clock.wait_for(Time::from_seconds(0.01), now), Duration::from_millis(20));
    }

    #[test]
    fn a_long_hold_up_is_forgiven_and_not_caught_up() {
        let (mut clock, now) = (clock(Some(1.0)), Instant::now());
        clock.wait_for(Time::ZERO, now);
        let late = now + Duration::from_secs(5);
        assert_eq!(clock.wait_for(Time::from_seconds(0.01), late), Duration::ZERO);
        assert_eq!(clock.wait_for(Time::from_seconds(0.02), late), Duration::from_millis(10));
    }

    #[test]
    fn a_free_clock_never_waits() {
        let (mut clock, now) = (clock(None), Instant::now());
        assert_eq!(clock.wait_for(Time::from_seconds(9.0), now), Duration::ZERO);
    }
}
