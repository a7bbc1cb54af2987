//! Three gyroscopes, or three accelerometers, and what is wrong with them.

use nalgebra::{Matrix3, Vector3};
use robot_io::{RandomStream, State};
use robot_model::description::TriadErrors;

use super::normal3;

/// Normal numbers that a triad uses of one sample: three of white noise, three of the walk.
pub(crate) const DRAWS: u32 = 6;
/// Switching on counts as a sample that no run comes to.
const SWITCHED_ON: u64 = u64::MAX;

/// What three axes make of a rate or a force: (1 + E) · truth + bias + white noise. E has errors of scale on its diagonal
/// and those of the axes' directions beside it; the bias begins anew whenever the unit is switched on, and walks. White
/// noise of density n, sampled: σ = n · √rate; walk w: σ = w · √interval a sample (Woodman, "An introduction to inertial
/// navigation", UCAM-CL-TR-696, 2007; the quantities of data sheets).
#[derive(Clone, Debug, State)]
pub(crate) struct Triad {
    #[state(fixed)]
    errors: TriadErrors,
    #[state(fixed)]
    distortion: Matrix3<f64>,
    bias: Vector3<f64>,
}

impl Triad {
    /// Three ideal axes.
    pub fn ideal() -> Triad {
        Triad { errors: TriadErrors::default(), distortion: Matrix3::identity(), bias: Vector3::zeros() }
    }

    /// Switches three axes on, whose random numbers have the indices from `first` on.
    pub fn new(errors: &TriadErrors, noise: &RandomStream, first: u32) -> Triad {
        // fifteen numbers, apart from those of another triad
        let draw = |index| normal3(noise, SWITCHED_ON, 4 * first + index);
        let mut distortion = Matrix3::from_columns(&[draw(0), draw(3), draw(6)]) * errors.misalignment;
        distortion.set_diagonal(&(draw(9) * errors.scale_error));
        distortion += Matrix3::identity();
        Triad { errors: *errors, distortion, bias: draw(12) * errors.turn_on_bias }
    }

    /// A sample of `truth`; `interval` [s] after the last one.
    pub fn sample(
        &mut self,
        truth: &Vector3<f64>,
        interval: f64,
        noise: &RandomStream,
        (count, first): (u64, u32),
    ) -> Vector3<f64> {
        let white = normal3(noise, count, first) * (self.errors.noise_density / interval.sqrt());
        self.bias += normal3(noise, count, first + 3) * (self.errors.bias_walk * interval.sqrt());
        self.distortion * truth + self.bias + white
    }

    /// The present bias.
    pub fn bias(&self) -> Vector3<f64> {
        self.bias
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(errors: TriadErrors, seed: u64) -> (Triad, RandomStream) {
        let noise = RandomStream::new(seed, "triad");
        (Triad::new(&errors, &noise, 0), noise)
    }

    fn root_mean_square(values: impl Iterator<Item = Vector3<f64>>) -> f64 {
        let (sum, count) =
            values.fold((0.0, 0.0), |(sum, count), value| (sum + value.norm_squared() / 3.0, count + 1.0));
        (sum / count).sqrt()
    }

    #[test]
    fn white_noise_has_the_density_of_the_data_sheet() {
        let (mut triad, noise) = of(TriadErrors { noise_density: 1e-3, ..TriadErrors::default() }, 1);
        let samples = (0..20_000).map(|count| triad.sample(&Vector3::zeros(), 1e-3, &noise, (count, 0)));
        // 1e-3 rad/s/√Hz at 1 kHz
        let deviation = root_mean_square(samples);
        assert!((deviation / (1e-3 * 1000.0_f64.sqrt()) - 1.0).abs() < 0.02, "{deviation}");
    }

    #[test]
    fn the_bias_walks_as_far_as_the_root_of_time() {
        let walked = |seed| {
            let (mut triad, noise) = of(TriadErrors { bias_walk: 1e-4, ..TriadErrors::default() }, seed);
            (0..1_000).for_each(|count| _ = triad.sample(&Vector3::zeros(), 0.01, &noise, (count, 0)));
            triad.bias()
        };
        // 1e-4 rad/s²/√Hz for 10 s
        let (deviation, expected) = (root_mean_square((0..200).map(walked)), 1e-4 * 10.0_f64.sqrt());
        assert!((deviation / expected - 1.0).abs() < 0.1, "{deviation}, expected {expected}");
    }

    #[test]
    fn each_switching_on_has_its_bias_scale_and_axes() {
        let errors =
            TriadErrors { turn_on_bias: 0.02, scale_error: 0.003, misalignment: 0.002, ..TriadErrors::default() };
        let at_rest = |seed| {
            let (mut triad, noise) = of(errors, seed);
            triad.sample(&Vector3::zeros(), 0.01, &noise, (0, 0))
        };
        let gained = |seed| {
            let (mut triad, noise) = of(errors, seed);
            let bias = triad.bias();
            triad.sample(&(Vector3::z() * 10.0), 0.01, &noise, (0, 0)) - bias - Vector3::z() * 10.0
        };
        let bias = root_mean_square((0..500).map(at_rest));
        assert!((bias / 0.02 - 1.0).abs() < 0.1, "{bias}");
        let along = root_mean_square((0..500).map(|seed| Vector3::repeat(gained(seed).z)));
        let across = root_mean_square((0..500).map(|seed| Vector3::repeat(gained(seed).x)));
        assert!((along / 0.03 - 1.0).abs() < 0.1 && (across / 0.02 - 1.0).abs() < 0.1, "{along} {across}");
    }
}
