//! Convex solids of which the distance of a point is known exactly.

use nalgebra::{Isometry3, Point3, Vector3};

use crate::error::{ManipulationError, check_number};

/// A solid, centred at its own frame's origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solid {
    /// A sphere.
    Sphere {
        /// Radius [m].
        radius: f64,
    },
    /// A box.
    Box {
        /// Full edge lengths along x, y, z [m].
        size: Vector3<f64>,
    },
    /// A cylinder about z.
    Cylinder {
        /// Radius [m].
        radius: f64,
        /// Length along z [m].
        length: f64,
    },
    /// A cylinder about z with half spheres on its ends.
    Capsule {
        /// Radius [m].
        radius: f64,
        /// Length of the cylindrical part along z [m].
        length: f64,
    },
}

/// A solid at its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// The solid.
    pub solid: Solid,
    /// Its pose in the frame that it belongs to [m].
    pub pose: Isometry3<f64>,
}

impl Solid {
    /// Refuses sizes that are not lengths [m].
    pub(crate) fn check(&self, part: &str) -> Result<(), ManipulationError> {
        let length = |field: &'static str, length: f64| check_number(part, field, (0.0, 1e3), "m", length);
        match self {
            Solid::Sphere { radius } => length("radius", *radius),
            Solid::Box { size } => size.iter().try_for_each(|edge| length("size", *edge)),
            Solid::Cylinder { radius, length: long } | Solid::Capsule { radius, length: long } => {
                length("radius", *radius)?;
                length("length", *long)
            }
        }
    }

    /// How far a point in the solid's frame is outside of it [m]; within it negative: how deep.
    pub fn distance(&self, point: &Vector3<f64>) -> f64 {
        let beside = Vector3::new(point.x, point.y, 0.0).norm();
        match self {
            Solid::Sphere { radius } => point.norm() - radius,
            Solid::Box { size } => outside(&(point.abs() - 0.5 * size)),
            Solid::Cylinder { radius, length } => {
                outside(&Vector3::new(beside - radius, point.z.abs() - 0.5 * length, f64::NEG_INFINITY))
            }
            Solid::Capsule { radius, length } => {
                let beyond = (point.z.abs() - 0.5 * length).max(0.0);
                (beside * beside + beyond * beyond).sqrt() - radius
            }
        }
    }

    /// Half the edges of the box around it [m].
    pub fn half_extents(&self) -> Vector3<f64> {
        match self {
            Solid::Sphere { radius } => Vector3::repeat(*radius),
            Solid::Box { size } => 0.5 * size,
            Solid::Cylinder { radius, length } => Vector3::new(*radius, *radius, 0.5 * length),
            Solid::Capsule { radius, length } => Vector3::new(*radius, *radius, 0.5 * length + radius),
        }
    }

    /// The radius of the sphere around it about its origin [m].
    pub fn outer_radius(&self) -> f64 {
        match self {
            Solid::Sphere { radius } => *radius,
            Solid::Box { size } => 0.5 * size.norm(),
            Solid::Cylinder { radius, length } => (radius * radius + 0.25 * length * length).sqrt(),
            Solid::Capsule { radius, length } => radius + 0.5 * length,
        }
    }
}

impl Placed {
    /// The same in the frame in which its own has this pose.
    pub(crate) fn moved(&self, pose: &Isometry3<f64>) -> Placed {
        Placed { solid: self.solid, pose: pose * self.pose }
    }

    /// How far a point in the frame to which it belongs is outside of it [m]; within it negative.
    pub fn distance(&self, point: &Vector3<f64>) -> f64 {
        self.solid.distance(&self.pose.inverse_transform_point(&Point3::from(*point)).coords)
    }
}

/// The distance that follows from the distances along axes at right angles to each other.
fn outside(along: &Vector3<f64>) -> f64 {
    let beyond = along.map(|distance| distance.max(0.0)).norm();
    if beyond > 0.0 { beyond } else { along.max() }
}
