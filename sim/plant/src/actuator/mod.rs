//! Actuators: one component a file, put together in [`Drive`].

mod armature;
mod backlash;
mod delay;
mod drive;
mod encoder;
mod fault;
mod friction;
mod passive;
mod spring;
mod stability;
mod thermal;
mod torque_speed;

pub(crate) use drive::{Drive, Mechanics, delay_steps, rotor_inertia};
pub(crate) use friction::Bristle;
pub(crate) use passive::{Follower, Passive};
pub(crate) use spring::Spring;
pub(crate) use stability::{is_stable, most_damping};

/// What a joint's motor row in the solver shall do in the next step:
/// `stiffness (target_position − q) + damping (target_velocity − q̇)`, implicit, at most `max_effort`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct MotorRow {
    /// [rad or m]
    pub target_position: f64,
    /// [rad/s or m/s]
    pub target_velocity: f64,
    /// [N·m/rad or N/m]
    pub stiffness: f64,
    /// [N·m·s/rad or N·s/m]
    pub damping: f64,
    /// [N·m or N]
    pub max_effort: f64,
}

impl MotorRow {
    /// A row that does nothing.
    pub const OFF: MotorRow =
        MotorRow { target_position: 0.0, target_velocity: 0.0, stiffness: 0.0, damping: 1.0, max_effort: 0.0 };

    /// No limit that matters, and still a number in single precision [N·m].
    pub const UNLIMITED: f64 = 1e9;
}
