//! The truth, for viewers, recorders and checks.

use nalgebra::{Isometry3, Vector3};
use robot_model::Motion;

use super::{Actuation, Simulation};
use crate::contacts;
use crate::convert::vector64;
use crate::frame::{Frame, Truth};

impl Simulation {
    /// Fills a frame, reusing its buffers.
    pub fn frame(&self, out: &mut Frame) {
        (out.cycle, out.time) = (self.cycle(), self.time());
        let links = self.spawned.links.iter().map(|place| self.physics.pose(place.body) * place.pose_in_body);
        out.links_in_world.clear();
        out.links_in_world.extend(links);
        out.objects_in_world.clear();
        out.objects_in_world.extend(self.spawned.objects.iter().map(|body| self.physics.pose(*body)));
        contacts::points(&self.spawned, &self.physics, &mut out.contacts);
        out.joint_positions.clear();
        out.joint_positions.extend(self.joint_of.iter().map(|place| self.joints[*place].motion.position));
        out.com_in_world = self.com_in_world();
    }

    /// What is really the case.
    pub fn truth(&self) -> Truth {
        let base = self.spawned.links[0].body;
        let base_in_world = self.link_in_world(0);
        let motions = || self.joint_of.iter().map(|place| self.joints[*place].motion);
        let drives = |value: fn(&crate::actuator::Drive) -> f64| {
            let of = |place: &usize| match &self.joints[*place].actuation {
                Actuation::Drive(drive) => value(drive),
                _ => 0.0,
            };
            self.joint_of.iter().map(of).collect()
        };
        Truth {
            time: self.time(),
            base_velocity_in_world: self.physics.velocity_at(base, &base_in_world.translation.vector),
            base_angular_velocity_in_world: self.physics.angular_velocity(base),
            base_in_world,
            com_in_world: self.com_in_world(),
            joint_positions: motions().map(|motion| motion.position).collect(),
            joint_velocities: motions().map(|motion| motion.velocity).collect(),
            joint_efforts: drives(crate::actuator::Drive::link_effort),
            temperatures: drives(crate::actuator::Drive::temperature),
            wheel_forces: self.wheels.iter().map(|wheel| self.contacts.normal_force[wheel.link]).collect(),
            energy_used: self.energy_used,
        }
    }

    /// Pose of a link in the world [m].
    pub fn link_in_world(&self, link: usize) -> Isometry3<f64> {
        let place = &self.spawned.links[link];
        self.physics.pose(place.body) * place.pose_in_body
    }

    /// Kinetic and potential energy of the robot [J], rotors included; the potential energy is zero at height zero.
    pub fn mechanical_energy(&self) -> f64 {
        let gravity = self.world.gravity;
        let bodies: f64 = self
            .spawned
            .robot_bodies
            .iter()
            .map(|body| {
                let body = &self.physics.world.bodies[*body];
                let height = f64::from(body.center_of_mass().z);
                f64::from(body.kinetic_energy()) + f64::from(body.mass()) * gravity * height
            })
            .sum();
        let rotors: f64 = self
            .joints
            .iter()
            .map(|joint| match (&joint.actuation, joint.hinge.joint.motion) {
                (Actuation::Drive(drive), Motion::Joint(_)) => drive.kinetic_energy(),
                _ => 0.0,
            })
            .sum();
        bodies + rotors
    }

    /// Linear momentum of the robot [N·s] and its angular momentum about the world's origin [N·m·s].
    pub fn momentum_in_world(&self) -> (Vector3<f64>, Vector3<f64>) {
        let (mut linear, mut angular) = (Vector3::zeros(), Vector3::zeros());
        for handle in &self.spawned.robot_bodies {
            let body = &self.physics.world.bodies[*handle];
            let momentum = vector64(body.linvel()) * f64::from(body.mass());
            linear += momentum;
            let inertia = body.mass_properties().local_mprops.reconstruct_inertia_matrix();
            let spin = *body.rotation() * (inertia * (body.rotation().inverse() * body.angvel()));
            angular += vector64(spin) + vector64(body.center_of_mass()).cross(&momentum);
        }
        (linear, angular)
    }

    fn com_in_world(&self) -> Vector3<f64> {
        let (mut moment, mut mass) = (Vector3::zeros(), 0.0);
        for handle in &self.spawned.robot_bodies {
            let body = &self.physics.world.bodies[*handle];
            moment += vector64(body.center_of_mass()) * f64::from(body.mass());
            mass += f64::from(body.mass());
        }
        moment / mass
    }
}
