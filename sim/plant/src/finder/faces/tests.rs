//! Points of many-cornered solids against what all their planes, edges and corners say.
#![allow(clippy::unwrap_used, reason = "tests")]

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use parry3d::math::Vector;
use parry3d::shape::{ConvexPolyhedron, SharedShape, TriMeshFlags};
use proptest::prelude::*;

use crate::collision::Owner;
use crate::convert::vector64;
use crate::finder::{Finder, NEAR, Near};
use crate::solids::{Carrier, Solid};

/// What points may be wrong by [m], and by this share of the depth where edges nearly lie on faces.
const DOUBT: f64 = 5e-5;
const DOUBT_SHARE: f64 = 0.015;

/// An upright prism about the origin whose corners lie on a circle, tapered by a share of its radius.
fn prism(count: usize, radius: f64, half: f64, taper: f64) -> SharedShape {
    let corner = |place: usize| {
        let (sin, cos) = libm::sincos(core::f64::consts::TAU * (place / 2) as f64 / count as f64);
        let (up, radius) = if place.is_multiple_of(2) { (-half, radius) } else { (half, radius * (1.0 - taper)) };
        Vector::new((radius * cos) as f32, (radius * sin) as f32, up as f32)
    };
    SharedShape::convex_hull(&(0..2 * count).map(corner).collect::<Vec<_>>()).unwrap()
}

fn solid(shape: &SharedShape, place: Isometry3<f64>) -> Solid {
    Solid::new(Owner::Object(0), Carrier::World, shape.clone(), place)
}

fn found(one: &Solid, two: &Solid) -> Vec<Near> {
    let mut all = Vec::new();
    Finder::default().find(one, two, NEAR, |near| all.push(near));
    all
}

/// A polyhedron in the world, in f64.
struct Exact {
    corners: Vec<Vector3<f64>>,
    normals: Vec<Vector3<f64>>,
    /// How far each face is from the origin.
    offsets: Vec<f64>,
    edges: Vec<Vector3<f64>>,
}

impl Exact {
    fn new(solid: &Solid) -> Exact {
        let polyhedron: &ConvexPolyhedron = solid.shape().as_convex_polyhedron().unwrap();
        let place = solid.in_world();
        let corner = |at: &Vector| (place * Point3::from(vector64(*at))).coords;
        let turn = |along: Vector| (place.rotation * vector64(along)).normalize();
        let mut edges: Vec<Vector3<f64>> = Vec::new();
        for edge in polyhedron.edges_adj_to_face() {
            let along = turn(polyhedron.edges()[*edge as usize].dir);
            if edges.iter().all(|other| other.cross(&along).norm() > 1e-6) {
                edges.push(along);
            }
        }
        let corners = polyhedron.points().iter().map(corner).collect();
        let normals = polyhedron.faces().iter().map(|face| turn(face.normal)).collect();
        let exact = Exact { corners, normals, offsets: Vec::new(), edges };
        Exact { offsets: exact.normals.iter().map(|normal| exact.reach(normal)).collect(), ..exact }
    }

