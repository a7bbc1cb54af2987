//! The sensors, once a control cycle.

use nalgebra::Vector3;
use robot_io::JointState;
use robot_model::Motion as LinkMotion;
use robot_model::description::ImuMount;

use super::{Actuation, Simulation};
use crate::sensor::Motion;

impl Simulation {
    /// Reads all sensors for the cycle that begins now.
    pub(super) fn sense(&mut self) {
        let (cycle, now) = (self.cycle(), self.time());
        (self.readings.cycle, self.readings.time) = (cycle, now);
        self.sense_joints();
        for index in 0..self.imus.len() {
            let motion = self.imu_motion(self.imus[index].mount());
            self.imus[index].tick(&motion, self.world.gravity, now);
            self.readings.imus[index] = self.imus[index].sample();
        }
        let noisy = self.setup.noise;
        for (index, cell) in self.cells.iter().enumerate() {
            let sensor_in_world = self.link_in_world(self.robot.tree.joints[cell.joint()].link);
            let reaction = self.reactions[index];
            self.readings.force_torques[index] = cell.read(reaction, &sensor_in_world, cycle, now, noisy);
        }
        for (index, switch) in self.switches.iter().enumerate() {
            let force = self.contacts.normal_force[switch.link()];
            self.readings.contacts[index] = switch.read(force, cycle, now, noisy);
        }
        for (index, battery) in self.batteries.iter().enumerate() {
            self.readings.batteries[index] = battery.read(now);
        }
    }

    /// Reads what the drives report of the present cycle.
    pub(super) fn sense_joints(&mut self) {
        let (cycle, now, noisy) = (self.cycle(), self.time(), self.setup.noise);
        let state = &self.multibody.state;
        for (place, joint) in self.joints.iter().enumerate() {
            let LinkMotion::Joint(index) = joint.motion else { continue };
            self.readings.joints[index] = match &joint.actuation {
                Actuation::Drive(drive) => drive.report(cycle, now, noisy),
                // a joint without a drive has an ideal encoder
                _ => JointState {
                    stamp: now,
                    position: state.positions[place + 1],
                    velocity: state.velocities[place + 1],
                    ..JointState::default()
                },
            };
        }
    }

    /// How an IMU at this mount moves.
    pub(super) fn imu_motion(&self, mount: &ImuMount) -> Motion {
        let body = self.spawned.links[mount.link].number;
        let imu_in_world = self.link_in_world(mount.link) * mount.pose_in_link;
        let at: Vector3<f64> = imu_in_world.translation.vector;
        Motion {
            imu_in_world,
            velocity_in_world: self.multibody.velocity_at(body, &at),
            angular_velocity_in_world: self.multibody.angular_velocity(body),
        }
    }
}
