//! Heights above which nothing touches the terrain.

use nalgebra::Vector3;
use worlds::Terrain;

/// Edge of a cell [m].
const CELL: f64 = 0.5;

/// The highest point of the terrain in each cell of a coarse grid.
#[derive(Clone, Debug)]
pub(crate) struct Ceiling {
    /// The first cell's corner [m].
    corner: (f64, f64),
    columns: usize,
    rows: usize,
    highest: Vec<f64>,
}

impl Ceiling {
    /// Over a terrain.
    pub fn new(terrain: &Terrain) -> Ceiling {
        let ((x_min, x_max), (y_min, y_max)) = terrain.extent();
        let count = |length: f64| (length / CELL).ceil().max(1.0) as usize;
        let (columns, rows) = (count(x_max - x_min), count(y_max - y_min));
        let mut ceiling =
            Ceiling { corner: (x_min, y_min), columns, rows, highest: vec![f64::NEG_INFINITY; columns * rows] };
        for row in 0..terrain.rows {
            for column in 0..terrain.columns {
                let (x, y) = terrain.position(row, column);
                let height = terrain.height(row, column);
                // a point stands at the corner of faces that reach to its neighbours
                ceiling.raise(x, y, terrain.cell, height);
            }
        }
        ceiling
    }

    fn raise(&mut self, x: f64, y: f64, reach: f64, height: f64) {
        for cell in self.cells(x, y, reach) {
            self.highest[cell] = self.highest[cell].max(height);
        }
    }

    /// The highest point of the terrain within `reach` of a place, or somewhat farther away [m].
    pub fn over(&self, at: &Vector3<f64>, reach: f64) -> f64 {
        self.cells(at.x, at.y, reach).map(|cell| self.highest[cell]).fold(f64::NEG_INFINITY, f64::max)
    }

    fn cells(&self, x: f64, y: f64, reach: f64) -> impl Iterator<Item = usize> + use<> {
        let span = |at: f64, corner: f64, count: usize| {
            let cell = |at: f64| ((at - corner) / CELL).floor().clamp(0.0, count as f64 - 1.0) as usize;
            cell(at - reach)..=cell(at + reach)
        };
        let (columns, rows) = (span(x, self.corner.0, self.columns), span(y, self.corner.1, self.rows));
        let width = self.columns;
        rows.flat_map(move |row| columns.clone().map(move |column| row * width + column))
    }
}
