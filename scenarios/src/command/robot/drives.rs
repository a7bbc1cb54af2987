//! A robot made ready to be held: its drives, or chosen ones where there is only a URDF.

use robot_io::{JointKind, Period};
use robot_model::description::{ActuatorClass, EncoderAt, JointSettings, Pose, Thermal};
use robot_model::{GRAVITY_IN_WORLD, RobotModel, Tree};

use crate::ScenarioError;
use crate::robot_place::wrong_in_robot;

/// The pose that a robot's description is expected to have.
const STAND: &str = "stand";
/// The pose of a robot that has no description: each joint at zero, or at the limit next to it.
const ZERO: &str = "zero";

/// Error at which a chosen drive gives all its effort [rad], [m].
const FULL_EFFORT_AT: (f64, f64) = (0.05, 0.005);
/// Natural frequency of a chosen drive with nothing on it [rad/s], 8 Hz. It fixes the reflected rotor inertia: 0.008 kg·m²
/// for each newton metre, as centaur.toml has it for legs and steering (0.007 to 0.013 of peak effort).
const FREQUENCY: f64 = 50.0;
/// Damping ratio of a chosen drive with what it carries, whose inertia is so many times the rotor's: up to ten is what drives
/// are commonly sized for. Damped for its rotor alone, an ankle lets the robot above it sway for seconds.
const DAMPING_RATIO: f64 = 0.7;
const LOAD_OVER_ROTOR: f64 = 10.0;
/// A chosen drive is no stronger than the robot's whole weight, on this lever [m] if it turns: some URDFs have limits of
/// 10⁶ N·m.
const LONGEST_LEVER: f64 = 0.5;
/// Speed of a chosen drive without effort where the URDF gives none [rad/s or m/s], and as a multiple of what it gives.
const NO_LOAD_SPEED: (f64, f64) = (10.0, 2.0);
/// Gear ratio of chosen drives; only the reflected inertia matters.
const GEAR_RATIO: f64 = 100.0;

/// A robot that can be held.
#[derive(Clone, Debug)]
pub struct Held {
    /// The robot, with drives.
    pub model: RobotModel,
    /// The pose in which it is held.
    pub pose: String,
    /// What was chosen, for people.
    pub remarks: Vec<String>,
}

/// Makes a robot ready: pose `stand` or `zero`, and drives for a robot of which there is only a URDF.
pub fn held(model: &RobotModel) -> Result<Held, ScenarioError> {
    let mut model = model.clone();
    let mut remarks = Vec::new();
    if model.tree.links.iter().all(|link| link.collisions.is_empty()) {
        let message = "expected links with <collision>, found none: it would fall through the ground".to_owned();
        return Err(wrong_in_robot(&model, "<robot", message));
    }
    if model.description.actuators.is_empty() {
        remarks = choose_drives(&mut model)?;
    }
    let pose = if model.description.pose(STAND).is_some() { STAND } else { ZERO };
    if model.description.pose(pose).is_none() {
        let positions = zero(&model.tree);
        model.description.poses.push(Pose { name: ZERO.to_owned(), positions });
    }
    Ok(Held { model, pose: pose.to_owned(), remarks })
}

/// Gives each joint with an effort limit a drive. Refuses a robot that has no effort limit at all.
fn choose_drives(model: &mut RobotModel) -> Result<Vec<String>, ScenarioError> {
    let RobotModel { tree, description, .. } = &mut *model;
    let weight = tree.mass() * GRAVITY_IN_WORLD.norm();
    let mut loose = Vec::new();
    for (joint, settings) in tree.joints.iter().zip(&mut description.joints) {
        let lever = if joint.kind == JointKind::Prismatic { 1.0 } else { LONGEST_LEVER };
        let effort = joint.limits.effort.min(weight * lever);
        if effort.is_finite() && effort > 0.0 {
            let drive = drive(&joint.name, joint.kind, effort, joint.limits.velocity);
            *settings = JointSettings { actuator: Some(description.actuators.len()), ..drive.1 };
            description.actuators.push(drive.0);
        } else {
            loose.push(joint.name.clone());
        }
    }
    let held = description.actuators.len();
    if held == 0 && !tree.joints.is_empty() {
        let message = format!(
            "expected joints with <limit effort>, found none in {} joints: no drive can be chosen that holds them; describe \
             the drives in a TOML",
            tree.dof()
        );
        return Err(wrong_in_robot(model, "<robot", message));
    }
    let name = &model.name;
    let mut remarks = vec![format!("{name} has no TOML: {held} joints get drives scaled by their effort limits")];
    if !loose.is_empty() {
        remarks.push(format!("without an effort limit, so loose: {}", loose.join(", ")));
    }
    Ok(remarks)
}

/// A drive without friction, play, delays, noise and heat, with stiff gains: full effort at a small error, damped for what
/// it carries.
fn drive(name: &str, kind: JointKind, effort: f64, speed: f64) -> (ActuatorClass, JointSettings) {
    let stiffness = effort / if kind == JointKind::Prismatic { FULL_EFFORT_AT.1 } else { FULL_EFFORT_AT.0 };
    let loaded_frequency = FREQUENCY / (1.0 + LOAD_OVER_ROTOR).sqrt();
    let damping = 2.0 * DAMPING_RATIO * stiffness / loaded_frequency;
    let reflected_inertia = stiffness / (FREQUENCY * FREQUENCY);
    let has_speed = speed.is_finite() && speed > 0.0;
    let thermal = Thermal {
        resistance: 1.0,
        capacitance: 1_000.0,
        ambient: 25.0,
        derate_from: 85.0,
        trip_at: 105.0,
        copper_loss: 0.0,
    };
    let class = ActuatorClass {
        name: format!("chosen for {name}"),
        rated_effort: effort,
        peak_effort: effort,
        no_load_speed: if has_speed { NO_LOAD_SPEED.1 * speed } else { NO_LOAD_SPEED.0 },
        gear_ratio: GEAR_RATIO,
        rotor_inertia: reflected_inertia / (GEAR_RATIO * GEAR_RATIO),
        coulomb_friction: 0.0,
        viscous_friction: 0.0,
        delay: Period::default(),
        feedback_delay: Period::default(),
        velocity_filter: Period::default(),
        backlash: 0.0,
        encoder_counts_per_turn: 1 << 20,
        encoder_at: EncoderAt::Motor,
        position_noise: 0.0,
        velocity_noise: 0.0,
        effort_noise: 0.0,
        torque_constant: 0.05,
        efficiency: 1.0,
        thermal,
        spring: None,
    };
    (class, JointSettings { actuator: None, stiffness, damping })
}

/// Each joint at zero or at the limit next to it.
fn zero(tree: &Tree) -> Vec<f64> {
    tree.joints.iter().map(|joint| 0.0_f64.max(joint.limits.lower).min(joint.limits.upper)).collect()
}
