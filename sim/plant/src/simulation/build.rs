//! How a simulation comes to be.

use core::ops::Range;

use mechanics::{Buffer, Constraint, Coordinates, Mechanics, Model};
use nalgebra::Isometry3;
use robot_io::StateHasher;
use robot_model::description::{ActuatorClass, Base};
use robot_model::{Motion, RobotModel, Wrench};
use worlds::World;

use super::Simulation;
use super::robot::Robot;
use crate::ceiling::Ceiling;
use crate::collision::{CollisionShape, Owner, shapes_with};
use crate::contacts::{Contacts, Touching};
use crate::encounters::encounters;
use crate::error::PlantError;
use crate::finder::Finder;
use crate::hung;
use crate::inertia;
use crate::member::Member;
use crate::self_contact::{Overlap, SelfContact};
use crate::setup::Setup;
use crate::soil::Soil;
use crate::solids::{Carrier, Solid};
use crate::spawn::{Placement, Spawned};
use crate::surfaces::{Surfaces, Tyre};
use crate::unwanted::Watch;
use crate::wheel_contact::WheelContact;

/// Robots that are deeper in each other where they begin are refused [m].
const DEEPEST: f64 = 1e-3;

impl Simulation {
    /// Puts `robot` into `world`.
    pub fn new(world: &World, robot: &RobotModel, setup: &Setup) -> Result<Simulation, PlantError> {
        Simulation::with(world, &[Member { name: "", robot, setup }])
    }

    /// Puts robots into `world`, at least one. The first one's set-up says how long physics steps and control cycles are.
    pub fn with(world: &World, members: &[Member]) -> Result<Simulation, PlantError> {
        let (steps_per_cycle, dt) = timing(members)?;
        members.iter().try_for_each(|member| check(member).map_err(|error| member.error(error)))?;
        let shapes = shapes_with(world, members.iter().map(|member| member.robot))?;
        let (spawned, placements) = spawn(world, members, &shapes)?;
        let inertias: Vec<Vec<f64>> = members.iter().zip(&placements).map(inertias).collect();
        let mechanics = mechanics(world, members, &spawned, &placements, &inertias)?;
        let (touching, overlaps) = touching(world, members, (&spawned, &placements), &mechanics, shapes)?;
        let mut robots = Vec::with_capacity(members.len());
        for (number, (placement, overlaps)) in placements.into_iter().zip(overlaps).enumerate() {
            let robot = Robot::new(world, (members, number), placement, overlaps, &inertias[number]);
            robots.push(robot.map_err(|error| members[number].error(error))?);
        }
        let mut simulation = Simulation {
            world: world.clone(),
            robots,
            fingerprint: fingerprint(world, members),
            dt,
            steps_per_cycle,
            steps: 0,
            drives: vec![mechanics::Drive::default(); mechanics.model().dofs()],
            outer: vec![Wrench::zero(); mechanics.model().bodies().len()],
            contacts: Contacts::new(spawned.links.len(), touching),
            spawned,
            mechanics,
        };
        let (around, robots) = simulation.split();
        robots.iter_mut().zip(members).for_each(|(robot, member)| robot.mount_sensors(member.seed(), around));
        simulation.sense();
        Ok(simulation)
    }
}

/// Physics steps in a control cycle, and the length of one [s]; all robots have the same.
fn timing(members: &[Member]) -> Result<(u64, f64), PlantError> {
    let Some((first, others)) = members.split_first() else {
        return Err(PlantError::setup("robots", "at least one", "none"));
    };
    let physics = first.setup.physics_period;
    if physics.nanoseconds() == 0 || physics.seconds() > 0.02 {
        return Err(PlantError::setup("physics_period", "above 0 and at most 20 ms", physics));
    }
    let cycle_of = |member: &Member| member.setup.cycle_period.unwrap_or(member.robot.description.cycle_period);
    let cycle = cycle_of(first);
    let whole = cycle.nanoseconds() > 0 && cycle.nanoseconds().is_multiple_of(physics.nanoseconds());
    if !whole {
        return Err(PlantError::setup("cycle period", format!("a multiple of the physics step {physics}"), cycle));
    }
    for other in others {
        if other.setup.physics_period != physics || cycle_of(other) != cycle {
            let expected = format!("{physics} and {cycle} for all robots");
            let found = format!("{} and {} for '{}'", other.setup.physics_period, cycle_of(other), other.name);
            return Err(other.error(PlantError::setup("physics step and control cycle", expected, found)));
        }
    }
    Ok((cycle.nanoseconds() / physics.nanoseconds(), physics.seconds()))
}

fn check(member: &Member) -> Result<(), PlantError> {
    let Member { robot, setup, .. } = member;
    if robot.description.base == Base::Fixed && !setup.relocations.is_empty() {
        let found = format!("{} of '{}', which is fixed to the world", setup.relocations.len(), robot.name);
        return Err(PlantError::setup("relocations", "none of a robot that nobody can carry away", found));
    }
    Ok(())
}

