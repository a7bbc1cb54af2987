//! One of the robots as it is in its world.

use mechanics::Centroid;
use nalgebra::{Isometry3, Vector3};
use robot_io::{IoError, Lifecycle, Readings, RobotLayout};
use robot_model::RobotModel;

use super::Simulation;
use super::robot::{Actuation, Joint, Robot, Wheel};
use super::show::refill;
use crate::actuator::Drive;
use crate::collision::Owner;
use crate::frame::Truth;
use crate::self_contact::Overlap;

/// A robot of a simulation, to be looked at.
#[derive(Clone, Copy)]
pub struct RobotView<'a> {
    pub(super) simulation: &'a Simulation,
    pub(super) robot: &'a Robot,
}

impl<'a> RobotView<'a> {
    /// What it is called among the robots; empty for the first.
    pub fn name(&self) -> &'a str {
        &self.robot.name
    }

    /// Its number among the robots.
    pub fn number(&self) -> usize {
        self.robot.number
    }

    /// What it is.
    pub fn model(&self) -> &'a RobotModel {
        &self.robot.model
    }

    /// Joints, sensors and the control cycle.
    pub fn layout(&self) -> &'a RobotLayout {
        &self.robot.layout
    }

    /// The plug's state.
    pub fn lifecycle(&self) -> Lifecycle {
        self.robot.lifecycle
    }

    /// The measurements of the present cycle.
    pub fn readings(&self) -> &'a Readings {
        &self.robot.readings
    }

    /// Reads them as a controller does; what the operator does stays as it is.
    pub fn read(&self, readings: &mut Readings) -> Result<(), IoError> {
        self.robot.read(readings)
    }

    /// Links that overlap where it began: they do not touch each other.
    pub fn overlaps(&self) -> &'a [Overlap] {
        &self.robot.overlaps
    }

    /// What is really the case with it.
    pub fn truth(&self) -> Truth {
        let mut truth = Truth::default();
        self.truth_into(&mut truth);
        truth
    }

    /// Fills in what is really the case with it, reusing the buffers.
    pub fn truth_into(&self, out: &mut Truth) {
        let RobotView { simulation, robot } = self;
        let (mechanics, contacts, base) = (&simulation.mechanics, &simulation.contacts, robot.placement.base);
        out.time = simulation.time();
        out.base_in_world = self.link_in_world(0);
        out.base_velocity_in_world = mechanics.now().velocity_at(base, &out.base_in_world.translation.vector);
        out.base_angular_velocity_in_world = mechanics.now().bodies[base].twist.angular;
        out.com_in_world = self.centroid().com;
        refill(&mut out.joint_positions, self.positions());
        refill(&mut out.joint_velocities, self.velocities());
        refill(&mut out.joint_efforts, self.of_drives(Drive::link_effort));
        refill(&mut out.temperatures, self.of_drives(Drive::temperature));
        refill(&mut out.wheel_forces, robot.wheels.iter().map(|wheel| contacts.memory.normal_force[wheel.link]));
        refill(&mut out.wheel_slips, robot.wheels.iter().map(|wheel| self.slip(wheel)));
        let links = robot.placement.own_links().map(Owner::Link);
        out.soil_carried = links.map(|link| simulation.payload(link).mass).sum();
        out.energy_used = robot.energy_used;
        out.unwanted_contact = contacts.unwanted[robot.number].hardest();
        refill(&mut out.link_impulses, contacts.unwanted[robot.number].impulses().iter().copied());
        let objects = 0..simulation.world.objects.len();
        refill(&mut out.objects, objects.map(|object| simulation.object_truth(object)));
    }

    /// Pose of a link in the world [m].
    pub fn link_in_world(&self, link: usize) -> Isometry3<f64> {
        self.robot.link_in_world(link, &self.simulation.mechanics)
    }

    /// Kinetic and potential energy [J], rotors included; the potential energy is zero at height zero.
    pub fn mechanical_energy(&self) -> f64 {
        let rotor = |joint: &Joint| match &joint.actuation {
            Actuation::Drive(drive) => drive.kinetic_energy(),
            Actuation::Passive(_) => 0.0,
        };
        let mechanics = &self.simulation.mechanics;
        let moving = mechanics.now().kinetic_energy_of(mechanics.model(), self.robot.placement.base);
        let Centroid { mass, com, .. } = self.centroid();
        let rotors: f64 = self.robot.joints.iter().map(rotor).sum();
        moving + mass * self.simulation.world.gravity * com.z + rotors
    }

    /// Linear momentum [N·s], and angular momentum about the world's origin [N·m·s].
    pub fn momentum_in_world(&self) -> (Vector3<f64>, Vector3<f64>) {
        let Centroid { com, momentum, spin, .. } = self.centroid();
        (momentum, spin + com.cross(&momentum))
    }

    /// What it does as a whole.
    pub(super) fn centroid(&self) -> Centroid {
        let mechanics = &self.simulation.mechanics;
        mechanics.now().centroid(mechanics.model(), self.robot.placement.base)
    }

    /// Positions of its joints, in the tree's order.
    pub(super) fn positions(&self) -> impl Iterator<Item = f64> {
        let positions = &self.simulation.mechanics.coordinates().positions;
        self.robot.joint_of.iter().map(|place| positions[self.robot.body_of(*place)])
    }

    fn velocities(&self) -> impl Iterator<Item = f64> {
        let mechanics = &self.simulation.mechanics;
        let first = |body: usize| mechanics.model().first_dof(body);
        let velocities = &mechanics.coordinates().velocities;
        self.robot.joint_of.iter().map(move |place| velocities[first(self.robot.body_of(*place))])
    }

    /// A number of each drive, in the order of the tree's joints; zero for joints without one.
    fn of_drives(&self, value: fn(&Drive) -> f64) -> impl Iterator<Item = f64> {
        let joints = &self.robot.joints;
        self.robot.joint_of.iter().map(move |place| match &joints[*place].actuation {
            Actuation::Drive(drive) => value(drive),
            Actuation::Passive(_) => 0.0,
        })
    }

    /// Speed [m/s] with which the lowest point of a wheel's rim slides over the ground; zero in the air.
    fn slip(&self, wheel: &Wheel) -> f64 {
        let Simulation { contacts, world, mechanics, .. } = self.simulation;
        if contacts.memory.normal_force[wheel.link] <= 0.0 {
            return 0.0;
        }
        let body = &mechanics.now().bodies[wheel.place.number];
        let wheel_in_world = body.in_world * wheel.place.pose_in_body;
        let hub = wheel_in_world.translation.vector;
        let up = world.terrain.normal_at(hub.x, hub.y).unwrap_or_else(Vector3::z);
        let axis = wheel_in_world.rotation * wheel.axis_in_link;
        let spoke = (up - axis * axis.dot(&up)).normalize();
        let rim = mechanics.now().velocity_at(wheel.place.number, &(hub - spoke * wheel.rolling.radius()));
        (rim - up * rim.dot(&up)).norm()
    }
}
