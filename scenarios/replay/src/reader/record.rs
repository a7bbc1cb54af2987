//! MCAP records, read with every length checked against the bytes that are there (<https://mcap.dev/spec>).

use std::collections::BTreeMap;

/// Opcodes, from the specification's table.
pub(super) mod op {
    pub(crate) const HEADER: u8 = 0x01;
    pub(crate) const FOOTER: u8 = 0x02;
    pub(crate) const CHANNEL: u8 = 0x04;
    pub(crate) const MESSAGE: u8 = 0x05;
    pub(crate) const CHUNK: u8 = 0x06;
    pub(crate) const MESSAGE_INDEX: u8 = 0x07;
    pub(crate) const ATTACHMENT: u8 = 0x09;
    pub(crate) const METADATA: u8 = 0x0c;
    pub(crate) const DATA_END: u8 = 0x0f;
}

/// Opcode and length.
pub(super) const RECORD_HEAD: u64 = 9;

/// What was expected and what was found.
pub(super) type Mismatch = (String, String);

/// Reads little-endian fields from the front of a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(super) fn of(record: &'a [u8]) -> Fields<'a> {
        Fields { rest: record }
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(super) fn bytes(&mut self, count: u64) -> Result<&'a [u8], Mismatch> {
        let split = usize::try_from(count).ok().and_then(|count| self.rest.split_at_checked(count));
        let (taken, rest) =
            split.ok_or_else(|| (format!("a field of {count} bytes"), format!("{} bytes", self.rest.len())))?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Mismatch> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N as u64)?);
        Ok(array)
    }

    pub(super) fn u16(&mut self) -> Result<u16, Mismatch> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Mismatch> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, Mismatch> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn text(&mut self) -> Result<String, Mismatch> {
        let length = self.u32()?;
        let bytes = self.bytes(u64::from(length))?;
        let text = std::str::from_utf8(bytes).map_err(|error| ("text in UTF-8".to_owned(), error.to_string()))?;
        Ok(text.to_owned())
    }

    pub(super) fn map(&mut self) -> Result<BTreeMap<String, String>, Mismatch> {
        let length = self.u32()?;
        let mut entries = Fields::of(self.bytes(u64::from(length))?);
        let mut map = BTreeMap::new();
        while !entries.rest.is_empty() {
            map.insert(entries.text()?, entries.text()?);
        }
        Ok(map)
    }
}

/// A channel record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChannelRecord {
    pub(super) id: u16,
    pub(super) topic: String,
}

impl ChannelRecord {
    pub(super) fn parse(record: &[u8]) -> Result<ChannelRecord, Mismatch> {
        let mut fields = Fields::of(record);
        let (id, _schema) = (fields.u16()?, fields.u16()?);
        Ok(ChannelRecord { id, topic: fields.text()? })
    }
}

/// The head of a chunk record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChunkHead {
    pub(super) uncompressed: u64,
    pub(super) compressed: u64,
}

impl ChunkHead {
    pub(super) fn parse(record: &[u8]) -> Result<ChunkHead, Mismatch> {
        let mut fields = Fields::of(record);
        let (_start, _end, uncompressed, _crc) = (fields.u64()?, fields.u64()?, fields.u64()?, fields.u32()?);
        let _compression = fields.text()?;
        Ok(ChunkHead { uncompressed, compressed: fields.u64()? })
    }
}

/// An attachment record.
pub(super) fn parse_attachment(record: &[u8]) -> Result<crate::Attachment, Mismatch> {
    let mut fields = Fields::of(record);
    let (_log_time, _create_time) = (fields.u64()?, fields.u64()?);
    let (name, media_type) = (fields.text()?, fields.text()?);
    let length = fields.u64()?;
    Ok(crate::Attachment { name, media_type, bytes: fields.bytes(length)?.to_vec() })
}

/// A metadata record.
pub(super) fn parse_metadata(record: &[u8]) -> Result<(String, BTreeMap<String, String>), Mismatch> {
    let mut fields = Fields::of(record);
    Ok((fields.text()?, fields.map()?))
}
