//! From where, and in how many steps, the robot can still come to rest.

use robot_io::State;

use crate::footstep::Reach;

/// Steps beyond which it makes no difference.
const FAR: usize = 4;

/// In how many steps the robot can come to rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
pub enum Capture {
    /// On the feet that carry, without a step.
    #[default]
    Standing,
    /// With the next step.
    OneStep,
    /// With so many steps, or it can walk on for ever without coming to rest sooner.
    Steps(usize),
    /// Not at all by steps as fast and as long as the settings allow.
    Lost,
}

/// Bounds of the offset between DCM and foot at the beginning of a step from which the robot can come to rest in n steps. Koolen, de
/// Boer, Rebula, Goswami and Pratt, "Capturability-based analysis and control of legged locomotion" (2012), along each axis of the
/// foot by itself, with the bounds of sideways steps of Khadiv et al. (2020).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Capturable {
    /// The DCM is in front of the foot or behind it by no more than this [m].
    pub forward: [f64; 2],
    /// On the side of the foot that swings next; negative is outside of the foot that carries [m].
    pub inward: [f64; 2],
}

impl Capturable {
    /// For 0 to 4 steps that take `period` [s] each; `half` is the part of half a sole ([m], along and across) on which pressure
    /// can stay.
    pub fn regions(reach: &Reach, half: [f64; 2], period: f64, omega: f64) -> [Capturable; FAR + 1] {
        let shrink = libm::exp(-omega * period);
        let mut regions = [Capturable { forward: [-half[0], half[0]], inward: [-half[1], half[1]] }; FAR + 1];
        for n in 1..=FAR {
            let before = regions[n - 1];
            let ankle = half.map(|half| half * (1.0 - shrink));
            regions[n] = Capturable {
                forward: [
                    (reach.forward[0] + before.forward[0]) * shrink - ankle[0],
                    (reach.forward[1] + before.forward[1]) * shrink + ankle[0],
                ],
                inward: [
                    before.inward[0].min((reach.outward[0] - before.inward[1]) * shrink - ankle[1]),
                    before.inward[1].max((reach.outward[1] - before.inward[0]) * shrink + ankle[1]),
                ],
            };
        }
        regions
    }

    /// With the inward side reaching as far as `inward` [m] at least.
    pub(super) fn up_to(self, inward: f64) -> Capturable {
        Capturable { inward: [self.inward[0], self.inward[1].max(inward)], ..self }
    }

    /// Whether an offset (forward, inward) [m] is in it.
    pub fn contains(&self, forward: f64, inward: f64) -> bool {
        let within = |[least, most]: [f64; 2], value: f64| value >= least && value <= most;
        within(self.forward, forward) && within(self.inward, inward)
    }
}

impl Capture {
    /// After a step that ends with the DCM at this offset (forward, inward) [m] from the new foot.
    pub(super) fn after_step(regions: &[Capturable], forward: f64, inward: f64) -> Capture {
        match regions.iter().position(|region| region.contains(forward, inward)) {
            Some(0) => Capture::OneStep,
            Some(more) => Capture::Steps(more + 1),
            None => Capture::Lost,
        }
    }
}
