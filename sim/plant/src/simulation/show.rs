//! The truth, for viewers, recorders and checks.

use mechanics::Centroid;
use nalgebra::{Isometry3, Vector3};

use super::{Actuation, Simulation};
use crate::collision::Owner;
use crate::frame::{Frame, ObjectTruth, Truth};
use crate::soil::Payload;

impl Simulation {
    /// Fills a frame, reusing its buffers.
    pub fn frame(&self, out: &mut Frame) {
        (out.cycle, out.time) = (self.cycle(), self.time());
        refill(&mut out.links_in_world, (0..self.spawned.links.len()).map(|link| self.link_in_world(link)));
        refill(&mut out.objects_in_world, (0..self.world.objects.len()).map(|object| self.object_in_world(object)));
        self.contacts.show(self.dt, &mut out.contacts);
        refill(&mut out.joint_positions, self.positions());
        out.com_in_world = self.centroid().com;
    }

    /// What is really the case.
    pub fn truth(&self) -> Truth {
        let mut truth = Truth::default();
        self.truth_into(&mut truth);
        truth
    }

    /// Fills in what is really the case, reusing the buffers.
    pub fn truth_into(&self, out: &mut Truth) {
        out.time = self.time();
        out.base_in_world = self.link_in_world(0);
        out.base_velocity_in_world =
            self.mechanics.now().velocity_at(self.spawned.base, &out.base_in_world.translation.vector);
        out.base_angular_velocity_in_world = self.mechanics.now().bodies[self.spawned.base].twist.angular;
        out.com_in_world = self.centroid().com;
        refill(&mut out.joint_positions, self.positions());
        refill(&mut out.joint_velocities, self.velocities());
        refill(&mut out.joint_efforts, self.of_drives(crate::actuator::Drive::link_effort));
        refill(&mut out.temperatures, self.of_drives(crate::actuator::Drive::temperature));
        refill(&mut out.wheel_forces, self.wheels.iter().map(|wheel| self.contacts.memory.normal_force[wheel.link]));
        refill(&mut out.wheel_slips, self.wheels.iter().map(|wheel| self.slip(wheel)));
        let links = (0..self.spawned.links.len()).map(Owner::Link);
        out.soil_carried = links.map(|link| self.payload(link).mass).sum();
        out.energy_used = self.energy_used;
        out.unwanted_contact = self.contacts.unwanted.hardest();
        refill(&mut out.objects, (0..self.world.objects.len()).map(|object| self.object_truth(object)));
    }

    /// Soil that lies on a link or object; nothing where the ground does not give way.
    pub fn payload(&self, owner: Owner) -> Payload {
        self.contacts.soil.as_ref().map(|soil| soil.payload(owner)).unwrap_or_default()
    }

    /// By how much there is less soil [m³], on the ground and on tools, since some was pressed or fell where there is none.
    pub fn vanished_soil(&self) -> f64 {
        self.contacts.soil.as_ref().map_or(0.0, |soil| soil.vanished())
    }

    /// A number of each drive, in the order of the tree's joints; zero for joints without one.
    fn of_drives(&self, value: fn(&crate::actuator::Drive) -> f64) -> impl Iterator<Item = f64> {
        self.joint_of.iter().map(move |place| match &self.joints[*place].actuation {
            Actuation::Drive(drive) => value(drive),
            _ => 0.0,
        })
    }

    /// Speed [m/s] with which the lowest point of a wheel's rim slides over the ground; zero in the air.
    fn slip(&self, wheel: &super::Wheel) -> f64 {
        if self.contacts.memory.normal_force[wheel.link] <= 0.0 {
            return 0.0;
        }
        let place = &self.spawned.links[wheel.link];
        let wheel_in_world = self.link_in_world(wheel.link);
        let hub = wheel_in_world.translation.vector;
        let up = self.world.terrain.normal_at(hub.x, hub.y).unwrap_or_else(Vector3::z);
        let axis = wheel_in_world.rotation * wheel.axis_in_link;
        let spoke = (up - axis * axis.dot(&up)).normalize();
        let rim = self.mechanics.now().velocity_at(place.number, &(hub - spoke * wheel.rolling.radius()));
        (rim - up * rim.dot(&up)).norm()
    }

    /// Pose of a link in the world [m].
    pub fn link_in_world(&self, link: usize) -> Isometry3<f64> {
        let place = &self.spawned.links[link];
        self.mechanics.now().bodies[place.number].in_world * place.pose_in_body
    }

    /// Kinetic and potential energy of the robot [J], rotors included; the potential energy is zero at height zero.
    pub fn mechanical_energy(&self) -> f64 {
        let rotor = |joint: &super::Joint| match &joint.actuation {
            Actuation::Drive(drive) => drive.kinetic_energy(),
            _ => 0.0,
        };
        let moving = self.mechanics.now().kinetic_energy_of(self.mechanics.model(), self.spawned.base);
        let Centroid { mass, com, .. } = self.centroid();
        moving + mass * self.world.gravity * com.z + self.joints.iter().map(rotor).sum::<f64>()
    }

    /// Linear momentum of the robot [N·s] and its angular momentum about the world's origin [N·m·s].
    pub fn momentum_in_world(&self) -> (Vector3<f64>, Vector3<f64>) {
        let Centroid { com, momentum, spin, .. } = self.centroid();
        (momentum, spin + com.cross(&momentum))
    }

    /// What the robot does as a whole.
    fn centroid(&self) -> Centroid {
        self.mechanics.now().centroid(self.mechanics.model(), self.spawned.base)
    }

    fn object_truth(&self, object: usize) -> ObjectTruth {
        let hangs = self.world.objects[object].joint.as_ref();
        let body = hangs.and(self.spawned.objects[object]).map(|place| place.number);
        let joint_position = body.map_or(0.0, |body| self.mechanics.coordinates().positions[body]);
        ObjectTruth { in_world: self.object_in_world(object), joint_position }
    }

    /// Pose of an object in the world [m].
    fn object_in_world(&self, object: usize) -> Isometry3<f64> {
        match self.spawned.objects[object] {
            Some(place) => self.mechanics.now().bodies[place.number].in_world * place.pose_in_body,
            None => self.world.objects[object].pose_at(self.time().seconds(), &self.world.terrain),
        }
    }

    fn positions(&self) -> impl Iterator<Item = f64> {
        self.joint_of.iter().map(|place| self.mechanics.coordinates().positions[self.spawned.base + place + 1])
    }

    fn velocities(&self) -> impl Iterator<Item = f64> {
        let first = |body: usize| self.mechanics.model().first_dof(body);
        let velocities = &self.mechanics.coordinates().velocities;
        self.joint_of.iter().map(move |place| velocities[first(self.spawned.base + place + 1)])
    }
}

/// Replaces a buffer's content without giving up its memory.
fn refill<T>(buffer: &mut Vec<T>, values: impl Iterator<Item = T>) {
    buffer.clear();
    buffer.extend(values);
}
