//! A small board for tests of the virtual bus, and a MainDevice that sends one datagram at a time.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

pub mod storm;

use hil::virtual_bus::{Device, Passage, ProcessData, Segment};
use hil::wire::{AlCode, AlState, Command, Datagrams, FrameBuilder, physical, register as reg};

/// Mailbox of the test board: start and length out, start and length in.
pub const MAILBOX: [u16; 4] = [0x1000, 128, 0x1080, 128];
/// Outputs and inputs of the test board.
pub const SIZES: ProcessData = ProcessData { outputs: 12, inputs: 16 };
/// Where its buffers are.
pub const OUTPUTS: u16 = 0x1100;
pub const INPUTS: u16 = 0x1180;
/// Station address of board 0.
pub const STATION: u16 = 0x1001;

/// A board that echoes its mailbox, keeps its outputs and sends a pattern.
#[derive(Debug)]
pub struct TestBoard {
    pub image: Vec<u8>,
    pub outputs: Vec<u8>,
    pub outputs_seen: u64,
    pub lost: u64,
    pub pattern: u8,
    pub syncs: Vec<u64>,
    pub mails: u64,
    pub refuse: Option<AlCode>,
    pub powered: u64,
}

impl TestBoard {
    pub fn new(alias: u16) -> TestBoard {
        TestBoard {
            image: image(alias),
            outputs: Vec::with_capacity(64),
            outputs_seen: 0,
            lost: 0,
            pattern: 0xa5,
            syncs: Vec::with_capacity(1024),
            mails: 0,
            refuse: None,
            powered: 0,
        }
    }
}

/// The smallest image of ethercat.md 2.4: settings with checksum, identity, mailbox, FMMUs, sync managers.
pub fn image(alias: u16) -> Vec<u8> {
    let mut words = [0_u16; 0x40];
    words[0] = 0x0005;
    words[4] = alias;
    (words[8], words[10], words[12], words[14]) = (0x0664, 0x4242, 1, alias);
    words[0x18..0x1c].copy_from_slice(&MAILBOX);
    words[0x1c] = 0x0004;
    words[0x3e] = 3;
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes[14] = crc(&bytes[..14]);
    category(&mut bytes, 40, &[1, 2, 3, 0xff]);
    let mut managers = Vec::new();
    for (start, length, control, kind) in [
        (MAILBOX[0], MAILBOX[1], 0x26, 1),
        (MAILBOX[2], MAILBOX[3], 0x22, 2),
        (OUTPUTS, SIZES.outputs as u16, 0x64, 3),
        (INPUTS, SIZES.inputs as u16, 0x20, 4),
    ] {
        managers.extend_from_slice(&start.to_le_bytes());
        managers.extend_from_slice(&length.to_le_bytes());
        managers.extend_from_slice(&[control, 0, 1, kind]);
    }
    category(&mut bytes, 41, &managers);
    bytes.extend_from_slice(&[0xff; 4]);
    bytes
}

fn category(bytes: &mut Vec<u8>, kind: u16, data: &[u8]) {
    bytes.extend_from_slice(&kind.to_le_bytes());
    bytes.extend_from_slice(&(data.len() as u16 / 2).to_le_bytes());
    bytes.extend_from_slice(data);
}

pub fn crc(bytes: &[u8]) -> u8 {
    let mut crc = 0xff_u8;
    for byte in bytes {
        crc ^= byte;
        for _ in 0..8 {
            crc = if crc & 0x80 != 0 { (crc << 1) ^ 7 } else { crc << 1 };
        }
    }
    crc
}

impl Device for TestBoard {
    fn sii(&self) -> &[u8] {
        &self.image
    }

    fn process_data(&self) -> ProcessData {
        SIZES
    }

    fn change_state(&mut self, from: AlState, to: AlState) -> Result<(), AlCode> {
        match self.refuse {
            Some(code) if to > from => Err(code),
            _ => Ok(()),
        }
    }

    fn mail(&mut self, message: &[u8], room: usize, reply: &mut Vec<u8>) {
        self.mails += 1;
        reply.extend_from_slice(&message[..message.len().min(room)]);
    }

    fn outputs(&mut self, data: &[u8]) {
        self.outputs_seen += 1;
        self.outputs.clear();
        self.outputs.extend_from_slice(data);
    }

    fn outputs_lost(&mut self) {
        self.lost += 1;
    }

    fn inputs(&mut self, data: &mut [u8]) {
        data.fill(self.pattern);
    }

    fn sync0(&mut self, system_time: u64) {
        self.syncs.push(system_time);
    }

    fn power_on(&mut self) {
        self.powered += 1;
    }
}

/// A segment and the time, with one datagram a frame.
pub struct Bench {
    pub segment: Segment<TestBoard>,
    pub now: u64,
}

