//! The MainDevice's accesses: registers, process memory behind its sync managers, logical memory behind FMMUs.

use super::clock::{self, Passing};
use super::fmmu::Hit;
use super::memory::{END, RAM};
use super::{EVENT_AL_STATUS, EVENT_DL_STATUS, Esc, Notices};
use crate::virtual_bus::Device;
use crate::wire::{AlState, register as reg};

/// The longest data of a datagram [bytes].
pub(in crate::virtual_bus) const LONGEST_DATA: usize = 2048;

impl Esc {
    /// Reads what may be read of `data.len()` bytes. True if one of them could be.
    pub(in crate::virtual_bus) fn read(
        &mut self,
        device: &mut dyn Device,
        passing: Passing,
        address: u16,
        data: &mut [u8],
    ) -> bool {
        let begin = usize::from(address);
        let end = (begin + data.len()).min(END);
        let mut at = begin;
        if at < end.min(RAM) {
            let stop = end.min(RAM);
            self.before_read(at, stop, passing);
            data[..stop - at].copy_from_slice(self.memory.slice(at, stop - at));
            self.after_read(at, stop);
            at = stop;
        }
        let mut any = at > begin;
        while at < end {
            let (owner, stop) = self.managers.owner(at);
            let stop = stop.min(end);
            if owner.is_none_or(|channel| self.open(channel, at, stop, false, Some(&mut *device))) {
                data[at - begin..stop - begin].copy_from_slice(self.memory.slice(at, stop - at));
                any = true;
            }
            at = stop;
        }
        any
    }

    /// Writes what may be written of `data`. True if one byte could be.
    pub(in crate::virtual_bus) fn write(&mut self, passing: Passing, address: u16, data: &[u8]) -> bool {
        let begin = usize::from(address);
        let end = (begin + data.len()).min(END);
        let mut at = begin;
        let mut any = false;
        if at < end.min(RAM) {
            let stop = end.min(RAM);
            any = self.write_registers(passing, at, &data[..stop - at]);
            at = stop;
        }
        while at < end {
            let (owner, stop) = self.managers.owner(at);
            let stop = stop.min(end);
            if owner.is_none_or(|channel| self.open(channel, at, stop, true, None)) {
                self.memory.slice_mut(at, stop - at).copy_from_slice(&data[at - begin..stop - begin]);
                any = true;
            }
            at = stop;
        }
        any
    }

    /// May these bytes of a sync manager be accessed? The processor fills the inputs when their first byte is.
    fn open(&mut self, channel: usize, from: usize, end: usize, write: bool, device: Option<&mut dyn Device>) -> bool {
        let manager = self.managers.get_mut(channel);
        let offset = from - manager.start;
        if !manager.admit(offset, write) {
            return false;
        }
        if end - manager.start == manager.length {
            self.closing |= 1 << channel;
        }
        if let Some(device) = device.filter(|_| offset == 0 && self.roles.inputs == Some(channel)) {
            let manager = self.managers.get(channel);
            device.inputs(self.memory.slice_mut(manager.start, manager.length));
        }
        true
    }

    /// Ends a datagram: buffers whose last byte was accessed change hands.
    pub(in crate::virtual_bus) fn end_datagram(&mut self, passing: Passing) {
        while self.closing != 0 {
            let channel = self.closing.trailing_zeros() as usize;
            self.closing &= self.closing - 1;
            let manager = self.managers.get_mut(channel);
            manager.close();
            let manager = *manager;
            self.managers.publish(channel, &mut self.memory);
            if manager.watchdog && manager.write {
                self.watchdog.restart(passing.out);
                self.memory.set_u16(reg::WATCHDOG_STATUS, 1);
                self.notices.timing = true;
            }
            if self.roles.mail_in == Some(channel) {
                self.mailbox.was_read(self.memory.slice(manager.start, manager.length));
            }
            self.notices.outputs |= self.roles.outputs == Some(channel);
            self.notices.mail |= manager.mailbox;
        }
    }

    /// Ends a frame: the processor does what the frame asked for.
    pub(in crate::virtual_bus) fn end_frame(&mut self, device: &mut dyn Device, now: u64) {
        let Notices { state, managers, outputs, mail, .. } = core::mem::take(&mut self.notices);
        if managers {
            self.recheck(device);
        }
        if outputs && self.al.state == AlState::Op {
            let manager = self.roles.outputs.map(|channel| *self.managers.get(channel)).unwrap_or_default();
            device.outputs_at(now);
            device.outputs(self.memory.slice(manager.start, manager.length));
        }
        if state {
            self.settle_state(device, now);
        }
        if mail || managers || state || outputs {
            self.settle_mail(device);
        }
    }

