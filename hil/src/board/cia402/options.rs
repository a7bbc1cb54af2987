//! Option codes (CiA 402-2): how a drive leaves "operation enabled".

use page::{Fault, Fields};

use super::firmware::DriveFirmware;
use super::objects::QUICK_STOP_DAMPS;
use super::state::DriveState;
use crate::board::fields::DECELERATION;
use crate::coe::{Dictionary, Slot};

/// What a bus file says of a drive's option codes; those that it leaves out stay as the drive has them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OptionCodes {
    /// Object 0x605B, shutdown: 0 off, 1 slow-down ramp.
    pub shutdown: Option<i16>,
    /// Object 0x605C, disable operation: 0 off, 1 slow-down ramp.
    pub disable_operation: Option<i16>,
    /// Object 0x605D, halt: 1 slow-down ramp, 2 quick-stop ramp.
    pub halt: Option<i16>,
    /// Object 0x605E, fault reaction: 0 off, 1 slow-down ramp, 2 quick-stop ramp.
    pub fault_reaction: i16,
    /// Object 0x6084, of the slow-down ramp [rad/s²] or [m/s²].
    pub slow_down: Option<f64>,
}

impl OptionCodes {
    /// Reads them from a board's fields.
    pub(super) fn read(fields: &mut Fields<'_>) -> Result<OptionCodes, Fault> {
        let ways: &[(&str, Option<i16>)] = &[("off", Some(0)), ("slow_ramp", Some(1))];
        let halts: &[(&str, Option<i16>)] = &[("slow_ramp", Some(1)), ("ramp", Some(2))];
        Ok(OptionCodes {
            shutdown: fields.word_or("shutdown", ways, None)?,
            disable_operation: fields.word_or("disable_operation", ways, None)?,
            halt: fields.word_or("halt", halts, None)?,
            fault_reaction: fields.word_or("fault_reaction", &[("off", 0), ("slow_ramp", 1), ("ramp", 2)], 0)?,
            slow_down: fields.optional("slow_down_deceleration", DECELERATION)?,
        })
    }
}

/// Where the emulated drive keeps them.
#[derive(Clone, Copy, Debug)]
pub(super) struct OptionSlots {
    pub shutdown: Slot,
    pub disable_operation: Slot,
    pub halt: Slot,
    pub slow_down: Slot,
}

impl DriveFirmware {
    /// On the way out of operation enabled a drive may brake first: then the state that follows is kept until it is at rest.
    pub(super) fn leave_by_option(&mut self, objects: &Dictionary, next: DriveState) -> DriveState {
        let option = match (self.state, next) {
            (DriveState::OperationEnabled, DriveState::ReadyToSwitchOn) => self.slots.options.shutdown,
            (DriveState::OperationEnabled, DriveState::SwitchedOn) => self.slots.options.disable_operation,
            _ => {
                if self.leaving.take().is_some() && next == self.state {
                    // told to go on after all
                    (self.ramp, self.last_target) = (None, None);
                }
                return next;
            }
        };
        if objects.get_signed(option) != 1 {
            return next;
        }
        if self.leaving.replace(next).is_none() {
            self.ramp = Some(self.seen.encoder.velocity);
        }
        self.state
    }

    /// True if the drive brakes by the slow-down ramp and not by that of a quick stop.
    pub(super) fn brakes_slowly(&self, objects: &Dictionary) -> bool {
        let slow = |slot: Slot| matches!(objects.get_signed(slot), 1 | 5);
        match self.state {
            DriveState::QuickStopActive => slow(self.slots.quick_stop),
            DriveState::FaultReaction => slow(self.slots.fault_reaction),
            _ => self.leaving.is_some() || slow(self.slots.options.halt),
        }
    }
}

/// Quick stop options (0x605A) that do not end without torque.
pub(super) fn stays(option: i64) -> bool {
    (5..=8).contains(&option) || option == QUICK_STOP_DAMPS.into()
}
