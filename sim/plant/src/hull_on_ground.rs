//! Where a convex polyhedron is near the terrain: its corners over the terrain's triangles, and the triangles' corners under its faces.
//!
//! Two surfaces of flat faces touch where a corner of one meets a face of the other, or where two edges cross. Corners tell all of a sole
//! that stands on the ground, where parry's manifold of two faces knows four corners of each. Where a triangle may be touched and no corner is
//! near, its ridges are looked at: edges beyond which the ground falls away. What triangles share is looked at once. Level ground is a plane,
//! which knows nothing but corners.

use parry3d::bounding_volume::{Aabb, BoundingVolume};
use parry3d::math::{Matrix, Pose, Vector};
use parry3d::shape::Triangle;

use crate::hull::{Cloud, Hull, is_inside};
use crate::patch::{Cells, Facet, Patch, Side, upward};

/// A corner that is deeper in the ground than this is not told by its distance from a triangle's plane [m].
const DEEP: f32 = 0.03;
/// Cosine of the largest angle between a triangle and the face that presses on its corner. Beyond it another triangle is pressed.
const ALIKE: f32 = 0.7;
/// A ridge that is farther than this is not told [m]: it comes nearer by less in a step, unless at 3 m/s.
const NEAR_RIDGE: f32 = 3e-3;
/// Where a corner is as near as this, edges have no more to say [m].
const TOUCHING: f32 = 1e-3;
/// A corner that is less than this below the triangle straight above it is pressed by that alone, not by what falls away beside it [m].
const SHALLOW: f32 = 5e-3;
/// A ridge that is nearest within this of its end is nearest there [m].
const AT_END: f32 = 1e-4;
/// The box around a hull's own box is larger than that around its corners by no less than rounding, which is much less than this [m].
const BESIDE: f32 = 1e-4;
/// Sine of half the angle by which the ground falls away beyond a ridge, at least.
const FALLS_AWAY: f32 = 0.01;

/// The outer normal of the hull's face over a point, and how far it is from that [m].
type Pressed = Option<(Vector, f32)>;

/// Working memory.
#[derive(Default)]
pub(crate) struct HullOnGround {
    /// The hull's corners in the patch's frame.
    corners: Cloud,
    /// Those that are no higher than the ground around them.
    low: Vec<Vector>,
    /// Those of them over a column of cells, or beside it.
    over_column: Vec<Low>,
    ground: Ground,
    /// Triangles that may be touched.
    open: Vec<Facet>,
    /// The last face that a triangle was found to be outside of.
    outside: usize,
}

/// A hull on a terrain.
#[derive(Clone, Copy)]
struct Meeting<'a> {
    hull: &'a Hull,
    hull_in_ground: &'a Pose,
    patch: Patch<'a>,
    /// What is farther is not told [m].
    near: f32,
    /// A box around what is near the hull.
    around: Aabb,
}

/// A corner of the hull that is low.
#[derive(Clone, Copy)]
struct Low {
    at: Vector,
    /// The triangle straight above or below it, and how deep below that it is [m].
    plumb: Option<(Facet, f32)>,
}

/// A corner as the hull sees it.
#[derive(Clone, Copy)]
struct Seen {
    /// The hull's face that it is farthest above, or least deep below.
    face: usize,
    pressed: Pressed,
}

/// The terrain's corners under a hull.
#[derive(Default)]
struct Ground {
    cells: Cells,
    /// Row by row.
    corners: Vec<Corner>,
}

/// A corner of the terrain.
#[derive(Clone, Copy)]
struct Corner {
    at: Vector,
    /// The same in the hull's frame.
    in_hull: Vector,
    /// What the hull is over it, once that was looked at.
    seen: Option<Seen>,
    /// Whether it was told.
    is_told: bool,
    /// Which of its sides were looked at.
    sides: [bool; 3],
}

impl Ground {
    /// Looks at what is under a hull.
    fn lay(&mut self, meeting: Meeting) {
        self.cells = meeting.patch.cells_under(&meeting.around);
        self.corners.clear();
        let Cells { rows, columns } = self.cells.clone();
        if rows.is_empty() || columns.is_empty() {
            return;
        }
        let (from, turn) = (meeting.hull_in_ground.translation, meeting.hull_in_ground.rotation.inverse());
        let to_hull = Matrix::from_quat(turn);
        for row in rows.start..=rows.end {
            for column in columns.start..=columns.end {
                let at = meeting.patch.corner((row, column));
                let in_hull = to_hull * (at - from);
                self.corners.push(Corner { at, in_hull, seen: None, is_told: false, sides: [false; 3] });
            }
        }
    }

