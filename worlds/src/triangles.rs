//! A mesh of triangles, and where in its file something is wrong.

use crate::WorldError;

/// Corners and triangles.
#[derive(Debug, Clone, PartialEq)]
pub struct TriangleMesh {
    /// Corners, in the file's unit.
    pub vertices: Vec<[f64; 3]>,
    /// Corner numbers, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Most triangles of one mesh.
pub(crate) const MOST_TRIANGLES: usize = 200_000;

/// Where in which file, for errors.
#[derive(Clone, Copy)]
pub(crate) struct Place<'f> {
    pub file: &'f str,
    pub line: usize,
}

impl Place<'_> {
    pub fn error(&self, expected: &str, found: &str) -> WorldError {
        WorldError::Mesh {
            file: self.file.to_owned(),
            line: self.line,
            expected: expected.to_owned(),
            found: found.chars().take(60).collect(),
        }
    }

    /// A finite coordinate of sane size.
    pub fn coordinate(&self, word: Option<&str>) -> Result<f64, WorldError> {
        let number = word.and_then(|word| word.parse::<f64>().ok()).filter(|n| n.abs() <= 1e6);
        number.ok_or_else(|| self.error("a coordinate within ±1e6", word.unwrap_or("nothing")))
    }

    pub fn vertex<'w>(&self, words: &mut impl Iterator<Item = &'w str>) -> Result<[f64; 3], WorldError> {
        Ok([self.coordinate(words.next())?, self.coordinate(words.next())?, self.coordinate(words.next())?])
    }
}
