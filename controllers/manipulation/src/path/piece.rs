//! A piece of a way.

use robot_io::State;

use super::blend::Blend;
use super::spline::Spline;

/// A piece of a way, measured by its own length.
#[derive(Clone, Debug, PartialEq, State)]
pub(super) enum Piece {
    /// From a configuration in a direction of length 1.
    Line { from: Vec<f64>, along: Vec<f64>, length: f64 },
    /// Round a corner.
    Blend(Blend),
    /// Through many configurations.
    Spline(Spline),
}

impl Piece {
    pub fn length(&self) -> f64 {
        match self {
            Piece::Line { length, .. } => *length,
            Piece::Blend(blend) => blend.length(),
            Piece::Spline(spline) => spline.length(),
        }
    }

    /// One joint's position and its first and second derivatives by the way, a share from 0 to 1 along.
    pub fn at(&self, share: f64, joint: usize) -> [f64; 3] {
        match self {
            Piece::Line { from, along, length } => [from[joint] + along[joint] * length * share, along[joint], 0.0],
            Piece::Blend(blend) => blend.at(share, joint),
            Piece::Spline(spline) => spline.at(share, joint),
        }
    }

    /// The greatest first, second and third derivative of one joint by the way.
    pub fn bounds(&self, joint: usize) -> [f64; 3] {
        match self {
            Piece::Line { along, .. } => [along[joint].abs(), 0.0, 0.0],
            Piece::Blend(blend) => blend.bounds(joint),
            Piece::Spline(spline) => spline.bounds(joint),
        }
    }
}

impl Default for Piece {
    fn default() -> Self {
        Piece::Line { from: Vec::new(), along: Vec::new(), length: 0.0 }
    }
}
