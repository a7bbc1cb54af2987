//! A statechart beside the mission, as a scenario names it.

use mission::chart::Autonomy;
use serde::Deserialize;
use toml::Spanned;

use super::file::Reader;
use crate::ScenarioError;

/// The priority of a behaviour for the joints that it moves, unless a scenario says otherwise; the mission has 1.
const PRIORITY: u32 = 2;

/// A scenario's table `[behaviour]`.
#[derive(Clone, Debug, PartialEq)]
pub struct BehaviourTable {
    /// The chart's name.
    pub chart: String,
    /// The chart's profile, if one is named.
    pub profile: Option<String>,
    /// What the chart is told; goes before the profile.
    pub inputs: toml::Table,
    /// How much it decides by itself.
    pub autonomy: Autonomy,
    /// Its priority for the joints that it moves.
    pub priority: u32,
    /// The line of the table, from 1.
    pub line: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BehaviourFile {
    chart: String,
    profile: Option<String>,
    #[serde(default)]
    inputs: toml::Table,
    #[serde(default)]
    autonomy: Level,
    priority: Option<u32>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Level {
    Low,
    High,
    #[default]
    Full,
}

impl Reader<'_> {
    pub(super) fn behaviour(&self, table: Spanned<BehaviourFile>) -> Result<BehaviourTable, ScenarioError> {
        let offset = table.span().start;
        let BehaviourFile { chart, profile, inputs, autonomy, priority } = table.into_inner();
        let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        if chart.is_empty() || !is_name(&chart) {
            let expected = "a chart's name, of letters, digits, _ and -: its file without .toml";
            return Err(self.error(offset, format!("behaviour: chart: expected {expected}; found '{chart}'")));
        }
        let autonomy = match autonomy {
            Level::Low => Autonomy::Low,
            Level::High => Autonomy::High,
            Level::Full => Autonomy::Full,
        };
        let (priority, line) = (priority.unwrap_or(PRIORITY), self.line(offset));
        Ok(BehaviourTable { chart, profile, inputs, autonomy, priority, line })
    }
}
