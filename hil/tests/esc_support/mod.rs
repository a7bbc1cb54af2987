//! A small board for tests of the virtual bus.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

pub mod storm;
#[path = "../wire/mod.rs"]
mod wire;

use hil::sii::checksum;
use hil::virtual_bus::{Device, Passage, ProcessData, Segment};
use hil::wire::{AlCode, AlState, Datagrams};

use wire::Wired;

/// Mailbox of the test board: start and length out, start and length in.
pub const MAILBOX: [u16; 4] = [0x1000, 128, 0x1080, 128];
/// Outputs and inputs of the test board.
pub const SIZES: ProcessData = ProcessData { outputs: 12, inputs: 16 };
/// Where its buffers are.
pub const OUTPUTS: u16 = 0x1100;
pub const INPUTS: u16 = 0x1180;
/// Station address of board 0.
pub const STATION: u16 = wire::STATION;

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
    bytes[14] = checksum(&bytes[..14]);
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

/// A MainDevice in front of such boards.
pub type Bench = wire::Wire<TestBoard>;

impl Wired for TestBoard {
    const CYCLE: u64 = 0;

    fn segment(boards: usize) -> Segment<TestBoard> {
        Segment::new((0..boards).map(|board| TestBoard::new(0x100 + board as u16)).collect())
    }

    fn logical(board: usize) -> (u32, u32) {
        let start = 28 * board as u32;
        (start, start + 12)
    }
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