    /// The processor reads and fills the mailbox.
    pub(super) fn settle_mail(&mut self, device: &mut dyn Device) {
        self.mailbox.settle(&self.roles, &mut self.managers, &mut self.memory, device);
    }

    /// What a logical command adds to the working counter: 1 for reading, and 1 or with both 2 for writing. Outputs go first,
    /// because inputs may be mapped onto the same logical bytes.
    pub(in crate::virtual_bus) fn logical(
        &mut self,
        device: &mut dyn Device,
        passing: Passing,
        (reads, writes): (bool, bool),
        address: u32,
        data: &mut [u8],
    ) -> u16 {
        if !self.fmmus.concern(address, data.len()) {
            return 0;
        }
        let (mut read, mut written) = (false, false);
        for first in [true, false] {
            // a unit may be mapped onto the units' own registers, so that there are fewer from one to the next
            for n in 0..super::fmmu::COUNT {
                let Some(unit) = self.fmmus.active().get(n).copied() else { break };
                let (reads, writes) = (reads && unit.read, writes && unit.write);
                if writes != first || !(reads || writes) {
                    continue;
                }
                let Some(hit) = unit.hit(address, data.len()) else { continue };
                let (did_read, did_write) = self.map(device, passing, (reads, writes), hit, data);
                read |= did_read;
                written |= did_write;
            }
        }
        let write_weight = if reads { 2 } else { 1 };
        u16::from(read) + write_weight * u16::from(written)
    }

    fn map(
        &mut self,
        device: &mut dyn Device,
        passing: Passing,
        (reads, writes): (bool, bool),
        hit: Hit,
        data: &mut [u8],
    ) -> (bool, bool) {
        if !writes {
            return (self.read_hit(device, passing, hit, data), false);
        }
        if !reads {
            return (false, self.write_hit(passing, hit, data));
        }
        let mut old = [0; LONGEST_DATA];
        let old = &mut old[..data.len().min(LONGEST_DATA)];
        old.copy_from_slice(&data[..old.len()]);
        (self.read_hit(device, passing, hit, data), self.write_hit(passing, hit, old))
    }

    fn read_hit(&mut self, device: &mut dyn Device, passing: Passing, hit: Hit, data: &mut [u8]) -> bool {
        let (at, physical_bit, length) = match hit {
            Hit::Bytes { at, physical, length } => {
                return self.read(device, passing, physical, &mut data[at..at + length]);
            }
            Hit::Bits { at, physical_bit, length } => (at, physical_bit, length),
        };
        let mut any = false;
        for (done, address, shift, bits) in pieces(physical_bit, length) {
            let mut byte = [0];
            if self.read(device, passing, address, &mut byte) {
                any = true;
                let value = byte[0] >> shift;
                (0..bits).for_each(|bit| set_bit(data, at + done + bit, value >> bit & 1));
            }
        }
        any
    }

    fn write_hit(&mut self, passing: Passing, hit: Hit, data: &[u8]) -> bool {
        let (at, physical_bit, length) = match hit {
            Hit::Bytes { at, physical, length } => return self.write(passing, physical, &data[at..at + length]),
            Hit::Bits { at, physical_bit, length } => (at, physical_bit, length),
        };
        let mut any = false;
        for (done, address, shift, bits) in pieces(physical_bit, length) {
            let mut byte = [self.memory.u8(address)];
            for bit in 0..bits {
                let from = at + done + bit;
                set_bit(&mut byte, shift + bit, data[from / 8] >> (from % 8) & 1);
            }
            any |= self.write(passing, address, &byte);
        }
        any
    }

    fn before_read(&mut self, from: usize, end: usize, passing: Passing) {
        let touches = |address: u16, length: usize| touches(from, end, address, length);
        if end <= usize::from(reg::EVENT_REQUEST) {
            return;
        }
        if touches(reg::EVENT_REQUEST, 2) {
            self.memory.set_u16(reg::EVENT_REQUEST, self.all_events());
        }
        if touches(reg::AL_EVENT_REQUEST, 4) {
            self.memory.set_u32(reg::AL_EVENT_REQUEST, u32::from(self.notices.state));
        }
        if touches(reg::SYSTEM_TIME, 8) {
            self.memory.set_u64(reg::SYSTEM_TIME, self.system_time(passing.out));
        }
    }

    fn after_read(&mut self, from: usize, end: usize) {
        if self.events != 0 {
            let clear = |event: u16, address: u16| if touches(from, end, address, 2) { event } else { 0 };
            self.events &= !(clear(EVENT_AL_STATUS, reg::AL_STATUS) | clear(EVENT_DL_STATUS, reg::DL_STATUS));
        }
    }