/// Gives bodies to objects and robots, and the robots their places.
fn spawn(
    world: &World,
    members: &[Member],
    shapes: &[CollisionShape],
) -> Result<(Spawned, Vec<Placement>), PlantError> {
    let mut spawned = Spawned::new(world);
    let mut placements = Vec::with_capacity(members.len());
    let mut base = spawned.moving.len();
    for member in members {
        let placement = spawned.add(world, member, base, shapes);
        placements.push(placement.map_err(|error| member.error(error))?);
        base += member.robot.tree.rigid_bodies().count();
    }
    Ok((spawned, placements))
}

fn inertias((member, placement): (&Member, &Placement)) -> Vec<f64> {
    inertia::of_joints(member.robot, &placement.base_in_world, &placement.joint_positions)
}

/// The objects that move by physics, and the robots.
fn mechanics(
    world: &World,
    members: &[Member],
    spawned: &Spawned,
    placements: &[Placement],
    inertias: &[Vec<f64>],
) -> Result<Mechanics, PlantError> {
    let (mut bodies, mut constraints) = hung::bodies(world, spawned)?;
    for (place, Member { robot, .. }) in members.iter().enumerate() {
        let placement = &placements[place];
        let rotor = |joint: usize| {
            let class = robot.description.actuator_of(joint).filter(|class| class.spring.is_none());
            class.map_or(0.0, ActuatorClass::reflected_inertia)
        };
        let base = match robot.description.base {
            Base::Free => mechanics::Joint::Free,
            Base::Fixed => mechanics::Joint::Fixed,
        };
        let parts = mechanics::robot(&robot.tree, base, &placement.base_in_world, placement.base, rotor);
        bodies.extend(parts.bodies);
        let stops = parts.constraints.into_iter();
        constraints.extend(stops.map(|constraint| buffered(robot, placement, &inertias[place], constraint)));
    }
    let model = Model::new(bodies).and_then(|model| model.with(constraints)).map_err(PlantError::Mechanics)?;
    let mut coordinates = Coordinates::new(&model);
    for (member, placement) in members.iter().zip(placements) {
        let tree = &member.robot.tree;
        for (number, body) in tree.rigid_bodies().enumerate() {
            coordinates.positions[placement.base + number] = tree.position(body.link, &placement.joint_positions);
        }
    }
    Ok(Mechanics::new(model, coordinates))
}

/// What may touch what, and for each robot which of its links do not.
fn touching(
    world: &World,
    members: &[Member],
    (spawned, placements): (&Spawned, &[Placement]),
    mechanics: &Mechanics,
    shapes: Vec<CollisionShape>,
) -> Result<(Touching, Vec<Vec<Overlap>>), PlantError> {
    let solids: Vec<Solid> = shapes.into_iter().map(|shape| solid(world, spawned, mechanics, shape)).collect();
    let robots: Vec<Range<usize>> = placements.iter().map(Placement::own_links).collect();
    expect_apart(members, &robots, &solids)?;
    let model = mechanics.model();
    let own = members.iter().zip(placements).map(|(member, placement)| {
        SelfContact::new(member.robot, model, (placement.base, placement.own_links()), &solids)
    });
    let (own, overlaps) = own.unzip();
    let wheels: Vec<(WheelContact, Tyre)> = members.iter().zip(placements).flat_map(|it| wheels(world, it)).collect();
    let is_wheel = |link: usize| wheels.iter().any(|(wheel, _)| wheel.link == link);
    let (clusters, encounters) =
        encounters(&solids, &robots, is_wheel, |one, two| hung::hang_together(world, one, two));
    let masses = model.bodies().iter().enumerate();
    let masses = masses.map(|(number, body)| (body.inertia.mass * model.tree_mass(number)).sqrt()).collect();
    let ceiling = Ceiling::new(&world.terrain);
    let soil = Soil::new(world, &solids, mechanics);
    let unwanted = members.iter().map(|member| watch(world, member.robot)).collect();
    let surfaces = Surfaces::new(world, members);
    let touching =
        Touching { solids, clusters, encounters, robots, own, ceiling, soil, masses, wheels, surfaces, unwanted };
    Ok((touching, overlaps))
}

/// Robots that begin in each other would be thrown apart.
fn expect_apart(members: &[Member], robots: &[Range<usize>], solids: &[Solid]) -> Result<(), PlantError> {
    let mut finder = Finder::default();
    let whose = |solid: &Solid| robots.iter().position(|links| solid.owner.link_of(links).is_some());
    let name = |robot: usize, solid: &Solid| {
        let (Member { name, robot, .. }, link) = (members[robot], solid.owner.link_of(&robots[robot]));
        format!(
            "{} of '{}'",
            robot.tree.links[link.unwrap_or(0)].name,
            if name.is_empty() { &robot.name } else { name }
        )
    };
    for (index, second) in solids.iter().enumerate() {
        for first in &solids[..index] {
            let (Some(one), Some(two)) = (whose(first), whose(second)) else { continue };
            let depth = if one == two { None } else { finder.depth(first, second) };
            if let Some(depth) = depth.filter(|depth| *depth > DEEPEST) {
                let found = format!("{} {depth:.3} m deep in {}", name(two, second), name(one, first));
                let error = PlantError::setup("spawn", "robots that begin apart from each other", found);
                return Err(members[two].error(error));
            }
        }
    }
    Ok(())
}

