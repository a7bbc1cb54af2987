//! How a simulation comes to be.

use std::sync::Arc;

use mechanics::{Buffer, Constraint, Coordinates, Mechanics, Model};
use nalgebra::Isometry3;
use robot_io::{JointCommand, Lifecycle, RandomStream, Readings, StateHasher};
use robot_model::description::{ActuatorClass, Base, EncoderAt, ForceTorqueMount};
use robot_model::{Motion, RobotModel, Wrench};
use worlds::World;

use super::{Actuation, Joint, Simulation, Wheel};
use crate::actuator::{Drive, Load, Passive, Timing, is_stable, most_damping, timing};
use crate::ceiling::Ceiling;
use crate::collision::{CollisionShape, Owner, collision_shapes};
use crate::contacts::{Contacts, Touching};
use crate::encounters::encounters;
use crate::error::PlantError;
use crate::hung;
use crate::inertia;
use crate::self_contact::{Overlap, SelfContact};
use crate::sensor::{BatteryMonitor, ContactSwitch, ForceTorqueCell, ImuUnit};
use crate::setup::Setup;
use crate::soil::Soil;
use crate::solids::{Carrier, Solid};
use crate::spawn::{Spawned, spawn};
use crate::surfaces::{Surfaces, Tyre};
use crate::unwanted::Watch;
use crate::vision::Vision;
use crate::wheel_contact::WheelContact;
use crate::wheels::Rolling;

impl Simulation {
    /// Puts `robot` into `world`.
    pub fn new(world: &World, robot: &RobotModel, setup: &Setup) -> Result<Simulation, PlantError> {
        let steps_per_cycle = steps_per_cycle(robot, setup)?;
        if robot.description.base == Base::Fixed && !setup.relocations.is_empty() {
            let found = format!("{} of '{}', which is fixed to the world", setup.relocations.len(), robot.name);
            return Err(PlantError::setup("relocations", "none of a robot that nobody can carry away", found));
        }
        let mut layout = robot.layout_with(&setup.sensors);
        layout.period = setup.cycle_period.unwrap_or(layout.period);
        let dt = setup.physics_period.seconds();
        let shapes = collision_shapes(world, robot)?;
        let spawned = spawn(world, robot, setup, &shapes)?;
        let inertias = inertia::of_joints(robot, &spawned.base_in_world, &spawned.joint_positions);
        let (joints, joint_of) = joints(robot, setup, &spawned, &inertias, dt)?;
        let mechanics = mechanics(world, robot, &spawned, &inertias)?;
        let (touching, overlaps) = touching(world, robot, &spawned, &mechanics, shapes);
        let vision = Vision::new(world, robot, setup, &layout, &spawned)?;
        let dof = robot.tree.dof();
        let mut simulation = Simulation {
            world: world.clone(),
            robot: Arc::new(robot.clone()),
            fingerprint: fingerprint(world, robot, setup),
            readings: Readings::new(&layout),
            layout,
            setup: setup.clone(),
            wheels: wheels(robot, &spawned, &inertias, dt),
            spawned,
            dt,
            steps_per_cycle,
            steps: 0,
            lifecycle: Lifecycle::default(),
            commands: vec![JointCommand::default(); dof],
            joints,
            joint_of,
            drives: vec![mechanics::Drive::default(); mechanics.model().dofs()],
            outer: vec![Wrench::zero(); mechanics.model().bodies().len()],
            contacts: Contacts::new(robot.tree.links.len(), touching),
            mechanics,
            overlaps,
            imus: Vec::new(),
            cells: Vec::new(),
            switches: Vec::new(),
            batteries: robot.description.batteries.iter().map(BatteryMonitor::new).collect(),
            vision,
            pushes: Vec::with_capacity(16),
            energy_used: 0.0,
            told: vec![0; dof],
            events: Vec::with_capacity(64),
        };
        simulation.mount_sensors();
        simulation.sense();
        Ok(simulation)
    }

    fn mount_sensors(&mut self) {
        let seed = self.setup.seed;
        let stream = |kind: &str, name: &str| RandomStream::new(seed, &format!("{kind}/{name}"));
        let robot = Arc::clone(&self.robot);
        let description = &robot.description;
        let period = self.layout.period;
        for mount in &description.imus {
            let motion = self.imu_motion(mount);
            let unit = ImuUnit::new(mount, &motion, period, stream("imu", &mount.name), self.setup.noise);
            self.imus.push(unit);
        }
        let cells = &description.force_torques;
        let cell = |cell: &ForceTorqueMount| {
            ForceTorqueCell::new(cell, &robot.tree, &self.spawned, stream("force_torque", &cell.name))
        };
        self.cells.extend(cells.iter().map(cell));
        let switches = &description.contacts;
        self.switches.extend(switches.iter().map(|mount| ContactSwitch::new(mount, stream("contact", &mount.name))));
    }
}

