//! The messages of an MCAP file, in the order in which they stand there.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::ops::ControlFlow;
use std::path::Path;

use mcap::McapError;
use mcap::records::{Record, op};
use mcap::sans_io::{LinearReadEvent, LinearReader, LinearReaderOptions};

use crate::CloudError;
use crate::error::mismatch;
use crate::message::{LARGEST_MESSAGE, Message, Take, Topic};
use crate::zstd::Zstd;

/// What stands in front of a message's data in its record, and to spare [bytes].
const RECORD_HEAD: usize = 1 << 10;

/// A file being read.
struct Reader<'p> {
    path: &'p Path,
    schemas: BTreeMap<u16, String>,
    /// By channel.
    topics: BTreeMap<u16, Topic>,
    /// Bytes that were asked for so far.
    at: u64,
    /// It ends in the middle of a record.
    is_cut: bool,
}

/// All topics of a file, with what there is of each; and how many bytes there are if it was cut off, as it is when its recorder
/// was killed.
pub(crate) fn topics(path: &Path) -> Result<(Vec<Topic>, Option<u64>), CloudError> {
    let mut reader = Reader::new(path);
    let (ControlFlow::Continue(()) | ControlFlow::Break(())) =
        reader.read(|_| false, &mut |_| Ok(ControlFlow::Continue(())))?;
    let cut = reader.is_cut.then_some(reader.at);
    Ok((reader.topics.into_values().collect(), cut))
}

/// Hands out the messages of the topics that are `wanted`.
pub(crate) fn messages(
    path: &Path,
    wanted: &dyn Fn(&Topic) -> bool,
    take: &mut Take,
) -> Result<ControlFlow<()>, CloudError> {
    Reader::new(path).read(wanted, take)
}

impl<'p> Reader<'p> {
    fn new(path: &'p Path) -> Reader<'p> {
        Reader { path, schemas: BTreeMap::new(), topics: BTreeMap::new(), at: 0, is_cut: false }
    }

    fn read(&mut self, wanted: impl Fn(&Topic) -> bool, take: &mut Take) -> Result<ControlFlow<()>, CloudError> {
        let file = File::open(self.path).map_err(|error| CloudError::file(self.path, error))?;
        let mut file = BufReader::new(file);
        let options = LinearReaderOptions::default()
            .with_validate_chunk_crcs(true)
            .with_record_length_limit(LARGEST_MESSAGE + RECORD_HEAD);
        let mut reader = LinearReader::new_with_options(options);
        reader.add_decompressor(Zstd::default()).map_err(|error| CloudError::file(self.path, error))?;
        while let Some(event) = reader.next_event() {
            match event {
                Err(McapError::UnexpectedEof) => {
                    self.is_cut = true;
                    break;
                }
                Err(error) => return Err(self.broken("an intact MCAP record", error)),
                Ok(LinearReadEvent::ReadRequest(need)) => {
                    let read = file.read(reader.insert(need)).map_err(|error| CloudError::file(self.path, error))?;
                    reader.notify_read(read);
                    self.at += read as u64;
                }
                Ok(LinearReadEvent::Record { opcode: op::ATTACHMENT, data }) if attachment_end(data).is_none() => {
                    return Err(self.broken("an MCAP record", "an attachment without its end"));
                }
                Ok(LinearReadEvent::Record { opcode, data }) => {
                    let record =
                        mcap::parse_record(opcode, data).map_err(|error| self.broken("an MCAP record", error))?;
                    if self.record(&record, &wanted, take)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn record(
        &mut self,
        record: &Record,
        wanted: &impl Fn(&Topic) -> bool,
        take: &mut Take,
    ) -> Result<ControlFlow<()>, CloudError> {
        match record {
            Record::Schema { header, .. } => {
                self.schemas.insert(header.id, header.name.clone());
            }
            Record::Channel(channel) => {
                let (name, encoding) = (channel.topic.clone(), channel.message_encoding.clone());
                let schema = self.schemas.get(&channel.schema_id).cloned().unwrap_or_default();
                self.topics.entry(channel.id).or_insert(Topic { name, schema, encoding, ..Topic::default() });
            }
            Record::Message { header, data } => {
                let Some(topic) = self.topics.get_mut(&header.channel_id) else {
                    return Err(
                        self.broken("a message of a channel named before", format!("channel {}", header.channel_id))
                    );
                };
                let number = topic.messages;
                topic.messages += 1;
                topic.recorded.1 = topic.recorded.1.max(header.log_time);
                topic.recorded.0 = if number == 0 { header.log_time } else { topic.recorded.0.min(header.log_time) };
                if wanted(topic) {
                    return take(Message { topic, number, data });
                }
            }
            _ => {}
        }
        Ok(ControlFlow::Continue(()))
    }

    fn broken(&self, expected: &str, found: impl ToString) -> CloudError {
        CloudError::damaged(self.path, format!("before byte {}", self.at), mismatch(expected, found))
    }
}

/// What stands behind an attachment's times, name, media type and length, if there is room for its checksum. Without one
/// [`mcap::parse_record`] panics.
fn attachment_end(record: &[u8]) -> Option<&[u8]> {
    let mut rest = record.get(16..)?;
    for _text in 0..2 {
        let (length, text) = rest.split_first_chunk()?;
        rest = text.get(u32::from_le_bytes(*length) as usize..)?;
    }
    rest.get(8..).filter(|rest| rest.len() >= 4)
}
