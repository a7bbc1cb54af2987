//! How far a joint is from its shadow: the numbers.

use robot_io::JointState;
use serde::Serialize;

/// A joint minus its shadow, in one cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residual {
    /// Position [rad or m].
    pub position: f64,
    /// Velocity [rad/s or m/s].
    pub velocity: f64,
    /// Effort [N·m or N].
    pub effort: f64,
}

/// A joint's residuals over a run: largest magnitudes and root mean squares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct JointResiduals {
    /// Position [rad or m], largest.
    pub position_max: f64,
    /// Position [rad or m], root mean square.
    pub position_rms: f64,
    /// Velocity [rad/s or m/s], largest.
    pub velocity_max: f64,
    /// Velocity [rad/s or m/s], root mean square.
    pub velocity_rms: f64,
    /// Effort [N·m or N], largest.
    pub effort_max: f64,
    /// Effort [N·m or N], root mean square.
    pub effort_rms: f64,
}

impl Residual {
    pub(crate) fn between(robot: &JointState, shadow: &JointState) -> Residual {
        Residual {
            position: robot.position - shadow.position,
            velocity: robot.velocity - shadow.velocity,
            effort: robot.effort - shadow.effort,
        }
    }

    pub(crate) fn each(&self) -> [f64; 3] {
        [self.position, self.velocity, self.effort]
    }
}
