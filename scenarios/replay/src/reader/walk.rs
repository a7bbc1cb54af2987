//! A file read from its front to its end, with the checksums that its writer left in it.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use mcap::records::op;

use super::record::{RECORD_HEAD, array};
use crate::LogError;

/// The fields of a footer [bytes].
const FOOTER_FIELDS: u64 = 20;
/// What a whole file ends with: a footer and the magic bytes [bytes].
const ENDING: usize = RECORD_HEAD as usize + FOOTER_FIELDS as usize + mcap::MAGIC.len();

/// A buffered file that knows where it is and the checksum of all that it has passed.
pub(super) struct Walk {
    file: BufReader<File>,
    sum: crc32fast::Hasher,
    pub(super) at: u64,
    pub(super) end: u64,
    /// The file has the ending of a whole one: what cannot be read in it is broken, not cut off.
    pub(super) is_whole: bool,
}

impl Walk {
    /// At the beginning of a file of `end` bytes.
    pub(super) fn begin(mut file: File, end: u64) -> std::io::Result<Walk> {
        let is_whole = has_ending(&mut file, end)?;
        file.rewind()?;
        let file = BufReader::with_capacity(1 << 16, file);
        Ok(Walk { file, sum: crc32fast::Hasher::new(), at: 0, end, is_whole })
    }

    /// Fills `bytes`.
    pub(super) fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<()> {
        self.file.read_exact(bytes)?;
        self.sum.update(bytes);
        self.at += bytes.len() as u64;
        Ok(())
    }

    /// Passes all bytes in front of `place`.
    pub(super) fn go_to(&mut self, place: u64) -> std::io::Result<()> {
        while self.at < place {
            let passed = self.file.fill_buf()?;
            if passed.is_empty() {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            let count = passed.len().min(usize::try_from(place - self.at).unwrap_or(usize::MAX));
            self.sum.update(&passed[..count]);
            self.file.consume(count);
            self.at += count as u64;
        }
        Ok(())
    }

    /// The checksum of everything so far.
    pub(super) fn checksum(&self) -> u32 {
        self.sum.clone().finalize()
    }

    /// Compares everything behind the data with its checksum; to be called behind the record that ends the data.
    pub(super) fn check_summary(&mut self, path: &Path) -> Result<(), LogError> {
        let begin = self.at;
        let mut summary = Vec::new();
        self.file.read_to_end(&mut summary).map_err(|error| LogError::file(path, "read", error))?;
        let damaged = |expected: String, found: String| {
            Err(LogError::damaged(path, format!("the summary (byte {begin})"), expected, found))
        };
        let Some(covered) = summary.len().checked_sub(mcap::MAGIC.len() + size_of::<u32>()) else {
            return damaged(format!("{ENDING} bytes or more"), format!("{} bytes", summary.len()));
        };
        let (covered, ending) = summary.split_at(covered);
        let (found, expected) = (crc32fast::hash(covered), array(&mut { ending }).map_or(0, u32::from_le_bytes));
        if found != expected {
            return damaged(format!("the checksum {expected:08x}"), format!("{found:08x}"));
        }
        match &ending[size_of::<u32>()..] {
            magic if magic == mcap::MAGIC => Ok(()),
            other => damaged(format!("the bytes {:02x?} at the end", mcap::MAGIC), format!("{other:02x?}")),
        }
    }
}

/// True if a file ends in a footer or in the magic bytes. Either will do: one of them may have been damaged.
fn has_ending(file: &mut File, end: u64) -> std::io::Result<bool> {
    if end < (mcap::MAGIC.len() + ENDING) as u64 {
        return Ok(false);
    }
    let mut ending = [0; ENDING];
    file.seek(SeekFrom::Start(end - ENDING as u64))?;
    file.read_exact(&mut ending)?;
    let mut footer = [0; RECORD_HEAD as usize];
    footer[0] = op::FOOTER;
    footer[1..].copy_from_slice(&FOOTER_FIELDS.to_le_bytes());
    Ok(ending.starts_with(&footer) || ending.ends_with(mcap::MAGIC))
}
