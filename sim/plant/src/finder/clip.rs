//! What of one polygon lies over another, and few of its corners.

use core::cmp::Ordering;

use parry3d::math::Vector;

/// A corner that is farther than this above the deepest one, and above the surface, does not carry now [m].
const HOVERS: f32 = 1e-4;
/// Corners that are less beside each other than this are one, and such as are deeper by less are as deep [m].
const SAME: f32 = 1e-6;
/// Of two corners that tell about as much, up to this share, the earlier one goes, whatever the last digits say.
const ALIKE: f32 = 1e-3;

/// Cuts polygons off at the sides of others (Sutherland and Hodgman, "Reentrant polygon clipping", 1974).
#[derive(Default)]
pub(super) struct Clip {
    corners: Vec<Vector>,
    /// What is being cut.
    whole: Vec<Vector>,
}

/// A corner with how high it is above a surface [m].
pub(super) type Over = (Vector, f32);

impl Clip {
    /// What of a polygon or an edge lies over a base, seen from `up`, from where the base's corners are in counter-clockwise order.
    pub fn over(&mut self, base: &[Vector], up: Vector, polygon: &[Vector]) -> &[Vector] {
        self.corners.clear();
        self.corners.extend(polygon);
        for (place, from) in base.iter().enumerate() {
            let to = base[(place + 1) % base.len()];
            self.cut(*from, (to - *from).cross(up));
        }
        &self.corners
    }

    /// Cuts off what is beyond a plane through a place.
    fn cut(&mut self, at: Vector, outward: Vector) {
        core::mem::swap(&mut self.corners, &mut self.whole);
        self.corners.clear();
        let beyond = |corner: &Vector| (*corner, outward.dot(*corner - at));
        let Some(mut before) = self.whole.last().map(beyond) else { return };
        for now in self.whole.iter().map(beyond) {
            if (now.1 > 0.0) != (before.1 > 0.0) {
                let share = before.1 / (before.1 - now.1);
                self.corners.push(before.0 + (now.0 - before.0) * share);
            }
            if now.1 <= 0.0 {
                self.corners.push(now.0);
            }
            before = now;
        }
    }
}

/// Takes corners of a convex polygon away until no more than `most` are left: first such as hover, then such as carry; of these always the one
/// that adds least to the area. The deepest stays, unless
/// all that carry are as deep.
pub(super) fn keep_few(corners: &mut Vec<Over>, most: usize) {
    while corners.len() > most {
        let deepest = deepest(corners);
        let hovers = |place: usize| corners[place].1 > corners[deepest].1.max(0.0) + HOVERS;
        let may_hover = (0..corners.len()).any(hovers);
        let is_even = |place: usize| hovers(place) || corners[place].1 < corners[deepest].1 + SAME;
        let may_go = |place: usize| place != deepest || (0..corners.len()).all(is_even);
        let (mut least, mut dull) = (f32::INFINITY, 0);
        for place in (0..corners.len()).filter(|place| if may_hover { hovers(*place) } else { may_go(*place) }) {
            let told = adds(corners, place);
            if told < least * (1.0 - ALIKE) {
                (least, dull) = (told, place);
            }
        }
        corners.remove(dull);
    }
}

/// Takes away what is not on the outline of all, seen against a direction; the deepest stays. The others are counter-clockwise then.
pub(super) fn outline(corners: &mut Vec<Over>, kept: &mut Vec<Over>, up: Vector) {
    let Some(lowest) = corners.get(deepest(corners)).copied() else { return };
    let (right, ahead) = up.any_orthonormal_pair();
    let place = |corner: &Over| [corner.0.dot(right), corner.0.dot(ahead), corner.1];
    let compare = |one: &Over, other: &Over| {
        let each = place(one).into_iter().zip(place(other)).map(|(one, other)| one.total_cmp(&other));
        each.fold(Ordering::Equal, Ordering::then)
    };
    // (Andrew, "Another efficient algorithm for convex hulls in two dimensions", 1979)
    corners.sort_unstable_by(compare);
    corners.dedup_by(|next, kept| {
        let beside = next.0 - kept.0;
        (beside - up * beside.dot(up)).length() < SAME
    });
    let turns_left = |from: &Over, by: &Over, to: &Over| (by.0 - from.0).cross(to.0 - by.0).dot(up) > 0.0;
    kept.clear();
    for is_back in [false, true] {
        let first = kept.len();
        for step in 0..corners.len() {
            let corner = corners[if is_back { corners.len() - 1 - step } else { step }];
            while kept.len() > first + 1 && !turns_left(&kept[kept.len() - 2], &kept[kept.len() - 1], &corner) {
                kept.pop();
            }
            kept.push(corner);
        }
        kept.pop();
    }
    core::mem::swap(corners, kept);
    if corners.is_empty() {
        corners.push(lowest);
    }
    if corners[deepest(corners)].1 > lowest.1 + SAME {
        corners.push(lowest);
    }
}

