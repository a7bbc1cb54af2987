//! Where two convex shapes that do not touch are nearest, in f64 (Gilbert, Johnson and Keerthi, "A fast procedure for computing the distance between
//! complex objects in three-dimensional space", 1988).
//!
//! Parry's search is faster, but where faces are parallel or shapes touch, f32 now and then ends it early, with places that are far too far apart.

use nalgebra::{Matrix3, Vector3};
use parry3d::math::{Matrix, Pose, Vector};
use parry3d::shape::SupportMap;

use crate::convert::{matrix64, vector, vector64};

/// Most steps.
const STEPS: usize = 48;
/// A search ends where a step would bring the shapes nearer by less than this share of their distance.
const EXACT: f64 = 1e-9;
/// What is nearer than this touches [m].
const TOUCHES: f64 = 1e-9;
/// Corners that span less than this, to their sides' product, span nothing.
const FLAT: f64 = 1e-12;

/// A corner of each shape, and the way from the first to the second.
#[derive(Clone, Copy)]
struct Pair {
    first: Vector3<f64>,
    second: Vector3<f64>,
    way: Vector3<f64>,
}

/// Up to four of them, with the weights of that place between them that is nearest to the origin.
#[derive(Clone, Copy)]
struct Simplex {
    pairs: [Pair; 4],
    weights: [f64; 4],
    count: usize,
}

/// The places on both that are nearest to each other, in the first one's frame, and the direction from the first to the second; `None` if they touch
/// or overlap.
pub(super) fn nearest(first: &dyn SupportMap, second: &dyn SupportMap, second_in_first: &Pose) -> Option<[Vector; 3]> {
    let turn = matrix64(&Matrix::from_quat(second_in_first.rotation));
    let at = vector64(second_in_first.translation);
    let farthest = |direction: Vector3<f64>| {
        let on_first = vector64(first.local_support_point(vector(&direction)));
        let on_second = vector64(second.local_support_point(vector(&-turn.tr_mul(&direction))));
        let on_second = turn * on_second + at;
        Pair { first: on_first, second: on_second, way: on_second - on_first }
    };
    let start = farthest(if at.norm() > 0.0 { at.normalize() } else { Vector3::x() });
    let mut simplex = Simplex { pairs: [start; 4], weights: [1.0, 0.0, 0.0, 0.0], count: 1 };
    for _ in 0..STEPS {
        let way = simplex.sum(|pair| pair.way);
        let far = way.norm();
        if far < TOUCHES {
            return None;
        }
        let new = farthest(way / far);
        let is_known = simplex.pairs[..simplex.count].iter().any(|pair| pair.way == new.way);
        if is_known || simplex.count == 4 || far - new.way.dot(&way) / far <= EXACT * far {
            break;
        }
        let Some(nearer) = simplex.with(new) else { break };
        simplex = nearer;
    }
    let (on_first, on_second) = (simplex.sum(|pair| pair.first), simplex.sum(|pair| pair.second));
    Some([on_first, on_second, simplex.sum(|pair| pair.way).normalize()].map(|place| vector(&place)))
}

impl Simplex {
    fn sum(&self, of: impl Fn(&Pair) -> Vector3<f64>) -> Vector3<f64> {
        let parts = self.pairs[..self.count].iter().zip(&self.weights);
        parts.fold(Vector3::zeros(), |sum, (pair, weight)| sum + of(pair) * *weight)
    }

    /// The part of it and one more pair that the place nearest to the origin lies between; `None` if that is no nearer than it is.
    fn with(&self, new: Pair) -> Option<Simplex> {
        let mut all = *self;
        all.pairs[all.count] = new;
        all.count += 1;
        let (mut best, mut least) = (None, self.sum(|pair| pair.way).norm_squared());
        // no part without the new pair is nearer than what was the best of them
        let newest = 1_usize << self.count;
        for chosen in newest..newest << 1 {
            let Some(part) = all.part(chosen) else { continue };
            let far = part.sum(|pair| pair.way).norm_squared();
            if far < least {
                (best, least) = (Some(part), far);
            }
        }
        best
    }

    /// Those pairs whose bits are set, if what they span is nearest to the origin between them.
    fn part(&self, chosen: usize) -> Option<Simplex> {
        let mut part = Simplex { count: 0, ..*self };
        for place in (0..self.count).filter(|place| chosen >> place & 1 == 1) {
            part.pairs[part.count] = self.pairs[place];
            part.count += 1;
        }
        let from = part.pairs[0].way;
        if part.count == 1 {
            part.weights = [1.0, 0.0, 0.0, 0.0];
            return Some(part);
        }
        if part.count == 2 {
            let side = part.pairs[1].way - from;
            let share = -side.dot(&from) * (1.0 / side.norm_squared());
            part.weights = [1.0 - share, share, 0.0, 0.0];
            return (0.0..=1.0).contains(&share).then_some(part);
        }
        let side = |number: usize| if number < part.count { part.pairs[number].way - from } else { Vector3::zeros() };
        let sides = Matrix3::from_columns(&[side(1), side(2), side(3)]);
        let mut products = sides.tr_mul(&sides);
        for spare in part.count - 1..3 {
            products[(spare, spare)] = 1.0;
        }
        let size = products[(0, 0)] * products[(1, 1)] * products[(2, 2)];
        if products.determinant() <= FLAT * size {
            return None;
        }
        let shares = products.try_inverse()? * -sides.tr_mul(&from);
        part.weights = [1.0 - shares.sum(), shares.x, shares.y, shares.z];
        part.weights[..part.count].iter().all(|weight| *weight >= 0.0).then_some(part)
    }
}
