//! CDR, in which ROS 2 writes messages (OMG "DDS Interoperability Wire Protocol" 10.2, XCDR version 1), and ROS 1's encoding, which
//! is the same without header, alignment and the zero at the end of texts.

use crate::error::{Mismatch, mismatch};

/// Reads fields from the front of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
    is_big_endian: bool,
    is_ros1: bool,
}

impl<'a> Fields<'a> {
    /// Of a CDR message, which begins with how it is written.
    pub(crate) fn cdr(bytes: &'a [u8]) -> Result<Fields<'a>, Mismatch> {
        let (head, bytes) =
            bytes.split_at_checked(4).ok_or_else(|| mismatch("a CDR header of 4 bytes", bytes.len()))?;
        match head[..2] {
            [0, order @ (0 | 1)] => Ok(Fields { bytes, at: 0, is_big_endian: order == 0, is_ros1: false }),
            _ => Err(mismatch("plain CDR (00 00 or 00 01)", format!("{:02x} {:02x}", head[0], head[1]))),
        }
    }

    /// Of a ROS 1 message.
    pub(crate) fn ros1(bytes: &'a [u8]) -> Fields<'a> {
        Fields { bytes, at: 0, is_big_endian: false, is_ros1: true }
    }

    pub(crate) fn is_ros1(&self) -> bool {
        self.is_ros1
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Mismatch> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let taken = rest.get(..count);
        let taken = taken.ok_or_else(|| mismatch(format!("{count} bytes at byte {}", self.at), rest.len()))?;
        self.at += count;
        Ok(taken)
    }

    /// A number of N bytes, little-endian; in CDR it stands at a multiple of its size.
    fn number<const N: usize>(&mut self) -> Result<[u8; N], Mismatch> {
        if !self.is_ros1 {
            self.at = self.at.next_multiple_of(N);
        }
        let mut number = [0; N];
        number.copy_from_slice(self.take(N)?);
        if self.is_big_endian {
            number.reverse();
        }
        Ok(number)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Mismatch> {
        self.number::<1>().map(|[byte]| byte)
    }

    pub(crate) fn bool(&mut self) -> Result<bool, Mismatch> {
        self.u8().map(|byte| byte != 0)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Mismatch> {
        self.number().map(u32::from_le_bytes)
    }

    pub(crate) fn i32(&mut self) -> Result<i32, Mismatch> {
        self.number().map(i32::from_le_bytes)
    }

    pub(crate) fn f64(&mut self) -> Result<f64, Mismatch> {
        self.number().map(f64::from_le_bytes)
    }

    pub(crate) fn f64s<const N: usize>(&mut self) -> Result<[f64; N], Mismatch> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = self.f64()?;
        }
        Ok(numbers)
    }

    /// A sequence of bytes.
    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Mismatch> {
        let length = self.u32()?;
        self.take(length as usize)
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, Mismatch> {
        let bytes = self.bytes()?;
        let bytes = bytes.strip_suffix(&[0]).unwrap_or(bytes);
        std::str::from_utf8(bytes).map_err(|error| mismatch("text in UTF-8", error))
    }
}
