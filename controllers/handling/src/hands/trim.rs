//! What friction, play and unknown weight keep an arm from: found at rest and on its way, and made up for.

use robot_io::State;

/// How fast what is left is made up for [1/s].
const RATE: f64 = 3.0;
/// What is so little is nothing: an arm at rest would never stop to look for its place [rad or m].
const NOTHING: f64 = 1e-4;
/// A joint that is led this fast learns nothing: what it is behind by is the time that commands and readings take [rad/s or m/s].
const FAST: f64 = 0.15;
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

    /// Of a joint of the arm [rad or m].
    pub fn of(&self, number: usize) -> f64 {
        self.0[number]
    }
}
