//! What a motion is: data, as an editor or a file gives it.

use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};

/// A motion: keyframes one after the other, and where the objects were when it was made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motion {
    /// Its name.
    pub name: String,
    /// Where the objects to which keyframes are relative were when the motion was made.
    pub references: Vec<Reference>,
    /// What is done, in order.
    pub keyframes: Vec<Keyframe>,
}

/// Where an object is.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The object's name.
    pub object: String,
    /// Its pose in the frame of the robot's base [m]; of symmetric objects in the canonical form in which it was when the
    /// motion was made.
    pub pose_in_base: Isometry3<f64>,
}

/// Goals of limbs that are reached together.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyframe {
    /// Its name, for messages.
    pub name: String,
    /// What is to be where; joints that no goal moves stay.
    pub goals: Vec<LimbGoal>,
    /// How it is gone there.
    pub way: Way,
    /// Whether everything stops there; before and behind straight ways of hands it does anyway.
    pub stops: bool,
}

/// How it is gone from one keyframe to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Way {
    /// Straight in the space of joints.
    Joints,
    /// Hands straight in space, turning about one axis; joints with goals of their own evenly.
    Cartesian,
    /// Hands on arcs about one axis, as on a door or a valve; joints with goals of their own evenly. The arc alone says where hands come to.
    Arc(Arc),
}

/// A part of a circle about an axis in the frame of the robot's base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arc {
    /// A point of the axis [m].
    pub about: Vector3<f64>,
    /// Its direction.
    pub axis: Unit<Vector3<f64>>,
    /// How far it goes, right-handed about the axis [rad].
    pub by: f64,
    /// True if what moves on it stays turned as it is; it turns along if not.
    pub keep: bool,
}

impl Arc {
    /// Where what begins at a pose is after a share of the arc, in the frame in which the axis is.
    pub fn pose(&self, from: &Isometry3<f64>, share: f64) -> Isometry3<f64> {
        let turn = UnitQuaternion::from_axis_angle(&self.axis, self.by * share);
        let place = self.about + turn * (from.translation.vector - self.about);
        let rotation = if self.keep { from.rotation } else { turn * from.rotation };
        Isometry3::from_parts(Translation3::from(place), rotation)
    }

    /// How far a place is from the axis [m].
    pub fn radius(&self, place: &Vector3<f64>) -> f64 {
        let from = place - self.about;
        (from - self.axis.into_inner() * self.axis.dot(&from)).norm()
    }
}

/// Where a joint or a hand is to be.
#[derive(Clone, Debug, PartialEq)]
pub enum LimbGoal {
    /// A joint, by its index in the tree, at a position [rad or m].
    Joint {
        /// The joint.
        joint: usize,
        /// The position.
        position: f64,
    },
    /// A hand at a pose.
    Hand {
        /// The hand's link, by its index in the tree: the tip of a chain.
        hand: usize,
        /// Its pose in the frame of the robot's base, as the motion was made [m].
        pose_in_base: Isometry3<f64>,
        /// The object that it moves with, if any.
        relative_to: Option<String>,
    },
}

/// Where an end effector goes to do at a perceived object what a motion does at a reference (M. Schwarz et al., "Supervised
/// autonomy for exploration and mobile manipulation in rough terrain with a centaur-like robot", Frontiers in Robotics and AI,
/// 2016, equation 7):
/// T_relative = T_perceived · T_reference⁻¹ · T_endeffector, all in one frame.
pub fn adapted(
    perceived: &Isometry3<f64>,
    reference: &Isometry3<f64>,
    end_effector: &Isometry3<f64>,
) -> Isometry3<f64> {
    perceived * reference.inverse() * end_effector
}
