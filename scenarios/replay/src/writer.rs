//! Writing a log.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foxglove::Encode;
use mcap::records::{MessageHeader, Metadata};
use nalgebra::Isometry3;
use robot_io::{Digest, Event, Period, Rate, RobotLayout, Telemetry, Time};

use crate::channel::{Id, plan};
use crate::input::CycleDigests;
use crate::show::{FrameAt, Messages, log_line, write_imu, write_telemetry};
use crate::sink::{Batch, Preamble, Sink};
use crate::words::WordPacker;
use crate::{Attachment, Cycle, Header, Input, LogError, SceneEntity, scene};

/// The name of the metadata record with case, seed and program.
pub(crate) const METADATA: &str = "chiron";
/// The version of the layout of records, in the metadata; 2 knows the latency of commands.
pub(crate) const FORMAT: &str = "2";
/// The name of the metadata record with the attachments' hashes.
pub(crate) const HASHES: &str = "blake3";
/// The name of the metadata in the log of a run with a twin, which says what the twin does.
pub const TWIN: &str = "twin";
/// The name of the attachment with the layout.
pub(crate) const LAYOUT: &str = "robot_layout.postcard";
/// A chunk is closed when it holds this much [bytes] …
const CHUNK_BYTES: usize = 1 << 20;
/// Room for what still comes in the cycle in which a chunk is found to be full [bytes].
const CHUNK_MARGIN: usize = 1 << 18;

/// What can be chosen about a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogOptions {
    /// The simulated time between two messages of the topics that people look at.
    pub show_interval: Period,
    /// … or when it covers this much simulated time: what a killed process loses at most.
    pub chunk_span: Period,
}

