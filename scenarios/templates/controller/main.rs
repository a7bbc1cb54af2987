//! A chiron with a controller of its own: it holds the robot as it finds it, and waves.

use std::f64::consts::TAU;
use std::process::ExitCode;

use chiron::{ControllerError, ControllerSetup, Registry};
use robot_io::{Commands, Controller, Event, Events, JointCommand, Readings, Severity, State, Time, math};
use serde::Deserialize;

/// The scenario's table `[controller.settings]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// The joint that waves.
    joint: String,
    /// How far to each side [rad].
    swing: f64,
    /// How often.
    times: u32,
}

/// Holds all joints, and waves with one: a swing to both sides takes two seconds.
#[derive(State)]
pub struct Wave {
    #[state(fixed)]
    settings: Settings,
    #[state(fixed)]
    joint: usize,
    #[state(fixed)]
    gains: Vec<(f64, f64)>,
    /// Where each joint was found [rad].
    #[state(elements)]
    found: Vec<f64>,
    begun: Time,
    waved: u32,
    #[state(output)]
    events: Events,
}

impl Wave {
    pub fn new(setup: &ControllerSetup<'_>) -> Result<Wave, ControllerError> {
        let settings: Settings = setup.settings()?;
        let (joint, gains) = (setup.joint(&settings.joint)?, setup.gains());
        let found = vec![0.0; gains.len()];
        Ok(Wave { settings, joint, gains, found, begun: Time::ZERO, waved: 0, events: Events::new() })
    }
}

impl Controller for Wave {
    fn reset(&mut self, readings: &Readings) {
        (self.begun, self.waved) = (readings.time, 0);
        self.found.iter_mut().zip(&readings.joints).for_each(|(found, joint)| *found = joint.position);
    }

    fn update(&mut self, readings: &Readings, commands: &mut Commands) {
        commands.answer(readings);
        for ((command, found), (stiffness, damping)) in commands.joints.iter_mut().zip(&self.found).zip(&self.gains) {
            *command = JointCommand::hold(*found, *stiffness, *damping);
        }
        if self.is_done() {
            return;
        }
        let swings = readings.time.since(self.begun).seconds() / 2.0;
        commands.joints[self.joint].position += self.settings.swing * math::sin(TAU * swings);
        if swings >= f64::from(self.waved + 1) {
            self.waved += 1;
            self.events.push(Event::note(readings.time, Severity::Info, "wave", "waved"));
        }
    }

    fn drain_events(&mut self, events: &mut Events) {
        events.append(&mut self.events);
    }

    fn is_done(&self) -> bool {
        self.waved >= self.settings.times
    }
}

pub fn controllers() -> Registry {
    Registry::standard().with("wave", Wave::new)
}

fn main() -> ExitCode {
    chiron::main(controllers())
}
