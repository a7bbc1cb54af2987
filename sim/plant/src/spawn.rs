//! Where robots begin in a world, and which body of the mechanics is whose.

use core::ops::Range;

use nalgebra::Isometry3;
use robot_model::{Configuration, Data, Motion, RobotModel, forward_kinematics};
use worlds::{Object, World};

use crate::collision::CollisionShape;
use crate::error::PlantError;
use crate::footing;
use crate::member::Member;

/// Which bodies of the mechanics are whose.
#[derive(Clone)]
pub(crate) struct Spawned {
    /// For each link of all robots, in the robots' order, its body and its place there.
    pub links: Vec<LinkPlace>,
    /// For each object that moves by physics its body and its place there.
    pub objects: Vec<Option<LinkPlace>>,
    /// The objects that move by physics, in the order of their bodies.
    pub moving: Vec<usize>,
}

/// Where a robot is among bodies and links, and how it begins.
#[derive(Clone)]
pub(crate) struct Placement {
    /// The number of its first link among those of all robots.
    pub first_link: usize,
    /// For each link of the tree its body and its place there.
    pub links: Vec<LinkPlace>,
    /// The moving joints, mimic joints included, in the order of their links.
    pub joints: Vec<SpawnedJoint>,
    /// The number of the robot's base among the bodies; its other bodies follow.
    pub base: usize,
    /// Where the base begins.
    pub base_in_world: Isometry3<f64>,
    /// Joint positions at the beginning [rad or m], in the tree's order.
    pub joint_positions: Vec<f64>,
}

/// The body of a link, or of an object, and its place there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkPlace {
    /// The body's number among the mechanics'.
    pub number: usize,
    /// Its frame in the body's frame [m].
    pub pose_in_body: Isometry3<f64>,
}

/// A joint that moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpawnedJoint {
    /// The link that it moves.
    pub link: usize,
    /// Whether an independent joint or a mimic joint.
    pub motion: Motion,
}

impl Spawned {
    /// The objects of a world; their bodies come first.
    pub fn new(world: &World) -> Spawned {
        let moving = moving(world);
        let mut objects = vec![None; world.objects.len()];
        for (number, object) in moving.iter().enumerate() {
            objects[*object] = Some(LinkPlace { number, pose_in_body: in_body(&world.objects[*object]) });
        }
        Spawned { links: Vec::new(), objects, moving }
    }

    /// Puts a robot, whose base has the number `base` among the bodies, behind those that are there.
    pub fn add(
        &mut self,
        world: &World,
        member: &Member,
        base: usize,
        shapes: &[CollisionShape],
    ) -> Result<Placement, PlantError> {
        let Member { robot, setup, .. } = member;
        let (tree, first_link) = (&robot.tree, self.links.len());
        let joint_positions = joint_positions(robot, &setup.pose)?;
        let mut configuration = Configuration::zero(tree);
        configuration.joints.clone_from(&joint_positions);
        let mut data = Data::new(tree);
        forward_kinematics(tree, &configuration, &mut data);
        let own = first_link..first_link + tree.links.len();
        let shapes = shapes.iter().filter_map(|shape| Some((shape.owner.link_of(&own)?, shape)));
        let base_in_world = footing::base_pose(world, setup, shapes, robot.description.base, &data.link_in_base)?;
        let place = |link| {
            let place = tree.place(link);
            LinkPlace { number: base + place.body, pose_in_body: place.pose_in_body }
        };
        let links: Vec<LinkPlace> = (0..tree.links.len()).map(place).collect();
        self.links.extend_from_slice(&links);
        let moved = tree.rigid_bodies().filter(|body| body.parent.is_some() && tree.kind(body.link).is_some());
        let joints = moved.map(|body| SpawnedJoint { link: body.link, motion: tree.links[body.link].motion }).collect();
        Ok(Placement { first_link, links, joints, base, base_in_world, joint_positions })
    }
}

impl Placement {
    /// The numbers of its links among those of all robots.
    pub fn own_links(&self) -> Range<usize> {
        self.first_link..self.first_link + self.links.len()
    }
}

/// The objects that move by physics: each that lies free, and after it all that it carries.
fn moving(world: &World) -> Vec<usize> {
    fn add(world: &World, object: usize, order: &mut Vec<usize>) {
        order.push(object);
        let on_it = |other: &usize| carrier(world, *other) == Some(object);
        (object + 1..world.objects.len()).filter(on_it).for_each(|other| add(world, other, order));
    }
    let mut order = Vec::new();
    let is_root = |object: &usize| world.objects[*object].mass.is_some() && carrier(world, *object).is_none();
    (0..world.objects.len()).filter(is_root).for_each(|root| add(world, root, &mut order));
    order
}

/// The object that moves by physics and carries another.
pub(crate) fn carrier(world: &World, object: usize) -> Option<usize> {
    let carrier = world.objects[object].joint.as_ref()?.carrier?;
    world.objects[carrier].mass.map(|_| carrier)
}

/// An object in its body's frame, whose origin is on the axis of its joint.
pub(crate) fn in_body(object: &Object) -> Isometry3<f64> {
    let at = object.joint.as_ref().map_or([0.0; 3], |joint| joint.at);
    Isometry3::translation(-at[0], -at[1], -at[2])
}

fn joint_positions(robot: &RobotModel, name: &str) -> Result<Vec<f64>, PlantError> {
    match robot.description.pose(name) {
        Some(pose) => Ok(pose.positions.clone()),
        // a robot of which there is only a URDF has no poses: it can still stand with all joints at zero
        None if robot.description.poses.is_empty() && name == "zero" => Ok(vec![0.0; robot.tree.dof()]),
        None => {
            let known: Vec<&str> = robot.description.poses.iter().map(|pose| pose.name.as_str()).collect();
            let known = if known.is_empty() { "only 'zero'".to_owned() } else { known.join(", ") };
            Err(PlantError::UnknownPose { robot: robot.name.clone(), found: name.to_owned(), known })
        }
    }
}
