//! A force/torque sensor in a joint.

use nalgebra::{Isometry3, Vector3};
use robot_io::{ForceTorque, RandomStream, Time};
use robot_model::description::ForceTorqueMount;

use super::{normal3, on_bus};

/// A cell between a joint's two links. It reads the reaction that the solver's impulses amount to.
#[derive(Clone, Debug)]
pub(crate) struct ForceTorqueCell {
    mount: ForceTorqueMount,
    noise: RandomStream,
}

impl ForceTorqueCell {
    /// A cell with its own random numbers.
    pub fn new(mount: &ForceTorqueMount, noise: RandomStream) -> ForceTorqueCell {
        ForceTorqueCell { mount: mount.clone(), noise }
    }

    /// The tree's joint whose reaction it feels.
    pub fn joint(&self) -> usize {
        self.mount.joint
    }

    /// The reading: `force` [N] and `torque` [N·m] of the far side on the near side, about the sensor's origin and along
    /// the world's axes, seen from the sensor.
    pub fn read(
        &self,
        (force, torque): (Vector3<f64>, Vector3<f64>),
        sensor_in_world: &Isometry3<f64>,
        cycle: u64,
        stamp: Time,
        noisy: bool,
    ) -> ForceTorque {
        let to_sensor = sensor_in_world.rotation.inverse();
        let (mut force, mut torque) = (to_sensor * force, to_sensor * torque);
        if noisy {
            force += normal3(&self.noise, cycle, 0) * self.mount.force_noise;
            torque += normal3(&self.noise, cycle, 3) * self.mount.torque_noise;
        }
        ForceTorque { stamp, force: force.map(on_bus), torque: torque.map(on_bus) }
    }
}