impl Bench {
    pub fn new(boards: usize) -> Bench {
        let devices = (0..boards).map(|board| TestBoard::new(0x100 + board as u16)).collect();
        Bench { segment: Segment::new(devices), now: 1_000 }
    }

    /// Boards with station addresses, configured and in OP.
    pub fn in_op(boards: usize) -> Bench {
        let mut bench = Bench::new(boards);
        bench.address();
        (0..boards).for_each(|board| bench.configure(board));
        for state in [2, 4, 8] {
            assert_eq!(usize::from(bench.send(Command::Bwr, physical(0, reg::AL_CONTROL), &[state, 0]).0), boards);
            let (_, status) = bench.send(Command::Brd, physical(0, reg::AL_STATUS), &[0; 2]);
            assert_eq!(status, [state, 0], "code {}", bench.segment.esc(0).unwrap().al_code());
        }
        bench
    }

    pub fn address(&mut self) {
        for board in 0..self.segment.len() as u16 {
            let address = physical(0_u16.wrapping_sub(board), reg::STATION_ADDRESS);
            assert_eq!(self.send(Command::Apwr, address, &(STATION + board).to_le_bytes()).0, 1);
        }
    }

    pub fn configure(&mut self, board: usize) {
        let managers: Vec<u8> = (0..4).flat_map(manager).collect();
        assert_eq!(self.write(board, reg::SYNC_MANAGER, &managers), 1);
        let (outputs, inputs) = logical(board);
        let units = [fmmu(outputs, 12, OUTPUTS, 2), fmmu(inputs, 16, INPUTS, 1)].concat();
        assert_eq!(self.write(board, reg::FMMU, &units), 1);
    }

    /// Sends one datagram; working counter and data come back.
    pub fn send(&mut self, command: Command, address: u32, data: &[u8]) -> (u16, Vec<u8>) {
        let mut frame = FrameBuilder::new().datagram(command, 0x55, address, data).finish();
        let length = frame.len();
        assert_eq!(self.segment.process(&mut frame, self.now), Passage::Returned);
        assert_eq!((frame.len(), frame[6] & 2), (length, 2));
        let datagram = Datagrams::new(&mut frame).unwrap().next().unwrap();
        assert_eq!((datagram.index(), datagram.command()), (0x55, Some(command)));
        (datagram.working_counter(), datagram.data.to_vec())
    }

    pub fn read(&mut self, board: usize, memory: u16, length: usize) -> (u16, Vec<u8>) {
        self.send(Command::Fprd, physical(STATION + board as u16, memory), &vec![0; length])
    }

    pub fn write(&mut self, board: usize, memory: u16, data: &[u8]) -> u16 {
        self.send(Command::Fpwr, physical(STATION + board as u16, memory), data).0
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

/// A sync manager's registers as the image wants them.
pub fn manager(channel: usize) -> Vec<u8> {
    let (start, length, control) = [
        (MAILBOX[0], MAILBOX[1], 0x26),
        (MAILBOX[2], MAILBOX[3], 0x22),
        (OUTPUTS, SIZES.outputs as u16, 0x64),
        (INPUTS, SIZES.inputs as u16, 0x20),
    ][channel];
    let mut bytes = start.to_le_bytes().to_vec();
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&[control, 0, 1, 0]);
    bytes
}

/// Logical addresses of a board's outputs and inputs.
pub fn logical(board: usize) -> (u32, u32) {
    let start = 28 * board as u32;
    (start, start + 12)
}

/// An FMMU's registers for whole bytes.
pub fn fmmu(logical: u32, length: u16, physical: u16, kind: u8) -> Vec<u8> {
    let mut bytes = logical.to_le_bytes().to_vec();
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&[0, 7]);
    bytes.extend_from_slice(&physical.to_le_bytes());
    bytes.extend_from_slice(&[0, kind, 1, 0, 0, 0]);
    bytes
}

/// Passes a random frame and checks what must hold for every frame.
pub fn pass_any(segment: &mut Segment<TestBoard>, frame: &mut [u8], now: u64) -> Passage {
    let before = frame.to_vec();
    let passage = segment.process(frame, now);
    if passage != Passage::Returned {
        assert_eq!(frame, before, "{passage:?}: unchanged");
        return passage;
    }
    let mut sent = before;
    let sent = Datagrams::new(&mut sent).unwrap();
    for (old, new) in sent.zip(Datagrams::new(frame).unwrap()) {
        assert_eq!((old.index(), old.command(), old.more()), (new.index(), new.command(), new.more()));
        assert_eq!((old.memory(), old.data.len()), (new.memory(), new.data.len()));
        let counted = new.working_counter().wrapping_sub(old.working_counter());
        assert!(usize::from(counted) <= 3 * segment.len(), "{:?} counted {counted}", new.command());
    }
    passage
}
