//! The step that a push makes necessary while the robot stands.

use nalgebra::Vector2;

use super::{Gait, Phase};
use crate::footstep::{Footstep, Side};

impl Gait {
    /// Whether no pressure under the feet can bring the DCM back any more.
    pub(super) fn must_step(&self) -> bool {
        matches!(self.phase, Phase::Standing | Phase::Settling)
            && self.support().depth(&self.dcm.xy()) < 0.0
    }

    /// The foot to swing is the one that gets nearer to where the DCM will be.
    pub(super) fn foot_for_emergency(&self) -> Side {
        let misses = Side::BOTH.map(|side| self.miss(side));
        if misses[0] <= misses[1] { Side::Left } else { Side::Right }
    }

    /// How far the DCM will be from the best place of this foot, in the shortest time [m].
    fn miss(&self, side: Side) -> f64 {
        let settings = &self.settings;
        let stance = self.feet[side.other().index()];
        let pressure = self.sole(&stance).nearest(&self.dcm.xy());
        let growth = libm::exp(self.omega * (settings.hurry + settings.adjust.time[0]));
        let dcm: Vector2<f64> = pressure + (self.dcm.xy() - pressure) * growth;
        let there = Footstep { position: dcm.push(stance.position.z), ..stance.beside(settings.width) };
        (settings.reach.nearest(&stance, &there).position.xy() - dcm).norm()
    }
}
