//! The force that holds against a hand on a straight way.

use robot_io::State;

/// What is felt in this part of a way's time is what is usual on it: weight in the hand, and friction other than the robot's file says [s].
const LEARNED: [f64; 2] = [0.3, 0.5];
/// A hand that is slower than this feels nothing [m/s].
const SLOWEST: f64 = 1e-3;

/// The force along a way by the work of the joints: what they give beyond gravity and friction, times how far they turn for a metre of the hand.
#[derive(Clone, Copy, Debug, Default, State)]
pub(super) struct ForceAlong {
    /// As it is felt [N].
    pub force: f64,
    usual: f64,
    /// Readings of which that is the mean.
    readings: f64,
}

impl ForceAlong {
    /// In each cycle: so long after the way began [s] the joints have this power [W] at this speed of the hand [m/s].
    pub fn feel(&mut self, time: f64, power: f64, speed: f64) {
        if speed < SLOWEST {
            return;
        }
        let now = power / speed;
        // single readings are noisy
        self.force += 0.2 * (now - self.force);
        if (LEARNED[0]..=LEARNED[1]).contains(&time) {
            self.readings += 1.0;
            self.usual += (now - self.usual) / self.readings;
        }
    }

    /// Whether more than a force [N] holds against the hand; nobody knows in the beginning.
    pub fn exceeds(&self, time: f64, most: f64) -> bool {
        time > LEARNED[1] && self.force - self.usual > most
    }
}
