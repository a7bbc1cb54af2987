//! Messages of one file or of the files of a rosbag2 folder.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::message::{Message, Take, Topic};
use crate::{CloudError, db3, mcap_file};

/// A larger metadata.yaml is none [bytes].
const LARGEST_METADATA: u64 = 16 << 20;

/// How a file holds its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    Mcap,
    Db3,
}

/// Files that follow one another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bag {
    files: Vec<(PathBuf, Storage)>,
    pub(crate) topics: Vec<Topic>,
    /// Files that end in the middle of a record, with their length [bytes]; they are read as far as they go.
    pub(crate) cut: Vec<(PathBuf, u64)>,
}

impl Bag {
    /// Of files; looks through all of them.
    pub(crate) fn new(files: Vec<(PathBuf, Storage)>) -> Result<Bag, CloudError> {
        let (mut topics, mut cut): (Vec<Topic>, _) = (Vec::new(), Vec::new());
        for (file, storage) in &files {
            let (found, length) = match storage {
                Storage::Mcap => mcap_file::topics(file)?,
                Storage::Db3 => (db3::topics(file)?, None),
            };
            found.into_iter().for_each(|topic| join(&mut topics, topic));
            cut.extend(length.map(|length| (file.clone(), length)));
        }
        Ok(Bag { files, topics, cut })
    }

    /// Hands out the messages of the topics that are `wanted`, file after file; the error of one that does not decode names its
    /// place.
    pub(crate) fn messages(
        &self,
        wanted: &dyn Fn(&Topic) -> bool,
        take: &mut dyn FnMut(Message) -> Result<ControlFlow<()>, crate::error::Mismatch>,
    ) -> Result<(), CloudError> {
        for (file, storage) in &self.files {
            let take: &mut Take = &mut |message: Message| {
                take(message).map_err(|wrong| CloudError::damaged(file, message.place(), wrong))
            };
            let flow = match storage {
                Storage::Mcap => mcap_file::messages(file, wanted, take)?,
                Storage::Db3 => db3::messages(file, wanted, take)?,
            };
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// What there is to be said of files that were cut off.
pub(crate) fn describe_cut((file, length): &(PathBuf, u64)) -> String {
    format!("{} ends in the middle of a record, after {length} bytes", file.display())
}

/// A topic may go on in the next file, and have several channels in one.
fn join(topics: &mut Vec<Topic>, topic: Topic) {
    let is_same = |known: &&mut Topic| known.name == topic.name && known.schema == topic.schema;
    match topics.iter_mut().find(is_same) {
        Some(known) if known.messages > 0 && topic.messages > 0 => {
            known.messages += topic.messages;
            known.recorded = (known.recorded.0.min(topic.recorded.0), known.recorded.1.max(topic.recorded.1));
        }
        Some(known) if topic.messages > 0 => *known = topic,
        Some(_) => {}
        None => topics.push(topic),
    }
}

/// The files that a rosbag2 folder's metadata.yaml names, in its order. Of that file no more is read than the list
/// `relative_file_paths` and the kind of compression.
pub(crate) fn files_of(folder: &Path, metadata: &Path) -> Result<Vec<PathBuf>, CloudError> {
    let size = metadata.metadata().map_err(|error| CloudError::file(metadata, error))?.len();
    if size > LARGEST_METADATA {
        return Err(CloudError::unread(metadata, format!("a metadata.yaml of {size} bytes")));
    }
    let text = std::fs::read_to_string(metadata).map_err(|error| CloudError::file(metadata, error))?;
    if let Some(mode) = value(&text, "compression_mode").filter(|mode| !["", "none"].contains(&&*mode.to_lowercase())) {
        let format = value(&text, "compression_format").unwrap_or_default();
        let found = format!(
            "a rosbag2 folder whose {}s are packed by '{format}' outside of the storage; `ros2 bag convert` unpacks it",
            mode.to_lowercase()
        );
        return Err(CloudError::unread(folder, found));
    }
    let after = text.lines().skip_while(|line| line.trim() != "relative_file_paths:").skip(1);
    let entries = after.map(str::trim).take_while(|line| line.starts_with('-'));
    let files: Vec<PathBuf> = entries.map(|line| folder.join(plain(line.trim_start_matches('-')))).collect();
    if files.is_empty() {
        return Err(CloudError::missing(metadata, "a list 'relative_file_paths' of files", "none"));
    }
    Ok(files)
}

/// A value on a line of its own.
fn value(text: &str, key: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix(key)?.strip_prefix(':'))?;
    Some(plain(line))
}

/// Without quotes.
fn plain(text: &str) -> String {
    text.trim().trim_matches(['"', '\'']).to_owned()
}
