//! Joints without a drive, and the ends of joints with one.

use crate::multibody::JointDrive;

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

/// A mimic joint: a stiff spring that follows another joint. The other does not feel it.
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

    /// What pulls it to a position [rad or m] at a velocity [rad/s or m/s].
    pub fn drive(&self, rest_position: f64, rest_velocity: f64) -> JointDrive {
        let Follower { stiffness, damping } = *self;
        JointDrive { stiffness, damping, rest_position, rest_velocity, ..JointDrive::default() }
    }
}

/// The ends of a joint's way: stiff and well damped, and only there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndStop {
    lower: f64,
    upper: f64,
    stiffness: f64,
    damping: f64,
}

impl EndStop {
    /// Natural frequency of a joint on its stop [rad/s].
    const FREQUENCY: f64 = 150.0;

    /// The stops of a joint that moves `inertia` [kg·m² or kg], infinite where there are none.
    pub fn new(lower: f64, upper: f64, inertia: f64) -> EndStop {
        let stiffness = Self::FREQUENCY * Self::FREQUENCY * inertia;
        EndStop { lower, upper, stiffness, damping: Self::FREQUENCY * inertia }
    }

    /// Adds the stop's spring to what acts in the joint, where the joint has reached it.
    pub fn add(&self, drive: &mut JointDrive, position: f64) {
        let end = position.clamp(self.lower, self.upper);
        if end == position {
            return;
        }
        // two springs and two dampers in parallel are one
        let stiffness = drive.stiffness + self.stiffness;
        let damping = drive.damping + self.damping;
        drive.rest_position = (drive.stiffness * drive.rest_position + self.stiffness * end) / stiffness;
        drive.rest_velocity *= drive.damping / damping;
        (drive.stiffness, drive.damping) = (stiffness, damping);
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

    #[test]
    fn a_stop_acts_beyond_its_end_only() {
        let stop = EndStop::new(-1.0, 2.0, 0.1);
        let mut drive = JointDrive { effort: 3.0, ..JointDrive::default() };
        stop.add(&mut drive, 1.9);
        assert_eq!(drive.stiffness, 0.0);
        stop.add(&mut drive, 2.1);
        assert_eq!((drive.rest_position, drive.effort), (2.0, 3.0));
        assert!(drive.stiffness > 0.0);
    }
}
