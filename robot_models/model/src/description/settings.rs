//! Base, joints, limbs, poses and wheels.

use page::{Fault, Fields, Page, Range, Value};

use super::numbers::{ARM, LENGTH, SHARE};
use super::{ActuatorClass, names};
use crate::{JointKind, Tree};

/// Torsional and rolling friction of surfaces that say nothing about it [m], as of materials in worlds.
const TORSION: f64 = 5e-3;
const ROLLING: f64 = 5e-4;

/// Positions may exceed a limit by this much, which is what printing a limit with six digits loses [rad or m].
const ROUNDING: f64 = 1e-6;

/// How a robot is held by the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Base {
    /// Not at all: it floats, and stands on what it touches the ground with.
    #[default]
    Free,
    /// Its root link is screwed to the world, as an arm's on a table.
    Fixed,
}

/// How one joint is driven.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointSettings {
    /// Index into [`Description::actuators`](super::Description::actuators); `None` for a passive joint.
    pub actuator: Option<usize>,
    /// Default stiffness of its position servo [N·m/rad].
    pub stiffness: f64,
    /// Default damping of its servo [N·m·s/rad].
    pub damping: f64,
}

/// What some links are covered with.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Its name, for pairs of materials in worlds.
    pub name: String,
    /// The links.
    pub links: Vec<usize>,
    /// Coulomb friction coefficient [1].
    pub friction: f64,
    /// Coefficient of restitution [1].
    pub restitution: f64,
    /// Torque about the normal per normal force at which a point slips [m].
    pub torsional_friction: f64,
    /// Torque across the normal per normal force at which it rolls over a point [m].
    pub rolling_friction: f64,
    /// By how much it gives way under the weight of what lies on it [m]; 0 is hard.
    pub give: f64,
}

/// A named group of joints, from the trunk outwards.
#[derive(Clone, Debug, PartialEq)]
pub struct Limb {
    /// Its name, for example `front_left_leg`.
    pub name: String,
    /// Indices of its joints in the tree.
    pub joints: Vec<usize>,
    /// Index of its end effector in [`Description::end_effectors`](super::Description::end_effectors).
    pub end_effector: Option<usize>,
}

/// Joints that are used together: a limb, or several, or single joints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JointGroup {
    /// Its name, for example `upper_body`; a limb is a group by its own name.
    pub name: String,
    /// Indices of its joints in the tree, each once.
    pub joints: Vec<usize>,
}

/// A link with which the robot touches the world.
#[derive(Clone, Debug, PartialEq)]
pub struct EndEffector {
    /// Its name.
    pub name: String,
    /// Index of the link.
    pub link: usize,
}

/// Positions of all joints under a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    /// Its name, for example `stand`.
    pub name: String,
    /// One position per joint of the tree, in its order [rad or m]; joints that the file does not mention are at zero.
    pub positions: Vec<f64>,
}

/// A driven wheel. It turns about the axis of its drive joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Wheel {
    /// Its name.
    pub name: String,
    /// Index of the limb that carries it.
    pub limb: usize,
    /// Index of the joint that steers it.
    pub steer_joint: usize,
    /// Index of the joint that turns it.
    pub drive_joint: usize,
    /// Index of the wheel's link, the child of the drive joint; its origin is the wheel's centre.
    pub link: usize,
    /// Radius [m].
    pub radius: f64,
    /// Width [m].
    pub width: f64,
}

impl JointSettings {
    /// Those of every joint of the tree, in its order.
    pub(super) fn read_all(
        fields: &mut Fields<'_>,
        tree: &Tree,
        actuators: &[ActuatorClass],
        page: Page<'_>,
    ) -> Result<Vec<JointSettings>, Fault> {
        let mut settings = vec![None; tree.dof()];
        fields.each("joints", |table| {
            let names = names::list(table, "names")?;
            let these = JointSettings::read(table, actuators)?;
            for name in &names {
                let joint = names::joint(name, tree)?;
                if settings[joint].replace(these).is_some() {
                    return Err(names::twice(name, "each joint once"));
                }
            }
            Ok(())
        })?;
        let lacking = |joint: usize| {
            let what = format!("joint \"{}\"", tree.joints[joint].name);
            page.lacks(what, "an entry in [[joints]]")
        };
        settings.into_iter().enumerate().map(|(joint, found)| found.ok_or_else(|| lacking(joint))).collect()
    }

