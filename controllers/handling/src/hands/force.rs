//! The force that holds against a hand on a straight way.

use robot_io::State;

/// Until then nothing is told of a way [s]: its joints turn round in their gears.
const BEGUN: f64 = 0.25;
/// What is felt in this part of a way's time is what is usual on it: weight in the hand, and friction other than the robot's file says [s].
/// Before, what friction held at rest has not turned round yet, which is felt as tens of newtons along the way: the file's friction is made up for,
/// but not exactly, and gears have play.
const LEARNED: [f64; 2] = [0.55, 0.8];
/// Before it is known what is usual, so much of what is felt may be that [N].
const UNKNOWN: f64 = 10.0;
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
        let usual = if time > LEARNED[1] { self.usual } else { UNKNOWN };
        time > BEGUN && self.force - usual > most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CYCLE: f64 = 0.004;
    const SPEED: f64 = 0.02;

    /// When a hand tells that more than 10 N hold against it on a way where `force` [N] is felt at a time [s].
    fn told(force: impl Fn(f64) -> f64) -> Option<f64> {
        let mut along = ForceAlong::default();
        (1..1000).map(|cycle| f64::from(cycle) * CYCLE).find(|time| {
            along.feel(*time, force(*time) * SPEED, SPEED);
            along.exceeds(*time, 10.0)
        })
    }

    /// What friction in the gears held at rest turns round.
    fn turns_round(time: f64) -> f64 {
        -6.0 - 30.0 * (-time / 0.12).exp()
    }

    #[test]
    fn friction_that_turns_round_is_nothing_that_is_met() {
        assert_eq!(told(turns_round), None);
    }

    #[test]
    fn what_is_met_is_told_at_once() {
        let met = told(|time| turns_round(time) + if time > 2.0 { 15.0 } else { 0.0 });
        assert!(met.is_some_and(|met| met > 2.0 && met < 2.1), "{met:?}");
    }

    #[test]
    fn what_is_met_before_anything_is_usual_is_told_where_it_is_strong() {
        let met = told(|time| if time > 0.3 { 60.0 } else { 0.0 });
        assert!(met.is_some_and(|met| met > 0.3 && met < 0.4), "{met:?}");
    }
}
