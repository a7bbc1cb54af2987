//! What a cycle came to, component by component.

use core::ops::Deref;

use robot_io::{Digest, StateHasher};

/// The digest of each component at the end of a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digests {
    /// The simulated world with its actuators and sensors.
    pub plant: Digest,
    /// Safety filter, operator's desk and fault injector.
    pub robot: Digest,
    /// The controller; of a mission, with all its skills.
    pub controller: Digest,
    /// Filters, desks and controllers of the robots beside it, if there are any.
    pub others: Option<Digest>,
}

/// The digests of a cycle with their names.
pub struct NamedDigests<'n>([(&'n str, Digest); 4], usize);

impl<'n> Deref for NamedDigests<'n> {
    type Target = [(&'n str, Digest)];

    fn deref(&self) -> &[(&'n str, Digest)] {
        &self.0[..self.1]
    }
}

impl Digests {
    /// The components in the order of a log, which names the third.
    pub fn named<'n>(&self, controller: &'n str) -> NamedDigests<'n> {
        let others = ("others", self.others.unwrap_or_default());
        let all = [("plant", self.plant), ("robot", self.robot), (controller, self.controller), others];
        NamedDigests(all, if self.others.is_some() { 4 } else { 3 })
    }

    /// The digest of all cycles up to this one.
    pub(super) fn chained_to(&self, before: Digest) -> Digest {
        let mut hasher = StateHasher::default();
        hasher.add(before.0);
        self.named("").iter().for_each(|(_, digest)| hasher.add(digest.0));
        hasher.finish()
    }
}
