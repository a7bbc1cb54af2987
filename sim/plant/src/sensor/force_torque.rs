//! A force/torque sensor in a joint.

use mechanics::Mechanics;
use nalgebra::{Isometry3, Vector3};
use robot_io::{ForceTorque, RandomStream, Time};
use robot_model::description::ForceTorqueMount;
use robot_model::{Motion, Tree};

use super::beyond::{Acted, Beyond};
use super::{normal3, on_bus};
use crate::spawn::Placement;

/// A cell between a joint's two links. It reads what went through the joint in the last step: where it moves the reaction that the solver's
/// impulses amount to, where it is fixed what the part of the body beyond it asks for.
#[derive(Clone, Debug)]
pub(crate) struct ForceTorqueCell {
    mount: ForceTorqueMount,
    noise: RandomStream,
    /// The body of its far link.
    body: usize,
    /// What is fixed beyond a joint that does not move.
    beyond: Option<Beyond>,
    /// Force [N] and torque [N·m] of the far side on the near one, about the far link's origin, along the world's axes.
    felt: (Vector3<f64>, Vector3<f64>),
}

impl ForceTorqueCell {
    /// A cell with its own random numbers.
    pub fn new(mount: &ForceTorqueMount, tree: &Tree, placement: &Placement, noise: RandomStream) -> ForceTorqueCell {
        let link = mount.link;
        let is_fixed = tree.links[link].motion == Motion::Fixed;
        let beyond = is_fixed.then(|| Beyond::new(tree, placement, link));
        ForceTorqueCell {
            mount: mount.clone(),
            noise,
            body: placement.links[link].number,
            beyond,
            felt: Default::default(),
        }
    }

    /// Before a step.
    pub fn begin(&mut self, mechanics: &Mechanics) {
        if let Some(beyond) = &mut self.beyond {
            beyond.begin(mechanics.now());
        }
    }

    /// After a step, whose reactions have been found.
    pub fn feel(&mut self, mechanics: &Mechanics, acted: Acted) {
        self.felt = match &self.beyond {
            Some(beyond) => beyond.wrench(mechanics, acted),
            None => {
                let reaction = mechanics.reaction(self.body);
                (reaction.linear, reaction.angular)
            }
        };
    }

    /// The link in whose frame it measures.
    pub fn link(&self) -> usize {
        self.mount.link
    }

    /// The reading of the last step, seen from the sensor.
    pub fn read(&self, sensor_in_world: &Isometry3<f64>, cycle: u64, stamp: Time, noisy: bool) -> ForceTorque {
        let (force, torque) = self.felt;
        let to_sensor = sensor_in_world.rotation.inverse();
        let (mut force, mut torque) = (to_sensor * force, to_sensor * torque);
        if noisy {
            force += normal3(&self.noise, cycle, 0) * self.mount.force_noise;
            torque += normal3(&self.noise, cycle, 3) * self.mount.torque_noise;
        }
        ForceTorque { stamp, force: force.map(on_bus), torque: torque.map(on_bus) }
    }
}