    fn write_registers(&mut self, passing: Passing, from: usize, data: &[u8]) -> bool {
        let end = from + data.len();
        let touches = |address: u16, length: usize| touches(from, end, address, length);
        // the MainDevice does not reach the EEPROM while it has given it away
        let given_away = self.memory.u8(reg::SII_CONFIGURATION) & 1 != 0;
        if given_away && from >= usize::from(reg::SII_CONTROL) && end <= usize::from(reg::SII_DATA) + 8 {
            return false;
        }
        let taken = self.memory.write_registers(from, data);
        self.notices.address |= touches(reg::STATION_ADDRESS, 2) || touches(reg::DL_CONTROL + 3, 1);
        self.notices.ports |= touches(reg::DL_CONTROL + 1, 1);
        if touches(reg::AL_CONTROL, 1) {
            self.notices.state = true;
            if self.memory.u8(reg::AL_CONTROL) & 0x0f == AlState::Init as u8 {
                self.start_over();
            }
        }
        self.notices.events |= touches(reg::EVENT_MASK, 2);
        self.clear_counters(from, end);
        self.notices.timing |= touches(reg::WATCHDOG_DIVIDER, 2) || touches(reg::WATCHDOG_OUTPUTS, 2);
        if touches(reg::SII_CONTROL, 2) && !given_away {
            self.eeprom.execute(&mut self.memory);
        }
        if touches(reg::FMMU, 0x100) {
            self.fmmus.decode(&self.memory);
        }
        if touches(reg::SYNC_MANAGER, 0x80) {
            self.notices.managers |= self.managers.decode(&mut self.memory);
            self.notices.mail = true;
        }
        if from < usize::from(reg::SYNC0_CYCLE) + 8 && end > usize::from(reg::RECEIVE_TIMES) {
            self.write_time(passing, from, data);
        }
        taken
    }

    /// Error counters are cleared by writing anything: each group as a whole (ETG.1000.4, 6.2).
    fn clear_counters(&mut self, from: usize, end: usize) {
        let groups = [
            (reg::RX_ERRORS, 12),
            (reg::PROCESSING_ERRORS, 2),
            (reg::LOST_LINKS, 4),
            (reg::WATCHDOG_OUTPUTS_EXPIRED, 2),
        ];
        for (address, length) in groups {
            if touches(from, end, address, length) {
                self.memory.slice_mut(usize::from(address), length).fill(0);
            }
        }
    }

    fn write_time(&mut self, passing: Passing, from: usize, data: &[u8]) {
        let end = from + data.len();
        let touches = |address: u16, length: usize| touches(from, end, address, length);
        if touches(reg::RECEIVE_TIMES, 4) {
            clock::latch(&self.clock, &mut self.memory, passing);
        }
        let at = usize::from(reg::SYSTEM_TIME);
        let received = at.checked_sub(from).and_then(|at| data.get(at..)?.first_chunk::<4>());
        if let Some(received) = received {
            clock::compare(&mut self.clock, &mut self.memory, passing.out, u32::from_le_bytes(*received));
        }
        if touches(reg::SPEED_COUNTER_START, 2) {
            self.clock.restart(passing.out);
            self.memory.set_u32(reg::TIME_DIFFERENCE, 0);
        }
        if touches(reg::SYNC0_START, 8) {
            self.set_sync_start(from, data);
        }
        if touches(reg::SYNC_ACTIVATION, 1) || touches(reg::SYNC0_START, 8) || touches(reg::SYNC0_CYCLE, 8) {
            self.set_up_sync(passing.out);
        }
        // everything here moves the next SYNC0
        self.notices.timing = true;
    }

    fn set_sync_start(&mut self, from: usize, data: &[u8]) {
        let mut start = self.sync_start.to_le_bytes();
        for (n, byte) in start.iter_mut().enumerate() {
            let at = (usize::from(reg::SYNC0_START) + n).checked_sub(from);
            *byte = at.and_then(|at| data.get(at)).copied().unwrap_or(*byte);
        }
        self.sync_start = u64::from_le_bytes(start);
    }
}

fn touches(from: usize, end: usize, address: u16, length: usize) -> bool {
    from < usize::from(address) + length && usize::from(address) < end
}

/// Cuts a run of physical bits at byte borders: bits before it, address, first bit, number of bits.
fn pieces(physical_bit: u64, length: usize) -> impl Iterator<Item = (usize, u16, usize, usize)> {
    let mut done = 0;
    core::iter::from_fn(move || {
        let bit = physical_bit + done as u64;
        let address = u16::try_from(bit / 8).ok().filter(|_| done < length)?;
        let shift = (bit % 8) as usize;
        let bits = (8 - shift).min(length - done);
        let piece = (done, address, shift, bits);
        done += bits;
        Some(piece)
    })
}

fn set_bit(data: &mut [u8], bit: usize, value: u8) {
    let byte = &mut data[bit / 8];
    *byte = *byte & !(1 << (bit % 8)) | value << (bit % 8);
}
