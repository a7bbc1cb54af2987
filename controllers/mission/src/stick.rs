//! The operator's stick.

use robot_io::{Period, State, Time, Twist};

/// The operator's stick. It counts as held for a moment after the last touch, so that a shaky hand does not toggle the
/// mission; after a stop it must be released before it counts again.
#[derive(Clone, Copy, Debug, Default, State)]
pub struct Stick {
    twist: Option<Twist>,
    held_until: Option<Time>,
    pub(crate) blocked: bool,
}

impl Stick {
    /// True while the operator drives.
    pub fn is_held(&self) -> bool {
        self.held_until.is_some()
    }

    /// The velocity to drive with while the operator drives.
    pub fn twist(&self) -> Option<Twist> {
        self.held_until.map(|_| self.twist.unwrap_or_default())
    }

    /// Does not count until it is released.
    pub fn block(&mut self) {
        *self = Stick { blocked: true, ..Stick::default() };
    }

    /// Takes in a cycle; `touch` must be finite.
    pub(crate) fn feel(&mut self, touch: Option<Twist>, now: Time, release: Period) {
        self.blocked &= touch.is_some();
        self.twist = touch.filter(|_| !self.blocked);
        match self.held_until {
            _ if self.twist.is_some() => self.held_until = Some(now + release),
            Some(until) if now >= until => self.held_until = None,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RELEASE: Period = Period::from_milliseconds(500);
    const FORWARD: Option<Twist> = Some(Twist { x: 0.3, y: 0.0, yaw: 0.0 });

    fn at(ms: u64) -> Time {
        Time::from_nanoseconds(ms * 1_000_000)
    }

    #[test]
    fn a_released_stick_stops_at_once_but_is_held_for_a_moment() {
        let mut stick = Stick::default();
        stick.feel(FORWARD, at(0), RELEASE);
        assert_eq!(stick.twist(), FORWARD);
        stick.feel(None, at(499), RELEASE);
        assert_eq!(stick.twist(), Some(Twist::default()), "stands still");
        stick.feel(None, at(500), RELEASE);
        assert!(!stick.is_held());
    }

    #[test]
    fn a_blocked_stick_must_be_released_first() {
        let mut stick = Stick::default();
        stick.block();
        stick.feel(FORWARD, at(0), RELEASE);
        assert!(!stick.is_held());
        stick.feel(None, at(1), RELEASE);
        stick.feel(FORWARD, at(2), RELEASE);
        assert!(stick.is_held());
    }
}
