//! How well a source fits where it was found.

use nalgebra::{Isometry3, Matrix3, Vector3};

use super::pairs::{Pair, Piece};
use super::sums::Kernel;
use crate::grid::smallest_direction;

/// What the pairs say in the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quality {
    /// Surfels of the source that agree with a partner.
    pub(super) matched: usize,
    /// Their share of all, 0 to 1.
    pub(super) share: f64,
    /// The same, surfels that look like most others left aside.
    pub(super) distinct_share: f64,
    /// Mean distance of those that agree [m].
    pub(super) mean_distance: f64,
}

pub(super) fn quality(pieces: &[Piece], pairs: &[Pair], pose: &Isometry3<f64>, kernel: Kernel) -> Quality {
    const AGREES: f64 = 0.5;
    let mut agrees = vec![false; pieces.len()];
    let (mut sum, mut total) = (0.0, 0.0);
    for pair in pairs {
        let distance = pair.distance(pose);
        if kernel.softness(distance, pair.variance) >= AGREES {
            agrees[pair.piece] = true;
            sum += pair.share * distance.abs();
            total += pair.share;
        }
    }
    let common = common_normal(pieces);
    let (mut found, mut all) = (0.0, f64::MIN_POSITIVE);
    for (piece, agrees) in pieces.iter().zip(&agrees) {
        let distinct = piece.stands_out(&common);
        all += distinct;
        found += if *agrees { distinct } else { 0.0 };
    }
    let matched = agrees.iter().filter(|agrees| **agrees).count();
    Quality {
        matched,
        share: matched as f64 / pieces.len().max(1) as f64,
        distinct_share: found / all,
        mean_distance: sum / f64::max(total, f64::MIN_POSITIVE),
    }
}

/// The normal that most pieces have: that of the ground, mostly.
fn common_normal(pieces: &[Piece]) -> Vector3<f64> {
    let normals = pieces.iter().filter_map(|piece| piece.normal);
    let sum = normals.fold(Matrix3::zeros(), |sum, normal| sum - normal * normal.transpose());
    smallest_direction(&sum).1
}
