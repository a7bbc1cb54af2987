//! Tables as Parquet, packed with Snappy.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};

use super::{Cell, Column, Kind, TableFile};
use crate::ScenarioError;

/// Rows that are held in memory and written together.
const ROWS_PER_GROUP: usize = 4_096;

/// A Parquet file. Every column is optional: what is missing is null.
pub(super) struct ParquetFile {
    path: PathBuf,
    writer: Option<SerializedFileWriter<File>>,
    kinds: Vec<Kind>,
    /// Cells by column.
    held: Vec<Vec<Cell>>,
}

impl ParquetFile {
    /// Begins a file that says where its numbers come from.
    pub(super) fn begin(
        file: File,
        path: &Path,
        columns: &[Column],
        about: &[(String, String)],
    ) -> Result<ParquetFile, ScenarioError> {
        let about = about.iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone())).collect();
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("chiron ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(Some(about))
            .build();
        let writer = schema(columns)
            .and_then(|schema| SerializedFileWriter::new(file, schema, Arc::new(properties)))
            .map_err(|error| failed(path, &error))?;
        let kinds = columns.iter().map(|column| column.kind).collect();
        Ok(ParquetFile { path: path.to_owned(), writer: Some(writer), kinds, held: vec![Vec::new(); columns.len()] })
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let mut group = writer.next_row_group()?;
        for (kind, cells) in self.kinds.iter().zip(&mut self.held) {
            if let Some(column) = group.next_column()? {
                write_column(column, *kind, cells)?;
            }
            cells.clear();
        }
        group.close().map(drop)
    }
}

impl TableFile for ParquetFile {
    fn row(&mut self, cells: &[Cell]) -> Result<(), ScenarioError> {
        for (held, cell) in self.held.iter_mut().zip(cells) {
            held.push(cell.clone());
        }
        if self.held.first().is_some_and(|column| column.len() >= ROWS_PER_GROUP) {
            self.write_group().map_err(|error| failed(&self.path, &error))?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ScenarioError> {
        let rest = if self.held.first().is_some_and(|column| !column.is_empty()) { self.write_group() } else { Ok(()) };
        let closed = rest.and_then(|()| self.writer.take().map_or(Ok(()), |writer| writer.close().map(drop)));
        closed.map_err(|error| failed(&self.path, &error))
    }
}

fn schema(columns: &[Column]) -> Result<TypePtr, ParquetError> {
    let field = |column: &Column| {
        let (physical, logical) = match column.kind {
            Kind::Integer => (Physical::INT64, Some(LogicalType::integer(64, false))),
            Kind::Number => (Physical::DOUBLE, None),
            Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let field = Type::primitive_type_builder(&column.title, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical)
            .build()?;
        Ok(Arc::new(field))
    };
    let fields = columns.iter().map(field).collect::<Result<_, ParquetError>>()?;
    Ok(Arc::new(Type::group_type_builder("log").with_fields(fields).build()?))
}

/// Writes the cells of a column: their values, and for each cell whether it has one.
fn write_column(mut column: SerializedColumnWriter<'_>, kind: Kind, cells: &[Cell]) -> Result<(), ParquetError> {
    let present: Vec<i16> = cells.iter().map(|cell| i16::from(*cell != Cell::Missing)).collect();
    match kind {
        Kind::Integer => {
            // the type says that the 64 bits are unsigned
            let bits = |cell: &Cell| if let Cell::Integer(value) = cell { Some(*value as i64) } else { None };
            let values: Vec<i64> = cells.iter().filter_map(bits).collect();
            column.typed::<Int64Type>().write_batch(&values, Some(&present), None)?;
        }
        Kind::Number => {
            let number = |cell: &Cell| if let Cell::Number(value) = cell { Some(*value) } else { None };
            let values: Vec<f64> = cells.iter().filter_map(number).collect();
            column.typed::<DoubleType>().write_batch(&values, Some(&present), None)?;
        }
        Kind::Text => {
            let text =
                |cell: &Cell| if let Cell::Text(text) = cell { Some(ByteArray::from(text.as_str())) } else { None };
            let values: Vec<ByteArray> = cells.iter().filter_map(text).collect();
            column.typed::<ByteArrayType>().write_batch(&values, Some(&present), None)?;
        }
    }
    column.close()
}

fn failed(path: &Path, error: &ParquetError) -> ScenarioError {
    ScenarioError::File { path: path.to_owned(), message: format!("cannot write: {error}") }
}
