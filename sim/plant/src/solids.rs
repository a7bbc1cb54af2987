//! What may touch: shapes, who carries them, and where two of them are near each other.
//!
//! Parry answers for pairs of shapes, from their poses alone: nothing is remembered from one step to the next, so that a snapshot holds
//! no more than the bodies. Poses are taken relative to each other in f64 before they become f32.

use nalgebra::{Isometry3, Matrix3, Point3, Unit, Vector3};
use parry3d::bounding_volume::BoundingVolume;
use parry3d::math::{Pose, Vector};
use parry3d::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher, QueryDispatcher};
use parry3d::shape::{SharedShape, TypedShape};

use crate::collision::Owner;
use crate::convert::{pose, vector64};
use crate::hull_on_ground::HullOnGround;
use crate::patch::Patch;
use crate::underside::Underside;

/// Points that are further apart do not take part [m].
pub(crate) const NEAR: f64 = 0.01;
/// Of solids whose balls are further apart than this, nobody asks for more [m].
const FAR: f64 = 0.1;

/// Who carries a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Carrier {
    /// It is fixed to the world.
    World,
    /// The object with this index, which goes where it wants.
    Rail(usize),
    /// A body that moves by physics.
    Body(usize),
}

/// A shape and who carries it.
#[derive(Clone)]
pub(crate) struct Solid {
    /// Whose it is.
    pub owner: Owner,
    pub carrier: Carrier,
    shape: SharedShape,
    pose_in_carrier: Isometry3<f64>,
    /// A ball around it, in its carrier's frame: middle, radius [m].
    ball: (Point3<f64>, f64),
    /// A box around it, in its own frame: middle and half its sides [m].
    bounds: (Point3<f64>, Vector3<f64>),
    /// Where its carrier is, and the ball's middle.
    carrier_in_world: Isometry3<f64>,
    middle: Vector3<f64>,
}

/// A point at which two solids are near each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    /// Halfway between both surfaces [m], in the world.
    pub position: Vector3<f64>,
    /// From the second to the first.
    pub normal: Vector3<f64>,
    /// [m]
    pub gap: f64,
}

impl Solid {
    /// A shape with its place; it stays there if its carrier is the world.
    pub fn new(owner: Owner, carrier: Carrier, shape: SharedShape, pose_in_carrier: Isometry3<f64>) -> Solid {
        let ball = shape.compute_local_bounding_sphere();
        let middle = pose_in_carrier * Point3::from(vector64(ball.center()));
        let ball = (middle, f64::from(ball.radius()));
        let bounds = shape.compute_local_aabb();
        let bounds = (vector64(bounds.center()).into(), vector64(bounds.half_extents()));
        Solid {
            owner,
            carrier,
            shape,
            pose_in_carrier,
            ball,
            bounds,
            carrier_in_world: Isometry3::identity(),
            middle: middle.coords,
        }
    }

    /// Its lower side, if rays can meet it.
    pub fn underside(&self) -> Option<Underside> {
        Underside::of(&self.shape)
    }

    /// Goes where its carrier is.
    pub fn place(&mut self, carrier_in_world: &Isometry3<f64>) {
        self.carrier_in_world = *carrier_in_world;
        self.middle = (carrier_in_world * self.ball.0).coords;
    }

    /// Where it is.
    pub fn in_world(&self) -> Isometry3<f64> {
        self.carrier_in_world * self.pose_in_carrier
    }

    /// A ball around it, in the world: middle and radius [m].
    pub fn ball(&self) -> (Vector3<f64>, f64) {
        (self.middle, self.ball.1)
    }

    /// No point of it is lower than this, in the world [m].
    pub fn lowest(&self) -> f64 {
        let (middle, half) = self.bounds;
        let pose = self.in_world();
        // how the world's vertical lies in the box
        let up = pose.rotation.inverse_transform_vector(&Vector3::z());
        (pose * middle).z - up.abs().dot(&half)
    }

    /// A box around it along the world's axes: middle and half its sides [m].
    pub fn bounds(&self) -> (Point3<f64>, Vector3<f64>) {
        self.bounds_at(&self.in_world())
    }

    /// The same if it were at a pose.
    pub fn bounds_at(&self, pose: &Isometry3<f64>) -> (Point3<f64>, Vector3<f64>) {
        let (middle, half) = self.bounds;
        (pose * middle, pose.rotation.to_rotation_matrix().matrix().abs() * half)
    }

    /// Whether a vertical line that ends at a point may meet it from below or passes it by no more than `beside` [m]: by the box around it.
    pub fn may_be_over(&self, pose: &Isometry3<f64>, to_own: &Matrix3<f64>, end: &Vector3<f64>, beside: f64) -> bool {
        let (middle, half) = self.bounds;
        let (from, up) = (to_own * (end - pose.translation.vector) - middle.coords, to_own.column(2));
        // by slabs, downwards from the end
        let (mut enters, mut leaves) = (0.0_f64, f64::INFINITY);
        for axis in 0..3 {
            let reach = half[axis] + beside;
            if up[axis].abs() < 1e-12 {
                if from[axis].abs() > reach {
                    return false;
                }
                continue;
            }
            let (one, two) = ((from[axis] - reach) / up[axis], (from[axis] + reach) / up[axis]);
            enters = enters.max(one.min(two));
            leaves = leaves.min(one.max(two));
        }
        enters <= leaves
    }

