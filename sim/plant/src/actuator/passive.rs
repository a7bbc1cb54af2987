//! Joints without a drive.

use mechanics::Drive as JointDrive;

/// A joint that only rubs: the URDF's damping and friction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passive {
    /// [N·m·s/rad or N·s/m]
    damping: f64,
    /// [N·m or N]
    friction: f64,
}

impl Passive {
    /// Below this speed Coulomb friction is viscous [rad/s or m/s]: a joint that only rubs creeps at up to this speed.
    const CREEP: f64 = 1e-3;

    /// A joint with viscous `damping` [N·m·s/rad] and Coulomb `friction` [N·m].
    pub fn new(damping: f64, friction: f64) -> Passive {
        Passive { damping: damping.max(0.0), friction: friction.max(0.0) }
    }

    /// What acts at the present velocity [rad/s]: Coulomb friction as a damper that gives its level there.
    pub fn drive(&self, velocity: f64) -> JointDrive {
        let damping = self.damping + self.friction / velocity.abs().max(Self::CREEP);
        JointDrive { damping, ..JointDrive::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn friction_gives_its_level_at_any_speed() {
        let passive = Passive::new(0.1, 2.0);
        for speed in [0.01, 1.0, 10.0] {
            assert!((passive.drive(-speed).damping * speed - (2.0 + 0.1 * speed)).abs() < 1e-12);
        }
        assert_eq!(Passive::new(0.0, 0.0).drive(1.0), JointDrive::default());
    }
}
