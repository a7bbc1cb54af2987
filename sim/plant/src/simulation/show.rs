//! The truth, for viewers, recorders and checks.

use nalgebra::{Isometry3, Vector3};

use super::{RobotView, Simulation};
use crate::collision::Owner;
use crate::frame::{Frame, ObjectTruth, Truth};
use crate::soil::Payload;

impl Simulation {
    /// Each robot as it is, the first one first.
    pub fn robots(&self) -> impl ExactSizeIterator<Item = RobotView<'_>> {
        self.robots.iter().map(|robot| RobotView { simulation: self, robot })
    }

    /// One of the robots, by its number; `None` if there is none.
    pub fn robot_at(&self, number: usize) -> Option<RobotView<'_>> {
        self.robots.get(number).map(|robot| RobotView { simulation: self, robot })
    }

    /// The first of them.
    fn view(&self) -> RobotView<'_> {
        RobotView { simulation: self, robot: self.first() }
    }

    /// Fills a frame, reusing its buffers.
    pub fn frame(&self, out: &mut Frame) {
        (out.cycle, out.time) = (self.cycle(), self.time());
        let view = self.view();
        let links = self.first().placement.links.len();
        refill(&mut out.links_in_world, (0..links).map(|link| view.link_in_world(link)));
        let bodies = &self.mechanics.now().bodies;
        let others = self.spawned.links[links..].iter();
        refill(&mut out.others_in_world, others.map(|place| bodies[place.number].in_world * place.pose_in_body));
        refill(&mut out.objects_in_world, (0..self.world.objects.len()).map(|object| self.object_in_world(object)));
        self.contacts.show(self.dt, &mut out.contacts);
        refill(&mut out.joint_positions, view.positions());
        out.com_in_world = view.centroid().com;
    }

    /// What is really the case.
    pub fn truth(&self) -> Truth {
        let mut truth = Truth::default();
        self.truth_into(&mut truth);
        truth
    }

    /// Fills in what is really the case, reusing the buffers.
    pub fn truth_into(&self, out: &mut Truth) {
        self.view().truth_into(out);
    }

    /// Soil that lies on a link or object; nothing where the ground does not give way.
    pub fn payload(&self, owner: Owner) -> Payload {
        self.contacts.soil.as_ref().map(|soil| soil.payload(owner)).unwrap_or_default()
    }

    /// By how much there is less soil [m³], on the ground and on tools, since some was pressed or fell where there is none.
    pub fn vanished_soil(&self) -> f64 {
        self.contacts.soil.as_ref().map_or(0.0, |soil| soil.vanished())
    }

    /// Pose of a link in the world [m].
    pub fn link_in_world(&self, link: usize) -> Isometry3<f64> {
        self.view().link_in_world(link)
    }

    /// Kinetic and potential energy of the robot [J], rotors included; the potential energy is zero at height zero.
    pub fn mechanical_energy(&self) -> f64 {
        self.view().mechanical_energy()
    }

    /// Linear momentum of the robot [N·s] and its angular momentum about the world's origin [N·m·s].
    pub fn momentum_in_world(&self) -> (Vector3<f64>, Vector3<f64>) {
        self.view().momentum_in_world()
    }

    pub(super) fn object_truth(&self, object: usize) -> ObjectTruth {
        let hangs = self.world.objects[object].joint.as_ref();
        let body = hangs.and(self.spawned.objects[object]).map(|place| place.number);
        let joint_position = body.map_or(0.0, |body| self.mechanics.coordinates().positions[body]);
        let soil = self.payload(Owner::Object(object)).mass;
        ObjectTruth { in_world: self.object_in_world(object), joint_position, soil }
    }

    /// Pose of an object in the world [m].
    fn object_in_world(&self, object: usize) -> Isometry3<f64> {
        match self.spawned.objects[object] {
            Some(place) => self.mechanics.now().bodies[place.number].in_world * place.pose_in_body,
            None => self.world.objects[object].pose_at(self.time().seconds(), &self.world.terrain),
        }
    }
}

/// Replaces a buffer's content without giving up its memory.
pub(super) fn refill<T>(buffer: &mut Vec<T>, values: impl Iterator<Item = T>) {
    buffer.clear();
    buffer.extend(values);
}
