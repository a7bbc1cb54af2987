//! Steering with held keys: arrows or WASD to drive, Q and E to turn, Shift for twice the speed.

use bevy::prelude::*;
use bevy_egui::input::EguiWantsInput;
use robot_io::{OperatorInput, Twist};

use crate::Request;
use crate::feed::{Outbox, Phase};

/// Steers the robot.
pub(super) struct TeleopPlugin;

/// Speed of a stick at its stop: forward and sideways [m/s], turning [rad/s].
pub const STICK_SPEED: Twist = Twist { x: 0.4, y: 0.3, yaw: 0.5 };
/// How much faster with Shift [1].
pub const FAST: f64 = 2.0;

/// The keys that steer.
pub(super) const STEERING: [KeyCode; 12] = [
    KeyCode::ArrowUp,
    KeyCode::ArrowDown,
    KeyCode::ArrowLeft,
    KeyCode::ArrowRight,
    KeyCode::KeyW,
    KeyCode::KeyA,
    KeyCode::KeyS,
    KeyCode::KeyD,
    KeyCode::KeyQ,
    KeyCode::KeyE,
    KeyCode::ShiftLeft,
    KeyCode::ShiftRight,
];

/// What is steered now; `None` while nobody does.
#[derive(Resource, Default, Debug)]
pub(crate) struct Steering {
    pub(crate) twist: Option<Twist>,
}

/// The velocity that the held keys ask for; `None` if none of them is held. Opposite keys cancel.
pub fn keyboard_twist(held: impl Fn(KeyCode) -> bool) -> Option<Twist> {
    let any = |keys: &[KeyCode]| keys.iter().any(|&key| held(key));
    let axis = |plus: &[KeyCode], minus: &[KeyCode]| f64::from(i8::from(any(plus)) - i8::from(any(minus)));
    if !any(&STEERING[..10]) {
        return None;
    }
    let fast = if any(&[KeyCode::ShiftLeft, KeyCode::ShiftRight]) { FAST } else { 1.0 };
    let forward = axis(&[KeyCode::ArrowUp, KeyCode::KeyW], &[KeyCode::ArrowDown, KeyCode::KeyS]);
    let left = axis(&[KeyCode::KeyA], &[KeyCode::KeyD]);
    let turn = axis(&[KeyCode::ArrowLeft, KeyCode::KeyQ], &[KeyCode::ArrowRight, KeyCode::KeyE]);
    Some(Twist {
        x: fast * STICK_SPEED.x * forward,
        y: fast * STICK_SPEED.y * left,
        yaw: fast * STICK_SPEED.yaw * turn,
    })
}

impl Plugin for TeleopPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Steering>().add_systems(Update, steer.in_set(Phase::Input));
    }
}

fn steer(
    keys: Res<ButtonInput<KeyCode>>,
    egui: Res<EguiWantsInput>,
    mut held: Local<bool>,
    mut now: ResMut<Steering>,
    outbox: Res<Outbox>,
) {
    let typing = egui.wants_any_keyboard_input();
    let twist = if typing { None } else { keyboard_twist(|key| keys.pressed(key)) };
    if let Some(input) = now.change(twist, &mut held) {
        outbox.send(Request::Operator(input));
    }
}

impl Steering {
    /// What to send when one of the devices asks for `twist`: a change of it. Letting go is a change to `None`, but only
    /// for the device that held the stick, so that keyboard and game pad can be used side by side.
    pub(super) fn change(&mut self, twist: Option<Twist>, held: &mut bool) -> Option<OperatorInput> {
        let concerns = twist.is_some() || *held;
        *held = twist.is_some();
        if !concerns || twist == self.twist {
            return None;
        }
        self.twist = twist;
        Some(OperatorInput { twist, request: None })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn twist(keys: &[KeyCode]) -> Option<Twist> {
        keyboard_twist(|key| keys.contains(&key))
    }

    #[test]
    fn forward_is_x_left_is_y_and_turning_left_is_positive() {
        assert_eq!(twist(&[KeyCode::KeyW]), Some(Twist { x: 0.4, y: 0.0, yaw: 0.0 }));
        assert_eq!(twist(&[KeyCode::ArrowDown]).unwrap().x, -0.4);
        assert_eq!(twist(&[KeyCode::KeyA]).unwrap().y, 0.3);
        assert_eq!(twist(&[KeyCode::KeyE]).unwrap().yaw, -0.5);
        assert_eq!(twist(&[KeyCode::ArrowLeft]).unwrap().yaw, 0.5);
    }

    #[test]
    fn shift_alone_does_not_steer_but_doubles() {
        assert_eq!(twist(&[KeyCode::ShiftLeft]), None);
        assert_eq!(twist(&[KeyCode::ShiftLeft, KeyCode::KeyW]).unwrap().x, 0.8);
    }

    #[test]
    fn opposite_keys_hold_the_robot_still_but_keep_the_stick() {
        let held = twist(&[KeyCode::KeyW, KeyCode::KeyS]).unwrap();
        assert!(held.is_zero());
        assert_eq!(twist(&[]), None);
    }

    #[test]
    fn a_resting_device_does_not_take_the_stick_from_the_other() {
        let mut steering = Steering::default();
        let (mut keyboard, mut pad) = (false, false);
        let ahead = Some(Twist { x: 0.2, y: 0.0, yaw: 0.0 });
        assert_eq!(steering.change(ahead, &mut pad).unwrap().twist, ahead);
        assert_eq!(steering.change(None, &mut keyboard), None, "nobody touches the keyboard");
        assert_eq!(steering.change(ahead, &mut pad), None, "nothing new");
        assert_eq!(steering.change(None, &mut pad).unwrap().twist, None, "letting go is told once");
        assert_eq!(steering.change(None, &mut pad), None);
    }
}
