//! Sine and cosine of eight angles.

use super::{LANES, Lanes};

/// Adding and taking away this rounds a number below 2²² to an integer.
const ROUNDS: f32 = 12_582_912.0;
/// π/2 in three parts, the first two with few digits: their products with small integers are exact.
const QUARTER: [f32; 3] = [1.570_312_5, 4.837_513e-4, 7.549_79e-8];

/// The sine and the cosine of angles [rad] below 1,000; both are wrong by 2e-7 at most.
///
/// The remainder of quarter turns by three constants (W. J. Cody, W. Waite, "Software manual for the elementary functions", 1980),
/// then the polynomials of S. Moshier's Cephes library (sinf, cosf).
#[inline(always)]
pub(crate) fn sine_and_cosine(angle: Lanes) -> (Lanes, Lanes) {
    let (mut sines, mut cosines) = ([0.0; LANES], [0.0; LANES]);
    for lane in 0..LANES {
        let angle = angle.0[lane];
        let turns = (angle * core::f32::consts::FRAC_2_PI + ROUNDS) - ROUNDS;
        let x = ((angle - turns * QUARTER[0]) - turns * QUARTER[1]) - turns * QUARTER[2];
        let square = x * x;
        let sine = x + x * square * (-1.666_665_5e-1 + square * (8.332_161e-3 + square * -1.951_529_6e-4));
        let cosine = 1.0 - 0.5 * square
            + square * square * (4.166_664_6e-2 + square * (-1.388_731_6e-3 + square * 2.443_315_7e-5));
        let quarter = turns as i32;
        let (first, second) = if quarter & 1 == 0 { (sine, cosine) } else { (cosine, sine) };
        sines[lane] = if quarter & 2 == 0 { first } else { -first };
        cosines[lane] = if (quarter + 1) & 2 == 0 { second } else { -second };
    }
    (Lanes(sines), Lanes(cosines))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sines_and_cosines_are_right_over_many_turns() {
        for step in -40_000..40_000 {
            let angle = step as f32 * 0.01;
            let (sine, cosine) = sine_and_cosine(Lanes::all(angle));
            let wrong = |found: f32, really: f64| (f64::from(found) - really).abs();
            let (really_sine, really_cosine) = libm::sincos(f64::from(angle));
            assert!(wrong(sine.0[3], really_sine) < 2e-7, "sine of {angle}: {}", sine.0[3]);
            assert!(wrong(cosine.0[5], really_cosine) < 2e-7, "cosine of {angle}: {}", cosine.0[5]);
        }
    }
}
