//! Contacts of one robot with another.

use super::{Contacts, Middle};
use crate::finder::NEAR;

impl Contacts {
    /// Looks for contacts between each two robots that are near each other.
    pub(super) fn meet_robots(&mut self, middle: Middle) {
        for two in 1..self.robots.len() {
            for one in 0..two {
                let (first, second) = (self.balls[one], self.balls[two]);
                if (first.0 - second.0).norm() <= first.1 + second.1 + NEAR {
                    self.meet_pair(middle, one, two);
                }
            }
        }
    }

    /// What of the one robot is within the other's ball is asked for what of the other is within its own.
    fn meet_pair(&mut self, middle: Middle, one: usize, two: usize) {
        let mut beside = core::mem::take(&mut self.beside);
        beside.clear();
        beside.extend((0..self.solids.len()).filter(|solid| self.is_beside(*solid, one, two)));
        for other in 0..self.solids.len() {
            if self.is_beside(other, two, one) {
                for own in &beside {
                    self.find_pair(middle, (*own, other), NEAR);
                }
            }
        }
        self.beside = beside;
    }

    /// Whether a solid is `robot`'s and reaches into the ball around `other`.
    fn is_beside(&self, solid: usize, robot: usize, other: usize) -> bool {
        let solid = &self.solids[solid];
        let ((at, radius), (middle, reach)) = (solid.ball(), self.balls[other]);
        solid.owner.link_of(&self.robots[robot]).is_some() && (at - middle).norm() <= radius + reach + NEAR
    }
}
