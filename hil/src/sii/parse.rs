//! From image to content.

use super::{Clock, General, Mailboxes, Sii, SiiEntry, SiiError, SiiIdentity, SiiPdo, SyncManager, category, word};

impl Sii {
    /// Reads an image. Categories that are not known are passed over; of one that appears twice the last counts.
    pub fn parse(image: &[u8]) -> Result<Sii, SiiError> {
        let words = Words(image);
        words.span(0, word::CATEGORIES, "the fixed part")?;
        let (expected, found) = (checksum(&image[..14]), image[2 * word::CHECKSUM]);
        if expected != found {
            return Err(error(word::CHECKSUM, format!("expected checksum {expected:#04x}, found {found:#04x}")));
        }
        let mut sii = words.fixed();
        let mut at = word::CATEGORIES;
        loop {
            let kind = words.span(at, 1, "a category or the end").map(|_| words.u16(at))?;
            if kind == category::END {
                return Ok(sii);
            }
            words.span(at, 2, "a category's type and length")?;
            let length = usize::from(words.u16(at + 1));
            let content = words.span(at + 2, length, &format!("category {kind} of {length} words"))?;
            sii.category(kind, content, at + 2)?;
            at += 2 + length;
        }
    }

    fn category(&mut self, kind: u16, content: &[u8], at: usize) -> Result<(), SiiError> {
        match kind {
            category::STRINGS => self.strings = strings(content, at)?,
            category::GENERAL => self.general = Some(general(content, at)?),
            category::FMMU => self.fmmus = content.to_vec(),
            category::SYNC_MANAGERS => self.sync_managers = sync_managers(content, at)?,
            category::TX_PDO => self.tx_pdos = pdos(content, at)?,
            category::RX_PDO => self.rx_pdos = pdos(content, at)?,
            category::CLOCK => self.clocks = clocks(content, at)?,
            _ => {}
        }
        Ok(())
    }
}

/// The checksum of words 0 to 6: CRC-8 with polynomial 0x07, begun with 0xff (ETG.1000.6 table 16).
pub fn checksum(bytes: &[u8]) -> u8 {
    let bit = |sum: u8, _| if sum & 0x80 != 0 { sum << 1 ^ 0x07 } else { sum << 1 };
    bytes.iter().fold(0xff, |sum, byte| (0..8).fold(sum ^ byte, bit))
}

struct Words<'a>(&'a [u8]);

impl<'a> Words<'a> {
    fn span(&self, at: usize, length: usize, what: &str) -> Result<&'a [u8], SiiError> {
        let words = self.0.len() / 2;
        let missing = || error(at, format!("expected {what}, found the image's end at word {words:#06x}"));
        self.0.get(2 * at..2 * (at + length)).ok_or_else(missing)
    }

    fn u16(&self, at: usize) -> u16 {
        u16_at(self.0, 2 * at)
    }

    fn u32(&self, at: usize) -> u32 {
        u32_at(self.0, 2 * at)
    }

    fn fixed(&self) -> Sii {
        let place = |n: usize| word::IDENTITY + 2 * n;
        let identity = SiiIdentity {
            vendor: self.u32(place(0)),
            product: self.u32(place(1)),
            revision: self.u32(place(2)),
            serial: self.u32(place(3)),
        };
        let mailbox = Mailboxes {
            out_start: self.u16(word::MAILBOX),
            out_size: self.u16(word::MAILBOX + 1),
            in_start: self.u16(word::MAILBOX + 2),
            in_size: self.u16(word::MAILBOX + 3),
            protocols: self.u16(word::PROTOCOLS),
        };
        let configuration = [0, 1, 2, 3].map(|place| self.u16(place));
        Sii { configuration, alias: self.u16(word::ALIAS), identity, mailbox, ..Sii::default() }
    }
}

fn error(word: usize, message: String) -> SiiError {
    SiiError { word, message }
}

