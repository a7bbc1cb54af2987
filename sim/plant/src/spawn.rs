//! A world and a robot as rapier's sets. Whatever depends on how joints are modelled is in this file.
//!
//! Rapier finds the contacts and moves the objects. The robot's bodies are **kinematic** there: they are moved by our own
//! dynamics in reduced coordinates (`multibody`), because geared robots need their rotors' inertia, which rapier's impulse
//! joints do not have, and with it put into their motor rows a solver of impulses does not carry the robot any more (the
//! README has the measurements). The impulse joints are made all the same: they show a viewer the axes, and whoever makes
//! the bodies dynamic has a robot that hangs together.
//!
//! A robot collides with terrain and objects and not with itself: its limits keep its links apart. Everything is created in
//! file order.

use nalgebra::{Isometry3, Rotation3, Translation3, UnitQuaternion, Vector3};
use rapier3d::prelude::*;
use robot_io::JointKind;
use robot_model::{Configuration, Data, Motion, Place, RigidBody, RobotModel, Tree, forward_kinematics};
use worlds::World;

use crate::convert::{matrix, pose, vector};
use crate::error::PlantError;
use crate::footing::{self, LinkCollider};
use crate::setup::Setup;
use crate::shapes;

/// The robot's colliders.
const ROBOT: Group = Group::GROUP_1;
/// Of these its wheels, which find the terrain themselves (see `wheel_contact`).
const WHEEL: Group = Group::GROUP_2;
const TERRAIN: Group = Group::GROUP_3;
/// Objects that are fixed to the world.
const FIXED: Group = Group::GROUP_4;
/// Objects that rapier moves.
const MOVABLE: Group = Group::GROUP_5;
/// Friction of the terrain's collider: the combination takes the smaller one, and the other side knows the ground.
const ANY_FRICTION: f32 = 100.0;

/// What [`spawn`] made: rapier's sets and where to find things in them.
#[derive(Clone)]
pub struct Spawned {
    /// All bodies: the objects', then the robot's.
    pub bodies: RigidBodySet,
    /// All colliders: the terrain's, the objects', then the robot's.
    pub colliders: ColliderSet,
    /// The robot's joints.
    pub impulse_joints: ImpulseJointSet,
    /// None here; rapier's pipeline wants the set.
    pub multibody_joints: MultibodyJointSet,
    /// For each link of the tree its body and its place there.
    pub links: Vec<LinkPlace>,
    /// The robot's bodies, the base first.
    pub robot_bodies: Vec<RigidBodyHandle>,
    /// The moving joints, mimic joints included, in the order of their links.
    pub joints: Vec<SpawnedJoint>,
    /// The objects' bodies, in file order.
    pub objects: Vec<RigidBodyHandle>,
    /// The terrain's collider; it has no body.
    pub terrain: ColliderHandle,
    /// For each collider, by its number in the set, whose it is.
    pub owners: Vec<Owner>,
    /// For each object that moves by physics its number among the mechanics' bodies.
    pub(crate) object_bodies: Vec<Option<usize>>,
    /// The number of the robot's base among the mechanics' bodies; its other bodies follow.
    pub(crate) base: usize,
    /// Where the base began.
    pub base_in_world: Isometry3<f64>,
    /// Joint positions at the beginning [rad or m], in the tree's order.
    pub joint_positions: Vec<f64>,
}

/// The body of a link and the link's place there.
#[derive(Clone, Copy, Debug)]
pub struct LinkPlace {
    /// The body.
    pub body: RigidBodyHandle,
    /// The body's number among the mechanics'.
    pub number: usize,
    /// The link's frame in the body's frame [m].
    pub pose_in_body: Isometry3<f64>,
}

/// One joint in the physics. Its axis is the x axis of both frames.
#[derive(Clone, Copy, Debug)]
pub struct SpawnedJoint {
    /// The joint in the set.
    pub handle: ImpulseJointHandle,
    /// The body that carries it.
    pub parent: RigidBodyHandle,
    /// The body that it moves.
    pub child: RigidBodyHandle,
    /// The link that it moves.
    pub link: usize,
    /// Whether an independent joint or a mimic joint.
    pub motion: Motion,
    /// Whether it slides (or turns).
    pub slides: bool,
    /// The joint's frame in the parent body's.
    pub frame_in_parent: Isometry3<f64>,
    /// The joint's frame in the child body's.
    pub frame_in_child: Isometry3<f64>,
}

