//! Safe torque off (STO): a wire that takes the torque away, whatever the program says.
//!
//! CiA 402 has no object of its own for it. Drives show it in a bit of the digital inputs (0x60FD), of the statusword, or of
//! a word of their maker's; the bus file says which.

use page::{Fault, Fields};

use super::firmware::DriveFirmware;
use super::objects as o;
use super::state::DriveState;
use crate::board::BoardFault;
use crate::board::fields::{OBJECT, object, parsed};
use crate::coe::Dictionary;

/// Where a drive shows that its STO is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sto {
    /// The object, which is among the mapped inputs.
    pub index: u16,
    /// Its part.
    pub sub: u8,
    /// The bit.
    pub bit: u8,
    /// What the bit says while the STO is open and no torque is possible.
    pub open: bool,
}

impl Sto {
    /// Reads `sto` from a board's fields.
    pub(super) fn read(fields: &mut Fields<'_>) -> Result<Option<Sto>, Fault> {
        let Some(value) = fields.get("sto") else { return Ok(None) };
        let mut fields = value.table()?;
        let shown = fields.get("object").map(|value| parsed(&value, OBJECT, object)).transpose()?;
        let (index, sub) = shown.unwrap_or((o::DIGITAL_INPUTS, 0));
        let (bit, open) = (fields.whole("bit", 0..=31)? as u8, fields.whole("open", 0..=1)? == 1);
        fields.finish()?;
        Ok(Some(Sto { index, sub, bit, open }))
    }

    /// Whether a word of the object says open.
    pub fn is_open(&self, word: u64) -> bool {
        (word >> self.bit & 1 == 1) == self.open
    }
}

impl DriveFirmware {
    /// True while the wire is open.
    pub(super) fn sto_is_open(&self) -> bool {
        self.broken == Some(BoardFault::StoOpen)
    }

    /// An open STO takes the torque at once, and the drive cannot be switched on.
    pub(super) fn obey_sto(&mut self) {
        let stays = [DriveState::NotReady, DriveState::Fault, DriveState::SwitchOnDisabled];
        if self.sto_is_open() && !stays.contains(&self.state) {
            self.enter(DriveState::SwitchOnDisabled);
        }
    }

    /// Shows it where the bus file says that this drive does.
    pub(super) fn publish_sto(&self, objects: &mut Dictionary) {
        let Some(sto) = self.settings.sto else { return };
        let Some(slot) = objects.slot(sto.index, sto.sub) else { return };
        let (word, bit) = (objects.get(slot), 1 << sto.bit);
        objects.set(slot, if self.sto_is_open() == sto.open { word | bit } else { word & !bit });
    }
}
