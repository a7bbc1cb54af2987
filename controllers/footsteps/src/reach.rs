//! Where the next foot can be set.

use core::fmt::Debug;

use robot_io::Settings;
use serde::{Deserialize, Serialize};
use walking::footstep::Stride;
use walking::{Footstep, Reach};

use crate::refusal::{Reason, Refusal};

/// Which steps legs can take.
pub trait Reachability: Debug + Send + Sync {
    /// Strides that a search tries, all in reach on level ground; it takes the nearest places of its lattice, whose places are `spacing`
    /// [m] apart and whose headings `turn` [rad].
    fn strides(&self, spacing: f64, turn: f64) -> Vec<Stride>;

    /// Refuses a step that legs cannot take from `stance`.
    fn check(&self, stance: &Footstep, step: &Footstep) -> Result<(), Refusal>;

    /// Half the length and half the width of a sole [m].
    fn half_sole(&self) -> [f64; 2];
}

/// Which strides of a box are tried.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct StrideSettings {
    /// The longest step backward that is tried [m].
    #[setting(0.25, range = 0.0..=2.0)]
    pub backward: f64,
    /// The farthest from the other foot that is tried [m].
    #[setting(0.45, range = 0.0..=2.0)]
    pub outward: f64,
    /// The longest step forward that is tried while turning [m].
    #[setting(0.4, range = 0.0..=2.0)]
    pub forward_turning: f64,
    /// Between the soles [m]: no foot is set down just where it was meant to be.
    #[setting(0.03, range = 0.0..=0.2)]
    pub apart: f64,
}

/// The box of [`walking::Reach`], so that whatever is planned can be walked, with some room between the soles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BoxReach {
    /// The box.
    pub reach: Reach,
    /// What is tried of it.
    pub strides: StrideSettings,
}

impl Reachability for BoxReach {
    fn strides(&self, spacing: f64, turn: f64) -> Vec<Stride> {
        let Reach { forward, outward, turning, .. } = self.reach;
        let most_outward = outward[1].min(self.strides.outward.max(outward[0]));
        let back = forward[0].max(-self.strides.backward);
        let turns = (libm::ceil(turning[0] / turn) as i64)..=(libm::floor(turning[1] / turn) as i64);
        let (mut strides, stance) = (Vec::new(), Footstep::default());
        for turning in turns.map(|count| count as f64 * turn) {
            let turns = turning != 0.0;
            let ahead = if turns { forward[1].min(self.strides.forward_turning) } else { forward[1] };
            let apart = if turns { 2.0 * spacing } else { spacing };
            for forward in grid(back, ahead, apart) {
                for outward in grid(outward[0], most_outward, apart) {
                    let stride = Stride { forward, outward, upward: 0.0, turning };
                    strides.extend(self.check(&stance, &stance.stride(&stride)).is_ok().then_some(stride));
                }
            }
        }
        strides
    }

    fn check(&self, stance: &Footstep, step: &Footstep) -> Result<(), Refusal> {
        if step.side == stance.side {
            return Err(Refusal { reason: Reason::Side, expected: [1.0, 1.0], found: 0.0 });
        }
        let stride = step.stride_from(stance);
        Refusal::unless(Reason::Forward, self.reach.forward, stride.forward)?;
        Refusal::unless(Reason::Outward, self.reach.outward, stride.outward)?;
        Refusal::unless(Reason::Upward, self.reach.upward, stride.upward)?;
        Refusal::unless(Reason::Turning, self.reach.turning, stride.turning)?;
        self.check_apart(stance, step, &stride)
    }

    fn half_sole(&self) -> [f64; 2] {
        self.reach.half_sole
    }
}

impl BoxReach {
    /// Soles whose corners are apart in any case need not be laid over each other.
    fn check_apart(&self, stance: &Footstep, step: &Footstep, stride: &Stride) -> Result<(), Refusal> {
        let half_sole = self.reach.half_sole.map(|half| half + 0.5 * self.strides.apart);
        let [length, width] = half_sole;
        let across = width + width * libm::cos(stride.turning).abs() + length * libm::sin(stride.turning).abs();
        if stride.outward > across {
            return Ok(());
        }
        let roomy = Reach { half_sole, ..self.reach };
        let common = roomy.sole(stance).common(&roomy.sole(step)).area();
        Refusal::unless(Reason::Overlap, [f64::NEG_INFINITY, 0.0], common)
    }
}

/// Multiples of `spacing` within bounds.
fn grid(least: f64, most: f64, spacing: f64) -> impl Iterator<Item = f64> {
    let (first, last) = (libm::ceil(least / spacing - 1e-9) as i64, libm::floor(most / spacing + 1e-9) as i64);
    (first..=last).map(move |count| count as f64 * spacing)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use nalgebra::Vector3;
    use walking::Side;

    #[test]
    fn it_judges_as_walking_does() {
        let strides = StrideSettings { apart: 0.0, ..StrideSettings::default() };
        let reach = BoxReach { strides, ..BoxReach::default() };
        let random = robot_io::RandomStream::new(3, "steps");
        let mut refused = 0;
        for trial in 0..20_000 {
            let within = |index: u32, least: f64, most: f64| least + (most - least) * random.uniform(trial, index);
            let stance = Footstep::flat(Side::Left, Vector3::new(1.0, 2.0, 0.1), within(0, -3.0, 3.0));
            let stride = Stride {
                forward: within(1, -0.5, 0.75),
                outward: within(2, 0.15, 0.6),
                upward: within(3, -0.3, 0.3),
                turning: within(4, -0.3, 0.7),
            };
            let step = stance.stride(&stride);
            let (ours, theirs) = (reach.check(&stance, &step), reach.reach.check(0, &stance, &step));
            assert_eq!(ours.is_ok(), theirs.is_ok(), "{stride:?}: {ours:?}, {theirs:?}");
            refused += usize::from(ours.is_err());
        }
        assert!((5000..19_000).contains(&refused), "{refused}");
    }

    #[test]
    fn soles_are_kept_apart() {
        let (reach, stance) = (BoxReach::default(), Footstep::default());
        let beside = |outward: f64, turning: f64| {
            reach.check(&stance, &stance.stride(&Stride { outward, turning, ..Stride::default() }))
        };
        assert!(beside(0.195, 0.0).is_ok());
        // the toes of soles of 30 cm come 1.5 cm nearer
        assert_eq!(beside(0.195, -0.1).unwrap_err().reason, Reason::Overlap);
    }

    #[test]
    fn every_stride_is_in_reach() {
        let (reach, stance) = (BoxReach::default(), Footstep::default());
        let strides = reach.strides(0.05, core::f64::consts::PI / 16.0);
        assert!(strides.len() > 100);
        assert!(strides.iter().all(|stride| reach.check(&stance, &stance.stride(stride)).is_ok()));
    }
}
