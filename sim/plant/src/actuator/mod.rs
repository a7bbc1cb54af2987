//! Actuators: one component a file, put together in [`Drive`].

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

pub(crate) use drive::{Drive, Load, timing};
pub(crate) use friction::Bristle;
pub(crate) use passive::Passive;
pub(crate) use stability::{Timing, is_stable, most_damping};
