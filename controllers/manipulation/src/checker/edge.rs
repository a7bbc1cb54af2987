//! The straight way from one configuration to another.

use super::check::Checker;
use super::hit::Hit;
use crate::error::{ManipulationError, check_numbers};
use crate::lanes::{LANES, Lanes};

impl Checker {
    /// What is met on the straight way between two configurations, the first of which is known to be free; `None` if the way
    /// is free.
    ///
    /// It is looked at so often that no point of the robot moves farther than a margin in between: half the margin is kept
    /// everywhere on a way that is found free. The first looks are spread over the whole way.
    pub fn hit_between(&mut self, from: &[f64], to: &[f64]) -> Result<Option<Hit>, ManipulationError> {
        for positions in [from, to] {
            check_numbers("a configuration", "positions", self.joints.len(), positions)?;
        }
        Ok(self.hit_on_way(from, to))
    }

    pub(crate) fn hit_on_way(&mut self, from: &[f64], to: &[f64]) -> Option<Hit> {
        self.hit_on_curve(self.farthest(from, to), |share, joint| from[joint] + (to[joint] - from[joint]) * share)
    }

    /// What is met on a curve whose first end is known to be free, on which no point of the robot moves farther than `moved`
    /// [m]; `at` says where a joint is, a share from 0 to 1 along.
    pub(crate) fn hit_on_curve(&mut self, moved: f64, at: impl Fn(f64, usize) -> f64) -> Option<Hit> {
        self.leave = 0.0;
        self.look_along(moved, at)
    }

    /// The same where only half the margin has to be kept at each look: what was found free with the whole margin before is
    /// found free again, wherever the looks are, and in between nothing is met.
    pub(crate) fn hit_again_on_curve(&mut self, moved: f64, at: impl Fn(f64, usize) -> f64) -> Option<Hit> {
        self.leave = 0.5 * self.margin as f32;
        self.look_along(moved, at)
    }

    fn look_along(&mut self, moved: f64, at: impl Fn(f64, usize) -> f64) -> Option<Hit> {
        let looks = (moved / self.margin).ceil().max(1.0);
        let rounds = (looks as usize).div_ceil(LANES);
        let each = 1.0 / (rounds * LANES) as f64;
        for round in 0..rounds {
            for (joint, lanes) in self.positions.iter_mut().enumerate() {
                let look = |lane: usize| at(each * (round + rounds * lane + 1) as f64, joint) as f32;
                *lanes = Lanes(core::array::from_fn(look));
            }
            if let Some(hit) = self.look() {
                return Some(hit);
            }
        }
        None
    }

    /// No point of the robot moves farther than this on the straight way between two configurations [m].
    pub(crate) fn farthest(&self, from: &[f64], to: &[f64]) -> f64 {
        self.moved_by(|joint| (to[joint] - from[joint]).abs())
    }

    /// No point of the robot moves farther than this while each joint moves by no more than `by` says [m].
    pub(crate) fn moved_by(&self, by: impl Fn(usize) -> f64) -> f64 {
        let way = |ways: &Vec<f64>| ways.iter().enumerate().map(|(joint, way)| way * by(joint)).sum::<f64>();
        self.pieces.iter().map(|piece| way(&piece.ways)).fold(0.0, f64::max)
    }

    /// How far each joint moves the robot at most [m/rad or m/m].
    pub(crate) fn farthest_of_each(&self) -> Vec<f64> {
        let of = |joint: usize| self.pieces.iter().map(|piece| piece.ways[joint]).fold(0.0, f64::max);
        (0..self.joints.len()).map(of).collect()
    }
}
