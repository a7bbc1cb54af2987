//! What friction, play and unknown weight keep an arm from: found at rest and on its way, and made up for.

use robot_io::State;

/// How fast what is left is made up for [1/s].
const RATE: f64 = 3.0;
/// What is so little is nothing: an arm at rest would never stop to look for its place [rad or m].
const NOTHING: f64 = 1e-4;
/// A joint that is led this fast learns nothing: what it is behind by is the time that commands and readings take [rad/s or m/s].
const FAST: f64 = 0.15;
/// Joints that are slower than this all together are at rest [rad/s or m/s].
const SLOWEST: f64 = 1e-3;
/// A joint is told to be so much elsewhere at the most [rad or m].
const MOST: f64 = 0.06;

/// For each joint of an arm how much beyond its place it is told to be, so that it is there.
#[derive(Clone, Debug, State)]
pub(super) struct Trim(Vec<f64>);

impl Trim {
    pub fn new(dof: usize) -> Trim {
        Trim(vec![0.0; dof])
    }

    /// Nothing is made up for any more.
    pub fn reset(&mut self) {
        self.0.fill(0.0);
    }

    /// One cycle [s]: where the joints shall be, how fast they are led, and where they are.
    pub fn learn(&mut self, cycle: f64, wanted: &[f64], speeds: &[f64], measured: impl Iterator<Item = f64>) {
        for (((trim, wanted), speed), measured) in self.0.iter_mut().zip(wanted).zip(speeds).zip(measured) {
            let (off, share) = (wanted - measured, (1.0 - speed.abs() / FAST).max(0.0));
            if off.abs() > NOTHING {
                *trim = (*trim + RATE * share * cycle * off).clamp(-MOST, MOST);
            }
        }
    }

    /// The same on a way on which something else leads the hand, too: only what the joints are behind along their way is made up for. Across it they
    /// give way as much as their stiffness lets them.
    pub fn learn_along(&mut self, cycle: f64, wanted: &[f64], speeds: &[f64], measured: impl Iterator<Item = f64>) {
        let fast = speeds.iter().map(|speed| speed * speed).sum::<f64>().sqrt();
        if fast < SLOWEST {
            return;
        }
        let off =
            wanted.iter().zip(measured).zip(speeds).map(|((wanted, measured), speed)| (wanted - measured) * speed);
        let behind = off.sum::<f64>() / fast;
        let share = (1.0 - fast / (2.0 * FAST)).max(0.0);
        for (trim, speed) in self.0.iter_mut().zip(speeds) {
            *trim = (*trim + RATE * share * cycle * behind * speed / fast).clamp(-MOST, MOST);
        }
    }

    /// Of a joint of the arm [rad or m].
    pub fn of(&self, number: usize) -> f64 {
        self.0[number]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_an_arc_what_is_across_is_given_way_to() {
        let mut trim = Trim::new(2);
        // led along the first joint, which is 0.01 rad behind; the second is kept 0.02 rad aside
        for _ in 0..500 {
            trim.learn_along(0.004, &[0.0, 0.0], &[0.05, 0.0], [-0.01, 0.02].into_iter());
        }
        assert!(trim.of(0) > 0.04 && trim.of(1) == 0.0, "{trim:?}");
        let before = trim.clone();
        trim.learn_along(0.004, &[0.0, 0.0], &[0.0, 0.0], [-0.01, 0.02].into_iter());
        assert_eq!(trim.0, before.0, "at rest there is no way");
    }
}
