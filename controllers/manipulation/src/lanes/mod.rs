//! Eight numbers at once: one for each of eight configurations along an edge.
//!
//! Plain arrays, written so that the compiler makes vector instructions of them, as wide as a machine has (W. Thomason,
//! Z. Kingston, L. E. Kavraki, "Motions in microseconds via vectorized sampling-based planning", ICRA 2024, lay configurations out
//! like this). Each lane is computed by the same additions and multiplications in the same order on every machine: no fused
//! multiplication, no sum across lanes.

mod frame;
mod sine;

use core::ops::{Add, Mul, Neg, Sub};

pub(crate) use frame::{Fixed, Frame, Point};
pub(crate) use sine::sine_and_cosine;

/// How many configurations are looked at together.
pub(crate) const LANES: usize = 8;

/// A number of each configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(32))]
pub(crate) struct Lanes(pub [f32; LANES]);

impl Lanes {
    pub const ZERO: Lanes = Lanes([0.0; LANES]);

    #[inline(always)]
    pub fn all(number: f32) -> Lanes {
        Lanes([number; LANES])
    }

    #[inline(always)]
    fn zip(self, other: Lanes, combine: impl Fn(f32, f32) -> f32) -> Lanes {
        Lanes(core::array::from_fn(|lane| combine(self.0[lane], other.0[lane])))
    }

    #[inline(always)]
    pub fn map(self, change: impl Fn(f32) -> f32) -> Lanes {
        Lanes(core::array::from_fn(|lane| change(self.0[lane])))
    }

    #[inline(always)]
    pub fn most(self, other: Lanes) -> Lanes {
        self.zip(other, |one, other| if one > other { one } else { other })
    }

    #[inline(always)]
    pub fn size(self) -> Lanes {
        self.map(f32::abs)
    }

    #[inline(always)]
    pub fn root(self) -> Lanes {
        self.map(f32::sqrt)
    }

    /// Whether any lane is less than the other's.
    #[inline(always)]
    pub fn any_less(self, other: Lanes) -> bool {
        let mut any = 0_u32;
        for lane in 0..LANES {
            any |= u32::from(self.0[lane] < other.0[lane]);
        }
        any != 0
    }
}

impl Add for Lanes {
    type Output = Lanes;

    #[inline(always)]
    fn add(self, other: Lanes) -> Lanes {
        self.zip(other, |one, other| one + other)
    }
}

impl Sub for Lanes {
    type Output = Lanes;

    #[inline(always)]
    fn sub(self, other: Lanes) -> Lanes {
        self.zip(other, |one, other| one - other)
    }
}

impl Mul for Lanes {
    type Output = Lanes;

    #[inline(always)]
    fn mul(self, other: Lanes) -> Lanes {
        self.zip(other, |one, other| one * other)
    }
}

impl Mul<f32> for Lanes {
    type Output = Lanes;

    #[inline(always)]
    fn mul(self, factor: f32) -> Lanes {
        self.map(|one| one * factor)
    }
}

impl Neg for Lanes {
    type Output = Lanes;

    #[inline(always)]
    fn neg(self) -> Lanes {
        self.map(|one| -one)
    }
}