/// Whose a collider is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The ground.
    Terrain,
    /// The object with this index.
    Object(usize),
    /// The link with this index.
    Link(usize),
}

/// Puts a robot into a world.
pub fn spawn(world: &World, robot: &RobotModel, setup: &Setup) -> Result<Spawned, PlantError> {
    let tree = &robot.tree;
    let rigid: Vec<RigidBody> = tree.rigid_bodies().collect();
    let joint_positions = joint_positions(robot, &setup.pose)?;
    let mut configuration = Configuration::zero(tree);
    configuration.joints.clone_from(&joint_positions);
    let mut data = Data::new(tree);
    forward_kinematics(tree, &configuration, &mut data);

    let mut sets = empty();
    add_world(&mut sets, world)?;
    let mut numbers = 0..;
    sets.object_bodies = world.objects.iter().map(|object| object.mass.and_then(|_| numbers.next())).collect();
    sets.base = numbers.start;
    let colliders = link_colliders(robot, &rigid);
    let base_in_world = footing::base_pose(world, setup, &colliders, &data.link_in_base)?;
    configuration.base_in_world = base_in_world;
    forward_kinematics(tree, &configuration, &mut data);
    add_bodies(&mut sets, &rigid, &data);
    sets.links = (0..tree.links.len()).map(|link| link_place(&sets, &tree.place(link))).collect();
    add_colliders(&mut sets, robot, colliders);
    add_joints(&mut sets, tree, &rigid);
    sets.base_in_world = base_in_world;
    sets.joint_positions = joint_positions;
    Ok(sets)
}

