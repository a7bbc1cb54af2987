//! Reading a log, whole or cut.

mod container;
mod poses;
mod record;
mod snapshots;
mod walk;
mod walks;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use foxglove::Decode;
use foxglove::messages as fg;
use robot_io::{RobotLayout, Time};

pub use container::Cut;
pub(crate) use container::{Chunk, Container, MessagePlace};
use snapshots::ContentsIndex;
pub use snapshots::SnapshotPlace;
pub use walks::{Cycles, Frame, Frames};

use crate::channel::{DIGEST, EVENTS, INPUTS, IO};
use crate::writer::{FORMAT, HASHES, LAYOUT, METADATA};
use crate::{CycleDigests, Header, Input, LogError, LoggedEvent, show};

/// A log, open for reading. Cheap to clone.
#[derive(Clone, Debug)]
pub struct LogReader {
    container: Arc<Container>,
    header: Arc<Header>,
    contents: Arc<OnceLock<ContentsIndex>>,
}

/// Any message of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogMessage {
    /// Its channel's topic.
    pub topic: String,
    /// The low 32 bits of the cycle in which it was written.
    pub sequence: u32,
    /// When.
    pub time: Time,
    /// Its contents, in the channel's encoding.
    pub data: Vec<u8>,
}

impl LogReader {
    /// Opens a log. One that was cut opens too and [says so](LogReader::cut); anything else is one clear error.
    pub fn open(path: &Path) -> Result<LogReader, LogError> {
        let container = Container::open(path)?;
        let header = header_of(&container)?;
        Ok(LogReader { container: Arc::new(container), header: Arc::new(header), contents: Arc::default() })
    }

    /// Whose run it was, and the files that made it.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Joints, sensors and cycle period.
    pub fn layout(&self) -> &RobotLayout {
        &self.header.layout
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.container.path
    }

    /// Where the log was cut; `None` if it is whole.
    pub fn cut(&self) -> Option<&Cut> {
        self.container.cut.as_ref()
    }

    /// The cycles, from the first.
    pub fn cycles(&self) -> Cycles {
        Cycles::new(self.clone(), 0)
    }

    /// The cycles from `cycle` on, without reading what is before its chunk.
    pub fn cycles_from(&self, cycle: u64) -> Result<Cycles, LogError> {
        let mut cycles = Cycles::new(self.clone(), self.last_chunk_with(|first, _| first <= cycle)?);
        cycles.skip_until(|reached| reached.readings.cycle >= cycle)?;
        Ok(cycles)
    }

    /// The first cycle that begins at `time` or later; `None` past the end.
    pub fn cycle_at(&self, time: Time) -> Result<Option<u64>, LogError> {
        let mut cycles = Cycles::new(self.clone(), self.last_chunk_with(|_, first| first <= time)?);
        cycles.skip_until(|reached| reached.readings.time >= time)?;
        Ok(cycles.next_cycle()?.map(|cycle| cycle.readings.cycle))
    }

    /// Number and time of the last cycle; `None` for a log without cycles.
    pub fn last_cycle(&self) -> Result<Option<(u64, Time)>, LogError> {
        let Some(io) = self.container.channel(IO) else { return Ok(None) };
        let Some(chunk) = (0..self.container.chunks.len()).rev().find(|chunk| self.container.may_hold(*chunk, io))
        else {
            return Ok(None);
        };
        let mut cycles = Cycles::new(self.clone(), chunk);
        let mut last = None;
        while let Some(cycle) = cycles.next_cycle()? {
            last = Some((cycle.readings.cycle, cycle.readings.time));
        }
        Ok(last)
    }

    /// The cycles with the digests and inputs that belong to them.
    pub fn frames(&self) -> Frames {
        Frames::new(self.clone())
    }

    /// All digests, cycle by cycle.
    pub fn digests(&self) -> Result<Vec<CycleDigests>, LogError> {
        self.collect(DIGEST, |_, data| CycleDigests::from_json(data))
    }

    /// Everything that changed the future.
    pub fn inputs(&self) -> Result<Vec<Input>, LogError> {
        self.collect(INPUTS, |_, data| Input::from_json(data))
    }

    /// What happened.
    pub fn events(&self) -> Result<Vec<LoggedEvent>, LogError> {
        self.collect(EVENTS, |place, data| {
            let line = fg::Log::decode(data).map_err(|error| error.to_string())?;
            let severity = show::severity_of(&line);
            let time = Time::from_nanoseconds(place.time);
            Ok(LoggedEvent { time, severity, source: line.name, message: line.message })
        })
    }

    /// The messages of one topic, in order.
    pub fn messages(&self, topic: &str) -> Result<Vec<LogMessage>, LogError> {
        self.collect(topic, |place, data| {
            let (topic, time) = (topic.to_owned(), Time::from_nanoseconds(place.time));
            Ok(LogMessage { topic, sequence: place.sequence, time, data: data.to_vec() })
        })
    }

