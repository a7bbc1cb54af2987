//! What the tests share: random numbers, and clarabel as a witness.
#![allow(dead_code, missing_docs, clippy::unwrap_used, reason = "tests")]

pub mod biped;
pub mod humanoid;
pub mod witness;

/// Numbers between −1 and 1 from a seed (xorshift64*).
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11;
        bits as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub fn row(&mut self, width: usize) -> Vec<f64> {
        (0..width).map(|_| self.next()).collect()
    }

    pub fn below(&mut self, most: usize) -> usize {
        ((self.next() + 1.0) / 2.0 * most as f64) as usize % most
    }
}
