//! A hull's faces over points and along edges.

use parry3d::math::{Pose, Vector};
use parry3d::query::details::closest_points_segment_segment_with_locations;
use parry3d::query::gjk::{CsoPoint, GJKResult, VoronoiSimplex, closest_points};
use parry3d::shape::{Segment, Triangle};

use super::{Hull, LANES, first_of, largest};

/// A point over a triangle may be beside it by this share of its size: it is over the neighbour then. Less of a hull's faces: beyond the tip of
/// a sharp one a point may be far away though hardly beside its edges.
const BESIDE: f32 = 1e-3;
const BESIDE_FACE: f32 = 1e-5;
/// A face whose corners lie in a plane up to this is flat [m].
const FLAT: f32 = 1e-5;
/// A triangle of a face's corners above which others lie by more is not on the hull [m].
const HIGHEST: f32 = 1e-6;
/// A search for the nearest points is believed if what is between both in their direction is less by no more than this [m].
const DOUBT: f32 = 1e-4;
/// Most steps to the deepest point of an edge.
const STEPS: usize = 12;

impl Hull {
    /// How far a point is from the planes of each block of faces [m].
    fn above(&self, point: Vector) -> impl Iterator<Item = [f32; LANES]> {
        let blocks = self.normals.blocks.iter().zip(&self.offsets);
        blocks.map(move |(normals, offsets)| {
            let along = normals.along(point);
            core::array::from_fn(|lane| along[lane] - offsets[lane])
        })
    }

    /// The face whose plane a point is farthest above or least deep below, and how far it is from that [m].
    pub fn farthest_face(&self, point: Vector) -> (usize, f32) {
        let distance = self.highest(point);
        (first_of(distance, self.above(point), |above| above), distance)
    }

    /// How far a point is above the plane that it is farthest above or least deep below [m].
    // within another search the compiler shuffles lanes instead of loading them in their order
    #[inline(never)]
    fn highest(&self, point: Vector) -> f32 {
        let mut most = [f32::NEG_INFINITY; LANES];
        for above in self.above(point) {
            most = core::array::from_fn(|lane| if above[lane] > most[lane] { above[lane] } else { most[lane] });
        }
        largest(&most)
    }

    /// How far a point is from the plane of a face [m].
    pub fn above_face(&self, face: usize, point: Vector) -> f32 {
        self.polyhedron.faces()[face].normal.dot(point) - self.offsets[face / LANES][face % LANES]
    }

    /// The outer normal of the face that a point is over, of all it is the farthest above or least deep under, and how far the point is from it;
    /// `None` if it is over an edge or a corner.
    pub fn over_face(&self, number: usize, point: Vector) -> Option<(Vector, f32)> {
        let face = &self.polyhedron.faces()[number];
        let distance = self.above_face(number, point);
        let (points, corners) = (self.polyhedron.points(), self.polyhedron.vertices_adj_to_face());
        let (first, count) = (face.first_vertex_or_edge, face.num_vertices_or_edges);
        let corner = |place: u32| points[corners[(first + place) as usize] as usize];
        let is_left_of = |place: u32| {
            let (from, to) = (corner(place), corner(if place + 1 < count { place + 1 } else { 0 }));
            (to - from).cross(point - from).dot(face.normal) >= -BESIDE_FACE * (to - from).length_squared()
        };
        let is_over = distance <= 0.0 || (0..count).all(is_left_of);
        is_over.then(|| self.bends[number].over(point).unwrap_or((face.normal, distance)))
    }

    /// How far a point is from a face that is not flat [m]; `None` of one that is, or beside it.
    pub fn over_bend(&self, number: usize, point: Vector) -> Option<f32> {
        self.bends[number].over(point).map(|(_, distance)| distance)
    }

    /// Whether an edge is farther than `near` outside one of its faces.
    pub fn is_apart(&self, [from, to]: [Vector; 2], near: f32) -> bool {
        let is_beyond = |from: &f32, to: &f32| (*from >= near) & (*to >= near);
        let mut both = self.above(from).zip(self.above(to));
        both.any(|(from, to)| from.iter().zip(&to).fold(false, |is, (from, to)| is | is_beyond(from, to)))
    }

    /// The point of an edge, from one end to the other, that is nearest to it or deepest in it, and how far it is from it; `None` if that is
    /// farther than `near`.
    pub fn nearest_on_edge(&self, [from, to]: [Vector; 2], near: f32) -> Option<(Vector, f32)> {
        let edge = Segment::new(from, to);
        let along = |across: Vector| across.dot(from).min(across.dot(to)) - self.reach(across);
        let mut simplex = VoronoiSimplex::new();
        let toward = (-from - to).try_normalize().unwrap_or(Vector::X);
        simplex.reset(CsoPoint::from_shapes(&Pose::IDENTITY, &edge, self, toward));
        // parry's search now and then stops where what it has is some millimetres too long
        match closest_points(&Pose::IDENTITY, &edge, self, near, true, &mut simplex) {
            GJKResult::ClosestPoints(at, on_hull, _) => {
                let distance = (at - on_hull).length();
                let is_proven = along((at - on_hull) / distance.max(f32::MIN_POSITIVE)) > distance - DOUBT;
                if is_proven { Some((at, distance)) } else { self.nearest_to_edges(&edge) }
            }
            GJKResult::NoIntersection(across) if along(across).max(along(-across)) > near - DOUBT => None,
            GJKResult::NoIntersection(_) | GJKResult::Proximity(_) => self.nearest_to_edges(&edge),
            GJKResult::Intersection => match self.deepest_on_edge(&edge) {
                // it takes some for crossing that are beside each other
                (_, beside) if beside > 0.0 => self.nearest_to_edges(&edge),
                deepest => Some(deepest),
            },
        }
        .filter(|(_, distance)| *distance < near)
    }

