//! The file as records and chunks, whole or cut.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use mcap::records::op;
use mcap::sans_io::{LinearReadEvent, LinearReader, LinearReaderOptions};

use super::record::{Mismatch, RECORD_HEAD, array, attachment, channel, chunk_sizes, metadata, whole};
use super::walk::Walk;
use crate::header::hash_of_metadata;
use crate::writer::{ABOUT_HASH, HASHES, METADATA};
use crate::{Attachment, LogError, Partial};

/// LZ4 packs at most this many bytes into one (its block format's run lengths); a larger claim is a broken file.
const LARGEST_PACKING: u64 = 255;
/// The largest chunk that is read [bytes]; ours have one or two million.
const LARGEST_CHUNK: u64 = 1 << 30;

/// Where a log was cut, for example by `kill -9`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The log is whole up to this byte.
    pub at_byte: u64,
    /// What follows and cannot be read [bytes].
    pub lost_bytes: u64,
    /// What is missing.
    pub reason: String,
}

impl std::fmt::Display for Cut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cut at byte {} ({} bytes unreadable): {}", self.at_byte, self.lost_bytes, self.reason)
    }
}

/// A file's index: everything outside of the chunks, and where the chunks are.
#[derive(Debug)]
pub(crate) struct Container {
    pub(crate) path: PathBuf,
    file: Mutex<File>,
    pub(crate) chunks: Vec<ChunkPlace>,
    pub(crate) channels: BTreeMap<u16, String>,
    pub(crate) attachments: Vec<Attachment>,
    pub(crate) metadata: BTreeMap<String, BTreeMap<String, String>>,
    pub(crate) cut: Option<Cut>,
}

/// A chunk in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChunkPlace {
    /// Where its record begins.
    offset: u64,
    /// Its record's length, opcode and length included.
    length: u64,
    /// The channels in it, if their index follows it.
    channels: Vec<u16>,
}

/// A message in a loaded chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MessagePlace {
    pub(crate) channel: u16,
    pub(crate) sequence: u32,
    pub(crate) time: u64,
    begin: usize,
    end: usize,
}

/// A chunk in memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chunk {
    pub(crate) messages: Vec<MessagePlace>,
    bytes: Vec<u8>,
    /// Number and topic.
    channels: Vec<(u16, String)>,
}

impl Chunk {
    pub(crate) fn data(&self, message: &MessagePlace) -> &[u8] {
        &self.bytes[message.begin..message.end]
    }
}

/// Why a log cannot be opened, and what of it there is instead.
fn with_hint(path: &Path, error: &std::io::Error) -> String {
    let (folder, name) = (path.parent().unwrap_or(Path::new("")), path.file_name().and_then(|name| name.to_str()));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let partial = name.map(|name| Partial::left_behind(folder, name)).unwrap_or_default();
    let hint = |partial: &PathBuf| format!("{error}; of a run that did not end there is {}", partial.display());
    partial.last().map_or_else(|| error.to_string(), hint)
}

impl Container {
    /// Walks the records of a file; a file that ends early is cut, one that is no MCAP file is an error.
    pub(crate) fn open(path: &Path) -> Result<Container, LogError> {
        let refuse = |error: std::io::Error| LogError::file(path, "open", error);
        let file = File::open(path).map_err(|error| LogError::file(path, "open", with_hint(path, &error)))?;
        let end = file.metadata().map_err(refuse)?.len();
        let mut container = Container {
            path: path.to_owned(),
            file: Mutex::new(file.try_clone().map_err(refuse)?),
            chunks: Vec::new(),
            channels: BTreeMap::new(),
            attachments: Vec::new(),
            metadata: BTreeMap::new(),
            cut: None,
        };
        let mut walk = Walk::begin(file, end).map_err(refuse)?;
        container.check_magic(&mut walk)?;
        while container.take_record(&mut walk)? {}
        container.forget_index_of_cut_file();
        container.read_channels()?;
        Ok(container)
    }

    /// A file that was cut has no checksum for what stands between its chunks, so their indices are not believed.
    fn forget_index_of_cut_file(&mut self) {
        if self.cut.is_some() {
            self.chunks.iter_mut().for_each(|chunk| chunk.channels.clear());
        }
    }

    fn check_magic(&self, walk: &mut Walk) -> Result<(), LogError> {
        let mut magic = [0; 8];
        let length = walk.end.min(8) as usize;
        walk.read(&mut magic[..length]).map_err(|error| LogError::file(&self.path, "read", error))?;
        if magic == mcap::MAGIC {
            return Ok(());
        }
        let found = if length == 0 { "an empty file".to_owned() } else { format!("{:02x?}", &magic[..length]) };
        Err(LogError::foreign(&self.path, format!("the bytes {:02x?} of an MCAP file", mcap::MAGIC), found))
    }

