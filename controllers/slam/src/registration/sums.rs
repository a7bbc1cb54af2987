//! The sums over all pairs at a pose.

use nalgebra::{Isometry3, Matrix3, Matrix6, Point3, Vector3, Vector6};

use super::degeneracy::Information;
use super::pairs::Pair;

/// How a distance counts: fully while it is small against `width`, hardly when it is large (Geman and McClure).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Kernel {
    /// [m]
    pub(super) width: f64,
}

/// The sums over all pairs at a pose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sums {
    pub(super) information: Information,
    pub(super) gradient: Vector6<f64>,
    pub(super) cost: f64,
    /// Mean square of the normalised distances.
    pub(super) spread: f64,
}

impl Kernel {
    pub(super) fn softness(self, distance: f64, variance: f64) -> f64 {
        let scale = self.width * self.width + 4.0 * variance;
        scale / (scale + distance * distance)
    }
}

impl Sums {
    /// The cost alone, with the same kernel.
    pub(super) fn cost(pairs: &[Pair], pose: &Isometry3<f64>, kernel: Kernel) -> f64 {
        let rotation = pose.rotation.to_rotation_matrix();
        let of_pair = |pair: &Pair| {
            let placed = rotation * pair.from + pose.translation.vector;
            let distance = pair.plane.normal.dot(&(placed - pair.plane.mean));
            0.5 * (pair.share * kernel.softness(distance, pair.variance) / pair.variance) * distance * distance
        };
        pairs.iter().map(of_pair).sum()
    }

    /// For small motions of the source about `pivot`.
    pub(super) fn of(pairs: &[Pair], pose: &Isometry3<f64>, pivot: &Point3<f64>, kernel: Kernel) -> Sums {
        let (mut products, mut gradient) = (Products::default(), Vector6::zeros());
        let (mut cost, mut total, mut squares, mut arms, mut shares) = (0.0, 0.0, 0.0, 0.0, 0.0);
        let rotation = pose.rotation.to_rotation_matrix();
        for pair in pairs {
            let placed = rotation * pair.from + pose.translation.vector;
            let arm = placed - pivot;
            let distance = pair.plane.normal.dot(&(placed - pair.plane.mean));
            let softness = kernel.softness(distance, pair.variance);
            let half_cost = pair.share * softness / pair.variance;
            let weight = half_cost * softness;
            let row = row(&pair.plane.normal, &arm);
            products.add(&row, weight);
            gradient += row * (weight * distance);
            cost += 0.5 * half_cost * distance * distance;
            squares += weight * distance * distance;
            total += weight;
            arms += weight * arm.norm_squared();
            shares += pair.share;
        }
        let lever = (arms / total.max(f64::MIN_POSITIVE)).sqrt();
        let spread = (squares / shares.max(1.0)).clamp(0.02, 100.0);
        Sums { information: Information { hessian: products.matrix(), total, lever }, gradient, cost, spread }
    }
}

/// What errors of the planes' normals add to the normal matrix where nothing is known: a tilt variance along the two directions in
/// each plane.
pub(super) fn information_from_tilt(
    pairs: &[Pair],
    pose: &Isometry3<f64>,
    pivot: &Point3<f64>,
    kernel: Kernel,
) -> Matrix6<f64> {
    // three directions at right angles at a point make up a simple sum; the two in the plane are that less the normal
    let (mut of_normals, mut arm_products) = (Products::default(), Matrix3::zeros());
    let (mut total, mut arm_sum) = (0.0, Vector3::zeros());
    let rotation = pose.rotation.to_rotation_matrix();
    for pair in pairs {
        let placed = rotation * pair.from + pose.translation.vector;
        let arm = placed - pivot;
        let distance = pair.plane.normal.dot(&(placed - pair.plane.mean));
        let softness = kernel.softness(distance, pair.variance);
        let weight = pair.share * softness * softness / pair.variance * pair.plane.tilt;
        of_normals.add(&row(&pair.plane.normal, &arm), weight);
        total += weight;
        arm_sum += arm * weight;
        arm_products += arm * arm.transpose() * weight;
    }
    let cross = arm_sum.cross_matrix();
    let mut all = Matrix6::zeros();
    all.fixed_view_mut::<3, 3>(0, 0).copy_from(&(Matrix3::identity() * total));
    all.fixed_view_mut::<3, 3>(3, 0).copy_from(&cross);
    all.fixed_view_mut::<3, 3>(0, 3).copy_from(&cross.transpose());
    all.fixed_view_mut::<3, 3>(3, 3).copy_from(&(Matrix3::identity() * arm_products.trace() - arm_products));
    all - of_normals.matrix()
}

/// Variance of the information about a motion of the source by the choice of the target's planes, as if each of them were there
/// by chance: the sum of the squares of what they contribute. All pairs of a plane are wrong together if it is. `planes` is their
/// number, with those that have no pair.
pub(super) fn sampling_variance(
    pairs: &[Pair],
    pose: &Isometry3<f64>,
    pivot: &Point3<f64>,
    kernel: Kernel,
    (motion, planes): (&Vector6<f64>, usize),
) -> f64 {
    let rotation = pose.rotation.to_rotation_matrix();
    let (shift, turn) = (motion.fixed_rows::<3>(0).into_owned(), motion.fixed_rows::<3>(3).into_owned());
    let mut of_planes = vec![0.0; planes];
    for pair in pairs {
        let placed = rotation * pair.from + pose.translation.vector;
        let softness = kernel.softness(pair.plane.normal.dot(&(placed - pair.plane.mean)), pair.variance);
        let moved = pair.plane.normal.dot(&(shift + turn.cross(&(placed - pivot))));
        of_planes[pair.plane.number as usize] += pair.share * softness * softness / pair.variance * moved * moved;
    }
    of_planes.iter().map(|part| part * part).sum()
}

/// How a distance along `normal` changes with a translation of the pivot and a rotation about it.
fn row(normal: &Vector3<f64>, arm: &Vector3<f64>) -> Vector6<f64> {
    let turn = arm.cross(normal);
    Vector6::new(normal.x, normal.y, normal.z, turn.x, turn.y, turn.z)
}

/// Weighted products of vectors with themselves: a sum of symmetric matrices, by its upper triangle.
#[derive(Default)]
struct Products([f64; 21]);

impl Products {
    fn add(&mut self, row: &Vector6<f64>, weight: f64) {
        let mut place = 0;
        for i in 0..6 {
            let weighted = weight * row[i];
            for j in i..6 {
                self.0[place] += weighted * row[j];
                place += 1;
            }
        }
    }

    fn matrix(&self) -> Matrix6<f64> {
        let mut matrix = Matrix6::zeros();
        let mut place = 0;
        for i in 0..6 {
            for j in i..6 {
                (matrix[(i, j)], matrix[(j, i)]) = (self.0[place], self.0[place]);
                place += 1;
            }
        }
        matrix
    }
}
