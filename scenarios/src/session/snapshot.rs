//! Everything that a run remembers, to go on from later.

use std::path::Path;

use robot_io::{Commands, Digest, Readings, StateReader, StateWriter, Time};
use serde::{Deserialize, Serialize};

use super::{Cyclic, Pilot, SavedTask, Session};
use crate::ScenarioError;
use crate::evaluation::Evaluation;

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
    /// Everything that the session remembers; waits for deadline tasks under way. Where it
    /// [cannot be restored](Session::can_restore) it is of no use.
    pub fn snapshot(&mut self) -> Snapshot {
        let plant = self.truth.snapshot();
        let saved = self.engine.cyclic().map(|cyclic| {
            let Cyclic { robot, pilot, .. } = cyclic;
            (StateWriter::save(robot), StateWriter::save(&mut pilot.mission), pilot.board.save())
        });
        let (robot, mission, tasks) = saved.unwrap_or_default();
        Snapshot {
            next_cycle: self.next_cycle,
            time: self.record.readings.time,
            plant,
            robot,
            mission,
            tasks,
            readings: self.record.readings.clone(),
            commands: self.record.commands.clone(),
            distance: self.truth.distance(),
            chain: self.chain,
        }
    }

    /// Goes back, or forward, to where a snapshot was taken.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), ScenarioError> {
        let Some(cyclic) = self.engine.cyclic().filter(|_| self.restorable) else {
            let message =
                "a run over a bus cannot be restored: what boards remember is theirs; compute it from the beginning";
            return Err(ScenarioError::Usage(message.to_owned()));
        };
        self.truth.restore(&snapshot.plant, snapshot.distance)?;
        StateReader::restore(&mut cyclic.robot, &snapshot.robot)?;
        StateReader::restore(&mut cyclic.pilot.mission, &snapshot.mission)?;
        cyclic.pilot.board.restore(snapshot.next_cycle, &snapshot.tasks);
        cyclic.pilot.trouble.restore();
        self.next_cycle = snapshot.next_cycle;
        self.record.readings.copy_from(&snapshot.readings);
        self.record.commands.copy_from(&snapshot.commands);
        self.chain = snapshot.chain;
        // what was judged on the way here belongs to another run
        self.evaluation = Evaluation::default();
        Ok(())
    }
}
