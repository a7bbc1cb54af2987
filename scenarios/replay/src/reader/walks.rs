//! Walks along a log: cycles, and cycles with their digests and inputs.

use std::collections::BTreeMap;

use super::{Chunk, LogReader};
use crate::channel::{COMPONENTS, DIGEST, INPUTS, IO};
use crate::sensors::{Arrivals, Mismatch, Sensor, sensors};
use crate::words::WordUnpacker;
use crate::{Cycle, CycleDigests, Input, LogError};

/// The cycles of a log, one after the other. After an error it ends.
#[derive(Clone, Debug)]
pub struct Cycles {
    log: LogReader,
    next_chunk: usize,
    chunk: Chunk,
    next_message: usize,
    /// The channel of the cycles' words; none once it has ended by an error.
    io: Option<u16>,
    /// The channels of scans and pictures.
    sensors: BTreeMap<u16, Sensor>,
    unpacker: WordUnpacker,
    /// Put together from its words and from the scans and pictures in front of them.
    cycle: Cycle,
    arrived: Arrivals,
    /// The present cycle is still to be given out.
    held: bool,
}

impl Cycles {
    pub(super) fn new(log: LogReader, first_chunk: usize) -> Cycles {
        let channel = |(sensor, topic): (Sensor, String)| Some((log.container.channel(&topic)?, sensor));
        Cycles {
            next_chunk: first_chunk,
            chunk: Chunk::default(),
            next_message: 0,
            io: log.container.channel(IO),
            sensors: sensors(log.layout()).into_iter().filter_map(channel).collect(),
            unpacker: WordUnpacker::default(),
            cycle: Cycle::new(log.layout()),
            arrived: Arrivals::new(log.layout()),
            held: false,
            log,
        }
    }

    /// The next cycle, without copying it; `None` at the end.
    pub fn next_cycle(&mut self) -> Result<Option<&Cycle>, LogError> {
        let there = std::mem::take(&mut self.held) || self.step(|_, _| Ok(()))?;
        Ok(there.then_some(&self.cycle))
    }

    /// Goes on until a cycle for which `reached` holds is next, or to the end.
    pub(super) fn skip_until(&mut self, reached: impl Fn(&Cycle) -> bool) -> Result<(), LogError> {
        while !self.held && self.step(|_, _| Ok(()))? {
            self.held = reached(&self.cycle);
        }
        Ok(())
    }

    /// Decodes the next cycle; false at the end. Shows `others` the messages on the way that are no part of a cycle.
    fn step(&mut self, others: impl FnMut(u16, &[u8]) -> Result<(), Mismatch>) -> Result<bool, LogError> {
        let there = self.walk(others);
        self.io = self.io.filter(|_| there.is_ok());
        there
    }

    fn walk(&mut self, mut others: impl FnMut(u16, &[u8]) -> Result<(), Mismatch>) -> Result<bool, LogError> {
        let Some(io) = self.io else { return Ok(false) };
        let layout = self.log.layout();
        loop {
            while let Some(message) = self.chunk.messages.get(self.next_message) {
                self.next_message += 1;
                let (channel, data) = (message.channel, self.chunk.data(message));
                let taken = if channel == io {
                    let words = self.unpacker.unpack(data);
                    words.and_then(|words| self.cycle.take_words(words, layout, &mut self.arrived))
                } else if let Some(sensor) = self.sensors.get(&channel) {
                    self.arrived.take(*sensor, data, layout)
                } else {
                    others(channel, data)
                };
                taken.map_err(|(expected, found)| {
                    let topic = self.log.container.channels.get(&channel).map(String::as_str).unwrap_or_default();
                    let place = format!("chunk {}, message {} ({topic})", self.next_chunk - 1, self.next_message - 1);
                    LogError::damaged(self.log.path(), place, expected, found)
                })?;
                if channel == io {
                    return Ok(true);
                }
            }
            if self.next_chunk >= self.log.container.chunks.len() {
                return Ok(false);
            }
            self.chunk = self.log.container.load(self.next_chunk)?;
            (self.next_chunk, self.next_message) = (self.next_chunk + 1, 0);
        }
    }
}

impl Iterator for Cycles {
    type Item = Result<Cycle, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_cycle().map(Option::<&Cycle>::cloned).transpose()
    }
}

/// A cycle with what belongs to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Readings and commands.
    pub cycle: Cycle,
    /// The components' digests.
    pub digests: Vec<(String, robot_io::Digest)>,
    /// What came from outside.
    pub inputs: Vec<Input>,
    /// What the controller's parts read and did, if it was noted.
    pub notes: Vec<u64>,
}

/// The frames of a log, one after the other. After an error it ends.
#[derive(Clone, Debug)]
pub struct Frames {
    cycles: Cycles,
    /// Complete once the cycle after it begins or the log ends.
    ready: Option<Cycle>,
    belongings: Belongings,
}

impl Frames {
    pub(super) fn new(log: LogReader) -> Frames {
        let channels = [DIGEST, INPUTS, COMPONENTS].map(|topic| log.container.channel(topic));
        let belongings = Belongings { channels, ..Belongings::default() };
        Frames { cycles: Cycles::new(log, 0), ready: None, belongings }
    }

    fn step(&mut self) -> Result<Option<Frame>, LogError> {
        loop {
            let there = self.cycles.step(|channel, data| self.belongings.take(channel, data))?;
            let next = there.then(|| self.cycles.cycle.clone());
            let complete = std::mem::replace(&mut self.ready, next);
            if complete.is_some() || !there {
                return Ok(complete.map(|cycle| self.belongings.join(cycle)));
            }
        }
    }
}

impl Iterator for Frames {
    type Item = Result<Frame, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step();
        self.ready = self.ready.take().filter(|_| step.is_ok());
        step.transpose()
    }
}

/// What has been read for cycles that are not complete.
#[derive(Clone, Debug, Default)]
struct Belongings {
    /// Of digests, inputs and notes.
    channels: [Option<u16>; 3],
    digests: BTreeMap<u64, Vec<(String, robot_io::Digest)>>,
    inputs: BTreeMap<u64, Vec<Input>>,
    unpacker: WordUnpacker,
    notes: Vec<u64>,
}

impl Belongings {
    fn take(&mut self, channel: u16, data: &[u8]) -> Result<(), Mismatch> {
        let mismatch = |found: String| ("a message of its topic".to_owned(), found);
        match self.channels.map(|of| of == Some(channel)) {
            [true, ..] => {
                let digests = CycleDigests::from_json(data).map_err(mismatch)?;
                self.digests.entry(digests.cycle).or_default().extend(digests.digests);
            }
            [_, true, _] => {
                let input = Input::from_json(data).map_err(mismatch)?;
                self.inputs.entry(input.cycle).or_default().push(input);
            }
            [.., true] => self.notes.extend_from_slice(self.unpacker.unpack(data)?),
            _ => {}
        }
        Ok(())
    }

    /// Adds to a cycle what belongs to it and to cycles that were never recorded.
    fn join(&mut self, cycle: Cycle) -> Frame {
        let number = cycle.readings.cycle;
        let digests = self.digests.remove(&number).unwrap_or_default();
        self.digests = self.digests.split_off(&number);
        let later = self.inputs.split_off(&number.saturating_add(1));
        let inputs = std::mem::replace(&mut self.inputs, later).into_values().flatten().collect();
        Frame { cycle, digests, inputs, notes: std::mem::take(&mut self.notes) }
    }
}
