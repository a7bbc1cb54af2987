//! Going on from the middle of a recorded run with another seed or other settings.

use robot_io::Time;

use super::Recording;
use crate::run_log::RunLog;
use crate::runner::Runner;
use crate::session::Session;
use crate::{ScenarioError, Staffing, Stage};

/// What a fork changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fork {
    /// Where it leaves the recorded run.
    pub at: Time,
    /// Another seed.
    pub seed: Option<u64>,
    /// Other settings, each `table.key=value` with a TOML value.
    pub settings: Vec<String>,
}

impl Fork {
    /// The recorded stage with the fork's changes.
    pub fn stage(&self, recording: &Recording) -> Result<Stage, ScenarioError> {
        let mut case = recording.stage.case.clone();
        case.seed = self.seed.unwrap_or(case.seed);
        for setting in &self.settings {
            set(&mut case.settings, setting)?;
        }
        let bus = recording.stage.bus.as_ref().map(|bus| bus.source.clone());
        let stage = Stage::new(case, recording.stage.world.clone(), recording.stage.robot.clone(), bus)?;
        Ok(Stage { measurements: recording.stage.measurements.clone(), ..stage })
    }
}

/// The runner of a fork: the recorded run is computed again up to the fork, then the changed one takes over its state.
pub fn fork<'s>(
    recording: &Recording,
    stage: &'s Stage,
    at: Time,
    log: Option<RunLog>,
) -> Result<Runner<'s>, ScenarioError> {
    let (_, end) = recording.end()?;
    if at > end {
        return Err(ScenarioError::Usage(format!("--fork-at: expected at most {end}, the end of the log, found {at}")));
    }
    recording.expect_forkable()?;
    let mut recorded = recording.session_at(at)?;
    let mut parts = stage.assemble(Staffing::default())?;
    if let Some(log) = &log {
        parts.log = Some(log.writer());
    }
    let mut session = Session::start(parts)?;
    session.restore(&recorded.snapshot())?;
    Runner::resume(stage, session, log)
}

/// Sets `a.b.key=value` in a table.
fn set(table: &mut toml::Table, setting: &str) -> Result<(), ScenarioError> {
    let wrong = || {
        ScenarioError::Usage(format!(
            "--set: expected table.key=value, for example locomotion.pitch_gain=0.5, found '{setting}'"
        ))
    };
    let (path, value) = setting.split_once('=').ok_or_else(wrong)?;
    let parsed: toml::Table = format!("value = {value}").parse().map_err(|_| wrong())?;
    let value = parsed.get("value").cloned().ok_or_else(wrong)?;
    let (folders, key) = path.rsplit_once('.').ok_or_else(wrong)?;
    let mut place = table;
    for folder in folders.split('.') {
        let entry = place.entry(folder).or_insert_with(|| toml::Value::Table(toml::Table::new()));
        place = entry.as_table_mut().ok_or_else(wrong)?;
    }
    place.insert(key.to_owned(), value);
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_setting_goes_into_its_table_and_keeps_the_others() {
        let mut table: toml::Table = "[locomotion]\nroll_gain = 1.0".parse().unwrap();
        set(&mut table, "locomotion.pitch_gain=0.5").unwrap();
        assert_eq!(table.to_string().trim(), "[locomotion]\npitch_gain = 0.5\nroll_gain = 1.0");
    }

    #[test]
    fn a_setting_without_table_key_or_value_is_refused() {
        for setting in ["pitch_gain=0.5", "locomotion.pitch_gain", "locomotion.x=what?"] {
            assert!(set(&mut toml::Table::new(), setting).is_err(), "{setting}");
        }
    }
}
