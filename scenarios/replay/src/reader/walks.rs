//! Walks along a log: cycles, and cycles with their digests and inputs.

use std::collections::BTreeMap;

use super::{Chunk, LogReader};
use crate::channel::{DIGEST, INPUTS, IO};
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
                if message.channel == io {
                    let place = (self.next_chunk, self.next_message);
                    let decoded = self.decoder.decode(&self.log, self.chunk.data(message), place);
                    return decoded.inspect_err(|_| self.io = None).map(|()| true);
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

#[derive(Clone, Debug)]
struct CycleDecoder {
    unpacker: WordUnpacker,
    cycle: Cycle,
}

impl CycleDecoder {
    fn new(log: &LogReader) -> CycleDecoder {
        CycleDecoder { unpacker: WordUnpacker::default(), cycle: Cycle::new(log.layout()) }
    }

    fn decode(&mut self, log: &LogReader, data: &[u8], place: (usize, usize)) -> Result<(), LogError> {
        let damaged = |expected: String, found: String| {
            let place = format!("chunk {}, message {}", place.0.saturating_sub(1), place.1.saturating_sub(1));
            LogError::damaged(log.path(), format!("{place} (/io)"), expected, found)
        };
        let words = self.unpacker.unpack(data).map_err(|(expected, found)| damaged(expected, found))?;
        let count = words.len();
        self.cycle.take_words(words, log.layout()).map_err(|expected| {
            damaged(format!("{expected} words for the robot '{}'", log.layout().robot), format!("{count}"))
        })
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
}

/// The frames of a log, one after the other. After an error it ends.
#[derive(Clone, Debug)]
pub struct Frames {
    decoder: CycleDecoder,
    log: LogReader,
    channels: [Option<u16>; 3],
    next_chunk: usize,
    chunk: Chunk,
    next_message: usize,
    digests: BTreeMap<u64, Vec<(String, robot_io::Digest)>>,
    inputs: BTreeMap<u64, Vec<Input>>,
    ready: Option<Cycle>,
    ended: bool,
}

impl Frames {
    pub(super) fn new(log: LogReader) -> Frames {
        Frames {
            decoder: CycleDecoder::new(&log),
            channels: [IO, DIGEST, INPUTS].map(|topic| log.container.channel(topic)),
            log,
            next_chunk: 0,
            chunk: Chunk::default(),
            next_message: 0,
            digests: BTreeMap::new(),
            inputs: BTreeMap::new(),
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
        Frame { cycle, digests, inputs }
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
