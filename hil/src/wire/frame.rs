//! Frames and their datagrams, read and changed in place (ETG.1000.4, 5.3 and 5.4).

use thiserror::Error;

use super::Command;

/// The longest Ethernet frame without its checksum [bytes].
pub const LONGEST_FRAME: usize = 1514;
/// The shortest Ethernet frame without its checksum [bytes].
pub const SHORTEST_FRAME: usize = 60;

pub(super) const ETHERNET_HEADER: usize = 14;
pub(super) const FRAME_HEADER: usize = 2;
pub(super) const DATAGRAM_HEADER: usize = 10;
pub(super) const WORKING_COUNTER: usize = 2;
pub(super) const ETHERTYPE: [u8; 2] = [0x88, 0xa4];
pub(super) const LENGTH_MASK: u16 = 0x07ff;
pub(super) const MORE: u16 = 0x8000;
/// The frame holds datagrams (ETG.1000.4 table 8).
pub(super) const DATAGRAMS: u16 = 1;

/// Why a frame holds no datagrams that could be processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FrameError {
    /// Not EtherCAT's EtherType, or too short to have one.
    #[error("not an EtherCAT frame")]
    Foreign,
    /// EtherCAT, but not of type 1.
    #[error("an EtherCAT frame of type {found}, expected type 1, datagrams")]
    Type {
        /// The type found.
        found: u8,
    },
    /// It ends before its EtherCAT header does.
    #[error("the frame ends within its EtherCAT header")]
    Short,
    /// A datagram reaches beyond the frame's end.
    #[error("the datagram at byte {at} needs {needed} bytes, {room} are left")]
    Overrun {
        /// Where it begins, from the first byte of the datagrams [bytes].
        at: usize,
        /// What it needs [bytes].
        needed: usize,
        /// What there is [bytes].
        room: usize,
    },
}

/// The datagrams of a frame, one after the other, to be changed in place.
#[derive(Debug)]
pub struct Datagrams<'a> {
    rest: &'a mut [u8],
}

impl<'a> Datagrams<'a> {
    /// Checks the whole chain first, so that a frame is either processed to its end or not at all. The chain ends with the
    /// datagram that says so: controllers ignore the length in the EtherCAT header (Beckhoff, ESC manual, section I, note to
    /// table 2), and there are MainDevices that write the whole frame's there.
    pub fn new(frame: &'a mut [u8]) -> Result<Datagrams<'a>, FrameError> {
        check(frame)?;
        Ok(Datagrams { rest: &mut frame[ETHERNET_HEADER + FRAME_HEADER..] })
    }
}

impl<'a> Iterator for Datagrams<'a> {
    type Item = DatagramMut<'a>;

    fn next(&mut self) -> Option<DatagramMut<'a>> {
        let rest = core::mem::take(&mut self.rest);
        let (header, rest) = rest.split_first_chunk_mut::<DATAGRAM_HEADER>()?;
        let word = length_word(header);
        let (data, rest) = rest.split_at_mut_checked(usize::from(word & LENGTH_MASK))?;
        let (working_counter, rest) = rest.split_first_chunk_mut::<WORKING_COUNTER>()?;
        if word & MORE != 0 {
            self.rest = rest;
        }
        Some(DatagramMut { header, data, working_counter })
    }
}

/// One datagram. Index, length and flags are not to be changed.
#[derive(Debug)]
pub struct DatagramMut<'a> {
    header: &'a mut [u8; DATAGRAM_HEADER],
    /// What is read or written.
    pub data: &'a mut [u8],
    working_counter: &'a mut [u8; WORKING_COUNTER],
}

impl DatagramMut<'_> {
    /// What it asks for; `None` for a number that is no command.
    pub fn command(&self) -> Option<Command> {
        Command::from_bits(self.header[0])
    }

    /// The MainDevice's number of the datagram.
    pub fn index(&self) -> u8 {
        self.header[1]
    }

    /// The logical address, or position or station in the low and memory in the high 16 bits.
    pub fn address(&self) -> u32 {
        u32::from_le_bytes([self.header[2], self.header[3], self.header[4], self.header[5]])
    }

    /// Position or station.
    pub fn station(&self) -> u16 {
        u16::from_le_bytes([self.header[2], self.header[3]])
    }

    /// Sets the position: each board that the datagram passes adds one.
    pub fn set_station(&mut self, station: u16) {
        self.header[2..4].copy_from_slice(&station.to_le_bytes());
    }

    /// Address in a board's memory.
    pub fn memory(&self) -> u16 {
        u16::from_le_bytes([self.header[4], self.header[5]])
    }

    /// True if another datagram follows.
    pub fn more(&self) -> bool {
        length_word(self.header) & MORE != 0
    }

    /// The boards' events, combined by OR.
    pub fn interrupt(&self) -> u16 {
        u16::from_le_bytes([self.header[8], self.header[9]])
    }

    /// Adds events.
    pub fn raise_interrupt(&mut self, events: u16) {
        let all = self.interrupt() | events;
        self.header[8..10].copy_from_slice(&all.to_le_bytes());
    }

    /// How many accesses succeeded so far.
    pub fn working_counter(&self) -> u16 {
        u16::from_le_bytes(*self.working_counter)
    }

    /// Counts successful accesses; the counter wraps.
    pub fn count(&mut self, accesses: u16) {
        *self.working_counter = self.working_counter().wrapping_add(accesses).to_le_bytes();
    }
}

