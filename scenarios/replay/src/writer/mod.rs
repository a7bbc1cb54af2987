//! Writing a log.

mod behaviour;
mod inner;
mod mapping;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcap::records::MessageHeader;
use nalgebra::Isometry3;
use robot_io::{ActiveState, Digest, Event, Period, Pool, Telemetry, Time};

use self::inner::{Inner, encode};
use crate::channel::{Id, SHOWN};
use crate::input::CycleDigests;
use crate::show::{FrameAt, log_line, write_telemetry};
use crate::{Cycle, Header, Input, LogError, SceneEntity, contents, scene};

/// The name of the metadata record with case, seed and program.
pub(crate) const METADATA: &str = "chiron";
/// The version of the layout of records, in the metadata; 3 knows scans, pictures and contents shared by snapshots.
pub(crate) const FORMAT: &str = "4";
/// The name of the metadata record with the attachments' hashes.
pub(crate) const HASHES: &str = "blake3";
/// The name among the hashes of that of the metadata record with case, seed and program.
pub(crate) const ABOUT_HASH: &str = "metadata chiron";
/// The name of the metadata in the log of a run with a twin, which says what the twin does.
pub const TWIN: &str = "twin";
/// The name of the attachment with the layout.
pub(crate) const LAYOUT: &str = "robot_layout.postcard";
/// What can be chosen about a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogOptions {
    /// The simulated time between two messages of the topics that people look at.
    pub show_interval: Period,
    /// Topics that are left out, with all below them: `/map` leaves out `/map/cloud` too. What a replay needs stays.
    pub leave_out: Vec<String>,
    /// A chunk is closed when it covers this much simulated time: what a killed process loses at most.
    pub chunk_span: Period,
}

impl LogOptions {
    /// True if a topic is not to be written.
    pub(crate) fn leaves_out(&self, topic: &str) -> bool {
        let is_below = |left_out: &String| topic.strip_prefix(left_out.as_str()).is_some_and(is_whole_name);
        is_shown(topic) && self.leave_out.iter().any(is_below)
    }

    /// Refuses names of topics of which nothing can be left out.
    pub fn check(&self) -> Result<(), LogError> {
        let is_known = |name: &&String| {
            is_shown(name) || SHOWN.iter().any(|topic| topic.strip_prefix(name.as_str()).is_some_and(is_whole_name))
        };
        match self.leave_out.iter().find(|name| !is_known(name)) {
            None => Ok(()),
            Some(name) => {
                let expected = format!("one of {} or a topic below", SHOWN.join(", "));
                Err(LogError::Topic { expected, found: name.clone() })
            }
        }
    }
}

/// True of a topic that a replay does not need.
fn is_shown(topic: &str) -> bool {
    SHOWN.iter().any(|shown| topic.strip_prefix(shown).is_some_and(is_whole_name))
}

/// True if what follows a prefix of a topic's name begins a new part of it.
fn is_whole_name(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with('/')
}

impl Default for LogOptions {
    fn default() -> Self {
        let (show_interval, chunk_span) = (Period::from_milliseconds(20), Period::from_milliseconds(1_000));
        LogOptions { show_interval, leave_out: Vec::new(), chunk_span }
    }
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogSummary {
    /// Cycles recorded.
    pub cycles: u64,
    /// Size of the file [bytes].
    pub bytes: u64,
}

/// A log being written. Clones write to the same log: one goes into the [`Recorder`](crate::Recorder), one stays with
/// the session.
///
/// Every method but [`finish`](LogWriter::finish) only appends to memory; a thread compresses and writes. Two runs that
/// record the same make the same file, byte by byte.
#[derive(Clone, Debug)]
pub struct LogWriter {
    inner: Arc<Mutex<Inner>>,
}

impl LogWriter {
    /// Creates the log that will be at `path` once it is [finished](LogWriter::finish); until then it is `PATH.partial`, and
    /// what is at `path` stays.
    pub fn create(path: &Path, header: &Header) -> Result<LogWriter, LogError> {
        LogWriter::create_with(path, header, LogOptions::default())
    }

    /// Creates the log with other than the usual options.
    pub fn create_with(path: &Path, header: &Header, options: LogOptions) -> Result<LogWriter, LogError> {
        options.check()?;
        Ok(LogWriter { inner: Arc::new(Mutex::new(Inner::create(path, header, options)?)) })
    }

    /// True in cycles in which the topics for people are written; in others there is no need to compute them.
    pub fn shows(&self) -> bool {
        self.lock().shows
    }

    /// Begins a cycle; the [`Recorder`](crate::Recorder) does it.
    pub fn begin_cycle(&self, cycle: u64, time: Time) -> Result<(), LogError> {
        self.lock().begin_cycle(cycle, time)
    }

    /// Adds a cycle's readings and commands; the [`Recorder`](crate::Recorder) does it.
    pub fn cycle(&self, cycle: &mut Cycle) -> Result<(), LogError> {
        self.lock().cycle(cycle)
    }

    /// Adds the digests of `cycle`, component by component; to be called before the next cycle is read.
    pub fn digests(&self, cycle: u64, digests: &[(&str, Digest)]) -> Result<(), LogError> {
        self.lock().add(Id::Digest, |out| CycleDigests::write_json(cycle, digests, out))
    }

