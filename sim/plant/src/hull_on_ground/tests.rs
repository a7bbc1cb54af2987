#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use nalgebra::Isometry3;
use parry3d::math::Rotation;
use parry3d::query::details::closest_points_segment_segment_with_locations;
use parry3d::query::{DefaultQueryDispatcher, PointQuery, QueryDispatcher};
use parry3d::shape::{ConvexPolyhedron, HeightField, HeightFieldFlags, Segment};
use parry3d::utils::Array2;
use proptest::prelude::*;

const NEAR: f32 = 0.01;
const SIDE: usize = 7;

/// Ground of 0.6 m × 0.6 m with these heights.
fn ground(heights: &[f32]) -> HeightField {
    let sides = Vector::new(0.6, 1.0, 0.6);
    HeightField::with_flags(Array2::new(SIDE, SIDE, heights.to_vec()), sides, HeightFieldFlags::FIX_INTERNAL_EDGES)
}

fn found(hull: &ConvexPolyhedron, pose: &Pose, ground: &HeightField) -> (bool, Vec<(Vector, Vector, f32)>) {
    let mut all = Vec::new();
    let (whole, ..) = Patch::around(ground, &Isometry3::identity());
    let knows = HullOnGround::default()
        .find(&Hull::new(hull), pose, whole, NEAR, |at, normal, gap| all.push((at, normal, gap)));
    (knows, all)
}

/// How far apart they are, by parry's search for each triangle: up to a millimetre or two.
fn about_apart(hull: &ConvexPolyhedron, pose: &Pose, ground: &HeightField) -> f32 {
    let of = |triangle: Triangle| DefaultQueryDispatcher.distance(pose, &triangle, hull).unwrap();
    ground.triangles().map(of).fold(f32::INFINITY, f32::min)
}

/// How far apart they are if they do not touch: each corner from the other's triangles, each edge from the other's. A face of a hull may be bent a little,
/// and be any of the triangles of its corners.
fn apart(hull: &ConvexPolyhedron, pose: &Pose, ground: &HeightField) -> f32 {
    let (points, corners) = (hull.points(), hull.vertices_adj_to_face());
    let faces = hull.faces().iter().map(|face| {
        let from = face.first_vertex_or_edge as usize;
        let of_face = &corners[from..from + face.num_vertices_or_edges as usize];
        of_face.iter().map(|corner| *pose * points[*corner as usize]).collect::<Vec<_>>()
    });
    let facets: Vec<Triangle> = faces.flat_map(|face| triples(&face)).collect();
    let between = |one: &Triangle, other: &Triangle| {
        let to_face = one.vertices().map(|corner| (corner - other.project_local_point(corner, false).point).length());
        to_face.into_iter().fold(f32::INFINITY, f32::min)
    };
    let edges = |one: &Triangle, other: &Triangle| {
        let pairs =
            one.edges().into_iter().flat_map(|edge| other.edges().map(|crossing| segments_apart(&edge, &crossing)));
        pairs.fold(f32::INFINITY, f32::min)
    };
    let near = |below: Triangle| {
        let to = |facet: &Triangle| between(facet, &below).min(between(&below, facet)).min(edges(facet, &below));
        facets.iter().map(to).fold(f32::INFINITY, f32::min)
    };
    ground.triangles().map(near).fold(f32::INFINITY, f32::min)
}

fn triples(corners: &[Vector]) -> Vec<Triangle> {
    let count = corners.len();
    let places = (0..count).flat_map(|c| (0..c).flat_map(move |b| (0..b).map(move |a| [a, b, c])));
    places.map(|[a, b, c]| Triangle::new(corners[a], corners[b], corners[c])).collect()
}

fn segments_apart(one: &Segment, other: &Segment) -> f32 {
    let (a, b) = closest_points_segment_segment_with_locations(&Pose::IDENTITY, one, other);
    (one.point_at(&a) - other.point_at(&b)).length()
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
fn a_sole_on_a_blocks_edges_is_pressed_up_and_not_aside() {
    // a block of 20 cm by 20 cm, whose faces fall off over a cell
    let is_on = |index: usize| [index % SIDE, index / SIDE].iter().all(|place| (2..=4).contains(place));
    let heights: Vec<f32> = (0..SIDE * SIDE).map(|index| if is_on(index) { 0.25 } else { 0.0 }).collect();
    // its end half a millimetre or two before an edge, and over the block's corner; a millimetre deep, or just above
    let places = [[-0.0205, 0.0], [-0.022, 0.0], [-0.0995, 0.0], [0.0, 0.0595], [0.03, 0.07], [-0.05, -0.07]];
    for ([x, z], deep) in places.into_iter().flat_map(|place| [1e-3, -1e-6, -1e-4].map(|deep| (place, deep))) {
        let pose = Pose::from_translation(Vector::new(x, 0.27 - deep, z));
        let (_, points) = found(&block([0.12, 0.02, 0.06]), &pose, &ground(&heights));
        let deepest = points.iter().map(|(.., gap)| *gap).fold(f32::INFINITY, f32::min);
        assert!((deepest + deep).abs() < 5e-5, "{x} {z}: {deepest}");
        for (at, normal, gap) in points.iter().filter(|(.., gap)| *gap < 0.0) {
            assert!(normal.y > 0.6, "{x} {z}: {normal} at {at}, {gap}");
        }
    }
}

#[test]
fn an_edge_across_a_ridge_is_left_to_others() {
    let heights: Vec<f32> = (0..SIDE * SIDE).map(|index| if index % SIDE == SIDE / 2 { 0.05 } else { 0.0 }).collect();
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
        // around a core, so that it is no sheet
        let core = (0..8).map(|index| Vector::from_array(core::array::from_fn(|axis| 0.01 * (f32::from(index >> axis & 1 == 1) - 0.5))));
        let points: Vec<Vector> = points.into_iter().map(Vector::from_array).chain(core).collect();
        let Some(hull) = ConvexPolyhedron::from_convex_hull(&points) else { return Ok(()) };
        let ground = ground(&heights);
        let mut pose = Pose::from_parts(Vector::new(place[0], 0.5, place[1]), Rotation::from_scaled_axis(Vector::from_array(turn)));
        // let down until it is about so far from the ground
        for _ in 0..60 {
            pose.translation.y -= about_apart(&hull, &pose, &ground) - gap;
        }
        prop_assume!(about_apart(&hull, &pose, &ground) > 0.0);
        let truth = apart(&hull, &pose, &ground);
        let (knows, points) = found(&hull, &pose, &ground);
        let nearest = points.iter().map(|(.., gap)| *gap).fold(f32::INFINITY, f32::min);
        // none nearer than it is; what only edges tell is left to others or told a little farther
        prop_assert!(!knows || !points.is_empty());
        prop_assert!(nearest > truth - 5e-4, "{nearest} where it is {truth}");
        prop_assert!(!knows || truth > NEAR_RIDGE - 1e-4 || nearest < truth + 2e-3, "{nearest} where it is {truth}");
    }
}
