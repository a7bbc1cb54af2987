//! A robot alone on level ground, or on a post if its base is fixed, each joint held where it is.

use nalgebra::Vector3;
use plant::{Frame, Overlap, Push, Setup, Simulation, Truth};
use robot_io::{Commands, JointCommand, JointKind, Lifecycle, Period};
use robot_model::description::Base;
use robot_model::{GRAVITY_IN_WORLD, Motion, Tree};
use worlds::World;

use super::drives::Held;
use crate::ScenarioError;
use crate::robot_place::plant_error;

/// How high the robot is lifted before it falls [m].
const DROP_HEIGHT: f64 = 0.05;
/// After this time a robot that is held has settled into its springs [s]; drift counts from then on.
const SETTLED_AFTER: f64 = 1.0;
/// Level ground, large enough to roll away on [m].
const GROUND: &str = "name = \"level\"\n[terrain]\ncell = 1.0\nsize = [60.0, 60.0]\nmaterial = \"concrete\"\n";
/// A post of a few centimetres over deep ground, for a robot that is fixed to it: on level ground an arm that reaches below its
/// base would lie on the ground, or begin in it, instead of being held [m].
const POST: &str = "name = \"post\"\n[terrain]\ncell = 0.02\nsize = [8.0, 8.0]\nmaterial = \"concrete\"\n\
    [[terrain.layer]]\nkind = \"flat\"\nheight = -10.0\nexcept = [{ disc = { center = [0.0, 0.0], radius = 0.01 } }]\n";

/// What a test allows. Chosen: what the eye sees, or what the project asks of its own robots (drift: issue 2, item 3).
mod limits {
    /// A joint beyond its stop [rad or m].
    pub const BEYOND_STOP: f64 = 0.05;
    /// Links apart where a joint joins them [mm].
    pub const APART: f64 = 5.0;
    /// Contact forces over the weight; beyond it physics has burst, not the robot landed.
    pub const IMPACT: f64 = 200.0;
    /// Speed of the base at the end of a drop [m/s].
    pub const SPEED: f64 = 0.02;
    /// Drift and sag while holding [mm].
    pub const DRIFT: f64 = 5.0;
    pub const SAG: f64 = 20.0;
    /// Tilt while holding [deg].
    pub const TILT: f64 = 5.0;
    /// Error of a held joint [rad or m].
    pub const JOINT_ERROR: f64 = 0.1;
    /// Effort as a part of the joint's limit, after settling.
    pub const EFFORT: f64 = 0.95;
}

/// A number that a test reports.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// What it is.
    pub what: &'static str,
    /// The number.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// What is allowed; `None` if it is only worth knowing.
    pub limit: Option<f64>,
    /// The joint that it is of, if it is one's.
    pub joint: Option<String>,
}

impl Reading {
    /// True if its magnitude is within its limit; not-a-number never is.
    pub fn holds(&self) -> bool {
        self.limit.is_none_or(|limit| self.value.abs() <= limit)
    }
}

/// A test under way.
pub struct Trial {
    simulation: Simulation,
    commands: Commands,
    targets: Vec<f64>,
    frame: Frame,
    truth: Truth,
    seen: Seen,
}

/// The extremes of what was seen.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    all_finite: bool,
    /// Sum of the vertical contact forces on the robot [N].
    peak_force: f64,
    /// Height of the base [m].
    highest: f64,
    beyond_stop: Worst,
    apart: f64,
    joint_error: Worst,
    effort: Worst,
    tilt: f64,
}

/// The largest number seen of any joint, and whose it was.
#[derive(Clone, Copy, Debug, Default)]
struct Worst {
    value: f64,
    joint: usize,
}

impl Worst {
    fn see(&mut self, joint: usize, value: f64) {
        if value > self.value {
            *self = Worst { value, joint };
        }
    }
}

impl Trial {
    /// The robot in its pose, just touching the ground or fixed to its post, switched on and held.
    pub fn new(held: &Held) -> Result<Trial, ScenarioError> {
        let is_fixed = held.model.description.base == Base::Fixed;
        let world = World::from_str(if is_fixed { POST } else { GROUND }, "trial.toml", std::path::Path::new("."))?;
        let setup = Setup { pose: held.pose.clone(), noise: false, ..Setup::default() };
        let mut simulation =
            Simulation::new(&world, &held.model, &setup).map_err(|error| plant_error(&held.model, error))?;
        simulation.transition(Lifecycle::Inactive)?;
        simulation.transition(Lifecycle::Active)?;
        let truth = simulation.truth();
        let targets = truth.joint_positions.clone();
        let settings = held.model.description.joints.iter().zip(&targets);
        let joints = settings.map(|(joint, at)| JointCommand::hold(*at, joint.stiffness, joint.damping)).collect();
        let commands = Commands { joints, ..Commands::new(simulation.layout()) };
        let seen = Seen { all_finite: true, highest: truth.base_in_world.translation.z, ..Seen::default() };
        Ok(Trial { simulation, commands, targets, frame: Frame::default(), truth, seen })
    }

