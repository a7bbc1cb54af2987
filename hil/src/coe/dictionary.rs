//! A board's objects: what they are called, how large they are, who may write them, what they hold.

use std::borrow::Cow;
use std::collections::BTreeMap;

use robot_io::{State, StateVisitor};

use super::{Abort, Access, DataType};

/// All objects of a board. A [`Slot`] is where one of them is kept, so that the cycle searches nothing.
#[derive(Clone, Debug, Default)]
pub struct Dictionary {
    objects: Vec<Object>,
    places: BTreeMap<(u16, u8), Slot>,
    titles: BTreeMap<u16, Cow<'static, str>>,
    limits: BTreeMap<Slot, (i64, i64)>,
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

impl Dictionary {
    /// Adds an object of a fixed-size type; a second one with the same number replaces the first.
    #[allow(clippy::too_many_arguments, reason = "a row of a table")]
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

    /// Gives a larger object a name of its own; without one it is called what its first part is.
    pub fn title(&mut self, index: u16, name: &'static str) {
        self.titles.insert(index, name.into());
    }

    /// What an object is called; `None` if there is none.
    pub fn name(&self, index: u16) -> Option<&str> {
        let (_, first) = self.parts(index).next()?;
        Some(self.titles.get(&index).map_or(&first.name, |title| title))
    }

    /// Lets SDOs write values from `low` to `high` only, compared with the sign of the object's type.
    pub fn limit(&mut self, slot: Slot, low: i64, high: i64) {
        self.limits.insert(slot, (low, high));
    }

    /// What [`limit`](Dictionary::limit) set.
    pub fn limits(&self, slot: Slot) -> Option<(i64, i64)> {
        self.limits.get(&slot).copied()
    }

    /// The parts of an object in order of their numbers.
    pub fn parts(&self, index: u16) -> impl Iterator<Item = (Slot, &Object)> {
        self.places.range((index, 0)..=(index, u8::MAX)).map(|(_, slot)| (*slot, &self.objects[slot.0]))
    }

    /// The numbers of all objects, in order, each once.
    pub fn indices(&self) -> impl Iterator<Item = u16> {
        let mut last = None;
        self.places.keys().map(|(index, _)| *index).filter(move |index| last.replace(*index) != Some(*index))
    }

    /// Where an object is, or the abort code that says what is missing: the object or its part.
    pub fn find(&self, index: u16, sub: u8) -> Result<Slot, Abort> {
        let missing = || if self.parts(index).next().is_some() { Abort::NO_SUB_INDEX } else { Abort::NO_OBJECT };
        self.slot(index, sub).ok_or_else(missing)
    }

    /// Could a value be written: length and limits? Who may write is not asked here.
    pub fn check(&self, slot: Slot, value: &[u8]) -> Result<(), Abort> {
        let object = self.object(slot);
        let shortest = object.kind.bytes().unwrap_or(0);
        if value.len() > object.value.len() {
            return Err(Abort::TOO_LONG);
        }
        if value.len() < shortest {
            return Err(Abort::TOO_SHORT);
        }
        if let ([byte], Some(bits @ ..8)) = (value, object.kind.bits())
            && byte >> bits != 0
        {
            return Err(Abort::VALUE);
        }
        let Some((low, high)) = self.limits(slot) else { return Ok(()) };
        match number(object.kind, value) {
            number if number > i128::from(high) => Err(Abort::VALUE_TOO_HIGH),
            number if number < i128::from(low) => Err(Abort::VALUE_TOO_LOW),
            _ => Ok(()),
        }
    }

    /// Replaces a value's bytes; text that is shorter than its room is filled with zeros.
    pub fn store(&mut self, slot: Slot, value: &[u8]) {
        let room = &mut self.objects[slot.0].value;
        let bytes = value.iter().copied().chain(std::iter::repeat(0));
        room.iter_mut().zip(bytes).for_each(|(byte, new)| *byte = new);
    }
}

/// A whole number of an object's type, its sign kept.
fn number(kind: DataType, value: &[u8]) -> i128 {
    let word = value.iter().rev().take(8).fold(0_u64, |word, byte| word << 8 | u64::from(*byte));
    if !kind.is_signed() {
        return i128::from(word);
    }
    let unused = 64 - 8 * value.len().clamp(1, 8) as u32;
    i128::from((word << unused) as i64 >> unused)
}

/// The values of all objects, in the order in which they were added.
impl State for Dictionary {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        for chunk in self.objects.iter_mut().flat_map(|object| object.value.chunks_mut(8)) {
            let mut word = chunk.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
            visitor.word(&mut word);
            chunk.iter_mut().zip(word.to_le_bytes()).for_each(|(byte, new)| *byte = new);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_limits_are_kept() {
        let mut objects = Dictionary::default();
        let slot = objects.add(0x2000, 1, "offset", DataType::I16, Access::Write, 0);
        objects.limit(slot, -100, 200);
        assert_eq!(objects.check(slot, &[1]), Err(Abort::TOO_SHORT));
        assert_eq!(objects.check(slot, &[1, 0, 0]), Err(Abort::TOO_LONG));
        assert_eq!(objects.check(slot, &(-101_i16).to_le_bytes()), Err(Abort::VALUE_TOO_LOW));
        assert_eq!(objects.check(slot, &201_i16.to_le_bytes()), Err(Abort::VALUE_TOO_HIGH));
        assert_eq!(objects.check(slot, &(-100_i16).to_le_bytes()), Ok(()));
        let flag = objects.add(0x2001, 0, "flag", DataType::Bool, Access::Write, 0);
        assert_eq!(objects.check(flag, &[2]), Err(Abort::VALUE));
        let bits = objects.add(0x2002, 0, "bits", DataType::Bits3, Access::Write, 0);
        assert_eq!((objects.check(bits, &[7]), objects.check(bits, &[8])), (Ok(()), Err(Abort::VALUE)));
    }

    #[test]
    fn missing_objects_and_missing_parts_differ() {
        let mut objects = Dictionary::default();
        objects.add(0x2000, 1, "part", DataType::U8, Access::Read, 0);
        objects.title(0x2000, "whole");
        assert_eq!(objects.find(0x2000, 2), Err(Abort::NO_SUB_INDEX));
        assert_eq!(objects.find(0x2001, 0), Err(Abort::NO_OBJECT));
        assert_eq!((objects.name(0x2000), objects.name(0x2001)), (Some("whole"), None));
        assert_eq!(objects.indices().collect::<Vec<_>>(), [0x2000]);
    }
}
