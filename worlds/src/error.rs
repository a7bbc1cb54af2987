//! The one error of this crate: which file, where in it, what was expected, what was found.

use thiserror::Error;

/// Why a world could not be made from its files.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WorldError {
    /// A file is missing or cannot be read.
    #[error("{file}: expected a readable file, found: {reason}")]
    Read {
        /// Path as it was tried.
        file: String,
        /// The operating system's words.
        reason: String,
    },
    /// A file cannot be written.
    #[error("{file}: cannot write: {reason}")]
    Write {
        /// Path as it was tried.
        file: String,
        /// The operating system's words.
        reason: String,
    },
    /// The text is no TOML, or a field is missing, unknown, of the wrong type, or out of range.
    #[error(transparent)]
    File(#[from] page::Fault),
    /// A height map is not what the world file needs.
    #[error("{file}: height map: expected {expected}, found {found}")]
    HeightMap {
        /// Name of the PNG.
        file: String,
        /// What the format asks for.
        expected: String,
        /// What the file holds.
        found: String,
    },
    /// A mesh file is malformed.
    #[error("{file}:{line}: mesh: expected {expected}, found {found}")]
    Mesh {
        /// Name of the OBJ or STL file.
        file: String,
        /// Line, from 1; 0 for a binary file.
        line: usize,
        /// What the format asks for.
        expected: String,
        /// What the file holds.
        found: String,
    },
}
