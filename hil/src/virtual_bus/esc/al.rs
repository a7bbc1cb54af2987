//! The AL state machine: which states the MainDevice may ask for, and what a board checks first (ETG.1000.6, 6.4).

use super::Esc;
use super::eeprom::Roles;
use super::memory::RAM;
use super::sync_manager::SyncManager;
use crate::virtual_bus::Device;
use crate::wire::{AlCode, AlState, register as reg};

/// AL control: the error is acknowledged. AL status: there is one.
pub(super) const ERROR: u16 = 0x10;

/// Where a board is, and why it is no further.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Al {
    pub(super) state: AlState,
    pub(super) error: bool,
    pub(super) code: AlCode,
}

impl Esc {
    /// Does what AL control asks for. While an error is not acknowledged nothing but INIT is listened to.
    pub(super) fn settle_state(&mut self, device: &mut dyn Device, now: u64) {
        let control = self.memory.u16(reg::AL_CONTROL);
        let wanted = AlState::from_bits(control as u8);
        if control & ERROR != 0 || wanted == Some(AlState::Init) {
            (self.al.error, self.al.code) = (false, AlCode::NONE);
        }
        if !self.al.error {
            let allowed = wanted.ok_or(AlCode::UNKNOWN_STATE).and_then(|to| self.may_go(device, to).map(|()| to));
            match allowed {
                Ok(to) => self.enter(to, now),
                Err(code) => (self.al.error, self.al.code) = (true, code),
            }
        }
        self.publish_state();
    }

    /// Checks a transition and carries the processor along.
    fn may_go(&mut self, device: &mut dyn Device, to: AlState) -> Result<(), AlCode> {
        let from = self.al.state;
        match (from, to) {
            (AlState::Init, AlState::Bootstrap) => return Err(AlCode::NO_BOOTSTRAP),
            (_, AlState::Bootstrap) => return Err(AlCode::INVALID_CHANGE),
            (from, to) if from == to => return Ok(()),
            (AlState::Init, AlState::PreOp) => self.check_mailbox()?,
            (AlState::PreOp, AlState::SafeOp) => self.check_process_data(device)?,
            (AlState::SafeOp, AlState::Op) => self.check_sync()?,
            (from, to) if from < to => return Err(AlCode::INVALID_CHANGE),
            _ => {
                self.leave(device, to);
                return Ok(());
            }
        }
        device.change_state(from, to)
    }

    /// The way down: nobody can refuse it.
    fn leave(&mut self, device: &mut dyn Device, to: AlState) {
        let from = self.al.state;
        if from == AlState::Op {
            device.outputs_lost();
        }
        // a refusal of the way down has no meaning
        let _ = device.change_state(from, to);
    }

    fn enter(&mut self, state: AlState, now: u64) {
        if state == AlState::Op && self.al.state != AlState::Op {
            self.watchdog.restart(now);
        }
        self.al.state = state;
        self.lock_managers();
    }

    /// Falls back to `to`, or stays lower, with an error.
    pub(in crate::virtual_bus) fn fall(&mut self, device: &mut dyn Device, to: AlState, code: AlCode) {
        if self.al.state > to {
            self.leave(device, to);
            self.al.state = to;
            self.lock_managers();
        }
        (self.al.error, self.al.code) = (true, code);
        self.publish_state();
    }

    /// Sync managers changed while in use: the board checks again and falls back if they no longer fit.
    pub(super) fn recheck(&mut self, device: &mut dyn Device) {
        self.lock_managers();
        if self.al.state >= AlState::PreOp
            && let Err(code) = self.check_mailbox()
        {
            return self.fall(device, AlState::Init, code);
        }
        if self.al.state >= AlState::SafeOp
            && let Err(code) = self.check_process_data(device)
        {
            self.fall(device, AlState::PreOp, code);
        }
    }

    pub(super) fn publish_state(&mut self) {
        let status = self.al.state as u16 | if self.al.error { ERROR } else { 0 };
        self.memory.set_u16(reg::AL_STATUS, status);
        self.memory.set_u16(reg::AL_STATUS_CODE, self.al.code.0);
        self.raise_event(super::EVENT_AL_STATUS);
    }