    /// Takes note of the next record; false at the end of the data.
    fn take_record(&mut self, walk: &mut Walk) -> Result<bool, LogError> {
        let (begin, checksum) = (walk.at, walk.checksum());
        let Some((opcode, length)) = self.record_head(walk)? else { return Ok(false) };
        match opcode {
            op::DATA_END => return self.end_data(walk, length, checksum).map(|()| false),
            op::CHUNK => {
                self.chunks.push(ChunkPlace { offset: begin, length: RECORD_HEAD + length, channels: Vec::new() });
            }
            op::MESSAGE_INDEX | op::HEADER | op::CHANNEL | op::ATTACHMENT | op::METADATA => {
                let mut record = vec![0; length as usize];
                walk.read(&mut record).map_err(|error| LogError::file(&self.path, "read", error))?;
                self.take_content(opcode, &record).map_err(|(expected, found)| {
                    LogError::damaged(&self.path, format!("byte {begin}"), expected, found)
                })?;
            }
            _ => {}
        }
        walk.go_to(begin + RECORD_HEAD + length).map_err(|error| LogError::file(&self.path, "read", error))?;
        Ok(true)
    }

    /// Compares all that has been read with the checksum behind the data, then what follows with its own.
    fn end_data(&mut self, walk: &mut Walk, length: u64, found: u32) -> Result<(), LogError> {
        let mut record = vec![0; length as usize];
        walk.read(&mut record).map_err(|error| LogError::file(&self.path, "read", error))?;
        let expected = array(&mut &*record).map_or(0, u32::from_le_bytes);
        if found != expected {
            return Err(self.damage(expected, found));
        }
        if walk.is_whole {
            return walk.check_summary(&self.path);
        }
        let (at_byte, lost_bytes) = (walk.at, walk.end - walk.at);
        self.cut = Some(Cut { at_byte, lost_bytes, reason: "the file ends without a footer".to_owned() });
        Ok(())
    }

    /// The place of the damage in a file with a wrong checksum: a chunk or an attachment if it is in one.
    fn damage(&self, expected: u32, found: u32) -> LogError {
        let broken_chunk = (0..self.chunks.len()).find_map(|index| self.load(index).err());
        let broken_file = || self.check_attachments().err();
        let elsewhere = || {
            let place = "a record between the chunks";
            LogError::damaged(&self.path, place, format!("the checksum {expected:08x}"), format!("{found:08x}"))
        };
        broken_chunk.or_else(broken_file).unwrap_or_else(elsewhere)
    }

    /// Compares each attachment and what the file says of itself with their hashes.
    pub(super) fn check_attachments(&self) -> Result<(), LogError> {
        let Some(hashes) = self.metadata.get(HASHES) else { return Ok(()) };
        let attached = self.attachments.iter().map(|file| (file.name.as_str(), blake3::hash(&file.bytes)));
        let about = self.metadata.get(METADATA);
        for (name, found) in attached.chain(about.map(|about| (ABOUT_HASH, hash_of_metadata(about)))) {
            let found = found.to_hex().to_string();
            let expected = hashes.get(name).map_or("an entry in the metadata record 'blake3'", String::as_str);
            if found != expected {
                let place = if name == ABOUT_HASH { name.to_owned() } else { format!("attachment '{name}'") };
                return Err(LogError::damaged(&self.path, place, expected, found));
            }
        }
        Ok(())
    }

    /// Opcode and length of the next record, or `None` if the file was cut before the record's end.
    fn record_head(&mut self, walk: &mut Walk) -> Result<Option<(u8, u64)>, LogError> {
        let (begin, left, is_whole) = (walk.at, walk.end - walk.at, walk.is_whole);
        let mut cut = |reason: String| {
            if is_whole {
                return Err(LogError::damaged(&self.path, format!("byte {begin}"), "a record", reason));
            }
            self.cut = Some(Cut { at_byte: begin, lost_bytes: left, reason });
            Ok(None)
        };
        if left < RECORD_HEAD {
            return cut("the file ends without a footer".to_owned());
        }
        let mut head = [0; RECORD_HEAD as usize];
        walk.read(&mut head).map_err(|error| LogError::file(&self.path, "read", error))?;
        let [opcode, length @ ..] = head;
        match (opcode, u64::from_le_bytes(length)) {
            (0, _) => cut("bytes that are no record".to_owned()),
            (_, length) if length > left - RECORD_HEAD => {
                cut(format!("a record of {length} bytes of which {} are there", left - RECORD_HEAD))
            }
            (opcode, length) => Ok(Some((opcode, length))),
        }
    }

