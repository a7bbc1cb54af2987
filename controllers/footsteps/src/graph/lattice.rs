//! Where feet are set: a lattice of places and headings about the goal.

use core::f64::consts::TAU;

use nalgebra::Vector2;
use robot_io::Pose2;
use walking::footstep::Stride;
use walking::{Footstep, Side};

use crate::geometry::{Rectangle, ahead};
use crate::search::SearchSettings;

/// A spot of the lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    pub along: i32,
    pub across: i32,
    pub heading: usize,
}

/// From one spot to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Offset {
    along: i32,
    across: i32,
    turn: i32,
}

/// A lattice whose first heading is the goal's, and on which both feet at the goal lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lattice {
    frame: Rectangle,
    yaw: f64,
    spacing: f64,
    headings: usize,
}

impl Lattice {
    pub fn about(goal: &[Footstep; 2], settings: &SearchSettings) -> Lattice {
        let [left, right] = goal;
        let frame = Rectangle { centre: right.position.xy(), ahead: ahead(right.yaw), half: Vector2::zeros() };
        let apart = (left.position - right.position).xy().norm();
        let between = libm::round(apart / settings.spacing).max(1.0);
        Lattice { frame, yaw: right.yaw, spacing: apart / between, headings: settings.headings }
    }

    /// Between places [m].
    pub fn spacing(&self) -> f64 {
        self.spacing
    }

    /// Between headings [rad].
    pub fn turn(&self) -> f64 {
        TAU / self.headings as f64
    }

    /// The spot nearest to a foot.
    pub fn spot(&self, foot: &Footstep) -> Spot {
        let local = self.frame.local(foot.position.x, foot.position.y) / self.spacing;
        let turns = libm::round((foot.yaw - self.yaw) / self.turn()) as i64;
        let heading = turns.rem_euclid(self.headings as i64) as usize;
        Spot { along: libm::round(local.x) as i32, across: libm::round(local.y) as i32, heading }
    }

    pub fn moved(&self, from: &Spot, by: &Offset) -> Spot {
        let heading = (from.heading as i64 + i64::from(by.turn)).rem_euclid(self.headings as i64) as usize;
        Spot { along: from.along + by.along, across: from.across + by.across, heading }
    }

    /// The middle of a spot.
    pub fn pose(&self, spot: &Spot) -> Pose2 {
        self.beside(spot, 0.0, 0.0)
    }

    /// A place beside its middle, in parts of the lattice's spacing.
    pub fn beside(&self, spot: &Spot, along: f64, across: f64) -> Pose2 {
        let (u, v) = (f64::from(spot.along) + along, f64::from(spot.across) + across);
        let place = self.frame.place(u * self.spacing, v * self.spacing);
        let yaw = robot_io::math::wrap_angle(self.yaw + spot.heading as f64 * self.turn());
        Pose2 { x: place.x, y: place.y, yaw }
    }

    /// Where strides lead to from each heading, for a left and a right foot that is set.
    pub fn offsets(&self, strides: &[Stride]) -> Vec<[Vec<Offset>; 2]> {
        let of = |heading: usize, side: Side| {
            let yaw = heading as f64 * self.turn();
            let stance = Footstep::flat(side.other(), nalgebra::Vector3::zeros(), yaw);
            let offset = |stride: &Stride| {
                let step = stance.stride(stride);
                let cells = |length: f64| libm::round(length / self.spacing) as i32;
                let turn = libm::round((step.yaw - yaw) / self.turn()) as i32;
                Offset { along: cells(step.position.x), across: cells(step.position.y), turn }
            };
            let mut offsets: Vec<Offset> = strides.iter().map(offset).collect();
            offsets.sort_unstable();
            offsets.dedup();
            offsets
        };
        (0..self.headings).map(|heading| Side::BOTH.map(|side| of(heading, side))).collect()
    }
}
