//! A check of somebody else's.

use std::fmt;

use robot_io::{Event, IoError, RobotLayout, State, StateReader, StateWriter};
use robot_model::RobotModel;
use serde::de::DeserializeOwned;
use thiserror::Error;

use super::{Observation, Verdict};

/// A question to a run. A log keeps what it has seen (its `State`), so that a fork goes on from there.
pub trait OwnCheck: State + Send {
    /// What it asks, in a line.
    fn name(&self) -> String;

    /// Takes note of a cycle.
    fn observe(&mut self, seen: &Observation<'_>);

    /// Takes note of an event.
    fn observe_event(&mut self, _event: &Event, _layout: &RobotLayout) {}

    /// True if only the truth can answer it: where nobody knows that, it is not measured, and that is no pass.
    fn needs_truth(&self) -> bool {
        false
    }

    /// What has come of it so far.
    fn answer(&self) -> CheckAnswer;
}

/// What has come of a check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CheckAnswer {
    /// True if it holds.
    pub passed: bool,
    /// What was found, if that is a number.
    pub value: Option<f64>,
    /// What it had to keep to.
    pub limit: Option<f64>,
    /// The unit of both; `1` for none.
    pub unit: &'static str,
}

/// All that a check may know before the first cycle.
#[derive(Debug)]
pub struct CheckSetup<'a> {
    /// The robot.
    pub robot: &'a RobotModel,
    /// Its joints and sensors, and the control cycle.
    pub layout: &'a RobotLayout,
    /// The check's table in the scenario, without `kind`.
    pub settings: &'a toml::Table,
}

/// Why there can be no such check. The message is shown with the scenario's file and line.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct CheckRefusal(pub String);

impl CheckSetup<'_> {
    /// The check's table as a type of its own.
    pub fn settings<T: DeserializeOwned>(&self) -> Result<T, CheckRefusal> {
        let settings = toml::Value::Table(self.settings.clone()).try_into();
        settings.map_err(|error: toml::de::Error| CheckRefusal(error.message().replace('\n', ", ")))
    }

    /// The index of a joint in readings and commands.
    pub fn joint(&self, name: &str) -> Result<usize, CheckRefusal> {
        let unknown = || CheckRefusal(format!("{} has no joint named '{name}'", self.robot.name));
        self.layout.joint(name).ok_or_else(unknown)
    }
}

/// A check of somebody else's, as a tally holds it.
pub(crate) struct Own(pub Box<dyn OwnCheck>);

impl Own {
    pub fn save(&mut self) -> Vec<u8> {
        StateWriter::save(self.0.as_mut())
    }

    pub fn restore(&mut self, saved: &[u8]) -> Result<(), IoError> {
        StateReader::restore(self.0.as_mut(), saved)
    }

    pub fn verdict(&self) -> Verdict {
        let CheckAnswer { passed, value, limit, unit } = self.0.answer();
        let value = value.filter(|value| value.is_finite());
        Verdict { name: self.0.name(), value, limit, unit, passed, remark: "" }
    }
}

impl fmt::Debug for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Own({})", self.0.name())
    }
}