    /// Where it is in its carrier's frame.
    pub fn in_carrier(&self) -> &Isometry3<f64> {
        &self.pose_in_carrier
    }

    /// How far any of its points is from its carrier's origin, at most [m].
    pub fn farthest_in_carrier(&self) -> f64 {
        self.ball.0.coords.norm() + self.ball.1
    }

    /// Whether it looks the same however it is turned about an axis through its carrier's origin.
    pub fn is_round_about(&self, axis: &Unit<Vector3<f64>>) -> bool {
        const SAME: f64 = 1e-6;
        let middle = self.ball.0.coords;
        let lies_on_it = middle.cross(axis).norm() < SAME;
        let own = match self.shape.as_typed_shape() {
            TypedShape::Ball(_) => return lies_on_it,
            TypedShape::Cylinder(_) | TypedShape::RoundCylinder(_) | TypedShape::Cone(_) => Vector3::y(),
            TypedShape::Capsule(capsule) => vector64(capsule.segment.b) - vector64(capsule.segment.a),
            _ => return false,
        };
        lies_on_it && (self.pose_in_carrier.rotation * own).cross(axis).norm() < SAME
    }

    /// Its place in another's frame.
    pub fn in_frame_of(&self, other: &Solid) -> Isometry3<f64> {
        other.in_world().inverse() * self.in_world()
    }

    /// No point of it moves farther than this from one place to another [m].
    pub fn way(&self, from: &Isometry3<f64>, to: &Isometry3<f64>) -> f64 {
        let (middle, half) = self.bounds;
        // the chord of half the angle, twice
        let turned = (from.rotation.inverse() * to.rotation).imag().norm();
        (to * middle - from * middle).norm() + 2.0 * turned * half.norm()
    }

    /// How far apart the balls around both are [m]; negative if they overlap.
    fn apart(&self, other: &Solid) -> f64 {
        (self.middle - other.middle).norm() - self.ball.1 - other.ball.1
    }
}

/// A shape on the terrain around it.
struct Standing<'a> {
    shape: &'a SharedShape,
    /// In the frame of the patch.
    pose: Pose,
    patch: Patch<'a>,
    patch_in_world: Isometry3<f64>,
}

/// Finds where two solids are near each other.
#[derive(Default)]
pub(crate) struct Finder {
    manifolds: Vec<ContactManifold<(), ()>>,
    /// Of two convex shapes.
    manifold: ContactManifold<(), ()>,
    hull_on_ground: HullOnGround,
}

impl Finder {
    /// Hands each point at which two solids are near each other to `found`.
    pub fn find(&mut self, one: &Solid, two: &Solid, mut found: impl FnMut(Near)) {
        if one.apart(two) > NEAR {
            return;
        }
        if let (Some(ground), Some(_)) = (two.shape.as_heightfield(), one.shape.as_support_map()) {
            let two_in_world = two.in_world();
            let (patch, pose, place) = Patch::around(ground, &(two_in_world.inverse() * one.in_world()));
            let standing = Standing { shape: &one.shape, pose, patch, patch_in_world: two_in_world * place };
            if !self.find_corners(&standing, &mut found) {
                self.find_on_ground(&standing, found);
            }
            return;
        }
        let between = between(one, two);
        if boxes_meet(one, two, &between) && are_near(one, two, &between) {
            self.find_between(one, two, &between, NEAR, found);
        }
    }

    /// The same for two solids that are known to be near each other, with points that are less than `reach` [m] apart.
    pub fn find_within(&mut self, one: &Solid, two: &Solid, reach: f64, found: impl FnMut(Near)) {
        self.find_between(one, two, &between(one, two), reach, found);
    }

    fn find_between(&mut self, one: &Solid, two: &Solid, between: &Pose, reach: f64, mut found: impl FnMut(Near)) {
        let (shape, other) = (&*one.shape, &*two.shape);
        if shape.as_support_map().is_some() && other.as_support_map().is_some() {
            // the same manifold as below, in memory that is kept
            self.manifold.clear();
            self.manifold.local_n1 = Vector::ZERO;
            let asked = DefaultQueryDispatcher.contact_manifold_convex_convex(
                between,
                other,
                shape,
                None,
                None,
                reach as f32,
                &mut self.manifold,
            );
            if asked.is_ok() {
                tell(&self.manifold, &two.in_world(), reach, &mut found);
            }
            return;
        }
        self.manifolds.clear();
        let asked = DefaultQueryDispatcher.contact_manifolds(
            between,
            other,
            shape,
            reach as f32,
            &mut self.manifolds,
            &mut None,
        );
        if asked.is_ok() {
            let in_world = two.in_world();
            self.manifolds.iter().for_each(|manifold| tell(manifold, &in_world, reach, &mut found));
        }
    }

