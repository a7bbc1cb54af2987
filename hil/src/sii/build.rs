//! From content to image.

use super::{Clock, General, Sii, SiiPdo, SyncManager, category, checksum, word};

/// The smallest image [bytes]: 16 kbit, what small boards have.
const SMALLEST: usize = 2048;

impl Sii {
    /// The image: its size is a power of two and at least 2 KiB; what is not used is 0xff. Numbers that do not fit their
    /// field are cut to it: more than 65,535 words in a category, more than 255 entries in a process data object.
    pub fn build(&self) -> Vec<u8> {
        let mut image = vec![0; 2 * word::CATEGORIES];
        self.fixed(&mut image);
        let general = self.general.as_ref().map_or(Vec::new(), general);
        let categories = [
            (category::STRINGS, strings(&self.strings)),
            (category::GENERAL, general),
            (category::FMMU, self.fmmus.clone()),
            (category::SYNC_MANAGERS, self.sync_managers.iter().flat_map(sync_manager).collect()),
            (category::TX_PDO, self.tx_pdos.iter().flat_map(pdo).collect()),
            (category::RX_PDO, self.rx_pdos.iter().flat_map(pdo).collect()),
            (category::CLOCK, self.clocks.iter().flat_map(clock).collect()),
        ];
        for (kind, content) in categories.iter().filter(|(_, content)| !content.is_empty()) {
            append(&mut image, *kind, content);
        }
        image.extend_from_slice(&category::END.to_le_bytes());
        let size = image.len().next_power_of_two().max(SMALLEST);
        image.resize(size, 0xff);
        put(&mut image, word::SIZE, &((size / 128 - 1) as u16).to_le_bytes());
        image
    }

    fn fixed(&self, image: &mut [u8]) {
        for (place, value) in self.configuration.iter().enumerate() {
            put(image, place, &value.to_le_bytes());
        }
        put(image, word::ALIAS, &self.alias.to_le_bytes());
        let sum = checksum(&image[..14]);
        put(image, word::CHECKSUM, &[sum, 0]);
        let identity = self.identity;
        let words = [identity.vendor, identity.product, identity.revision, identity.serial];
        for (place, value) in words.iter().enumerate() {
            put(image, word::IDENTITY + 2 * place, &value.to_le_bytes());
        }
        let mailbox = self.mailbox;
        let words = [mailbox.out_start, mailbox.out_size, mailbox.in_start, mailbox.in_size];
        for (place, value) in words.iter().enumerate() {
            put(image, word::MAILBOX + place, &value.to_le_bytes());
        }
        put(image, word::PROTOCOLS, &mailbox.protocols.to_le_bytes());
        put(image, word::VERSION, &1_u16.to_le_bytes());
    }
}

fn put(image: &mut [u8], word: usize, bytes: &[u8]) {
    image[2 * word..][..bytes.len()].copy_from_slice(bytes);
}

/// An odd byte out is followed by 0xff, which is nothing in a list of FMMUs and behind the end elsewhere.
fn append(image: &mut Vec<u8>, kind: u16, content: &[u8]) {
    let words = content.len().div_ceil(2).min(0xffff);
    image.extend_from_slice(&kind.to_le_bytes());
    image.extend_from_slice(&(words as u16).to_le_bytes());
    let end = image.len() + 2 * words;
    image.extend_from_slice(content);
    image.resize(end, 0xff);
}

fn strings(strings: &[String]) -> Vec<u8> {
    if strings.is_empty() {
        return Vec::new();
    }
    let mut bytes = vec![strings.len().min(255) as u8];
    for text in strings.iter().take(255) {
        let text = &text.as_bytes()[..text.len().min(255)];
        bytes.push(text.len() as u8);
        bytes.extend_from_slice(text);
    }
    bytes
}

fn general(general: &General) -> Vec<u8> {
    let General { group, image, order, name, coe_details, flags, .. } = *general;
    let mut bytes = vec![group, image, order, name, 0, coe_details, 0, 0, 0, 0, 0, flags];
    bytes.extend_from_slice(&general.current.to_le_bytes());
    bytes.extend_from_slice(&[group, 0]);
    bytes.extend_from_slice(&general.ports.to_le_bytes());
    bytes.resize(32, 0);
    bytes
}

fn sync_manager(manager: &SyncManager) -> [u8; 8] {
    let ([s0, s1], [l0, l1]) = (manager.start.to_le_bytes(), manager.length.to_le_bytes());
    [s0, s1, l0, l1, manager.control, 0, manager.enable, manager.usage]
}

fn pdo(pdo: &SiiPdo) -> Vec<u8> {
    let ([i0, i1], [f0, f1]) = (pdo.index.to_le_bytes(), pdo.flags.to_le_bytes());
    let count = pdo.entries.len().min(255);
    let mut bytes = vec![i0, i1, count as u8, pdo.sync_manager, 0, pdo.name, f0, f1];
    for entry in &pdo.entries[..count] {
        let [i0, i1] = entry.index.to_le_bytes();
        bytes.extend_from_slice(&[i0, i1, entry.sub, entry.name, entry.data_type, entry.bits, 0, 0]);
    }
    bytes
}

fn clock(clock: &Clock) -> Vec<u8> {
    let mut bytes = clock.sync0_cycle.to_le_bytes().to_vec();
    bytes.extend_from_slice(&clock.sync0_shift.to_le_bytes());
    bytes.extend_from_slice(&clock.sync1_shift.to_le_bytes());
    bytes.extend_from_slice(&clock.sync1_factor.to_le_bytes());
    bytes.extend_from_slice(&clock.activate.to_le_bytes());
    bytes.extend_from_slice(&clock.sync0_factor.to_le_bytes());
    bytes.extend_from_slice(&[clock.name, clock.description, 0, 0, 0, 0]);
    bytes
}