    fn corner(&mut self, at: (usize, usize)) -> &mut Corner {
        let place = self.place(at);
        &mut self.corners[place]
    }

    fn at(&self, at: (usize, usize)) -> &Corner {
        &self.corners[self.place(at)]
    }

    fn place(&self, (row, column): (usize, usize)) -> usize {
        let Cells { rows, columns } = &self.cells;
        (row - rows.start) * (columns.len() + 1) + column - columns.start
    }

    /// Looks at a corner, once.
    fn see(&mut self, meeting: Meeting, at: (usize, usize)) -> Seen {
        let corner = self.corner(at);
        let in_hull = corner.in_hull;
        *corner.seen.get_or_insert_with(|| {
            let (face, distance) = meeting.hull.farthest_face(in_hull);
            let pressed = (distance < meeting.near).then(|| meeting.hull.over_face(face, in_hull)).flatten();
            Seen { face, pressed }
        })
    }
}

impl Low {
    /// Whether a triangle at a distance presses on it: what is above the ground is in none of it, and just below a triangle nothing else does.
    fn feels(&self, facet: Facet, distance: f32) -> bool {
        match self.plumb {
            Some((own, depth)) if own != facet => depth >= SHALLOW || depth < 0.0 && distance >= 0.0,
            _ => true,
        }
    }
}

impl HullOnGround {
    /// Hands each point nearer than `near` [m] to `found`: its place, the ground's normal, and the distance, all in the patch's frame, whose y
    /// is up. False if some triangle may be near and no point is: those are in [`open`](HullOnGround::open).
    pub fn find(
        &mut self,
        hull: &Hull,
        hull_in_ground: &Pose,
        patch: Patch,
        near: f32,
        mut found: impl FnMut(Vector, Vector, f32),
    ) -> bool {
        self.open.clear();
        if let Some(level) = patch.level_under(&hull.bounds_at(hull_in_ground).loosened(near + BESIDE)) {
            self.low.clear();
            hull.corners().gather_below_at(hull_in_ground, level + near, &mut self.low);
            self.tell_above(level, found);
            return true;
        }
        hull.corners().place(hull_in_ground, &mut self.corners);
        let around = self.corners.bounds().loosened(near);
        if let Some(level) = patch.level_under(&around) {
            self.low.clear();
            self.corners.gather_below(level + near, &mut self.low);
            self.tell_above(level, found);
            return true;
        }
        let meeting = Meeting { hull, hull_in_ground, patch, near, around };
        self.ground.lay(meeting);
        self.outside = 0;
        let top = self.ground.corners.iter().fold(f32::NEG_INFINITY, |top, corner| top.max(corner.at.y));
        self.low.clear();
        self.corners.gather_below(top + near, &mut self.low);
        if self.low.is_empty() {
            return true;
        }
        let mut touches = false;
        let Cells { rows, columns } = self.ground.cells.clone();
        for column in columns {
            self.gather(patch, patch.corner((rows.start, column)).x, patch.corner((rows.start, column + 1)).x);
            for row in rows.clone() {
                for is_last in [false, true] {
                    touches |= self.find_on(meeting, Facet { row, column, is_last }, &mut found);
                }
            }
        }
        touches || self.open.is_empty()
    }

    /// Triangles that the last hull may touch.
    pub fn open(&self) -> &[Facet] {
        &self.open
    }

    /// Tells the low corners, which are near level ground.
    fn tell_above(&self, level: f32, mut found: impl FnMut(Vector, Vector, f32)) {
        for corner in &self.low {
            found(Vector::new(corner.x, level, corner.z), Vector::Y, corner.y - level);
        }
    }

    /// Gathers the low corners over a column of cells.
    fn gather(&mut self, patch: Patch, from: f32, to: f32) {
        self.over_column.clear();
        let over = self.low.iter().filter(|corner| corner.x > from - DEEP && corner.x < to + DEEP);
        self.over_column.extend(over.map(|at| Low { at: *at, plumb: patch.along_plumb(*at) }));
    }