fn length_word(header: &[u8; DATAGRAM_HEADER]) -> u16 {
    u16::from_le_bytes([header[6], header[7]])
}

/// Is it a frame of datagrams whose whole chain lies within?
fn check(frame: &[u8]) -> Result<(), FrameError> {
    if frame.get(12..ETHERNET_HEADER) != Some(&ETHERTYPE[..]) {
        return Err(FrameError::Foreign);
    }
    let Some((header, body)) = frame[ETHERNET_HEADER..].split_first_chunk::<FRAME_HEADER>() else {
        return Err(FrameError::Short);
    };
    let word = u16::from_le_bytes(*header);
    if word >> 12 != DATAGRAMS {
        return Err(FrameError::Type { found: (word >> 12) as u8 });
    }
    check_chain(body)
}

fn check_chain(datagrams: &[u8]) -> Result<(), FrameError> {
    let mut at = 0;
    loop {
        let room = datagrams.len() - at;
        let smallest = DATAGRAM_HEADER + WORKING_COUNTER;
        if room < smallest {
            return Err(FrameError::Overrun { at, needed: smallest, room });
        }
        let word = u16::from_le_bytes([datagrams[at + 6], datagrams[at + 7]]);
        let needed = smallest + usize::from(word & LENGTH_MASK);
        if needed > room {
            return Err(FrameError::Overrun { at, needed, room });
        }
        if word & MORE == 0 {
            return Ok(());
        }
        at += needed;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::wire::{FrameBuilder, physical};

    fn two() -> Vec<u8> {
        FrameBuilder::new()
            .datagram(Command::Fprd, 7, physical(0x1001, 0x0130), &[0; 2])
            .datagram(Command::Lrw, 8, 0x0001_0000, &[1, 2, 3])
            .finish()
    }

    #[test]
    fn a_chain_is_read_and_changed_in_place() {
        let mut frame = two();
        let length = frame.len();
        let mut datagrams = Datagrams::new(&mut frame).unwrap();
        let mut first = datagrams.next().unwrap();
        assert_eq!((first.command(), first.index(), first.more()), (Some(Command::Fprd), 7, true));
        assert_eq!((first.station(), first.memory(), first.data.len()), (0x1001, 0x0130, 2));
        first.data.copy_from_slice(&[8, 0]);
        first.count(1);
        first.raise_interrupt(4);
        let second = datagrams.next().unwrap();
        assert_eq!((second.command(), second.address(), second.more()), (Some(Command::Lrw), 0x0001_0000, false));
        assert_eq!(&*second.data, &[1, 2, 3]);
        assert!(datagrams.next().is_none());
        let mut datagrams = Datagrams::new(&mut frame).unwrap();
        let again = datagrams.next().unwrap();
        assert_eq!((again.working_counter(), again.interrupt(), again.data[0]), (1, 4, 8));
        assert_eq!(frame.len(), length);
    }

    #[test]
    fn each_kind_of_broken_frame_is_named() {
        let broken = |change: fn(&mut Vec<u8>)| {
            let mut frame = two();
            change(&mut frame);
            Datagrams::new(&mut frame).map(|_| ()).unwrap_err()
        };
        assert_eq!(broken(|frame| frame[13] = 0), FrameError::Foreign);
        assert_eq!(broken(|frame| frame.truncate(13)), FrameError::Foreign);
        assert_eq!(broken(|frame| frame[15] = 0x40), FrameError::Type { found: 4 });
        assert_eq!(broken(|frame| frame.truncate(15)), FrameError::Short);
        assert_eq!(broken(|frame| frame.truncate(20)), FrameError::Overrun { at: 0, needed: 12, room: 4 });
        assert_eq!(broken(|frame| frame[22] = 40), FrameError::Overrun { at: 0, needed: 52, room: 44 });
        assert_eq!(
            broken(|frame| {
                frame.truncate(45);
                frame[37] |= 0x80;
            }),
            FrameError::Overrun { at: 29, needed: 12, room: 0 }
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_either_refused_or_a_chain_that_fits(mut bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if bytes.len() >= 16 {
                bytes[12..14].copy_from_slice(&ETHERTYPE);
                bytes[15] = 0x10;
            }
            let room = bytes.len();
            if let Ok(datagrams) = Datagrams::new(&mut bytes) {
                let used: usize = datagrams.map(|datagram| datagram.data.len() + 12).sum();
                prop_assert!(used + 16 <= room);
            }
        }
    }
}
