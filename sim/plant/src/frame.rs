//! What a viewer, a recorder and a check want to see.

use nalgebra::{Isometry3, Vector3};
use robot_io::Time;

/// One cycle to be shown. The buffers are reused.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// The control cycle.
    pub cycle: u64,
    /// Its time.
    pub time: Time,
    /// Pose of each link, in the order of the robot's tree.
    pub links_in_world: Vec<Isometry3<f64>>,
    /// Pose of each link of the robots beside it, one robot after the other.
    pub others_in_world: Vec<Isometry3<f64>>,
    /// Pose of each object, in the order of the world's.
    pub objects_in_world: Vec<Isometry3<f64>>,
    /// Contact points that carry a force.
    pub contacts: Vec<ContactPoint>,
    /// Position of each joint [rad or m].
    pub joint_positions: Vec<f64>,
    /// The robot's centre of mass [m].
    pub com_in_world: Vector3<f64>,
}

/// One point of contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// Where [m].
    pub position_in_world: Vector3<f64>,
    /// On the robot, or on the second object where no robot takes part [N]; of two robots, on the first.
    pub force_in_world: Vector3<f64>,
    /// Away from the ground or the other object.
    pub normal_in_world: Vector3<f64>,
    /// The first robot's link, if it is one.
    pub link: Option<usize>,
}

/// The truth that no controller may see: for checks, logs (marked as truth) and viewers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Truth {
    /// The time.
    pub time: Time,
    /// Pose of the root link.
    pub base_in_world: Isometry3<f64>,
    /// Velocity of the root link's origin [m/s], along the world's axes.
    pub base_velocity_in_world: Vector3<f64>,
    /// Angular velocity of the root link [rad/s], along the world's axes.
    pub base_angular_velocity_in_world: Vector3<f64>,
    /// The robot's centre of mass [m].
    pub com_in_world: Vector3<f64>,
    /// Position of each joint [rad or m].
    pub joint_positions: Vec<f64>,
    /// Velocity of each joint [rad/s or m/s].
    pub joint_velocities: Vec<f64>,
    /// Effort of each drive on its link [N·m or N].
    pub joint_efforts: Vec<f64>,
    /// Winding temperature of each drive [°C].
    pub temperatures: Vec<f64>,
    /// Normal force on each wheel [N], in the description's order.
    pub wheel_forces: Vec<f64>,
    /// Speed with which each wheel's rim slides over the ground [m/s], in the description's order.
    pub wheel_slips: Vec<f64>,
    /// Soil that lies on the robot's links [kg].
    pub soil_carried: f64,
    /// Energy that the battery has given [J].
    pub energy_used: f64,
    /// The hardest contact of the last control cycle that is no wheel on the ground; `None` without one.
    pub unwanted_contact: Option<UnwantedContact>,
    /// For each link, in the tree's order, the normal impulse of the last control cycle by all that is not the robot itself [N·s].
    pub link_impulses: Vec<f64>,
    /// Each object of the world, in its order.
    pub objects: Vec<ObjectTruth>,
}

/// Where an object of the world really is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ObjectTruth {
    /// Its pose.
    pub in_world: Isometry3<f64>,
    /// Angle of its hinge [rad] or position of its slide [m]; zero where the file puts it, and without either.
    pub joint_position: f64,
    /// Soil that lies on it or in it [kg].
    pub soil: f64,
}

/// What a link touches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Touched {
    /// The terrain where it carries.
    #[default]
    Ground,
    /// A face of the terrain that is too steep to carry.
    Face,
    /// The object with this index in the world.
    Object(usize),
    /// The robot's own link with this index.
    Link(usize),
    /// A link of another robot.
    Robot {
        /// Its number among all robots.
        robot: usize,
        /// The link's index.
        link: usize,
    },
}

/// A contact of a robot that is no wheel and no foot on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnwantedContact {
    /// The robot's link.
    pub link: usize,
    /// What it touches.
    pub with: Touched,
    /// Where [m].
    pub position_in_world: Vector3<f64>,
    /// Normal force [N].
    pub force: f64,
}

/// A disturbance: a force on a link, until a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// The link.
    pub link: usize,
    /// Where, in the link's frame [m].
    pub point_in_link: Vector3<f64>,
    /// How, along the world's axes [N].
    pub force_in_world: Vector3<f64>,
    /// Until when.
    pub until: Time,
}
