//! What is known of the things around.

use nalgebra::{Isometry3, Matrix6};
use robot_io::{Sealed, ShortName, State, Time};

use crate::voxels::Voxels;

/// The stream that says what is known: a [`Known`].
pub const KNOWN: &str = "known_things";
/// The stream that says where somebody wants to look: a [`LookWish`].
pub const LOOK: &str = "look_wish";

/// An object that was not seen so often where it should have been has probably been moved.
const DOUBTFUL: usize = 2;
/// A patch of colour in a single picture may be anything.
const GLIMPSES: usize = 2;

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
    /// How often in a row it was not seen where it should have been.
    pub missed: usize,
    /// When it was seen last.
    pub seen: Time,
    /// How often its colour was seen where its pose could not be told: too far away, or too little of it.
    pub glimpses: usize,
    /// When that was last.
    pub glimpsed: Time,
}

/// Somebody wants pictures to be looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
pub struct LookWish {
    /// When that was wanted last; one that is older than 0.2 s is wanted no more.
    pub stamp: Time,
}

impl Known {
    /// Of the objects of a model the one that may be used and is nearest to a place in the odometry frame. One that is not where it was counts only where
    /// there is no other.
    pub fn nearest(&self, model: &ShortName, pose_in_odom: &Isometry3<f64>) -> Option<&KnownObject> {
        let usable = self.objects.iter().filter(|object| object.model == *model && object.is_confirmed);
        let far = |object: &KnownObject| object.pose_in_odom.translation.vector - pose_in_odom.translation.vector;
        let is_doubtful = |object: &KnownObject| object.missed >= DOUBTFUL;
        usable.min_by(|one, other| {
            let doubt = is_doubtful(one).cmp(&is_doubtful(other));
            doubt.then(far(one).norm().total_cmp(&far(other).norm()))
        })
    }
}

impl Known {
    /// As [`nearest`](Self::nearest), of the objects of which only colour and place are known until now: near enough to go there, not to be worked on.
    pub fn nearest_glimpse(&self, model: &ShortName, pose_in_odom: &Isometry3<f64>) -> Option<&KnownObject> {
        let far = |object: &KnownObject| object.pose_in_odom.translation.vector - pose_in_odom.translation.vector;
        let glimpses = self.objects.iter().filter(|object| object.model == *model && object.is_glimpse());
        glimpses.min_by(|one, other| far(one).norm().total_cmp(&far(other).norm()))
    }
}

impl KnownObject {
    /// True if it was seen often enough by its colour to go there, and was not recognised often enough to be used.
    pub fn is_glimpse(&self) -> bool {
        !self.is_confirmed && self.glimpses >= GLIMPSES
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
            missed: 0,
            seen: Time::ZERO,
            glimpses: 0,
            glimpsed: Time::ZERO,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn an_object_that_was_moved_is_the_one_that_is_seen() {
        let cup = ShortName::new("cup").unwrap();
        let object = |id: u64, x: f64, missed: usize, is_confirmed: bool| KnownObject {
            id,
            model: cup,
            pose_in_odom: Isometry3::translation(x, 0.0, 0.0),
            missed,
            is_confirmed,
            ..KnownObject::default()
        };
        let here = Isometry3::identity();
        let nearest = |objects: Vec<KnownObject>| {
            Known { objects, ..Known::default() }.nearest(&cup, &here).map(|object| object.id)
        };
        assert_eq!(nearest(vec![object(1, 1.0, 0, true), object(2, 1.2, 0, true)]), Some(1));
        assert_eq!(nearest(vec![object(1, 1.0, 3, true), object(2, 1.2, 0, true)]), Some(2));
        assert_eq!(nearest(vec![object(1, 1.0, 3, true), object(2, 1.2, 0, false)]), Some(1), "there is no other");
        assert_eq!(nearest(vec![object(2, 1.2, 0, false)]), None);
    }
}
