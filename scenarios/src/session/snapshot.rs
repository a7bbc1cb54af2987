//! Everything that a run remembers, to go on from later.

use std::path::Path;

use replay::LoggedSnapshot;
use robot_io::{Commands, Digest, Keeper, Pool, Readings, Saved, Time};
use serde::{Deserialize, Serialize};

use super::other::SavedOther;
use super::{Cyclic, Pilot, SavedTask, Session};
use crate::ScenarioError;
use crate::checks::SavedTally;
use crate::evaluation::Evaluation;

/// The complete state of a session between two cycles. Maps and other sealed values are in its pool, which it shares with
/// the snapshots before and after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The cycle that comes next.
    pub next_cycle: u64,
    /// The time of the cycle before it.
    pub time: Time,
    plant: Vec<u8>,
    robot: Saved,
    controller: Saved,
    tasks: Vec<SavedTask>,
    readings: Saved,
    commands: Commands,
    distance: f64,
    chain: Digest,
    evaluation: Evaluation,
    /// The robots beside the first; behind the rest, so that a log of one robot is what it was before there could be others.
    #[serde(skip)]
    others: Vec<SavedOther>,
    /// What checks and metrics had seen, in a log.
    tally: Option<SavedTally>,
    /// Travels beside the rest.
    #[serde(skip)]
    pool: Pool,
}

impl Snapshot {
    /// The snapshot as bytes without its pool, for a log.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ScenarioError> {
        let unsaved = |error| ScenarioError::Usage(format!("snapshot: cannot be saved: {error}"));
        let bytes = postcard::to_allocvec(self).map_err(unsaved)?;
        match self.others.is_empty() {
            true => Ok(bytes),
            false => postcard::to_extend(&self.others, bytes).map_err(unsaved),
        }
    }

    /// The same with what checks and metrics have seen.
    #[must_use]
    pub fn with_tally(self, tally: SavedTally) -> Snapshot {
        Snapshot { tally: Some(tally), ..self }
    }

    /// What checks and metrics had seen, if it is from a log.
    pub fn tally(&self) -> Option<&SavedTally> {
        self.tally.as_ref()
    }

    /// The contents of the sealed values to which it refers.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The snapshot that a log holds; `log` is for the error.
    pub fn from_log(logged: LoggedSnapshot, log: &Path) -> Result<Snapshot, ScenarioError> {
        let foreign = |error| ScenarioError::File {
            path: log.to_owned(),
            message: format!("expected a snapshot of this version of chiron, found other bytes: {error}"),
        };
        let (snapshot, rest): (Snapshot, _) = postcard::take_from_bytes(&logged.state).map_err(foreign)?;
        let others = if rest.is_empty() { Vec::new() } else { postcard::from_bytes(rest).map_err(foreign)? };
        Ok(Snapshot { pool: logged.pool, others, ..snapshot })
    }

    /// A controller with its slow work, without the rest.
    pub fn of_controller(pilot: &mut Pilot, next_cycle: u64, readings: &mut Readings, commands: &Commands) -> Snapshot {
        let time = readings.time;
        let nothing = Pool::default();
        let mut keeper = Keeper::new(&nothing);
        let (controller, tasks) = (keeper.save(&mut pilot.controller), pilot.board.save(&mut keeper));
        let readings = keeper.save(readings);
        Snapshot {
            next_cycle,
            time,
            plant: Vec::new(),
            robot: Saved::default(),
            controller,
            tasks,
            readings,
            commands: commands.clone(),
            distance: 0.0,
            chain: Digest::default(),
            evaluation: Evaluation::default(),
            others: Vec::new(),
            tally: None,
            pool: keeper.finish(),
        }
    }

    /// Puts a controller and its slow work where they were, for a replay without the rest.
    pub fn restore_controller(&self, pilot: &mut Pilot) -> Result<(), ScenarioError> {
        self.pool.restore(&mut pilot.controller, &self.controller).map_err(|error| {
            ScenarioError::Usage(format!(
                "the controller cannot go on from a saved state: {error}. It remembers other things than the one that made the log, \
                 as another version of it does; compute the run again from its beginning"
            ))
        })?;
        pilot.board.restore(self.next_cycle, &self.tasks, &self.pool);
        Ok(())
    }
}

impl Session {
    /// Everything that the session remembers; waits for deadline tasks under way. Where it
    /// [cannot be restored](Session::can_restore) it is of no use.
    pub fn snapshot(&mut self) -> Snapshot {
        let plant = self.truth.snapshot();
        let known = std::mem::take(&mut self.kept);
        let mut keeper = Keeper::new(&known);
        let saved = self.engine.cyclic().map(|cyclic| {
            let Cyclic { robot, pilot, .. } = cyclic;
            (keeper.save(robot), keeper.save(&mut pilot.controller), pilot.board.save(&mut keeper))
        });
        let (robot, controller, tasks) = saved.unwrap_or_default();
        let readings = keeper.save(&mut self.record.readings);
        let others = self.others.iter_mut().map(|other| other.save(&mut keeper)).collect();
        self.kept = keeper.finish();
        Snapshot {
            next_cycle: self.next_cycle,
            time: self.record.readings.time,
            plant,
            robot,
            controller,
            tasks,
            readings,
            commands: self.record.commands.clone(),
            distance: self.truth.distance_by_now(),
            chain: self.chain,
            evaluation: self.evaluation.clone(),
            others,
            tally: None,
            pool: self.kept.clone(),
        }
    }

    /// Goes back, or forward, to where a snapshot was taken.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), ScenarioError> {
        let Some(cyclic) = self.engine.cyclic().filter(|_| self.restorable) else {
            let message = "a run over a bus cannot be restored: what its boards remember is not saved; compute it from the \
                 beginning";
            return Err(ScenarioError::Usage(message.to_owned()));
        };
        self.truth.restore(&snapshot.plant, snapshot.distance)?;
        snapshot.pool.restore(&mut cyclic.robot, &snapshot.robot)?;
        snapshot.restore_controller(&mut cyclic.pilot)?;
        cyclic.pilot.trouble.restore();
        self.next_cycle = snapshot.next_cycle;
        snapshot.pool.restore(&mut self.record.readings, &snapshot.readings)?;
        for (other, saved) in self.others.iter_mut().zip(&snapshot.others) {
            other.restore(saved, snapshot.next_cycle, &snapshot.pool)?;
        }
        self.kept = snapshot.pool.clone();
        self.record.commands.copy_from(&snapshot.commands);
        self.chain = snapshot.chain;
        self.broken = None;
        self.evaluation = snapshot.evaluation.clone();
        Ok(())
    }
}
