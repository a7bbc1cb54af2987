//! The messages of a rosbag2 file of the storage `sqlite3`: tables `topics` and `messages`.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::CloudError;
use crate::error::mismatch;
use crate::message::{LARGEST_MESSAGE, Message, Take, Topic};

/// More topics are no robot's.
const MOST_TOPICS: usize = 10_000;

/// All topics of a file, with what there is of each.
pub(crate) fn topics(path: &Path) -> Result<Vec<Topic>, CloudError> {
    let topics = by_number(path, &open(path)?)?;
    Ok(topics.into_values().collect())
}

/// Hands out the messages of the topics that are `wanted`, in the order of their recording.
pub(crate) fn messages(
    path: &Path,
    wanted: &dyn Fn(&Topic) -> bool,
    take: &mut Take,
) -> Result<ControlFlow<()>, CloudError> {
    let refuse = |error: rusqlite::Error| CloudError::file(path, error);
    let database = open(path)?;
    let topics = by_number(path, &database)?;
    let mut query = database.prepare("SELECT topic_id, data FROM messages ORDER BY timestamp, id").map_err(refuse)?;
    let mut rows = query.query([]).map_err(refuse)?;
    let mut numbers: BTreeMap<i64, u64> = BTreeMap::new();
    while let Some(row) = rows.next().map_err(refuse)? {
        let id: i64 = row.get(0).map_err(refuse)?;
        let Some(topic) = topics.get(&id).filter(|topic| wanted(topic)) else { continue };
        let number = numbers.entry(id).or_default();
        let data = row.get_ref(1).map_err(refuse)?;
        let data = data.as_blob().map_err(|error| {
            CloudError::damaged(path, format!("message {number} of {}", topic.name), mismatch("bytes", error))
        })?;
        if take(Message { topic, number: *number, data })?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        *number += 1;
    }
    Ok(ControlFlow::Continue(()))
}

fn open(path: &Path) -> Result<Connection, CloudError> {
    let refuse = |error: rusqlite::Error| CloudError::file(path, error);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(path, flags).map_err(refuse)?;
    let most = i32::try_from(LARGEST_MESSAGE).unwrap_or(i32::MAX);
    database.set_limit(rusqlite::limits::Limit::SQLITE_LIMIT_LENGTH, most).map_err(refuse)?;
    Ok(database)
}

fn by_number(path: &Path, database: &Connection) -> Result<BTreeMap<i64, Topic>, CloudError> {
    let refuse = |error: rusqlite::Error| CloudError::file(path, error);
    let sql = "SELECT topics.id, name, type, serialization_format, COUNT(messages.id), MIN(timestamp), MAX(timestamp) \
               FROM topics LEFT JOIN messages ON topics.id = topic_id GROUP BY topics.id";
    let mut query = database.prepare(sql).map_err(refuse)?;
    let mut rows = query.query([]).map_err(refuse)?;
    let mut topics = BTreeMap::new();
    while let Some(row) = rows.next().map_err(refuse)? {
        let read = || {
            let recorded =
                |column| row.get::<_, Option<i64>>(column).map(|time| time.unwrap_or(0).max(0).unsigned_abs());
            let (name, schema, encoding) = (row.get(1)?, row.get(2)?, row.get(3)?);
            let messages = row.get::<_, i64>(4)?.max(0).unsigned_abs();
            Ok((row.get(0)?, Topic { name, schema, encoding, messages, recorded: (recorded(5)?, recorded(6)?) }))
        };
        let (id, topic): (i64, Topic) = read().map_err(refuse)?;
        topics.insert(id, topic);
        if topics.len() > MOST_TOPICS {
            return Err(CloudError::damaged(
                path,
                "table topics",
                mismatch(format!("at most {MOST_TOPICS} topics"), "more"),
            ));
        }
    }
    Ok(topics)
}