    fn reach(&self, along: &Vector3<f64>) -> f64 {
        self.corners.iter().map(|corner| corner.dot(along)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// How far a place is outside of all planes; negative within.
    fn outside(&self, place: &Vector3<f64>) -> f64 {
        let apart = self.normals.iter().zip(&self.offsets).map(|(normal, offset)| normal.dot(place) - offset);
        apart.fold(f64::NEG_INFINITY, f64::max)
    }
}

/// How far apart two are along the axis that parts them most: less than zero is how deep they are in each other.
fn apart(one: &Exact, two: &Exact) -> f64 {
    let normals = one.normals.iter().map(|normal| -normal).chain(two.normals.iter().copied());
    let crossed = one.edges.iter().flat_map(|edge| two.edges.iter().map(|other| edge.cross(other)));
    let crossed = crossed.filter(|axis| axis.norm() > 1e-6).map(|axis| axis.normalize()).flat_map(|axis| [axis, -axis]);
    normals.chain(crossed).map(|axis| -one.reach(&-axis) - two.reach(&axis)).fold(f64::NEG_INFINITY, f64::max)
}

/// Brings one shape along a way to another until they are `depth` [m] in each other, or so far apart if that is negative.
fn bring(shapes: [&SharedShape; 2], turn: UnitQuaternion<f64>, way: Vector3<f64>, depth: f64) -> [Solid; 2] {
    let two = solid(shapes[1], Isometry3::identity());
    let still = Exact::new(&two);
    let at = |far: f64| solid(shapes[0], Isometry3::from_parts(Translation3::from(way * far), turn));
    let (mut near, mut far) = (0.0, 1.0);
    for _ in 0..32 {
        let middle = 0.5 * (near + far);
        if apart(&Exact::new(&at(middle)), &still) < -depth { near = middle } else { far = middle }
    }
    [at(far), two]
}

/// Whether the points of two solids lie on both, and the nearest or deepest of them is as near or deep as the solids are. Under faces whose sides
/// are undercut, what is deep is beside the solid.
fn check(one: &Solid, two: &Solid, undercut: f64) -> Result<(), TestCaseError> {
    let (first, second) = (Exact::new(one), Exact::new(two));
    let near = found(one, two);
    prop_assert!(!near.is_empty() && near.len() <= 6, "{} points", near.len());
    let least = near.iter().map(|near| near.gap).fold(f64::INFINITY, f64::min);
    let far = apart(&first, &second);
    let doubt = DOUBT + DOUBT_SHARE * far.abs();
    if far < 0.0 {
        prop_assert!((least - far).abs() < doubt, "{least} m deep, not {far}");
    } else {
        prop_assert!(least > far - doubt, "{least} m apart, not {far}");
    }
    for Near { position, normal, gap } in near {
        for (solid, side) in [(&first, 0.5), (&second, -0.5)] {
            let outside = solid.outside(&(position + normal * (side * gap)));
            prop_assert!(outside.abs() < doubt, "{outside} m outside, where they are {gap} m apart, {far} in all");
        }
        let (beside, most) = (first.outside(&position).max(second.outside(&position)), 0.5 * gap.max(-gap * undercut));
        prop_assert!(beside < most + doubt, "{beside} m outside of one, at a gap of {gap} m");
    }
    Ok(())
}

fn direction() -> impl Strategy<Value = Vector3<f64>> {
    [-1.0..1.0, -1.0..1.0, -1.0..1.0]
        .prop_map(|[x, y, z]: [f64; 3]| Vector3::new(x, y, z))
        .prop_filter("a direction", |way| way.norm() > 0.1)
        .prop_map(|way| way.normalize())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, max_shrink_iters: 0, ..ProptestConfig::default() })]

    #[test]
    fn points_lie_on_both_and_are_as_deep_as_the_solids(
        counts in (5_usize..17, 3_usize..17),
        size in (0.01..0.1, 0.002..0.06, 0.0..0.4),
        other in (0.01..0.1, 0.002..0.06, 0.0..0.4),
        (axis, angle) in (direction(), -3.2..3.2),
        way in direction(),
        depth in -3e-3..1e-3,
    ) {
        let shapes = [prism(counts.0, size.0, size.1, size.2), prism(counts.1, other.0, other.1, other.2)];
        let turn = UnitQuaternion::from_axis_angle(&nalgebra::Unit::new_normalize(axis), angle);
        let [one, two] = bring([&shapes[0], &shapes[1]], turn, way, depth);
        check(&one, &two, 1.0)?;
        check(&two, &one, 1.0)?;
    }

    #[test]
    fn what_leans_a_little_is_told_as_well(
        counts in (5_usize..17, 3_usize..17),
        tilt in (direction(), -0.02..0.02),
        turn in -3.2..3.2,
        aside in (-0.07..0.07, -0.07..0.07),
        depth in -1e-4..1e-4,
    ) {
        let shapes = [prism(counts.0, 0.04, 0.01, 0.0), prism(counts.1, 0.05, 0.01, 0.0)];
        let tilt = UnitQuaternion::from_axis_angle(&nalgebra::Unit::new_normalize(tilt.0), tilt.1);
        let turn = tilt * UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn);
        let [one, two] = bring([&shapes[0], &shapes[1]], turn, Vector3::new(aside.0, aside.1, 0.02).normalize(), depth);
        check(&one, &two, 0.0)?;
    }

    #[test]
    fn few_points_span_most_of_where_two_faces_meet(
        counts in (5_usize..17, 3_usize..17),
        is_mesh in any::<bool>(),
        turn in -3.2..3.2,
        aside in (-0.06..0.06, -0.06..0.06),
        gap in -1e-5..1e-3,
    ) {
        let shapes = [prism(counts.0, 0.04, 0.01, 0.0), prism(counts.1, 0.05, 0.01, 0.0)];
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn);
        let place = Isometry3::from_parts(Translation3::new(aside.0, aside.1, 0.02 + gap), turn);
        let (one, two) = (solid(&shapes[0], place), solid(&shapes[1], Isometry3::identity()));
        let (first, second) = (Exact::new(&one), Exact::new(&two));
        let two = if is_mesh { solid(&mesh(&shapes[1]), Isometry3::identity()) } else { two };
        let near = found(&one, &two);
        let (mut both, mut spanned) = (0, 0);
        for cell in 0..10_000 {
            let at = Vector3::new(f64::from(cell % 100) - 49.5, f64::from(cell / 100) - 49.5, 0.0) * 1e-3;
            let is_over = first.outside(&(at + Vector3::z() * (0.01 + gap + 1e-4))) < 0.0;
            if is_over && second.outside(&(at + Vector3::z() * (0.01 - 1e-4))) < 0.0 {
                both += 1;
                spanned += i32::from(is_spanned(&near, &at));
            }
        }
        prop_assert!(f64::from(spanned) > 0.75 * f64::from(both) - 20.0, "{spanned} of {both} mm² by {near:?}");
        let is_up = |near: &Near| near.normal.z > 0.9 && f64::abs(near.gap - gap) < 1e-5;
        // beside a corner of a mesh something else may be told that hovers higher
        prop_assert!(both < 20 || near.iter().all(|near| is_up(near) || near.gap > gap + 1e-5), "{near:?}");
    }
}