fn steps_per_cycle(robot: &RobotModel, setup: &Setup) -> Result<u64, PlantError> {
    let physics = setup.physics_period;
    if physics.nanoseconds() == 0 || physics.seconds() > 0.02 {
        return Err(PlantError::setup("physics_period", "above 0 and at most 20 ms", physics));
    }
    let cycle = setup.cycle_period.unwrap_or(robot.description.cycle_period);
    let whole = cycle.nanoseconds() > 0 && cycle.nanoseconds().is_multiple_of(physics.nanoseconds());
    if !whole {
        return Err(PlantError::setup("cycle period", format!("a multiple of the physics step {physics}"), cycle));
    }
    Ok(cycle.nanoseconds() / physics.nanoseconds())
}

/// The objects that move by physics, and the robot.
fn mechanics(world: &World, robot: &RobotModel, spawned: &Spawned, inertias: &[f64]) -> Result<Mechanics, PlantError> {
    let (mut bodies, stops) = hung::bodies(world, spawned)?;
    let rotor = |joint: usize| {
        let class = robot.description.actuator_of(joint).filter(|class| class.spring.is_none());
        class.map_or(0.0, ActuatorClass::reflected_inertia)
    };
    let base = match robot.description.base {
        Base::Free => mechanics::Joint::Free,
        Base::Fixed => mechanics::Joint::Fixed,
    };
    let parts = mechanics::robot(&robot.tree, base, &spawned.base_in_world, spawned.base, rotor);
    bodies.extend(parts.bodies);
    let constraints = parts.constraints.into_iter().map(|constraint| buffered(robot, spawned, inertias, constraint));
    let constraints = stops.into_iter().chain(constraints);
    let model = Model::new(bodies).and_then(|model| model.with(constraints)).map_err(PlantError::Mechanics)?;
    let mut coordinates = Coordinates::new(&model);
    for (number, body) in robot.tree.rigid_bodies().enumerate() {
        coordinates.positions[spawned.base + number] = robot.tree.position(body.link, &spawned.joint_positions);
    }
    Ok(Mechanics::new(model, coordinates))
}

