//! Heights above which nothing touches the terrain.

use core::ops::RangeInclusive;

use nalgebra::Vector3;
use worlds::Terrain;

/// Edges of the cells of a coarse and a fine grid [m].
const CELLS: [f64; 2] = [0.5, 0.1];

/// The highest points of the terrain around every place, roughly and more closely.
#[derive(Clone, Debug)]
pub(crate) struct Ceiling {
    grids: [Grid; 2],
    /// For each cell of the coarse grid the lowest of the highest points of the fine one's cells there.
    lowest: Vec<f64>,
}

/// How high the terrain is in some places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heights {
    /// No point is higher [m].
    pub highest: f64,
    /// Near every place there are points that are as high [m].
    pub lowest: f64,
}

/// The highest point of the terrain in each cell of a grid.
#[derive(Clone, Debug)]
struct Grid {
    /// Cells for each metre.
    density: f64,
    /// The first cell's corner [m].
    corner: (f64, f64),
    columns: usize,
    rows: usize,
    highest: Vec<f64>,
}

impl Ceiling {
    /// Over a terrain.
    pub fn new(terrain: &Terrain) -> Ceiling {
        let grids @ [coarse, fine] = &CELLS.map(|cell| Grid::new(terrain, cell));
        let mut lowest = vec![f64::INFINITY; coarse.highest.len()];
        for (place, highest) in fine.highest.iter().enumerate() {
            let at = |place: usize, corner: f64| corner + (place as f64 + 0.5) / fine.density;
            let (x, y) = (at(place % fine.columns, fine.corner.0), at(place / fine.columns, fine.corner.1));
            for place in coarse.places(x, y, 0.0) {
                lowest[place] = lowest[place].min(*highest);
            }
        }
        Ceiling { grids: grids.clone(), lowest }
    }

    /// How high the terrain is within `reach` of a place.
    pub fn above(&self, at: &Vector3<f64>, reach: f64) -> Heights {
        let [coarse, _] = &self.grids;
        let none = Heights { highest: f64::NEG_INFINITY, lowest: f64::INFINITY };
        coarse.places(at.x, at.y, reach).fold(none, |Heights { highest, lowest }, place| Heights {
            highest: highest.max(coarse.highest[place]),
            lowest: lowest.min(self.lowest[place]),
        })
    }

    /// Whether the terrain is higher than `low` within `reach` of a place, or somewhat farther away [m].
    pub fn is_above(&self, low: f64, at: &Vector3<f64>, reach: f64) -> bool {
        self.grids
            .iter()
            .all(|grid| grid.rows_around(at.x, at.y, reach).any(|row| row.iter().any(|highest| *highest > low)))
    }
}

impl Grid {
    fn new(terrain: &Terrain, cell: f64) -> Grid {
        let ((x_min, x_max), (y_min, y_max)) = terrain.extent();
        let count = |length: f64| (length / cell).ceil().max(1.0) as usize;
        let (columns, rows) = (count(x_max - x_min), count(y_max - y_min));
        let highest = vec![f64::NEG_INFINITY; columns * rows];
        let mut grid = Grid { density: 1.0 / cell, corner: (x_min, y_min), columns, rows, highest };
        for row in 0..terrain.rows {
            for column in 0..terrain.columns {
                let (x, y) = terrain.position(row, column);
                let height = terrain.height(row, column);
                // a point stands at the corner of faces that reach to its neighbours
                let (rows, columns) = grid.span(x, y, terrain.cell);
                for row in rows {
                    for highest in &mut grid.highest[row * grid.columns..][columns.clone()] {
                        *highest = highest.max(height);
                    }
                }
            }
        }
        grid
    }

    /// The numbers of the cells within `reach` of a place.
    fn places(&self, x: f64, y: f64, reach: f64) -> impl Iterator<Item = usize> {
        let (rows, columns) = self.span(x, y, reach);
        rows.flat_map(move |row| columns.clone().map(move |column| row * self.columns + column))
    }

    /// The cells within `reach` of a place, row by row.
    fn rows_around(&self, x: f64, y: f64, reach: f64) -> impl Iterator<Item = &[f64]> {
        let (rows, columns) = self.span(x, y, reach);
        rows.map(move |row| &self.highest[row * self.columns..][columns.clone()])
    }

    /// The rows and columns within `reach` of a place.
    fn span(&self, x: f64, y: f64, reach: f64) -> (RangeInclusive<usize>, RangeInclusive<usize>) {
        let span = |at: f64, corner: f64, count: usize| {
            // a cast rounds down what is not below zero
            let cell = |at: f64| ((at - corner) * self.density).clamp(0.0, count as f64 - 1.0) as usize;
            cell(at - reach)..=cell(at + reach)
        };
        (span(y, self.corner.1, self.rows), span(x, self.corner.0, self.columns))
    }
}