/// The same shape as a mesh.
fn mesh(shape: &SharedShape) -> SharedShape {
    let (corners, triangles) = shape.as_convex_polyhedron().unwrap().to_trimesh();
    SharedShape::trimesh_with_flags(corners, triangles, TriMeshFlags::FIX_INTERNAL_EDGES).unwrap()
}

/// Whether a place is within the hull of some points, seen from above.
fn is_spanned(points: &[Near], at: &Vector3<f64>) -> bool {
    let beside = |along: &Vector3<f64>| points.iter().all(|near| (near.position - at).dot(along) < 0.0);
    let directions = (0..64).map(|step| libm::sincos(core::f64::consts::TAU * f64::from(step) / 64.0));
    !directions.map(|(sin, cos)| Vector3::new(cos, sin, 0.0)).any(|along| beside(&along))
}

/// Two prisms, how they are turned, and where they are near.
type Seen = ([(usize, f64, f64, f64); 2], [f64; 3], f64, [f64; 3], f64);

/// Where a search in f32 had said that they are nearer than they can be, or had gone astray.
const SEEN: [Seen; 4] = [
    (
        [
            (5, 0.010083847473630161, 0.017393378588049936, 0.2261339491029771),
            (9, 0.07452915971270739, 0.04650495889206873, 0.2972238826153681),
        ],
        [-0.8008736943632409, -0.24663466702764028, -0.5456855016372887],
        0.7661303797906602,
        [0.651746293073349, 0.1340160911965243, 0.7465028176541286],
        -0.002943693535745162,
    ),
    (
        [
            (11, 0.022416891208458353, 0.0191849110545744, 0.2339797179676387),
            (13, 0.029882458519420833, 0.006636624488337904, 0.037718105604147345),
        ],
        [0.971143274056979, 0.23496640521451714, -0.040884345102479965],
        1.3969930370098398,
        [0.9348842331087563, 0.22079928862367332, 0.27791931352090715],
        -0.002692203231651169,
    ),
    (
        [
            (10, 0.02650392849825523, 0.028812130458770076, 0.35971123521186316),
            (4, 0.07357076180378792, 0.0025141954443164117, 0.23214885567223975),
        ],
        [0.6749560291011976, -0.2244133492636776, -0.7029032703382466],
        2.7103026846686804,
        [0.7428728643798828, -0.668950223866075, 0.02540679746753457],
        -0.0005925173205556049,
    ),
    (
        [
            (12, 0.04772759390122721, 0.007822283996293923, 0.22443520500298847),
            (6, 0.05349367197030597, 0.030307151759553605, 0.17683334323364067),
        ],
        [-0.7304722403905608, -0.5420813987581714, -0.4154010870702905],
        0.8695479647955529,
        [-0.5950239075516083, -0.7431661851371034, -0.3060238074248142],
        -0.0021903370471770735,
    ),
];

#[test]
fn what_a_search_had_missed_is_found() {
    for (number, (prisms, axis, angle, way, depth)) in SEEN.into_iter().enumerate() {
        let shapes = prisms.map(|(count, radius, half, taper)| prism(count, radius, half, taper));
        let turn = UnitQuaternion::from_axis_angle(&nalgebra::Unit::new_normalize(axis.into()), angle);
        let [one, two] = bring([&shapes[0], &shapes[1]], turn, way.into(), depth);
        for (first, second) in [(&one, &two), (&two, &one)] {
            let told = check(first, second, 1.0);
            assert!(told.is_ok(), "{number}: {told:?}");
        }
    }
}