    /// Driven joints have both gains, passive ones none.
    fn read(fields: &mut Fields<'_>, actuators: &[ActuatorClass]) -> Result<JointSettings, Fault> {
        if ["actuator", "stiffness", "damping"].into_iter().all(|key| fields.get(key).is_none()) {
            return Ok(JointSettings::default());
        }
        let class = fields.need("actuator", "the name of an [[actuator]] beside stiffness and damping")?;
        Ok(JointSettings {
            actuator: Some(names::table(&class, "actuator", actuators.iter().map(|class| &class.name))?),
            stiffness: fields.number("stiffness", Range::new(0.0, 1e8, "N·m/rad or N/m"))?,
            damping: fields.number("damping", Range::new(0.0, 1e8, "N·m·s/rad or N·s/m"))?,
        })
    }
}

impl EndEffector {
    pub(super) fn read(fields: &mut Fields<'_>, name: String, tree: &Tree) -> Result<EndEffector, Fault> {
        let link = names::link(&fields.need("link", "the name of a link")?, tree)?;
        Ok(EndEffector { name, link })
    }
}

impl Limb {
    pub(super) fn read(
        fields: &mut Fields<'_>,
        name: String,
        tree: &Tree,
        end_effectors: &[EndEffector],
    ) -> Result<Limb, Fault> {
        let joints = names::list(fields, "joints")?;
        let joints = joints.iter().map(|name| names::joint(name, tree)).collect::<Result<_, _>>()?;
        let known = end_effectors.iter().map(|effector| &effector.name);
        let end_effector = fields.get("end_effector").map(|name| names::table(&name, "end_effector", known));
        Ok(Limb { name, joints, end_effector: end_effector.transpose()? })
    }
}

impl JointGroup {
    /// Each limb, and then what the file puts together under names that are not `taken`.
    pub(super) fn read_all<'d>(
        fields: &mut Fields<'d>,
        mut taken: Vec<&'d str>,
        tree: &Tree,
        limbs: &[Limb],
    ) -> Result<Vec<JointGroup>, Fault> {
        let of_limb = |limb: &Limb| JointGroup { name: limb.name.clone(), joints: limb.joints.clone() };
        let mut groups: Vec<JointGroup> = limbs.iter().map(of_limb).collect();
        groups.extend(
            fields.each_named_unlike(&mut taken, "group", |table, name| JointGroup::read(table, name, tree, limbs))?,
        );
        Ok(groups)
    }

    fn read(fields: &mut Fields<'_>, name: String, tree: &Tree, limbs: &[Limb]) -> Result<JointGroup, Fault> {
        let mut joints = Vec::new();
        let mut add = |name: &Value<'_>, joint: usize| {
            if joints.contains(&joint) {
                let found = format!("joint \"{}\" a second time", tree.joints[joint].name);
                return Err(name.error("each joint once", &found));
            }
            joints.push(joint);
            Ok(())
        };
        let mut list = |key| fields.get(key).map_or(Ok(Vec::new()), |names| names.list("a list of names"));
        for name in &list("limbs")? {
            let limb = names::table(name, "limb", limbs.iter().map(|limb| &limb.name))?;
            limbs[limb].joints.iter().try_for_each(|joint| add(name, *joint))?;
        }
        for name in &list("joints")? {
            add(name, names::joint(name, tree)?)?;
        }
        fields.finish()?;
        if joints.is_empty() {
            return Err(fields.error("limbs or joints", "none"));
        }
        Ok(JointGroup { name, joints })
    }
}

impl Pose {
    pub(super) fn read_all(fields: &mut Fields<'_>, tree: &Tree) -> Result<Vec<Pose>, Fault> {
        let mut poses = Vec::new();
        fields.each_named("pose", |table, name| {
            let pose = Pose::read(table, name, tree, &poses)?;
            poses.push(pose);
            Ok(())
        })?;
        Ok(poses)
    }

