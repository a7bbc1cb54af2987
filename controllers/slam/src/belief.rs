//! What is believed of a few numbers: a normal distribution in information form.

use nalgebra::{Cholesky, Const, SMatrix, SVector};
use robot_io::State;

/// A normal distribution that begins at zero with known deviations. What nothing is ever learnt about stays there.
#[derive(Clone, Copy, Debug, PartialEq, State)]
pub(crate) struct Belief<const N: usize> {
    /// Beside the prior's.
    information: SMatrix<f64, N, N>,
    weighted: SVector<f64, N>,
}

/// What one sweep says: normal equations of the numbers themselves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Evidence<const N: usize> {
    pub(crate) information: SMatrix<f64, N, N>,
    pub(crate) weighted: SVector<f64, N>,
}

impl<const N: usize> Evidence<N> {
    /// Takes in one measurement: `row` times the numbers is `value`, with a weight of one over its variance.
    pub(crate) fn add(&mut self, row: &SVector<f64, N>, value: f64, weight: f64) {
        self.information += row * row.transpose() * weight;
        self.weighted += row * (weight * value);
    }
}

impl<const N: usize> Belief<N> {
    /// Takes in a sweep. Whatever its numbers say, it errs by `systematic` (variances) as a whole. What came before counts a little
    /// less: `kept` of it, 0 to 1.
    pub(crate) fn learn(&mut self, evidence: &Evidence<N>, systematic: &SVector<f64, N>, kept: f64) {
        // (H⁻¹ + S)⁻¹ without the inverse of H, which may have none
        let spread = SMatrix::<f64, N, N>::identity() + evidence.information * SMatrix::from_diagonal(systematic);
        let Some(inverse) = spread.try_inverse() else { return };
        let information = inverse * evidence.information;
        self.information = self.information * kept + (information + information.transpose()) * 0.5;
        self.weighted = self.weighted * kept + inverse * evidence.weighted;
    }

    /// Believes what it has learnt half as much.
    pub(crate) fn doubt(&mut self) {
        self.information *= 0.5;
        self.weighted *= 0.5;
    }

    /// Mean and covariance, with a prior of these deviations about zero.
    pub(crate) fn normal(&self, prior: &SVector<f64, N>) -> (SVector<f64, N>, SMatrix<f64, N, N>) {
        let of_prior = SMatrix::from_diagonal(&prior.map(|deviation| 1.0 / (deviation * deviation)));
        let Some(factor) = Cholesky::<f64, Const<N>>::new(self.information + of_prior) else {
            return (SVector::zeros(), SMatrix::from_diagonal(&prior.map(|deviation| deviation * deviation)));
        };
        (factor.solve(&self.weighted), factor.inverse())
    }
}

impl<const N: usize> Default for Belief<N> {
    fn default() -> Self {
        Belief { information: SMatrix::zeros(), weighted: SVector::zeros() }
    }
}

impl<const N: usize> Default for Evidence<N> {
    fn default() -> Self {
        Evidence { information: SMatrix::zeros(), weighted: SVector::zeros() }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Vector2, vector};

    use super::*;

    #[test]
    fn what_is_measured_becomes_known_and_the_rest_stays_at_the_prior() {
        let (mut belief, prior) = (Belief::<2>::default(), vector![0.1, 0.2]);
        for _ in 0..400 {
            let mut evidence = Evidence::default();
            evidence.add(&Vector2::x(), 0.05, 1e6);
            belief.learn(&evidence, &vector![1e-4, 1e-4], 1.0);
        }
        let (mean, covariance) = belief.normal(&prior);
        assert!((mean.x - 0.05).abs() < 1e-3 && mean.y.abs() < 1e-12, "{mean}");
        let deviations = covariance.diagonal().map(f64::sqrt);
        assert!((deviations.x - 0.01 / 20.0).abs() < 1e-4, "no better than its sweeps err: {deviations}");
        assert!((deviations.y - 0.2).abs() < 1e-9, "{deviations}");
    }
}
