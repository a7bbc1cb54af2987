//! A MainDevice by hand on boards with a mailbox: its messages byte by byte.

#[path = "../wire/mod.rs"]
mod wire;

use hil::virtual_bus::Segment;

use crate::bench::{Bench, Board, INPUT_WORDS, OUTPUT_WORDS};
use wire::Wired;

/// The boards' mailboxes and buffers, as their EEPROMs say.
pub const MAIL_OUT: u16 = 0x1000;
pub const MAIL_IN: u16 = 0x1080;
pub const OUTPUTS: u16 = 0x1100;
pub const INPUTS: u16 = 0x1400;
/// Outputs and inputs of a board [bytes].
pub const SIZES: (usize, usize) = (4 * OUTPUT_WORDS as usize, 4 * INPUT_WORDS as usize);

/// A MainDevice in front of boards with a mailbox of CoE.
pub type Wire = wire::Wire<Board>;

impl Wired for Board {
    const CYCLE: u64 = 20_000;

    fn segment(boards: usize) -> Segment<Board> {
        Bench::new(boards).segment
    }

    fn logical(board: usize) -> (u32, u32) {
        (0x10_0000 + (SIZES.0 * board) as u32, 0x20_0000 + (SIZES.1 * board) as u32)
    }
}

impl Wire {
    /// Time passes, and boards notice.
    pub fn pause(&mut self, time: u64) {
        self.now += time;
        self.segment.tick(self.now);
    }

    /// Writes a message of CoE, its header in front, to the end of the mailbox.
    pub fn post(&mut self, board: usize, coe: &[u8]) {
        self.counter = self.counter % 7 + 1;
        let mut message = vec![coe.len() as u8, 0, 0, 0, 0, self.counter << 4 | 3];
        message.extend_from_slice(coe);
        message.resize(128, 0);
        assert_eq!(self.write(board, MAIL_OUT, &message), 1);
    }

    /// The whole mailbox, if it is full.
    pub fn fetch(&mut self, board: usize) -> Option<Vec<u8>> {
        let (count, message) = self.read(board, MAIL_IN, 128);
        (count == 1).then_some(message)
    }

    /// The body of an answer of CoE, behind its two bytes of header.
    fn answer(&mut self, board: usize) -> Vec<u8> {
        let message = self.fetch(board).unwrap();
        let length = usize::from(u16::from_le_bytes([message[0], message[1]]));
        assert_eq!(message[5] & 0x0f, 3, "CoE");
        message[8..6 + length].to_vec()
    }

    /// Asks the information service; the fragments' bodies, put together.
    pub fn information(&mut self, board: usize, opcode: u8, body: &[u8]) -> Vec<u8> {
        self.post(board, &[&[0, 0x80, opcode, 0, 0, 0], body].concat());
        let mut whole = Vec::new();
        loop {
            let fragment = self.answer(board);
            assert_eq!(fragment[0] & 0x7f, opcode + 1, "{body:x?}");
            whole.extend_from_slice(&fragment[4..]);
            if fragment[0] & 0x80 == 0 {
                return whole;
            }
        }
    }

    pub fn upload(&mut self, board: usize, index: u16, sub: u8) -> Result<Vec<u8>, u32> {
        self.post(board, &upload(index, sub));
        self.uploaded(board)
    }

    /// With complete access.
    pub fn upload_all(&mut self, board: usize, index: u16) -> Result<Vec<u8>, u32> {
        let mut request = upload(index, 0);
        request[2] |= 0x10;
        self.post(board, &request);
        self.uploaded(board)
    }

    fn uploaded(&mut self, board: usize) -> Result<Vec<u8>, u32> {
        let answer = self.answer(board);
        if answer[0] == 0x80 {
            return Err(number(&answer));
        }
        if answer[0] & 2 != 0 {
            return Ok(answer[4..8 - usize::from(answer[0] >> 2 & 3)].to_vec());
        }
        let size = number(&answer) as usize;
        let mut data = answer[8..].to_vec();
        let mut toggle = 0;
        while data.len() < size {
            self.post(board, &[0, 0x20, 0x60 | toggle, 0, 0, 0, 0, 0, 0, 0]);
            let segment = self.answer(board);
            assert_eq!(segment[0] & 0x10, toggle);
            data.extend_from_slice(&segment[1..]);
            toggle ^= 0x10;
        }
        data.truncate(size);
        Ok(data)
    }

    /// With complete access, all in the first message.
    pub fn download_all(&mut self, board: usize, index: u16, data: &[u8]) -> Result<(), u32> {
        let [low, high] = index.to_le_bytes();
        let head = [0, 0x20, 0x31, low, high, 0, data.len() as u8, 0, 0, 0];
        self.post(board, &[&head[..], data].concat());
        let answer = self.answer(board);
        if answer[0] == 0x80 { Err(number(&answer)) } else { Ok(()) }
    }
}

fn number(answer: &[u8]) -> u32 {
    u32::from_le_bytes(answer[4..8].try_into().unwrap())
}

/// An SDO upload: the service, the command, the object.
pub fn upload(index: u16, sub: u8) -> Vec<u8> {
    let [low, high] = index.to_le_bytes();
    vec![0, 0x20, 0x40, low, high, sub, 0, 0, 0, 0]
}
