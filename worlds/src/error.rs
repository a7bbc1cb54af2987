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
    /// The text is not TOML.
    #[error("{file}:{line}: not valid TOML: {message}")]
    Syntax {
        /// Name of the world file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// The parser's words.
        message: String,
    },
    /// A field is missing, unknown, of the wrong type, or out of range.
    #[error("{file}:{line}: field `{field}`: expected {expected}, found {found}")]
    Field {
        /// Name of the world file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Dotted path of the field, such as `terrain.layer[2].angle_deg`.
        field: String,
        /// What the format asks for, with its range and unit.
        expected: String,
        /// What stands there.
        found: String,
    },
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