/// What may touch what.
fn touching(
    world: &World,
    robot: &RobotModel,
    spawned: &Spawned,
    mechanics: &Mechanics,
    shapes: Vec<CollisionShape>,
) -> (Touching, Vec<Overlap>) {
    let is_wheel = |link: usize| robot.description.wheels.iter().any(|wheel| wheel.link == link);
    let solids: Vec<Solid> = shapes.into_iter().map(|shape| solid(world, spawned, mechanics, shape)).collect();
    let (own, overlaps) = SelfContact::new(robot, mechanics.model(), spawned.base, &solids);
    let (clusters, encounters) = encounters(&solids, is_wheel, |one, two| hung::hang_together(world, one, two));
    let model = mechanics.model();
    let masses = model.bodies().iter().enumerate();
    let masses = masses.map(|(number, body)| (body.inertia.mass * model.tree_mass(number)).sqrt()).collect();
    let load = robot.tree.mass() * world.gravity / robot.description.wheels.len().max(1) as f64;
    let wheels =
        wheel_contacts(robot, spawned).into_iter().map(|wheel| (wheel, Tyre::new(load, WheelContact::CIRCLES)));
    let ceiling = Ceiling::new(&world.terrain);
    let soil = Soil::new(world, &solids, mechanics);
    let (wheels, unwanted) = (wheels.collect(), watch(world, robot));
    let surfaces = Surfaces::new(world, robot);
    (Touching { solids, clusters, encounters, own, ceiling, soil, masses, wheels, surfaces, unwanted }, overlaps)
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
fn buffered(robot: &RobotModel, spawned: &Spawned, inertias: &[f64], constraint: Constraint) -> Constraint {
    let Constraint::Limit { body, lower, upper, .. } = constraint else { return constraint };
    let link = spawned.joints[body - spawned.base - 1].link;
    let Motion::Joint(joint) = robot.tree.links[link].motion else { return constraint };
    let rotor = robot.description.actuator_of(joint).map_or(0.0, ActuatorClass::reflected_inertia);
    let inertia = inertias[joint] + rotor;
    let buffer = Buffer { stiffness: STOP_FREQUENCY * STOP_FREQUENCY * inertia, damping: STOP_FREQUENCY * inertia };
    Constraint::Limit { body, lower, upper, buffer: Some(buffer) }
}

/// The joints in the order of their bodies, and for each of the tree's its place among them.
fn joints(
    robot: &RobotModel,
    setup: &Setup,
    spawned: &Spawned,
    inertias: &[f64],
    dt: f64,
) -> Result<(Vec<Joint>, Vec<usize>), PlantError> {
    let mut joints = Vec::with_capacity(spawned.joints.len());
    let mut joint_of = vec![0; robot.tree.dof()];
    for (place, joint) in spawned.joints.iter().enumerate() {
        let name = robot.tree.links[joint.link].joint_name.clone().unwrap_or_default();
        let actuation = match joint.motion {
            Motion::Joint(index) => {
                joint_of[index] = place;
                actuation(robot, setup, spawned, index, inertias[index], dt)?
            }
            // it follows by a constraint
            Motion::Mimic(_) => Actuation::Passive(Passive::new(0.0, 0.0)),
            Motion::Fixed => continue,
        };
        joints.push(Joint { name, motion: joint.motion, actuation });
    }
    Ok((joints, joint_of))
}

fn actuation(
    robot: &RobotModel,
    setup: &Setup,
    spawned: &Spawned,
    index: usize,
    link_inertia: f64,
    step: f64,
) -> Result<Actuation, PlantError> {
    let joint = &robot.tree.joints[index];
    let Some(class) = robot.description.actuator_of(index) else {
        return Ok(Actuation::Passive(Passive::new(joint.damping, joint.friction)));
    };
    check_gains(robot, index, class, link_inertia, step)?;
    let effort_limit = if joint.limits.effort > 0.0 { joint.limits.effort } else { f64::INFINITY };
    let load = Load { link_inertia, position: spawned.joint_positions[index], step, effort_limit };
    let noise = RandomStream::new(setup.seed, &format!("drive/{}", joint.name));
    Ok(Actuation::Drive(Box::new(Drive::new(class, &load, noise))))
}

/// Refuses gains that the drive's own loop cannot bear at this step.
fn check_gains(
    robot: &RobotModel,
    index: usize,
    class: &ActuatorClass,
    link_inertia: f64,
    step: f64,
) -> Result<(), PlantError> {
    let settings = &robot.description.joints[index];
    let joint = robot.tree.joints[index].name.clone();
    let rotor = class.reflected_inertia();
    if let Some(spring) = class.spring.filter(|_| class.encoder_at == EncoderAt::Link)
        && settings.stiffness >= spring
    {
        return Err(PlantError::StiffServo { joint, stiffness: settings.stiffness, spring });
    }
    let inertia = if class.spring.is_some() { rotor } else { rotor + link_inertia };
    let timing = timing(class, step);
    let (stiffness, damping) = (settings.stiffness, settings.damping);
    if is_stable(inertia, stiffness, damping, timing) {
        return Ok(());
    }
    let most_damping = most_damping(inertia, stiffness, timing);
    let Timing { delay: delay_steps, .. } = timing;
    let filter = class.velocity_filter;
    Err(PlantError::UnstableGains { joint, stiffness, damping, inertia, step, delay_steps, filter, most_damping })
}

fn wheels(robot: &RobotModel, spawned: &Spawned, inertias: &[f64], dt: f64) -> Vec<Wheel> {
    let wheels = robot.description.wheels.iter();
    wheels
        .map(|wheel| {
            let rotor = robot.description.actuator_of(wheel.drive_joint).map_or(0.0, ActuatorClass::reflected_inertia);
            Wheel {
                place: spawned.links[wheel.link],
                link: wheel.link,
                axis_in_link: robot.tree.links[wheel.link].axis_in_link.into_inner(),
                rolling: Rolling::new(wheel.radius, wheel.width, inertias[wheel.drive_joint] + rotor, dt),
            }
        })
        .collect()
}

fn wheel_contacts(robot: &RobotModel, spawned: &Spawned) -> Vec<WheelContact> {
    let wheel = |wheel: &robot_model::description::Wheel| WheelContact {
        link: wheel.link,
        body: spawned.links[wheel.link].number,
        axle_in_link: robot.tree.links[wheel.link].axis_in_link.into_inner(),
        radius: wheel.radius,
        width: wheel.width,
    };
    robot.description.wheels.iter().map(wheel).collect()
}

/// Who is told apart by a watch over contacts.
fn watch(world: &World, robot: &RobotModel) -> Watch {
    let mut is_wheel = vec![false; robot.tree.links.len()];
    robot.description.wheels.iter().for_each(|wheel| is_wheel[wheel.link] = true);
    let is_fixed = world.objects.iter().map(|object| object.mass.is_none() && object.motion.is_none());
    Watch::new(is_wheel, is_fixed.collect())
}

/// A hash of the files and numbers without which a snapshot means nothing.
fn fingerprint(world: &World, robot: &RobotModel, setup: &Setup) -> u64 {
    let mut hasher = StateHasher::default();
    for source in &world.sources {
        hasher.add_bytes(&source.bytes);
    }
    for source in robot.sources.iter().chain(&robot.meshes) {
        hasher.add_bytes(&source.bytes);
    }
    setup.sensors.iter().for_each(|sensor| hasher.add_bytes(sensor.as_bytes()));
    hasher.add(setup.physics_period.nanoseconds());
    hasher.add(setup.cycle_period.unwrap_or(robot.description.cycle_period).nanoseconds());
    for relocation in &setup.relocations {
        hasher.add(relocation.at.nanoseconds());
        [relocation.to.x, relocation.to.y, relocation.to.yaw].iter().for_each(|number| hasher.add(number.to_bits()));
    }
    hasher.finish().0
}
