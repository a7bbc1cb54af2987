//! The commands that may go out: within limits, finite, and frozen once the robot is stopped.

use robot_io::{Commands, JointCommand, JointLimits, Readings, RobotLayout, State};

/// The last commands that were accepted.
#[derive(Clone, Debug, State)]
pub(super) struct Accepted {
    current: Commands,
    /// The cycle in which they came.
    accepted_in: u64,
}

impl Accepted {
    pub fn new(layout: &RobotLayout) -> Accepted {
        Accepted { current: Commands::new(layout), accepted_in: 0 }
    }

    pub fn current(&self) -> &Commands {
        &self.current
    }

    /// How many cycles ago they came, from the point of view of `cycle`.
    pub fn age(&self, cycle: u64) -> u64 {
        cycle.saturating_sub(self.accepted_in)
    }

    /// Takes over a controller's answer, clamped to the joints' limits; a joint whose command makes no sense keeps its last.
    pub fn accept(&mut self, commands: &Commands, layout: &RobotLayout, cycle: u64) {
        for ((kept, wanted), joint) in self.current.joints.iter_mut().zip(&commands.joints).zip(&layout.joints) {
            let sound = wanted.is_finite() && wanted.stiffness >= 0.0 && wanted.damping >= 0.0;
            if sound {
                *kept = clamp(wanted, &joint.limits);
            }
        }
        self.current.cycle = commands.cycle;
        self.accepted_in = commands.cycle.min(cycle);
    }

    /// Forgets all commands: limp from here on, as if just answered in `cycle`.
    pub fn clear(&mut self, cycle: u64) {
        self.current.joints.fill(JointCommand::default());
        self.accepted_in = cycle;
    }

    /// These joints' commands are forgotten: limp until the next.
    pub fn release(&mut self, joints: &[usize]) {
        joints.iter().for_each(|joint| self.current.joints[*joint] = JointCommand::default());
    }

    /// The commands count as answered in `cycle`.
    pub fn renew(&mut self, cycle: u64) {
        self.accepted_in = cycle;
    }

    /// From here on these joints hold where they are, with the gains of their last commands.
    pub fn freeze(&mut self, joints: &[usize], readings: &Readings) {
        for joint in joints.iter().copied() {
            let (command, position) = (&mut self.current.joints[joint], readings.joints[joint].position);
            *command = JointCommand { position, velocity: 0.0, effort: 0.0, ..*command };
        }
    }
}

fn clamp(wanted: &JointCommand, limits: &JointLimits) -> JointCommand {
    JointCommand {
        position: wanted.position.max(limits.lower).min(limits.upper),
        velocity: wanted.velocity.max(-limits.velocity).min(limits.velocity),
        effort: wanted.effort.max(-limits.effort).min(limits.effort),
        ..*wanted
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_the_limits_is_accepted_and_nonsense_changes_nothing() {
        let layout = RobotLayout::example();
        let (mut accepted, mut commands) = (Accepted::new(&layout), Commands::new(&layout));
        commands.joints[0] = JointCommand { position: 9.0, velocity: -99.0, effort: 1e9, stiffness: 5.0, damping: 1.0 };
        commands.joints[2] = JointCommand::hold(1e6, 1.0, 1.0);
        accepted.accept(&commands, &layout, 0);
        let hip = accepted.current().joints[0];
        assert_eq!((hip.position, hip.velocity, hip.effort), (1.0, -5.0, 40.0));
        assert_eq!(accepted.current().joints[2].position, 1e6, "a wheel turns without end");
        commands.joints[0].position = f64::NAN;
        accepted.accept(&commands, &layout, 1);
        assert_eq!(accepted.current().joints[0], hip);
    }

    #[test]
    fn an_old_answer_is_as_old_as_it_says() {
        let layout = RobotLayout::example();
        let (mut accepted, mut commands) = (Accepted::new(&layout), Commands::new(&layout));
        commands.cycle = 3;
        accepted.accept(&commands, &layout, 7);
        assert_eq!(accepted.age(7), 4);
        commands.cycle = 99;
        accepted.accept(&commands, &layout, 7);
        assert_eq!(accepted.age(8), 1, "an answer from the future is no younger than now");
    }
}
