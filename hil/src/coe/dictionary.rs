//! A board's objects: what they are called, how large they are, who may write them, what they hold.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// All objects of a board. A [`Slot`] is where one of them is kept, so that the cycle searches nothing.
#[derive(Clone, Debug, Default)]
pub struct Dictionary {
    objects: Vec<Object>,
    places: BTreeMap<(u16, u8), Slot>,
}

/// The place of an object in its dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(usize);

/// One object, or one part of a larger one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// The object's number.
    pub index: u16,
    /// The part's number; 0 of a larger object is how many parts it has.
    pub sub: u8,
    /// What it is called.
    pub name: Cow<'static, str>,
    /// What its bytes mean.
    pub kind: DataType,
    /// Who may do what.
    pub access: Access,
    /// Its bytes, little-endian; the length is that of `kind` where that has one.
    pub value: Vec<u8>,
}

/// The basic data types of CANopen with their numbers (ETG.1000.6 table 64).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum DataType {
    /// True or false, one byte in an SDO.
    Bool = 0x0001,
    /// Signed, 8 bits.
    I8 = 0x0002,
    /// Signed, 16 bits.
    I16 = 0x0003,
    /// Signed, 32 bits.
    I32 = 0x0004,
    /// Unsigned, 8 bits.
    U8 = 0x0005,
    /// Unsigned, 16 bits.
    U16 = 0x0006,
    /// Unsigned, 32 bits.
    U32 = 0x0007,
    /// Floating point, 32 bits.
    F32 = 0x0008,
    /// Text.
    Text = 0x0009,
    /// Unsigned, 64 bits.
    U64 = 0x001b,
}

impl DataType {
    /// Bytes of a value; `None` for text.
    pub const fn bytes(self) -> Option<usize> {
        match self {
            DataType::Bool | DataType::I8 | DataType::U8 => Some(1),
            DataType::I16 | DataType::U16 => Some(2),
            DataType::I32 | DataType::U32 | DataType::F32 => Some(4),
            DataType::U64 => Some(8),
            DataType::Text => None,
        }
    }
}

/// Who may do what with an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Read only.
    Read,
    /// Read, and mapped into inputs.
    ReadMapped,
    /// Read and written.
    Write,
    /// Read and written, and mapped into outputs.
    WriteMapped,
    /// Written before SAFE-OP only: mappings and assignments.
    WriteInPreOp,
}

impl Dictionary {
    /// Adds an object of a fixed-size type; a second one with the same number replaces the first.
    pub fn add(&mut self, index: u16, sub: u8, name: &'static str, kind: DataType, access: Access, value: u64) -> Slot {
        let bytes = value.to_le_bytes()[..kind.bytes().unwrap_or(8)].to_vec();
        self.insert(Object { index, sub, name: name.into(), kind, access, value: bytes })
    }

    /// Adds a text.
    pub fn add_text(&mut self, index: u16, sub: u8, name: &'static str, text: &str) -> Slot {
        let value = text.as_bytes().to_vec();
        self.insert(Object { index, sub, name: name.into(), kind: DataType::Text, access: Access::Read, value })
    }

    /// Adds any object; a second one with the same number replaces the first.
    pub fn insert(&mut self, object: Object) -> Slot {
        let key = (object.index, object.sub);
        if let Some(slot) = self.places.get(&key).copied() {
            self.objects[slot.0] = object;
            return slot;
        }
        let slot = Slot(self.objects.len());
        self.objects.push(object);
        self.places.insert(key, slot);
        slot
    }

    /// Where an object is.
    pub fn slot(&self, index: u16, sub: u8) -> Option<Slot> {
        self.places.get(&(index, sub)).copied()
    }

    /// The object at a place.
    pub fn object(&self, slot: Slot) -> &Object {
        &self.objects[slot.0]
    }

    /// All objects in order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &Object> {
        self.places.values().map(|slot| &self.objects[slot.0])
    }

    /// A value, zero-extended.
    pub fn get(&self, slot: Slot) -> u64 {
        self.objects[slot.0].value.iter().rev().take(8).fold(0, |word, byte| word << 8 | u64::from(*byte))
    }

    /// A value, sign-extended.
    pub fn get_signed(&self, slot: Slot) -> i64 {
        let unused = 64 - 8 * self.objects[slot.0].value.len().clamp(1, 8) as u32;
        (self.get(slot) << unused) as i64 >> unused
    }

    /// A 32-bit floating-point value.
    pub fn get_f32(&self, slot: Slot) -> f32 {
        f32::from_bits(self.get(slot) as u32)
    }

    /// Sets a value to the low bytes of `value`.
    pub fn set(&mut self, slot: Slot, value: u64) {
        self.objects[slot.0].value.iter_mut().zip(value.to_le_bytes()).for_each(|(byte, new)| *byte = new);
    }

    /// Sets a 32-bit floating-point value.
    pub fn set_f32(&mut self, slot: Slot, value: f32) {
        self.set(slot, u64::from(value.to_bits()));
    }

    /// The bytes at a place, to be overwritten; their number stays.
    pub fn bytes_mut(&mut self, slot: Slot) -> &mut [u8] {
        &mut self.objects[slot.0].value
    }
}
