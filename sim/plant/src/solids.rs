//! What may touch: shapes, who carries them, and where two of them are near each other.
//!
//! Parry answers for pairs of shapes, from their poses alone: nothing is remembered from one step to the next, so that a snapshot holds
//! no more than the bodies, and [where a robot's own links were nearest](crate::meeting_place). Poses are taken relative to each other in f64
//! before they become f32.

use nalgebra::{Isometry3, Matrix3, Point3, Unit, Vector3};
use parry3d::math::Vector;
use parry3d::shape::{ConvexPolyhedron, PolygonalFeatureMap, SharedShape, SupportMap, TypedShape};

use crate::collision::Owner;
use crate::convert::vector64;
use crate::hull::Hull;
use crate::underside::Underside;

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
    /// The same if it is a polyhedron.
    hull: Option<Box<Hull>>,
    /// The same if it is a robot's box: a sole lies on many triangles in every step, where a world's boxes come to rest and sleep.
    cuboid: Option<Box<Hull>>,
    pose_in_carrier: Isometry3<f64>,
    /// A ball around it, in its carrier's frame: middle, radius [m].
    ball: (Point3<f64>, f64),
    /// A box around it, in its own frame: middle and half its sides [m].
    bounds: (Point3<f64>, Vector3<f64>),
    /// The same in its carrier's frame: middle, and half of each edge.
    bounds_in_carrier: (Vector3<f64>, [Vector3<f64>; 3]),
    carrier_in_world: Isometry3<f64>,
}

/// How high a carrier is, and how the world's vertical lies in it: what tells how high all that it carries is.
pub(crate) struct Upright {
    height: f64,
    up: Vector3<f64>,
}

impl Upright {
    /// Of a carrier.
    pub fn new(carrier_in_world: &Isometry3<f64>) -> Upright {
        let up = carrier_in_world.rotation.inverse_transform_vector(&Vector3::z());
        Upright { height: carrier_in_world.translation.z, up }
    }

    /// No point of a solid that it carries is lower than this, in the world [m].
    pub fn lowest(&self, solid: &Solid) -> f64 {
        if solid.shape.as_ball().is_some() {
            return self.lowest_of_ball(solid);
        }
        let (middle, edges) = &solid.bounds_in_carrier;
        self.height + self.up.dot(middle) - edges.iter().map(|edge| self.up.dot(edge).abs()).sum::<f64>()
    }

    /// The same by the ball around it: that may be lower.
    pub fn lowest_of_ball(&self, solid: &Solid) -> f64 {
        let (middle, radius) = solid.ball;
        self.height + self.up.dot(&middle.coords) - radius
    }
}

impl Solid {
    /// A shape with its place; it stays there if its carrier is the world.
    pub fn new(owner: Owner, carrier: Carrier, shape: SharedShape, pose_in_carrier: Isometry3<f64>) -> Solid {
        let ball = shape.compute_local_bounding_sphere();
        let middle = pose_in_carrier * Point3::from(vector64(ball.center()));
        let ball = (middle, f64::from(ball.radius()));
        let bounds = shape.compute_local_aabb();
        let bounds: (Point3<f64>, Vector3<f64>) = (vector64(bounds.center()).into(), vector64(bounds.half_extents()));
        let edge = |axis: usize| pose_in_carrier.rotation * Vector3::ith(axis, bounds.1[axis]);
        let bounds_in_carrier = ((pose_in_carrier * bounds.0).coords, [edge(0), edge(1), edge(2)]);
        let hull = shape.as_convex_polyhedron().map(|polyhedron| Box::new(Hull::new(polyhedron)));
        let cuboid = shape.as_cuboid().filter(|_| matches!(owner, Owner::Link(_))).and_then(|cuboid| {
            let (corners, faces) = cuboid.to_trimesh();
            ConvexPolyhedron::from_convex_mesh(corners, &faces).map(|polyhedron| Box::new(Hull::new(&polyhedron)))
        });
        Solid {
            owner,
            carrier,
            shape,
            hull,
            cuboid,
            pose_in_carrier,
            ball,
            bounds,
            bounds_in_carrier,
            carrier_in_world: Isometry3::identity(),
        }
    }