    /// The point of an edge that is nearest to its edges, and how far it is from them.
    fn nearest_to_edges(&self, edge: &Segment) -> Option<(Vector, f32)> {
        let corner = |place: u32| self.polyhedron.points()[place as usize];
        let to = |own: [u32; 2]| {
            let own = Segment::new(corner(own[0]), corner(own[1]));
            let (at, on_hull) = closest_points_segment_segment_with_locations(&Pose::IDENTITY, edge, &own);
            let at = edge.point_at(&at);
            (at, (at - own.point_at(&on_hull)).length())
        };
        let all = self.polyhedron.edges().iter().map(|own| to(own.vertices));
        all.min_by(|one, other| one.1.total_cmp(&other.1))
    }

    /// The point of an edge that is deepest under its faces, and how far it is from the nearest: less than zero if it is under all.
    fn deepest_on_edge(&self, edge: &Segment) -> (Vector, f32) {
        let along = edge.b - edge.a;
        // the distance from the farthest plane and how it grows along the edge: a convex function
        let steepness = |share: f32| {
            let (face, apart) = self.farthest_face(edge.a + along * share);
            (share, apart, self.polyhedron.faces()[face].normal.dot(along))
        };
        let (mut falls, mut rises) = (steepness(0.0), steepness(1.0));
        let mut deepest = if falls.1 < rises.1 { falls } else { rises };
        for _ in 0..STEPS {
            if falls.2 >= 0.0 || rises.2 <= 0.0 {
                break;
            }
            // where the planes meet between which the deepest point is
            let share = (rises.1 - falls.1 + falls.2 * falls.0 - rises.2 * rises.0) / (falls.2 - rises.2);
            let between = steepness(share.clamp(falls.0, rises.0));
            let expected = falls.1 + falls.2 * (between.0 - falls.0);
            deepest = if between.1 < deepest.1 { between } else { deepest };
            if between.1 <= expected + HIGHEST {
                break;
            }
            if between.2 > 0.0 { rises = between } else { falls = between }
        }
        (edge.a + along * deepest.0, deepest.1)
    }
}

/// The triangles of a face that is not flat; none of one that is. Parry takes facets that are nearly in one plane for one face and leaves some
/// of its corners below that.
#[derive(Clone, Default)]
pub(super) struct Bend(Vec<(Triangle, Vector)>);

impl Bend {
    /// Of a face with some corners and an outer normal: those of the triangles of its corners below which all the others are.
    pub fn of(corners: &[Vector], normal: Vector) -> Bend {
        let count = corners.len();
        if corners.iter().all(|corner| normal.dot(*corner - corners[0]).abs() < FLAT) {
            return Bend::default();
        }
        let triples = (0..count).flat_map(|c| (0..c).flat_map(move |b| (0..b).map(move |a| [a, b, c])));
        let highest = triples.filter_map(|triple| {
            let [a, b, c] = triple.map(|place| corners[place]);
            let triangle = Triangle::new(a, b, c);
            let own = triangle.normal().map(|own| if own.dot(normal) < 0.0 { -own } else { own })?;
            let is_highest = corners.iter().all(|corner| own.dot(*corner - a) < HIGHEST);
            is_highest.then_some((triangle, own))
        });
        Bend(highest.collect())
    }

    /// The normal of the highest triangle that a point is over, and how far the point is from it [m].
    fn over(&self, point: Vector) -> Option<(Vector, f32)> {
        let over = self.0.iter().filter_map(|(triangle, normal)| {
            let distance = normal.dot(point - triangle.a);
            is_inside(triangle, point - *normal * distance).then_some((*normal, distance))
        });
        over.min_by(|one, other| one.1.total_cmp(&other.1))
    }
}

/// Whether a point of a triangle's plane is in it.
pub(crate) fn is_inside(triangle: &Triangle, point: Vector) -> bool {
    let (along, across, to) = (triangle.b - triangle.a, triangle.c - triangle.a, point - triangle.a);
    let (aa, ab, bb) = (along.dot(along), along.dot(across), across.dot(across));
    let (ap, bp) = (along.dot(to), across.dot(to));
    let whole = aa * bb - ab * ab;
    let (u, v) = (bb * ap - ab * bp, aa * bp - ab * ap);
    let slack = BESIDE * whole;
    u >= -slack && v >= -slack && u + v <= whole + slack
}