/// The first of those that are deepest.
pub(super) fn deepest(corners: &[Over]) -> usize {
    let mut deepest = 0;
    for place in 1..corners.len() {
        if corners[place].1 < corners[deepest].1 {
            deepest = place;
        }
    }
    deepest
}

/// About how much of an area a corner adds to what lies beyond the line between its neighbours, which ends at them, twice [m²]; of an edge, the
/// square of how far it goes beyond them.
fn adds(corners: &[Over], place: usize) -> f32 {
    let count = corners.len();
    let (before, at, after) =
        (corners[(place + count - 1) % count].0, corners[place].0, corners[(place + 1) % count].0);
    let along = after - before;
    let share = ((at - before).dot(along) / along.length_squared().max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
    let beyond = (at - before - along * share).length();
    beyond * beyond.max(along.length())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(count: usize, radius: f32) -> Vec<Vector> {
        let corner = |place: usize| {
            let (sin, cos) = libm::sincosf(core::f32::consts::TAU * place as f32 / count as f32);
            Vector::new(radius * cos, radius * sin, 0.0)
        };
        (0..count).map(corner).collect()
    }

    #[test]
    fn what_lies_over_a_ring_is_cut_off_at_its_sides() {
        let square = [[0.0, -0.1], [2.0, -0.1], [2.0, 0.1], [0.0, 0.1]].map(|[x, y]| Vector::new(x, y, 0.3));
        let mut clip = Clip::default();
        let over = clip.over(&ring(12, 1.0), Vector::Z, &square).to_vec();
        // the corner of the ring at x = 1 looks out of the square's cut
        let farthest = over.iter().fold(0.0_f32, |most, corner| most.max(corner.x));
        assert_eq!(over.len(), 5, "{over:?}");
        assert!((farthest - 1.0).abs() < 1e-6 && over.iter().all(|corner| corner.z == 0.3));
        assert!(clip.over(&ring(12, 1.0), Vector::Z, &square.map(|corner| corner + 2.0 * Vector::X)).is_empty());
    }

    #[test]
    fn an_edge_is_cut_at_both_ends() {
        let mut clip = Clip::default();
        let edge = [Vector::new(-3.0, 0.1, 0.0), Vector::new(3.0, 0.1, 0.0)];
        let mut over: Vec<Over> = clip.over(&ring(7, 1.0), Vector::Z, &edge).iter().map(|at| (*at, 0.0)).collect();
        keep_few(&mut over, 2);
        assert!((over[0].0.x - over[1].0.x).abs() > 1.8, "{over:?}");
    }

    #[test]
    fn few_corners_span_what_many_do() {
        let mut corners: Vec<Over> = ring(12, 1.0).into_iter().map(|at| (at, 0.0)).collect();
        corners[7].1 = -1e-5;
        keep_few(&mut corners, 6);
        let kept: Vec<f32> = corners.iter().map(|(at, _)| at.y.atan2(at.x).to_degrees().round()).collect();
        assert!(corners.iter().any(|(_, height)| *height < 0.0), "the deepest is kept");
        let turns = kept.iter().zip(kept.iter().cycle().skip(1)).map(|(one, two)| (two - one).rem_euclid(360.0));
        assert!(turns.fold(0.0, f32::max) <= 91.0, "{kept:?}");
    }

    #[test]
    fn an_outline_has_nothing_that_lies_within() {
        let inner = ring(7, 0.5).into_iter().map(|at| (at, 0.0));
        let mut corners: Vec<Over> = inner.chain(ring(9, 1.0).into_iter().map(|at| (at, 0.0))).collect();
        corners.extend_from_within(8..11);
        corners[3].1 = -1e-5;
        outline(&mut corners, &mut Vec::new(), Vector::Z);
        assert_eq!(corners.len(), 10, "{corners:?}");
        assert_eq!(corners[9].1, -1e-5, "the deepest is kept");
    }

    #[test]
    fn what_hovers_goes_before_what_carries() {
        let mut corners: Vec<Over> =
            ring(12, 1.0).into_iter().enumerate().map(|(place, at)| (at, if place < 2 { 0.0 } else { 3e-3 })).collect();
        keep_few(&mut corners, 6);
        assert_eq!(corners.iter().filter(|(_, height)| *height == 0.0).count(), 2);
    }
}
