//! The board's identity card: the EEPROM image that a MainDevice reads first (ETG.1000.6 5.4, ETG.2010).
//!
//! [`Sii::build`] makes an image, [`Sii::parse`] reads one. Words are 16 bits, little-endian; addresses are in words.

mod build;
mod parse;

use core::fmt;

use thiserror::Error;

pub use parse::checksum;

/// Word addresses of the fixed part (ETG.2010 table 2).
mod word {
    pub const ALIAS: usize = 0x04;
    pub const CHECKSUM: usize = 0x07;
    pub const IDENTITY: usize = 0x08;
    pub const MAILBOX: usize = 0x18;
    pub const PROTOCOLS: usize = 0x1c;
    pub const SIZE: usize = 0x3e;
    pub const VERSION: usize = 0x3f;
    pub const CATEGORIES: usize = 0x40;
}

/// Types of categories (ETG.1000.6 table 19).
mod category {
    pub const STRINGS: u16 = 10;
    pub const GENERAL: u16 = 30;
    pub const FMMU: u16 = 40;
    pub const SYNC_MANAGERS: u16 = 41;
    pub const TX_PDO: u16 = 50;
    pub const RX_PDO: u16 = 51;
    pub const CLOCK: u16 = 60;
    pub const END: u16 = 0xffff;
}

/// The content of an EEPROM.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sii {
    /// Words 0 to 3: registers 0x0140, 0x0150, 0x0982, 0x0152 as the chip loads them.
    pub configuration: [u16; 4],
    /// The second station address.
    pub alias: u16,
    /// Who it is.
    pub identity: SiiIdentity,
    /// The standard mailboxes, if it has any.
    pub mailbox: Mailboxes,
    /// Texts, referred to by number from 1.
    pub strings: Vec<String>,
    /// Category 30.
    pub general: Option<General>,
    /// What FMMU n is meant for: 1 outputs, 2 inputs, 3 mailbox status, 0xff unused. An odd one out is followed by unused.
    pub fmmus: Vec<u8>,
    /// What sync manager n is meant for.
    pub sync_managers: Vec<SyncManager>,
    /// Process data from the board.
    pub tx_pdos: Vec<SiiPdo>,
    /// Process data to the board.
    pub rx_pdos: Vec<SiiPdo>,
    /// Ways to run on distributed clocks.
    pub clocks: Vec<Clock>,
}

/// Words 8 to 15.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiiIdentity {
    /// Number of the maker (ETG's list).
    pub vendor: u32,
    /// The maker's number of the product.
    pub product: u32,
    /// The product's revision.
    pub revision: u32,
    /// The board's own number.
    pub serial: u32,
}

/// Words 0x18 to 0x1c. Sizes of 0 stand for no mailbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mailboxes {
    /// Address of the mailbox to the board [bytes].
    pub out_start: u16,
    /// Its size [bytes].
    pub out_size: u16,
    /// Address of the mailbox from the board [bytes].
    pub in_start: u16,
    /// Its size [bytes].
    pub in_size: u16,
    /// Bit 2: CoE.
    pub protocols: u16,
}

/// Category 30 (ETG.2010 table 7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct General {
    /// String: the group of boards it belongs to.
    pub group: u8,
    /// String: a picture's name.
    pub image: u8,
    /// String: what one orders.
    pub order: u8,
    /// String: the name.
    pub name: u8,
    /// Bit 0 SDO, 1 SDO information, 2 assignment and 3 mapping can be written, 4 upload at start, 5 complete access.
    pub coe_details: u8,
    /// Bit 0 starts in SAFE-OP, 1 no LRW, 2 mailbox repeats, 3 and 4 ways of identification.
    pub flags: u8,
    /// What it takes from the E-bus [mA]; negative for a source.
    pub current: i16,
    /// Four bits a port: 0 none, 1 MII, 3 E-bus.
    pub ports: u16,
}

/// An entry of category 41 (ETG.2010 table 11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SyncManager {
    /// Address of the buffer [bytes].
    pub start: u16,
    /// Its length [bytes]; of process data, that of the map the board comes with.
    pub length: u16,
    /// Register 0x0804: 0x26 mailbox out, 0x22 mailbox in, 0x64 outputs, 0x20 inputs.
    pub control: u8,
    /// Bit 0: used.
    pub enable: u8,
    /// 1 mailbox out, 2 mailbox in, 3 outputs, 4 inputs.
    pub usage: u8,
}

/// A process data object of categories 50 and 51 (ETG.2010 table 14).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiiPdo {
    /// The mapping object.
    pub index: u16,
    /// Its sync manager; 0xff for none.
    pub sync_manager: u8,
    /// String.
    pub name: u8,
    /// Bit 0 mandatory, 4 fixed content.
    pub flags: u16,
    /// What it holds.
    pub entries: Vec<SiiEntry>,
}

/// An entry of a process data object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiiEntry {
    /// The object; 0 for padding.
    pub index: u16,
    /// Its part.
    pub sub: u8,
    /// String.
    pub name: u8,
    /// Number of the data type.
    pub data_type: u8,
    /// Bits.
    pub bits: u8,
}

/// An entry of category 60: a way to run on distributed clocks (ETG.2010 table 16).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Cycle of SYNC0 [ns]; 0 for the bus cycle.
    pub sync0_cycle: u32,
    /// Shift of SYNC0 [ns].
    pub sync0_shift: i32,
    /// Shift of SYNC1 [ns].
    pub sync1_shift: i32,
    /// SYNC1's cycle as a multiple of SYNC0's.
    pub sync1_factor: i16,
    /// Register 0x0980: 0x0300 for SYNC0, 0 for none.
    pub activate: u16,
    /// SYNC0's cycle as a multiple of the bus cycle.
    pub sync0_factor: i16,
    /// String.
    pub name: u8,
    /// String.
    pub description: u8,
}

/// What is wrong with an image.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct SiiError {
    /// The address of the word at which it shows.
    pub word: usize,
    /// What was expected and what was found.
    pub message: String,
}

impl fmt::Display for SiiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EEPROM word {:#06x}: {}", self.word, self.message)
    }
}

impl Sii {
    /// Adds a string and returns its number, 0 for an empty one. Characters beyond ASCII become question marks; beyond 255
    /// characters or 255 strings there is no room.
    pub fn add_string(&mut self, text: &str) -> u8 {
        let text: String = text.chars().map(|c| if c.is_ascii() { c } else { '?' }).take(255).collect();
        if text.is_empty() {
            return 0;
        }
        let known = self.strings.iter().position(|string| *string == text);
        let place = known.unwrap_or(self.strings.len());
        if place >= 255 {
            return 0;
        }
        if known.is_none() {
            self.strings.push(text);
        }
        place as u8 + 1
    }

    /// A string by its number.
    pub fn string(&self, number: u8) -> Option<&str> {
        self.strings.get(usize::from(number).checked_sub(1)?).map(String::as_str)
    }
}

#[cfg(test)]
mod tests;
