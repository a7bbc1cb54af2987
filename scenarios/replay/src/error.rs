//! What can go wrong with a log.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a log could not be written or read. Each names the file, what was expected and what was found.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LogError {
    /// The operating system refused.
    #[error("{}: cannot {doing}: {message}", file.display())]
    File {
        /// The log.
        file: PathBuf,
        /// What was tried: `create`, `open`, `read`, `write`.
        doing: &'static str,
        /// What the operating system said.
        message: String,
    },
    /// The file is no log of this program.
    #[error("{}: not a Chiron log: expected {expected}, found {found}", file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
        /// What a log has.
        expected: String,
        /// What the file has.
        found: String,
    },
    /// The file is a log, but a part of it is broken.
    #[error("{}: damaged at {place}: expected {expected}, found {found}", file.display())]
    Damaged {
        /// The log.
        file: PathBuf,
        /// Which part: `byte 8123`, `chunk 4`, `/io message 12` …
        place: String,
        /// What an intact log has there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// Something was asked of the log that it does not hold, or of the writer that does not fit.
    #[error("{}: {what}: expected {expected}, found {found}", file.display())]
    Request {
        /// The log.
        file: PathBuf,
        /// What was asked.
        what: String,
        /// What there is.
        expected: String,
        /// What was asked for.
        found: String,
    },
    /// A topic cannot be left out of a log.
    #[error("topic to leave out of the log: expected {expected}, found '{found}'")]
    Topic {
        /// What can be left out.
        expected: String,
        /// What was named.
        found: String,
    },
    /// The writer has already finished the log.
    #[error("{}: the log is finished; nothing can be added", file.display())]
    Finished {
        /// The log.
        file: PathBuf,
    },
}

impl LogError {
    pub(crate) fn file(file: &Path, doing: &'static str, error: impl ToString) -> LogError {
        LogError::File { file: file.to_owned(), doing, message: error.to_string() }
    }

    pub(crate) fn foreign(file: &Path, expected: impl ToString, found: impl ToString) -> LogError {
        let (expected, found) = (expected.to_string(), found.to_string());
        LogError::Foreign { file: file.to_owned(), expected, found }
    }

    pub(crate) fn damaged(
        file: &Path,
        place: impl ToString,
        expected: impl ToString,
        found: impl ToString,
    ) -> LogError {
        let (place, expected, found) = (place.to_string(), expected.to_string(), found.to_string());
        LogError::Damaged { file: file.to_owned(), place, expected, found }
    }

    pub(crate) fn request(file: &Path, what: impl ToString, expected: impl ToString, found: impl ToString) -> LogError {
        let (what, expected, found) = (what.to_string(), expected.to_string(), found.to_string());
        LogError::Request { file: file.to_owned(), what, expected, found }
    }
}

impl From<LogError> for robot_io::IoError {
    fn from(error: LogError) -> Self {
        robot_io::IoError::Device(error.to_string())
    }
}
