//! Directions in which the world gives no hold.

use nalgebra::{Matrix6, Vector6};

/// What pairs of surfels say about a small motion of the source: a translation of the pivot, then a rotation about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Information {
    /// Normal matrix.
    pub(super) hessian: Matrix6<f64>,
    /// Sum of the weights.
    pub(super) total: f64,
    /// Typical distance of the surfels from the pivot [m].
    pub(super) lever: f64,
}

/// Strong and weak directions.
#[derive(Clone, Debug)]
pub(super) struct Hold {
    /// Ascending.
    pub(super) values: Vector6<f64>,
    /// Takes the weak directions out of a motion.
    pub(super) strong: Matrix6<f64>,
    /// The weak directions, as motions of the pivot.
    pub(super) weak: Vec<Vector6<f64>>,
}

impl Hold {
    /// Every direction holds: nothing was asked.
    pub(super) fn everywhere() -> Hold {
        Hold { values: Vector6::repeat(1.0), strong: Matrix6::identity(), weak: Vec::new() }
    }
}

impl Information {
    /// Tells strong from weak directions by the eigenvalues of the information, normalised to one surfel and to the lever. A
    /// direction holds if its eigenvalue is above `weak_below` beyond doubt: by three of its own standard deviations.
    ///
    /// `from_tilt` is the share that comes from errors of the normals alone. It holds nothing, and is known no better than to its
    /// own size. `sampled` says how much of a motion's information, as a variance, is due to which surfaces happened to be there:
    /// a few of them may all be wrong in the same way (compare Hatleskog and Alexis, "Probabilistic degeneracy detection for
    /// point-to-plane error minimization", RA-L 2024).
    pub(super) fn hold(
        &self,
        from_tilt: &Matrix6<f64>,
        weak_below: f64,
        sampled: impl Fn(&Vector6<f64>) -> f64,
    ) -> Hold {
        /// So large an eigenvalue is no accident: a tenth of what a box has.
        const BEYOND_DOUBT: f64 = 1.0 / 30.0;
        const DEVIATIONS: f64 = 3.0;
        let (scale, total) = (self.scale(), self.total.max(f64::MIN_POSITIVE));
        let held = (self.hessian - from_tilt) / total;
        let eigen = (scale * held * scale).symmetric_eigen();
        let mut order = [0, 1, 2, 3, 4, 5];
        order.sort_by(|a, b| eigen.eigenvalues[*a].total_cmp(&eigen.eigenvalues[*b]));
        let is_weak = |index: &&usize| {
            let value = eigen.eigenvalues[**index].max(f64::MIN_POSITIVE);
            let motion = scale * eigen.eigenvectors.column(**index);
            let doubt = || (sampled(&motion) + motion.dot(&(from_tilt * motion)).powi(2)).sqrt() / total;
            value < weak_below || value < BEYOND_DOUBT && value - DEVIATIONS * doubt() < weak_below
        };
        let vector = |index: &usize| eigen.eigenvectors.column(*index).into_owned();
        let weak: Vec<Vector6<f64>> = order.iter().filter(is_weak).map(vector).collect();
        // in unscaled motions: scale · Σ v vᵀ · scale⁻¹
        let out = weak.iter().fold(Matrix6::identity(), |strong, v| strong - v * v.transpose());
        let inverse = Matrix6::from_diagonal(&scale.diagonal().map(|s| 1.0 / s));
        Hold {
            values: Vector6::from_fn(|row, _| eigen.eigenvalues[order[row]]),
            strong: scale * out * inverse,
            weak: weak.iter().map(|v| scale * v).collect(),
        }
    }

    /// Makes rotations comparable with translations: a turn by 1/lever moves a typical surfel by one.
    fn scale(&self) -> Matrix6<f64> {
        let turn = 1.0 / self.lever.max(0.1);
        Matrix6::from_diagonal(&Vector6::new(1.0, 1.0, 1.0, turn, turn, turn))
    }
}
