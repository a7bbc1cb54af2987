//! A MainDevice by hand on boards in memory: frames of any datagrams, and the way to OP.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use hil::sii::{Sii, SyncManager};
use hil::virtual_bus::{Device, Passage, Segment};
use hil::wire::{Command, Datagrams, FrameBuilder, physical, register as reg};

/// Station address of board 0.
pub const STATION: u16 = 0x1001;

/// Boards that can be put behind a wire.
pub trait Wired: Device + Sized {
    /// The time from frame to frame [ns].
    const CYCLE: u64;

    /// So many of them that were just switched on.
    fn segment(boards: usize) -> Segment<Self>;

    /// Logical addresses of a board's outputs and inputs.
    fn logical(board: usize) -> (u32, u32);
}

/// A segment and the time.
pub struct Wire<D> {
    pub segment: Segment<D>,
    pub now: u64,
    /// Of the last mailbox message.
    pub counter: u8,
}

impl<D: Wired> Wire<D> {
    /// Boards that were just switched on.
    pub fn new(boards: usize) -> Wire<D> {
        Wire { segment: D::segment(boards), now: 1_000, counter: 0 }
    }

    /// With station addresses.
    pub fn addressed(boards: usize) -> Wire<D> {
        let mut wire = Wire::new(boards);
        wire.address();
        wire
    }

    /// With process data mapped, in OP.
    pub fn in_op(boards: usize) -> Wire<D> {
        let mut wire = Wire::addressed(boards);
        wire.bring_to_op();
        wire
    }

    pub fn station(board: usize) -> u16 {
        STATION + board as u16
    }

    /// Logical addresses of a board's outputs and inputs.
    pub fn logical(board: usize) -> (u32, u32) {
        D::logical(board)
    }

    /// Sends datagrams as one frame; working counters and data come back.
    pub fn frame(&mut self, datagrams: &[(Command, u32, Vec<u8>)]) -> Vec<(u16, Vec<u8>)> {
        self.now += D::CYCLE;
        let mut builder = FrameBuilder::new();
        for ((command, address, data), index) in datagrams.iter().zip(0x55..) {
            builder = builder.datagram(*command, index, *address, data);
        }
        let mut frame = builder.finish();
        let length = frame.len();
        assert_eq!(self.segment.process(&mut frame, self.now), Passage::Returned);
        assert_eq!((frame.len(), frame[6] & 2), (length, 2));
        let mut answers = Vec::new();
        for ((answer, (command, ..)), index) in Datagrams::new(&mut frame).unwrap().zip(datagrams).zip(0x55..) {
            assert_eq!((answer.index(), answer.command()), (index, Some(*command)));
            answers.push((answer.working_counter(), answer.data.to_vec()));
        }
        answers
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
        self.send(Command::Fprd, physical(Self::station(board), memory), &vec![0; length])
    }

    pub fn write(&mut self, board: usize, memory: u16, data: &[u8]) -> u16 {
        self.send(Command::Fpwr, physical(Self::station(board), memory), data).0
    }

    pub fn address(&mut self) {
        for board in 0..self.segment.len() {
            let address = Self::station(board).to_le_bytes();
            assert_eq!(self.at_place(Command::Apwr, board, reg::STATION_ADDRESS, &address).0, 1);
        }
    }

    /// A sync manager's registers as the board's EEPROM says.
    pub fn manager(&self, channel: usize) -> Vec<u8> {
        let SyncManager { start, length, control, .. } = self.managers()[channel];
        let ([s0, s1], [l0, l1]) = (start.to_le_bytes(), length.to_le_bytes());
        vec![s0, s1, l0, l1, control, 0, 1, 0]
    }

    fn managers(&self) -> Vec<SyncManager> {
        Sii::parse(self.segment.esc(0).unwrap().sii()).unwrap().sync_managers
    }

    /// An FMMU's registers for whole bytes: type 1 reads, 2 writes.
    pub fn fmmu(logical: u32, length: u16, physical: u16, kind: u8) -> Vec<u8> {
        let bytes = [&logical.to_le_bytes()[..], &length.to_le_bytes(), &[0, 7], &physical.to_le_bytes()];
        [bytes.concat(), vec![0, kind, 1, 0, 0, 0]].concat()
    }

    /// Sync managers of the mailboxes.
    fn mailboxes(&mut self, board: usize) {
        let managers = [self.manager(0), self.manager(1)].concat();
        assert_eq!(self.write(board, reg::SYNC_MANAGER, &managers), 1);
    }

    /// Sync managers and FMMUs of process data.
    fn process_data(&mut self, board: usize) {
        let managers = [self.manager(2), self.manager(3)].concat();
        assert_eq!(self.write(board, reg::SYNC_MANAGER + 0x10, &managers), 1);
        let ((to, from), managers) = (D::logical(board), self.managers());
        let unit = |logical, channel: usize, kind| {
            Self::fmmu(logical, managers[channel].length, managers[channel].start, kind)
        };
        assert_eq!(self.write(board, reg::FMMU, &[unit(to, 2, 2), unit(from, 3, 1)].concat()), 1);
    }

    /// All that a board wants before OP.
    pub fn configure(&mut self, board: usize) {
        self.mailboxes(board);
        self.process_data(board);
    }

    /// Mailboxes, then process data and FMMUs in PRE-OP, then SAFE-OP and OP, each step looked at.
    pub fn bring_to_op(&mut self) {
        (0..self.segment.len()).for_each(|board| self.mailboxes(board));
        self.ask(2);
        (0..self.segment.len()).for_each(|board| self.process_data(board));
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

    /// AL control; then state with error bit, and code.
    pub fn request(&mut self, board: usize, control: u8) -> (u8, u16) {
        self.write(board, reg::AL_CONTROL, &[control, 0]);
        self.state(board)
    }

    pub fn state(&mut self, board: usize) -> (u8, u16) {
        let (count, bytes) = self.read(board, reg::AL_STATUS, 6);
        assert_eq!(count, 1);
        (bytes[0], u16::from_le_bytes([bytes[4], bytes[5]]))
    }
}
