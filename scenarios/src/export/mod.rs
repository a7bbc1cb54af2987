//! A log's numbers as tables for other programs: CSV for spreadsheets and eyes, Parquet for pandas, Polars, DuckDB, MATLAB.
//!
//! Each table is a file of its own. `cycles` has every reading and command of every control cycle; `odometry`,
//! `slam_pose`, `truth` and `telemetry` are as often as the log shows them; `events` has a row for each.

mod csv;
mod parquet;
mod tables;

use std::fs::File;
use std::path::{Path, PathBuf};

use ::replay::{LogReader, Partial};
use robot_io::Time;

use crate::ScenarioError;
use crate::progress::Progress;

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text: a head of names with units, then a line for each row.
    Csv,
    /// Columns, packed; the numbers to the bit.
    Parquet,
}

impl Format {
    fn extension(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Parquet => "parquet",
        }
    }
}

/// Which part of a log.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// From this time on.
    pub from: Time,
    /// Up to and with this time.
    pub to: Time,
    /// Of the table `cycles` each so-manieth row, at least 1.
    pub every: u64,
    /// Of the table `cycles` the columns whose names contain one of these; all if there are none.
    pub columns: Vec<String>,
}

impl Selection {
    fn holds(&self, time: Time) -> bool {
        self.from <= time && time <= self.to
    }
}

/// What a column's cells are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Integer,
    Number,
    Text,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
struct Column {
    /// The name, with the unit in brackets.
    title: String,
    kind: Kind,
}

impl Column {
    fn new(name: &str, unit: &str, kind: Kind) -> Column {
        let title = if unit.is_empty() { name.to_owned() } else { format!("{name} [{unit}]") };
        Column { title, kind }
    }
}

/// A cell of a row.
#[derive(Clone, Debug, Default, PartialEq)]
enum Cell {
    #[default]
    Missing,
    Integer(u64),
    Number(f64),
    Text(String),
}

/// A file that takes a table row by row.
trait TableFile {
    fn row(&mut self, cells: &[Cell]) -> Result<(), ScenarioError>;

    /// Writes what is left.
    fn finish(&mut self) -> Result<(), ScenarioError>;
}

/// A table that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The file.
    pub path: PathBuf,
    /// Its rows.
    pub rows: u64,
    /// Its columns.
    pub columns: usize,
}

/// Writes the tables of a log into a folder. Each file appears under its name once it is whole; tables without rows are
/// left out.
pub fn export(
    log: &LogReader,
    selection: &Selection,
    format: Format,
    folder: &Path,
    progress: &mut Progress,
) -> Result<Vec<Written>, ScenarioError> {
    std::fs::create_dir_all(folder).map_err(|error| ScenarioError::file(folder, "create", &error))?;
    let mut written = Vec::new();
    let mut tables = Tables { folder, format, about: about(log), written: &mut written };
    tables::cycles(log, selection, &mut tables, progress)?;
    tables::odometry(log, selection, &mut tables)?;
    tables::poses("slam_pose", "base_in_map", &log.slam_poses()?, selection, &mut tables)?;
    tables::poses("truth", "base_in_world", &log.truth()?, selection, &mut tables)?;
    tables::telemetry(log, selection, &mut tables)?;
    tables::events(log, selection, &mut tables)?;
    Ok(written)
}

/// What a file says of its origin.
fn about(log: &LogReader) -> Vec<(String, String)> {
    let header = log.header();
    let pairs = [
        ("case", header.case.clone()),
        ("seed", header.seed.to_string()),
        ("robot", header.layout.robot.clone()),
        ("program", header.program.clone()),
    ];
    pairs.map(|(key, value)| (key.to_owned(), value)).to_vec()
}

/// Where tables go.
struct Tables<'a> {
    folder: &'a Path,
    format: Format,
    about: Vec<(String, String)>,
    written: &'a mut Vec<Written>,
}

impl Tables<'_> {
    /// Writes a table whose rows `fill` hands out.
    fn write(
        &mut self,
        name: &str,
        columns: &[Column],
        fill: impl FnOnce(&mut dyn FnMut(&[Cell]) -> Result<(), ScenarioError>) -> Result<(), ScenarioError>,
    ) -> Result<(), ScenarioError> {
        let path = self.folder.join(format!("{name}.{}", self.format.extension()));
        let failed = |error: std::io::Error| ScenarioError::file(&path, "write", &error);
        let (file, mut partial) = Partial::create(&path).map_err(failed)?;
        let rows = self.fill(file, &path, columns, fill).inspect_err(|_| partial.discard())?;
        if rows == 0 {
            partial.discard();
            return Ok(());
        }
        partial.complete().map_err(failed)?;
        self.written.push(Written { path, rows, columns: columns.len() });
        Ok(())
    }

    /// Writes the rows of a table, and says how many they are.
    fn fill(
        &self,
        file: File,
        path: &Path,
        columns: &[Column],
        fill: impl FnOnce(&mut dyn FnMut(&[Cell]) -> Result<(), ScenarioError>) -> Result<(), ScenarioError>,
    ) -> Result<u64, ScenarioError> {
        let mut table: Box<dyn TableFile> = match self.format {
            Format::Csv => Box::new(csv::CsvFile::begin(file, path, columns)?),
            Format::Parquet => Box::new(parquet::ParquetFile::begin(file, path, columns, &self.about)?),
        };
        let mut rows = 0;
        fill(&mut |cells| {
            rows += 1;
            table.row(cells)
        })?;
        table.finish()?;
        Ok(rows)
    }
}
