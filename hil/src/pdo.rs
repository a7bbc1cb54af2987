//! Where in the process data a board says what: maps of objects to bits.
//!
//! The mapping is data. A MainDevice reads or writes it by SDO, both ends find their fields in it by object, and an entry
//! may have any number of bits.

/// Entry of a process data object: bits of an object of the dictionary, or padding where the index is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PdoEntry {
    /// The object.
    pub index: u16,
    /// Its part.
    pub sub: u8,
    /// How many bits it takes.
    pub bits: u8,
}

impl PdoEntry {
    /// `bits` bits of the object `index:sub`.
    pub const fn new(index: u16, sub: u8, bits: u8) -> PdoEntry {
        PdoEntry { index, sub, bits }
    }

    /// The word in which a mapping object says it.
    pub const fn to_word(self) -> u32 {
        (self.index as u32) << 16 | (self.sub as u32) << 8 | self.bits as u32
    }

    /// The entry that such a word says.
    pub const fn from_word(word: u32) -> PdoEntry {
        PdoEntry { index: (word >> 16) as u16, sub: (word >> 8) as u8, bits: word as u8 }
    }
}

/// A process data object: a mapping object and its entries, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pdo {
    /// The mapping object: 0x1600 and up for outputs, 0x1A00 and up for inputs.
    pub index: u16,
    /// What it holds.
    pub entries: Vec<PdoEntry>,
}

/// A board's process data in both directions. "Outputs" go to the board (its RxPDO, sync manager 2), "inputs" come from it
/// (its TxPDO, sync manager 3).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PdoMap {
    /// MainDevice to board.
    pub outputs: Vec<Pdo>,
    /// Board to MainDevice.
    pub inputs: Vec<Pdo>,
}

/// Where a field lies in a board's process data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The first bit, from the beginning of the board's data, least significant first.
    pub first_bit: usize,
    /// How many bits, at most 64.
    pub bits: u8,
}

impl PdoMap {
    /// Bytes to the board.
    pub fn output_bytes(&self) -> usize {
        bytes_of(&self.outputs)
    }

    /// Bytes from the board.
    pub fn input_bytes(&self) -> usize {
        bytes_of(&self.inputs)
    }

    /// Where an object lies in the outputs.
    pub fn output(&self, index: u16, sub: u8) -> Option<Field> {
        find(&self.outputs, index, sub)
    }

    /// Where an object lies in the inputs.
    pub fn input(&self, index: u16, sub: u8) -> Option<Field> {
        find(&self.inputs, index, sub)
    }
}

fn bytes_of(pdos: &[Pdo]) -> usize {
    let bits: usize = pdos.iter().flat_map(|pdo| &pdo.entries).map(|entry| usize::from(entry.bits)).sum();
    bits.div_ceil(8)
}

fn find(pdos: &[Pdo], index: u16, sub: u8) -> Option<Field> {
    let mut first_bit = 0;
    for entry in pdos.iter().flat_map(|pdo| &pdo.entries) {
        if (entry.index, entry.sub) == (index, sub) && index != 0 {
            return Some(Field { first_bit, bits: entry.bits });
        }
        first_bit += usize::from(entry.bits);
    }
    None
}

impl Field {
    /// The field's bits, zero-extended; bits beyond the data are zero.
    pub fn get(self, data: &[u8]) -> u64 {
        if self.first_bit.is_multiple_of(8) && self.bits.is_multiple_of(8) {
            let start = self.first_bit / 8;
            let bytes = data.get(start..start + usize::from(self.bits) / 8).unwrap_or(&[]);
            return bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        }
        let bit = |place: usize| data.get(place / 8).is_some_and(|byte| byte >> (place % 8) & 1 == 1);
        (0..usize::from(self.bits)).filter(|k| bit(self.first_bit + k)).fold(0, |word, k| word | 1 << k)
    }

    /// The field's bits, sign-extended.
    pub fn get_signed(self, data: &[u8]) -> i64 {
        let unused = 64 - u32::from(self.bits.clamp(1, 64));
        (self.get(data) << unused) as i64 >> unused
    }

    /// The field as a 32-bit floating-point number.
    pub fn get_f32(self, data: &[u8]) -> f32 {
        f32::from_bits(self.get(data) as u32)
    }

    /// Writes the low bits of `value`; bits beyond the data are lost.
    pub fn put(self, data: &mut [u8], value: u64) {
        if self.first_bit.is_multiple_of(8) && self.bits.is_multiple_of(8) {
            let start = self.first_bit / 8;
            let bytes = data.get_mut(start..start + usize::from(self.bits) / 8).unwrap_or(&mut []);
            bytes.iter_mut().zip(value.to_le_bytes()).for_each(|(byte, new)| *byte = new);
            return;
        }
        for k in 0..usize::from(self.bits) {
            let place = self.first_bit + k;
            if let Some(byte) = data.get_mut(place / 8) {
                let mask = 1 << (place % 8);
                *byte = if value >> k & 1 == 1 { *byte | mask } else { *byte & !mask };
            }
        }
    }

    /// Writes a 32-bit floating-point number.
    pub fn put_f32(self, data: &mut [u8], value: f32) {
        self.put(data, u64::from(value.to_bits()));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn map() -> PdoMap {
        let entries = vec![
            PdoEntry::new(0x6040, 0, 16),
            PdoEntry::new(0x60fe, 1, 3),
            PdoEntry::new(0, 0, 5),
            PdoEntry::new(0x607a, 0, 32),
        ];
        PdoMap { outputs: vec![Pdo { index: 0x1600, entries }], inputs: Vec::new() }
    }

    #[test]
    fn fields_are_found_behind_odd_bits_and_padding() {
        assert_eq!(map().output_bytes(), 7);
        assert_eq!(map().output(0x607a, 0), Some(Field { first_bit: 24, bits: 32 }));
        assert_eq!(map().output(0x60fe, 1), Some(Field { first_bit: 16, bits: 3 }));
        assert_eq!(map().output(0, 0), None);
        assert_eq!(map().input(0x6041, 0), None);
    }

    #[test]
    fn negative_numbers_survive() {
        let field = map().output(0x607a, 0).unwrap();
        let mut data = [0xff; 7];
        field.put(&mut data, -5_i64 as u64);
        assert_eq!(field.get_signed(&data), -5);
    }

    proptest! {
        #[test]
        fn what_is_put_is_got_and_nothing_else_changes(first_bit in 0_usize..40, bits in 1_u8..=32, value: u64, fill: u8) {
            let field = Field { first_bit, bits };
            let mut data = [fill; 10];
            field.put(&mut data, value);
            prop_assert_eq!(field.get(&data), value & (u64::MAX >> (64 - u32::from(bits))));
            let outside = |k: &usize| *k < first_bit || *k >= first_bit + usize::from(bits);
            for k in (0..80).filter(outside) {
                prop_assert_eq!(data[k / 8] >> (k % 8) & 1, fill >> (k % 8) & 1);
            }
        }
    }
}
