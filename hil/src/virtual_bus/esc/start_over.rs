//! A MainDevice that starts finds a board that can follow it, whatever the one before left behind.

use super::Esc;
use super::sync_manager::{self, SyncManager};
use crate::wire::register as reg;

/// Units that boards are used with: outputs, inputs, mailbox state. MainDevices clear as many (SOEM: 48 bytes), not all.
const USUAL_UNITS: u16 = 3;
/// Sync managers of a board with a mailbox and process data.
const USUAL_MANAGERS: u16 = 4;
/// Nobody asks for SYNC0 with a shorter period [ns].
const SHORTEST_SYNC: u32 = 10_000;

impl Esc {
    /// INIT was asked for, with which every MainDevice begins. What would keep the board from OP is taken back, and the
    /// watchdog, which not every MainDevice sets, is the usual one; other settings stay. Real controllers need a loss of power
    /// for that.
    pub(super) fn start_over(&mut self) {
        self.memory.set_u8(reg::SII_CONFIGURATION, 0);
        for unit in USUAL_UNITS..super::fmmu::COUNT as u16 {
            self.memory.slice_mut(usize::from(reg::FMMU + 16 * unit), 16).fill(0);
        }
        self.fmmus.decode(&self.memory);
        let highest = [self.roles.mail_out, self.roles.mail_in, self.roles.outputs, self.roles.inputs];
        let first_unused = highest.into_iter().flatten().max().map_or(0, |channel| channel as u16 + 1);
        for channel in first_unused.max(USUAL_MANAGERS)..sync_manager::COUNT as u16 {
            let at = reg::SYNC_MANAGER + 8 * channel;
            self.memory.slice_mut(usize::from(at), SyncManager::SETTINGS).fill(0);
            self.memory.set_u8(at + 6, 0);
        }
        self.managers.decode(&mut self.memory);
        self.set_usual_watchdog();
        if self.memory.u8(reg::SYNC_ACTIVATION) & 3 == 3 && self.memory.u32(reg::SYNC0_CYCLE) < SHORTEST_SYNC {
            self.memory.set_u8(reg::SYNC_ACTIVATION, 0);
            self.set_up_sync(0);
        }
        self.notices.timing = true;
    }

    /// Opens port 1 if the MainDevice has closed it.
    pub(in crate::virtual_bus) fn open_port_1(&mut self) {
        let ports = self.memory.u8(reg::DL_CONTROL + 1);
        self.memory.set_u8(reg::DL_CONTROL + 1, ports & !0x0c);
    }
}
