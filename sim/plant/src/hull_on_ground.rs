//! Where a convex polyhedron is near the terrain: its corners over the terrain's triangles, and the triangles' corners under its faces.
//!
//! Two surfaces of flat faces touch where a corner of one meets a face of the other, or where two edges cross. Corners tell all of a sole
//! that stands on the ground, and parry's manifold of two faces, which knows four corners of a face, does not. Where no corner is near but
//! a triangle may be, as where an edge lies across a ridge, the caller has to ask for more.

use parry3d::bounding_volume::Aabb;
use parry3d::bounding_volume::BoundingVolume;
use parry3d::math::{Pose, Vector};
use parry3d::shape::{ConvexPolyhedron, HeightField, Triangle};

/// A corner that is deeper in the ground than this is not told by its distance from a triangle's plane [m].
const DEEP: f32 = 0.03;
/// A corner over a triangle may be beside it by this share of its size: it is over the neighbour then.
const BESIDE: f32 = 1e-3;
/// Cosine of the largest angle between a triangle and the face that presses on its corner. Beyond it another triangle is pressed.
const ALIKE: f32 = 0.7;

/// Working memory.
#[derive(Default)]
pub(crate) struct HullOnGround {
    /// The corners in the terrain's frame.
    corners: Vec<Vector>,
}

impl HullOnGround {
    /// Hands each corner nearer than `near` [m] to `found`: its place on the terrain or on itself, the ground's normal, and the distance, all in
    /// the terrain's frame, whose y is up. False if some triangle may be near and no corner is.
    pub fn find(
        &mut self,
        hull: &ConvexPolyhedron,
        hull_in_ground: &Pose,
        ground: &HeightField,
        near: f32,
        mut found: impl FnMut(Vector, Vector, f32),
    ) -> bool {
        self.corners.clear();
        self.corners.extend(hull.points().iter().map(|corner| *hull_in_ground * *corner));
        let around = Aabb::from_points(self.corners.iter().copied()).loosened(near);
        let (mut may_touch, mut touches) = (false, false);
        ground.map_elements_in_local_aabb(&around, &mut |_, triangle| {
            if triangle.a.y.max(triangle.b.y).max(triangle.c.y) < around.mins.y {
                return;
            }
            let Some(normal) = triangle.normal().map(|normal| if normal.y < 0.0 { -normal } else { normal }) else {
                return;
            };
            let offset = normal.dot(triangle.a);
            let mut is_below = false;
            for corner in &self.corners {
                let distance = normal.dot(*corner) - offset;
                if distance >= near {
                    continue;
                }
                is_below = true;
                let foot = *corner - normal * distance;
                if distance > -DEEP && is_inside(triangle, foot) {
                    touches = true;
                    found(foot, normal, distance);
                }
            }
            if !is_below {
                return;
            }
            may_touch = true;
            for corner in [triangle.a, triangle.b, triangle.c] {
                let Some((face, distance)) = nearest_face(hull, hull_in_ground.inverse_transform_point(corner), near)
                else {
                    continue;
                };
                let pressed = -(hull_in_ground.rotation * face);
                if pressed.dot(normal) > ALIKE {
                    touches = true;
                    found(corner, pressed, distance);
                }
            }
        });
        touches || !may_touch
    }
}

/// The outer normal of the face that a point is over or least deep under, and how far it is from it; `None` if that is farther than `near`, or
/// if the point is over an edge or a corner.
fn nearest_face(hull: &ConvexPolyhedron, point: Vector, near: f32) -> Option<(Vector, f32)> {
    let (points, corners) = (hull.points(), hull.vertices_adj_to_face());
    let corner = |index: u32| points[corners[index as usize] as usize];
    let mut best = None;
    for face in hull.faces() {
        let distance = face.normal.dot(point - corner(face.first_vertex_or_edge));
        if distance >= near {
            return None;
        }
        if best.is_none_or(|(_, largest)| distance > largest) {
            best = Some((face, distance));
        }
    }
    let (face, distance) = best?;
    let (first, count) = (face.first_vertex_or_edge, face.num_vertices_or_edges);
    let is_left_of = |place: u32| {
        let (from, to) = (corner(first + place), corner(first + (place + 1) % count));
        (to - from).cross(point - from).dot(face.normal) >= -BESIDE * (to - from).length_squared()
    };
    (distance <= 0.0 || (0..count).all(is_left_of)).then_some((face.normal, distance))
}

