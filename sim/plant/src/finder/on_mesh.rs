//! Where a polyhedron of many corners is near a mesh that is fixed to the world.
//!
//! Each triangle is met as a face. What all triangles of a plane say is taken together, since a face that stands on several would else be told by
//! the corners that they have among themselves.

use parry3d::bounding_volume::BoundingVolume;
use parry3d::math::{Pose, Vector};
use parry3d::query::ContactManifold;
use parry3d::query::gjk::GJKResult;
use parry3d::shape::TriMesh;

use super::clip::{Over, keep_few, outline};
use super::faces::{LIKE, tracked};
use super::two::{Nearest, Two};
use super::{Finder, MOST, NEAR};
use crate::meeting_place::MeetingPlace;
use crate::solids::Solid;

/// Working memory.
#[derive(Default)]
pub(super) struct OnMesh {
    /// Places on the mesh, how far the polyhedron is from there, and the normal.
    all: Vec<(Over, Vector)>,
    /// Those of one plane.
    plane: Vec<Over>,
    kept: Vec<Over>,
}

impl Finder {
    /// Hands on a manifold for each plane of the mesh that the polyhedron is near: parry's own know four corners of a face.
    pub(super) fn find_on_mesh(
        &mut self,
        one: &Solid,
        mesh: &TriMesh,
        one_in_mesh: &Pose,
        mut found: impl FnMut(&ContactManifold<(), ()>),
    ) {
        self.meet_triangles(one, mesh, one_in_mesh);
        let OnMesh { all, plane, kept } = &mut self.on_mesh;
        while let Some((last, normal)) = all.pop() {
            plane.clear();
            plane.push(last);
            all.retain(|(over, own)| {
                let is_of_plane = own.dot(normal) > LIKE;
                plane.extend(is_of_plane.then_some(*over));
                !is_of_plane
            });
            outline(plane, kept, normal);
            keep_few(plane, MOST);
            self.manifold.clear();
            self.manifold.local_n1 = normal;
            self.manifold.points.extend(plane.iter().map(|over| tracked(one_in_mesh, normal, *over)));
            found(&self.manifold);
        }
    }

    /// Finds what each triangle that is near says.
    fn meet_triangles(&mut self, one: &Solid, mesh: &TriMesh, one_in_mesh: &Pose) {
        self.on_mesh.all.clear();
        let (Some((features, thick)), near) = (one.features(), NEAR as f32) else { return };
        let around = one.shape().compute_aabb(one_in_mesh).loosened(near);
        // parry fills its tree up with numbers that no triangle has
        for number in mesh.bvh().intersect_aabb(&around).filter(|number| (*number as usize) < mesh.num_triangles()) {
            let triangle = mesh.triangle(number);
            let nearest = MeetingPlace::default().search(one_in_mesh, &triangle, features, near + thick, &mut self.out);
            if matches!(nearest, GJKResult::NoIntersection(_)) {
                continue;
            }
            let allowed = mesh.triangle_normal_constraints(number);
            let both = Two {
                first: &triangle,
                second: one,
                second_in_first: one_in_mesh,
                thick: (0.0, thick),
                allowed: allowed.as_ref(),
            };
            self.manifold.clear();
            self.faces.lay(&both, Nearest::of(&nearest), near, &mut self.manifold);
            let points = self.manifold.points.iter().map(|point| (point.local_p1, point.dist));
            self.on_mesh.all.extend(points.map(|over| (over, self.manifold.local_n1)));
        }
    }
}
