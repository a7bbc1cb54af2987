//! Registration of discs to the distributions of a voxel map.

use nalgebra::{Isometry3, Matrix3, Matrix6, Point3, Vector6};

use super::VgicpSettings;
use super::shapes::Shaped;
use super::voxels::GaussianMap;
use crate::kiss::about;

/// Where a registration ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    /// The sweep in the map frame.
    pub pose: Isometry3<f64>,
    /// Of that pose: translation, then rotation, along the axes of the map.
    pub covariance: Matrix6<f64>,
    /// Share of the points that had a partner.
    pub matched_share: f64,
    /// Mean distance from the partners' surfaces [m].
    pub mean_distance: f64,
    pub converged: bool,
}

/// A point and the distribution that it fell into, with the inverse of both covariances' sum.
struct Pair {
    from: Point3<f64>,
    to: Point3<f64>,
    weight: Matrix3<f64>,
}

/// Damping of the first step, and by how much it changes (Levenberg and Marquardt, with the numbers of small_gicp).
const DAMPING: (f64, f64) = (1e-3, 10.0);
/// Most tries to find a damping with which a step makes it better.
const TRIES: usize = 10;

/// Minimises Σ dᵀ (C_voxel + R C_point Rᵀ)⁻¹ d over the pose, d = pose · point − mean of the voxel (Koide et al. 2021),
/// partners found anew in each step.
pub(super) fn register(
    points: &[Shaped],
    map: &GaussianMap,
    guess: &Isometry3<f64>,
    settings: &VgicpSettings,
) -> Found {
    let mut pose = *guess;
    let (mut damping, mut converged) = (DAMPING.0, false);
    for _ in 0..settings.most_steps {
        let pairs = pairs(points, map, &pose);
        let (hessian, gradient) = normal_equations(&pairs, &pose);
        let before = cost(&pairs, &pose);
        let mut better = None;
        for _ in 0..TRIES {
            let damped = hessian + Matrix6::identity() * damping;
            let Some(step) = damped.cholesky().map(|factor| factor.solve(&-gradient)) else { break };
            let next = about(&pose, &step);
            if cost(&pairs, &next) <= before {
                better = Some((next, step));
                damping /= DAMPING.1;
                break;
            }
            damping *= DAMPING.1;
        }
        let Some((next, step)) = better else { break };
        pose = next;
        let [shift, turn] = [step.fixed_rows::<3>(0).norm(), step.fixed_rows::<3>(3).norm()];
        converged = shift < settings.convergence && turn < settings.angle_convergence;
        if converged {
            break;
        }
    }
    conclude(points, map, pose, converged)
}

fn conclude(points: &[Shaped], map: &GaussianMap, pose: Isometry3<f64>, converged: bool) -> Found {
    let pairs = pairs(points, map, &pose);
    let (hessian, _) = normal_equations(&pairs, &pose);
    let count = pairs.len().max(1) as f64;
    // the discs have no scale: what is left over tells it
    let variance = 2.0 * cost(&pairs, &pose) / count;
    let distance = |pair: &Pair| {
        let off = pose * pair.from - pair.to;
        let size = (pair.weight * off).norm();
        if size > 0.0 { off.dot(&(pair.weight * off)) / size } else { 0.0 }
    };
    Found {
        pose,
        covariance: hessian.try_inverse().unwrap_or_else(Matrix6::identity) * variance,
        matched_share: pairs.len() as f64 / points.len().max(1) as f64,
        mean_distance: pairs.iter().map(distance).sum::<f64>() / count,
        converged,
    }
}

fn pairs(points: &[Shaped], map: &GaussianMap, pose: &Isometry3<f64>) -> Vec<Pair> {
    let rotation = pose.rotation.to_rotation_matrix().into_inner();
    let partner = |shaped: &Shaped| {
        let voxel = map.at(&(pose * shaped.point))?;
        let both = voxel.covariance + rotation * shaped.covariance * rotation.transpose();
        Some(Pair { from: shaped.point, to: voxel.point, weight: both.try_inverse()? })
    };
    points.iter().filter_map(partner).collect()
}

fn cost(pairs: &[Pair], pose: &Isometry3<f64>) -> f64 {
    let each = pairs.iter().map(|pair| {
        let off = pose * pair.from - pair.to;
        0.5 * off.dot(&(pair.weight * off))
    });
    each.sum()
}

/// Hessian and gradient; a turn is about the pose's own origin.
fn normal_equations(pairs: &[Pair], pose: &Isometry3<f64>) -> (Matrix6<f64>, Vector6<f64>) {
    let (mut hessian, mut gradient) = (Matrix6::zeros(), Vector6::zeros());
    for pair in pairs {
        let arm = pose.rotation * pair.from.coords;
        let off = arm + pose.translation.vector - pair.to.coords;
        let lever = arm.cross_matrix();
        let across = pair.weight * lever;
        let mut add = |row, column, block: Matrix3<f64>| {
            let mut view = hessian.fixed_view_mut::<3, 3>(row, column);
            view += block;
        };
        add(0, 0, pair.weight);
        add(0, 3, -across);
        add(3, 0, -across.transpose());
        add(3, 3, -(lever * across));
        let pull = pair.weight * off;
        let turn = arm.cross(&pull);
        gradient += Vector6::new(pull.x, pull.y, pull.z, turn.x, turn.y, turn.z);
    }
    (hessian, gradient)
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_gradient_is_that_of_the_cost(
            at in prop::array::uniform3(-2.0..2.0_f64),
            turn in prop::array::uniform3(-1.0..1.0_f64),
            axis in 0_usize..6,
        ) {
            let pose = Isometry3::new(Vector3::from(at), Vector3::from(turn));
            let spread = Matrix3::new(2.0, 0.3, 0.1, 0.3, 1.0, 0.2, 0.1, 0.2, 0.5);
            let pairs: Vec<Pair> = (0..5).map(|n| {
                let n = f64::from(n);
                Pair { from: Point3::new(n, 1.0 - n, 0.5 * n), to: Point3::new(0.3, n, 1.0), weight: spread }
            }).collect();
            let (_, gradient) = normal_equations(&pairs, &pose);
            let small = 1e-5;
            let mut step = Vector6::zeros();
            step[axis] = small;
            let slope = (cost(&pairs, &about(&pose, &step)) - cost(&pairs, &about(&pose, &-step))) / (2.0 * small);
            prop_assert!((slope - gradient[axis]).abs() < 1e-4 * (1.0 + slope.abs()), "{} {}", slope, gradient[axis]);
        }
    }
}