fn empty() -> Spawned {
    Spawned {
        bodies: RigidBodySet::new(),
        colliders: ColliderSet::new(),
        impulse_joints: ImpulseJointSet::new(),
        multibody_joints: MultibodyJointSet::new(),
        links: Vec::new(),
        robot_bodies: Vec::new(),
        joints: Vec::new(),
        objects: Vec::new(),
        terrain: ColliderHandle::invalid(),
        owners: Vec::new(),
        object_bodies: Vec::new(),
        base: 0,
        base_in_world: Isometry3::identity(),
        joint_positions: Vec::new(),
    }
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

fn add_world(sets: &mut Spawned, world: &World) -> Result<(), PlantError> {
    let ground = shapes::of_terrain(&world.terrain);
    let ground = ColliderBuilder::new(ground.shape)
        .position(pose(&ground.pose))
        .friction(ANY_FRICTION)
        .friction_combine_rule(CoefficientCombineRule::Min)
        .restitution(1.0)
        .restitution_combine_rule(CoefficientCombineRule::Min)
        .collision_groups(groups(TERRAIN, Group::ALL));
    sets.terrain = sets.colliders.insert(ground);
    sets.owners.push(Owner::Terrain);
    for (index, object) in world.objects.iter().enumerate() {
        let placed = shapes::of_object(object)?;
        let builder = match (object.mass, &object.motion) {
            (Some(_), _) => RigidBodyBuilder::dynamic(),
            (None, Some(_)) => RigidBodyBuilder::kinematic_position_based(),
            (None, None) => RigidBodyBuilder::fixed(),
        };
        let body = sets.bodies.insert(builder.pose(pose(&object.pose_in_world)).can_sleep(false));
        let material = &world.materials[object.material];
        let collider = ColliderBuilder::new(placed.shape)
            .position(pose(&placed.pose))
            .mass(object.mass.unwrap_or(0.0) as f32)
            .friction(material.friction as f32)
            .friction_combine_rule(CoefficientCombineRule::Min)
            .restitution(material.restitution as f32)
            .restitution_combine_rule(CoefficientCombineRule::Min)
            .collision_groups(groups(if object.mass.is_some() { MOVABLE } else { FIXED }, Group::ALL));
        sets.colliders.insert_with_parent(collider, body, &mut sets.bodies);
        sets.owners.push(Owner::Object(index));
        sets.objects.push(body);
    }
    Ok(())
}

/// What each link collides with. Meshes become boxes of the same inertia, once a body.
fn link_colliders(robot: &RobotModel, rigid: &[RigidBody]) -> Vec<LinkCollider> {
    let mut colliders = Vec::new();
    let mut has_box = vec![false; rigid.len()];
    for (index, link) in robot.tree.links.iter().enumerate() {
        let is_wheel = robot.description.wheels.iter().any(|wheel| wheel.link == index);
        for geometry in &link.collisions {
            let body = robot.tree.place(index).body;
            match shapes::of_link(geometry, is_wheel) {
                Some(placed) => colliders.push(LinkCollider { link: index, placed }),
                None if !has_box[body] => {
                    has_box[body] = true;
                    let standing_in = shapes::equivalent_box(&rigid[body].inertia);
                    colliders.extend(standing_in.map(|placed| LinkCollider { link: rigid[body].link, placed }));
                }
                None => {}
            }
        }
    }
    colliders
}

fn add_bodies(sets: &mut Spawned, rigid: &[RigidBody], data: &Data) {
    for body in rigid {
        let inertia = &body.inertia;
        let (com, moments) = (vector(&inertia.com_in_link), matrix(&inertia.rotational_at_com_in_link));
        let builder = RigidBodyBuilder::kinematic_velocity_based()
            .pose(pose(&data.link_in_world[body.link]))
            .additional_mass_properties(MassProperties::with_inertia_matrix(com, inertia.mass as f32, moments))
            .can_sleep(false);
        let body = sets.bodies.insert(builder);
        sets.robot_bodies.push(body);
    }
}

fn link_place(sets: &Spawned, place: &Place) -> LinkPlace {
    LinkPlace { body: sets.robot_bodies[place.body], number: sets.base + place.body, pose_in_body: place.pose_in_body }
}

fn add_colliders(sets: &mut Spawned, robot: &RobotModel, colliders: Vec<LinkCollider>) {
    for LinkCollider { link, placed } in colliders {
        let is_wheel = robot.description.wheels.iter().any(|wheel| wheel.link == link);
        let collider = ColliderBuilder::new(placed.shape)
            .position(pose(&(robot.tree.place(link).pose_in_body * placed.pose)))
            .density(0.0)
            .active_collision_types(ActiveCollisionTypes::all())
            .friction(ANY_FRICTION)
            .friction_combine_rule(CoefficientCombineRule::Min)
            .restitution(0.0)
            .restitution_combine_rule(CoefficientCombineRule::Min)
            .collision_groups(if is_wheel {
                groups(WHEEL, FIXED | MOVABLE)
            } else {
                groups(ROBOT, TERRAIN | FIXED | MOVABLE)
            })
            // contacts with what is fixed are ours to solve
            .solver_groups(groups(ROBOT, MOVABLE));
        let body = sets.links[link].body;
        sets.colliders.insert_with_parent(collider, body, &mut sets.bodies);
        sets.owners.push(Owner::Link(link));
    }
}

fn add_joints(sets: &mut Spawned, tree: &Tree, rigid: &[RigidBody]) {
    for (index, body) in rigid.iter().enumerate() {
        let (Some(carrier), Some(kind)) = (body.parent, tree.kind(body.link)) else { continue };
        let link = &tree.links[body.link];
        let along_axis = Isometry3::from_parts(Translation3::identity(), x_to(link.axis_in_link.as_ref()));
        let slides = kind == JointKind::Prismatic;
        let locked = if slides { JointAxesMask::LOCKED_PRISMATIC_AXES } else { JointAxesMask::LOCKED_REVOLUTE_AXES };
        let frame_in_parent = body.placement_in_parent * along_axis;
        let joint = GenericJointBuilder::new(locked)
            .local_frame1(pose(&frame_in_parent))
            .local_frame2(pose(&along_axis))
            .contacts_enabled(false)
            .build();
        let (parent, child) = (sets.robot_bodies[carrier], sets.robot_bodies[index]);
        let handle = sets.impulse_joints.insert(parent, child, joint, true);
        sets.joints.push(SpawnedJoint {
            handle,
            parent,
            child,
            link: body.link,
            motion: link.motion,
            slides,
            frame_in_parent,
            frame_in_child: along_axis,
        });
    }
}

fn groups(memberships: Group, filter: Group) -> InteractionGroups {
    InteractionGroups::new(memberships, filter, InteractionTestMode::And)
}

/// The shortest rotation from x to `axis`; half a turn about z for −x.
fn x_to(axis: &Vector3<f64>) -> UnitQuaternion<f64> {
    let rotation = Rotation3::rotation_between(&Vector3::x(), axis);
    let half_turn = || Rotation3::from_axis_angle(&Vector3::z_axis(), core::f64::consts::PI);
    UnitQuaternion::from_rotation_matrix(&rotation.unwrap_or_else(half_turn))
}
