//! Everything that a run remembers, to go on from later.

use std::path::Path;

use robot_io::{Commands, Digest, Readings, StateReader, StateWriter, Time};
use serde::{Deserialize, Serialize};

use super::{Pilot, SavedTask, Session};
use crate::ScenarioError;

/// The complete state of a session between two cycles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The cycle that comes next.
    pub next_cycle: u64,
    /// The time of the cycle before it.
    pub time: Time,
    plant: Vec<u8>,
    robot: Vec<u8>,
    mission: Vec<u8>,
    tasks: Vec<SavedTask>,
    readings: Readings,
    commands: Commands,
    distance: f64,
    chain: Digest,
}

impl Snapshot {
    /// The snapshot as bytes, for a log.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ScenarioError> {
        postcard::to_allocvec(self).map_err(|error| ScenarioError::Usage(format!("snapshot: cannot be saved: {error}")))
    }

    /// The snapshot that a log holds; `log` is for the error.
    pub fn from_bytes(bytes: &[u8], log: &Path) -> Result<Snapshot, ScenarioError> {
        let foreign = |error| ScenarioError::File {
            path: log.to_owned(),
            message: format!("expected a snapshot of this version of chiron, found other bytes: {error}"),
        };
        postcard::from_bytes(bytes).map_err(foreign)
    }
}

impl Snapshot {
    /// Puts a controller and its slow work where they were, for a replay without the rest.
    pub fn restore_controller(&self, pilot: &mut Pilot) -> Result<(), ScenarioError> {
        StateReader::restore(&mut pilot.mission, &self.mission)?;
        pilot.board.restore(self.next_cycle, &self.tasks);
        Ok(())
    }
}

impl Session {
    /// Everything that the session remembers; waits for deadline tasks under way.
    pub fn snapshot(&mut self) -> Snapshot {
        let plant = self.truth.snapshot();
        Snapshot {
            next_cycle: self.next_cycle,
            time: self.readings.time,
            plant,
            robot: StateWriter::save(&mut self.robot),
            mission: StateWriter::save(&mut self.pilot.mission),
            tasks: self.pilot.board.save(),
            readings: self.readings.clone(),
            commands: self.commands.clone(),
            distance: self.truth.distance(),
            chain: self.chain,
        }
    }

    /// Goes back, or forward, to where a snapshot was taken.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), ScenarioError> {
        if !self.robot.plant().can_restore() {
            let message =
                "a run over a bus cannot be restored: what boards remember is theirs; compute it from the beginning";
            return Err(ScenarioError::Usage(message.to_owned()));
        }
        self.truth.restore(&snapshot.plant, snapshot.distance)?;
        StateReader::restore(&mut self.robot, &snapshot.robot)?;
        StateReader::restore(&mut self.pilot.mission, &snapshot.mission)?;
        self.pilot.board.restore(snapshot.next_cycle, &snapshot.tasks);
        self.next_cycle = snapshot.next_cycle;
        self.readings.copy_from(&snapshot.readings);
        self.commands.copy_from(&snapshot.commands);
        self.chain = snapshot.chain;
        self.pilot.trouble.restore();
        Ok(())
    }
}
