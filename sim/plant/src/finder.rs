//! Where two solids are near each other.

mod apart;
mod clip;
mod convex;
mod faces;
mod on_mesh;
mod search;
mod two;

use nalgebra::{Isometry3, Matrix3, Point3, Translation3, Vector3};
use parry3d::bounding_volume::BoundingVolume;
use parry3d::math::{Pose, Vector};
use parry3d::query::details::contact_manifold_pfm_pfm;
use parry3d::query::epa::EPA;
use parry3d::query::gjk::GJKResult;
use parry3d::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher, TrackedContact};
use parry3d::shape::{HeightField, PackedFeatureId, PolygonalFeature, PolygonalFeatureMap, SharedShape};

pub(crate) use self::apart::{Apart, least_apart};
use self::apart::{along_middles, apart_along, is_possible, is_proven, measure};
use self::faces::Faces;
use self::on_mesh::OnMesh;
use self::two::{Nearest, Two};
use crate::ball_on_ground::BallOnGround;
use crate::convert::{pose, vector, vector64};
use crate::hull::Hull;
use crate::hull_on_ground::HullOnGround;
use crate::meeting_place::MeetingPlace;
use crate::patch::{Patch, upward};
use crate::solids::Solid;

/// What parry's search answers where it does not come to an end; other directions in which two are apart it has proven.
const ASTRAY: Vector = Vector::X;
/// Points that are further apart do not take part [m].
pub(crate) const NEAR: f64 = 0.01;
/// Most points of two bodies; more would only say the same again.
pub(crate) const MOST: usize = 6;

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

/// A shape on the terrain around it.
struct Standing<'a> {
    shape: &'a SharedShape,
    /// In the frame of the patch.
    pose: Pose,
    ground: Ground<'a>,
}

/// The terrain around a place.
#[derive(Clone, Copy)]
struct Ground<'a> {
    patch: Patch<'a>,
    /// Where the patch is in the world, and how its axes lie.
    origin: Vector3<f64>,
    axes: Matrix3<f64>,
}

impl<'a> Ground<'a> {
    fn new(patch: Patch<'a>, place: &Translation3<f64>, terrain_in_world: &Isometry3<f64>) -> Ground<'a> {
        let axes = terrain_in_world.rotation.to_rotation_matrix().into_inner();
        Ground { patch, origin: axes * place.vector + terrain_in_world.translation.vector, axes }
    }

    /// A point on it in the world.
    fn near(&self, at: Vector, normal: Vector, gap: f32) -> Near {
        let (normal, gap) = (self.axes * vector64(normal), f64::from(gap));
        Near { position: self.axes * vector64(at) + self.origin + normal * (0.5 * gap), normal, gap }
    }

    /// Hands on the points of a manifold, whose first shape is one of its triangles.
    fn tell(&self, manifold: &ContactManifold<(), ()>, reach: f64, found: &mut impl FnMut(Near)) {
        let points = manifold.points.iter().map(|contact| self.near(contact.local_p1, manifold.local_n1, contact.dist));
        points.filter(|near| near.gap < reach).for_each(found);
    }
}

/// Finds where two solids are near each other.
#[derive(Default)]
pub(crate) struct Finder {
    manifolds: Vec<ContactManifold<(), ()>>,
    /// Of two convex shapes.
    manifold: ContactManifold<(), ()>,
    hull_on_ground: HullOnGround,
    faces: Faces,
    on_mesh: OnMesh,
    /// Memory of the search for the least way out of each other.
    out: EPA,
}

impl Finder {
    /// Hands each point at which two solids are near each other to `found`; on the terrain those that are within `reach` [m].
    pub fn find(&mut self, one: &Solid, two: &Solid, reach: f64, found: impl FnMut(Near)) {
        if let (Some(ground), Some(_)) = (two.shape().as_heightfield(), one.shape().as_support_map()) {
            let two_in_world = two.in_world();
            if let Some(ball) = one.shape().as_ball() {
                find_ball_on_ground(
                    &two_in_world.inverse_transform_point(&one.origin()),
                    ball.radius,
                    (ground, &two_in_world),
                    reach,
                    found,
                );
                return;
            }
            let (patch, pose, place) = Patch::around(ground, &two_in_world.inv_mul(&one.in_world()));
            let standing = Standing { shape: one.shape(), pose, ground: Ground::new(patch, &place, &two_in_world) };
            match one.on_ground() {
                Some(hull) => self.find_hull_on_ground(hull, &standing, reach, found),
                None => self.find_on_ground(&standing, reach, found),
            }
            return;
        }
        if one.apart(two) > NEAR {
            return;
        }
        let between = between(one, two);
        if boxes_meet(one, two, &between) && are_near(one, two, &between) {
            self.find_between(one, two, &between, found);
        }
    }

