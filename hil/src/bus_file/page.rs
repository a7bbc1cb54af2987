//! The text of a bus file, and errors that say where in it something is wrong.

use crate::HilError;

/// The text and name of the file that is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page<'t> {
    pub file: &'t str,
    pub text: &'t str,
}

impl Page<'_> {
    /// What is wrong at a byte offset.
    pub fn error(&self, offset: usize, message: impl Into<String>) -> HilError {
        HilError::BusFile { file: self.file.to_owned(), line: self.line(offset), message: message.into() }
    }

    /// What the file lacks, up to its last line.
    pub fn lacks(&self, message: impl Into<String>) -> HilError {
        self.error(self.text.trim_end().len(), message)
    }

    /// The TOML parser's complaint.
    pub fn syntax(&self, error: &toml::de::Error) -> HilError {
        self.error(error.span().map_or(0, |span| span.start), error.message().replace('\n', ", "))
    }

    /// The line of a byte offset, from 1.
    pub fn line(&self, offset: usize) -> usize {
        1 + self.text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
    }
}
