//! A MainDevice by hand on boards in memory: frames of any datagrams, mailbox messages byte by byte.

use hil::virtual_bus::{Passage, Segment};
use hil::wire::{Command, Datagrams, FrameBuilder, physical, register as reg};

use crate::bench::{Bench, Board, INPUT_WORDS, OUTPUT_WORDS};

/// The boards' mailboxes and buffers, as their EEPROMs say.
pub const MAIL_OUT: u16 = 0x1000;
pub const MAIL_IN: u16 = 0x1080;
pub const OUTPUTS: u16 = 0x1100;
pub const INPUTS: u16 = 0x1400;
/// Outputs and inputs of a board [bytes].
pub const SIZES: (usize, usize) = (4 * OUTPUT_WORDS as usize, 4 * INPUT_WORDS as usize);

pub struct Wire {
    pub segment: Segment<Board>,
    pub now: u64,
    index: u8,
    counter: u8,
}

impl Wire {
    /// Boards that were just switched on.
    pub fn new(boards: usize) -> Wire {
        Wire { segment: Bench::new(boards).segment, now: 1_000_000, index: 250, counter: 0 }
    }

    /// With station addresses.
    pub fn addressed(boards: usize) -> Wire {
        let mut wire = Wire::new(boards);
        wire.address();
        wire
    }

    /// With process data mapped, in OP.
    pub fn in_op(boards: usize) -> Wire {
        let mut wire = Wire::addressed(boards);
        wire.bring_to_op();
        wire
    }

    pub fn station(board: usize) -> u16 {
        0x03e9 + board as u16
    }

    /// Logical addresses of a board's outputs and inputs.
    pub fn logical(board: usize) -> (u32, u32) {
        (0x10_0000 + (SIZES.0 * board) as u32, 0x20_0000 + (SIZES.1 * board) as u32)
    }

    /// Time passes, and boards notice.
    pub fn pause(&mut self, time: u64) {
        self.now += time;
        self.segment.tick(self.now);
    }

    /// Sends datagrams as one frame; working counters and data come back.
    pub fn frame(&mut self, datagrams: &[(Command, u32, Vec<u8>)]) -> Vec<(u16, Vec<u8>)> {
        self.now += 20_000;
        let mut builder = FrameBuilder::new();
        for (command, address, data) in datagrams {
            self.index = self.index.wrapping_add(1);
            builder = builder.datagram(*command, self.index, *address, data);
        }
        let mut frame = builder.finish();
        assert_eq!(self.segment.process(&mut frame, self.now), Passage::Returned);
        let answers = Datagrams::new(&mut frame).unwrap();
        answers.map(|datagram| (datagram.working_counter(), datagram.data.to_vec())).collect()
    }

    pub fn send(&mut self, command: Command, address: u32, data: &[u8]) -> (u16, Vec<u8>) {
        self.frame(&[(command, address, data.to_vec())]).remove(0)
    }

    pub fn broadcast(&mut self, command: Command, memory: u16, data: &[u8]) -> (u16, Vec<u8>) {
        self.send(command, physical(0, memory), data)
    }

    pub fn at_place(&mut self, command: Command, place: usize, memory: u16, data: &[u8]) -> (u16, Vec<u8>) {
        self.send(command, physical(0_u16.wrapping_sub(place as u16), memory), data)
    }

    pub fn read(&mut self, board: usize, memory: u16, length: usize) -> (u16, Vec<u8>) {
        self.send(Command::Fprd, physical(Wire::station(board), memory), &vec![0; length])
    }

    pub fn write(&mut self, board: usize, memory: u16, data: &[u8]) -> u16 {
        self.send(Command::Fpwr, physical(Wire::station(board), memory), data).0
    }

    pub fn address(&mut self) {
        for board in 0..self.segment.len() {
            let address = Wire::station(board).to_le_bytes();
            assert_eq!(self.at_place(Command::Apwr, board, reg::STATION_ADDRESS, &address).0, 1);
        }
    }

    /// Mailboxes, then process data and FMMUs in PRE-OP, then SAFE-OP and OP, each step looked at.
    pub fn bring_to_op(&mut self) {
        let (out, back) = SIZES;
        for board in 0..self.segment.len() {
            let mailboxes = [manager(MAIL_OUT, 128, 0x26), manager(MAIL_IN, 128, 0x22)].concat();
            assert_eq!(self.write(board, reg::SYNC_MANAGER, &mailboxes), 1);
        }
        self.ask(2);
        for board in 0..self.segment.len() {
            assert_eq!(self.write(board, reg::SYNC_MANAGER + 0x10, &manager(OUTPUTS, out, 0x64)), 1);
            assert_eq!(self.write(board, reg::SYNC_MANAGER + 0x18, &manager(INPUTS, back, 0x20)), 1);
            let (outputs, inputs) = Wire::logical(board);
            assert_eq!(self.write(board, reg::FMMU, &fmmu(outputs, out, OUTPUTS, 2)), 1);
            assert_eq!(self.write(board, reg::FMMU + 0x10, &fmmu(inputs, back, INPUTS, 1)), 1);
        }
        self.ask(4);
        self.ask(8);
    }

    fn ask(&mut self, state: u8) {
        let boards = self.segment.len();
        assert_eq!(usize::from(self.broadcast(Command::Bwr, reg::AL_CONTROL, &[state, 0]).0), boards);
        let (count, found) = self.broadcast(Command::Brd, reg::AL_STATUS, &[0; 2]);
        let code = self.segment.esc(0).unwrap().al_code();
        assert_eq!((usize::from(count), found), (boards, vec![state, 0]), "code {code}");
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

fn manager(start: u16, length: usize, control: u8) -> Vec<u8> {
    let ([s0, s1], [l0, l1]) = (start.to_le_bytes(), (length as u16).to_le_bytes());
    vec![s0, s1, l0, l1, control, 0, 1, 0]
}

/// An FMMU for whole bytes: type 1 reads, 2 writes.
pub fn fmmu(logical: u32, length: usize, physical: u16, kind: u8) -> Vec<u8> {
    let mut bytes = logical.to_le_bytes().to_vec();
    bytes.extend_from_slice(&(length as u16).to_le_bytes());
    bytes.extend_from_slice(&[0, 7]);
    bytes.extend_from_slice(&physical.to_le_bytes());
    bytes.extend_from_slice(&[0, kind, 1, 0, 0, 0]);
    bytes
}