    /// The messages of several topics, in the order of the log.
    pub(crate) fn messages_of(&self, topics: &[&str]) -> Result<Vec<LogMessage>, LogError> {
        let mut all = Vec::new();
        for index in 0..self.container.chunks.len() {
            let chunk = self.container.load(index)?;
            for place in &chunk.messages {
                let topic = self.container.channels.get(&place.channel).map(String::as_str).unwrap_or_default();
                if topics.contains(&topic) {
                    let (topic, time) = (topic.to_owned(), Time::from_nanoseconds(place.time));
                    let data = chunk.data(place).to_vec();
                    all.push(LogMessage { topic, sequence: place.sequence, time, data });
                }
            }
        }
        Ok(all)
    }

    /// The topics of the log.
    pub fn topics(&self) -> Vec<&str> {
        self.container.channels.values().map(String::as_str).collect()
    }

    /// Shows the messages of one topic to `see`, with their place (chunk, message).
    fn visit(
        &self,
        topic: &str,
        mut see: impl FnMut((usize, usize), &MessagePlace, &[u8]) -> Result<(), String>,
    ) -> Result<(), LogError> {
        let Some(channel) = self.container.channel(topic) else { return Ok(()) };
        for index in (0..self.container.chunks.len()).filter(|chunk| self.container.may_hold(*chunk, channel)) {
            let chunk = self.container.load(index)?;
            for (number, message) in chunk.messages.iter().enumerate().filter(|(_, m)| m.channel == channel) {
                see((index, number), message, chunk.data(message)).map_err(|found| {
                    let place = format!("chunk {index}, message {number}");
                    LogError::damaged(self.path(), place, format!("a message of {topic}"), found)
                })?;
            }
        }
        Ok(())
    }

    fn collect<T>(
        &self,
        topic: &str,
        mut parse: impl FnMut(&MessagePlace, &[u8]) -> Result<T, String>,
    ) -> Result<Vec<T>, LogError> {
        let mut all = Vec::new();
        self.visit(topic, |_, place, data| {
            all.push(parse(place, data)?);
            Ok(())
        })?;
        Ok(all)
    }

    /// The last chunk whose first cycle (number, time) satisfies `wanted`, which holds for a beginning of the log.
    fn last_chunk_with(&self, wanted: impl Fn(u64, Time) -> bool) -> Result<usize, LogError> {
        let (mut from, mut to) = (0, self.container.chunks.len());
        while to - from > 1 {
            let middle = from + (to - from) / 2;
            let first = Cycles::new(self.clone(), middle).next_cycle()?.map(|c| (c.readings.cycle, c.readings.time));
            if first.is_some_and(|(cycle, time)| wanted(cycle, time)) { from = middle } else { to = middle }
        }
        Ok(from)
    }
}

/// What the log says of itself, with every attached file checked against its hash.
fn header_of(container: &Container) -> Result<Header, LogError> {
    let path = &container.path;
    let missing = |what: &str| match &container.cut {
        Some(cut) => LogError::foreign(path, what, format!("a file that is {cut}")),
        None => LogError::foreign(path, what, "an MCAP file without it"),
    };
    let about = container.metadata.get(METADATA).ok_or_else(|| missing("the metadata record 'chiron'"))?;
    check_format(path, about)?;
    container.metadata.get(HASHES).ok_or_else(|| missing("the metadata record 'blake3'"))?;
    container.check_attachments()?;
    let layout_file = container.attachments.iter().find(|attachment| attachment.name == LAYOUT);
    let layout_file = layout_file.ok_or_else(|| missing("the attached robot layout"))?;
    let layout: RobotLayout = postcard::from_bytes(&layout_file.bytes)
        .map_err(|error| LogError::damaged(path, LAYOUT, "a robot layout", error))?;
    let files = container.attachments.iter().filter(|attachment| attachment.name != LAYOUT);
    let text = |key: &str| about.get(key).cloned().unwrap_or_default();
    let seed = text("seed");
    const OURS: [&str; 6] = ["format", "case", "seed", "program", "robot", "period_ns"];
    let others = about.iter().filter(|(key, _)| !OURS.contains(&key.as_str()));
    Ok(Header {
        layout,
        case: text("case"),
        seed: seed.parse().map_err(|_| LogError::damaged(path, "metadata 'seed'", "a number", format!("'{seed}'")))?,
        program: text("program"),
        attachments: files.cloned().collect(),
        metadata: others.map(|(key, value)| (key.clone(), value.clone())).collect(),
    })
}

/// A log of another version of the format is no log with strange contents.
fn check_format(path: &Path, about: &BTreeMap<String, String>) -> Result<(), LogError> {
    let found = about.get("format").map_or("1", String::as_str);
    if found == FORMAT {
        return Ok(());
    }
    Err(LogError::Request {
        file: path.to_owned(),
        what: "format of the log".to_owned(),
        expected: format!("version {FORMAT}, which this program writes"),
        found: format!("version {found}, of {}", about.get("program").map_or("another program", String::as_str)),
    })
}
