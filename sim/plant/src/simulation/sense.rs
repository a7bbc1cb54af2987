//! The sensors, once a control cycle.

use nalgebra::Vector3;
use robot_io::{JointState, Time};
use robot_model::Motion as LinkMotion;
use robot_model::description::ImuMount;

use super::{Actuation, Simulation};
use crate::sensor::Motion;
use crate::vision::Carrier;

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
            let sensor_in_world = self.link_in_world(cell.link());
            self.readings.force_torques[index] = cell.read(&sensor_in_world, cycle, now, noisy);
        }
        for (index, switch) in self.switches.iter().enumerate() {
            let force = self.contacts.memory.normal_force[switch.link()];
            self.readings.contacts[index] = switch.read(force, cycle, now, noisy);
        }
        for (index, battery) in self.batteries.iter().enumerate() {
            self.readings.batteries[index] = battery.read(now);
        }
        if let Some(vision) = &mut self.vision {
            vision.read(&mut self.readings);
        }
    }

    /// Lasers and cameras remember where they are before a step.
    pub(super) fn depart(&mut self) {
        if let Some(vision) = &mut self.vision {
            vision.depart(|body| self.mechanics.now().bodies[body].in_world);
        }
    }

    /// Lasers and cameras see what passed in the step that has just been made.
    pub(super) fn look(&mut self) {
        let (now, step) = (self.time(), self.setup.physics_period);
        let Some(vision) = &mut self.vision else { return };
        let begin = Time::from_nanoseconds(now.nanoseconds() - step.nanoseconds());
        if let Some(soil) = &self.contacts.soil {
            soil.changed().for_each(|sample| vision.see_ground(&self.world.terrain, sample));
        }
        let (bodies, spawned) = (&self.mechanics.now().bodies, &self.spawned);
        let (world, seconds) = (&self.world, now.seconds());
        let place = |carrier: Carrier| match carrier {
            Carrier::Link(link) => {
                let place = &spawned.links[link];
                bodies[place.number].in_world * place.pose_in_body
            }
            Carrier::Object(object) => match spawned.objects[object] {
                Some(place) => bodies[place.number].in_world * place.pose_in_body,
                None => world.objects[object].pose_at(seconds, &world.terrain),
            },
        };
        vision.arrive(begin, now, |body| bodies[body].in_world, place);
    }

    /// Reads what the drives report of the present cycle.
    pub(super) fn sense_joints(&mut self) {
        let (cycle, now, noisy) = (self.cycle(), self.time(), self.setup.noise);
        let (model, coordinates) = (self.mechanics.model(), self.mechanics.coordinates());
        for (place, joint) in self.joints.iter().enumerate() {
            let LinkMotion::Joint(index) = joint.motion else { continue };
            self.readings.joints[index] = match &joint.actuation {
                Actuation::Drive(drive) => drive.report(cycle, now, noisy),
                // a joint without a drive has an ideal encoder
                _ => JointState {
                    stamp: now,
                    position: coordinates.positions[self.spawned.base + place + 1],
                    velocity: coordinates.velocities[model.first_dof(self.spawned.base + place + 1)],
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
            velocity_in_world: self.mechanics.now().velocity_at(body, &at),
            angular_velocity_in_world: self.mechanics.now().bodies[body].twist.angular,
        }
    }
}
