//! The twin that a scenario asks for.

use robot_io::{Period, Time};
use serde::Deserialize;
use toml::Spanned;

use super::file::Reader;
use crate::ScenarioError;

/// A residual must last so long to be told, unless the scenario says otherwise.
const PATIENCE: Period = Period::from_milliseconds(100);

/// A simulation that follows the run's commands, and how far the robot may be from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwinPlan {
    /// Largest difference of a joint's position [rad or m]; `None` for any.
    pub position: Option<f64>,
    /// Largest difference of a joint's velocity [rad/s or m/s]; `None` for any.
    pub velocity: Option<f64>,
    /// Largest difference of a joint's effort [N·m or N]; `None` for any.
    pub effort: Option<f64>,
    /// A larger one is told once it has lasted so long.
    pub patience: Period,
}

/// A plant whose joints are partly on the bus and partly simulated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MixedPlan {
    /// Limbs or joints on the bus; all others are simulated.
    pub bus: Vec<String>,
    /// The line of the table, from 1.
    pub line: usize,
}

impl Default for TwinPlan {
    fn default() -> TwinPlan {
        TwinPlan { position: None, velocity: None, effort: None, patience: PATIENCE }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TwinFile {
    position: Option<f64>,
    velocity: Option<f64>,
    effort: Option<f64>,
    #[serde(rename = "for")]
    patience: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MixedFile {
    bus: Vec<String>,
}

impl Reader<'_> {
    pub(super) fn mixed(&self, mixed: Spanned<MixedFile>) -> Result<MixedPlan, ScenarioError> {
        let offset = mixed.span().start;
        let MixedFile { bus } = mixed.into_inner();
        if bus.is_empty() {
            return Err(self.error(offset, "mixed: bus: expected at least one limb or joint, found none"));
        }
        Ok(MixedPlan { bus, line: self.line(offset) })
    }

    pub(super) fn twin(&self, twin: &Spanned<TwinFile>) -> Result<TwinPlan, ScenarioError> {
        let offset = twin.span().start;
        let TwinFile { position, velocity, effort, patience } = twin.get_ref();
        for (field, value) in [("position", position), ("velocity", velocity), ("effort", effort)] {
            if let Some(found) = value.filter(|value| !(0.0..=1e9).contains(value)) {
                return Err(self.error(offset, format!("twin: {field}: expected 0 to 1e9, found {found}")));
            }
        }
        let time = patience.map(|seconds| self.time(seconds, offset, "twin: for")).transpose()?;
        Ok(TwinPlan {
            position: *position,
            velocity: *velocity,
            effort: *effort,
            patience: time.map_or(PATIENCE, |time| time.since(Time::ZERO)),
        })
    }
}
