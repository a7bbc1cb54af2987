//! The step that a push makes necessary while the robot stands.

use nalgebra::Vector2;

use super::{Gait, Phase};
use crate::footstep::{Footstep, Side};

impl Gait {
    /// Whether no pressure under the feet can bring the DCM back any more.
    pub(super) fn must_step(&self) -> bool {
        matches!(self.phase, Phase::Standing | Phase::Settling) && self.support().depth(&self.dcm.xy()) < 0.0
    }

    /// The foot to swing is the one that gets nearer to where the DCM will be.
    pub(super) fn foot_for_emergency(&self) -> Side {
        let misses = Side::BOTH.map(|side| self.miss(side));
        if misses[0] <= misses[1] { Side::Left } else { Side::Right }
    }

    /// How far the DCM will be from the best place of this foot, in the shortest time and with the best pressure under the
    /// other one [m].
    fn miss(&self, side: Side) -> f64 {
        let settings = &self.settings;
        let stance = self.feet[side.other().index()];
        let growth = libm::exp(self.omega * (settings.hurry + settings.adjust.time[0]));
        let dcm = self.dcm.xy();
        let mut place = stance.beside(settings.width);
        let mut end = dcm;
        for _ in 0..2 {
            let held: Vector2<f64> = (dcm * growth - place.position.xy()) / (growth - 1.0);
            let pressure = self.sole(&stance).nearest(&held);
            end = pressure + (dcm - pressure) * growth;
            place = settings.reach.nearest(&stance, &Footstep { position: end.push(stance.position.z), ..place });
        }
        (place.position.xy() - end).norm()
    }
}
