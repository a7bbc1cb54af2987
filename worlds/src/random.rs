//! Counter-based random numbers: a pure function of (seed, stream, counter), so that no draw depends on
//! how many draws some other layer made before it.

/// One stream of random numbers; a world has one per terrain layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Random {
    key: u64,
}

impl Random {
    /// The stream numbered `stream` of the world seeded with `seed`.
    pub fn new(seed: u64, stream: u64) -> Self {
        Self { key: mix(mix(seed).wrapping_add(stream.wrapping_mul(GOLDEN))) }
    }

    /// 64 random bits, the same for the same counter.
    pub fn bits(&self, counter: u64) -> u64 {
        mix(self.key.wrapping_add(counter.wrapping_mul(GOLDEN)))
    }

    /// Uniform in [0, 1), with 53 bits.
    pub fn unit(&self, counter: u64) -> f64 {
        (self.bits(counter) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [low, high).
    pub fn between(&self, counter: u64, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit(counter)
    }

    /// Uniform in [-1, 1) at the corner (x, y) of an integer lattice, `octave` apart.
    pub fn lattice(&self, octave: u64, x: i64, y: i64) -> f64 {
        let corner = (x as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ mix(y as u64 ^ octave.rotate_left(48));
        2.0 * self.unit(mix(corner)) - 1.0
    }
}

/// 2^64 / golden ratio, the increment of splitmix64.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The finaliser of splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014, with the constants of Vigna's reference code (<https://prng.di.unimi.it/splitmix64.c>).
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(GOLDEN);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_finaliser_is_splitmix64() {
        // First outputs of Vigna's splitmix64.c from state 1234567.
        let first = mix(1_234_567);
        let second = mix(1_234_567u64.wrapping_add(GOLDEN));
        assert_eq!((first, second), (6_457_827_717_110_365_317, 3_203_168_211_198_807_973));
    }

    #[test]
    fn numbers_are_uniform_and_streams_are_apart() {
        let (a, b) = (Random::new(1, 0), Random::new(1, 1));
        let n = 20_000;
        let mean = (0..n).map(|i| a.unit(i)).sum::<f64>() / n as f64;
        // Standard deviation of the mean of n uniforms is 1/√(12 n) = 0.002.
        assert!((mean - 0.5).abs() < 0.01, "mean {mean}");
        let covariance = (0..n).map(|i| (a.unit(i) - 0.5) * (b.unit(i) - 0.5)).sum::<f64>() / n as f64;
        assert!(covariance.abs() < 0.004, "covariance {covariance}");
        assert_ne!(Random::new(1, 0).bits(7), Random::new(2, 0).bits(7));
        assert_eq!(a.bits(7), Random::new(1, 0).bits(7));
    }

    #[test]
    fn lattice_values_stay_in_range_for_any_corner() {
        let stream = Random::new(9, 9);
        for corner in [i64::MIN, -1, 0, 1, i64::MAX] {
            let value = stream.lattice(3, corner, -corner.saturating_add(1));
            assert!((-1.0..1.0).contains(&value), "{value}");
        }
    }
}
