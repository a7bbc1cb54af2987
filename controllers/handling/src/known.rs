//! What is known of the things around.

use nalgebra::{Isometry3, Matrix6};
use robot_io::{Sealed, ShortName, State, Time};

use crate::voxels::Voxels;

/// The stream that says what is known: a [`Known`].
pub const KNOWN: &str = "known_things";
/// The stream that says where somebody wants to look: a [`LookWish`].
pub const LOOK: &str = "look_wish";

/// All that is known of the things around the robot, in the odometry frame.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct Known {
    /// Pictures that were looked at until now.
    pub pictures: u64,
    /// When the last of them was taken.
    pub stamp: Time,
    /// The objects, in the order in which they were first seen.
    pub objects: Vec<KnownObject>,
    /// Everything else that has a surface.
    pub surroundings: Sealed<Voxels>,
}

/// An object.
#[derive(Clone, Copy, Debug, PartialEq, State)]
pub struct KnownObject {
    /// Its identity, which no other object ever has.
    pub id: u64,
    /// What it is: the name of its model.
    pub model: ShortName,
    /// The model's origin in the odometry frame.
    pub pose_in_odom: Isometry3<f64>,
    /// Of that pose: translation [m²], then rotation [rad²], along the axes of the odometry frame.
    pub covariance: Matrix6<f64>,
    /// False if only the place is known.
    pub has_orientation: bool,
    /// True once it has been seen often enough to be used.
    pub is_confirmed: bool,
    /// When it was seen last.
    pub seen: Time,
}

/// Somebody wants pictures to be looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
pub struct LookWish {
    /// When that was wanted last; one that is older than 0.2 s is wanted no more.
    pub stamp: Time,
}

impl Known {
    /// Of the objects of a model the one that may be used and is nearest to a place in the odometry frame.
    pub fn nearest(&self, model: &ShortName, pose_in_odom: &Isometry3<f64>) -> Option<&KnownObject> {
        let usable = self.objects.iter().filter(|object| object.model == *model && object.is_confirmed);
        let far = |object: &KnownObject| object.pose_in_odom.translation.vector - pose_in_odom.translation.vector;
        usable.min_by(|one, other| far(one).norm().total_cmp(&far(other).norm()))
    }
}

impl Default for KnownObject {
    fn default() -> Self {
        KnownObject {
            id: 0,
            model: ShortName::default(),
            pose_in_odom: Isometry3::identity(),
            covariance: Matrix6::zeros(),
            has_orientation: false,
            is_confirmed: false,
            seen: Time::ZERO,
        }
    }
}
