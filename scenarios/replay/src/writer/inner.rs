//! What stands behind a writer: the batch being filled, and what has been written so far.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use foxglove::Encode;
use foxglove::messages as fg;
use mcap::records::{MessageHeader, Metadata};
use robot_io::{Digest, Rate, Readings, RobotLayout, Time};

use super::behaviour::Behaviour;
use super::mapping::Mapping;
use super::{ABOUT_HASH, FORMAT, HASHES, LAYOUT, LogOptions, LogSummary, METADATA, TWIN};
use crate::channel::{ChannelPlan, Id, notes_channel, plan};
use crate::header::hash_of_metadata;
use crate::sensors::{Mismatch, depth_message, fill_scan, image_message};
use crate::show::{Messages, write_imu};
use crate::sink::{Batch, Preamble, Sink};
use crate::words::WordPacker;
use crate::{Attachment, Cycle, Header, LogError};

/// A chunk is closed when it holds this much [bytes] …
const CHUNK_BYTES: usize = 1 << 20;
/// Room for what still comes in the cycle in which a chunk is found to be full [bytes].
const CHUNK_MARGIN: usize = 1 << 18;

/// What all clones of a writer share.
#[derive(Debug)]
pub(super) struct Inner {
    path: PathBuf,
    pub(super) layout: RobotLayout,
    /// `None` once finished.
    sink: Option<Sink>,
    pub(super) batch: Batch,
    chunk_began: Time,
    packer: WordPacker,
    words: Vec<u64>,
    /// The number of the channel of notes, once there are some.
    notes: Option<u16>,
    notes_packer: WordPacker,
    pub(super) messages: Messages,
    scan: fg::LaserScan,
    /// The number of the first channel of a laser or camera.
    sensors: u16,
    /// The contents that are in the log.
    pub(super) contents: BTreeSet<Digest>,
    pub(super) mapping: Mapping,
    pub(super) behaviour: Behaviour,
    /// The channels of topics that are not written.
    pub(super) left_out: BTreeSet<u16>,
    options: LogOptions,
    /// The number of the next channel that is opened.
    next_channel: u16,
    /// The number of the twin's channel.
    pub(super) twin: Option<u16>,
    show_rate: Rate,
    pub(super) shows: bool,
    sequence: u32,
    pub(super) time: Time,
    cycles: u64,
}

impl Inner {
    pub(super) fn create(path: &Path, header: &Header, options: LogOptions) -> Result<Inner, LogError> {
        let layout = postcard::to_stdvec(&header.layout).map_err(|error| LogError::file(path, "write", error))?;
        let layout_media = "application/x-postcard".to_owned();
        let layout = Attachment { name: LAYOUT.to_owned(), media_type: layout_media, bytes: layout };
        let attachments: Vec<&Attachment> = std::iter::once(&layout).chain(&header.attachments).collect();
        let mut channels = plan(&header.layout);
        let twin = header.meta(TWIN).map(|_| channels.len() as u16);
        channels.extend(twin.map(|_| crate::channel::twin()));
        let numbered = (0..).zip(&channels);
        let left_out = numbered.filter(|(_, plan)| options.leaves_out(&plan.topic)).map(|(id, _)| id).collect();
        let about = about(header);
        let metadata = vec![about.clone(), hashes(&attachments, &about)];
        let sink = Sink::create(path, &Preamble { metadata, attachments, channels: &channels })?;
        let mut words = Vec::new();
        Cycle::new(&header.layout).write_words(&mut words);
        Ok(Inner {
            path: path.to_owned(),
            layout: header.layout.clone(),
            sink: Some(sink),
            batch: Batch::with_capacity(CHUNK_BYTES + CHUNK_MARGIN),
            chunk_began: Time::ZERO,
            packer: WordPacker::new(words.len()),
            words,
            notes: None,
            notes_packer: WordPacker::new(0),
            messages: Messages::new(&header.layout),
            scan: fg::LaserScan::default(),
            sensors: Id::Imu as u16 + header.layout.imus.len() as u16,
            contents: BTreeSet::new(),
            mapping: Mapping::default(),
            behaviour: Behaviour::default(),
            left_out,
            next_channel: channels.len() as u16,
            twin,
            show_rate: Rate::every(options.show_interval, header.layout.period).unwrap_or(Rate::EVERY_TICK),
            shows: false,
            sequence: 0,
            time: Time::ZERO,
            cycles: 0,
            options,
        })
    }

