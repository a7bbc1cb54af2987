//! The highest cell of a box, quickly: maxima over blocks of 2 × 2, 4 × 4, 8 × 8 … cells.

/// Maxima of blocks; level 0 is the grid itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Pyramid {
    levels: Vec<Level>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Level {
    columns: usize,
    rows: usize,
    highest: Vec<f64>,
}

impl Pyramid {
    /// Of a grid; not-a-number counts as lower than everything.
    pub fn new(columns: usize, rows: usize, heights: &[f64]) -> Pyramid {
        let highest = heights.iter().map(|height| if height.is_nan() { f64::NEG_INFINITY } else { *height }).collect();
        let mut levels = vec![Level { columns, rows, highest }];
        while let Some(level) = levels.last().filter(|level| level.columns > 1 || level.rows > 1) {
            let next = level.halved();
            levels.push(next);
        }
        Pyramid { levels }
    }

    /// No cell of the box is higher than this; the box may be met by blocks that are higher. First and last column and row belong to it.
    pub fn bound(&self, columns: [usize; 2], rows: [usize; 2]) -> f64 {
        let span = (columns[1] - columns[0]).max(rows[1] - rows[0]);
        let number = self.levels.len().saturating_sub(1).min((usize::BITS - span.leading_zeros()) as usize);
        let Some(level) = self.levels.get(number) else { return f64::NEG_INFINITY };
        let blocks = (rows[0] >> number..=rows[1] >> number)
            .flat_map(|row| (columns[0] >> number..=columns[1] >> number).map(move |column| (row, column)));
        blocks.map(|(row, column)| level.highest[row * level.columns + column]).fold(f64::NEG_INFINITY, f64::max)
    }
}

impl Pyramid {
    /// Shows the blocks of 4 × 4 cells that make up a box: first and last column and row in it, and the highest cell of the block.
    pub fn each_block(&self, columns: [usize; 2], rows: [usize; 2], mut see: impl FnMut([usize; 2], [usize; 2], f64)) {
        const NUMBER: usize = 2;
        let number = NUMBER.min(self.levels.len().saturating_sub(1));
        let Some(level) = self.levels.get(number) else { return };
        let within = |block: usize, [first, last]: [usize; 2]| {
            [first.max(block << number), last.min(((block + 1) << number) - 1)]
        };
        for row in rows[0] >> number..=rows[1] >> number {
            for column in columns[0] >> number..=columns[1] >> number {
                let highest = level.highest[row * level.columns + column];
                see(within(column, columns), within(row, rows), highest);
            }
        }
    }
}

impl Level {
    fn halved(&self) -> Level {
        let (columns, rows) = (self.columns.div_ceil(2), self.rows.div_ceil(2));
        let mut highest = vec![f64::NEG_INFINITY; columns * rows];
        for (cell, height) in self.highest.iter().enumerate() {
            let (column, row) = (cell % self.columns, cell / self.columns);
            let block = &mut highest[(row / 2) * columns + column / 2];
            *block = block.max(*height);
        }
        Level { columns, rows, highest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_of_a_box_is_higher_than_its_bound() {
        let random = robot_io::RandomStream::new(7, "pyramid");
        let (columns, rows) = (37, 21);
        let heights: Vec<f64> = (0..columns * rows).map(|cell| random.uniform(cell as u64, 0)).collect();
        let pyramid = Pyramid::new(columns, rows, &heights);
        for trial in 0..500 {
            let pick = |index: u32, count: usize| (random.uniform(10_000 + trial, index) * count as f64) as usize;
            let (a, b, c, d) = (pick(0, columns), pick(1, columns), pick(2, rows), pick(3, rows));
            let (across, along) = ([a.min(b), a.max(b)], [c.min(d), c.max(d)]);
            let cells = (along[0]..=along[1]).flat_map(|row| (across[0]..=across[1]).map(move |column| (row, column)));
            let highest = cells.map(|(row, column)| heights[row * columns + column]).fold(f64::NEG_INFINITY, f64::max);
            assert!(pyramid.bound(across, along) >= highest, "{across:?} {along:?}");
        }
        let (mut cells, mut highest) = (0, f64::NEG_INFINITY);
        pyramid.each_block([3, 30], [2, 17], |columns, rows, top| {
            cells += (columns[1] + 1 - columns[0]) * (rows[1] + 1 - rows[0]);
            highest = top.max(highest);
        });
        assert_eq!(cells, 28 * 16, "blocks make up the box");
        assert!(highest <= pyramid.bound([0, 36], [0, 20]));
        assert_eq!(pyramid.bound([3, 3], [4, 4]), heights[4 * columns + 3], "one cell is told exactly");
    }
}
