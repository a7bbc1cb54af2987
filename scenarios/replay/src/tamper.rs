//! A log with one bit flipped on purpose: the test that a verification sees anything at all.

use std::path::Path;

use robot_io::{RobotLayout, Sealed};

use crate::channel::{self, CONTENTS, DIGEST, EVENTS, INPUTS, IO, SNAPSHOT};
use crate::names::name_words;
use crate::sensors::Arrivals;
use crate::{Cycle, Input, LogError, LogReader, LogWriter};

/// Which bit to flip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BitFlip {
    /// A bit of a reading or a command, by the name of its field.
    Word {
        /// The cycle.
        cycle: u64,
        /// The field, for example `readings/joints/left_knee/position` or `readings/scans/laser/ranges[540]`.
        field: String,
        /// The bit, 0 to 63; of a distance 0 to 15.
        bit: u32,
    },
    /// A bit of a recorded input's value.
    Input {
        /// The input's number in the log, from 0.
        index: usize,
        /// The number of its value, from 0.
        value: usize,
        /// The bit, 0 to 63.
        bit: u32,
    },
}

/// Writes a valid copy of the log `from` to `to` that differs in one bit. Snapshots, digests, inputs and events are
/// copied; the topics that only show are left out, but those that come from readings and commands.
pub fn tamper(from: &Path, to: &Path, flip: &BitFlip) -> Result<(), LogError> {
    let log = LogReader::open(from)?;
    let writer = LogWriter::create(to, log.header())?;
    let mut flipped = false;
    let mut inputs = 0;
    let mut cycles = log.cycles();
    for message in log.messages_of(&[IO, DIGEST, SNAPSHOT, CONTENTS, INPUTS, EVENTS])? {
        match message.topic.as_str() {
            IO => {
                let Some(mut cycle) = cycles.next().transpose()? else { break };
                flipped |= flip_word(&log, &mut cycle, flip)?;
                writer.begin_cycle(cycle.readings.cycle, cycle.readings.time)?;
                writer.cycle(&mut cycle)?;
            }
            INPUTS => {
                let mut input = Input::from_json(&message.data)
                    .map_err(|found| LogError::damaged(from, format!("input {inputs}"), "an input", found))?;
                flipped |= flip_input(&mut input, inputs, flip);
                inputs += 1;
                writer.input(&input)?;
            }
            topic => writer.copy(channel::id_of(topic), &message.data)?,
        }
    }
    writer.finish()?;
    let missing = || LogError::request(from, "bit to flip", "a field of the log", format!("{flip:?}"));
    if flipped { Ok(()) } else { Err(missing()) }
}

fn flip_word(log: &LogReader, recorded: &mut Cycle, flip: &BitFlip) -> Result<bool, LogError> {
    let BitFlip::Word { cycle, field, bit } = flip else { return Ok(false) };
    if recorded.readings.cycle != *cycle {
        return Ok(false);
    }
    if let Some(beam) = range_of(recorded, log.layout(), field) {
        return Ok(flip_range(recorded, beam, *bit));
    }
    let names = name_words(recorded, log.layout());
    let mut in_place = names.iter().filter(|word| !word.sealed);
    let Some(word) = in_place.position(|word| word.path == *field) else { return Ok(false) };
    let mut words = Vec::new();
    recorded.write_words(&mut words);
    words[word] ^= 1_u64.checked_shl(*bit).unwrap_or(0);
    let mut arrived = Arrivals::of(&recorded.readings);
    recorded
        .take_words(&words, log.layout(), &mut arrived)
        .map_err(|(expected, found)| LogError::request(log.path(), format!("bit {bit} of {field}"), expected, found))?;
    Ok(true)
}

/// Laser and beam of a field `readings/scans/NAME/ranges[BEAM]` in a cycle in which there is such a scan.
fn range_of(cycle: &Cycle, layout: &RobotLayout, field: &str) -> Option<(usize, usize)> {
    let (name, beam) = field.strip_prefix("readings/scans/")?.strip_suffix(']')?.split_once("/ranges[")?;
    let laser = layout.lasers.iter().position(|laser| laser.name == name)?;
    let scan = cycle.readings.scans.get(laser)?.as_ref()?;
    Some((laser, beam.parse().ok().filter(|beam| *beam < scan.ranges.len())?))
}

fn flip_range(cycle: &mut Cycle, (laser, beam): (usize, usize), bit: u32) -> bool {
    let Some(scan) = cycle.readings.scans[laser].take() else { return false };
    let mut scan = scan.open();
    scan.ranges[beam] ^= 1_u16.checked_shl(bit).unwrap_or(0);
    cycle.readings.scans[laser] = Some(Sealed::new(scan));
    bit < 16
}

fn flip_input(input: &mut Input, index: usize, flip: &BitFlip) -> bool {
    let BitFlip::Input { index: wanted, value, bit } = flip else { return false };
    let Some(number) = input.values.get_mut(*value).filter(|_| index == *wanted) else { return false };
    *number = f64::from_bits(number.to_bits() ^ 1_u64.checked_shl(*bit).unwrap_or(0));
    true
}
