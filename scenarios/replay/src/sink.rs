//! The end of the writer that touches the disk: a thread that turns filled batches into chunks.
//!
//! The thread compresses and writes; what it writes depends on the batches alone. The channel to it is bounded: a slow
//! disk slows the run, and nothing is ever dropped.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

use mcap::records::{MessageHeader, Metadata};
use mcap::write::NoSeek;
use mcap::{Compression, McapError, WriteOptions};

use crate::channel::ChannelPlan;
use crate::{Attachment, LogError, Partial};

/// How many filled batches may wait for the disk; few, since a killed process loses them.
const QUEUE: usize = 1;
/// Chunks between two requests to the operating system to bring the file to the disk. A killed process loses nothing
/// that was written; this is for the power cut.
const CHUNKS_PER_SYNC: u64 = 8;

type Writer = mcap::Writer<NoSeek<BufWriter<File>>>;

/// Messages of about a second, in one piece of memory.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// Channels that begin in it, with their numbers.
    channels: Vec<(u16, ChannelPlan)>,
    heads: Vec<(MessageHeader, usize)>,
    bytes: Vec<u8>,
}

impl Batch {
    /// An empty batch with room for `bytes`.
    pub(crate) fn with_capacity(bytes: usize) -> Batch {
        Batch { channels: Vec::new(), heads: Vec::with_capacity(4096), bytes: Vec::with_capacity(bytes) }
    }

    /// Adds a message whose contents `fill` appends.
    pub(crate) fn add(&mut self, head: MessageHeader, fill: impl FnOnce(&mut Vec<u8>)) {
        fill(&mut self.bytes);
        self.heads.push((head, self.bytes.len()));
    }

    /// Opens a channel, of which messages may follow.
    pub(crate) fn open(&mut self, number: u16, plan: ChannelPlan) {
        self.channels.push((number, plan));
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    fn clear(&mut self) {
        self.channels.clear();
        self.heads.clear();
        self.bytes.clear();
    }
}

/// What stands before the first chunk.
pub(crate) struct Preamble<'a> {
    pub(crate) metadata: Vec<Metadata>,
    pub(crate) attachments: Vec<&'a Attachment>,
    pub(crate) channels: &'a [ChannelPlan],
}

/// The open file and its thread.
#[derive(Debug)]
pub(crate) struct Sink {
    path: PathBuf,
    partial: Partial,
    filled: Option<SyncSender<Batch>>,
    empty: Receiver<Batch>,
    thread: Option<JoinHandle<Result<u64, LogError>>>,
}

impl Sink {
    /// Creates the file under the name of one that is not whole, writes the preamble so that it stands even if nothing follows, and starts the thread.
    pub(crate) fn create(path: &Path, preamble: &Preamble<'_>) -> Result<Sink, LogError> {
        let (file, mut partial) = Partial::create(path).map_err(|error| LogError::file(path, "create", error))?;
        let copy = file.try_clone().map_err(|error| LogError::file(path, "create", error))?;
        let writer = begin(file, preamble).map_err(|error| {
            partial.discard();
            LogError::file(path, "write", text_of(&error))
        })?;
        let (filled, batches) = sync_channel(QUEUE);
        let (back, empty) = channel();
        let owned = path.to_owned();
        let thread = std::thread::Builder::new()
            .name("log writer".to_owned())
            .spawn(move || {
                write_batches(writer, &copy, &batches, &back)
                    .map_err(|error| LogError::file(&owned, "write", text_of(&error)))
            })
            .map_err(|error| LogError::file(path, "write", error))?;
        Ok(Sink { path: path.to_owned(), partial, filled: Some(filled), empty, thread: Some(thread) })
    }

    /// Hands over a batch and returns an empty one.
    pub(crate) fn exchange(&mut self, batch: Batch, capacity: usize) -> Result<Batch, LogError> {
        let sent = self.filled.as_ref().is_some_and(|filled| filled.send(batch).is_ok());
        if !sent {
            // the thread ends early only with an error
            return self.finish().map(|_| Batch::default());
        }
        Ok(self.empty.try_recv().unwrap_or_else(|_| Batch::with_capacity(capacity)))
    }

    /// Gives the file its name, once everything is written.
    pub(crate) fn complete(&mut self) -> Result<(), LogError> {
        self.partial.complete().map_err(|error| LogError::file(&self.path, "write", error))
    }

    /// Takes the file away.
    pub(crate) fn discard(&mut self) {
        self.partial.discard();
    }

    /// Waits until everything is written; returns the size of the file [bytes].
    pub(crate) fn finish(&mut self) -> Result<u64, LogError> {
        self.filled = None;
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            Some(Err(_)) => Err(LogError::file(&self.path, "write", "the writer thread panicked")),
            None => Err(LogError::Finished { file: self.path.clone() }),
        }
    }
}

fn begin(file: File, preamble: &Preamble<'_>) -> Result<Writer, McapError> {
    // without seeking, each chunk is compressed in memory and written in one piece: a cut file ends in a short record,
    // never in a chunk whose length was still to be filled in
    let mut writer = WriteOptions::new()
        .profile("chiron")
        .library(concat!("chiron replay ", env!("CARGO_PKG_VERSION")))
        .compression(Some(Compression::Lz4))
        .chunk_size(None)
        .disable_seeking(true)
        .create(NoSeek::new(BufWriter::with_capacity(1 << 16, file)))?;
    preamble.metadata.iter().try_for_each(|metadata| writer.write_metadata(metadata))?;
    for attachment in &preamble.attachments {
        writer.attach(&mcap::Attachment {
            log_time: 0,
            create_time: 0,
            name: attachment.name.clone(),
            media_type: attachment.media_type.clone(),
            data: attachment.bytes.as_slice().into(),
        })?;
    }
    (0..).zip(preamble.channels).try_for_each(|(id, channel)| open(&mut writer, id, channel))?;
    writer.flush()?;
    Ok(writer)
}

fn open(writer: &mut Writer, id: u16, channel: &ChannelPlan) -> Result<(), McapError> {
    let schema = &channel.schema;
    let schema_id = writer.add_schema(&schema.name, &schema.encoding, &schema.data)?;
    writer.add_channel_with_id(id, schema_id, &channel.topic, &channel.encoding, &channel.metadata).map(drop)
}

fn write_batches(
    mut writer: Writer,
    file: &File,
    batches: &Receiver<Batch>,
    back: &Sender<Batch>,
) -> Result<u64, McapError> {
    for (number, mut batch) in (1..).zip(batches) {
        batch.channels.iter().try_for_each(|(id, channel)| open(&mut writer, *id, channel))?;
        let mut begin = 0;
        for (head, end) in &batch.heads {
            writer.write_to_known_channel(head, &batch.bytes[begin..*end])?;
            begin = *end;
        }
        writer.flush()?;
        if number % CHUNKS_PER_SYNC == 0 {
            file.sync_data()?;
        }
        batch.clear();
        // nobody takes it back once the log is being finished
        let _ = back.send(batch);
    }
    writer.finish()?;
    writer.into_inner().flush()?;
    file.sync_data()?;
    Ok(file.metadata()?.len())
}

fn text_of(error: &McapError) -> String {
    match error {
        McapError::Io(cause) => cause.to_string(),
        other => other.to_string(),
    }
}
