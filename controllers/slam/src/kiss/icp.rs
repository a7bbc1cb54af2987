//! Point-to-point registration that outliers do not bend.

use nalgebra::{Isometry3, Matrix3, Matrix6, Point3, UnitQuaternion, Vector3, Vector6};

use super::voxels::VoxelMap;

/// Where a registration ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Icp {
    /// The sweep in the map frame.
    pub pose: Isometry3<f64>,
    /// Of that pose: translation, then rotation, along the axes of the map.
    pub covariance: Matrix6<f64>,
    /// Share of the points that had a partner.
    pub matched_share: f64,
    /// Mean distance from the partners [m].
    pub mean_distance: f64,
    pub converged: bool,
}

/// When a registration ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Farthest partners [m].
    pub threshold: f64,
    /// Scale of the Geman–McClure kernel [m²], as the paper's formula has it.
    pub kernel: f64,
    /// Shortest step.
    pub convergence: f64,
    pub most_steps: usize,
}

/// The sum over all pairs.
#[derive(Default)]
struct Sums {
    hessian: Matrix6<f64>,
    gradient: Vector6<f64>,
    pairs: usize,
    distance: f64,
    weighted_square: f64,
}

/// Paper, section III-D: until the step is short, find partners within τ and solve the weighted least squares.
pub(super) fn register(points: &[Point3<f64>], map: &VoxelMap, guess: &Isometry3<f64>, limits: &Limits) -> Icp {
    let mut pose = *guess;
    let mut converged = false;
    for _ in 0..limits.most_steps {
        let sums = Sums::of(points, map, &pose, limits);
        let Some(cholesky) = sums.hessian.cholesky() else { break };
        let step = cholesky.solve(&-sums.gradient);
        pose = about(&pose, &step);
        converged = step.norm() < limits.convergence;
        if converged {
            break;
        }
    }
    let sums = Sums::of(points, map, &pose, limits);
    let pairs = sums.pairs.max(1) as f64;
    let variance = sums.weighted_square / pairs;
    Icp {
        pose,
        covariance: sums.hessian.try_inverse().unwrap_or_else(Matrix6::identity) * variance,
        matched_share: sums.pairs as f64 / points.len().max(1) as f64,
        mean_distance: sums.distance / pairs,
        converged,
    }
}

impl Sums {
    fn of(points: &[Point3<f64>], map: &VoxelMap, pose: &Isometry3<f64>, limits: &Limits) -> Sums {
        let mut sums = Sums::default();
        for point in points {
            let placed = pose * point;
            let Some(partner) = map.nearest(&placed) else { continue };
            let residual = placed - partner;
            let square = residual.norm_squared();
            if square < limits.threshold * limits.threshold {
                sums.add(&residual, square, &(pose.rotation * point.coords), limits.kernel);
            }
        }
        sums
    }

    /// Adds a pair; a turn is about the pose's own origin, so its lever is `arm`.
    fn add(&mut self, residual: &Vector3<f64>, square: f64, arm: &Vector3<f64>, kernel: f64) {
        let weight = kernel * kernel / ((kernel + square) * (kernel + square));
        let lever = arm.cross_matrix();
        let mut hessian = Matrix6::zeros();
        hessian.fixed_view_mut::<3, 3>(0, 0).copy_from(&Matrix3::identity());
        hessian.fixed_view_mut::<3, 3>(0, 3).copy_from(&-lever);
        hessian.fixed_view_mut::<3, 3>(3, 0).copy_from(&lever);
        hessian.fixed_view_mut::<3, 3>(3, 3).copy_from(&(lever * lever.transpose()));
        self.hessian += hessian * weight;
        let turn = arm.cross(residual);
        self.gradient += Vector6::new(residual.x, residual.y, residual.z, turn.x, turn.y, turn.z) * weight;
        self.pairs += 1;
        self.distance += square.sqrt();
        self.weighted_square += weight * square;
    }
}

/// A pose displaced and turned about its own origin, along the axes of the map.
pub(crate) fn about(pose: &Isometry3<f64>, step: &Vector6<f64>) -> Isometry3<f64> {
    let (shift, turn) = (Vector3::new(step[0], step[1], step[2]), Vector3::new(step[3], step[4], step[5]));
    let place = pose.translation.vector + shift;
    Isometry3::from_parts(place.into(), UnitQuaternion::from_scaled_axis(turn) * pose.rotation)
}