/// A shape where it begins.
fn solid(world: &World, spawned: &Spawned, mechanics: &Mechanics, shape: CollisionShape) -> Solid {
    let (carrier, owner_in_carrier) = match shape.owner {
        Owner::Terrain => (Carrier::World, Isometry3::identity()),
        Owner::Link(link) => (Carrier::Body(spawned.links[link].number), spawned.links[link].pose_in_body),
        Owner::Object(object) => match (spawned.objects[object], &world.objects[object].motion) {
            (Some(place), _) => (Carrier::Body(place.number), place.pose_in_body),
            (None, Some(_)) => (Carrier::Rail(object), Isometry3::identity()),
            (None, None) => (Carrier::World, world.objects[object].pose_in_world),
        },
    };
    let mut solid = Solid::new(shape.owner, carrier, shape.shape, owner_in_carrier * shape.pose_in_owner);
    if let Carrier::Body(body) = carrier {
        solid.place(&mechanics.now().bodies[body].in_world);
    }
    solid
}

/// Natural frequency of a joint on its stop [rad/s].
const STOP_FREQUENCY: f64 = 150.0;

/// The ends of a joint's way are stiff and well damped for what it moves.
fn buffered(robot: &RobotModel, placement: &Placement, inertias: &[f64], constraint: Constraint) -> Constraint {
    let Constraint::Limit { body, lower, upper, .. } = constraint else { return constraint };
    let link = placement.joints[body - placement.base - 1].link;
    let Motion::Joint(joint) = robot.tree.links[link].motion else { return constraint };
    let rotor = robot.description.actuator_of(joint).map_or(0.0, ActuatorClass::reflected_inertia);
    let inertia = inertias[joint] + rotor;
    let buffer = Buffer { stiffness: STOP_FREQUENCY * STOP_FREQUENCY * inertia, damping: STOP_FREQUENCY * inertia };
    Constraint::Limit { body, lower, upper, buffer: Some(buffer) }
}

/// A robot's wheels with their tyres, each of which carries its share.
fn wheels(world: &World, (member, placement): (&Member, &Placement)) -> Vec<(WheelContact, Tyre)> {
    let robot = member.robot;
    let load = robot.tree.mass() * world.gravity / robot.description.wheels.len().max(1) as f64;
    let wheel = |wheel: &robot_model::description::Wheel| {
        let contact = WheelContact {
            link: placement.first_link + wheel.link,
            body: placement.links[wheel.link].number,
            axle_in_link: robot.tree.links[wheel.link].axis_in_link.into_inner(),
            radius: wheel.radius,
            width: wheel.width,
        };
        (contact, Tyre::new(load, WheelContact::CIRCLES))
    };
    robot.description.wheels.iter().map(wheel).collect()
}

/// Who is told apart by a watch over contacts.
fn watch(world: &World, robot: &RobotModel) -> Watch {
    let links = &robot.tree.links;
    // a foot's frame may hang on its sole: both are one body
    let of_foot = |foot: &robot_model::description::Foot| {
        let is_held = |link: &usize| links[*link].motion == robot_model::Motion::Fixed;
        core::iter::successors(Some(foot.link), move |link| links[*link].parent.filter(|_| is_held(link)))
    };
    let mut carries = vec![false; links.len()];
    robot.description.wheels.iter().for_each(|wheel| carries[wheel.link] = true);
    robot.description.feet.iter().flat_map(of_foot).for_each(|link| carries[link] = true);
    let is_fixed = world.objects.iter().map(|object| object.mass.is_none() && object.motion.is_none());
    Watch::new(carries, is_fixed.collect())
}

/// A hash of the files and numbers without which a snapshot means nothing.
fn fingerprint(world: &World, members: &[Member]) -> u64 {
    let mut hasher = StateHasher::default();
    for source in &world.sources {
        hasher.add_bytes(&source.bytes);
    }
    for Member { name, robot, setup } in members {
        if !name.is_empty() {
            hasher.add_bytes(name.as_bytes());
        }
        for source in robot.sources.iter().chain(&robot.meshes) {
            hasher.add_bytes(&source.bytes);
        }
        setup.sensors.iter().for_each(|sensor| hasher.add_bytes(sensor.as_bytes()));
        hasher.add(setup.physics_period.nanoseconds());
        hasher.add(setup.cycle_period.unwrap_or(robot.description.cycle_period).nanoseconds());
        for relocation in &setup.relocations {
            hasher.add(relocation.at.nanoseconds());
            [relocation.to.x, relocation.to.y, relocation.to.yaw]
                .iter()
                .for_each(|number| hasher.add(number.to_bits()));
        }
    }
    hasher.finish().0
}
