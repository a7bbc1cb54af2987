//! What the person at the desk does with keyboard, mouse and game pad.

#[cfg(feature = "gamepad")]
mod gamepad;
mod keys;
mod pull;
mod teleop;

use bevy::app::{PluginGroup, PluginGroupBuilder};

pub use keys::{Action, KEYS, KeyBinding, Overlay, action_of};
pub use teleop::{FAST, STICK_SPEED, keyboard_twist};

pub(crate) use keys::{KeyHelp, act};
pub(crate) use teleop::Steering;

/// Keyboard, mouse and, if built with it, game pad.
pub(crate) struct InputPlugins;

impl PluginGroup for InputPlugins {
    fn build(self) -> PluginGroupBuilder {
        let group =
            PluginGroupBuilder::start::<Self>().add(keys::KeysPlugin).add(teleop::TeleopPlugin).add(pull::PullPlugin);
        #[cfg(feature = "gamepad")]
        let group = group.add(gamepad::GamepadPlugin);
        group
    }
}