    /// Every joint is within its limits, those that the table does not mention too.
    fn read(fields: &mut Fields<'_>, name: String, tree: &Tree, earlier: &[Pose]) -> Result<Pose, Fault> {
        let mut positions = vec![0.0; tree.dof()];
        if let Some(like) = fields.get("like") {
            let text = like.text()?;
            let pose = earlier.iter().find(|pose| pose.name == text);
            let unknown = || like.error("the name of an earlier [[pose]]", &format!("\"{text}\""));
            positions.clone_from(&pose.ok_or_else(unknown)?.positions);
        }
        let said = fields
            .get("positions")
            .map(Value::table)
            .transpose()?
            .map(|positions| positions.unread())
            .unwrap_or_default();
        for (joint, position) in &said {
            let unknown = || position.error("a joint of the robot", &format!("\"{}\"", joint.get_ref()));
            let index = tree.joint(joint.get_ref()).ok_or_else(unknown)?;
            positions[index] = position.number(Range::new(-1e4, 1e4, "rad or m"))?;
        }
        fields.finish()?;
        for (joint, position) in tree.joints.iter().zip(&positions) {
            let (lower, upper) = (joint.limits.lower, joint.limits.upper);
            if (lower - ROUNDING..=upper + ROUNDING).contains(position) {
                continue;
            }
            let said = said.iter().find(|(name, _)| *name.get_ref() == joint.name);
            return Err(match said {
                Some((_, at)) => at.error(&format!("{lower} to {upper}"), &position.to_string()),
                None => fields.error(
                    &format!("joint \"{}\" at {lower} to {upper}", joint.name),
                    &format!("{position}, as it is not mentioned"),
                ),
            });
        }
        Ok(Pose { name, positions })
    }
}

impl Wheel {
    pub(super) fn read(
        fields: &mut Fields<'_>,
        name: String,
        tree: &Tree,
        limbs: &[Limb],
        joints: &[JointSettings],
    ) -> Result<Wheel, Fault> {
        let limb = fields.need("limb", "the name of a [[limb]]")?;
        let limb = names::table(&limb, "limb", limbs.iter().map(|limb| &limb.name))?;
        let mut driven = |key| {
            let value = fields.need(key, "the name of a joint")?;
            let joint = names::joint(&value, tree)?;
            if !limbs[limb].joints.contains(&joint) {
                let expected = format!("a joint of limb \"{}\"", limbs[limb].name);
                return Err(value.error(&expected, &format!("\"{}\"", tree.joints[joint].name)));
            }
            if joints[joint].actuator.is_none() {
                let found = format!("the passive \"{}\"", tree.joints[joint].name);
                return Err(value.error("a joint with an actuator", &found));
            }
            Ok((joint, value))
        };
        let ((steer_joint, _), (drive_joint, drive)) = (driven("steer_joint")?, driven("drive_joint")?);
        let kind = tree.joints[drive_joint].kind;
        if kind != JointKind::Continuous {
            return Err(drive.error("a continuous joint", &format!("{kind:?}")));
        }
        Ok(Wheel {
            name,
            limb,
            steer_joint,
            drive_joint,
            link: tree.joints[drive_joint].link,
            radius: fields.number("radius", LENGTH)?,
            width: fields.number("width", LENGTH)?,
        })
    }
}

impl Surface {
    /// No link is covered twice.
    pub(super) fn read_all(fields: &mut Fields<'_>, tree: &Tree) -> Result<Vec<Surface>, Fault> {
        let mut covered = Vec::new();
        fields.each_named("surface", |table, name| {
            let first = covered.len();
            for name in &names::list(table, "links")? {
                let link = names::link(name, tree)?;
                if covered.contains(&link) {
                    return Err(names::twice(name, "each link once"));
                }
                covered.push(link);
            }
            Ok(Surface {
                name,
                links: covered[first..].to_vec(),
                friction: table.number("friction", Range::new(0.0, 10.0, "1"))?,
                restitution: table.number_or("restitution", SHARE, 0.0)?,
                torsional_friction: table.number_or("torsional_friction", ARM, TORSION)?,
                rolling_friction: table.number_or("rolling_friction", ARM, ROLLING)?,
                give: table.number_or("give", Range::new(0.0, 1.0, "m"), 0.0)?,
            })
        })
    }
}
