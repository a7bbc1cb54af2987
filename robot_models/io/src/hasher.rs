//! A digest over raw bits, fast enough for every cycle.

use crate::{Digest, Seal, State, StateVisitor};

impl Digest {
    /// The digest of one component.
    pub fn of(state: &mut dyn State) -> Digest {
        let mut hasher = StateHasher::default();
        state.visit_state(&mut hasher);
        hasher.finish()
    }
}

/// Mixes words by rotate, exclusive or and multiply (the round of FxHash), finished with splitmix64's avalanche.
///
/// It tells equal runs from different ones; it is no defence against somebody who wants a collision.
#[derive(Clone, Copy, Debug)]
pub struct StateHasher {
    mixed: u64,
}

impl Default for StateHasher {
    fn default() -> Self {
        StateHasher { mixed: 0xcbf2_9ce4_8422_2325 }
    }
}

impl StateHasher {
    /// Adds one word.
    #[inline]
    pub fn add(&mut self, word: u64) {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        self.mixed = (self.mixed.rotate_left(26) ^ word).wrapping_mul(ODD);
    }

    /// Adds the bytes of a name or a file, with their count.
    pub fn add_bytes(&mut self, bytes: &[u8]) {
        self.add(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.add(u64::from_le_bytes(word));
        }
    }

    /// The digest of all that was added.
    pub fn finish(self) -> Digest {
        Digest(avalanche(self.mixed))
    }
}

impl StateVisitor for StateHasher {
    fn word(&mut self, bits: &mut u64) {
        self.add(*bits);
    }

    fn seal(&mut self, digest: &mut Digest) -> Seal {
        self.add(digest.0);
        Seal::Closed
    }
}

/// The finaliser of splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
pub(crate) fn avalanche(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_of_every_word_counts() {
        let base = Digest::of(&mut [1.0, -2.0, 3.0]);
        for word in 0..3 {
            for bit in 0..64 {
                let mut values = [1.0_f64, -2.0, 3.0];
                values[word] = f64::from_bits(values[word].to_bits() ^ (1 << bit));
                assert_ne!(Digest::of(&mut values), base, "word {word}, bit {bit}");
            }
        }
    }

    #[test]
    fn order_and_length_count() {
        assert_ne!(Digest::of(&mut [1.0, 2.0]), Digest::of(&mut [2.0, 1.0]));
        assert_ne!(Digest::of(&mut vec![0.0]), Digest::of(&mut vec![0.0, 0.0]));
    }
}
