//! A controller's memory, and who may write which of its registers.

use crate::wire::register as reg;

/// The byte behind the last one.
pub(super) const END: usize = reg::PROCESS_RAM_END as usize;
/// The first byte that is no register.
pub(super) const RAM: usize = reg::PROCESS_RAM as usize;

/// 4 KiB of registers and 8 KiB of process memory, little-endian. Every access beyond them reads zeros and writes nothing.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    bytes: Box<[u8]>,
}

impl Memory {
    pub(super) fn new() -> Memory {
        Memory { bytes: vec![0; END].into_boxed_slice() }
    }

    pub(super) fn clear(&mut self) {
        self.bytes.fill(0);
    }

    pub(super) fn slice(&self, from: usize, length: usize) -> &[u8] {
        self.bytes.get(from..from.saturating_add(length)).unwrap_or(&[])
    }

    pub(super) fn slice_mut(&mut self, from: usize, length: usize) -> &mut [u8] {
        self.bytes.get_mut(from..from.saturating_add(length)).unwrap_or(&mut [])
    }

    pub(super) fn u8(&self, address: u16) -> u8 {
        self.bytes.get(usize::from(address)).copied().unwrap_or(0)
    }

    pub(super) fn u16(&self, address: u16) -> u16 {
        u16::from_le_bytes(self.array(address))
    }

    pub(super) fn u32(&self, address: u16) -> u32 {
        u32::from_le_bytes(self.array(address))
    }

    pub(super) fn u64(&self, address: u16) -> u64 {
        u64::from_le_bytes(self.array(address))
    }

    pub(super) fn set_u8(&mut self, address: u16, value: u8) {
        self.set(address, &[value]);
    }

    pub(super) fn set_u16(&mut self, address: u16, value: u16) {
        self.set(address, &value.to_le_bytes());
    }

    pub(super) fn set_u32(&mut self, address: u16, value: u32) {
        self.set(address, &value.to_le_bytes());
    }

    pub(super) fn set_u64(&mut self, address: u16, value: u64) {
        self.set(address, &value.to_le_bytes());
    }

    /// Counts one more, up to 255.
    pub(super) fn count(&mut self, address: u16) {
        let more = self.u8(address).saturating_add(1);
        self.set_u8(address, more);
    }

    fn set(&mut self, address: u16, bytes: &[u8]) {
        let place = self.slice_mut(usize::from(address), bytes.len());
        if place.len() == bytes.len() {
            place.copy_from_slice(bytes);
        }
    }

    fn array<const N: usize>(&self, address: u16) -> [u8; N] {
        self.slice(usize::from(address), N).try_into().unwrap_or([0; N])
    }

    /// The MainDevice writes registers: byte for byte, as the rules allow. True if one of them took it.
    pub(super) fn write_registers(&mut self, address: usize, data: &[u8]) -> bool {
        let mut taken = false;
        for (rule, (byte, new)) in RULES.iter().skip(address).zip(self.bytes[..RAM].iter_mut().skip(address).zip(data))
        {
            taken |= *rule != READ_ONLY;
            if let Some(mask) = mask(*rule) {
                *byte = *byte & !mask | new & mask;
            }
        }
        taken
    }
}

/// A rule is a mask of the bits that a write changes, or one of these.
const READ_ONLY: u16 = 0;
/// The write counts and does something, but is not stored.
const TRIGGER: u16 = 0x100;

const fn mask(rule: u16) -> Option<u8> {
    if rule == TRIGGER || rule == READ_ONLY { None } else { Some(rule as u8) }
}

static RULES: [u16; RAM] = rules();

const fn allow(mut rules: [u16; RAM], from: u16, length: usize, rule: u16) -> [u16; RAM] {
    let mut at = from as usize;
    while at < from as usize + length {
        rules[at] = rule;
        at += 1;
    }
    rules
}

/// What the MainDevice may write; everything else is read-only to it (ETG.1000.4, section 6; ethercat.md 2.2).
const fn rules() -> [u16; RAM] {
    let all = 0xff;
    let mut rules = [READ_ONLY; RAM];
    rules = allow(rules, reg::STATION_ADDRESS, 2, all);
    rules = allow(rules, reg::DL_CONTROL, 4, all);
    rules = allow(rules, reg::AL_CONTROL, 2, all);
    rules = allow(rules, reg::EVENT_MASK, 2, all);
    rules = allow(rules, reg::RX_ERRORS, 0x14, TRIGGER);
    rules = allow(rules, reg::WATCHDOG_DIVIDER, 2, all);
    rules = allow(rules, reg::WATCHDOG_PDI, 2, all);
    rules = allow(rules, reg::WATCHDOG_OUTPUTS, 2, all);
    rules = allow(rules, reg::WATCHDOG_OUTPUTS_EXPIRED, 2, TRIGGER);
    rules = allow(rules, reg::SII_CONFIGURATION, 1, 0x03);
    // control: write enable and command; the rest is status
    rules = allow(rules, reg::SII_CONTROL, 1, 0x01);
    rules = allow(rules, reg::SII_CONTROL + 1, 1, 0x07);
    rules = allow(rules, reg::SII_ADDRESS, 4, all);
    rules = allow(rules, reg::SII_DATA, 8, all);
    let mut channel = 0;
    while channel < 16 {
        rules = allow(rules, reg::FMMU + 16 * channel, 10, all);
        rules = allow(rules, reg::FMMU + 16 * channel + 10, 1, 0x07);
        rules = allow(rules, reg::FMMU + 16 * channel + 11, 1, 0x03);
        rules = allow(rules, reg::FMMU + 16 * channel + 12, 1, 0x01);
        rules = allow(rules, reg::SYNC_MANAGER + 8 * channel, 4, all);
        rules = allow(rules, reg::SYNC_MANAGER + 8 * channel + 4, 1, 0x7f);
        rules = allow(rules, reg::SYNC_MANAGER + 8 * channel + 6, 1, 0xc3);
        channel += 1;
    }
    rules = allow(rules, reg::RECEIVE_TIMES, 4, TRIGGER);
    rules = allow(rules, reg::SYSTEM_TIME, 8, TRIGGER);
    rules = allow(rules, reg::SYSTEM_TIME_OFFSET, 8, all);
    rules = allow(rules, reg::TRANSMISSION_DELAY, 4, all);
    rules = allow(rules, reg::TIME_DIFFERENCE, 4, TRIGGER);
    rules = allow(rules, reg::SPEED_COUNTER_START, 2, all);
    rules = allow(rules, reg::DIFFERENCE_FILTER, 2, 0x0f);
    rules = allow(rules, reg::DIFFERENCE_FILTER + 2, 1, all);
    rules = allow(rules, reg::SYNC_CONTROL, 1, all);
    rules = allow(rules, reg::SYNC_ACTIVATION, 1, all);
    rules = allow(rules, reg::SYNC0_START, 8, TRIGGER);
    rules = allow(rules, reg::SYNC0_CYCLE, 8, all);
    allow(rules, reg::USER_RAM, 0x80, all)
}
