//! A robot's joints with what drives them, and its wheels.

use robot_io::RandomStream;
use robot_model::description::{ActuatorClass, EncoderAt};
use robot_model::{Motion, RobotModel};

use super::robot::{Actuation, Joint, Wheel};
use crate::actuator::{Drive, Load, Passive, Timing, is_stable, most_damping, timing};
use crate::error::PlantError;
use crate::member::Member;
use crate::spawn::Placement;
use crate::wheels::Rolling;

/// What moves a robot.
pub(super) struct Equipment {
    /// The joints in the order of their bodies.
    pub joints: Vec<Joint>,
    /// For each joint of the tree its place among them.
    pub joint_of: Vec<usize>,
    pub wheels: Vec<Wheel>,
}

/// Joints that feel these inertias [kg·m² or kg] in steps of `step` [s].
pub(super) fn of(member: &Member, placement: &Placement, inertias: &[f64], step: f64) -> Result<Equipment, PlantError> {
    let (joints, joint_of) = joints(member, placement, inertias, step)?;
    Ok(Equipment { joints, joint_of, wheels: wheels(member.robot, placement, inertias, step) })
}

/// The joints in the order of their bodies, and for each of the tree's its place among them.
fn joints(
    member: &Member,
    placement: &Placement,
    inertias: &[f64],
    dt: f64,
) -> Result<(Vec<Joint>, Vec<usize>), PlantError> {
    let robot = member.robot;
    let mut joints = Vec::with_capacity(placement.joints.len());
    let mut joint_of = vec![0; robot.tree.dof()];
    for (place, joint) in placement.joints.iter().enumerate() {
        let name = robot.tree.links[joint.link].joint_name.clone().unwrap_or_default();
        let actuation = match joint.motion {
            Motion::Joint(index) => {
                joint_of[index] = place;
                actuation(member, placement, index, inertias[index], dt)?
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
    member: &Member,
    placement: &Placement,
    index: usize,
    link_inertia: f64,
    step: f64,
) -> Result<Actuation, PlantError> {
    let robot = member.robot;
    let joint = &robot.tree.joints[index];
    let Some(class) = robot.description.actuator_of(index) else {
        return Ok(Actuation::Passive(Passive::new(joint.damping, joint.friction)));
    };
    check_gains(robot, index, class, link_inertia, step)?;
    let effort_limit = if joint.limits.effort > 0.0 { joint.limits.effort } else { f64::INFINITY };
    let load = Load { link_inertia, position: placement.joint_positions[index], step, effort_limit };
    let noise = RandomStream::new(member.seed(), &format!("drive/{}", joint.name));
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

fn wheels(robot: &RobotModel, placement: &Placement, inertias: &[f64], dt: f64) -> Vec<Wheel> {
    let wheels = robot.description.wheels.iter();
    wheels
        .map(|wheel| {
            let rotor = robot.description.actuator_of(wheel.drive_joint).map_or(0.0, ActuatorClass::reflected_inertia);
            Wheel {
                place: placement.links[wheel.link],
                link: placement.first_link + wheel.link,
                axis_in_link: robot.tree.links[wheel.link].axis_in_link.into_inner(),
                rolling: Rolling::new(wheel.radius, wheel.width, inertias[wheel.drive_joint] + rotor, dt),
            }
        })
        .collect()
}
