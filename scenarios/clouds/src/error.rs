//! What can go wrong with a recording.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why clouds could not be read. Each names the file, what was expected and what was found.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum CloudError {
    /// The operating system or the database refused.
    #[error("{}: cannot read: {message}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// What was said.
        message: String,
    },
    /// A kind of file that is not read.
    #[error("{}: expected {READ}, found {found}", file.display())]
    Unread {
        /// The file or folder.
        file: PathBuf,
        /// What it seems to be, and what can be done with it.
        found: String,
    },
    /// Something in the file is not as its format has it.
    #[error("{}: {place}: expected {expected}, found {found}", file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// `message 12 of /points`, `byte 8123`, `line 3` …
        place: String,
        /// What an intact file has there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// The recording does not have what was asked for.
    #[error("{}: expected {expected}, found {found}", file.display())]
    Missing {
        /// The file.
        file: PathBuf,
        /// What was asked for.
        expected: String,
        /// What there is.
        found: String,
    },
}

/// What is read.
const READ: &str = "a log of `chiron run`, an MCAP file, a rosbag2 folder (metadata.yaml with .mcap or .db3 files) or a folder of \
                    KITTI velodyne scans (.bin)";

/// What was expected and what was found.
pub(crate) type Mismatch = (String, String);

/// A mismatch.
pub(crate) fn mismatch(expected: impl ToString, found: impl ToString) -> Mismatch {
    (expected.to_string(), found.to_string())
}

impl CloudError {
    pub(crate) fn file(file: &Path, error: impl ToString) -> CloudError {
        CloudError::File { file: file.to_owned(), message: error.to_string() }
    }

    pub(crate) fn unread(file: &Path, found: impl ToString) -> CloudError {
        CloudError::Unread { file: file.to_owned(), found: found.to_string() }
    }

    pub(crate) fn damaged(file: &Path, place: impl ToString, (expected, found): Mismatch) -> CloudError {
        CloudError::Damaged { file: file.to_owned(), place: place.to_string(), expected, found }
    }

    pub(crate) fn missing(file: &Path, expected: impl ToString, found: impl ToString) -> CloudError {
        CloudError::Missing { file: file.to_owned(), expected: expected.to_string(), found: found.to_string() }
    }
}
