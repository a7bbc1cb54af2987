//! Shapes of links, for pictures and for contact.

use nalgebra::{Isometry3, Vector3};

/// A shape at its place on a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Geometry {
    /// The shape.
    pub shape: Shape,
    /// Pose of the shape's frame in the link's frame [m].
    pub pose_in_link: Isometry3<f64>,
    /// Red, green, blue and opacity in 0…1; `None` where the file gives none.
    pub color: Option<[f32; 4]>,
}

/// A shape, centred at its own frame's origin.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
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
    /// A sphere.
    Sphere {
        /// Radius [m].
        radius: f64,
    },
    /// A mesh in a file, which need not be there.
    Mesh {
        /// Where the file says it is: `package://…`, `file://…` or a path relative to the URDF.
        uri: String,
        /// Scale along x, y, z.
        scale: Vector3<f64>,
    },
}

/// Something that a link carries and the robot's files do not know: a tool, or a thing in a hand.
#[derive(Clone, Debug, PartialEq)]
pub struct Attached {
    /// The link that carries it.
    pub link: usize,
    /// What it looks like, and where it is on that link.
    pub geometry: Geometry,
}
