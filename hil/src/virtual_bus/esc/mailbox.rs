//! The mailbox's two buffers, between the sync managers and the board's processor (ETG.1000.4, 6.7 and ETG.1000.6, 5.1).

use super::eeprom::Roles;
use super::memory::Memory;
use super::sync_manager::{SyncManager, SyncManagers};
use crate::virtual_bus::Device;

/// A mailbox message begins with its length without this header [bytes].
const HEADER: usize = 6;

/// Messages on their way to the MainDevice, beside the one in the buffer.
#[derive(Clone, Debug, Default)]
pub(super) struct Mailbox {
    /// The message that was read last, in case it got lost on the way.
    read: Vec<u8>,
    /// The message that a repetition pushed out of the buffer; goes first.
    pushed: Vec<u8>,
    /// The answer that waits for the buffer.
    reply: Vec<u8>,
}

impl Mailbox {
    pub(super) fn with_room(bytes: usize) -> Mailbox {
        let room = || Vec::with_capacity(bytes);
        Mailbox { read: room(), pushed: room(), reply: room() }
    }

    /// The state INIT has no mailbox.
    pub(super) fn clear(&mut self) {
        self.read.clear();
        self.pushed.clear();
        self.reply.clear();
    }

    /// The MainDevice has read the buffer to its end.
    pub(super) fn was_read(&mut self, buffer: &[u8]) {
        self.read.clear();
        self.read.extend_from_slice(buffer);
    }

    /// Lets the processor answer, and fills the buffer for the MainDevice. While an answer waits, the next message does too.
    pub(super) fn settle(
        &mut self,
        roles: &Roles,
        managers: &mut SyncManagers,
        memory: &mut Memory,
        device: &mut dyn Device,
    ) {
        let (Some(receives), Some(sends)) = (roles.mail_out, roles.mail_in) else { return };
        if managers.take_repeat(sends, memory) {
            self.repeat(managers.get_mut(sends), memory);
            managers.publish(sends, memory);
        }
        self.fill(sends, managers, memory);
        self.listen(receives, sends, managers, memory, device);
        self.fill(sends, managers, memory);
        let target = managers.get(sends);
        if target.is_active() && !target.full {
            device.pending_mail(target.length, &mut self.reply);
            self.reply.truncate(target.length);
            self.fill(sends, managers, memory);
        }
    }

    /// The processor takes a message once its last answer has found room.
    fn listen(
        &mut self,
        receives: usize,
        sends: usize,
        managers: &mut SyncManagers,
        memory: &mut Memory,
        device: &mut dyn Device,
    ) {
        let source = *managers.get(receives);
        if source.is_active() && source.full && self.reply.is_empty() {
            let buffer = memory.slice(source.start, source.length);
            device.mail(message(buffer), managers.get(sends).length, &mut self.reply);
            self.reply.truncate(managers.get(sends).length);
            managers.get_mut(receives).full = false;
            managers.publish(receives, memory);
        }
    }

    fn fill(&mut self, channel: usize, managers: &mut SyncManagers, memory: &mut Memory) {
        let manager = managers.get_mut(channel);
        let next = if self.pushed.is_empty() { &mut self.reply } else { &mut self.pushed };
        if !manager.is_active() || manager.full || next.is_empty() {
            return;
        }
        put(next, manager, memory);
        next.clear();
        managers.publish(channel, memory);
    }

    /// Puts the message that was read last into the buffer again. One that is still unread stays what it is.
    fn repeat(&mut self, manager: &mut SyncManager, memory: &mut Memory) {
        if self.read.is_empty() || !self.pushed.is_empty() || !manager.is_active() {
            return;
        }
        if manager.full {
            self.pushed.extend_from_slice(message(memory.slice(manager.start, manager.length)));
        }
        put(&self.read, manager, memory);
    }
}

fn put(message: &[u8], manager: &mut SyncManager, memory: &mut Memory) {
    let buffer = memory.slice_mut(manager.start, manager.length);
    let length = message.len().min(buffer.len());
    buffer[..length].copy_from_slice(&message[..length]);
    buffer[length..].fill(0);
    (manager.full, manager.open) = (true, false);
}

/// The buffer without what lies behind the message's own length.
fn message(buffer: &[u8]) -> &[u8] {
    let said = buffer.first_chunk::<2>().map_or(0, |length| usize::from(u16::from_le_bytes(*length)));
    &buffer[..buffer.len().min(HEADER + said)]
}
