//! A contact switch.

use robot_io::{Contact, RandomStream, Time};
use robot_model::description::ContactMount;

use super::on_bus;

/// A switch with a force reading under a link: closed from its threshold on. It feels the link's normal forces.
#[derive(Clone, Debug)]
pub(crate) struct ContactSwitch {
    mount: ContactMount,
    noise: RandomStream,
}

impl ContactSwitch {
    /// A switch with its own random numbers.
    pub fn new(mount: &ContactMount, noise: RandomStream) -> ContactSwitch {
        ContactSwitch { mount: mount.clone(), noise }
    }

    /// The link that it watches.
    pub fn link(&self) -> usize {
        self.mount.link
    }

    /// The reading under a normal `force` [N].
    pub fn read(&self, force: f64, cycle: u64, stamp: Time, noisy: bool) -> Contact {
        let error = if noisy { self.mount.force_noise * self.noise.normal(cycle, 0) } else { 0.0 };
        felt(force + error, self.mount.threshold, stamp)
    }
}

/// What is told of a normal `force` [N]: touched from a threshold on.
pub(super) fn felt(force: f64, threshold: f64, stamp: Time) -> Contact {
    let force = on_bus(force.max(0.0));
    Contact { stamp, touching: force > 0.0 && force >= threshold, force }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_closes_at_its_threshold() {
        let mount = ContactMount { name: "toe".to_owned(), link: 0, threshold: 5.0, force_noise: 0.0 };
        let switch = ContactSwitch::new(&mount, RandomStream::new(0, "toe"));
        assert!(!switch.read(4.9, 0, Time::ZERO, true).touching);
        assert!(switch.read(5.0, 0, Time::ZERO, true).touching);
    }

    #[test]
    fn without_a_threshold_no_force_is_still_no_contact() {
        let mount = ContactMount { name: "toe".to_owned(), link: 0, threshold: 0.0, force_noise: 0.0 };
        let switch = ContactSwitch::new(&mount, RandomStream::new(0, "toe"));
        assert!(!switch.read(0.0, 0, Time::ZERO, false).touching);
    }
}
