//! The snapshots of a log, with the contents to which they refer.

use std::collections::BTreeMap;

use robot_io::{Digest, Pool, Time};

use super::LogReader;
use crate::LogError;
use crate::channel::{CONTENTS, SNAPSHOT};
use crate::contents::{LoggedSnapshot, read_contents, read_snapshot};

/// A snapshot in a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotPlace {
    /// The cycle that begins from it.
    pub cycle: u64,
    /// When it was taken.
    pub time: Time,
    chunk: usize,
    message: usize,
}

/// Where contents are: chunk and message.
pub(super) type ContentsIndex = BTreeMap<Digest, (usize, usize)>;

impl LogReader {
    /// The snapshots, in order.
    pub fn snapshots(&self) -> Result<Vec<SnapshotPlace>, LogError> {
        let mut places = Vec::new();
        self.visit(SNAPSHOT, |(chunk, message), place, data| {
            let (cycle, ..) = read_snapshot(data)?;
            places.push(SnapshotPlace { cycle, time: Time::from_nanoseconds(place.time), chunk, message });
            Ok(())
        })?;
        Ok(places)
    }

    /// The last snapshot from which `cycle` can be reached.
    pub fn snapshot_before(&self, cycle: u64) -> Result<Option<SnapshotPlace>, LogError> {
        Ok(self.snapshots()?.into_iter().rev().find(|place| place.cycle <= cycle))
    }

    /// A snapshot with the contents to which it refers. What is in `known`, for example from another snapshot, is shared and
    /// not read again.
    pub fn snapshot(&self, place: &SnapshotPlace, known: &Pool) -> Result<LoggedSnapshot, LogError> {
        let chunk = self.container.load(place.chunk)?;
        let message = chunk.messages.get(place.message).filter(|message| {
            let topic = self.container.channels.get(&message.channel);
            topic.is_some_and(|topic| topic == SNAPSHOT)
        });
        let missing = || LogError::request(self.path(), "snapshot", "one of this log", format!("{place:?}"));
        let data = chunk.data(message.ok_or_else(missing)?);
        let (cycle, refers_to, state) =
            read_snapshot(data).map_err(|found| self.damaged_snapshot(place.cycle, found))?;
        let pool = self.contents(cycle, &refers_to, known)?;
        Ok(LoggedSnapshot { state: state.to_vec(), pool })
    }

    /// Contents by their digests, chunk by chunk.
    fn contents(&self, cycle: u64, digests: &[Digest], known: &Pool) -> Result<Pool, LogError> {
        let mut pool = Pool::default();
        let mut wanted: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for digest in digests {
            if let Some(contents) = known.get(*digest) {
                pool.insert(*digest, contents.clone());
                continue;
            }
            let missing = || self.damaged_snapshot(cycle, format!("no contents of the sealed value {digest}"));
            let (chunk, message) = *self.contents_index()?.get(digest).ok_or_else(missing)?;
            wanted.entry(chunk).or_default().push(message);
        }
        for (index, messages) in wanted {
            let chunk = self.container.load(index)?;
            for message in messages.into_iter().filter_map(|message| chunk.messages.get(message)) {
                let read = read_contents(chunk.data(message));
                let (digest, contents) = read.map_err(|found| self.damaged_snapshot(cycle, found))?;
                pool.insert(digest, contents);
            }
        }
        Ok(pool)
    }

    /// Where all contents are, found once.
    fn contents_index(&self) -> Result<&ContentsIndex, LogError> {
        if let Some(index) = self.contents.get() {
            return Ok(index);
        }
        let mut index = ContentsIndex::new();
        self.visit(CONTENTS, |place, _, data| {
            let digest = data.first_chunk::<8>().ok_or_else(|| format!("{} bytes", data.len()))?;
            index.entry(Digest(u64::from_le_bytes(*digest))).or_insert(place);
            Ok(())
        })?;
        Ok(self.contents.get_or_init(|| index))
    }

    fn damaged_snapshot(&self, cycle: u64, found: String) -> LogError {
        let expected = format!("everything that it refers to on {CONTENTS}");
        LogError::damaged(self.path(), format!("the snapshot of cycle {cycle}"), expected, found)
    }
}