    fn take_content(&mut self, opcode: u8, record: &[u8]) -> Result<(), Mismatch> {
        match opcode {
            op::MESSAGE_INDEX => {
                let channel = whole(record, array).map(u16::from_le_bytes)?;
                if let Some(chunk) = self.chunks.last_mut() {
                    chunk.channels.push(channel);
                }
            }
            op::CHANNEL => self.channels.extend([whole(record, channel)?]),
            op::ATTACHMENT => self.attachments.push(whole(record, attachment)?),
            op::METADATA => self.metadata.extend([whole(record, metadata)?]),
            _ => {}
        }
        Ok(())
    }

    /// The first chunk says what the channels are, and the first chunk with messages of a later one says what that is.
    fn read_channels(&mut self) -> Result<(), LogError> {
        for index in 0..self.chunks.len() {
            let is_known = |channel: &u16| self.channels.contains_key(channel);
            let indexed = &self.chunks[index].channels;
            if index == 0 || indexed.is_empty() || !indexed.iter().all(is_known) {
                self.channels.extend(self.load(index)?.channels);
            }
        }
        Ok(())
    }

    /// The number of a topic's channel.
    pub(crate) fn channel(&self, topic: &str) -> Option<u16> {
        self.channels.iter().find(|(_, name)| *name == topic).map(|(id, _)| *id)
    }

    /// True unless the chunk's index says that it has no message of `channel`.
    pub(crate) fn may_hold(&self, chunk: usize, channel: u16) -> bool {
        let channels = self.chunks.get(chunk).map(|place| place.channels.as_slice()).unwrap_or_default();
        channels.is_empty() || channels.contains(&channel)
    }

    /// A chunk, read and unpacked; its checksum is verified.
    pub(crate) fn load(&self, index: usize) -> Result<Chunk, LogError> {
        let place = self.chunks.get(index).cloned().unwrap_or_default();
        let damaged = |(expected, found): Mismatch| {
            LogError::damaged(&self.path, format!("chunk {index} (byte {})", place.offset), expected, found)
        };
        let mut record = vec![0; place.length as usize];
        {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(place.offset))
                .and_then(|_| file.read_exact(&mut record))
                .map_err(|error| LogError::file(&self.path, "read", error))?;
        }
        let fields = record.get(RECORD_HEAD as usize..).unwrap_or_default();
        let (packed, unpacked) = whole(fields, chunk_sizes).map_err(damaged)?;
        let most = packed.saturating_mul(LARGEST_PACKING).saturating_add(64).min(LARGEST_CHUNK);
        if unpacked > most {
            return Err(damaged((format!("a chunk of at most {most} bytes"), format!("{unpacked} bytes claimed"))));
        }
        unpack(&record, unpacked as usize).map_err(damaged)
    }
}

/// Unpacks one chunk record.
fn unpack(mut record: &[u8], uncompressed: usize) -> Result<Chunk, Mismatch> {
    let options = LinearReaderOptions::default()
        .with_skip_start_magic(true)
        .with_skip_end_magic(true)
        .with_prevalidate_chunk_crcs(true)
        .with_record_length_limit(uncompressed.max(record.len()));
    let mut reader = LinearReader::new_with_options(options);
    let mut chunk = Chunk { bytes: Vec::with_capacity(uncompressed), ..Chunk::default() };
    while let Some(event) = reader.next_event() {
        match event.map_err(|error| ("an intact chunk".to_owned(), error.to_string()))? {
            LinearReadEvent::ReadRequest(need) => {
                let (taken, rest) = record.split_at(need.min(record.len()));
                reader.insert(taken.len()).copy_from_slice(taken);
                reader.notify_read(taken.len());
                record = rest;
            }
            LinearReadEvent::Record { opcode: op::MESSAGE, data } => {
                whole(data, |data| take_message(&mut chunk, data))?
            }
            LinearReadEvent::Record { opcode: op::CHANNEL, data } => chunk.channels.push(whole(data, channel)?),
            LinearReadEvent::Record { .. } => {}
        }
    }
    Ok(chunk)
}

fn take_message(chunk: &mut Chunk, rest: &mut &[u8]) -> Option<()> {
    let (channel, sequence) = (u16::from_le_bytes(array(rest)?), u32::from_le_bytes(array(rest)?));
    let (time, _published) = (u64::from_le_bytes(array(rest)?), rest.split_off(..8)?);
    let begin = chunk.bytes.len();
    chunk.bytes.extend_from_slice(rest);
    chunk.messages.push(MessagePlace { channel, sequence, time, begin, end: chunk.bytes.len() });
    Some(())
}
