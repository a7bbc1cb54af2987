//! When the emulated drive trips, and with which code.

use robot_io::JointStatus;

use super::firmware::DriveFirmware;
use super::start_up::tenths;
use super::state::DriveState;
use crate::board::BoardFault;
use crate::coe::Dictionary;

/// The winding is too hot (CiA 402: device temperature, drive over-temperature).
pub const HOT: u16 = 0x4310;
/// A position target jumped, or the joint stays behind its target for too long.
pub const FOLLOWING_ERROR: u16 = 0x8611;
/// Outputs stayed away (CiA 301: life guard error).
pub const BUS_LOST: u16 = 0x8130;
/// The robot behind the board reports a fault of this joint; ours.
pub const ROBOT_FAULT: u16 = 0xff01;
/// Mapped gains are no numbers, or negative; ours.
pub const INVALID_GAINS: u16 = 0xff02;

/// The error register (CiA 301, object 0x1001) for an error code.
pub fn register(code: u16) -> u8 {
    match code >> 12 {
        0 => 0,
        0x2 => 0b0000_0011,
        0x3 => 0b0000_0101,
        0x4 => 0b0000_1001,
        0x8 if code == BUS_LOST => 0b0001_0001,
        0x8 => 0b0010_0001,
        0xf => 0b1000_0001,
        _ => 1,
    }
}

impl DriveFirmware {
    /// What is wrong at this moment.
    pub(super) fn cause(&self, objects: &Dictionary) -> Option<u16> {
        let limit = tenths().value(objects.get_signed(self.slots.trip_temperature));
        match self.broken {
            Some(BoardFault::DriveFault { code }) => Some(code),
            _ if self.seen.temperature >= limit => Some(HOT),
            _ => self.seen.status.contains(JointStatus::FAULT).then_some(ROBOT_FAULT),
        }
    }

    /// Latches a fault, unless there is one already.
    pub(super) fn trip(&mut self, objects: &Dictionary, code: u16) {
        if matches!(self.state, DriveState::Fault | DriveState::FaultReaction) {
            return;
        }
        let turns = matches!(self.state, DriveState::OperationEnabled | DriveState::QuickStopActive);
        let ramps = turns && objects.get_signed(self.slots.fault_reaction) != 0;
        self.trip = Some(code);
        self.enter(if ramps { DriveState::FaultReaction } else { DriveState::Fault });
    }
}
