//! How the ground carries a weight.

use nalgebra::{Matrix3, Vector3};

/// Vertical forces under `points` that carry `weight` [N] at `com`: the smallest ones that do (least norm), none of them
/// a pull. A point with share 0 carries nothing, one with share 1 its full part. Where nothing can balance the weight the
/// forces stay as they were.
pub(crate) fn carry(points: &[Vector3<f64>], shares: &[f64], com: &Vector3<f64>, weight: f64, forces: &mut [f64]) {
    let right_side = Vector3::new(1.0, com.x, com.y) * weight;
    // a point that would have to pull is let go, until none is left that would
    for round in 0..=points.len() {
        let free = |index: usize| round == 0 || forces[index] > 0.0;
        let mut matrix = Matrix3::zeros();
        for (index, point) in points.iter().enumerate() {
            let row = Vector3::new(1.0, point.x, point.y);
            if free(index) {
                matrix += row * row.transpose() * shares[index];
            }
        }
        let Some(plane) = matrix.cholesky().map(|factor| factor.solve(&right_side)) else { return };
        let mut pulls = false;
        for (index, point) in points.iter().enumerate() {
            let carries = round == 0 || forces[index] > 0.0;
            let force = shares[index] * (plane.x + plane.y * point.x + plane.z * point.y);
            pulls |= carries && force < 0.0;
            forces[index] = if carries { force.max(0.0) } else { 0.0 };
        }
        if !pulls {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> [Vector3<f64>; 4] {
        [(0.3, 0.2), (0.3, -0.2), (-0.3, 0.2), (-0.3, -0.2)].map(|(x, y)| Vector3::new(x, y, 0.0))
    }

    #[test]
    fn four_points_share_and_three_balance() {
        let mut forces = [0.0; 4];
        carry(&square(), &[1.0; 4], &Vector3::new(0.0, 0.0, 0.5), 400.0, &mut forces);
        assert!(forces.iter().all(|force| (force - 100.0).abs() < 1e-9), "{forces:?}");
        carry(&square(), &[0.0, 1.0, 1.0, 1.0], &Vector3::new(-0.05, -0.05, 0.5), 400.0, &mut forces);
        let sum: f64 = forces.iter().sum();
        let x: f64 = forces.iter().zip(square()).map(|(force, point)| force * point.x).sum();
        let y: f64 = forces.iter().zip(square()).map(|(force, point)| force * point.y).sum();
        assert!(forces[0] == 0.0 && (sum - 400.0).abs() < 1e-9, "{forces:?}");
        assert!((x + 20.0).abs() < 1e-9 && (y + 20.0).abs() < 1e-9, "{forces:?}");
    }

    #[test]
    fn what_would_have_to_pull_is_let_go() {
        let mut forces = [0.0; 4];
        carry(&square(), &[1.0; 4], &Vector3::new(0.25, 0.15, 0.5), 400.0, &mut forces);
        assert!(forces[3] == 0.0 && forces.iter().all(|force| *force >= 0.0), "{forces:?}");
        assert!((forces.iter().sum::<f64>() - 400.0).abs() < 1e-6, "{forces:?}");
    }
}
