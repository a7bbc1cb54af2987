//! A statechart beside the mission, as a scenario names it.

use mission::chart::Autonomy;
use page::{Fault, Fields};

/// The priority of a behaviour for the joints that it moves, unless a scenario says otherwise; the mission has 1.
const PRIORITY: u64 = 2;

/// The levels by their words.
const AUTONOMY: [(&str, Autonomy); 3] = [("low", Autonomy::Low), ("high", Autonomy::High), ("full", Autonomy::Full)];

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

impl BehaviourTable {
    pub(super) fn read(table: &mut Fields<'_>) -> Result<BehaviourTable, Fault> {
        let chart = table.need("chart", "a chart's name")?;
        let behaviour = BehaviourTable {
            chart: chart.text()?.to_owned(),
            profile: table.optional_text("profile")?,
            inputs: table.one("inputs", Fields::rest)?.unwrap_or_default(),
            autonomy: table.word_or("autonomy", &AUTONOMY, Autonomy::Full)?,
            priority: table.whole_or("priority", 0..=u32::MAX.into(), PRIORITY)? as u32,
            line: table.line(),
        };
        if behaviour.chart.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)) {
            return Ok(behaviour);
        }
        let expected = "a chart's name, of letters, digits, _ and -: its file without .toml";
        Err(chart.error(expected, &chart.found()))
    }
}
