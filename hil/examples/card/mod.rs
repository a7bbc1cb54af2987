//! What the examples on a network card share: words on the command line, a bus with the robot it belongs to.
#![allow(dead_code, reason = "each example uses its part")]

use std::error::Error;
use std::path::Path;

use hil::bus_file::BusPlan;
use hil::realtime::RealtimeSetup;
use robot_io::{Period, RobotLayout};
use robot_model::RobotModel;

/// Whatever went wrong, for the terminal.
pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// The words after the program's name: some by place, some as `--name value`.
pub struct Words(Vec<String>);

impl Words {
    pub fn of_program() -> Words {
        Words(std::env::args().skip(1).collect())
    }

    /// The value behind `--name`, taken out.
    pub fn option(&mut self, name: &str) -> Outcome<Option<u64>> {
        let Some(at) = self.0.iter().position(|word| word == name) else { return Ok(None) };
        let value = self.0.get(at + 1).ok_or_else(|| format!("{name}: expected a number behind it"))?;
        let number = value.parse().map_err(|_| format!("{name}: expected a number, found '{value}'"))?;
        self.0.drain(at..at + 2);
        Ok(Some(number))
    }

    /// True if `--name` is there; taken out.
    pub fn flag(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|word| word != name);
        self.0.len() < before
    }

    /// What is left: exactly `N` words.
    pub fn rest<const N: usize>(self, usage: &str) -> Outcome<[String; N]> {
        self.0.try_into().map_err(|found| format!("{usage}\nfound {found:?}").into())
    }
}

/// A bus file and the robot beside it, `DIRECTORY/DIRECTORY.toml`; with `period_us` the cycle is that instead of the robot's.
pub fn load(bus: &str, period_us: Option<u64>) -> Outcome<(BusPlan, RobotLayout)> {
    let bus = Path::new(bus).canonicalize().map_err(|error| format!("{bus}: {error}"))?;
    let directory = bus.parent().ok_or("the bus file has no directory")?;
    let name = directory.file_name().ok_or("the bus file's directory has no name")?;
    let mut layout = RobotModel::load(&directory.join(name).with_extension("toml"))?.layout();
    if let Some(period) = period_us {
        layout.period = Period::from_microseconds(period);
    }
    Ok((BusPlan::load(&bus, &layout)?, layout))
}

/// What a thread asks of the system: nothing without a priority.
pub fn setup(core: Option<u64>, priority: Option<u64>) -> RealtimeSetup {
    RealtimeSetup {
        core: core.map(|core| core as usize),
        priority: priority.map(|priority| priority as u8),
        lock_memory: priority.is_some(),
        prefault_stack: priority.is_some(),
        timer_slack: Some(1),
    }
}
