//! Where a robot begins in a world, and which body of the mechanics is whose.

use nalgebra::Isometry3;
use robot_model::{Configuration, Data, Motion, RobotModel, forward_kinematics};
use worlds::World;

use crate::collision::CollisionShape;
use crate::error::PlantError;
use crate::footing;
use crate::setup::Setup;

/// Where things are among the mechanics' bodies, and how they begin.
#[derive(Clone)]
pub(crate) struct Spawned {
    /// For each link of the tree its body and its place there.
    pub links: Vec<LinkPlace>,
    /// The moving joints, mimic joints included, in the order of their links.
    pub joints: Vec<SpawnedJoint>,
    /// For each object that moves by physics the number of its body.
    pub object_bodies: Vec<Option<usize>>,
    /// The number of the robot's base among the bodies; its other bodies follow.
    pub base: usize,
    /// Where the base begins.
    pub base_in_world: Isometry3<f64>,
    /// Joint positions at the beginning [rad or m], in the tree's order.
    pub joint_positions: Vec<f64>,
}

/// The body of a link and the link's place there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkPlace {
    /// The body's number among the mechanics'.
    pub number: usize,
    /// The link's frame in the body's frame [m].
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

/// Puts a robot into a world.
pub(crate) fn spawn(
    world: &World,
    robot: &RobotModel,
    setup: &Setup,
    shapes: &[CollisionShape],
) -> Result<Spawned, PlantError> {
    let tree = &robot.tree;
    let joint_positions = joint_positions(robot, &setup.pose)?;
    let mut configuration = Configuration::zero(tree);
    configuration.joints.clone_from(&joint_positions);
    let mut data = Data::new(tree);
    forward_kinematics(tree, &configuration, &mut data);
    let base_in_world = footing::base_pose(world, setup, shapes, robot.description.base, &data.link_in_base)?;

    let mut numbers = 0..;
    let object_bodies = world.objects.iter().map(|object| object.mass.and_then(|_| numbers.next())).collect();
    let base = numbers.start;
    let place = |link| {
        let place = tree.place(link);
        LinkPlace { number: base + place.body, pose_in_body: place.pose_in_body }
    };
    let links = (0..tree.links.len()).map(place).collect();
    let moved = tree.rigid_bodies().filter(|body| body.parent.is_some() && tree.kind(body.link).is_some());
    let joints = moved.map(|body| SpawnedJoint { link: body.link, motion: tree.links[body.link].motion }).collect();
    Ok(Spawned { links, joints, object_bodies, base, base_in_world, joint_positions })
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
