//! The SDO information service: which objects there are, what they are called, what they hold (ETG.1000.6 5.6.3).

use std::collections::VecDeque;

use super::{Abort, Access, DataType, Dictionary, Object, Slot};

const GET_LIST: u8 = 1;
const GET_OBJECT: u8 = 3;
const GET_ENTRY: u8 = 5;
const ERROR: u8 = 7;

/// Opcode, reserved byte, fragments left.
const HEADER: usize = 4;

/// Answers a request of at least four bytes in fragments of at most `room` bytes.
pub(super) fn serve(dictionary: &Dictionary, request: &[u8], room: usize) -> VecDeque<Vec<u8>> {
    let (opcode, body) = (request[0] & 0x7f, &request[HEADER..]);
    let answer = match opcode {
        GET_LIST => list(dictionary, body),
        GET_OBJECT => object(dictionary, body),
        GET_ENTRY => entry(dictionary, body),
        _ => Err(Abort::COMMAND),
    };
    match answer {
        Ok(body) => fragments(opcode + 1, &body, room),
        Err(abort) => fragments(ERROR, &abort.0.to_le_bytes(), room),
    }
}

/// Bit 7 of the opcode says that more follows.
fn fragments(opcode: u8, body: &[u8], room: usize) -> VecDeque<Vec<u8>> {
    // An even number of bytes, so that no word of a list is torn.
    let chunks = body.chunks((room - HEADER) & !1);
    let fragment = |(left, chunk): (usize, &[u8])| {
        let incomplete = if left > 0 { 0x80 } else { 0 };
        let [low, high] = (left as u16).to_le_bytes();
        [&[opcode | incomplete, 0, low, high], chunk].concat()
    };
    (0..chunks.len()).rev().zip(chunks).map(fragment).collect()
}

/// The lists by their number from 1: all, mapped into outputs, mapped into inputs, kept when the board is replaced,
/// settings.
fn is_listed(list: u16, access: Access) -> bool {
    match list {
        1 => true,
        2 => access.word() & 0x0040 != 0,
        3 => access.word() & 0x0080 != 0,
        4 => access.word() & 0x0100 != 0,
        _ => access.word() & 0x0200 != 0,
    }
}

fn list(dictionary: &Dictionary, body: &[u8]) -> Result<Vec<u8>, Abort> {
    let [low, high] = *body.first_chunk().ok_or(Abort::LENGTH)?;
    let number = u16::from_le_bytes([low, high]);
    let listed = |list: u16| {
        dictionary
            .indices()
            .filter(move |index| dictionary.parts(*index).any(|(_, object)| is_listed(list, object.access)))
    };
    let words: Vec<u16> = match number {
        0 => (1..=5).map(|list| listed(list).count() as u16).collect(),
        1..=5 => listed(number).collect(),
        _ => return Err(Abort::UNSUPPORTED_ACCESS),
    };
    Ok(std::iter::once(number).chain(words).flat_map(u16::to_le_bytes).collect())
}

fn object(dictionary: &Dictionary, body: &[u8]) -> Result<Vec<u8>, Abort> {
    let [i0, i1] = *body.first_chunk().ok_or(Abort::LENGTH)?;
    let index = u16::from_le_bytes([i0, i1]);
    let name = dictionary.name(index).ok_or(Abort::NO_OBJECT)?;
    let (kind, code, last) = shape(dictionary, index);
    let [k0, k1] = kind.to_le_bytes();
    Ok([&[i0, i1, k0, k1, last, code], name.as_bytes()].concat())
}

/// An object's data type, its object code (7 variable, 8 array, 9 record) and its last part.
fn shape(dictionary: &Dictionary, index: u16) -> (u16, u8, u8) {
    let mut kinds = dictionary.parts(index).filter(|(_, object)| object.sub > 0).map(|(_, object)| object.kind);
    let last = dictionary.parts(index).last().map_or(0, |(_, object)| object.sub);
    let single = dictionary.slot(index, 0).map_or(DataType::U8, |slot| dictionary.object(slot).kind);
    match (kinds.next(), index) {
        (None, _) => (single as u16, 7, last),
        (Some(_), 0x1600..=0x17ff | 0x1a00..=0x1bff) => (0x0021, 9, last),
        (Some(_), 0x1018) => (0x0023, 9, last),
        (Some(_), 0x1c32 | 0x1c33) => (0x0029, 9, last),
        (Some(first), _) if kinds.all(|kind| kind == first) => (first as u16, 8, last),
        _ => (0x002a, 9, last),
    }
}

/// Bits of the value information: smallest and largest value (ETG.1000.6 table 46).
const MINIMUM: u8 = 0x20;
const MAXIMUM: u8 = 0x40;

fn entry(dictionary: &Dictionary, body: &[u8]) -> Result<Vec<u8>, Abort> {
    let [i0, i1, sub, asked] = *body.first_chunk().ok_or(Abort::LENGTH)?;
    let index = u16::from_le_bytes([i0, i1]);
    let slot = match dictionary.find(index, sub) {
        // a gap between parts is reserved: no type, no bits, no access. MainDevices that list an object's parts ask for
        // every number up to the last, and some give up on an error
        Err(Abort::NO_SUB_INDEX) if dictionary.parts(index).last().is_some_and(|(_, object)| sub < object.sub) => {
            return Ok(vec![i0, i1, sub, 0, 0, 0, 0, 0, 0, 0]);
        }
        found => found?,
    };
    let Object { name, kind, access, value, .. } = dictionary.object(slot);
    let bits = kind.bits().map_or(value.len() as u16 * 8, u16::from);
    let ([k0, k1], [b0, b1], [a0, a1]) =
        ((*kind as u16).to_le_bytes(), bits.to_le_bytes(), access.word().to_le_bytes());
    let told = if dictionary.limits(slot).is_some() { asked & (MINIMUM | MAXIMUM) } else { 0 };
    let mut answer = vec![i0, i1, sub, told, k0, k1, b0, b1, a0, a1];
    answer.extend(limits(dictionary, slot, told));
    answer.extend_from_slice(name.as_bytes());
    Ok(answer)
}

fn limits(dictionary: &Dictionary, slot: Slot, told: u8) -> Vec<u8> {
    let Some((low, high)) = dictionary.limits(slot) else { return Vec::new() };
    let bytes = dictionary.object(slot).value.len().min(8);
    let all = [(MINIMUM, low), (MAXIMUM, high)];
    let told = all.iter().filter(|(bit, _)| told & bit != 0);
    told.flat_map(|(_, limit)| limit.to_le_bytes().into_iter().take(bytes)).collect()
}
