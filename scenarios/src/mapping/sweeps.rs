//! The sweeps of a recorded run: odometry and assembly computed again from the sensors' own readings.

use estimation::OdometryEstimator;
use replay::Cycles;
use robot_io::Odometry;
use slam::{Sweep, SweepAssembler};

use super::Method;
use crate::recording::Recording;
use crate::{ScenarioError, Stage};

/// Goes through a log and assembles its sweeps.
#[derive(Debug)]
pub struct LoggedSweeps {
    cycles: Cycles,
    estimator: OdometryEstimator,
    assembler: SweepAssembler,
    begun: bool,
}

impl LoggedSweeps {
    /// The sweeps of a log whose robot has a laser scanner.
    pub fn new(recording: &Recording) -> Result<LoggedSweeps, ScenarioError> {
        let Stage { settings, .. } = &recording.stage;
        let layout = recording.log.layout();
        let told = recording.stage.told(layout)?;
        let usage = |error: &dyn std::fmt::Display| Method::unusable(recording.log.path(), error);
        let estimator = OdometryEstimator::with_settings(&told.robot, layout, settings.odometry);
        let assembler = SweepAssembler::new(&told.robot, layout, told.mapping(&settings.slam).assembly);
        Ok(LoggedSweeps {
            cycles: recording.log.cycles(),
            estimator: estimator.map_err(|error| usage(&error))?,
            assembler: assembler.map_err(|error| usage(&error))?,
            begun: false,
        })
    }

    /// The next sweep; `None` at the end of the log.
    pub fn next_sweep(&mut self) -> Result<Option<Sweep>, ScenarioError> {
        while let Some(cycle) = self.cycles.next_cycle()? {
            let readings = &cycle.readings;
            if !self.begun {
                self.estimator.reset(readings);
                self.begun = true;
            }
            let odometry: &Odometry = self.estimator.update(readings);
            if let Some(turn) = self.assembler.update(readings, odometry) {
                return Ok(Some(turn.sweep()));
            }
        }
        Ok(None)
    }
}
