//! A 16-bit height map laid over the grid.

use crate::fields::{COORDINATE, HEIGHT, LENGTH};
use crate::{HeightMap, WorldError};
use page::{Fields, Range};

use super::{Profile, Site};

/// Adds the heights of an image, interpolated between its samples and held beyond its edge.
pub(super) struct Image {
    rows: usize,
    columns: usize,
    cell: f64,
    origin: (f64, f64),
    heights: Vec<f64>,
}

impl Image {
    pub(super) fn read(fields: &mut Fields<'_>, site: &mut Site<'_, '_>) -> Result<Self, WorldError> {
        let file = fields.need("file", "a text")?;
        let scale = fields.number("scale", Range::new(1e-9, 1.0, "m per grey step"))?;
        let offset = fields.number_or("offset", HEIGHT, 0.0)?;
        let cell = fields.optional("cell", LENGTH)?;
        let center = fields.get("center").map(|value| value.vector::<2>(COORDINATE)).transpose()?;
        let (file, bytes) = crate::fields::file(&file, site.reader)?;
        let map = HeightMap::decode(&bytes, file)?;
        let terrain = &*site.terrain;
        if cell.is_none() {
            map.expect_size(file, terrain.rows, terrain.columns)?;
        }
        let cell = cell.unwrap_or(terrain.cell);
        let ((x0, x1), (y0, y1)) = terrain.extent();
        let [x, y] = center.unwrap_or([0.5 * (x0 + x1), 0.5 * (y0 + y1)]);
        let origin = (x - 0.5 * cell * (map.columns - 1) as f64, y - 0.5 * cell * (map.rows - 1) as f64);
        Ok(Self { rows: map.rows, columns: map.columns, cell, origin, heights: map.heights(scale, offset) })
    }
}

impl Profile for Image {
    fn height(&self, x: f64, y: f64, height: f64) -> f64 {
        let split = |p: f64, samples: usize| {
            let p = (p / self.cell).clamp(0.0, (samples - 1) as f64);
            let index = (p as usize).min(samples - 2);
            (index, p - index as f64)
        };
        let (column, u) = split(x - self.origin.0, self.columns);
        let (row, v) = split(y - self.origin.1, self.rows);
        let sample = |r: usize, c: usize| self.heights[(row + r) * self.columns + column + c];
        let south = sample(0, 0) * (1.0 - u) + sample(0, 1) * u;
        let north = sample(1, 0) * (1.0 - u) + sample(1, 1) * u;
        height + south * (1.0 - v) + north * v
    }
}