    /// The same for two convex solids that are known to be near each other, with points that are less than `reach` [m] apart, where the search
    /// goes on from their last place. It says in which direction they are so, from the second to the first, in the second one's frame.
    pub fn find_within(
        &mut self,
        one: &Solid,
        two: &Solid,
        reach: f64,
        place: &mut MeetingPlace,
        mut found: impl FnMut(Near),
    ) -> Option<Vector> {
        self.manifold.local_n1 = Vector::ZERO;
        if self.find_between_convex(one, two, &between(one, two), reach as f32, place) {
            tell(&self.manifold, &two.in_world(), reach, &mut found);
        }
        Some(self.manifold.local_n1).filter(|across| *across != Vector::ZERO)
    }

    fn find_between(&mut self, one: &Solid, two: &Solid, between: &Pose, mut found: impl FnMut(Near)) {
        if one.support().is_some() && two.support().is_some() {
            // the same manifold as below, in memory that is kept
            if self.find_between_convex(one, two, between, NEAR as f32, &mut MeetingPlace::default()) {
                tell(&self.manifold, &two.in_world(), NEAR, &mut found);
            }
            return;
        }
        if let (Some(mesh), true) = (two.shape().as_trimesh(), one.has_many_corners()) {
            self.find_on_mesh(one, mesh, between, |manifold| tell(manifold, &two.in_world(), NEAR, &mut found));
            return;
        }
        self.manifolds.clear();
        let (shape, other) = (&**one.shape(), &**two.shape());
        let asked = DefaultQueryDispatcher.contact_manifolds(
            between,
            other,
            shape,
            NEAR as f32,
            &mut self.manifolds,
            &mut None,
        );
        if asked.is_ok() {
            let in_world = two.in_world();
            self.manifolds.iter().for_each(|manifold| tell(manifold, &in_world, NEAR, &mut found));
        }
    }

    /// Finds the manifold of two convex solids, from their last place on; false if parry does not know how.
    fn find_between_convex(
        &mut self,
        one: &Solid,
        two: &Solid,
        between: &Pose,
        reach: f32,
        place: &mut MeetingPlace,
    ) -> bool {
        let manifold = &mut self.manifold;
        manifold.clear();
        manifold.local_n1 = Vector::ZERO;
        let is_ball = |solid: &Solid| solid.shape().as_ball().is_some();
        let has_hull = (one.hull().is_some() && !is_ball(two)) || (two.hull().is_some() && !is_ball(one));
        if let (true, Some(first), Some(second)) = (has_hull, two.features(), one.features()) {
            let thick = first.1 + second.1;
            let was_known = place.is_known();
            let mut nearest = place.search(between, first.0, second.0, reach + thick, &mut self.out);
            if was_known && !is_believed(&nearest, one, two, between, thick) {
                *place = MeetingPlace::default();
                nearest = place.search(between, first.0, second.0, reach + thick, &mut self.out);
            }
            let has_many_corners = one.has_many_corners() || two.has_many_corners();
            let both =
                Two { first: two, second: one, second_in_first: between, thick: (first.1, second.1), allowed: None };
            match nearest {
                GJKResult::NoIntersection(across)
                    if across != ASTRAY || is_possible(both.apart(across), f64::from(reach)) =>
                {
                    manifold.local_n1 = across;
                }
                _ if has_many_corners => self.faces.lay(&both, Nearest::of(&nearest), reach, manifold),
                GJKResult::NoIntersection(across) => {
                    if let Some(Nearest { on_first, on_second, across }) = both.search_apart(across) {
                        lay(manifold, between, (first, second), (on_first, on_second, across));
                    }
                }
                GJKResult::ClosestPoints(on_two, on_one, across) => {
                    lay(manifold, between, (first, second), (on_two, on_one, across));
                }
                _ => {}
            }
            return true;
        }
        let (shape, other) = (&**one.shape(), &**two.shape());
        let asked =
            DefaultQueryDispatcher.contact_manifold_convex_convex(between, other, shape, None, None, reach, manifold);
        asked.is_ok()
    }

    /// A polyhedron on the terrain, by corners and ridges, and where these do not tell, by parry.
    fn find_hull_on_ground(&mut self, hull: &Hull, standing: &Standing, reach: f64, mut found: impl FnMut(Near)) {
        let Standing { pose, ground, .. } = standing;
        let (patch, near) = (ground.patch, reach as f32);
        let is_known = self.hull_on_ground.find(hull, pose, patch, near, |at, normal, gap| {
            found(ground.near(at, normal, gap));
        });
        if is_known {
            return;
        }
        let manifold = &mut self.manifold;
        for facet in self.hull_on_ground.open() {
            let Some(triangle) = patch.triangle(*facet) else { continue };
            manifold.clear();
            manifold.local_n1 = Vector::ZERO;
            let normals = patch.normals(patch.number(*facet));
            let normals = normals.as_ref().map(|normals| normals as &_);
            contact_manifold_pfm_pfm(pose, &triangle, 0.0, normals, hull, 0.0, None, near, manifold);
            ground.tell(manifold, reach, &mut found);
        }
    }

