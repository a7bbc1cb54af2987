//! EtherCAT SubDevice information (ESI): the XML file that comes with a board (ETG.2000), and what of it a bus file needs.
//!
//! [`read`] gives the devices of a file, [`board_text`] the beginning of a `[[board]]`. What the files of real makers do is
//! expected: numbers as `#x1A2B`, names in several languages, many devices and revisions, other encodings than UTF-8.

mod board_text;
mod read;
mod text;

pub use board_text::board_text;
pub use read::read;
pub use text::number;

use crate::pdo::PdoEntry;

/// A device of an ESI file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EsiDevice {
    /// The line of its element, from 1.
    pub line: usize,
    /// The maker's number.
    pub vendor: u32,
    /// The maker's name.
    pub vendor_name: String,
    /// The maker's number of the product.
    pub product: u32,
    /// The product's revision.
    pub revision: u32,
    /// The order code.
    pub type_name: String,
    /// What it is called.
    pub name: String,
    /// Sync managers in order.
    pub sync_managers: Vec<EsiSyncManager>,
    /// Process data from the MainDevice (RxPdo).
    pub outputs: Vec<EsiPdo>,
    /// Process data to the MainDevice (TxPdo).
    pub inputs: Vec<EsiPdo>,
    /// What its mailbox can; `None` for a device without CoE.
    pub coe: Option<EsiCoe>,
    /// Ways to be synchronised, the first being the usual one.
    pub modes: Vec<EsiMode>,
}

/// A sync manager.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EsiSyncManager {
    /// `MBoxOut`, `MBoxIn`, `Outputs`, `Inputs`.
    pub kind: String,
    /// Where it begins.
    pub start: u32,
    /// Its size as it comes [bytes].
    pub size: u32,
}

/// A process data object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EsiPdo {
    /// 0x1600 and up for outputs, 0x1A00 and up for inputs.
    pub index: u16,
    /// What it is called.
    pub name: String,
    /// The sync manager to which it is assigned as it comes; `None` for one that is only offered.
    pub sync_manager: Option<u32>,
    /// Its entries cannot be changed.
    pub fixed: bool,
    /// Its entries; those of index 0 are padding.
    pub entries: Vec<EsiEntry>,
}

/// An entry of a process data object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EsiEntry {
    /// The object, 0 for padding.
    pub index: u16,
    /// Its part.
    pub sub: u8,
    /// Its size.
    pub bits: u32,
    /// What it is called.
    pub name: String,
}

/// What CoE a device has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EsiCoe {
    /// The assignment of process data objects can be written.
    pub pdo_assign: bool,
    /// Their entries can be written.
    pub pdo_config: bool,
    /// Whole objects can be read and written at once.
    pub complete_access: bool,
}

/// A way to be synchronised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EsiMode {
    /// What it is called.
    pub name: String,
    /// What is written to registers 0x0980 and 0x0981; 0 for a mode without distributed clocks.
    pub assign_activate: u16,
    /// How long after the cycle's start SYNC0 fires [ns].
    pub sync0_shift: i64,
}

impl EsiDevice {
    /// The entries that are process data as the device comes; too large ones are paddings of the same size.
    pub fn mapped(pdos: &[EsiPdo]) -> Vec<PdoEntry> {
        const LARGEST: u32 = 64;
        let mut entries = Vec::new();
        for entry in pdos.iter().filter(|pdo| pdo.sync_manager.is_some()).flat_map(|pdo| &pdo.entries) {
            let (mut left, named) = (entry.bits, entry.index != 0 && entry.bits <= LARGEST);
            while left > 0 {
                let bits = left.min(LARGEST) as u8;
                let (index, sub) = if named { (entry.index, entry.sub) } else { (0, 0) };
                entries.push(PdoEntry::new(index, sub, bits));
                left -= u32::from(bits);
            }
        }
        entries
    }
}