    /// What is to be known of the robot beside the readings, for people.
    pub fn remarks(&self) -> Vec<String> {
        let name = |link: usize| &self.simulation.robot().tree.links[link].name;
        let remark = |overlap: &Overlap| {
            let (one, two, depth) = (name(overlap.one), name(overlap.two), 1e3 * overlap.depth);
            format!("{one} and {two} overlap by {depth:.1} mm where they begin: they do not touch each other")
        };
        self.simulation.overlaps().iter().map(remark).collect()
    }

    /// Lifts the robot by 5 cm, lets it fall and waits.
    pub fn drop(mut self, duration: f64) -> Result<Vec<Reading>, ScenarioError> {
        let start = self.truth.base_in_world.translation.z;
        self.lift(DROP_HEIGHT);
        self.run(duration, |_| ())?;
        let weight = self.simulation.robot().tree.mass() * GRAVITY_IN_WORLD.norm();
        let Seen { peak_force, highest, beyond_stop, apart, all_finite, .. } = self.seen;
        let name = |worst: Worst| self.name_of(worst);
        let speed = self.truth.base_velocity_in_world.norm();
        Ok(vec![
            reading("fell from", 100.0 * (highest - start), "cm", None),
            reading("peak contact force", peak_force, "N", None),
            reading("the same over the weight", peak_force / weight, "1", Some(limits::IMPACT)),
            reading("final height of the base", self.truth.base_in_world.translation.z, "m", None),
            reading("final tilt", self.tilt(), "deg", None),
            reading("speed of the base at the end", speed, "m/s", Some(limits::SPEED)),
            Reading {
                joint: name(beyond_stop),
                ..reading("furthest beyond a joint's stop", beyond_stop.value, "rad or m", Some(limits::BEYOND_STOP))
            },
            reading("links apart at a joint", 1e3 * apart, "mm", Some(limits::APART)),
            reading("state is no longer a finite number", f64::from(u8::from(!all_finite)), "1", Some(0.0)),
        ])
    }

    /// Holds the robot.
    pub fn hold(mut self, duration: f64) -> Result<Vec<Reading>, ScenarioError> {
        let start = self.truth.base_in_world.translation.vector;
        let mut settled = None;
        // efforts count once the robot stands: it begins without any
        self.run(duration.min(SETTLED_AFTER), |_| ())?;
        self.seen.effort = Worst::default();
        let mut drift = 0.0_f64;
        self.run((duration - SETTLED_AFTER).max(0.0), |truth| {
            let place = truth.base_in_world.translation.vector;
            let from = *settled.get_or_insert(place);
            drift = drift.max((place - from).xy().norm());
        })?;
        // A robot that broke before it had settled has neither.
        let is_whole = self.is_whole();
        let drift = if is_whole { drift } else { f64::NAN };
        let effort = if is_whole { self.seen.effort } else { Worst { value: f64::NAN, joint: 0 } };
        let sag = start.z - self.truth.base_in_world.translation.z;
        let Seen { joint_error, tilt, apart, all_finite, .. } = self.seen;
        let name = |worst: Worst| self.name_of(worst);
        Ok(vec![
            reading("drift after the first second", 1e3 * drift, "mm", Some(limits::DRIFT)),
            reading("sag", 1e3 * sag, "mm", Some(limits::SAG)),
            reading("largest tilt", tilt, "deg", Some(limits::TILT)),
            Reading {
                joint: name(joint_error),
                ..reading("largest joint error", joint_error.value, "rad or m", Some(limits::JOINT_ERROR))
            },
            Reading {
                joint: name(effort),
                ..reading("largest effort over its limit", effort.value, "1", Some(limits::EFFORT))
            },
            reading("links apart at a joint", 1e3 * apart, "mm", Some(limits::APART)),
            reading("state is no longer a finite number", f64::from(u8::from(!all_finite)), "1", Some(0.0)),
        ])
    }

