//! What is wrong, and where.

use std::fmt::Display;

/// What is wrong at a place of a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct Fault {
    /// The file, as the user named it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// Which field, what was expected and what was found.
    pub message: String,
}

impl Fault {
    /// A fault in a line, from 1.
    pub fn new(file: impl Into<String>, line: usize, message: impl Into<String>) -> Fault {
        Fault { file: file.into(), line, message: message.into() }
    }

    /// What a field was expected to be, and what it is.
    pub fn of_field(
        file: impl Into<String>,
        line: usize,
        field: impl Display,
        expected: impl Display,
        found: impl Display,
    ) -> Fault {
        Fault::new(file, line, format!("{field}: expected {expected}, found {found}"))
    }
}
