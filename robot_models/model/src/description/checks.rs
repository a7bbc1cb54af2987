//! What is wrong only when two things are seen together.

use page::{Fault, Page};
use toml::Spanned;

use super::file::{ActuatorEntry, Content, JointsEntry, PoseEntry, WheelEntry};
use super::{JointSettings, Limb, Pose};
use crate::{JointKind, Tree};

type Result<T> = core::result::Result<T, Fault>;

/// Positions may exceed a limit by this much, which is what printing a limit with six digits loses [rad or m].
const ROUNDING: f64 = 1e-6;

/// No two entries of a kind have the same name, and none has an empty one.
pub(super) fn names_are_unique(page: &Page<'_>, file: &Content) -> Result<()> {
    let kinds: [(&str, Vec<&Spanned<String>>); 11] = [
        ("[[actuator]]", file.actuator.iter().map(|entry| &entry.name).collect()),
        ("[[end_effector]]", file.end_effector.iter().map(|entry| &entry.name).collect()),
        // a limb is a group of joints too
        ("[[limb]] or [[group]]", limb_and_group_names(file).collect()),
        ("[[pose]]", file.pose.iter().map(|entry| &entry.name).collect()),
        ("[[wheel]]", file.wheel.iter().map(|entry| &entry.name).collect()),
        ("[[imu]]", file.imu.iter().map(|entry| &entry.name).collect()),
        ("[[force_torque]]", file.force_torque.iter().map(|entry| &entry.name).collect()),
        ("[[contact]]", file.contact.iter().map(|entry| &entry.name).collect()),
        ("[[surface]]", file.surface.iter().map(|entry| &entry.name).collect()),
        ("[[battery]]", file.battery.iter().map(|entry| &entry.name).collect()),
        // they are switched on by name, whatever their kind
        ("[[laser]], [[camera]] or [[depth_camera]]", vision_names(file).collect()),
    ];
    for (kind, names) in kinds {
        for (index, name) in names.iter().enumerate() {
            let twice = names[..index].iter().any(|other| other.get_ref() == name.get_ref());
            if twice || name.get_ref().is_empty() {
                let found = format!("\"{}\"{}", name.get_ref(), if twice { " a second time" } else { "" });
                return Err(page.expected(name, format!("{kind} name"), "a name of its own", found));
            }
        }
    }
    Ok(())
}

fn limb_and_group_names(file: &Content) -> impl Iterator<Item = &Spanned<String>> {
    file.limb.iter().map(|entry| &entry.name).chain(file.group.iter().map(|entry| &entry.name))
}

fn vision_names(file: &Content) -> impl Iterator<Item = &Spanned<String>> {
    let lasers = file.laser.iter().map(|entry| &entry.name);
    let cameras = file.camera.iter().map(|entry| &entry.name);
    lasers.chain(cameras).chain(file.depth_camera.iter().map(|entry| &entry.name))
}

/// Peak is at least rated effort, and the temperatures are in order.
pub(super) fn actuator_is_sane(page: &Page<'_>, entry: &ActuatorEntry) -> Result<()> {
    let what = |field: &str| format!("[[actuator]] \"{}\" {field}", entry.name.get_ref());
    let (rated, peak) = (entry.rated_effort.0, entry.peak_effort.get_ref().0);
    if peak < rated {
        let expected = format!("at least rated_effort {rated} N·m");
        return Err(page.expected(&entry.peak_effort, what("peak_effort"), expected, format!("{peak} N·m")));
    }
    let heat = &entry.thermal;
    let (ambient, derate, trip) = (heat.ambient.0, heat.derate_from.get_ref().0, heat.trip_at.get_ref().0);
    if derate <= ambient {
        let expected = format!("above ambient {ambient} °C");
        return Err(page.expected(&heat.derate_from, what("thermal.derate_from"), expected, format!("{derate} °C")));
    }
    if trip <= derate {
        let expected = format!("above derate_from {derate} °C");
        return Err(page.expected(&heat.trip_at, what("thermal.trip_at"), expected, format!("{trip} °C")));
    }
    Ok(())
}

/// Driven joints have both gains, passive ones none; returns stiffness and damping.
pub(super) fn gains_fit_actuator(page: &Page<'_>, entry: &JointsEntry) -> Result<(f64, f64)> {
    match (&entry.actuator, entry.stiffness, entry.damping) {
        (Some(_), Some(stiffness), Some(damping)) => Ok((stiffness.0, damping.0)),
        (None, None, None) => Ok((0.0, 0.0)),
        (Some(name), _, _) => {
            let found = format!("only actuator \"{}\"", name.get_ref());
            Err(page.expected(name, "[[joints]]", "stiffness and damping beside actuator", found))
        }
        (None, _, _) => {
            Err(page.expected(&entry.names, "[[joints]]", "an actuator beside stiffness and damping", "none"))
        }
    }
}

/// Every joint of the pose is within its limits, those that the entry does not mention too.
pub(super) fn pose_is_within_limits(page: &Page<'_>, entry: &PoseEntry, pose: &Pose, tree: &Tree) -> Result<()> {
    for (joint, position) in tree.joints.iter().zip(&pose.positions) {
        let (lower, upper) = (joint.limits.lower, joint.limits.upper);
        if (lower - ROUNDING..=upper + ROUNDING).contains(position) {
            continue;
        }
        let what = format!("[[pose]] \"{}\" {}", pose.name, joint.name);
        let expected = format!("{lower} to {upper}");
        let said = entry.positions.iter().find(|(name, _)| name.get_ref() == &joint.name);
        return Err(match said {
            Some((_, at)) => page.expected(at, what, expected, position),
            None => page.expected(&entry.name, what, expected, format!("{position}, as it is not mentioned")),
        });
    }
    Ok(())
}

/// A wheel's joint belongs to its limb and has an actuator.
pub(super) fn wheel_joint_is_driven(
    page: &Page<'_>,
    name: &Spanned<String>,
    what: &str,
    joint: usize,
    limb: &Limb,
    joints: &[JointSettings],
) -> Result<()> {
    if !limb.joints.contains(&joint) {
        let expected = format!("a joint of limb \"{}\"", limb.name);
        return Err(page.expected(name, what, expected, format!("\"{}\"", name.get_ref())));
    }
    if joints[joint].actuator.is_none() {
        let found = format!("the passive \"{}\"", name.get_ref());
        return Err(page.expected(name, what, "a joint with an actuator", found));
    }
    Ok(())
}

/// The joint that drives a wheel has no limits.
pub(super) fn wheel_turns_without_end(page: &Page<'_>, entry: &WheelEntry, joint: usize, tree: &Tree) -> Result<()> {
    let kind = tree.joints[joint].kind;
    if kind == JointKind::Continuous {
        return Ok(());
    }
    let what = format!("[[wheel]] \"{}\" drive_joint", entry.name.get_ref());
    Err(page.expected(&entry.drive_joint, what, "a continuous joint", format!("{kind:?}")))
}
