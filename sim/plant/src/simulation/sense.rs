//! The sensors, once a control cycle.

use mechanics::Mechanics;
use nalgebra::Vector3;
use robot_io::{JointState, Time};
use robot_model::Motion as LinkMotion;
use robot_model::description::ImuMount;

use super::Simulation;
use super::robot::{Actuation, Around, Robot};
use crate::sensor::Motion;
use crate::vision::Carrier;

impl Simulation {
    /// Reads all sensors for the cycle that begins now.
    pub(super) fn sense(&mut self) {
        let (around, robots) = self.split();
        robots.iter_mut().for_each(|robot| robot.sense(around));
    }

    /// Lasers and cameras remember where they are before a step.
    pub(super) fn depart(&mut self) {
        for vision in self.robots.iter_mut().filter_map(|robot| robot.vision.as_mut()) {
            vision.depart(|body| self.mechanics.now().bodies[body].in_world);
        }
    }

    /// Lasers and cameras see what passed in the step that has just been made.
    pub(super) fn look(&mut self) {
        let (around, robots) = self.split();
        robots.iter_mut().for_each(|robot| robot.look(around));
    }
}

impl Robot {
    /// Reads all sensors for the cycle that begins now.
    fn sense(&mut self, around: Around) {
        let Around { world, mechanics, contacts, now, cycle, step, .. } = around;
        (self.readings.cycle, self.readings.time) = (cycle, now);
        self.sense_joints(around);
        for index in 0..self.imus.len() {
            let motion = self.imu_motion(self.imus[index].mount(), around);
            self.imus[index].tick(&motion, world.gravity, now);
            self.readings.imus[index] = self.imus[index].sample();
        }
        let noisy = self.setup.noise;
        for (index, cell) in self.cells.iter().enumerate() {
            let sensor_in_world = self.link_in_world(cell.link(), mechanics);
            self.readings.force_torques[index] = cell.read(&sensor_in_world, cycle, now, noisy);
        }
        for (index, switch) in self.switches.iter().enumerate() {
            let force = contacts.memory.normal_force[self.placement.first_link + switch.link()];
            self.readings.contacts[index] = switch.read(force, cycle, now, noisy);
        }
        for (index, skin) in self.skin.iter().enumerate() {
            let patch = skin.patch();
            let link_in_world = self.link_in_world(patch.link, mechanics);
            let force = contacts.on_skin(self.placement.first_link + patch.link, &link_in_world, patch, step);
            self.readings.contacts[self.switches.len() + index] = skin.read(force, cycle, now, noisy);
        }
        for (index, battery) in self.batteries.iter().enumerate() {
            self.readings.batteries[index] = battery.read(now);
        }
        if let Some(vision) = &mut self.vision {
            vision.read(&mut self.readings);
        }
    }

    fn look(&mut self, around: Around) {
        let Around { world, spawned, mechanics, contacts, now, .. } = around;
        let Some(vision) = &mut self.vision else { return };
        let begin = Time::from_nanoseconds(now.nanoseconds() - self.setup.physics_period.nanoseconds());
        if let Some(soil) = &contacts.soil {
            soil.changed().for_each(|sample| vision.see_ground(&world.terrain, sample));
        }
        let (bodies, seconds) = (&mechanics.now().bodies, now.seconds());
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
    pub fn sense_joints(&mut self, around: Around) {
        let Around { mechanics, now, cycle, .. } = around;
        let (model, coordinates) = (mechanics.model(), mechanics.coordinates());
        for (place, joint) in self.joints.iter().enumerate() {
            let LinkMotion::Joint(index) = joint.motion else { continue };
            self.readings.joints[index] = match &joint.actuation {
                Actuation::Drive(drive) => drive.report(cycle, now, self.setup.noise),
                // a joint without a drive has an ideal encoder
                Actuation::Passive(_) => JointState {
                    stamp: now,
                    position: coordinates.positions[self.body_of(place)],
                    velocity: coordinates.velocities[model.first_dof(self.body_of(place))],
                    ..JointState::default()
                },
            };
        }
    }

    /// How an IMU at this mount moves.
    pub fn imu_motion(&self, mount: &ImuMount, around: Around) -> Motion {
        let mechanics: &Mechanics = around.mechanics;
        let body = self.placement.links[mount.link].number;
        let imu_in_world = self.link_in_world(mount.link, mechanics) * mount.pose_in_link;
        let at: Vector3<f64> = imu_in_world.translation.vector;
        Motion {
            imu_in_world,
            velocity_in_world: mechanics.now().velocity_at(body, &at),
            angular_velocity_in_world: mechanics.now().bodies[body].twist.angular,
        }
    }
}
