//! How active a connection is: a leaky integrator of its messages.
//!
//! After Paikan, "Enhancing Software Module Reusability and Development in Robotic Applications" (PhD thesis, Genoa 2014),
//! equation 3.1, with one difference: there every message of any connection makes all of them leak, so that how long a
//! connection stays active depends on how busy the others are. Here a connection leaks from its own last message on.

use robot_io::math::exp;
use robot_io::{State, Time};

/// How fast the leak begins; the thesis does not say. YARP's `PriorityCarrier` has 5.
const STEEPNESS: f64 = 5.0;
/// Charged to this, a connection becomes active.
const CHARGED: f64 = 1.0 - 1e-9;

/// The activation of one connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub(crate) struct Activation {
    /// What each message adds, 0 to 1.
    #[state(fixed)]
    gain: f64,
    /// After so long without a message it is discharged [s].
    #[state(fixed)]
    time: f64,
    charge: f64,
    last: Option<Time>,
    is_active: bool,
}

impl Activation {
    pub fn new(gain: f64, time: f64) -> Activation {
        Activation { gain, time, ..Activation::default() }
    }

    /// A message has come.
    pub fn arrive(&mut self, now: Time) {
        self.charge = (self.charge * self.left(now) + self.gain).clamp(0.0, 1.0);
        self.last = Some(now);
        self.is_active |= self.charge >= CHARGED;
    }

    /// True from when it was charged until it is discharged.
    pub fn is_active(&mut self, now: Time) -> bool {
        if self.left(now) <= 0.0 {
            (self.charge, self.is_active) = (0.0, false);
        }
        self.is_active
    }

    /// What is left of its charge since the last message, 1 to 0.
    fn left(&self, now: Time) -> f64 {
        let Some(last) = self.last else { return 0.0 };
        let silence = now.since(last).seconds();
        if silence > self.time {
            return 0.0;
        }
        1.0 - exp(STEEPNESS * (silence - self.time) / self.time) + exp(-STEEPNESS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many messages at this rate make a connection with the thesis' numbers active; nothing if 1,000 do not.
    fn messages_until_active(rate: f64) -> Option<usize> {
        let mut connection = Activation::new(0.2, 3.0);
        (1..=1_000).find(|number| {
            let now = Time::from_seconds(*number as f64 / rate);
            connection.arrive(now);
            connection.is_active(now)
        })
    }

    #[test]
    fn it_takes_six_messages_at_usual_rates_and_more_at_slow_ones() {
        for rate in [1.0, 10.0, 100.0] {
            assert_eq!(messages_until_active(rate), Some(6), "{rate} Hz");
        }
        assert!(messages_until_active(0.5).is_some_and(|messages| messages > 6));
        assert_eq!(messages_until_active(0.3), None, "silence of more than 3 s discharges it");
    }

    #[test]
    fn it_stays_active_until_it_is_discharged() {
        let mut connection = Activation::new(1.0, 3.0);
        connection.arrive(Time::from_seconds(1.0));
        assert!(connection.is_active(Time::from_seconds(3.9)));
        assert!(!connection.is_active(Time::from_seconds(4.1)));
    }
}
