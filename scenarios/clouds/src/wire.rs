//! Protobuf's wire format (<https://protobuf.dev/programming-guides/encoding>): numbered fields, one after the other. Read by hand
//! because a generic decoder takes memory for every element that a message claims to have, and because it is short.

use crate::error::{Mismatch, mismatch};

/// A field's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Varint(u64),
    Fixed64(u64),
    Fixed32(u32),
    Bytes(&'a [u8]),
}

/// The fields of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wire<'a>(pub(crate) &'a [u8]);

impl<'a> Wire<'a> {
    /// The next field's number and value.
    pub(crate) fn field(&mut self) -> Result<Option<(u64, Value<'a>)>, Mismatch> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let value = match tag & 7 {
            0 => Value::Varint(self.varint()?),
            1 => Value::Fixed64(u64::from_le_bytes(self.array()?)),
            2 => {
                let length = self.varint()?;
                Value::Bytes(self.take(usize::try_from(length).unwrap_or(usize::MAX))?)
            }
            5 => Value::Fixed32(u32::from_le_bytes(self.array()?)),
            other => return Err(mismatch("protobuf's wire type 0, 1, 2 or 5", other)),
        };
        Ok(Some((tag >> 3, value)))
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Mismatch> {
        let split = self.0.split_at_checked(count);
        let (taken, rest) = split.ok_or_else(|| mismatch(format!("a field of {count} bytes"), self.0.len()))?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Mismatch> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    fn varint(&mut self) -> Result<u64, Mismatch> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(mismatch("a number of at most 10 bytes", "a longer one"))
    }
}

impl<'a> Value<'a> {
    /// A message or bytes within a message.
    pub(crate) fn bytes(self) -> Result<&'a [u8], Mismatch> {
        match self {
            Value::Bytes(bytes) => Ok(bytes),
            other => Err(mismatch("bytes", format!("{other:?}"))),
        }
    }

    pub(crate) fn text(self) -> Result<String, Mismatch> {
        let text = std::str::from_utf8(self.bytes()?).map_err(|error| mismatch("text in UTF-8", error))?;
        Ok(text.to_owned())
    }

    pub(crate) fn integer(self) -> Result<u64, Mismatch> {
        match self {
            Value::Varint(number) | Value::Fixed64(number) => Ok(number),
            Value::Fixed32(number) => Ok(u64::from(number)),
            other @ Value::Bytes(_) => Err(mismatch("a number", format!("{} bytes", other.bytes()?.len()))),
        }
    }

    pub(crate) fn double(self) -> Result<f64, Mismatch> {
        match self {
            Value::Fixed64(bits) => Ok(f64::from_bits(bits)),
            other => Err(mismatch("a double", format!("{other:?}").chars().take(60).collect::<String>())),
        }
    }
}