    /// The points of one triangle; true if there are some.
    fn find_on(&mut self, meeting: Meeting, facet: Facet, found: &mut impl FnMut(Vector, Vector, f32)) -> bool {
        let places = facet.corners();
        let [a, b, c] = places.map(|at| self.ground.at(at).at);
        let is_low = a.y.max(b.y).max(c.y) < meeting.around.mins.y;
        // what misses one triangle often misses the next
        let in_hull = places.map(|at| self.ground.at(at).in_hull);
        if is_low || meeting.is_outside(self.outside, &in_hull, meeting.near) {
            return false;
        }
        let triangle = Triangle::new(a, b, c);
        let Some(normal) = upward(&triangle) else { return false };
        // only what is around the hull is seen by its faces
        let is_around = |corner: &Vector| meeting.around.contains_local_point(*corner);
        if [a, b, c].iter().any(is_around) && self.is_outside(meeting, places, &in_hull) {
            return false;
        }
        let mut nearest = self.tell_over(meeting, facet, &triangle, normal, found);
        let pressed = places.map(|at| self.ground.at(at).seen.and_then(|seen| seen.pressed));
        let is_near = nearest < f32::INFINITY || pressed.iter().any(Option::is_some);
        if !is_near && (self.is_above(meeting, &triangle, normal) || self.is_beside(meeting, &triangle, normal)) {
            return false;
        }
        self.open.push(facet);
        for (at, pressed) in places.into_iter().zip(pressed) {
            let Some((face, distance)) = pressed else { continue };
            let pressing = -(meeting.hull_in_ground.rotation * face);
            if pressing.dot(normal) > ALIKE {
                nearest = nearest.min(distance);
                let corner = self.ground.corner(at);
                if !core::mem::replace(&mut corner.is_told, true) {
                    found(corner.at, pressing, distance);
                }
            }
        }
        if nearest > TOUCHING {
            self.tell_ridges(meeting, facet, &triangle, |at, normal, distance| {
                nearest = nearest.min(distance);
                found(at, normal, distance);
            });
        }
        nearest < f32::INFINITY
    }

    /// Whether a triangle is outside of one of the faces that its corners are the farthest above.
    fn is_outside(&mut self, meeting: Meeting, corners: [(usize, usize); 3], in_hull: &[Vector]) -> bool {
        let faces = corners.map(|at| self.ground.see(meeting, at).face);
        let outside = faces.into_iter().find(|face| meeting.is_outside(*face, in_hull, meeting.near));
        self.outside = outside.unwrap_or(self.outside);
        outside.is_some()
    }

    /// Tells the corners that are over a triangle, and says how far the nearest is.
    fn tell_over(
        &self,
        meeting: Meeting,
        facet: Facet,
        triangle: &Triangle,
        normal: Vector,
        found: &mut impl FnMut(Vector, Vector, f32),
    ) -> f32 {
        let Triangle { a, b, c } = triangle;
        let (from, to) = (a.z.min(b.z).min(c.z) - DEEP, a.z.max(b.z).max(c.z) + DEEP);
        let offset = normal.dot(*a);
        let mut nearest = f32::INFINITY;
        for low in &self.over_column {
            let corner = &low.at;
            if corner.z <= from || corner.z >= to {
                continue;
            }
            let distance = normal.dot(*corner) - offset;
            let foot = *corner - normal * distance;
            if distance < meeting.near && distance > -DEEP && low.feels(facet, distance) && is_inside(triangle, foot) {
                nearest = nearest.min(distance);
                found(foot, normal, distance);
            }
        }
        nearest
    }

    /// Whether all of the hull's corners are farther than near above a triangle's plane.
    fn is_above(&self, meeting: Meeting, triangle: &Triangle, normal: Vector) -> bool {
        -self.corners.reach(-normal) >= normal.dot(triangle.a) + meeting.near
    }

    /// Whether all are farther than near from a triangle along one of the directions across its sides.
    fn is_beside(&self, meeting: Meeting, triangle: &Triangle, normal: Vector) -> bool {
        outward(triangle, normal)
            .into_iter()
            .any(|(from, outward)| -self.corners.reach(-outward) > outward.dot(from) + meeting.near)
    }

