//! Tables as CSV (RFC 4180).

use std::fs::File;
use std::path::{Path, PathBuf};

use super::{Cell, Column, TableFile};
use crate::ScenarioError;

/// A CSV file. Numbers have as many digits as bring them back to the bit; what is missing is empty.
pub(super) struct CsvFile {
    path: PathBuf,
    writer: csv::Writer<File>,
    /// One cell as text, used again and again.
    text: String,
}

impl CsvFile {
    /// Writes the head.
    pub(super) fn begin(file: File, path: &Path, columns: &[Column]) -> Result<CsvFile, ScenarioError> {
        let writer = csv::WriterBuilder::new().buffer_capacity(1 << 16).from_writer(file);
        let mut table = CsvFile { path: path.to_owned(), writer, text: String::new() };
        let head = table.writer.write_record(columns.iter().map(|column| &column.title));
        head.map_err(|error| table.failed(&error))?;
        Ok(table)
    }

    fn failed(&self, error: &dyn std::error::Error) -> ScenarioError {
        ScenarioError::File { path: self.path.clone(), message: format!("cannot write: {error}") }
    }

    fn cell(&mut self, cell: &Cell) -> Result<(), csv::Error> {
        use std::fmt::Write;
        self.text.clear();
        // writing to a text cannot fail
        let _ = match cell {
            Cell::Missing => Ok(()),
            Cell::Integer(value) => write!(self.text, "{value}"),
            Cell::Number(value) => write!(self.text, "{value:?}"),
            Cell::Text(text) => write!(self.text, "{text}"),
        };
        self.writer.write_field(&self.text)
    }
}

impl TableFile for CsvFile {
    fn row(&mut self, cells: &[Cell]) -> Result<(), ScenarioError> {
        let written = cells.iter().try_for_each(|cell| self.cell(cell));
        written.and_then(|()| self.writer.write_record(None::<&[u8]>)).map_err(|error| self.failed(&error))
    }

    fn finish(&mut self) -> Result<(), ScenarioError> {
        self.writer.flush().map_err(|error| self.failed(&error))
    }
}
