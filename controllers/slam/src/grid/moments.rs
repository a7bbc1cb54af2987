//! What a cell remembers of the points that fell into it: how many, their mean, how they scatter, from where they were seen.

use nalgebra::{Matrix3, Point3, Vector3};

/// Sums over points, relative to the middle of their cell.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sums {
    count: f64,
    first: Vector3<f64>,
    /// xx, xy, xz, yy, yz, zz.
    second: [f64; 6],
    view: Vector3<f64>,
}

impl Sums {
    /// Adds a point at `offset` from the middle of the cell, seen from the direction `to_viewer` (unit length).
    pub(crate) fn add(&mut self, offset: &Vector3<f64>, to_viewer: &Vector3<f64>) {
        let [x, y, z] = [offset.x, offset.y, offset.z];
        self.count += 1.0;
        self.first += offset;
        self.view += to_viewer;
        for (sum, term) in self.second.iter_mut().zip([x * x, x * y, x * z, y * y, y * z, z * z]) {
            *sum += term;
        }
    }

    /// Adds the points of another cell, whose middle lies at `offset` from the middle of this one.
    pub(crate) fn merge(&mut self, other: &Sums, offset: &Vector3<f64>) {
        let [x, y, z] = [offset.x, offset.y, offset.z];
        let first = other.first + offset * (0.5 * other.count);
        let [a, b, c] = [first.x, first.y, first.z];
        self.count += other.count;
        self.first += other.first + offset * other.count;
        self.view += other.view;
        let moved = [2.0 * a * x, a * y + b * x, a * z + c * x, 2.0 * b * y, b * z + c * y, 2.0 * c * z];
        for (sum, (own, moved)) in self.second.iter_mut().zip(other.second.into_iter().zip(moved)) {
            *sum += own + moved;
        }
    }

    pub(crate) fn moments(&self) -> Moments {
        let count = self.count.max(1.0);
        let mean = self.first / count;
        let scatter = products(&mean).zip(self.second).map(|(product, sum)| sum - count * product);
        let mut kept = Moments { weight: self.count as f32, ..Moments::default() };
        kept.offset = [mean.x as f32, mean.y as f32, mean.z as f32];
        for (place, value) in kept.scatter.iter_mut().zip(scatter) {
            *place = value as f32;
        }
        kept.view = (self.view / count).map(|v| v as f32).into();
        kept
    }
}

/// The same as kept: weight, mean and scatter about the mean, in single precision, which is plenty for offsets within a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Moments {
    /// Number of points; less what has been forgotten.
    pub(crate) weight: f32,
    /// Mean, from the middle of the cell [m].
    offset: [f32; 3],
    /// Sum of the products of the deviations from the mean [m²]: xx, xy, xz, yy, yz, zz.
    scatter: [f32; 6],
    /// Mean direction to the viewer.
    view: [f32; 3],
}

impl Moments {
    /// How many numbers there are in one.
    pub(crate) const NUMBERS: usize = 13;

    /// Takes in newer points. Of what was there before, the share `keep` is believed.
    pub(crate) fn renew(&mut self, newer: &Moments, keep: f64) {
        let (old, new) = (f64::from(self.weight) * keep, f64::from(newer.weight));
        let total = old + new;
        if total <= 0.0 {
            return;
        }
        let (before, after) = (vector(self.offset), vector(newer.offset));
        let step = after - before;
        let mean = before + step * (new / total);
        let between = old * new / total;
        for (index, product) in products(&step).enumerate() {
            let scatter = keep * f64::from(self.scatter[index]) + f64::from(newer.scatter[index]) + between * product;
            self.scatter[index] = scatter as f32;
        }
        self.weight = total as f32;
        self.offset = mean.map(|v| v as f32).into();
        self.view = ((vector(self.view) * old + vector(newer.view) * new) / total).map(|v| v as f32).into();
    }

    pub(crate) fn mean(&self, middle: &Point3<f64>) -> Point3<f64> {
        middle + vector(self.offset)
    }

