//! What is asked of two convex shapes that may be near each other.

use parry3d::math::Vector;
use parry3d::shape::{PolygonalFeature, PolygonalFeatureMap, SupportMap, Triangle};

use crate::face::Face;
use crate::hull::{Hull, Outposts};
use crate::solids::Solid;

/// A convex shape, in its own frame.
pub(super) trait Convex {
    /// What tells its faces and edges, and how thick it is around these [m].
    fn features(&self) -> Option<(&dyn PolygonalFeatureMap, f32)>;

    /// How far it reaches in a direction from its origin, times the direction's length [m]: no less, at least.
    fn reach(&self, direction: Vector) -> f32;

    /// Hands on the outer normals of its faces, if it has nothing but flat ones.
    fn normals(&self, each: &mut dyn FnMut(Vector));

    /// A few of its corners that lie far out, if it has many.
    fn outposts(&self) -> Option<&Outposts> {
        None
    }

    /// Takes the face or edge that looks most in a direction, near a place.
    fn face_toward(&self, direction: Vector, place: Vector, face: &mut Face);

    /// How far a place is from a face of it that is not flat [m]; `None` of one that is.
    fn over_bend(&self, _face: &Face, _place: Vector) -> Option<f32> {
        None
    }
}

impl Convex for Solid {
    fn features(&self) -> Option<(&dyn PolygonalFeatureMap, f32)> {
        Solid::features(self)
    }

    fn reach(&self, direction: Vector) -> f32 {
        Solid::reach(self, direction)
    }

    fn normals(&self, each: &mut dyn FnMut(Vector)) {
        if let Some(hull) = self.hull() {
            hull.normals().for_each(each);
        } else if self.shape().as_cuboid().is_some() {
            [Vector::X, Vector::Y, Vector::Z].into_iter().flat_map(|axis| [axis, -axis]).for_each(each);
        }
    }

    fn outposts(&self) -> Option<&Outposts> {
        self.hull().map(Hull::outposts)
    }

    fn face_toward(&self, direction: Vector, place: Vector, face: &mut Face) {
        if let Some(hull) = self.hull() {
            return hull.face_toward(direction, face);
        }
        let mut feature = PolygonalFeature::default();
        if let Some((features, _)) = self.features() {
            features.local_support_feature_toward(direction, place, &mut feature);
        }
        face.take(&feature, direction);
    }

    fn over_bend(&self, face: &Face, place: Vector) -> Option<f32> {
        self.hull()?.over_bend(face.number, place)
    }
}

/// A triangle of a surface, which has an outside only.
impl Convex for Triangle {
    fn features(&self) -> Option<(&dyn PolygonalFeatureMap, f32)> {
        Some((self, 0.0))
    }

    fn reach(&self, direction: Vector) -> f32 {
        self.local_support_point(direction).dot(direction)
    }

    fn normals(&self, each: &mut dyn FnMut(Vector)) {
        self.normal().into_iter().for_each(each);
    }

    fn face_toward(&self, _direction: Vector, _place: Vector, face: &mut Face) {
        face.corners.clear();
        face.corners.extend([self.a, self.b, self.c]);
        face.normal = self.normal();
    }
}
