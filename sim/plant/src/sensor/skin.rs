//! A patch of skin.

use robot_io::{Contact, RandomStream, Time};
use robot_model::description::SkinPatch;

use super::contact::felt;

/// A patch of skin on a link: it feels the normal forces of what touches the link near its middle.
#[derive(Clone, Debug)]
pub(crate) struct Skin {
    patch: SkinPatch,
    noise: RandomStream,
}

impl Skin {
    /// A patch with its own random numbers.
    pub fn new(patch: &SkinPatch, noise: RandomStream) -> Skin {
        Skin { patch: patch.clone(), noise }
    }

    /// Where it is.
    pub fn patch(&self) -> &SkinPatch {
        &self.patch
    }

    /// The reading under a normal `force` [N].
    pub fn read(&self, force: f64, cycle: u64, stamp: Time, noisy: bool) -> Contact {
        let error = if noisy { self.patch.force_noise * self.noise.normal(cycle, 0) } else { 0.0 };
        felt(force + error, self.patch.threshold, stamp)
    }
}
