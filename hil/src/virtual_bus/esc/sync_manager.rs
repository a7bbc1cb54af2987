//! Sync managers: who may touch which part of process memory when (ETG.1000.4, 6.7).

use super::memory::{END, Memory};
use crate::wire::register as reg;

pub(super) const COUNT: usize = 16;

const ENABLE: u8 = 0x01;
const REPEAT: u8 = 0x02;
/// Status: the mailbox is full.
const FULL: u8 = 0x08;
/// Status: the newest of the three buffers.
const BUFFER: u8 = 0x30;

/// One sync manager, decoded, with what it remembers of the access in progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SyncManager {
    pub(super) start: usize,
    pub(super) length: usize,
    /// One buffer with a full flag; else three buffers.
    pub(super) mailbox: bool,
    /// The MainDevice writes; else it reads.
    pub(super) write: bool,
    /// A complete write restarts the watchdog.
    pub(super) watchdog: bool,
    pub(super) enabled: bool,
    /// The processor keeps it shut.
    pub(super) locked: bool,
    /// The mailbox holds a message.
    pub(super) full: bool,
    /// The first byte was accessed, the last not yet.
    pub(super) open: bool,
    newest: u8,
}

impl SyncManager {
    /// Start, length and control [bytes].
    pub(super) const SETTINGS: usize = 5;

    fn decode(&self, memory: &Memory, channel: usize) -> SyncManager {
        let at = address(channel);
        let control = memory.u8(at + 4);
        SyncManager {
            start: usize::from(memory.u16(at)),
            length: usize::from(memory.u16(at + 2)),
            mailbox: control & 3 == 2,
            write: control >> 2 & 3 == 1,
            watchdog: control & 0x40 != 0,
            enabled: memory.u8(at + 6) & ENABLE != 0,
            ..*self
        }
    }

    fn same_settings(&self, other: &SyncManager) -> bool {
        let blank = |manager: &SyncManager| SyncManager { full: false, open: false, newest: 0, ..*manager };
        blank(self) == blank(other)
    }

    /// The byte behind the last buffer; buffered managers own three.
    pub(super) fn end(&self) -> usize {
        let buffers = if self.mailbox { 1 } else { 3 };
        (self.start + buffers * self.length).min(END)
    }

    /// In use and not kept shut.
    pub(super) fn is_active(&self) -> bool {
        self.enabled && !self.locked && self.length > 0
    }

    /// May the MainDevice access bytes from `offset` in this direction? Opens the buffer at its first byte.
    pub(super) fn admit(&mut self, offset: usize, write: bool) -> bool {
        if !self.is_active() || self.write != write || offset >= self.length {
            return false;
        }
        if self.mailbox && self.full == write {
            return false;
        }
        self.open |= offset == 0;
        self.open
    }

    /// The last byte was accessed: hands the buffer over.
    pub(super) fn close(&mut self) {
        self.open = false;
        if self.mailbox {
            self.full = self.write;
        } else if self.write {
            self.newest = (self.newest + 1) % 3;
        }
    }

    fn status(&self) -> u8 {
        match self.mailbox {
            true if self.full => FULL,
            true => 0,
            false => self.newest << 4 & BUFFER,
        }
    }
}

/// All sync managers of a board.
#[derive(Clone, Debug, Default)]
pub(super) struct SyncManagers {
    list: [SyncManager; COUNT],
    used: usize,
}

impl SyncManagers {
    /// Takes over what the registers say. A manager whose settings changed begins empty. True if one did.
    pub(super) fn decode(&mut self, memory: &mut Memory) -> bool {
        let mut changed = false;
        self.used = 0;
        for channel in 0..COUNT {
            let now = self.list[channel].decode(memory, channel);
            if !now.same_settings(&self.list[channel]) {
                changed = true;
                self.list[channel] = SyncManager { full: false, open: false, newest: 0, ..now };
                self.publish(channel, memory);
            }
            if now.length > 0 {
                self.used = channel + 1;
            }
        }
        changed
    }

    /// The processor shuts or opens a manager; what was in it is gone.
    pub(super) fn lock(&mut self, channel: usize, locked: bool, memory: &mut Memory) {
        let manager = &mut self.list[channel];
        if manager.locked != locked {
            *manager = SyncManager { locked, full: false, open: false, newest: 0, ..*manager };
            self.publish(channel, memory);
        }
    }

    pub(super) fn get(&self, channel: usize) -> &SyncManager {
        &self.list[channel]
    }

    pub(super) fn get_mut(&mut self, channel: usize) -> &mut SyncManager {
        &mut self.list[channel]
    }

    /// All that have a size.
    pub(super) fn used(&self) -> &[SyncManager] {
        &self.list[..self.used]
    }

    /// Whose the byte at `address` is, and where the run of bytes with the same owner ends.
    pub(super) fn owner(&self, address: usize) -> (Option<usize>, usize) {
        let mut end = END;
        for (channel, manager) in self.used().iter().enumerate() {
            if manager.length == 0 {
                continue;
            }
            if manager.start <= address && address < manager.end() {
                let buffer = manager.start + manager.length;
                return (Some(channel), if address < buffer { buffer.min(END) } else { manager.end() });
            }
            if manager.start > address {
                end = end.min(manager.start);
            }
        }
        (None, end)
    }

    /// Shows a manager's status in its registers.
    pub(super) fn publish(&self, channel: usize, memory: &mut Memory) {
        let (manager, at) = (&self.list[channel], address(channel));
        memory.set_u8(at + 5, manager.status());
        let acknowledged = memory.u8(at + 7) & REPEAT;
        memory.set_u8(at + 7, acknowledged | u8::from(manager.locked));
    }

    /// True once after the MainDevice asked for the last message again.
    pub(super) fn take_repeat(&self, channel: usize, memory: &mut Memory) -> bool {
        let at = address(channel);
        let asked = (memory.u8(at + 6) ^ memory.u8(at + 7)) & REPEAT;
        memory.set_u8(at + 7, memory.u8(at + 7) ^ asked);
        asked != 0
    }
}

fn address(channel: usize) -> u16 {
    reg::SYNC_MANAGER + 8 * channel as u16
}
