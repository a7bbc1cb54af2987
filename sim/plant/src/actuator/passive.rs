//! Joints without a drive.

use robot_io::{State, StateVisitor};

use super::MotorRow;

/// A joint that only rubs: the URDF's damping and friction, implicit in the solver.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passive {
    /// [N·m·s/rad]
    damping: f64,
    /// [N·m]
    friction: f64,
}

impl Passive {
    /// Damping [N·m·s/rad] of a row that is to be limited by friction: stiff against any motion.
    const STICKING: f64 = 1e4;

    /// A joint with viscous `damping` [N·m·s/rad] and Coulomb `friction` [N·m].
    pub fn new(damping: f64, friction: f64) -> Passive {
        Passive { damping: damping.max(0.0), friction: friction.max(0.0) }
    }

    /// The row for the present velocity [rad/s].
    pub fn row(&self, velocity: f64) -> MotorRow {
        if self.friction > 0.0 {
            // a strong damper whose torque the solver limits sticks below that limit and slides at it
            let max_effort = self.friction + self.damping * velocity.abs();
            return MotorRow { damping: Self::STICKING, max_effort, ..MotorRow::OFF };
        }
        if self.damping > 0.0 {
            return MotorRow { damping: self.damping, max_effort: MotorRow::UNLIMITED, ..MotorRow::OFF };
        }
        MotorRow::OFF
    }
}

/// A mimic joint: a stiff spring, implicit in the solver, that follows another joint. The other does not feel it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Follower {
    stiffness: f64,
    damping: f64,
}

impl Follower {
    /// Natural frequency [rad/s], 32 Hz, and critical damping.
    const FREQUENCY: f64 = 200.0;

    /// A follower that has to move `inertia` [kg·m² or kg].
    pub fn new(inertia: f64) -> Follower {
        let stiffness = Self::FREQUENCY * Self::FREQUENCY * inertia;
        Follower { stiffness, damping: 2.0 * Self::FREQUENCY * inertia }
    }

    /// The row towards a position [rad or m] and velocity [rad/s or m/s].
    pub fn row(&self, position: f64, velocity: f64) -> MotorRow {
        MotorRow {
            target_position: position,
            target_velocity: velocity,
            stiffness: self.stiffness,
            damping: self.damping,
            max_effort: MotorRow::UNLIMITED,
        }
    }
}

/// Neither remembers anything.
impl State for Passive {
    fn visit_state(&mut self, _visitor: &mut dyn StateVisitor) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn friction_limits_and_damping_does_not() {
        assert_eq!(Passive::new(0.0, 0.0).row(1.0), MotorRow::OFF);
        assert_eq!(Passive::new(0.1, 2.0).row(-3.0).max_effort, 2.3);
        assert_eq!(Passive::new(0.1, 0.0).row(1.0).damping, 0.1);
    }
}
