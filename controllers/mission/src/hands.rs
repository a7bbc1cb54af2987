//! Joints that the operator moves by hand: each goes to where it is told and stays there, whatever the mission wants of it.

use robot_io::{Commands, JointCommand, JointLimits, Readings, RobotLayout, State};

use crate::posture::{Posture, PostureJoint};

/// A hand gets up to speed within this time [s]. Chosen.
const RISE: f64 = 0.25;
/// A joint this close to where the mission wants it is given back [rad or m].
const TOGETHER: f64 = 1e-3;

/// The joints that are moved by hand, in the order in which they were taken.
#[derive(Clone, Debug, Default, State)]
pub struct Hands {
    held: Vec<Held>,
}

/// One joint in a hand.
#[derive(Clone, Copy, Debug, Default, State)]
struct Held {
    joint: usize,
    /// Where the hand wants it [rad or m].
    target: f64,
    /// Where it is told to be now [rad or m].
    position: f64,
    /// Its set-point's velocity [rad/s or m/s].
    velocity: f64,
    /// On its way back to where the mission wants it.
    released: bool,
}

impl Hands {
    /// Forgets all of them.
    pub fn reset(&mut self) {
        self.held.clear();
    }

    /// Moves a joint to a position, no further than its range; it begins where `commands` last held it. True if it was in no
    /// hand before.
    pub fn take(
        &mut self,
        joint: usize,
        target: f64,
        limits: &JointLimits,
        readings: &Readings,
        commands: &Commands,
    ) -> bool {
        let target = target.max(limits.lower).min(limits.upper);
        match self.held.iter_mut().find(|held| held.joint == joint) {
            Some(held) => {
                (held.target, held.released) = (target, false);
                false
            }
            None => {
                let command = &commands.joints[joint];
                let position = if command.stiffness > 0.0 { command.position } else { readings.joints[joint].position };
                self.held.push(Held { joint, target, position, velocity: 0.0, released: false });
                true
            }
        }
    }

    /// Gives a joint back; it goes to where the mission wants it first. True if it was in a hand.
    pub fn release(&mut self, joint: usize) -> bool {
        let held = self.held.iter_mut().find(|held| held.joint == joint);
        held.map(|held| held.released = true).is_some()
    }

    /// Every joint in a hand stays where it is: after a stop nothing moves by itself.
    pub fn stay(&mut self, readings: &Readings) {
        for held in &mut self.held {
            let here = readings.joints[held.joint].position;
            (held.target, held.position, held.velocity) = (here, here, 0.0);
        }
    }

    /// Writes the commands of the joints in a hand over those of the mission, a cycle of `dt` [s] on.
    pub fn update(&mut self, posture: &Posture, layout: &RobotLayout, dt: f64, commands: &mut Commands) {
        self.held.retain_mut(|held| {
            let (Some(joint), Some(of_layout)) = (posture.joint(held.joint), layout.joints.get(held.joint)) else {
                return false;
            };
            let command = &mut commands.joints[held.joint];
            if held.released {
                held.target = command.position.max(of_layout.limits.lower).min(of_layout.limits.upper);
            }
            held.step(joint.speed, dt);
            if held.released && (held.position - held.target).abs() < TOGETHER {
                return false;
            }
            let PostureJoint { stiffness, damping, .. } = *joint;
            let (position, velocity) = (held.position, held.velocity);
            // what locomotion feeds forward against gravity stays
            *command = JointCommand { position, velocity, stiffness, damping, ..*command };
            true
        });
    }
}

impl Held {
    /// Towards the target, no faster than `speed` and slow enough to stop there with the acceleration that it rises with.
    fn step(&mut self, speed: f64, dt: f64) {
        let left = self.target - self.position;
        let acceleration = speed / RISE;
        let slow_enough = (2.0 * acceleration * left.abs()).sqrt().min(speed).min(left.abs() / dt);
        let wanted = slow_enough.copysign(left);
        let change = acceleration * dt;
        // braking may be as hard as the way left demands
        let towards = wanted.clamp(self.velocity - change, self.velocity + change);
        self.velocity = if wanted.abs() < towards.abs() || wanted * towards < 0.0 { wanted } else { towards };
        self.position += self.velocity * dt;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_joint_gets_to_its_target_without_overshoot_or_jump() {
        let (dt, speed) = (0.004, 0.8);
        let mut held = Held { target: 0.5, ..Held::default() };
        let mut cycles = 0;
        while (held.position - held.target).abs() > 1e-6 {
            let before = held.velocity;
            held.step(speed, dt);
            assert!(held.position <= 0.5 + 1e-9 && held.velocity <= speed, "{held:?}");
            assert!(held.velocity - before <= speed / RISE * dt + 1e-12, "{held:?}");
            cycles += 1;
            assert!(cycles < 500, "{held:?}");
        }
        assert!(cycles as f64 * dt > 0.5 / speed, "no faster than the joint may: {cycles} cycles");
    }

    #[test]
    fn a_target_that_turns_round_is_followed_back() {
        let mut held = Held { target: 1.0, ..Held::default() };
        (0..100).for_each(|_| held.step(1.0, 0.004));
        held.target = -0.2;
        (0..1_000).for_each(|_| held.step(1.0, 0.004));
        assert!((held.position + 0.2).abs() < 1e-6, "{held:?}");
    }
}
