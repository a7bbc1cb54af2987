//! Tables as CSV (RFC 4180).

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::{Cell, Column, TableFile};
use crate::ScenarioError;

/// A CSV file. Numbers have as many digits as bring them back to the bit; what is missing is empty.
pub(super) struct CsvFile {
    path: PathBuf,
    file: BufWriter<File>,
}

impl CsvFile {
    /// Writes the head.
    pub(super) fn begin(file: File, path: &Path, columns: &[Column]) -> Result<CsvFile, ScenarioError> {
        let mut table = CsvFile { path: path.to_owned(), file: BufWriter::with_capacity(1 << 16, file) };
        let titles: Vec<Cell> = columns.iter().map(|column| Cell::Text(column.title.clone())).collect();
        table.row(&titles)?;
        Ok(table)
    }
}

impl TableFile for CsvFile {
    fn row(&mut self, cells: &[Cell]) -> Result<(), ScenarioError> {
        write_row(&mut self.file, cells).map_err(|error| ScenarioError::file(&self.path, "write", &error))
    }

    fn finish(&mut self) -> Result<(), ScenarioError> {
        self.file.flush().map_err(|error| ScenarioError::file(&self.path, "write", &error))
    }
}

fn write_row(out: &mut impl Write, cells: &[Cell]) -> std::io::Result<()> {
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            out.write_all(b",")?;
        }
        match cell {
            Cell::Missing => Ok(()),
            Cell::Integer(value) => write!(out, "{value}"),
            Cell::Number(value) => write!(out, "{value:?}"),
            Cell::Text(text) if text.contains([',', '"', '\n', '\r']) => {
                write!(out, "\"{}\"", text.replace('"', "\"\""))
            }
            Cell::Text(text) => write!(out, "{text}"),
        }?;
    }
    out.write_all(b"\r\n")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn texts_with_commas_quotes_and_lines_are_quoted_and_numbers_come_back_to_the_bit() {
        let mut out = Vec::new();
        let text = |text: &str| Cell::Text(text.to_owned());
        let third = 1.0_f64 / 3.0;
        let row = [text("plain"), text("a, \"b\"\nc"), Cell::Missing, Cell::Integer(7), Cell::Number(third)];
        write_row(&mut out, &row).unwrap();
        let written = String::from_utf8(out).unwrap();
        assert_eq!(written, "plain,\"a, \"\"b\"\"\nc\",,7,0.3333333333333333\r\n");
        assert_eq!(written.trim_end().rsplit(',').next().unwrap().parse(), Ok(third));
    }
}
