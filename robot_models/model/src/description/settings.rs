//! Base, joints, limbs, poses and wheels.

use serde::Deserialize;

/// How a robot is held by the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
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
