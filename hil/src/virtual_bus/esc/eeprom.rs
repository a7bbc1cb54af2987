//! The EEPROM and the registers through which it is read and written (ETG.1000.4, 6.4).

use super::memory::Memory;
use crate::wire::register as reg;

/// Control: the MainDevice may write.
const WRITE_ENABLE: u16 = 0x0001;
/// Status: reads give 8 bytes.
const EIGHT_BYTES: u16 = 0x0040;
const COMMAND: u16 = 0x0700;
const READ: u16 = 0x0100;
const WRITE: u16 = 0x0200;
const RELOAD: u16 = 0x0400;
/// Status: the checksum of the first words is wrong.
const CHECKSUM_ERROR: u16 = 0x0800;
/// Status: no such command, or no such address.
const COMMAND_ERROR: u16 = 0x2000;
/// Status: a write without the right to.
const WRITE_ERROR: u16 = 0x4000;

/// The words that the checksum covers [bytes].
const COVERED: usize = 14;
const ALIAS: usize = 8;
/// What may be written [bytes]: the settings with the alias (words 0 to 7) and words 0x28 to 0x3D, which nobody uses.
const WRITABLE: [core::ops::Range<usize>; 2] = [0..0x10, 0x50..0x7c];
const MAILBOX: usize = 0x18 * 2;
const CATEGORIES: usize = 0x40 * 2;
const SYNC_MANAGERS: u16 = 41;
const END_OF_CATEGORIES: u16 = 0xffff;

/// What a standard mailbox is, according to words 0x18 to 0x1C.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MailboxLayout {
    pub(super) out_start: usize,
    pub(super) out_length: usize,
    pub(super) in_start: usize,
    pub(super) in_length: usize,
}

/// Which sync manager has which part; `None` for parts that the board does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Roles {
    pub(super) mail_out: Option<usize>,
    pub(super) mail_in: Option<usize>,
    pub(super) outputs: Option<usize>,
    pub(super) inputs: Option<usize>,
}

/// The image, which survives a loss of power.
#[derive(Clone, Debug)]
pub(super) struct Eeprom {
    image: Vec<u8>,
}

impl Eeprom {
    pub(super) fn new(image: &[u8]) -> Eeprom {
        Eeprom { image: image.to_vec() }
    }

    pub(super) fn image(&self) -> &[u8] {
        &self.image
    }

    fn word(&self, at: usize) -> u16 {
        let byte = |at: usize| self.image.get(at).copied().unwrap_or(0xff);
        u16::from_le_bytes([byte(at), byte(at + 1)])
    }

    /// True if the first words' checksum is right; without that a board has no settings and no processor.
    pub(super) fn is_valid(&self) -> bool {
        self.image.get(..COVERED).is_some_and(|covered| self.word(COVERED) & 0xff == u16::from(checksum(covered)))
    }

    /// At power-up the settings go to their registers.
    pub(super) fn load(&self, memory: &mut Memory) {
        memory.set_u16(reg::SII_CONTROL, EIGHT_BYTES);
        if !self.is_valid() {
            return memory.set_u16(reg::SII_CONTROL, EIGHT_BYTES | CHECKSUM_ERROR);
        }
        memory.set_u16(reg::STATION_ALIAS, self.word(ALIAS));
        self.reload(memory);
    }

    /// The settings without the alias, which counts from power-up only.
    fn reload(&self, memory: &mut Memory) {
        memory.set_u16(reg::PDI_CONTROL, self.word(0));
        memory.set_u16(reg::PDI_CONFIGURATION, self.word(2));
        memory.set_u16(reg::PDI_CONFIGURATION + 2, self.word(6));
        memory.set_u16(reg::SYNC_ACTIVATION + 1, self.word(4));
    }

    /// The mailbox; `None` if the board has none.
    pub(super) fn mailbox(&self) -> Option<MailboxLayout> {
        let word = |n: usize| usize::from(self.word(MAILBOX + 2 * n));
        let present = self.image.len() > MAILBOX + 9 && word(4) != 0 && word(1) != 0 && word(3) != 0;
        present.then(|| MailboxLayout {
            out_start: word(0),
            out_length: word(1),
            in_start: word(2),
            in_length: word(3),
        })
    }

    /// Sync managers by the type that category 41 gives them; without it the usual: 0 and 1 mailbox, 2 and 3 process data.
    pub(super) fn roles(&self) -> Roles {
        let usual = Roles { mail_out: Some(0), mail_in: Some(1), outputs: Some(2), inputs: Some(3) };
        let Some(managers) = self.category(SYNC_MANAGERS) else { return usual };
        let with_type = |kind: u8| managers.chunks_exact(8).take(16).position(|manager| manager[7] == kind);
        Roles { mail_out: with_type(1), mail_in: with_type(2), outputs: with_type(3), inputs: with_type(4) }
    }

    fn category(&self, wanted: u16) -> Option<&[u8]> {
        let mut at = CATEGORIES;
        while at + 4 <= self.image.len() {
            let (kind, length) = (self.word(at), 2 * usize::from(self.word(at + 2)));
            if kind == wanted {
                return self.image.get(at + 4..at + 4 + length);
            }
            if kind == END_OF_CATEGORIES {
                return None;
            }
            at += 4 + length;
        }
        None
    }

    /// Does what the control register asks for, at once: the controller is never seen busy.
    pub(super) fn execute(&mut self, memory: &mut Memory) {
        let control = memory.u16(reg::SII_CONTROL);
        let at = usize::try_from(memory.u32(reg::SII_ADDRESS)).unwrap_or(usize::MAX).saturating_mul(2);
        let errors = match control & COMMAND {
            0 => 0,
            READ => {
                self.read(at, memory.slice_mut(usize::from(reg::SII_DATA), 8));
                0
            }
            WRITE if control & WRITE_ENABLE == 0 => WRITE_ERROR,
            WRITE => self.write(at, memory.u16(reg::SII_DATA)),
            RELOAD if !self.is_valid() => CHECKSUM_ERROR,
            RELOAD => {
                self.reload(memory);
                0
            }
            _ => COMMAND_ERROR,
        };
        memory.set_u16(reg::SII_CONTROL, EIGHT_BYTES | errors);
    }

    /// Beyond the image an EEPROM is blank: 0xFF.
    fn read(&self, at: usize, data: &mut [u8]) {
        for (n, byte) in data.iter_mut().enumerate() {
            *byte = at.checked_add(n).and_then(|at| self.image.get(at)).copied().unwrap_or(0xff);
        }
    }

    /// Writes a word and keeps the checksum of the first words right, as a MainDevice's tool would. What a MainDevice needs
    /// to find and start the board is write-protected: identity, mailbox, size and categories.
    fn write(&mut self, at: usize, word: u16) -> u16 {
        let writable = WRITABLE.iter().any(|range| range.contains(&at));
        let place = at.checked_add(2).filter(|_| writable).and_then(|end| self.image.get_mut(at..end));
        let Some(place) = place else { return COMMAND_ERROR };
        place.copy_from_slice(&word.to_le_bytes());
        if at <= COVERED && self.image.len() > COVERED {
            self.image[COVERED] = checksum(&self.image[..COVERED]);
        }
        0
    }
}

/// CRC-8, polynomial 0x07, from 0xFF (ETG.1000.6, 5.4).
fn checksum(bytes: &[u8]) -> u8 {
    let step = |crc: u8| if crc & 0x80 != 0 { crc << 1 ^ 0x07 } else { crc << 1 };
    bytes.iter().fold(0xff, |crc, byte| (0..8).fold(crc ^ byte, |crc, _| step(crc)))
}
