//! What a step costs.

use core::fmt::Debug;

use robot_io::Settings;
use robot_io::math::wrap_angle;
use serde::{Deserialize, Serialize};
use walking::Footstep;

use crate::geometry::middle_beside;
use crate::terrain::Foothold;

/// What steps cost. The unit is one step.
pub trait Cost: Debug + Send + Sync {
    /// What a foothold costs beside the step there; not negative.
    fn foothold(&self, ground: &Foothold) -> f64;

    /// What a step from `stance` costs over which feet are lifted by `lift` [m]; not less than [`bound`](Cost::bound) between the two, nor
    /// than [`least`](Cost::least).
    fn step(&self, stance: &Footstep, step: &Footstep, lift: f64) -> f64;

    /// No way from one foot to another costs less. It keeps to the triangle's inequality.
    fn bound(&self, from: &Footstep, to: &Footstep) -> f64;

    /// No step costs less.
    fn least(&self) -> f64;
}

/// A step costs 1, and as much again if it moves the robot by a comfortable step; the cost grows with the square:
/// 1 + |δ|², where δ is the way of the middle between the feet, its turn and its rise, each in comfortable steps. As
/// 1 + x² ≥ 2x, no way of length |δ| costs less than 2 |δ|, in however many steps: that is the bound.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct StepCost {
    /// Between both feet [m].
    #[setting(0.28, range = 0.05..=1.0)]
    pub width: f64,
    /// A comfortable way of the middle between the feet in a step [m].
    #[setting(0.35, range = 0.01..=2.0)]
    pub length: f64,
    /// A comfortable turn in a step [rad].
    #[setting(0.35, range = 0.01..=2.0)]
    pub turn: f64,
    /// A comfortable rise in a step, or descent [m].
    #[setting(0.15, range = 0.01..=1.0)]
    pub rise: f64,
    /// For each metre that feet are farther apart or nearer to each other than their width.
    #[setting(2.0, not_negative)]
    pub sideways: f64,
    /// For each metre that a foot is lifted over what lies between.
    #[setting(5.0, not_negative)]
    pub lift: f64,
    /// For a sole that leans by 1 rad.
    #[setting(2.0, not_negative)]
    pub tilt: f64,
    /// For each metre of roughness.
    #[setting(20.0, not_negative)]
    pub roughness: f64,
    /// For a sole that is not carried at all.
    #[setting(6.0, not_negative)]
    pub overhang: f64,
    /// For an edge at the sole; nothing from [`near`](StepCost::near) on.
    #[setting(0.4, not_negative)]
    pub edge: f64,
    /// Edges farther away than this cost nothing [m].
    #[setting(0.05, positive)]
    pub near: f64,
    /// For a sole on ground that was not seen.
    #[setting(3.0, not_negative)]
    pub unseen: f64,
}

impl StepCost {
    /// The square of the way between two feet, in comfortable steps.
    fn square(&self, from: &Footstep, to: &Footstep) -> f64 {
        let way = middle_beside(to, self.width) - middle_beside(from, self.width);
        let (turn, rise) = (wrap_angle(to.yaw - from.yaw) / self.turn, (to.position.z - from.position.z) / self.rise);
        way.norm_squared() / (self.length * self.length) + turn * turn + rise * rise
    }
}

impl Cost for StepCost {
    fn foothold(&self, ground: &Foothold) -> f64 {
        let tilt = libm::acos(ground.normal.z.clamp(-1.0, 1.0));
        let nearness = (1.0 - ground.edge / self.near).max(0.0);
        self.tilt * tilt
            + self.roughness * ground.roughness
            + self.overhang * (1.0 - ground.support)
            + self.edge * nearness
            + self.unseen * (ground.unknown + ground.assumed)
    }

    fn step(&self, stance: &Footstep, step: &Footstep, lift: f64) -> f64 {
        let apart = step.stride_from(stance).outward - self.width;
        1.0 + self.square(stance, step) + self.sideways * apart.abs() + self.lift * lift.max(0.0)
    }

    fn bound(&self, from: &Footstep, to: &Footstep) -> f64 {
        2.0 * self.square(from, to).sqrt()
    }

    fn least(&self) -> f64 {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;
    use walking::Side;

    #[test]
    fn no_way_costs_less_than_its_bound() {
        let cost = StepCost::default();
        let random = robot_io::RandomStream::new(5, "ways");
        for way in 0..500 {
            let foot = |number: u64| {
                let at = |index: u32, size: f64| size * (random.uniform(100 * way + number, index) - 0.5);
                let side = if number.is_multiple_of(2) { Side::Left } else { Side::Right };
                Footstep::flat(side, Vector3::new(at(0, 3.0), at(1, 3.0), at(2, 0.5)), at(3, 6.0))
            };
            let feet: Vec<Footstep> = (0..6).map(foot).collect();
            let spent = |feet: &[Footstep]| feet.windows(2).map(|pair| cost.step(&pair[0], &pair[1], 0.0)).sum::<f64>();
            for last in 1..feet.len() {
                assert!(spent(&feet[..=last]) >= cost.bound(&feet[0], &feet[last]) - 1e-9);
            }
            let direct = cost.bound(&feet[0], &feet[2]);
            assert!(direct <= cost.bound(&feet[0], &feet[1]) + cost.bound(&feet[1], &feet[2]) + 1e-9);
        }
    }
}
