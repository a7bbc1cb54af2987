//! Frames for tests and tools: what a MainDevice sends.

use super::Command;
use super::frame::{DATAGRAM_HEADER, DATAGRAMS, ETHERNET_HEADER, ETHERTYPE, FRAME_HEADER, LENGTH_MASK, MORE};
use super::frame::{SHORTEST_FRAME, WORKING_COUNTER};

/// The 32-bit address of `memory` in the board with a station address, or at a position counted down from 0.
pub const fn physical(station: u16, memory: u16) -> u32 {
    (memory as u32) << 16 | station as u32
}

/// Puts datagrams into a frame.
#[derive(Clone, Debug)]
pub struct FrameBuilder {
    bytes: Vec<u8>,
    last: Option<usize>,
}

impl Default for FrameBuilder {
    fn default() -> Self {
        let mut bytes = vec![0xff; 6];
        bytes.extend_from_slice(&[0x10; 6]);
        bytes.extend_from_slice(&ETHERTYPE);
        bytes.extend_from_slice(&[0; FRAME_HEADER]);
        FrameBuilder { bytes, last: None }
    }
}

impl FrameBuilder {
    /// A broadcast frame without datagrams.
    pub fn new() -> FrameBuilder {
        FrameBuilder::default()
    }

    /// Adds a datagram; at most 2047 bytes of `data` are taken.
    pub fn datagram(mut self, command: Command, index: u8, address: u32, data: &[u8]) -> FrameBuilder {
        if let Some(last) = self.last {
            self.bytes[last + 7] |= (MORE >> 8) as u8;
        }
        let data = &data[..data.len().min(usize::from(LENGTH_MASK))];
        self.last = Some(self.bytes.len());
        self.bytes.extend_from_slice(&[command as u8, index]);
        self.bytes.extend_from_slice(&address.to_le_bytes());
        self.bytes.extend_from_slice(&(data.len() as u16).to_le_bytes());
        self.bytes.extend_from_slice(&[0, 0]);
        self.bytes.extend_from_slice(data);
        self.bytes.extend_from_slice(&[0; WORKING_COUNTER]);
        self
    }

    /// How many bytes of data a further datagram may have.
    pub fn room(&self) -> usize {
        super::LONGEST_FRAME.saturating_sub(self.bytes.len() + DATAGRAM_HEADER + WORKING_COUNTER)
    }

    /// The frame, padded to Ethernet's shortest.
    pub fn finish(mut self) -> Vec<u8> {
        let length = (self.bytes.len() - ETHERNET_HEADER - FRAME_HEADER) as u16;
        let header = (length & LENGTH_MASK) | DATAGRAMS << 12;
        self.bytes[ETHERNET_HEADER..ETHERNET_HEADER + FRAME_HEADER].copy_from_slice(&header.to_le_bytes());
        if self.bytes.len() < SHORTEST_FRAME {
            self.bytes.resize(SHORTEST_FRAME, 0);
        }
        self.bytes
    }
}
