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
    decoder: CycleDecoder,
    log: LogReader,
    io: Option<u16>,
    next_chunk: usize,
    chunk: Chunk,
    next_message: usize,
    /// The present cycle is still to be given out.
    held: bool,
}

impl Cycles {
    pub(super) fn new(log: LogReader, first_chunk: usize) -> Cycles {
        Cycles {
            decoder: CycleDecoder::new(&log),
            io: log.container.channel(IO),
            log,
            next_chunk: first_chunk,
            chunk: Chunk::default(),
            next_message: 0,
            held: false,
        }
    }

    /// The next cycle, without copying it; `None` at the end.
    pub fn next_cycle(&mut self) -> Result<Option<&Cycle>, LogError> {
        let there = std::mem::take(&mut self.held) || self.step()?;
        Ok(there.then_some(&self.decoder.cycle))
    }

    /// Goes on until a cycle for which `reached` holds is next, or to the end.
    pub(super) fn skip_until(&mut self, reached: impl Fn(&Cycle) -> bool) -> Result<(), LogError> {
        while !self.held && self.step()? {
            self.held = reached(&self.decoder.cycle);
        }
        Ok(())
    }

    /// Decodes the next cycle; false at the end.
    fn step(&mut self) -> Result<bool, LogError> {
        let Some(io) = self.io else { return Ok(false) };
        loop {
            while let Some(message) = self.chunk.messages.get(self.next_message) {
                self.next_message += 1;
                let place = (self.next_chunk, self.next_message);
                let decoded = if message.channel == io {
                    self.decoder.decode(&self.log, self.chunk.data(message), place).map(|()| true)
                } else {
                    let data = self.chunk.data(message);
                    self.decoder.arrive(&self.log, message.channel, data, place).map(|()| false)
                };
                if decoded.inspect_err(|_| self.io = None)? {
                    return Ok(true);
                }
            }
            if self.next_chunk >= self.log.container.chunks.len() {
                return Ok(false);
            }
            let loaded = self.log.container.load(self.next_chunk);
            self.chunk = loaded.inspect_err(|_| self.io = None)?;
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

/// Puts cycles together from their words and from the scans and pictures in front of them.
#[derive(Clone, Debug)]
struct CycleDecoder {
    unpacker: WordUnpacker,
    cycle: Cycle,
    arrived: Arrivals,
    /// The channels of scans and pictures.
    sensors: BTreeMap<u16, Sensor>,
}

impl CycleDecoder {
    fn new(log: &LogReader) -> CycleDecoder {
        let layout = log.layout();
        let channel = |(sensor, topic): (Sensor, String)| Some((log.container.channel(&topic)?, sensor));
        CycleDecoder {
            unpacker: WordUnpacker::default(),
            cycle: Cycle::new(layout),
            arrived: Arrivals::new(layout),
            sensors: sensors(layout).into_iter().filter_map(channel).collect(),
        }
    }

    /// Takes a message of another channel than that of the words; only scans and pictures matter.
    fn arrive(&mut self, log: &LogReader, channel: u16, data: &[u8], place: (usize, usize)) -> Result<(), LogError> {
        let Some(sensor) = self.sensors.get(&channel) else { return Ok(()) };
        let taken = self.arrived.take(*sensor, data, log.layout());
        taken.map_err(|found| {
            let topic = log.container.channels.get(&channel).map(String::as_str).unwrap_or_default();
            damaged(log, place, topic, found)
        })
    }

    fn decode(&mut self, log: &LogReader, data: &[u8], place: (usize, usize)) -> Result<(), LogError> {
        let words = self.unpacker.unpack(data).map_err(|found| damaged(log, place, IO, found))?;
        let taken = self.cycle.take_words(words, log.layout(), &mut self.arrived);
        taken.map_err(|found| damaged(log, place, IO, found))
    }
}

fn damaged(log: &LogReader, place: (usize, usize), topic: &str, (expected, found): Mismatch) -> LogError {
    let place = format!("chunk {}, message {} ({topic})", place.0.saturating_sub(1), place.1.saturating_sub(1));
    LogError::damaged(log.path(), place, expected, found)
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
    decoder: CycleDecoder,
    log: LogReader,
    channels: [Option<u16>; 4],
    next_chunk: usize,
    chunk: Chunk,
    next_message: usize,
    digests: BTreeMap<u64, Vec<(String, robot_io::Digest)>>,
    inputs: BTreeMap<u64, Vec<Input>>,
    unpacker: WordUnpacker,
    notes: Vec<u64>,
    ready: Option<Cycle>,
    ended: bool,
}

impl Frames {
    pub(super) fn new(log: LogReader) -> Frames {
        Frames {
            decoder: CycleDecoder::new(&log),
            channels: [IO, DIGEST, INPUTS, COMPONENTS].map(|topic| log.container.channel(topic)),
            log,
            next_chunk: 0,
            chunk: Chunk::default(),
            next_message: 0,
            digests: BTreeMap::new(),
            inputs: BTreeMap::new(),
            unpacker: WordUnpacker::default(),
            notes: Vec::new(),
            ready: None,
            ended: false,
        }
    }

    /// The next frame: complete once the cycle after it begins or the log ends.
    fn step(&mut self) -> Result<Option<Frame>, LogError> {
        while !self.ended {
            let Some(message) = self.chunk.messages.get(self.next_message) else {
                self.load_next()?;
                continue;
            };
            let (channel, data) = (Some(message.channel), self.chunk.data(message));
            self.next_message += 1;
            let place = (self.next_chunk, self.next_message);
            if channel == self.channels[0] {
                self.decoder.decode(&self.log, data, place)?;
                if let Some(cycle) = self.ready.replace(self.decoder.cycle.clone()) {
                    return Ok(Some(self.complete(cycle)));
                }
            } else if channel == self.channels[1] {
                let digests = CycleDigests::from_json(data).map_err(|found| self.damaged(place, DIGEST, found))?;
                self.digests.entry(digests.cycle).or_default().extend(digests.digests);
            } else if channel == self.channels[2] {
                let input = Input::from_json(data).map_err(|found| self.damaged(place, INPUTS, found))?;
                self.inputs.entry(input.cycle).or_default().push(input);
            } else if channel == self.channels[3] {
                let words = self.unpacker.unpack(data).map_err(|found| damaged(&self.log, place, COMPONENTS, found))?;
                self.notes.extend_from_slice(words);
            } else {
                self.decoder.arrive(&self.log, message.channel, data, place)?;
            }
        }
        let last = self.ready.take();
        Ok(last.map(|cycle| self.complete(cycle)))
    }

    fn load_next(&mut self) -> Result<(), LogError> {
        self.ended = self.next_chunk >= self.log.container.chunks.len();
        if !self.ended {
            self.chunk = self.log.container.load(self.next_chunk)?;
            (self.next_chunk, self.next_message) = (self.next_chunk + 1, 0);
        }
        Ok(())
    }

    /// Adds to a cycle what belongs to it and to cycles that were never recorded.
    fn complete(&mut self, cycle: Cycle) -> Frame {
        let number = cycle.readings.cycle;
        let digests = self.digests.remove(&number).unwrap_or_default();
        self.digests = self.digests.split_off(&number);
        let later = self.inputs.split_off(&number.saturating_add(1));
        let inputs = std::mem::replace(&mut self.inputs, later).into_values().flatten().collect();
        Frame { cycle, digests, inputs, notes: std::mem::take(&mut self.notes) }
    }

    fn damaged(&self, place: (usize, usize), topic: &str, found: String) -> LogError {
        let place = format!("chunk {}, message {}", place.0.saturating_sub(1), place.1.saturating_sub(1));
        LogError::damaged(self.log.path(), place, format!("a message of {topic}"), found)
    }
}

impl Iterator for Frames {
    type Item = Result<Frame, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step();
        if step.is_err() {
            (self.ended, self.ready) = (true, None);
        }
        step.transpose()
    }
}
