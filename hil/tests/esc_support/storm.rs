//! Random frames that know the rules well enough to break them: all commands, addresses near everything that exists.

use hil::wire::{Command, FrameBuilder, physical};

/// A counter-based stream of numbers (splitmix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.roll() % limit
    }

    pub fn one_in(&mut self, chances: u64) -> bool {
        self.below(chances) == 0
    }
}

/// Registers and memory where something happens.
const PLACES: [u16; 32] = [
    0x0000, 0x0010, 0x0012, 0x0100, 0x0103, 0x0110, 0x0120, 0x0130, 0x0134, 0x0200, 0x0210, 0x0300, 0x0400, 0x0420,
    0x0440, 0x0500, 0x0502, 0x0508, 0x0600, 0x0610, 0x0800, 0x0805, 0x0808, 0x0900, 0x0910, 0x0920, 0x0930, 0x0980,
    0x0990, 0x09a0, 0x1000, 0x1100,
];

fn memory(dice: &mut Dice) -> u16 {
    match dice.below(8) {
        0 => dice.roll() as u16,
        1 => 0x1000 + dice.below(0x0300) as u16,
        2 => 0xffff - dice.below(32) as u16,
        3 => 0x2ff0 + dice.below(32) as u16,
        _ => PLACES[dice.below(32) as usize].wrapping_add(dice.below(20) as u16),
    }
}

fn station(dice: &mut Dice, boards: usize) -> u16 {
    match dice.below(6) {
        0 => dice.roll() as u16,
        1 => 0,
        2 => 0x100 + dice.below(boards as u64 + 2) as u16,
        3 => 0_u16.wrapping_sub(dice.below(boards as u64 + 2) as u16),
        _ => super::STATION + dice.below(boards as u64 + 2) as u16,
    }
}

/// Settings of an FMMU, half of them nonsense.
fn unit(dice: &mut Dice) -> Vec<u8> {
    let mut bytes = (dice.below(3000) as u32).to_le_bytes().to_vec();
    let length = if dice.one_in(4) { dice.roll() as u16 } else { dice.below(64) as u16 };
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&[dice.below(9) as u8, dice.below(9) as u8]);
    let place = if dice.one_in(2) { memory(dice) } else { 0xffff - dice.below(64) as u16 };
    bytes.extend_from_slice(&place.to_le_bytes());
    bytes.extend_from_slice(&[dice.below(9) as u8, dice.below(4) as u8, dice.below(2) as u8, 0, 0, 0]);
    bytes
}

/// Settings of a sync manager, half of them nonsense.
fn manager(dice: &mut Dice) -> Vec<u8> {
    let mut bytes = memory(dice).to_le_bytes().to_vec();
    let length = if dice.one_in(4) { dice.roll() as u16 } else { dice.below(300) as u16 };
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&[dice.roll() as u8, 0, dice.below(4) as u8, 0]);
    bytes
}

/// One frame of one to six datagrams; one in sixteen is then damaged.
pub fn frame(dice: &mut Dice, boards: usize) -> Vec<u8> {
    let mut builder = FrameBuilder::new();
    for index in 0..=dice.below(6) {
        let command = Command::ALL[dice.below(15) as usize];
        let room = builder.room() as u64;
        let most = if dice.one_in(8) { room } else { room.min(140) };
        let length = dice.below(most.max(1)) as usize;
        let mut data: Vec<u8> = (0..length).map(|_| dice.roll() as u8).collect();
        let address = match command {
            Command::Lrd | Command::Lwr | Command::Lrw if dice.one_in(8) => dice.roll() as u32,
            Command::Lrd | Command::Lwr | Command::Lrw => dice.below(3000) as u32,
            _ => physical(station(dice, boards), memory(dice)),
        };
        let (mut address, mut command) = (address, command);
        match dice.below(24) {
            0 => data = unit(dice),
            1 => data = manager(dice),
            _ => {}
        }
        if data.len() == 16 || data.len() == 8 {
            let channel = dice.below(16) as u16;
            let place = if data.len() == 16 { 0x0600 + 16 * channel } else { 0x0800 + 8 * channel };
            (command, address) = (Command::Fpwr, physical(station(dice, boards), place));
        }
        builder = builder.datagram(command, index as u8, address, &data);
    }
    let mut frame = builder.finish();
    if dice.one_in(16) {
        damage(dice, &mut frame);
    }
    frame
}

fn damage(dice: &mut Dice, frame: &mut Vec<u8>) {
    match dice.below(3) {
        0 => frame.truncate(dice.below(frame.len() as u64 + 1) as usize),
        1 => {
            let at = 12 + dice.below(frame.len() as u64 - 12) as usize;
            frame[at] ^= 1 << dice.below(8);
        }
        _ => frame.resize(frame.len() + dice.below(64) as usize, 0xee),
    }
}
