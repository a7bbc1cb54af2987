//! The ground under the feet. Where no plan tells it, it is a plane through the foot that carries, as steep as soles have found it.
//!
//! A sole that has carried lies as the ground does; on bumps each lies otherwise, so that the slope is a mean over the last steps.
//!
//! What a plan tells of it is a shape: odometry's heights drift from step to step, so that a plan's steps go up and down with the ground that feet find.

use nalgebra::Vector3;

use super::{Command, Gait, Measured};
use crate::footstep::{Footstep, Side};

/// Share of the mean that the two soles of one step make.
const NEW: f64 = 0.3;
/// Share of a foot's height over its planned place by which the plan goes up.
const FOUND: f64 = 0.5;

impl Gait {
    /// Before a foot is lifted both lie on the ground: so they stand, and so steep it is.
    pub(super) fn feel_ground(&mut self, measured: &Measured) {
        let Some(feet) = measured.feet else { return };
        for side in Side::BOTH {
            let found = Footstep::at(side, &feet[side.index()]);
            if found.position.iter().chain(&found.normal).all(|value| value.is_finite()) {
                self.feet[side.index()] = found;
            }
        }
        let found = mean_normal(&self.feet);
        self.ground = (self.ground + (found - self.ground) * NEW).normalize();
    }

    /// A foot of the plan has landed: its other steps are as much higher or lower.
    pub(super) fn raise_plan(&mut self) {
        if self.is_of_plan && !self.adjusted && self.command == Command::Follow {
            let found = self.feet[self.side.index()].position.z;
            self.plan.raise(FOUND * (found - self.planned.position.z));
        }
    }

    /// A step from `stance`, on the plane.
    pub(super) fn on_ground(&self, stance: &Footstep, step: &Footstep) -> Footstep {
        let (normal, off) = (self.ground, step.position - stance.position);
        let z = stance.position.z - (normal.x * off.x + normal.y * off.y) / normal.z.max(0.5);
        let step = Footstep { position: step.position.xy().push(z), normal, ..*step };
        self.settings.reach.nearest(stance, &step)
    }

    /// The step in the air, moved: on the plane too, unless a plan knows the ground better.
    pub(super) fn moved(&self, step: &Footstep) -> Footstep {
        match self.command {
            Command::Follow => *step,
            _ => self.on_ground(&self.feet[self.side.other().index()], step),
        }
    }
}

/// Between both soles' normals.
pub(super) fn mean_normal(feet: &[Footstep; 2]) -> Vector3<f64> {
    (feet[0].normal + feet[1].normal).try_normalize(1e-6).unwrap_or_else(Vector3::z)
}