    /// The corners of a polyhedron on the terrain; false if it is none, or if corners do not tell.
    fn find_corners(&mut self, standing: &Standing, mut found: impl FnMut(Near)) -> bool {
        let Standing { shape, pose, patch, patch_in_world } = standing;
        let Some(hull) = shape.as_convex_polyhedron() else { return false };
        self.hull_on_ground.find(hull, pose, *patch, NEAR as f32, |on_ground, normal, gap| {
            let (normal, gap) = (patch_in_world.rotation * vector64(normal), f64::from(gap));
            let position = (patch_in_world * Point3::from(vector64(on_ground))).coords + normal * (0.5 * gap);
            found(Near { position, normal, gap });
        })
    }

    /// A convex solid on the terrain. Most triangles below it are too low to be touched, which its point deepest below each one's plane tells.
    fn find_on_ground(&mut self, standing: &Standing, mut found: impl FnMut(Near)) {
        let Standing { shape, pose, patch, patch_in_world } = standing;
        let near = NEAR as f32;
        let Some(support) = shape.as_support_map() else { return };
        let deepest = |direction: Vector| support.support_point(pose, -direction).dot(direction);
        // parry's terrain has its heights along y
        let lowest = deepest(Vector::Y) - near;
        let manifold = &mut self.manifold;
        patch.triangles_in(&shape.compute_aabb(pose).loosened(near), |index, triangle| {
            if triangle.a.y.max(triangle.b.y).max(triangle.c.y) < lowest {
                return;
            }
            let Some(normal) = triangle.normal().map(|normal| if normal.y < 0.0 { -normal } else { normal }) else {
                return;
            };
            if deepest(normal) - triangle.a.dot(normal) > near {
                return;
            }
            manifold.clear();
            manifold.local_n1 = Vector::ZERO;
            let normals = patch.normals(index);
            let normals = normals.as_ref().map(|normals| normals as &_);
            let asked = DefaultQueryDispatcher
                .contact_manifold_convex_convex(pose, triangle, &***shape, normals, None, near, manifold);
            if asked.is_ok() {
                tell(manifold, patch_in_world, NEAR, &mut found);
            }
        });
    }

    /// How deep two solids are in each other [m]; `None` if they are not.
    pub fn depth(&mut self, one: &Solid, two: &Solid) -> Option<f64> {
        let mut least = 0.0_f64;
        self.find(one, two, |near| least = least.min(near.gap));
        (least < 0.0).then_some(-least)
    }

    /// How far apart two solids are [m]; less than that if they are far apart.
    pub fn distance(&self, one: &Solid, two: &Solid) -> f64 {
        let balls = one.apart(two);
        if balls > FAR {
            return balls;
        }
        // what cannot be asked may be anywhere
        gap(one, two, &between(one, two)).unwrap_or(0.0)
    }
}

/// Hands on the points of a manifold, whose first shape is the second solid or a part of it, which is there in the world.
fn tell(manifold: &ContactManifold<(), ()>, in_world: &Isometry3<f64>, reach: f64, found: &mut impl FnMut(Near)) {
    let turned = manifold.subshape_pos1().map_or(manifold.local_n1, |place| place.rotation * manifold.local_n1);
    let normal = in_world.rotation * vector64(turned);
    for contact in &manifold.points {
        let on_two = manifold.subshape_pos1().map_or(contact.local_p1, |place| *place * contact.local_p1);
        let gap = f64::from(contact.dist);
        if gap < reach {
            let position = (in_world * Point3::from(vector64(on_two))).coords + normal * (0.5 * gap);
            found(Near { position, normal, gap });
        }
    }
}

/// The first solid's place in the second one's frame, so that a large terrain is the one that stays.
fn between(one: &Solid, two: &Solid) -> Pose {
    pose(&one.in_frame_of(two))
}

/// Whether the boxes around both, along the second one's axes, are near each other.
fn boxes_meet(one: &Solid, two: &Solid, one_in_two: &Pose) -> bool {
    let here = one.shape.compute_aabb(one_in_two).loosened(NEAR as f32);
    here.intersects(&two.shape.compute_local_aabb())
}

/// Whether two convex solids are nearer than [`NEAR`]. Parry's manifolds of two boxes that miss each other may have points all the same.
fn are_near(one: &Solid, two: &Solid, one_in_two: &Pose) -> bool {
    let are_convex = one.shape.as_support_map().is_some() && two.shape.as_support_map().is_some();
    !are_convex || gap(one, two, one_in_two).is_some_and(|gap| gap < NEAR)
}

/// How far apart two solids are [m], if parry knows how to tell. Now and then its search in f32 stops while what it has is far too long
/// (36 mm for 0.3 mm, two boxes), and never when it is too short: so it is asked from both sides.
fn gap(one: &Solid, two: &Solid, one_in_two: &Pose) -> Option<f64> {
    let from_two = DefaultQueryDispatcher.distance(one_in_two, &*two.shape, &*one.shape);
    let from_one = DefaultQueryDispatcher.distance(&one_in_two.inverse(), &*one.shape, &*two.shape);
    from_one.ok().into_iter().chain(from_two.ok()).map(f64::from).reduce(f64::min)
}