impl Default for LogOptions {
    fn default() -> Self {
        LogOptions { show_interval: Period::from_milliseconds(20), chunk_span: Period::from_milliseconds(1_000) }
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
    /// Creates the log at `path`, replacing what is there.
    pub fn create(path: &Path, header: &Header) -> Result<LogWriter, LogError> {
        LogWriter::create_with(path, header, LogOptions::default())
    }

    /// Creates the log with other than the usual options.
    pub fn create_with(path: &Path, header: &Header, options: LogOptions) -> Result<LogWriter, LogError> {
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

    /// Adds the complete state from which `cycle` begins, before it is read.
    pub fn snapshot(&self, cycle: u64, state: &[u8]) -> Result<(), LogError> {
        self.lock().add(Id::Snapshot, |out| {
            out.extend_from_slice(&cycle.to_le_bytes());
            out.extend_from_slice(state);
        })
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
        let Inner { batch, messages, time, .. } = &mut *inner;
        batch.add(head, |out| encode(messages.residuals(*time, residuals), out));
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

    /// Writes what is left and closes the log; clones can add nothing afterwards.
    pub fn finish(&self) -> Result<LogSummary, LogError> {
        self.lock().finish()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // a panic elsewhere leaves at worst an unfinished message, which the batch does not count
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    layout: RobotLayout,
    /// `None` once finished.
    sink: Option<Sink>,
    batch: Batch,
    chunk_began: Time,
    chunk_span: Period,
    packer: WordPacker,
    words: Vec<u64>,
    messages: Messages,
    /// The number of the twin's channel.
    twin: Option<u16>,
    show_rate: Rate,
    shows: bool,
    sequence: u32,
    time: Time,
    cycles: u64,
}

impl Inner {
    fn create(path: &Path, header: &Header, options: LogOptions) -> Result<Inner, LogError> {
        let layout = postcard::to_stdvec(&header.layout).map_err(|error| LogError::file(path, "write", error))?;
        let layout_media = "application/x-postcard".to_owned();
        let layout = Attachment { name: LAYOUT.to_owned(), media_type: layout_media, bytes: layout };
        let attachments: Vec<&Attachment> = std::iter::once(&layout).chain(&header.attachments).collect();
        let mut channels = plan(&header.layout);
        let twin = header.meta(TWIN).map(|_| channels.len() as u16);
        channels.extend(twin.map(|_| crate::channel::twin()));
        let metadata = vec![about(header), hashes(&attachments)];
        let sink = Sink::create(path, &Preamble { metadata, attachments, channels: &channels })?;
        let mut words = Vec::new();
        Cycle::new(&header.layout).write_words(&mut words);
        Ok(Inner {
            path: path.to_owned(),
            layout: header.layout.clone(),
            sink: Some(sink),
            batch: Batch::with_capacity(CHUNK_BYTES + CHUNK_MARGIN),
            chunk_began: Time::ZERO,
            chunk_span: options.chunk_span,
            packer: WordPacker::new(words.len()),
            words,
            messages: Messages::new(&header.layout),
            twin,
            show_rate: Rate::every(options.show_interval, header.layout.period).unwrap_or(Rate::EVERY_TICK),
            shows: false,
            sequence: 0,
            time: Time::ZERO,
            cycles: 0,
        })
    }

    /// Closes a full chunk, so that each holds whole cycles.
    fn begin_cycle(&mut self, cycle: u64, time: Time) -> Result<(), LogError> {
        let full = self.batch.len() >= CHUNK_BYTES || time.since(self.chunk_began) >= self.chunk_span;
        if full && !self.batch.is_empty() {
            self.close_chunk()?;
            self.chunk_began = time;
        }
        (self.sequence, self.time) = (cycle as u32, time);
        self.shows = self.show_rate.tick();
        Ok(())
    }

    fn cycle(&mut self, cycle: &mut Cycle) -> Result<(), LogError> {
        cycle.write_words(&mut self.words);
        let head = self.head(Id::Io)?;
        self.batch.add(head, |out| self.packer.pack(&self.words, out));
        self.cycles += 1;
        self.show(Id::JointStates, |messages, _, out| encode(messages.measured(&cycle.readings), out))?;
        self.show(Id::JointCommands, |messages, time, out| encode(messages.commanded(time, &cycle.commands), out))?;
        for (index, imu) in cycle.readings.imus.iter().enumerate().filter(|_| self.shows) {
            let head = MessageHeader { channel_id: Id::Imu as u16 + index as u16, ..head };
            self.batch.add(head, |out| write_imu(imu, out));
        }
        Ok(())
    }

    fn head(&self, id: Id) -> Result<MessageHeader, LogError> {
        if self.sink.is_none() {
            return Err(LogError::Finished { file: self.path.clone() });
        }
        let time = self.time.nanoseconds();
        Ok(MessageHeader { channel_id: id as u16, sequence: self.sequence, log_time: time, publish_time: time })
    }

    fn add(&mut self, id: Id, fill: impl FnOnce(&mut Vec<u8>)) -> Result<(), LogError> {
        let head = self.head(id)?;
        self.batch.add(head, fill);
        Ok(())
    }

    /// Adds a message for people, in shown cycles.
    fn show(&mut self, id: Id, fill: impl FnOnce(&mut Messages, Time, &mut Vec<u8>)) -> Result<(), LogError> {
        let head = self.head(id)?;
        if self.shows {
            let (messages, time) = (&mut self.messages, self.time);
            self.batch.add(head, |out| fill(messages, time, out));
        }
        Ok(())
    }

    fn close_chunk(&mut self) -> Result<(), LogError> {
        let Some(sink) = self.sink.as_mut() else { return Err(LogError::Finished { file: self.path.clone() }) };
        let full = std::mem::take(&mut self.batch);
        self.batch = sink.exchange(full, CHUNK_BYTES + CHUNK_MARGIN)?;
        self.packer.restart();
        Ok(())
    }

    fn finish(&mut self) -> Result<LogSummary, LogError> {
        let last = if self.batch.is_empty() { Ok(()) } else { self.close_chunk() };
        let Some(mut sink) = self.sink.take() else { return Err(LogError::Finished { file: self.path.clone() }) };
        last?;
        Ok(LogSummary { cycles: self.cycles, bytes: sink.finish()? })
    }
}

/// A run that ends by an error or a panic still leaves a whole log.
impl Drop for Inner {
    fn drop(&mut self) {
        if self.sink.is_some() {
            let _ = self.finish();
        }
    }
}

fn about(header: &Header) -> Metadata {
    let mut metadata: BTreeMap<String, String> = header.metadata.iter().cloned().collect();
    metadata.insert("format".to_owned(), FORMAT.to_owned());
    metadata.insert("case".to_owned(), header.case.clone());
    metadata.insert("seed".to_owned(), header.seed.to_string());
    metadata.insert("program".to_owned(), header.program.clone());
    metadata.insert("robot".to_owned(), header.layout.robot.clone());
    metadata.insert("period_ns".to_owned(), header.layout.period.nanoseconds().to_string());
    Metadata { name: METADATA.to_owned(), metadata }
}

fn hashes(attachments: &[&Attachment]) -> Metadata {
    let hash =
        |attachment: &&Attachment| (attachment.name.clone(), blake3::hash(&attachment.bytes).to_hex().to_string());
    Metadata { name: HASHES.to_owned(), metadata: attachments.iter().map(hash).collect() }
}

fn encode<T: Encode>(message: &T, out: &mut Vec<u8>) {
    // prost fails only for want of room, which a vector never lacks
    let _ = message.encode(out);
}