    /// Closes a full chunk, so that each holds whole cycles.
    pub(super) fn begin_cycle(&mut self, cycle: u64, time: Time) -> Result<(), LogError> {
        let full = self.batch.len() >= CHUNK_BYTES || time.since(self.chunk_began) >= self.options.chunk_span;
        if full && !self.batch.is_empty() {
            self.close_chunk()?;
            self.chunk_began = time;
        }
        (self.sequence, self.time) = (cycle as u32, time);
        self.shows = self.show_rate.tick();
        Ok(())
    }

    pub(super) fn cycle(&mut self, cycle: &mut Cycle) -> Result<(), LogError> {
        self.measurements(&cycle.readings)?;
        cycle.write_words(&mut self.words);
        let head = self.head(Id::Io)?;
        self.batch.add(head, |out| self.packer.pack(&self.words, out));
        self.cycles += 1;
        self.show(Id::JointStates, |messages, _, out| encode(messages.measured(&cycle.readings), out))?;
        self.show(Id::JointCommands, |messages, time, out| encode(messages.commanded(time, &cycle.commands), out))?;
        let shows = self.shows;
        for (channel_id, imu) in (Id::Imu as u16..).zip(&cycle.readings.imus).filter(|_| shows) {
            self.put(MessageHeader { channel_id, ..head }, |out| write_imu(imu, out));
        }
        Ok(())
    }

    /// Adds what a controller's parts read and did.
    pub(super) fn notes(&mut self, words: &[u64]) -> Result<(), LogError> {
        let head = self.head(Id::Io)?;
        let known = self.notes;
        let channel_id = known.unwrap_or_else(|| self.open(notes_channel()));
        self.notes = Some(channel_id);
        if !self.left_out.contains(&channel_id) {
            let Inner { batch, notes_packer, .. } = self;
            batch.add(MessageHeader { channel_id, ..head }, |out| notes_packer.pack(words, out));
        }
        Ok(())
    }

    /// Adds the scans and pictures of a cycle, in front of its words.
    fn measurements(&mut self, readings: &Readings) -> Result<(), LogError> {
        let Readings { scans, images, depth_images, .. } = readings;
        let mut head = MessageHeader { channel_id: self.sensors, ..self.head(Id::Io)? };
        let Inner { path, layout, batch, scan: message, .. } = self;
        let RobotLayout { lasers, cameras, depth_cameras, .. } = layout;
        let wrong = |what: &str, name: &str, (expected, found): Mismatch| {
            LogError::request(path, format!("{what} of '{name}'"), format!("{expected}, as its layout has it"), found)
        };
        for (scan, laser) in scans.iter().zip(lasers) {
            if let Some(scan) = scan {
                fill_scan(message, scan, laser).map_err(|found| wrong("scan", &laser.name, found))?;
                batch.add(head, |out| encode(message, out));
            }
            head.channel_id += 1;
        }
        for (image, camera) in images.iter().zip(cameras) {
            if let Some(image) = image {
                let message = image_message(image, camera).map_err(|found| wrong("picture", &camera.name, found))?;
                batch.add(head, |out| encode(&message, out));
            }
            head.channel_id += 1;
        }
        for (image, camera) in depth_images.iter().zip(depth_cameras) {
            if let Some(image) = image {
                let message = depth_message(image, camera);
                let message = message.map_err(|found| wrong("depth picture", &camera.name, found))?;
                batch.add(head, |out| encode(&message, out));
            }
            head.channel_id += 1;
        }
        Ok(())
    }

    pub(super) fn head(&self, id: Id) -> Result<MessageHeader, LogError> {
        if self.sink.is_none() {
            return Err(LogError::Finished { file: self.path.clone() });
        }
        let time = self.time.nanoseconds();
        Ok(MessageHeader { channel_id: id as u16, sequence: self.sequence, log_time: time, publish_time: time })
    }

