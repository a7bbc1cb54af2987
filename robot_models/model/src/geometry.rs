//! Shapes of links, for pictures and for contact.

use nalgebra::{Isometry3, Point3, Vector3};

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

impl Geometry {
    /// The corners of the box around the shape, in the frame of its link [m]. A mesh, whose file need not be there, is taken for a point.
    pub fn corners_in_link(&self) -> impl Iterator<Item = Point3<f64>> + use<> {
        let half = match &self.shape {
            Shape::Box { size } => 0.5 * size,
            Shape::Cylinder { radius, length } => Vector3::new(*radius, *radius, 0.5 * length),
            Shape::Capsule { radius, length } => Vector3::new(*radius, *radius, 0.5 * length + radius),
            Shape::Sphere { radius } => Vector3::repeat(*radius),
            Shape::Mesh { .. } => Vector3::zeros(),
        };
        let pose = self.pose_in_link;
        let sign = |corner: u32, axis: u32| if corner >> axis & 1 == 0 { -1.0 } else { 1.0 };
        (0..8).map(move |corner| {
            pose * Point3::new(sign(corner, 0) * half.x, sign(corner, 1) * half.y, sign(corner, 2) * half.z)
        })
    }
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
