//! On which side of the robot something is, in words.

use core::f64::consts::FRAC_PI_4;
use core::fmt;

use crate::math::atan2;

/// One of eight sides of the robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side(usize);

impl Side {
    /// The side on which a place lies, in the base frame: x ahead, y to the left.
    pub fn of(x: f64, y: f64) -> Side {
        const SIDES: f64 = 8.0;
        Side((atan2(y, x) / FRAC_PI_4).round().rem_euclid(SIDES) as usize)
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            0 => "the front",
            1 => "the front left",
            2 => "the left",
            3 => "the rear left",
            4 => "behind",
            5 => "the rear right",
            6 => "the right",
            _ => "the front right",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_eight_sides_have_their_names() {
        let named = |x: f64, y: f64| Side::of(x, y).to_string();
        assert_eq!(named(2.0, 0.3), "the front");
        assert_eq!(named(1.0, 1.0), "the front left");
        assert_eq!(named(0.0, 1.0), "the left");
        assert_eq!(named(-1.0, 0.9), "the rear left");
        assert_eq!((named(-1.0, 0.0), named(-1.0, -0.0)), ("behind".to_owned(), "behind".to_owned()));
        assert_eq!(named(-1.0, -1.0), "the rear right");
        assert_eq!(named(0.1, -1.0), "the right");
        assert_eq!(named(1.0, -1.1), "the front right");
    }
}