    /// Adds the complete state from which `cycle` begins, before it is read. The contents to which it refers are written
    /// unless the log has them already. Returns how much was new [bytes].
    pub fn snapshot(&self, cycle: u64, state: &[u8], refers_to: &Pool) -> Result<u64, LogError> {
        let mut inner = self.lock();
        let mut new = state.len();
        for (digest, contents) in refers_to.iter() {
            if inner.contents.insert(digest) {
                inner.add(Id::Contents, |out| contents::write_contents(digest, contents, out))?;
                new += contents.words.len();
            }
        }
        inner.add(Id::Snapshot, |out| contents::write_snapshot(cycle, refers_to, state, out))?;
        Ok(new as u64)
    }

    /// Adds what a controller's parts read and did in the cycle, if it says something of it.
    pub fn notes(&self, words: &[u64]) -> Result<(), LogError> {
        if words.is_empty() { Ok(()) } else { self.lock().notes(words) }
    }

    /// Adds something that changes the future; to be called before the cycle after it is read.
    pub fn input(&self, input: &Input) -> Result<(), LogError> {
        self.lock().add(Id::Inputs, |out| out.extend_from_slice(&input.to_json()))
    }

    /// Adds events.
    pub fn events(&self, events: &[Event]) -> Result<(), LogError> {
        let mut inner = self.lock();
        events.iter().try_for_each(|event| {
            let line = log_line(event, &inner.layout);
            inner.add(Id::Events, |out| encode(&line, out))
        })
    }

    /// Adds frames to `/tf` in shown cycles.
    pub fn frames<'a>(&self, frames: impl IntoIterator<Item = FrameAt<'a>>) -> Result<(), LogError> {
        let mut inner = self.lock();
        inner.show(Id::Tf, |messages, time, out| encode(messages.frames(time, frames), out))
    }

    /// Adds the true pose of the base to `/truth/base` in shown cycles.
    pub fn truth(&self, base_in_world: &Isometry3<f64>) -> Result<(), LogError> {
        self.lock().show(Id::Truth, |messages, time, out| encode(messages.truth(time, base_in_world), out))
    }

    /// Adds each joint minus its shadow (position, velocity, effort) to `/twin/residual`, in shown cycles of a log whose
    /// header has the metadata [`TWIN`].
    pub fn residuals(&self, residuals: impl Iterator<Item = (f64, f64, f64)>) -> Result<(), LogError> {
        let mut inner = self.lock();
        let (Some(channel), true) = (inner.twin, inner.shows) else { return Ok(()) };
        let head = MessageHeader { channel_id: channel, ..inner.head(Id::Io)? };
        if !inner.left_out.contains(&channel) {
            let Inner { batch, messages, time, .. } = &mut *inner;
            batch.add(head, |out| encode(messages.residuals(*time, residuals), out));
        }
        Ok(())
    }

    /// Adds what a controller shows to `/odometry`, `/path` and `/telemetry`, in shown cycles.
    pub fn telemetry(&self, telemetry: &Telemetry) -> Result<(), LogError> {
        let mut inner = self.lock();
        if let Some(odometry) = &telemetry.odometry {
            inner.show(Id::Odometry, |messages, _, out| encode(messages.odometry(odometry), out))?;
        }
        let time = inner.time;
        if inner.shows
            && let Some(path) = inner.messages.new_path(time, telemetry.path.as_ref())
        {
            inner.add(Id::Path, |out| encode(&path, out))?;
        }
        inner.show(Id::Telemetry, |_, _, out| write_telemetry(telemetry, out))
    }

    /// Adds where the controller believes it is on its map and what it knows of the world, as far as it is new: to
    /// `/slam/pose`, `/lidar/points` and the topics of its layers. To be called in every cycle.
    pub fn mapping(&self, telemetry: &Telemetry) -> Result<(), LogError> {
        self.lock().mapping(telemetry)
    }

    /// Adds the active states of statecharts to `/behaviour`, whenever they are others. To be called in every cycle.
    pub fn behaviour(&self, states: &[Arc<ActiveState>]) -> Result<(), LogError> {
        self.lock().behaviour(states)
    }

    /// Adds shapes to `/scene`; an entity replaces the one of the same name.
    pub fn scene(&self, entities: &[SceneEntity]) -> Result<(), LogError> {
        let mut inner = self.lock();
        let update = scene::update(inner.time, entities);
        inner.add(Id::Scene, |out| encode(&update, out))
    }

    /// Adds a message as it stood in another log.
    pub(crate) fn copy(&self, id: Id, data: &[u8]) -> Result<(), LogError> {
        self.lock().add(id, |out| out.extend_from_slice(data))
    }

    /// Closes a log of which nothing shall be left.
    pub fn discard(&self) {
        self.lock().discard();
    }

    /// Writes what is left, closes the log and gives it its name; clones can add nothing afterwards.
    pub fn finish(&self) -> Result<LogSummary, LogError> {
        self.lock().finish()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // a panic elsewhere leaves at worst an unfinished message, which the batch does not count
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
