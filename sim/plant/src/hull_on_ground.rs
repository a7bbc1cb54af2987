//! Where a convex polyhedron is near the terrain: its corners over the terrain's triangles, and the triangles' corners under its faces.
//!
//! Two surfaces of flat faces touch where a corner of one meets a face of the other, or where two edges cross. Corners tell all of a sole
//! that stands on the ground, where parry's manifold of two faces knows four corners of each. Where a triangle may be touched and no corner is
//! near, its ridges are looked at: edges beyond which the ground falls away.

use parry3d::bounding_volume::Aabb;
use parry3d::bounding_volume::BoundingVolume;
use parry3d::math::{Pose, Vector};
use parry3d::query::{ClosestPoints, DefaultQueryDispatcher, QueryDispatcher};
use parry3d::shape::{ConvexPolyhedron, Segment, Triangle, TrianglePseudoNormals};

use crate::patch::Patch;

/// A corner that is deeper in the ground than this is not told by its distance from a triangle's plane [m].
const DEEP: f32 = 0.03;
/// A corner over a triangle may be beside it by this share of its size: it is over the neighbour then. Less of a hull's faces: beyond the
/// tip of a sharp one a point may be far away though hardly beside its edges.
const BESIDE: f32 = 1e-3;
const BESIDE_FACE: f32 = 1e-5;
/// A face whose corners lie in a plane up to this is flat [m].
const FLAT: f32 = 1e-5;
/// Cosine of the largest angle between a triangle and the face that presses on its corner. Beyond it another triangle is pressed.
const ALIKE: f32 = 0.7;
/// A ridge that is farther than this is not told [m]: it comes nearer by less in a step, unless at 3 m/s.
const NEAR_RIDGE: f32 = 3e-3;
/// Where a corner is as near as this, edges have no more to say [m].
const TOUCHING: f32 = 1e-3;
/// Sine of half the angle by which the ground falls away beyond a ridge, at least.
const FALLS_AWAY: f32 = 0.01;
/// How often the part of a ridge that may be the deepest is halved.
const HALVINGS: usize = 12;

/// The outer normal of the hull's face over a point, and how far it is from that [m].
type Pressed = Option<(Vector, f32)>;

/// Working memory.
#[derive(Default)]
pub(crate) struct HullOnGround {
    /// The corners in the patch's frame.
    corners: Vec<Vector>,
    /// The terrain's corners that were looked at, and what presses on each: triangles share them.
    pressed: Vec<(Vector, Pressed)>,
}

/// A hull on a terrain.
#[derive(Clone, Copy)]
struct Meeting<'a> {
    hull: &'a ConvexPolyhedron,
    hull_in_ground: &'a Pose,
    /// What is farther is not told [m].
    near: f32,
}

/// A triangle of the terrain that may be touched.
struct Below<'a> {
    triangle: &'a Triangle,
    /// Up.
    normal: Vector,
    corners_in_hull: [Vector; 3],
    pressed: [Pressed; 3],
}

impl HullOnGround {
    /// Hands each point nearer than `near` [m] to `found`: its place, the ground's normal, and the distance, all in the patch's frame, whose y
    /// is up. False if some triangle may be near and no point is.
    pub fn find(
        &mut self,
        hull: &ConvexPolyhedron,
        hull_in_ground: &Pose,
        ground: Patch,
        near: f32,
        mut found: impl FnMut(Vector, Vector, f32),
    ) -> bool {
        let meeting = Meeting { hull, hull_in_ground, near };
        self.pressed.clear();
        self.corners.clear();
        self.corners.extend(hull.points().iter().map(|corner| *hull_in_ground * *corner));
        let around = Aabb::from_points(self.corners.iter().copied()).loosened(near);
        let (mut may_touch, mut touches) = (false, false);
        ground.triangles_in(&around, |index, triangle| {
            if triangle.a.y.max(triangle.b.y).max(triangle.c.y) < around.mins.y {
                return;
            }
            let Some(normal) = triangle.normal().map(|normal| if normal.y < 0.0 { -normal } else { normal }) else {
                return;
            };
            let mut nearest = f32::INFINITY;
            let mut tell = |at: Vector, normal: Vector, distance: f32| {
                nearest = nearest.min(distance);
                found(at, normal, distance);
            };
            if !self.over(triangle, normal, near, &mut tell) || self.is_beside(triangle, normal, near) {
                return;
            }
            may_touch = true;
            let below = self.below(meeting, triangle, normal);
            below.tell_pressed(meeting, &mut tell);
            let open = below.open_sides(meeting);
            if nearest > TOUCHING
                && open.contains(&true)
                && let Some(normals) = ground.normals(index)
            {
                below.tell_ridges(meeting, open, &normals, |at, normal, distance| {
                    nearest = nearest.min(distance);
                    found(at, normal, distance);
                });
            }
            touches |= nearest < f32::INFINITY;
        });
        touches || !may_touch
    }