    /// Another convex solid on the terrain. Most triangles below it are too low to be touched, which its point deepest below each one's plane
    /// tells.
    fn find_on_ground(&mut self, standing: &Standing, reach: f64, mut found: impl FnMut(Near)) {
        let Standing { shape, pose, ground } = standing;
        let (patch, near) = (ground.patch, reach as f32);
        let Some(support) = shape.as_support_map() else { return };
        let deepest = |direction: Vector| support.support_point(pose, -direction).dot(direction);
        // parry's terrain has its heights along y
        let lowest = deepest(Vector::Y) - near;
        let manifold = &mut self.manifold;
        patch.triangles_in(&shape.compute_aabb(pose).loosened(near), |index, triangle| {
            if triangle.a.y.max(triangle.b.y).max(triangle.c.y) < lowest {
                return;
            }
            let Some(normal) = upward(triangle) else { return };
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
                ground.tell(manifold, reach, &mut found);
            }
        });
    }

    /// How deep two solids are in each other [m]; `None` if they are not.
    pub fn depth(&mut self, one: &Solid, two: &Solid) -> Option<f64> {
        let mut least = 0.0_f64;
        self.find(one, two, NEAR, |near| least = least.min(near.gap));
        (least < 0.0).then_some(-least)
    }

    /// How far apart two solids are; less than that if they are far apart.
    pub fn measure(&self, one: &Solid, two: &Solid) -> Apart {
        let between = between(one, two);
        along_middles(one, two, &between)
            .or_else(|| measure(one, two, &between))
            // what cannot be asked may be anywhere
            .unwrap_or(Apart { distance: 0.0, across: None })
    }
}

/// A ball of a radius [m] at a place in the frame of the terrain, which is there in the world.
fn find_ball_on_ground(
    middle: &Point3<f64>,
    radius: f32,
    (terrain, in_world): (&HeightField, &Isometry3<f64>),
    reach: f64,
    mut found: impl FnMut(Near),
) {
    let (patch, place) = Patch::at(terrain, &middle.coords);
    let ground = Ground::new(patch, &place, in_world);
    let ball = BallOnGround { patch, middle: vector(&(middle.coords - place.vector)), radius };
    ball.find(reach as f32, |at, normal, gap| found(ground.near(at, normal, gap)));
}

/// Whether two solids, `thick` [m] more than their features, are about as far apart in the direction that a search found as it says.
fn is_believed(nearest: &GJKResult, one: &Solid, two: &Solid, one_in_two: &Pose, thick: f32) -> bool {
    match nearest {
        GJKResult::ClosestPoints(on_two, on_one, across) => {
            let distance = f64::from((*on_one - *on_two).dot(*across) - thick);
            is_proven(distance, apart_along(one, two, one_in_two, *across))
        }
        GJKResult::NoIntersection(_) => true,
        _ => false,
    }
}

/// Parry's manifold of two shapes, each with how thick it is around its features [m], by where they are nearest: the points, and the direction
/// from the first to the second.
fn lay(
    manifold: &mut ContactManifold<(), ()>,
    second_in_first: &Pose,
    ((first, thick), (second, other)): ((&dyn PolygonalFeatureMap, f32), (&dyn PolygonalFeatureMap, f32)),
    (on_first, on_second, across): (Vector, Vector, Vector),
) {
    let (own, back) =
        (second_in_first.inverse_transform_point(on_second), second_in_first.rotation.inverse() * -across);
    let (mut of_first, mut of_second) = (PolygonalFeature::default(), PolygonalFeature::default());
    first.local_support_feature_toward(across, on_first, &mut of_first);
    second.local_support_feature_toward(back, own, &mut of_second);
    let in_second = second_in_first.inverse();
    PolygonalFeature::contacts(second_in_first, &in_second, across, back, &of_first, &of_second, manifold, false);
    let (feature, distance) = (PackedFeatureId::UNKNOWN, (on_second - on_first).dot(across));
    manifold.points.push(TrackedContact::new(on_first, own, feature, feature, distance));
    for contact in &mut manifold.points {
        contact.local_p1 += across * thick;
        contact.local_p2 += back * other;
        contact.dist -= thick + other;
    }
    (manifold.local_n1, manifold.local_n2) = (across, back);
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
    let here = one.shape().compute_aabb(one_in_two).loosened(NEAR as f32);
    here.intersects(&two.shape().compute_local_aabb())
}

/// Whether two convex solids are nearer than [`NEAR`]. Parry's manifolds of two boxes that miss each other may have points all the same.
fn are_near(one: &Solid, two: &Solid, one_in_two: &Pose) -> bool {
    let are_convex = one.support().is_some() && two.support().is_some();
    !are_convex
        || along_middles(one, two, one_in_two).is_none()
            && measure(one, two, one_in_two).is_some_and(|apart| apart.distance < NEAR)
}
