//! A chiron with components of its own beside the mission: one gives orders, one waves with an arm, and the robot drives on.

use std::f64::consts::TAU;
use std::process::ExitCode;

use chiron::runtime::{Builder, Component, Cycle, Declaration, Events, Lease, Reads, Runtime, Whole, Writes};
use chiron::{ControllerError, ControllerSetup, Registry};
use robot_io::{JointCommand, Period, State, Time, math};
use serde::Deserialize;

/// A wave takes so long [s].
const PERIOD: f64 = 2.0;

/// The scenario's table `[controller.settings]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// When somebody is greeted [s].
    at: Vec<f64>,
    /// The joint that waves, of the left arm.
    joint: String,
    /// How far [rad].
    swing: f64,
}

/// What the components tell each other: wave so far.
#[derive(Clone, Debug, Default, State)]
struct Greeting {
    swing: f64,
}

/// Looks out for somebody to greet; here it has them from the scenario.
#[derive(State)]
struct Lookout {
    #[state(fixed)]
    at: Vec<f64>,
    #[state(fixed)]
    swing: f64,
    greeted: usize,
    #[state(fixed)]
    greetings: Option<Writes<Events<Greeting>>>,
}

impl Component for Lookout {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        wants.every(Period::from_milliseconds(40));
        self.greetings = Some(wants.writes_events("greeting"));
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        let Some(greetings) = self.greetings else { return };
        if self.at.get(self.greeted).is_some_and(|at| cycle.now().seconds() >= *at) {
            self.greeted += 1;
            cycle.send(greetings, Greeting { swing: self.swing });
        }
    }

    fn is_done(&self) -> Option<bool> {
        Some(self.greeted == self.at.len())
    }
}

/// Has the left arm while it waves with it, and only then.
#[derive(State)]
struct Waver {
    #[state(fixed)]
    joint: usize,
    /// Stiffness and damping.
    #[state(fixed)]
    gains: (f64, f64),
    /// What it is at, where the joint was when it began [rad], and when that was.
    at: Option<Greeting>,
    found: f64,
    begun: Time,
    #[state(fixed)]
    greetings: Option<Reads<Events<Greeting>>>,
    #[state(fixed)]
    arm: Option<Lease>,
}

impl Component for Waver {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        self.greetings = Some(wants.reads_events("greeting"));
        self.arm = Some(wants.lease("left_arm", 2)); // a limb or a [[group]] of the robot's file, and a priority
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        let (Some(greetings), Some(arm)) = (self.greetings, self.arm) else { return };
        if let Some(greeting) = cycle.events(greetings).last().cloned() {
            (self.at, self.begun) = (Some(greeting), cycle.now());
            self.found = cycle.readings.joints[self.joint].position;
        }
        let Some(Greeting { swing }) = self.at else { return };
        let elapsed = cycle.now().since(self.begun).seconds();
        if elapsed >= PERIOD {
            self.at = None;
            return cycle.let_go(arm);
        }
        // somebody of higher priority may have it
        if cycle.ask(arm)
            && let Some(joint) = cycle.joint(self.joint)
        {
            let way = 0.5 * swing * (1.0 - math::cos(TAU * elapsed / PERIOD));
            *joint = JointCommand::hold(self.found + way, self.gains.0, self.gains.1);
        }
    }

    fn is_done(&self) -> Option<bool> {
        Some(self.at.is_none())
    }
}

fn shared(setup: &ControllerSetup<'_>) -> Result<Builder, ControllerError> {
    let Settings { at, joint, swing } = setup.settings()?;
    let joint = setup.joint(&joint)?;
    let gains = setup.gains()[joint];
    let (at_rest, begun) = (None, Time::ZERO);
    Ok(Runtime::builder()
        .with("mission", Whole::new(setup.mission()?, 1))
        .with("lookout", Lookout { at, swing, greeted: 0, greetings: None })
        .with("waver", Waver { joint, gains, at: at_rest, found: 0.0, begun, greetings: None, arm: None }))
}

pub fn components() -> Registry {
    Registry::standard().with_components("wave", shared)
}

fn main() -> ExitCode {
    chiron::main(components())
}
