//! Steering with a game pad: left stick drives, right stick turns, B stops, Start clears the stop.

use bevy::prelude::*;
use gilrs::{Axis, Button, EventType, Gilrs};
use robot_io::{OperatorInput, OperatorRequest, Twist};

use super::teleop::{FAST, STICK_SPEED, Steering};
use crate::Request;
use crate::feed::{Outbox, Phase};

/// Steers the robot with a game pad.
pub(super) struct GamepadPlugin;

/// Sticks rest within this part of their way [1].
const DEAD_ZONE: f64 = 0.12;

impl Plugin for GamepadPlugin {
    fn build(&self, app: &mut App) {
        match Gilrs::new() {
            Ok(pads) => {
                app.insert_non_send(pads).add_systems(Update, steer.in_set(Phase::Input));
            }
            Err(error) => warn!("no game pads: {error}"),
        }
    }
}

fn steer(mut pads: NonSendMut<Gilrs>, mut held: Local<bool>, mut now: ResMut<Steering>, outbox: Res<Outbox>) {
    while let Some(event) = pads.next_event() {
        let request = match event.event {
            EventType::ButtonPressed(Button::East, _) => OperatorRequest::EmergencyStop,
            EventType::ButtonPressed(Button::Start, _) => OperatorRequest::ClearEmergencyStop,
            _ => continue,
        };
        outbox.send(Request::Operator(OperatorInput { twist: None, request: Some(request) }));
    }
    let Some((_, pad)) = pads.gamepads().next() else { return };
    let stick = |axis: Axis| beyond_dead_zone(f64::from(pad.value(axis)));
    let fast = if pad.is_pressed(Button::RightTrigger) { FAST } else { 1.0 };
    let twist = Twist {
        x: fast * STICK_SPEED.x * stick(Axis::LeftStickY),
        y: -fast * STICK_SPEED.y * stick(Axis::LeftStickX),
        yaw: -fast * STICK_SPEED.yaw * stick(Axis::RightStickX),
    };
    let twist = (!twist.is_zero()).then_some(twist);
    if let Some(input) = now.change(twist, &mut held) {
        outbox.send(Request::Operator(input));
    }
}

/// 0 within the dead zone, from there on in proportion to 1 at the stop.
fn beyond_dead_zone(value: f64) -> f64 {
    value.signum() * ((value.abs() - DEAD_ZONE) / (1.0 - DEAD_ZONE)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resting_stick_is_zero_and_a_full_one_is_one() {
        assert_eq!(beyond_dead_zone(0.05), 0.0);
        assert_eq!(beyond_dead_zone(1.0), 1.0);
        assert_eq!(beyond_dead_zone(-1.0), -1.0);
        assert!(beyond_dead_zone(0.2) < 0.1);
    }
}
