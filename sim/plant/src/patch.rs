//! The terrain around a solid, in a frame that lies near it.
//!
//! Parry counts in f32, which tells a micrometre some metres from the origin. A rigid foot feels a micrometre in a step of a millisecond as a
//! millimetre a second, so that one that stands far out would never come to rest. Near the solid the same numbers tell nanometres.

use nalgebra::{Isometry3, Translation3};
use parry3d::bounding_volume::{Aabb, BoundingVolume};
use parry3d::math::{Pose, Vector};
use parry3d::shape::{HeightField, Triangle, TrianglePseudoNormals};

use crate::convert::{pose, vector};

/// The frame's origin is a multiple of this, which f32 has exactly [m].
const GRID: f64 = 1.0 / 64.0;
/// What is asked for is this much larger, so that rounding leaves nothing out [m].
const ROUNDING: f32 = 1e-4;

/// A part of the terrain.
#[derive(Clone, Copy)]
pub(crate) struct Patch<'a> {
    ground: &'a HeightField,
    origin: Vector,
}

impl<'a> Patch<'a> {
    /// The terrain around a solid, with the solid's place in the patch's frame and the patch's own place in the terrain's.
    pub fn around(ground: &'a HeightField, solid_in_ground: &Isometry3<f64>) -> (Patch<'a>, Pose, Isometry3<f64>) {
        let origin = solid_in_ground.translation.vector.map(|at| (at / GRID).round() * GRID);
        let place = Isometry3::from(Translation3::from(origin));
        (Patch { ground, origin: vector(&origin) }, pose(&(place.inverse() * solid_in_ground)), place)
    }

    /// Hands each triangle that may be within a box to `each`, with its number.
    pub fn triangles_in(&self, bounds: &Aabb, mut each: impl FnMut(u32, &Triangle)) {
        let bounds = Aabb::new(bounds.mins + self.origin, bounds.maxs + self.origin).loosened(ROUNDING);
        self.ground.map_elements_in_local_aabb(&bounds, &mut |index, Triangle { a, b, c }| {
            each(index, &Triangle::new(*a - self.origin, *b - self.origin, *c - self.origin));
        });
    }

    /// The normals halfway between a triangle and its neighbours.
    pub fn normals(&self, triangle: u32) -> Option<TrianglePseudoNormals> {
        self.ground.triangle_normal_constraints(triangle)
    }
}
