//! Going on from the middle of a recorded run with another seed or other settings.

use mission::MissionSettings;
use robot_io::Time;

use super::Recording;
use crate::case::settings::set;
use crate::run_log::RunLog;
use crate::runner::Runner;
use crate::{ScenarioError, Staffing, Stage};

/// What a fork changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fork {
    /// Where it leaves the recorded run.
    pub at: Time,
    /// Another seed.
    pub seed: Option<u64>,
    /// Other settings, each `key=value` or `table.key=value` with a TOML value.
    pub settings: Vec<String>,
}

impl Fork {
    /// The recorded stage with the fork's changes.
    pub fn stage(&self, recording: &Recording) -> Result<Stage, ScenarioError> {
        let mut case = recording.stage.case.clone();
        case.seed = self.seed.unwrap_or(case.seed);
        let usual = MissionSettings::for_robot(&recording.stage.robot);
        for setting in &self.settings {
            set(&mut case.settings, &usual, setting).map_err(ScenarioError::Usage)?;
        }
        let bus = recording.stage.bus.as_ref().map(|bus| bus.as_source());
        let stage = Stage::new(
            case,
            recording.stage.world.clone(),
            recording.stage.robot.clone(),
            bus,
            &recording.stage.registry,
        )?;
        let Stage { measurements, charts, motions, objects, others, .. } = recording.stage.clone();
        let stage = stage.beside(others.iter().map(|other| (*other.robot).clone()).collect())?;
        Ok(Stage { measurements, charts, motions, objects, ..stage })
    }
}

/// The runner of a fork: the recorded run is computed again up to the fork, then the changed one takes over its state and
/// what the checks had seen. `log` opens the fork's own log, once everything else stands.
pub fn fork(
    recording: &Recording,
    stage: &Stage,
    at: Time,
    log: impl FnOnce() -> Result<Option<RunLog>, ScenarioError>,
) -> Result<Runner, ScenarioError> {
    recording.expect_forkable()?;
    let (_, end) = recording.end()?;
    let begin = recording.begin()?;
    if !(begin..=end).contains(&at) {
        return Err(ScenarioError::Usage(format!(
            "--fork-at: expected {begin} to {end}, the beginning and the end of the log, found {at}"
        )));
    }
    let mut recorded = recording.runner_at(at)?;
    let snapshot = recorded.session().snapshot();
    let snapshot = snapshot.with_tally(recorded.tally().save());
    let mut forked = Runner::open(stage, Staffing::default(), log)?;
    forked.resume_from(&snapshot)?;
    Ok(forked)
}
