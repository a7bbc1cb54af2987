//! MCAP records (<https://mcap.dev/spec>), read with every length checked against the bytes that are there. `mcap::parse_record` takes
//! memory for what a text's length claims, and panics at an attachment that is too short.

use std::collections::BTreeMap;

use crate::Attachment;

/// Opcode and length.
pub(super) const RECORD_HEAD: u64 = 9;

/// What was expected and what was found.
pub(super) type Mismatch = (String, String);

/// A record as `parse` finds it, which finds nothing where the bytes do not reach.
pub(super) fn whole<'a, T>(record: &'a [u8], parse: impl FnOnce(&mut &'a [u8]) -> Option<T>) -> Result<T, Mismatch> {
    let broken = || ("a record with all of its fields".to_owned(), format!("{} bytes without them", record.len()));
    parse(&mut { record }).ok_or_else(broken)
}

/// A number's little-endian bytes.
pub(super) fn array<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    rest.split_off(..N)?.try_into().ok()
}

/// Bytes with their count in front.
fn counted<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let count = u32::from_le_bytes(array(rest)?);
    rest.split_off(..count as usize)
}

fn text(rest: &mut &[u8]) -> Option<String> {
    String::from_utf8(counted(rest)?.to_vec()).ok()
}

/// Number and topic of a channel.
pub(super) fn channel(rest: &mut &[u8]) -> Option<(u16, String)> {
    let (id, _schema) = (u16::from_le_bytes(array(rest)?), rest.split_off(..2)?);
    Some((id, text(rest)?))
}

/// How much a chunk says to hold, packed and unpacked [bytes].
pub(super) fn chunk_sizes(rest: &mut &[u8]) -> Option<(u64, u64)> {
    let (_times, unpacked, _checksum) = (rest.split_off(..16)?, u64::from_le_bytes(array(rest)?), rest.split_off(..4)?);
    let (_packing, packed) = (counted(rest)?, u64::from_le_bytes(array(rest)?));
    Some((packed, unpacked))
}

pub(super) fn attachment(rest: &mut &[u8]) -> Option<Attachment> {
    let _times = rest.split_off(..16)?;
    let (name, media_type) = (text(rest)?, text(rest)?);
    let count = u64::from_le_bytes(array(rest)?);
    Some(Attachment { name, media_type, bytes: rest.split_off(..usize::try_from(count).ok()?)?.to_vec() })
}

/// Name and pairs of a metadata record.
pub(super) fn metadata(rest: &mut &[u8]) -> Option<(String, BTreeMap<String, String>)> {
    let (name, mut pairs) = (text(rest)?, counted(rest)?);
    let mut map = BTreeMap::new();
    while !pairs.is_empty() {
        map.insert(text(&mut pairs)?, text(&mut pairs)?);
    }
    Some((name, map))
}
