//! Which cell is where.

use robot_io::State;

/// The layout of a grid over the map. Cell (0, 0) has its middle at the origin; cells lie row after row, rows along +y.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct GridFrame {
    /// Side of a cell [m].
    pub cell: f64,
    /// x of the first cell's middle [m].
    pub origin_x: f64,
    /// y of the first cell's middle [m].
    pub origin_y: f64,
    /// Cells along x.
    pub columns: usize,
    /// Cells along y.
    pub rows: usize,
}

impl GridFrame {
    /// The grid that holds a box. Its cells' middles are whole multiples of the cell's side, so that a cell stays where it is
    /// when the box grows.
    pub fn around(cell: f64, low: [f64; 2], high: [f64; 2]) -> GridFrame {
        let first = |value: f64| libm::floor(value / cell + 0.5);
        let (column, row) = (first(low[0]), first(low[1]));
        let count = |high: f64, first_index: f64| (first(high) - first_index).max(0.0) as usize + 1;
        GridFrame {
            cell,
            origin_x: column * cell,
            origin_y: row * cell,
            columns: count(high[0], column),
            rows: count(high[1], row),
        }
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.columns * self.rows
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The cell at a place; `None` off the grid.
    pub fn index_at(&self, x: f64, y: f64) -> Option<usize> {
        let column = libm::floor((x - self.origin_x) / self.cell + 0.5);
        let row = libm::floor((y - self.origin_y) / self.cell + 0.5);
        let inside = column >= 0.0 && row >= 0.0 && column < self.columns as f64 && row < self.rows as f64;
        inside.then(|| row as usize * self.columns + column as usize)
    }

    /// The middle of a cell [m].
    pub fn center(&self, index: usize) -> (f64, f64) {
        let (column, row) = self.column_row(index);
        (self.origin_x + column as f64 * self.cell, self.origin_y + row as f64 * self.cell)
    }

    /// Column and row of a cell.
    pub fn column_row(&self, index: usize) -> (usize, usize) {
        let columns = self.columns.max(1);
        (index % columns, index / columns)
    }

    /// The cell that lies `across` columns and `along` rows from another; `None` off the grid.
    pub fn neighbour(&self, index: usize, across: i32, along: i32) -> Option<usize> {
        let (column, row) = self.column_row(index);
        let (column, row) = (column as i64 + i64::from(across), row as i64 + i64::from(along));
        let inside = column >= 0 && row >= 0 && column < self.columns as i64 && row < self.rows as i64;
        inside.then(|| row as usize * self.columns + column as usize)
    }

    /// A length in cells, rounded up.
    pub fn cells(&self, length: f64) -> usize {
        libm::ceil(length / self.cell - 1e-9).max(0.0) as usize
    }

    /// The cells whose middles lie in the square of half side `half` [m] about a place.
    pub fn square(&self, x: f64, y: f64, half: f64) -> impl Iterator<Item = usize> + use<> {
        let clamp = |value: f64, count: usize| value.clamp(0.0, count as f64) as usize;
        let low = |middle: f64, origin: f64, count| clamp(libm::ceil((middle - half - origin) / self.cell), count);
        let high =
            |middle: f64, origin: f64, count| clamp(libm::floor((middle + half - origin) / self.cell) + 1.0, count);
        let columns = low(x, self.origin_x, self.columns)..high(x, self.origin_x, self.columns);
        let rows = low(y, self.origin_y, self.rows)..high(y, self.origin_y, self.rows);
        let width = self.columns;
        rows.flat_map(move |row| columns.clone().map(move |column| row * width + column))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_cells_middle_lies_in_it_and_growing_does_not_move_it() {
        let small = GridFrame::around(0.1, [-1.03, 0.0], [2.0, 1.0]);
        let large = GridFrame::around(0.1, [-5.0, -5.0], [5.0, 5.0]);
        for index in 0..small.len() {
            let (x, y) = small.center(index);
            assert_eq!(small.index_at(x, y), Some(index));
            let (there_x, there_y) = large.center(large.index_at(x, y).unwrap());
            assert!((there_x - x).abs() < 1e-9 && (there_y - y).abs() < 1e-9);
        }
        assert_eq!((small.index_at(-1.2, 0.0), small.index_at(f64::NAN, 0.0)), (None, None));
    }

    #[test]
    fn a_square_holds_its_cells_and_ends_at_the_edge() {
        let frame = GridFrame::around(0.1, [0.0, 0.0], [1.0, 1.0]);
        assert_eq!(frame.square(0.5, 0.5, 0.1001).count(), 9);
        assert_eq!(frame.square(0.0, 0.0, 0.1001).collect::<Vec<_>>(), vec![0, 1, 11, 12]);
        assert_eq!(frame.square(-3.0, 0.5, 0.2).count(), 0);
    }
}
