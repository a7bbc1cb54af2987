//! Complete access: all parts of an object in one transfer (ETG.1000.6 5.6.2.1). Sub-index 0 takes two bytes; a part takes
//! the bytes that it takes alone; parts that do not exist take none.

use super::sdo::Objects;
use super::{Abort, Access, DataType, Dictionary, Object, Slot};

/// The bytes of an object from part `first` (0 or 1) on. What cannot be read is zeros.
pub(super) fn gather(dictionary: &Dictionary, index: u16, first: u8) -> Result<Vec<u8>, Abort> {
    let parts = parts(dictionary, index, first)?;
    let mut data = Vec::new();
    if first == 0 {
        data.extend_from_slice(&[count(dictionary, index), 0]);
    }
    for slot in parts.take_while(|slot| dictionary.object(*slot).sub <= count(dictionary, index)) {
        let Object { access, value, .. } = dictionary.object(slot);
        let shown = value.iter().map(|byte| if access.is_readable() { *byte } else { 0 });
        data.extend(shown);
    }
    Ok(data)
}

/// Could this many bytes be written?
pub(super) fn may_scatter(objects: &Objects, index: u16, first: u8, size: usize) -> Result<(), Abort> {
    let dictionary = &*objects.dictionary;
    let mut room = if first == 0 { 2 } else { 0 };
    let mut refused = Abort::READ_ONLY;
    let mut writable = false;
    for slot in parts(dictionary, index, first)? {
        room += dictionary.object(slot).value.len();
        match objects.may_write(slot) {
            Ok(()) => writable = true,
            Err(abort) => refused = abort,
        }
    }
    if !writable {
        return Err(refused);
    }
    if size > room { Err(Abort::TOO_LONG) } else { Ok(()) }
}

/// Writes an object's parts from `first` on; all of them or, if one is refused, none. Parts that are only read are passed
/// over.
pub(super) fn scatter(objects: &mut Objects, index: u16, first: u8, data: &[u8]) -> Result<(), Abort> {
    may_scatter(objects, index, first, data.len())?;
    let old: Vec<(Slot, Vec<u8>)> =
        objects.dictionary.parts(index).map(|(slot, object)| (slot, object.value.clone())).collect();
    let written = write_parts(objects, index, first, data);
    if written.is_err() {
        old.iter().for_each(|(slot, value)| objects.dictionary.store(*slot, value));
    }
    written
}

fn write_parts(objects: &mut Objects, index: u16, first: u8, data: &[u8]) -> Result<(), Abort> {
    let present = count(objects.dictionary, index);
    let (wanted, mut rest) = match (first, data) {
        (0, []) => return Err(Abort::TOO_SHORT),
        (0, [wanted]) => (*wanted, &data[1..]),
        (0, [wanted, _, rest @ ..]) => (*wanted, rest),
        _ => (present, data),
    };
    let counter = objects.dictionary.slot(index, 0);
    let dynamic = counter.filter(|slot| objects.dictionary.object(*slot).access == Access::WriteInPreOp);
    match dynamic {
        Some(slot) => objects.write(slot, &[0])?,
        None if wanted != present => return Err(Abort::COUNT_NOT_ZERO),
        None => {}
    }
    let is_wanted = |slot: &Slot| objects.dictionary.object(*slot).sub <= wanted;
    let slots: Vec<Slot> = parts(objects.dictionary, index, 1)?.filter(is_wanted).collect();
    for slot in slots {
        let (value, behind) =
            rest.split_at_checked(objects.dictionary.object(slot).value.len()).ok_or(Abort::TOO_SHORT)?;
        rest = behind;
        match objects.may_write(slot) {
            Ok(()) => objects.write(slot, value)?,
            Err(Abort::READ_ONLY) => {}
            Err(abort) => return Err(abort),
        }
    }
    if !rest.is_empty() {
        return Err(Abort::TOO_LONG);
    }
    dynamic.map_or(Ok(()), |slot| objects.write(slot, &[wanted]))
}

/// The parts from 1 on, once it is clear that they can be accessed together.
fn parts(dictionary: &Dictionary, index: u16, first: u8) -> Result<impl Iterator<Item = Slot>, Abort> {
    dictionary.parts(index).next().ok_or(Abort::NO_OBJECT)?;
    if dictionary.parts(index).any(|(_, object)| object.kind == DataType::Text) {
        return Err(Abort::NO_COMPLETE_ACCESS);
    }
    let is_plain = dictionary.parts(index).all(|(_, object)| object.sub == 0);
    if first > 1 || is_plain {
        return Err(Abort::UNSUPPORTED_ACCESS);
    }
    Ok(dictionary.parts(index).filter(|(_, object)| object.sub > 0).map(|(slot, _)| slot))
}

/// The value of sub-index 0; without one, all parts count.
fn count(dictionary: &Dictionary, index: u16) -> u8 {
    dictionary.slot(index, 0).map_or(u8::MAX, |slot| dictionary.get(slot) as u8)
}