    pub(crate) fn covariance(&self) -> Matrix3<f64> {
        let [xx, xy, xz, yy, yz, zz] = self.scatter.map(|sum| f64::from(sum) / f64::from(self.weight.max(1.0)));
        Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
    }

    pub(crate) fn to_viewer(self) -> Vector3<f64> {
        vector(self.view)
    }

    pub(crate) fn to_numbers(self) -> [f32; Moments::NUMBERS] {
        let mut numbers = [0.0; Moments::NUMBERS];
        let all = self.offset.into_iter().chain(self.scatter).chain(self.view);
        numbers.iter_mut().zip(core::iter::once(self.weight).chain(all)).for_each(|(place, value)| *place = value);
        numbers
    }

    pub(crate) fn from_numbers(numbers: [f32; Moments::NUMBERS]) -> Moments {
        let [weight, ox, oy, oz, s0, s1, s2, s3, s4, s5, vx, vy, vz] = numbers;
        Moments { weight, offset: [ox, oy, oz], scatter: [s0, s1, s2, s3, s4, s5], view: [vx, vy, vz] }
    }
}

fn vector(parts: [f32; 3]) -> Vector3<f64> {
    let [x, y, z] = parts;
    Vector3::new(f64::from(x), f64::from(y), f64::from(z))
}

fn products(v: &Vector3<f64>) -> impl Iterator<Item = f64> + use<> {
    [v.x * v.x, v.x * v.y, v.x * v.z, v.y * v.y, v.y * v.z, v.z * v.z].into_iter()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn moments(points: &[[f64; 3]]) -> Moments {
        let mut sums = Sums::default();
        points.iter().for_each(|point| sums.add(&Vector3::from(*point), &Vector3::z()));
        sums.moments()
    }

    proptest! {
        #[test]
        fn two_halves_make_the_whole(points in prop::collection::vec(prop::array::uniform3(-1.0_f64..1.0), 4..60)) {
            let (first, second) = points.split_at(points.len() / 2);
            let (mut merged, whole) = (moments(first), moments(&points));
            merged.renew(&moments(second), 1.0);
            let middle = Point3::new(5.0, -3.0, 1.0);
            prop_assert!((merged.mean(&middle) - whole.mean(&middle)).norm() < 1e-6);
            prop_assert!((merged.covariance() - whole.covariance()).norm() < 1e-6);
            prop_assert_eq!(Moments::from_numbers(merged.to_numbers()), merged);
        }

        #[test]
        fn a_coarse_cell_is_the_sum_of_its_fine_ones(points in prop::collection::vec(prop::array::uniform3(-1.0_f64..1.0), 4..60)) {
            let (view, offset) = (Vector3::z(), Vector3::new(0.5, -0.5, 0.5));
            let (mut fine, mut coarse, mut merged) = (Sums::default(), Sums::default(), Sums::default());
            for point in points.iter().map(|point| Vector3::from(*point)) {
                fine.add(&(point - offset), &view);
                coarse.add(&point, &view);
            }
            merged.merge(&fine, &offset);
            let (merged, coarse) = (merged.moments(), coarse.moments());
            prop_assert!((merged.mean(&Point3::origin()) - coarse.mean(&Point3::origin())).norm() < 1e-6);
            prop_assert!((merged.covariance() - coarse.covariance()).norm() < 1e-6);
        }

        #[test]
        fn what_is_seen_again_and_again_replaces_what_was(keep in 0.5_f64..0.97) {
            let mut cell = moments(&[[0.1, 0.0, 0.0], [0.1, 0.1, 0.0]]);
            let newer = moments(&[[-0.1, 0.0, 0.0], [-0.1, 0.1, 0.0]]);
            (0..200).for_each(|_| cell.renew(&newer, keep));
            prop_assert!((cell.mean(&Point3::origin()).x + 0.1).abs() < 1e-3);
            prop_assert!(f64::from(cell.weight) <= 2.0 / (1.0 - keep) + 1e-3, "{}", cell.weight);
        }
    }
}