    /// Its shape.
    pub fn shape(&self) -> &SharedShape {
        &self.shape
    }

    /// The same if it is a polyhedron.
    pub fn hull(&self) -> Option<&Hull> {
        self.hull.as_deref()
    }

    /// What stands on the ground by its corners and faces: a polyhedron, or a robot's box as one.
    pub fn on_ground(&self) -> Option<&Hull> {
        self.hull().or(self.cuboid.as_deref())
    }

    /// What tells its farthest points; `None` if it is not convex.
    pub fn support(&self) -> Option<&dyn SupportMap> {
        self.hull().map(|hull| hull as &dyn SupportMap).or_else(|| self.shape.as_support_map())
    }

    /// What tells its faces and edges, and how thick it is around these [m].
    pub fn features(&self) -> Option<(&dyn PolygonalFeatureMap, f32)> {
        let hull = self.hull().map(|hull| (hull as &dyn PolygonalFeatureMap, 0.0));
        hull.or_else(|| self.shape.as_polygonal_feature_map())
    }

    /// Whether it is a polyhedron with a face of more corners than parry's contacts know.
    pub fn has_many_corners(&self) -> bool {
        self.hull().is_some_and(Hull::has_many_corners)
    }

    /// How far it reaches in a direction of its own frame from its origin, times the direction's length [m]: no less, at least.
    pub fn reach(&self, direction: Vector) -> f32 {
        let of_support = || self.shape.as_support_map().map(|map| map.local_support_point(direction).dot(direction));
        self.hull().map(|hull| hull.reach(direction)).or_else(of_support).unwrap_or(f32::INFINITY)
    }

    /// Its lower side, if rays can meet it.
    pub fn underside(&self) -> Option<Underside> {
        Underside::of(&self.shape)
    }

    /// Goes where its carrier is.
    pub fn place(&mut self, carrier_in_world: &Isometry3<f64>) {
        self.carrier_in_world = *carrier_in_world;
    }

    /// Where it is.
    pub fn in_world(&self) -> Isometry3<f64> {
        if self.carrier == Carrier::World { self.pose_in_carrier } else { self.carrier_in_world * self.pose_in_carrier }
    }

    /// Its frame's origin in the world.
    pub fn origin(&self) -> Point3<f64> {
        self.carrier_in_world * Point3::from(self.pose_in_carrier.translation.vector)
    }

    /// A ball around it, in the world: middle and radius [m].
    pub fn ball(&self) -> (Vector3<f64>, f64) {
        ((self.carrier_in_world * self.ball.0).coords, self.ball.1)
    }

    /// The same in its carrier's frame.
    pub fn ball_in_carrier(&self) -> (Point3<f64>, f64) {
        self.ball
    }

    /// A box around it in its own frame: middle and half its sides [m].
    pub fn bounds_in_own(&self) -> &(Point3<f64>, Vector3<f64>) {
        &self.bounds
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

    /// Where its carrier is.
    pub fn carrier_in_world(&self) -> &Isometry3<f64> {
        &self.carrier_in_world
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
        other.in_world().inv_mul(&self.in_world())
    }

    /// No point of it moves farther than this from one place to another [m].
    pub fn way(&self, from: &Isometry3<f64>, to: &Isometry3<f64>) -> f64 {
        let (middle, half) = self.bounds;
        // the chord of half the angle, twice
        let turned = (from.rotation.inverse() * to.rotation).imag().norm();
        (to * middle - from * middle).norm() + 2.0 * turned * half.norm()
    }

    /// How far apart the balls around both are [m]; negative if they overlap.
    pub fn apart(&self, other: &Solid) -> f64 {
        let ((one, radius), (two, other)) = (self.ball(), other.ball());
        (one - two).norm() - radius - other
    }
}