    /// Tells the corners that are over a triangle; false if none is under its plane or near it.
    fn over(&self, triangle: &Triangle, normal: Vector, near: f32, tell: &mut impl FnMut(Vector, Vector, f32)) -> bool {
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
                tell(foot, normal, distance);
            }
        }
        is_below
    }

    /// Whether all corners are farther than `near` from a triangle along one of the directions across its sides.
    fn is_beside(&self, triangle: &Triangle, normal: Vector, near: f32) -> bool {
        sides(triangle, normal).into_iter().any(|(from, _, outward)| {
            let limit = outward.dot(from) + near;
            self.corners.iter().all(|corner| outward.dot(*corner) > limit)
        })
    }

    fn below<'a>(&mut self, meeting: Meeting, triangle: &'a Triangle, normal: Vector) -> Below<'a> {
        let Meeting { hull, hull_in_ground, near } = meeting;
        let corners_in_hull = corners(triangle).map(|corner| hull_in_ground.inverse_transform_point(corner));
        let pressed = [0, 1, 2].map(|place| {
            let find = || nearest_face(hull, corners_in_hull[place], near);
            press(&mut self.pressed, corners(triangle)[place], find)
        });
        Below { triangle, normal, corners_in_hull, pressed }
    }
}

impl Below<'_> {
    /// Tells its corners that are under a face.
    fn tell_pressed(&self, meeting: Meeting, tell: &mut impl FnMut(Vector, Vector, f32)) {
        let pressed = corners(self.triangle).into_iter().zip(self.pressed);
        for (corner, (face, distance)) in pressed.filter_map(|(corner, pressed)| Some((corner, pressed?))) {
            let pressing = -(meeting.hull_in_ground.rotation * face);
            if pressing.dot(self.normal) > ALIKE {
                tell(corner, pressing, distance);
            }
        }
    }

    /// Which of its sides may be touched between their ends.
    fn open_sides(&self, meeting: Meeting) -> [bool; 3] {
        [(0, 1), (1, 2), (2, 0)].map(|(one, two)| {
            // between two corners under the same face nothing is deeper
            let face = |corner: usize| self.pressed[corner].map(|(face, _)| face);
            let is_told = face(one).is_some() && face(one) == face(two);
            !is_told && !is_apart(meeting.hull, [self.corners_in_hull[one], self.corners_in_hull[two]], NEAR_RIDGE)
        })
    }

    /// Tells those of its sides that are ridges.
    fn tell_ridges(
        &self,
        meeting: Meeting,
        open: [bool; 3],
        normals: &TrianglePseudoNormals,
        mut tell: impl FnMut(Vector, Vector, f32),
    ) {
        let ridges = ridges(self.triangle, self.normal, normals);
        for side in (0..3).filter(|side| open[*side]) {
            let ends = [self.corners_in_hull[side], self.corners_in_hull[(side + 1) % 3]];
            if let Some(ridge) = ridges[side]
                && let Some((at, distance)) = nearest_on_edge(meeting.hull, ends, NEAR_RIDGE)
            {
                tell(*meeting.hull_in_ground * at, ridge, distance);
            }
        }
    }
}

fn corners(triangle: &Triangle) -> [Vector; 3] {
    [triangle.a, triangle.b, triangle.c]
}

/// What presses on a point, found once.
fn press(known: &mut Vec<(Vector, Pressed)>, point: Vector, find: impl FnOnce() -> Pressed) -> Pressed {
    let found = known.iter().rev().find(|(other, _)| *other == point);
    found.map(|(_, pressed)| *pressed).unwrap_or_else(|| {
        let pressed = find();
        known.push((point, pressed));
        pressed
    })
}

/// The sides of a triangle, each with the direction in its plane that leads out over it.
fn sides(triangle: &Triangle, normal: Vector) -> [(Vector, Vector, Vector); 3] {
    let Triangle { a, b, c } = *triangle;
    let middle = (a + b + c) / 3.0;
    [(a, b), (b, c), (c, a)].map(|(from, to)| {
        let across = (to - from).cross(normal).normalize_or_zero();
        (from, to, if across.dot(middle - from) > 0.0 { -across } else { across })
    })
}