    /// Raises the robot to `height` [m] without straining it: each link is pushed at its centre of mass with twice its
    /// weight. That turns gravity around; it lasts half the way, and the other half the robot slows down by itself.
    fn lift(&mut self, height: f64) {
        let gravity = GRAVITY_IN_WORLD.norm();
        let until = self.simulation.time() + Period::from_seconds((height / gravity).sqrt());
        let pushes: Vec<Push> = self
            .simulation
            .robot()
            .tree
            .links
            .iter()
            .zip(0..)
            .filter(|(link, _)| link.inertia.mass > 0.0)
            .map(|(link, index)| Push {
                link: index,
                point_in_link: link.inertia.com_in_link,
                force_in_world: Vector3::z() * (2.0 * link.inertia.mass * gravity),
                until,
            })
            .collect();
        pushes.into_iter().for_each(|push| self.simulation.push(push));
    }

    /// Lets so many seconds pass; `see` is called after each control cycle.
    fn run(&mut self, seconds: f64, mut see: impl FnMut(&Truth)) -> Result<(), ScenarioError> {
        let end = self.simulation.time() + Period::from_seconds(seconds);
        while self.simulation.time() < end && self.is_whole() {
            self.commands.cycle = self.simulation.cycle();
            self.simulation.command(&self.commands)?;
            for _ in 0..self.simulation.steps_per_cycle() {
                self.simulation.step();
                self.simulation.frame(&mut self.frame);
                self.observe_forces();
            }
            self.simulation.truth_into(&mut self.truth);
            self.observe();
            see(&self.truth);
        }
        Ok(())
    }

    /// A robot that has come apart is not worth following, and physics may take for ever over it.
    fn is_whole(&self) -> bool {
        self.seen.all_finite && self.seen.apart < 20.0 * 1e-3 * limits::APART
    }

    fn observe_forces(&mut self) {
        let on_robot = self.frame.contacts.iter().filter(|contact| contact.link.is_some());
        let force: f64 = on_robot.map(|contact| contact.force_in_world.z).sum();
        self.seen.peak_force = self.seen.peak_force.max(force);
    }

    fn observe(&mut self) {
        let tilt = self.tilt();
        let Trial { simulation, truth, targets, frame, seen, .. } = self;
        let robot = simulation.robot();
        let base = truth.base_in_world;
        let numbers = base.translation.vector.iter().chain(base.rotation.coords.iter());
        seen.all_finite &= simulation.fault().is_none();
        seen.all_finite &= numbers.chain(&truth.joint_positions).all(|number| number.is_finite());
        seen.highest = seen.highest.max(base.translation.z);
        for (index, joint) in robot.tree.joints.iter().enumerate() {
            let (at, target) = (truth.joint_positions[index], targets[index]);
            let is_held = robot.description.joints[index].stiffness > 0.0;
            seen.joint_error.see(index, if is_held { (at - target).abs() } else { 0.0 });
            let beyond = (at - joint.limits.upper).max(joint.limits.lower - at);
            let has_stops = joint.kind != JointKind::Continuous;
            seen.beyond_stop.see(index, if has_stops { beyond } else { 0.0 });
            let limit = simulation.layout().joints[index].limits.effort;
            let effort = truth.joint_efforts[index].abs();
            seen.effort.see(index, if limit > 0.0 { effort / limit } else { 0.0 });
        }
        seen.apart = seen.apart.max(largest_gap(&robot.tree, frame));
        seen.tilt = seen.tilt.max(tilt);
    }

    /// The joint whose number it is; nobody's if it is zero or none.
    fn name_of(&self, worst: Worst) -> Option<String> {
        let joint = self.simulation.robot().tree.joints.get(worst.joint).filter(|_| worst.value > 0.0)?;
        Some(joint.name.clone())
    }

    /// Angle between the base's z axis and the vertical [deg].
    fn tilt(&self) -> f64 {
        (self.truth.base_in_world.rotation * Vector3::z()).z.clamp(-1.0, 1.0).acos().to_degrees()
    }
}

/// How far links are apart where a turning joint joins them [m].
fn largest_gap(tree: &Tree, frame: &Frame) -> f64 {
    let gap = |(link, pose): (&robot_model::Link, &nalgebra::Isometry3<f64>)| {
        let parent = frame.links_in_world.get(link.parent?)?;
        let slides = match link.motion {
            Motion::Fixed => return None,
            Motion::Joint(joint) => tree.joints[joint].kind == JointKind::Prismatic,
            Motion::Mimic(mimic) => mimic.kind == JointKind::Prismatic,
        };
        let apart = (parent.inverse() * pose).translation.vector - link.placement_in_parent.translation.vector;
        (!slides).then(|| apart.norm())
    };
    tree.links.iter().zip(&frame.links_in_world).filter_map(gap).fold(0.0, f64::max)
}

fn reading(what: &'static str, value: f64, unit: &'static str, limit: Option<f64>) -> Reading {
    Reading { what, value, unit, limit, joint: None }
}
