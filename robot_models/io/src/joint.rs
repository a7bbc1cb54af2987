//! What a joint reports and what it is told.

use core::fmt;

use serde::{Deserialize, Serialize};

use crate::{State, StateVisitor, Time};

/// What one joint's board reports: measured, never an echo of the command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JointState {
    /// When it was measured; a stamp that stops advancing is how a silent board shows.
    pub stamp: Time,
    /// Position [rad], [m] for prismatic joints.
    pub position: f64,
    /// Velocity [rad/s] or [m/s].
    pub velocity: f64,
    /// Effort that the motor gives, seen behind the gear and before its friction, as a drive measures it by its current
    /// [N·m] or [N]; of a series-elastic joint whose encoder is on the link the spring's, which is what the link feels.
    pub effort: f64,
    /// Winding temperature [°C].
    pub temperature: f64,
    /// What the drive says of itself.
    pub status: JointStatus,
}

impl State for JointState {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("stamp", &mut self.stamp);
        visitor.field("position", &mut self.position);
        visitor.field("velocity", &mut self.velocity);
        visitor.field("effort", &mut self.effort);
        visitor.field("temperature", &mut self.temperature);
        visitor.field("status", &mut self.status.0);
    }
}

/// A drive's status as flags.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct JointStatus(pub u16);

impl JointStatus {
    /// The drive is switched on and follows commands.
    pub const ENABLED: JointStatus = JointStatus(1);
    /// A fault is latched; the drive produces no torque until it is reset.
    pub const FAULT: JointStatus = JointStatus(1 << 1);
    /// The winding is hot and the torque limit is reduced.
    pub const DERATED: JointStatus = JointStatus(1 << 2);
    /// The command asks for more torque than the drive can give at this speed.
    pub const SATURATED: JointStatus = JointStatus(1 << 3);
    /// The robot runs without this joint: nobody drives or measures it, and its other readings mean nothing.
    pub const ABSENT: JointStatus = JointStatus(1 << 4);

    const NAMES: [(JointStatus, &'static str); 5] = [
        (JointStatus::ENABLED, "enabled"),
        (JointStatus::FAULT, "fault"),
        (JointStatus::DERATED, "derated"),
        (JointStatus::SATURATED, "saturated"),
        (JointStatus::ABSENT, "absent"),
    ];

    /// True if all flags of `other` are set.
    pub const fn contains(self, other: JointStatus) -> bool {
        self.0 & other.0 == other.0
    }

    /// The same status with the flags of `other` set or cleared.
    #[must_use]
    pub const fn with(self, other: JointStatus, set: bool) -> JointStatus {
        JointStatus(if set { self.0 | other.0 } else { self.0 & !other.0 })
    }
}

impl fmt::Display for JointStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (_, name) in Self::NAMES.iter().filter(|(flag, _)| self.contains(*flag)) {
            write!(f, "{separator}{name}")?;
            separator = "+";
        }
        if separator.is_empty() { f.write_str("off") } else { Ok(()) }
    }
}

impl fmt::Debug for JointStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JointStatus({self})")
    }
}

/// What one joint shall do: `effort + stiffness·(position − q) + damping·(velocity − q̇)`.
///
/// Position, velocity and torque control are the special cases that the constructors make. The default is limp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, State)]
pub struct JointCommand {
    /// Position set-point [rad] or [m].
    pub position: f64,
    /// Velocity set-point [rad/s] or [m/s].
    pub velocity: f64,
    /// Feed-forward effort [N·m] or [N].
    pub effort: f64,
    /// Stiffness [N·m/rad] or [N/m].
    pub stiffness: f64,
    /// Damping [N·m·s/rad] or [N·s/m].
    pub damping: f64,
}

impl JointCommand {
    /// Hold `position` [rad] with a spring of `stiffness` [N·m/rad] and `damping` [N·m·s/rad].
    pub const fn hold(position: f64, stiffness: f64, damping: f64) -> JointCommand {
        JointCommand { position, velocity: 0.0, effort: 0.0, stiffness, damping }
    }

    /// Turn at `velocity` [rad/s] with a velocity gain of `damping` [N·m·s/rad].
    pub const fn turn(velocity: f64, damping: f64) -> JointCommand {
        JointCommand { position: 0.0, velocity, effort: 0.0, stiffness: 0.0, damping }
    }

    /// The effort [N·m] that it asks for at position `q` [rad] and velocity `q_dot` [rad/s].
    #[inline]
    pub fn effort_at(&self, q: f64, q_dot: f64) -> f64 {
        self.effort + self.stiffness * (self.position - q) + self.damping * (self.velocity - q_dot)
    }

    /// True if every number in it is finite.
    #[inline]
    pub fn is_finite(&self) -> bool {
        let Self { position, velocity, effort, stiffness, damping } = self;
        [position, velocity, effort, stiffness, damping].iter().all(|x| x.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_classic_modes_are_special_cases() {
        assert_eq!(JointCommand::hold(1.0, 10.0, 2.0).effort_at(0.5, 0.25), 5.0 - 0.5);
        assert_eq!(JointCommand::turn(3.0, 2.0).effort_at(99.0, 1.0), 4.0);
        let torque = JointCommand { effort: 7.0, ..JointCommand::default() };
        assert_eq!(torque.effort_at(99.0, 99.0), 7.0);
    }

    #[test]
    fn a_status_prints_its_flags() {
        let status = JointStatus::ENABLED.with(JointStatus::DERATED, true);
        assert_eq!(status.to_string(), "enabled+derated");
        assert_eq!(status.with(JointStatus::ENABLED, false).to_string(), "derated");
        assert_eq!(JointStatus::default().to_string(), "off");
    }
}
