//! Random numbers without a hidden state.

use core::f64::consts::TAU;

use crate::hasher::avalanche;
use crate::math::{cos, ln};
use crate::{Digest, StateHasher};

/// A counter-based random stream: the number for (seed, name, counter, index) is a pure function of the four.
///
/// Nothing advances, so nothing needs to be saved, and a consumer that draws more or fewer numbers disturbs no other.
/// The idea is Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011); the mixing is splitmix64's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomStream {
    key: u64,
}

impl RandomStream {
    /// The stream of the consumer `name` in a run with `seed`.
    pub fn new(seed: u64, name: &str) -> RandomStream {
        let mut hasher = StateHasher::default();
        hasher.add(seed);
        hasher.add_bytes(name.as_bytes());
        let Digest(key) = hasher.finish();
        RandomStream { key }
    }

    /// 64 random bits; `counter` is usually the cycle, `index` tells apart what is drawn within it.
    pub fn bits(&self, counter: u64, index: u32) -> u64 {
        const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
        let step = avalanche(counter.wrapping_mul(GOLDEN) ^ self.key);
        avalanche(step ^ u64::from(index).wrapping_add(1).wrapping_mul(GOLDEN))
    }

    /// A number in [0, 1), uniform.
    pub fn uniform(&self, counter: u64, index: u32) -> f64 {
        const ULP: f64 = 1.0 / (1_u64 << 53) as f64;
        (self.bits(counter, index) >> 11) as f64 * ULP
    }

    /// A number from the standard normal distribution (Box and Muller 1958).
    pub fn normal(&self, counter: u64, index: u32) -> f64 {
        let radius_draw = 1.0 - self.uniform(counter, 2 * index);
        let angle_draw = self.uniform(counter, 2 * index + 1);
        (-2.0 * ln(radius_draw)).sqrt() * cos(TAU * angle_draw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_numbers_have_mean_zero_and_variance_one() {
        let stream = RandomStream::new(1, "imu");
        let draws: Vec<f64> = (0..100_000).map(|k| stream.normal(k, 0)).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / draws.len() as f64;
        assert!(mean.abs() < 0.01, "mean {mean}");
        assert!((variance - 1.0).abs() < 0.02, "variance {variance}");
    }

    #[test]
    fn streams_of_other_seeds_names_and_counters_are_other_numbers() {
        let a = RandomStream::new(1, "imu");
        assert_ne!(a.bits(0, 0), RandomStream::new(2, "imu").bits(0, 0));
        assert_ne!(a.bits(0, 0), RandomStream::new(1, "encoder").bits(0, 0));
        assert_ne!(a.bits(0, 0), a.bits(1, 0));
        assert_ne!(a.bits(0, 0), a.bits(0, 1));
        assert_eq!(a.bits(5, 3), RandomStream::new(1, "imu").bits(5, 3));
    }
}