/// Whether a point of a triangle's plane is in it.
fn is_inside(triangle: &Triangle, point: Vector) -> bool {
    let (along, across, to) = (triangle.b - triangle.a, triangle.c - triangle.a, point - triangle.a);
    let (aa, ab, bb) = (along.dot(along), along.dot(across), across.dot(across));
    let (ap, bp) = (along.dot(to), across.dot(to));
    let whole = aa * bb - ab * ab;
    let (u, v) = (bb * ap - ab * bp, aa * bp - ab * ap);
    let slack = BESIDE * whole;
    u >= -slack && v >= -slack && u + v <= whole + slack
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use parry3d::math::Rotation;
    use parry3d::query::{DefaultQueryDispatcher, QueryDispatcher};
    use parry3d::utils::Array2;
    use proptest::prelude::*;

    const NEAR: f32 = 0.01;
    const SIDE: usize = 7;

    /// Ground of 0.6 m × 0.6 m with these heights.
    fn ground(heights: &[f32]) -> HeightField {
        let sides = Vector::new(0.6, 1.0, 0.6);
        HeightField::new(Array2::new(SIDE, SIDE, heights.to_vec()), sides)
    }

    fn found(hull: &ConvexPolyhedron, pose: &Pose, ground: &HeightField) -> (bool, Vec<(Vector, Vector, f32)>) {
        let mut all = Vec::new();
        let knows =
            HullOnGround::default().find(hull, pose, ground, NEAR, |at, normal, gap| all.push((at, normal, gap)));
        (knows, all)
    }

    /// How far apart they are, by parry's search for each triangle.
    fn apart(hull: &ConvexPolyhedron, pose: &Pose, ground: &HeightField) -> f32 {
        let of = |triangle: Triangle| DefaultQueryDispatcher.distance(pose, &triangle, hull).unwrap();
        ground.triangles().map(of).fold(f32::INFINITY, f32::min)
    }

    fn block(half: [f32; 3]) -> ConvexPolyhedron {
        let corner =
            |index: usize| core::array::from_fn(|axis| if index >> axis & 1 == 1 { half[axis] } else { -half[axis] });
        let corners: Vec<Vector> = (0..8).map(|index| Vector::from_array(corner(index))).collect();
        ConvexPolyhedron::from_convex_hull(&corners).unwrap()
    }

    #[test]
    fn a_sole_on_level_ground_stands_on_all_its_corners() {
        let pose = Pose::from_parts(Vector::new(0.01, 0.019, 0.0), Rotation::from_rotation_y(0.3));
        let (knows, points) = found(&block([0.12, 0.02, 0.06]), &pose, &ground(&[0.0; SIDE * SIDE]));
        assert!(knows);
        let corners = [[0.12, 0.06], [0.12, -0.06], [-0.12, 0.06], [-0.12, -0.06]];
        for [x, z] in corners {
            let corner = pose * Vector::new(x, -0.02, z);
            assert!(points.iter().any(|(at, ..)| (at.x - corner.x).hypot(at.z - corner.z) < 1e-4), "{corner}");
        }
        for (_, normal, gap) in &points {
            assert!(normal.dot(Vector::Y) > 0.999 && (gap + 1e-3).abs() < 1e-5, "{normal} {gap}");
        }
    }

    #[test]
    fn a_peak_under_a_sole_is_felt() {
        let mut heights = [0.0; SIDE * SIDE];
        heights[SIDE * SIDE / 2] = 0.05;
        let (knows, points) =
            found(&block([0.15, 0.02, 0.15]), &Pose::from_translation(Vector::Y * 0.068), &ground(&heights));
        let deepest = points.iter().map(|(.., gap)| *gap).fold(f32::INFINITY, f32::min);
        assert!(knows && (deepest + 2e-3).abs() < 1e-5, "{deepest}");
    }

    #[test]
    fn an_edge_across_a_ridge_is_left_to_others() {
        let heights: Vec<f32> =
            (0..SIDE * SIDE).map(|index| if index % SIDE == SIDE / 2 { 0.05 } else { 0.0 }).collect();
        // between two corners of the ridge, on which its edge lies
        let tilted = Rotation::from_rotation_z(core::f32::consts::FRAC_PI_4);
        for turn in [0.0, core::f32::consts::FRAC_PI_2] {
            let pose = Pose::from_parts(Vector::new(0.05, 0.061, 0.05), Rotation::from_rotation_y(turn) * tilted);
            let (knows, points) = found(&block([0.01, 0.01, 0.035]), &pose, &ground(&heights));
            let near = apart(&block([0.01, 0.01, 0.035]), &pose, &ground(&heights)) < 5e-3;
            assert!(!near || !knows || !points.is_empty(), "turned by {turn}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn what_is_near_is_found_as_near_as_it_is(
            heights in proptest::collection::vec(0.0_f32..0.04, SIDE * SIDE),
            points in proptest::collection::vec(proptest::array::uniform3(-0.1_f32..0.1), 8..40),
            turn in proptest::array::uniform3(-3.0_f32..3.0),
            place in proptest::array::uniform2(-0.1_f32..0.1),
            gap in 0.0005_f32..0.009,
        ) {
            let points: Vec<Vector> = points.into_iter().map(Vector::from_array).collect();
            let Some(hull) = ConvexPolyhedron::from_convex_hull(&points) else { return Ok(()) };
            let ground = ground(&heights);
            let mut pose = Pose::from_parts(Vector::new(place[0], 0.5, place[1]), Rotation::from_scaled_axis(Vector::from_array(turn)));
            let apart = |pose: &Pose| apart(&hull, pose, &ground);
            // let down until it is so far from the ground
            for _ in 0..60 {
                pose.translation.y -= apart(&pose) - gap;
            }
            let truth = apart(&pose);
            prop_assume!((truth - gap).abs() < 1e-4);
            let (knows, points) = found(&hull, &pose, &ground);
            let nearest = points.iter().map(|(.., gap)| *gap).fold(f32::INFINITY, f32::min);
            // none nearer than it is; what only edges tell is left to others or told a little farther
            prop_assert!(!knows || !points.is_empty());
            prop_assert!(nearest > truth - 5e-4, "{nearest} where it is {truth}");
        }
    }
}