/// Two bytes from `at` on; what is missing is zeros.
fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u16::from_le_bytes(*bytes))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn strings(content: &[u8], at: usize) -> Result<Vec<String>, SiiError> {
    let Some((count, mut rest)) = content.split_first() else { return Ok(Vec::new()) };
    let mut strings = Vec::new();
    for number in 1..=*count {
        let here = at + (content.len() - rest.len()) / 2;
        let text = rest.split_first().and_then(|(length, rest)| rest.split_at_checked(usize::from(*length)));
        let Some((text, behind)) = text else {
            return Err(error(here, format!("expected string {number} of {count}, found the category's end")));
        };
        strings.push(text.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { '?' }).collect());
        rest = behind;
    }
    Ok(strings)
}

fn general(content: &[u8], at: usize) -> Result<General, SiiError> {
    let Some([group, image, order, name, _, coe_details, _, _, _, _, _, flags, ..]) = content.first_chunk::<18>()
    else {
        return Err(error(at, format!("expected 18 bytes of general information, found {}", content.len())));
    };
    Ok(General {
        group: *group,
        image: *image,
        order: *order,
        name: *name,
        coe_details: *coe_details,
        flags: *flags,
        current: u16_at(content, 12) as i16,
        ports: u16_at(content, 16),
    })
}

fn sync_managers(content: &[u8], at: usize) -> Result<Vec<SyncManager>, SiiError> {
    let parse = |bytes: &[u8]| SyncManager {
        start: u16_at(bytes, 0),
        length: u16_at(bytes, 2),
        control: bytes[4],
        enable: bytes[6],
        usage: bytes[7],
    };
    records(content, 8, at, "sync managers").map(|records| records.map(parse).collect())
}

fn clocks(content: &[u8], at: usize) -> Result<Vec<Clock>, SiiError> {
    let parse = |bytes: &[u8]| Clock {
        sync0_cycle: u32_at(bytes, 0),
        sync0_shift: u32_at(bytes, 4) as i32,
        sync1_shift: u32_at(bytes, 8) as i32,
        sync1_factor: u16_at(bytes, 12) as i16,
        activate: u16_at(bytes, 14),
        sync0_factor: u16_at(bytes, 16) as i16,
        name: bytes[18],
        description: bytes[19],
    };
    records(content, 24, at, "clock modes").map(|records| records.map(parse).collect())
}

fn records<'a>(
    content: &'a [u8],
    size: usize,
    at: usize,
    what: &str,
) -> Result<core::slice::ChunksExact<'a, u8>, SiiError> {
    let records = content.chunks_exact(size);
    let rest = records.remainder().len();
    if rest == 0 {
        return Ok(records);
    }
    let word = at + (content.len() - rest) / 2;
    Err(error(word, format!("expected {what} of {size} bytes, found {rest} bytes at the category's end")))
}

fn pdos(content: &[u8], at: usize) -> Result<Vec<SiiPdo>, SiiError> {
    let mut records = records(content, 8, at, "process data objects and entries")?;
    let mut pdos = Vec::new();
    while let Some(head) = records.next() {
        let count = usize::from(head[2]);
        let word = at + (content.len() - 8 * (records.len() + 1)) / 2;
        let entries: Vec<SiiEntry> = records.by_ref().take(count).map(entry).collect();
        if entries.len() < count {
            let found = entries.len();
            return Err(error(word, format!("expected {count} entries of {:#06x}, found {found}", u16_at(head, 0))));
        }
        let (index, flags) = (u16_at(head, 0), u16_at(head, 6));
        pdos.push(SiiPdo { index, sync_manager: head[3], name: head[5], flags, entries });
    }
    Ok(pdos)
}

fn entry(bytes: &[u8]) -> SiiEntry {
    let (index, sub, name) = (u16_at(bytes, 0), bytes[2], bytes[3]);
    SiiEntry { index, sub, name, data_type: bytes[4], bits: bytes[5] }
}