    pub(super) fn add(&mut self, id: Id, fill: impl FnOnce(&mut Vec<u8>)) -> Result<(), LogError> {
        let head = self.head(id)?;
        self.put(head, fill);
        Ok(())
    }

    /// Adds a message unless its topic is left out.
    pub(super) fn put(&mut self, head: MessageHeader, fill: impl FnOnce(&mut Vec<u8>)) {
        if !self.left_out.contains(&head.channel_id) {
            self.batch.add(head, fill);
        }
    }

    /// Opens a channel with its first message.
    pub(super) fn open(&mut self, plan: ChannelPlan) -> u16 {
        let number = self.next_channel;
        self.next_channel += 1;
        if self.options.leaves_out(&plan.topic) {
            self.left_out.insert(number);
        } else {
            self.batch.open(number, plan);
        }
        number
    }

    /// Adds a message for people, in shown cycles.
    pub(super) fn show(
        &mut self,
        id: Id,
        fill: impl FnOnce(&mut Messages, Time, &mut Vec<u8>),
    ) -> Result<(), LogError> {
        let head = self.head(id)?;
        if self.shows && !self.left_out.contains(&head.channel_id) {
            let (messages, time) = (&mut self.messages, self.time);
            self.batch.add(head, |out| fill(messages, time, out));
        }
        Ok(())
    }

    fn close_chunk(&mut self) -> Result<(), LogError> {
        let Some(sink) = self.sink.as_mut() else { return Err(LogError::Finished { file: self.path.clone() }) };
        let full = std::mem::take(&mut self.batch);
        self.batch = sink.exchange(full, CHUNK_BYTES + CHUNK_MARGIN)?;
        self.packer.restart();
        self.notes_packer.restart();
        Ok(())
    }

    /// Writes what is left and gives the log its name.
    pub(super) fn finish(&mut self) -> Result<LogSummary, LogError> {
        let (bytes, mut sink) = self.close()?;
        sink.complete()?;
        Ok(LogSummary { cycles: self.cycles, bytes })
    }

    /// Closes the log and takes it away.
    pub(super) fn discard(&mut self) {
        if let Ok((_, mut sink)) = self.close() {
            sink.discard();
        }
    }

    fn close(&mut self) -> Result<(u64, Sink), LogError> {
        let last = if self.batch.is_empty() { Ok(()) } else { self.close_chunk() };
        let Some(mut sink) = self.sink.take() else { return Err(LogError::Finished { file: self.path.clone() }) };
        last?;
        Ok((sink.finish()?, sink))
    }
}

/// A run that ends by an error or a panic leaves a closed log, under the name of one that is not whole.
impl Drop for Inner {
    fn drop(&mut self) {
        if self.sink.is_some() {
            let _ = self.close();
        }
    }
}

fn about(header: &Header) -> Metadata {
    let mut metadata: BTreeMap<String, String> = header.metadata.iter().cloned().collect();
    metadata.insert("format".to_owned(), FORMAT.to_owned());
    metadata.insert("case".to_owned(), header.case.clone());
    metadata.insert("seed".to_owned(), header.seed.to_string());
    metadata.insert("program".to_owned(), header.program.clone());
    metadata.insert("robot".to_owned(), header.layout.robot.clone());
    metadata.insert("period_ns".to_owned(), header.layout.period.nanoseconds().to_string());
    Metadata { name: METADATA.to_owned(), metadata }
}

fn hashes(attachments: &[&Attachment], about: &Metadata) -> Metadata {
    let attached = attachments.iter().map(|file| (file.name.clone(), blake3::hash(&file.bytes)));
    let about = (ABOUT_HASH.to_owned(), hash_of_metadata(&about.metadata));
    let hexadecimal = |(name, hash): (String, blake3::Hash)| (name, hash.to_hex().to_string());
    Metadata { name: HASHES.to_owned(), metadata: attached.chain([about]).map(hexadecimal).collect() }
}

/// Appends a message.
pub(super) fn encode<T: Encode>(message: &T, out: &mut Vec<u8>) {
    // prost fails only for want of room, which a vector never lacks
    let _ = message.encode(out);
}
