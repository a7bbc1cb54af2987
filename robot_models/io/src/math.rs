//! Transcendental functions whose last bit does not depend on the machine.
//!
//! `f64::sin` calls whatever the platform's C library brings. These come from the crate `libm` (through nalgebra's
//! `libm-force`), so a log made on one x86-64 machine replays on another.

use nalgebra::{ComplexField, RealField};

/// The sine of an angle [rad].
pub fn sin(angle: f64) -> f64 {
    ComplexField::sin(angle)
}

/// The cosine of an angle [rad].
pub fn cos(angle: f64) -> f64 {
    ComplexField::cos(angle)
}

/// The tangent of an angle [rad].
pub fn tan(angle: f64) -> f64 {
    ComplexField::tan(angle)
}

/// The angle [rad] whose sine is `x`; `x` is clamped to [−1, 1].
pub fn asin(x: f64) -> f64 {
    ComplexField::asin(x.clamp(-1.0, 1.0))
}

/// The angle [rad] whose cosine is `x`; `x` is clamped to [−1, 1].
pub fn acos(x: f64) -> f64 {
    ComplexField::acos(x.clamp(-1.0, 1.0))
}

/// The angle [rad] of the vector `(x, y)`.
pub fn atan2(y: f64, x: f64) -> f64 {
    RealField::atan2(y, x)
}

/// The exponential function.
pub fn exp(x: f64) -> f64 {
    ComplexField::exp(x)
}

/// The natural logarithm.
pub fn ln(x: f64) -> f64 {
    ComplexField::ln(x)
}

/// The length of the vector `(x, y)`.
pub fn hypot(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}

/// The same angle in (−π, π] [rad].
pub fn wrap_angle(angle: f64) -> f64 {
    use core::f64::consts::{PI, TAU};
    let turns = ((angle + PI) / TAU).floor();
    let wrapped = angle - turns * TAU;
    if wrapped <= -PI { wrapped + TAU } else { wrapped }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::PI;

    #[test]
    fn wrapping_keeps_the_direction() {
        for k in -5..=5 {
            let angle = 0.3 + f64::from(k) * 2.0 * PI;
            assert!((wrap_angle(angle) - 0.3).abs() < 1e-12, "{k} turns");
        }
        assert_eq!(wrap_angle(-PI), PI);
    }

    #[test]
    fn the_inverse_functions_accept_rounding_beyond_one() {
        assert_eq!(asin(1.0 + 1e-15), PI / 2.0);
        assert_eq!(acos(-1.0 - 1e-15), PI);
    }
}
