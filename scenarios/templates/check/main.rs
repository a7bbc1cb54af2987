//! A chiron with a check of its own: how often the robot was set in motion.

use std::process::ExitCode;

use chiron::{CheckAnswer, CheckRefusal, CheckSetup, Observation, OwnCheck, Registry};
use robot_io::State;
use serde::Deserialize;

/// What stands in a table `[[check]]` beside `kind = "shoves"`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// Slower is rest [m/s].
    speed: f64,
    /// How often it must have been moved.
    least: u64,
}

/// Counts how often the base was set in motion.
#[derive(State)]
pub struct Shoves {
    #[state(fixed)]
    settings: Settings,
    moves: bool,
    counted: u64,
}

impl Shoves {
    pub fn new(setup: &CheckSetup<'_>) -> Result<Shoves, CheckRefusal> {
        // a robot that is being put down moves
        Ok(Shoves { settings: setup.settings()?, moves: true, counted: 0 })
    }
}

impl OwnCheck for Shoves {
    fn name(&self) -> String {
        format!("set in motion at least {} times", self.settings.least)
    }

    fn observe(&mut self, seen: &Observation<'_>) {
        let moves = seen.truth.base_velocity_in_world.norm() > self.settings.speed;
        self.counted += u64::from(moves && !self.moves);
        self.moves = moves;
    }

    fn needs_truth(&self) -> bool {
        true // not measured on a real robot, which is no pass
    }

    fn answer(&self) -> CheckAnswer {
        let (value, limit) = (self.counted as f64, self.settings.least as f64);
        CheckAnswer { passed: value >= limit, value: Some(value), limit: Some(limit), unit: "1" }
    }
}

pub fn checks() -> Registry {
    Registry::standard().with_check("shoves", Shoves::new)
}

fn main() -> ExitCode {
    chiron::main(checks())
}