/// For those sides of a triangle beyond which the ground falls away the normal halfway between both faces.
fn ridges(triangle: &Triangle, normal: Vector, normals: &TrianglePseudoNormals) -> [Option<Vector>; 3] {
    let up = |direction: Vector| if direction.dot(normal) < 0.0 { -direction } else { direction };
    let halfway = normals.edges.map(up);
    sides(triangle, normal).map(|(from, to, outward)| {
        // the normals come in no order: a side's own leans across it and not along
        let along = (to - from).normalize_or_zero();
        let leans = |halfway: &Vector| halfway.dot(outward) > FALLS_AWAY && halfway.dot(along).abs() < 1e-3;
        halfway.into_iter().find(leans)
    })
}

/// Whether an edge is farther than `near` outside one of a hull's faces.
fn is_apart(hull: &ConvexPolyhedron, [from, to]: [Vector; 2], near: f32) -> bool {
    let (points, corners) = (hull.points(), hull.vertices_adj_to_face());
    hull.faces().iter().any(|face| {
        let limit = face.normal.dot(points[corners[face.first_vertex_or_edge as usize] as usize]) + near;
        face.normal.dot(from) >= limit && face.normal.dot(to) >= limit
    })
}

/// The point of an edge, from one end to the other, that is nearest to a hull or deepest in it, and how far it is from it; `None` if that is
/// farther than `near`.
fn nearest_on_edge(hull: &ConvexPolyhedron, [from, to]: [Vector; 2], near: f32) -> Option<(Vector, f32)> {
    let edge = Segment::new(from, to);
    match DefaultQueryDispatcher.closest_points(&Pose::IDENTITY, &edge, hull, near) {
        Ok(ClosestPoints::WithinMargin(at, on_hull)) => Some((at, (at - on_hull).length())),
        // parry takes some for crossing that are beside each other
        Ok(ClosestPoints::Intersecting) => Some(deepest_on_edge(hull, &edge)).filter(|(_, distance)| *distance < near),
        _ => None,
    }
}

/// The point of an edge that is deepest under a hull's faces, and how far it is from the nearest: less than zero if it is under all.
fn deepest_on_edge(hull: &ConvexPolyhedron, edge: &Segment) -> (Vector, f32) {
    let (points, corners) = (hull.points(), hull.vertices_adj_to_face());
    let along = edge.b - edge.a;
    // the distance from the farthest plane and how it grows along the edge: a convex function
    let distance = |share: f32| {
        let at = edge.a + along * share;
        hull.faces().iter().fold((f32::NEG_INFINITY, 0.0), |best, face| {
            let corner = points[corners[face.first_vertex_or_edge as usize] as usize];
            let apart = face.normal.dot(at - corner);
            if apart > best.0 { (apart, face.normal.dot(along)) } else { best }
        })
    };
    let (mut low, mut high) = (0.0_f32, 1.0_f32);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if distance(middle).1 > 0.0 { high = middle } else { low = middle }
    }
    let share = 0.5 * (low + high);
    (edge.a + along * share, distance(share).0)
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
        (to - from).cross(point - from).dot(face.normal) >= -BESIDE_FACE * (to - from).length_squared()
    };
    let is_over = distance <= 0.0 || (0..count).all(is_left_of);
    is_over.then(|| facet(count, |place| corner(first + place), face.normal, point).unwrap_or((face.normal, distance)))
}

/// The facet of a hull's face of `count` corners that a point is over, by its normal, and how far the point is from it; `None` if the face is flat.
/// Parry takes facets that are nearly in one plane for one face and leaves some of its corners below that: the hull is the highest triangle.
fn facet(count: u32, corner: impl Fn(u32) -> Vector, normal: Vector, point: Vector) -> Option<(Vector, f32)> {
    let from = corner(0);
    if (1..count).all(|place| normal.dot(corner(place) - from).abs() < FLAT) {
        return None;
    }
    let triples = (0..count).flat_map(|c| (0..c).flat_map(move |b| (0..b).map(move |a| [a, b, c])));
    let over = triples.filter_map(|triple| {
        let [a, b, c] = triple.map(&corner);
        let triangle = Triangle::new(a, b, c);
        let own = triangle.normal().map(|own| if own.dot(normal) < 0.0 { -own } else { own })?;
        let distance = own.dot(point - a);
        is_inside(&triangle, point - own * distance).then_some((own, distance))
    });
    over.min_by(|one, other| one.1.total_cmp(&other.1))
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
mod tests;