    /// Mailboxes are open from PRE-OP on, process data from SAFE-OP on.
    pub(super) fn lock_managers(&mut self) {
        let Roles { mail_out, mail_in, .. } = self.roles;
        for channel in 0..super::sync_manager::COUNT {
            let from = if [mail_out, mail_in].contains(&Some(channel)) { AlState::PreOp } else { AlState::SafeOp };
            self.managers.lock(channel, self.al.state < from, &mut self.memory);
        }
        if self.al.state == AlState::Init {
            self.mailbox.clear();
        }
    }

    fn check_mailbox(&self) -> Result<(), AlCode> {
        if !self.eeprom.is_valid() {
            return Err(AlCode(0x0051));
        }
        let Some(layout) = self.eeprom.mailbox() else { return Ok(()) };
        let fits = |channel: Option<usize>, write: bool, start: usize, length: usize| {
            channel.is_some_and(|channel| {
                let manager = self.managers.get(channel);
                let shape = (manager.enabled, manager.mailbox, manager.write);
                shape == (true, true, write) && (manager.start, manager.length) == (start, length)
            })
        };
        let out = fits(self.roles.mail_out, true, layout.out_start, layout.out_length);
        let back = fits(self.roles.mail_in, false, layout.in_start, layout.in_length);
        if out && back { Ok(()) } else { Err(AlCode::MAILBOX_CONFIGURATION) }
    }

    fn check_process_data(&self, device: &dyn Device) -> Result<(), AlCode> {
        let sizes = device.process_data();
        let Roles { outputs, inputs, .. } = self.roles;
        self.check_direction(outputs, sizes.outputs, true, AlCode::OUTPUT_CONFIGURATION, AlCode::OUTPUT_MAPPING)?;
        self.check_direction(inputs, sizes.inputs, false, AlCode::INPUT_CONFIGURATION, AlCode::INPUT_MAPPING)?;
        self.check_overlap()?;
        self.check_sync()
    }

    /// The sync manager has the mapping's size and direction, and no FMMU of that direction reaches beyond it.
    fn check_direction(
        &self,
        channel: Option<usize>,
        size: usize,
        write: bool,
        wrong: AlCode,
        missing: AlCode,
    ) -> Result<(), AlCode> {
        let manager = channel.map(|channel| *self.managers.get(channel)).unwrap_or_default();
        let in_use = manager.enabled && manager.length > 0;
        match (size, in_use) {
            (0, false) => return Ok(()),
            (0, true) => return Err(wrong),
            (_, false) => return Err(missing),
            _ => {}
        }
        if manager.length != size || manager.mailbox || manager.write != write || manager.start < RAM {
            return Err(wrong);
        }
        let (first, end) = (8 * manager.start as u64, 8 * (manager.start + manager.length) as u64);
        let stray = self.fmmus.active().iter().filter(|unit| if write { unit.write } else { unit.read }).any(|unit| {
            let last = unit.physical_bit + (unit.end_bit - unit.first_bit);
            (first..end).contains(&unit.physical_bit) && last > end
        });
        if stray { Err(wrong) } else { Ok(()) }
    }

    /// No two sync managers may own the same byte, and all three buffers must be there.
    fn check_overlap(&self) -> Result<(), AlCode> {
        let in_use = |manager: &&SyncManager| manager.enabled && manager.length > 0;
        let managers = self.managers.used();
        for (n, one) in managers.iter().enumerate().filter(|(_, manager)| in_use(manager)) {
            let buffers = if one.mailbox { 1 } else { 3 };
            if one.start + buffers * one.length > super::memory::END {
                return Err(AlCode::SYNC_MANAGER_CONFIGURATION);
            }
            let mut others = managers[n + 1..].iter().filter(in_use);
            if others.any(|other| one.start < other.end() && other.start < one.end()) {
                return Err(AlCode::SYNC_MANAGER_CONFIGURATION);
            }
        }
        Ok(())
    }

    /// SYNC0 that is on needs a period.
    fn check_sync(&self) -> Result<(), AlCode> {
        let on = self.memory.u8(reg::SYNC_ACTIVATION) & 3 == 3;
        if on && self.memory.u32(reg::SYNC0_CYCLE) == 0 { Err(AlCode::DC_CONFIGURATION) } else { Ok(()) }
    }
}
