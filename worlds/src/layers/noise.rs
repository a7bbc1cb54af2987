//! Value noise: random heights on a lattice, smoothly joined.

use crate::Random;
use crate::fields::{DISTANCE, LENGTH};
use page::{Fault, Fields};

use super::Profile;

/// Rough ground: height changes of at most ± amplitude.
pub(super) struct Roughness {
    amplitude: f64,
    wavelength: f64,
    octaves: u64,
    random: Random,
}

impl Roughness {
    pub(super) fn read(fields: &mut Fields<'_>, random: Random) -> Result<Self, Fault> {
        Ok(Self {
            amplitude: fields.number("amplitude", DISTANCE)?,
            wavelength: fields.number("wavelength", LENGTH)?,
            octaves: fields.whole_or("octaves", 1..=8, 1)?,
            random,
        })
    }
}

impl Profile for Roughness {
    fn height(&self, x: f64, y: f64, height: f64) -> f64 {
        height + self.amplitude * value_noise(&self.random, x, y, self.wavelength, self.octaves)
    }
}

/// Noise in [−1, 1]: octave k has 1/2ᵏ of the wavelength [m] and of the weight; weights add up to 1.
pub(super) fn value_noise(random: &Random, x: f64, y: f64, wavelength: f64, octaves: u64) -> f64 {
    let (mut sum, mut total, mut weight, mut scale) = (0.0, 0.0, 1.0, wavelength);
    for octave in 0..octaves {
        sum += weight * one_octave(random, octave, x / scale, y / scale);
        total += weight;
        weight *= 0.5;
        scale *= 0.5;
    }
    sum / total
}

fn one_octave(random: &Random, octave: u64, x: f64, y: f64) -> f64 {
    let (column, row) = (libm::floor(x), libm::floor(y));
    let (u, v) = (ease(x - column), ease(y - row));
    let (column, row) = (column as i64, row as i64);
    let corner = |dx, dy| random.lattice(octave, column.saturating_add(dx), row.saturating_add(dy));
    let south = corner(0, 0) + u * (corner(1, 0) - corner(0, 0));
    let north = corner(0, 1) + u * (corner(1, 1) - corner(0, 1));
    south + v * (north - south)
}

/// 6t⁵ − 15t⁴ + 10t³: continuous to the second derivative (K. Perlin, "Improving Noise", SIGGRAPH 2002).
fn ease(t: f64) -> f64 {
    t * t * t * (t * (6.0 * t - 15.0) + 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_bounded_continuous_and_uses_its_range() {
        let random = Random::new(5, 0);
        let (mut low, mut high) = (0.0f64, 0.0f64);
        for i in 0..200_000 {
            let (x, y) = (-50.0 + f64::from(i) * 0.000_5, f64::from(i) * 0.003_1);
            let a = value_noise(&random, x, y, 0.5, 3);
            let b = value_noise(&random, x + 1e-6, y, 0.5, 3);
            assert!((a - b).abs() < 1e-4, "a jump at {x} {y}");
            (low, high) = (low.min(a), high.max(a));
        }
        assert!(low > -1.0 && low < -0.7 && high < 1.0 && high > 0.7, "{low} {high}");
    }
}
