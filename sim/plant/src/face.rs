//! A face of a convex solid with all of its corners.

use parry3d::math::{Pose, Vector};
use parry3d::shape::PolygonalFeature;

/// A flat face of a convex solid, or an edge. Its memory is kept for the next one.
#[derive(Default)]
pub(crate) struct Face {
    /// Counter-clockwise, seen from outside [m].
    pub corners: Vec<Vector>,
    /// Outwards, of unit length; `None` for an edge.
    pub normal: Option<Vector>,
    /// Which of its hull's faces it is.
    pub number: usize,
}

impl Face {
    /// Becomes what parry takes for the surface of a solid that looks in some direction.
    pub fn take(&mut self, feature: &PolygonalFeature, outward: Vector) {
        self.corners.clear();
        self.corners.extend(&feature.vertices[..feature.num_vertices]);
        self.normal = match self.corners[..] {
            [a, b, c, ..] => (b - a).cross(c - a).try_normalize(),
            _ => None,
        };
        if let Some(normal) = self.normal.filter(|normal| normal.dot(outward) < 0.0) {
            self.corners.reverse();
            self.normal = Some(-normal);
        }
    }

    /// Goes to a pose.
    pub fn place(&mut self, pose: &Pose) {
        self.corners.iter_mut().for_each(|corner| *corner = *pose * *corner);
        self.normal = self.normal.map(|normal| pose.rotation * normal);
    }
}
