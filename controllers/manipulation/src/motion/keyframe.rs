//! What a motion is: data, as an editor or a file gives it.

use nalgebra::Isometry3;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Straight in the space of joints.
    Joints,
    /// Hands straight in space, turning about one axis; joints with goals of their own evenly.
    Cartesian,
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
