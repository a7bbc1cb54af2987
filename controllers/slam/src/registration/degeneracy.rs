//! Directions in which the world gives no hold.

use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

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

/// What the error of a plane's normal adds to the normal matrix where nothing is known: a tilt variance along the two
/// directions in the plane. `arm` leads from the pivot to the surfel.
pub(super) fn tilt_information(normal: &Vector3<f64>, arm: &Vector3<f64>) -> Matrix6<f64> {
    let in_plane = Matrix3::identity() - normal * normal.transpose();
    let cross = arm.cross_matrix();
    let mut all = Matrix6::zeros();
    all.fixed_view_mut::<3, 3>(0, 0).copy_from(&in_plane);
    all.fixed_view_mut::<3, 3>(3, 0).copy_from(&(cross * in_plane));
    all.fixed_view_mut::<3, 3>(0, 3).copy_from(&(cross * in_plane).transpose());
    all.fixed_view_mut::<3, 3>(3, 3).copy_from(&(cross * in_plane * cross.transpose()));
    all
}

impl Information {
    /// Tells strong from weak directions by the eigenvalues of the information, normalised to one surfel and to the lever.
    ///
    /// `from_tilt` is the share that comes from errors of the normals alone, and holds nothing.
    pub(super) fn hold(&self, from_tilt: &Matrix6<f64>, weak_below: f64) -> Hold {
        let scale = self.scale();
        let held = (self.hessian - from_tilt) / self.total.max(f64::MIN_POSITIVE);
        let eigen = (scale * held * scale).symmetric_eigen();
        let mut order = [0, 1, 2, 3, 4, 5];
        order.sort_by(|a, b| eigen.eigenvalues[*a].total_cmp(&eigen.eigenvalues[*b]));
        let is_weak = |index: &&usize| eigen.eigenvalues[**index].max(f64::MIN_POSITIVE) < weak_below;
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
