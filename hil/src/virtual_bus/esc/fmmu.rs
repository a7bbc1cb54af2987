//! Fieldbus memory management units: which bits of the logical memory are which bits of the board's (ETG.1000.4, 6.6).

use super::memory::Memory;
use crate::wire::register as reg;

pub(super) const COUNT: usize = 16;

/// One unit, decoded. Bits count from bit 0 of address 0; ends are behind the last bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fmmu {
    pub(super) first_bit: u64,
    pub(super) end_bit: u64,
    pub(super) physical_bit: u64,
    pub(super) read: bool,
    pub(super) write: bool,
}

/// Part of a datagram that a unit maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hit {
    /// Whole bytes: from this byte of the data, at this physical address, so many.
    Bytes { at: usize, physical: u16, length: usize },
    /// Bits: from this bit of the data, at this physical bit, so many.
    Bits { at: usize, physical_bit: u64, length: usize },
}

impl Fmmu {
    fn decode(memory: &Memory, channel: usize) -> Fmmu {
        let at = reg::FMMU + 16 * channel as u16;
        let start = u64::from(memory.u32(at));
        let length = u64::from(memory.u16(at + 4));
        let kind = memory.u8(at + 11);
        if memory.u8(at + 12) & 1 == 0 || length == 0 {
            return Fmmu::default();
        }
        let first_bit = 8 * start + u64::from(memory.u8(at + 6) & 7);
        let end_bit = 8 * (start + length - 1) + u64::from(memory.u8(at + 7) & 7) + 1;
        let physical_bit = 8 * u64::from(memory.u16(at + 8)) + u64::from(memory.u8(at + 10) & 7);
        Fmmu { first_bit, end_bit: end_bit.max(first_bit), physical_bit, read: kind & 1 != 0, write: kind & 2 != 0 }
    }

    /// True if it maps something.
    pub(super) fn is_active(&self) -> bool {
        self.end_bit > self.first_bit && (self.read || self.write)
    }

    /// What it maps of `length` bytes from the logical `address` on.
    pub(super) fn hit(&self, address: u32, length: usize) -> Option<Hit> {
        let begin = 8 * u64::from(address);
        let first = self.first_bit.max(begin);
        let end = self.end_bit.min(begin + 8 * length as u64);
        if first >= end {
            return None;
        }
        let (at, bits) = ((first - begin) as usize, (end - first) as usize);
        let physical_bit = self.physical_bit + (first - self.first_bit);
        if (at | bits | physical_bit as usize) & 7 != 0 {
            return Some(Hit::Bits { at, physical_bit, length: bits });
        }
        // what lies beyond 64 KiB is nobody's
        let physical = u16::try_from(physical_bit / 8).ok()?;
        Some(Hit::Bytes { at: at / 8, physical, length: bits / 8 })
    }
}

/// All units of a board and the logical bytes between the first and the last of theirs.
#[derive(Clone, Debug, Default)]
pub(super) struct Fmmus {
    units: [Fmmu; COUNT],
    used: usize,
    first: u64,
    end: u64,
}

impl Fmmus {
    pub(super) fn decode(&mut self, memory: &Memory) {
        *self = Fmmus { first: u64::MAX, ..Fmmus::default() };
        for channel in 0..COUNT {
            let unit = Fmmu::decode(memory, channel);
            if unit.is_active() {
                self.units[self.used] = unit;
                self.used += 1;
                self.first = self.first.min(unit.first_bit / 8);
                self.end = self.end.max(unit.end_bit.div_ceil(8));
            }
        }
    }

    /// The active ones.
    pub(super) fn active(&self) -> &[Fmmu] {
        &self.units[..self.used]
    }

    /// False if no byte of these is any unit's.
    pub(super) fn concern(&self, address: u32, length: usize) -> bool {
        let begin = u64::from(address);
        self.first < begin + length as u64 && begin < self.end
    }
}