    /// Tells those sides of a triangle that are ridges and were not looked at.
    fn tell_ridges(
        &mut self,
        meeting: Meeting,
        facet: Facet,
        triangle: &Triangle,
        mut tell: impl FnMut(Vector, Vector, f32),
    ) {
        let Some(normal) = upward(triangle) else { return };
        let corners = facet.corners();
        for (place, side) in facet.sides().into_iter().enumerate() {
            let (from, to) = (self.ground.at(corners[place]), self.ground.at(corners[(place + 1) % 3]));
            if self.ground.at(side.at).sides[side.which] || !meeting.may_touch(from, to) {
                continue;
            }
            let (from, to) = (*from, *to);
            self.ground.corner(side.at).sides[side.which] = true;
            if let Some(ridge) = ridge(meeting.patch, side, normal, outward(triangle, normal)[place].1)
                && let Some((at, distance)) = meeting.nearest_on_edge([from.in_hull, to.in_hull])
                && ![from, to].iter().any(|end| meeting.is_pressed_otherwise(end, at, ridge))
            {
                tell(at, ridge, distance);
            }
        }
    }
}

impl Meeting<'_> {
    /// Whether an edge may be nearer to the hull than its ends are, by the box around it and by the faces over its ends.
    fn may_touch(&self, from: &Corner, to: &Corner) -> bool {
        let (low, high) = (from.at.min(to.at), from.at.max(to.at));
        if !high.cmpge(self.around.mins).all() || !low.cmple(self.around.maxs).all() {
            return false;
        }
        let pressing = |corner: &Corner| corner.seen.and_then(|seen| seen.pressed).map(|(face, _)| face);
        // between two corners under the same face nothing is deeper
        if pressing(from).is_some() && pressing(from) == pressing(to) {
            return false;
        }
        let ends = [from.in_hull, to.in_hull];
        ![from, to].iter().filter_map(|corner| corner.seen).any(|seen| self.is_outside(seen.face, &ends, NEAR_RIDGE))
    }

    /// Whether a ridge is nearest at this end of it, where a face presses that lies otherwise than the ridge.
    fn is_pressed_otherwise(&self, end: &Corner, at: Vector, ridge: Vector) -> bool {
        let presses = |(face, _): (Vector, f32)| -(self.hull_in_ground.rotation * face).dot(ridge) <= ALIKE;
        (end.at - at).length() < AT_END && end.seen.and_then(|seen| seen.pressed).is_some_and(presses)
    }

    /// Whether all of some points are farther than `near` outside a face.
    fn is_outside(&self, face: usize, points: &[Vector], near: f32) -> bool {
        points.iter().all(|point| self.hull.above_face(face, *point) >= near)
    }

    /// The point of an edge in the hull's frame that is nearest to the hull, and how far it is from that; `None` if that is farther than a
    /// ridge is told.
    fn nearest_on_edge(&self, ends: [Vector; 2]) -> Option<(Vector, f32)> {
        if self.hull.is_apart(ends, NEAR_RIDGE) {
            return None;
        }
        let (at, distance) = self.hull.nearest_on_edge(ends, NEAR_RIDGE)?;
        Some((*self.hull_in_ground * at, distance))
    }
}

/// The sides of a triangle: where each begins, and the direction in the triangle's plane that leads out over it.
fn outward(triangle: &Triangle, normal: Vector) -> [(Vector, Vector); 3] {
    let Triangle { a, b, c } = *triangle;
    [(a, b, c), (b, c, a), (c, a, b)].map(|(from, to, third)| {
        let across = (to - from).cross(normal).normalize_or_zero();
        (from, if across.dot(third - from) > 0.0 { -across } else { across })
    })
}

/// The normal halfway between a triangle and what is beyond one of its sides, if the ground falls away there.
fn ridge(patch: Patch, side: Side, normal: Vector, outward: Vector) -> Option<Vector> {
    let beyond = side.beyond.and_then(|facet| patch.triangle(facet)).map_or(Some(outward), |beyond| upward(&beyond));
    let halfway = (normal + beyond.unwrap_or(normal)).normalize();
    (halfway.dot(outward) > FALLS_AWAY).then_some(halfway)
}

#[cfg(test)]
mod tests;
