//! What is seen, and what is known.

use nalgebra::{Isometry3, Matrix3, Matrix6, Point3};
use robot_io::{State, Time};

use crate::model::Symmetry;
use crate::registration::Registered;

/// A kind of objects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectClass {
    /// Its name.
    pub name: String,
    /// The turns after which such an object looks the same.
    pub symmetry: Symmetry,
}

/// An object that was seen once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detection {
    /// Its class, by its number.
    pub class: usize,
    /// In the fixed frame.
    pub pose: Isometry3<f64>,
    /// Of that pose: translation [m²], then rotation [rad²], along the axes of the fixed frame.
    pub covariance: Matrix6<f64>,
    /// False if only the place is known.
    pub has_orientation: bool,
}

impl Detection {
    /// An object of which the place is known.
    pub fn of_place(class: usize, position: Point3<f64>, covariance: &Matrix3<f64>) -> Detection {
        let mut both = Matrix6::identity() * (core::f64::consts::PI * core::f64::consts::PI / 3.0);
        both.fixed_view_mut::<3, 3>(0, 0).copy_from(covariance);
        Detection { class, pose: Isometry3::from(position), covariance: both, has_orientation: false }
    }

    /// An object of which the pose is known.
    pub fn of_pose(class: usize, pose: Isometry3<f64>, covariance: Matrix6<f64>) -> Detection {
        Detection { class, pose, covariance, has_orientation: true }
    }
}

impl From<(usize, &Registered)> for Detection {
    /// A registered object of a class. If another pose fits as well, only its place is known, no better than the two poses are apart.
    fn from((class, object): (usize, &Registered)) -> Detection {
        let Some(rival) = object.rival else {
            return Detection::of_pose(class, object.pose, object.covariance);
        };
        let apart = rival.translation.vector - object.pose.translation.vector;
        let covariance = object.covariance.fixed_view::<3, 3>(0, 0) + apart * apart.transpose();
        Detection::of_place(class, object.pose.translation.vector.into(), &covariance)
    }
}

/// An object of the world model.
#[derive(Clone, Copy, Debug, PartialEq, State)]
pub struct Track {
    /// Its identity, which no other object ever has.
    pub id: u64,
    /// Its class, by its number.
    pub class: usize,
    /// In the fixed frame; of all poses that look alike the canonical one.
    pub pose: Isometry3<f64>,
    /// Of that pose: translation [m²], then rotation [rad²], along the axes of the fixed frame.
    pub covariance: Matrix6<f64>,
    /// False if only the place is known.
    pub has_orientation: bool,
    /// True once it has been seen often enough to be used.
    pub is_confirmed: bool,
    /// How often it was recognised, or its place measured as well as that; 0 for what was only glimpsed.
    pub sightings: usize,
    /// How often in a row it was not seen where it should have been.
    pub missed: usize,
    /// When it was seen last.
    pub seen: Time,
    /// How often it was glimpsed: seen by its colour, without a pose.
    pub glimpses: usize,
    /// When it was glimpsed last.
    pub glimpsed: Time,
}

impl Default for Track {
    fn default() -> Self {
        Track {
            id: 0,
            class: 0,
            pose: Isometry3::identity(),
            covariance: Matrix6::zeros(),
            has_orientation: false,
            is_confirmed: false,
            sightings: 0,
            missed: 0,
            seen: Time::ZERO,
            glimpses: 0,
            glimpsed: Time::ZERO,
        }
    }
}

impl Track {
    /// Where it is.
    pub fn position(&self) -> Point3<f64> {
        self.pose.translation.vector.into()
    }

    /// True if it was only seen by its colour until now: about where it is is known, and not how it is turned.
    pub fn is_glimpse(&self) -> bool {
        self.sightings == 0
    }
}

/// What has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackEvent {
    /// An object has been seen often enough to be used.
    Confirmed(u64),
    /// An object has been seen by its colour often enough to go there, and was not recognised yet.
    Glimpsed(u64),
    /// A confirmed object is not where it should be seen.
    Lost(u64),
}
