//! How far it is to the nearest forbidden cell of a grid.

/// Squared distance of each cell's middle to the nearest marked one [cells²], exactly: Felzenszwalb and Huttenlocher,
/// "Distance transforms of sampled functions" (2012). The buffers are reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct DistanceTransform {
    line: Vec<f32>,
    parabolas: Vec<usize>,
    borders: Vec<f32>,
}

/// Stands for no marked cell at all [cells²].
const FAR: f32 = 1e9;

impl DistanceTransform {
    /// For grids of at most `side` cells along each axis.
    pub fn new(side: usize) -> DistanceTransform {
        DistanceTransform { line: vec![0.0; side], parabolas: vec![0; side], borders: vec![0.0; side + 1] }
    }

    /// Writes the distances to the cells for which `marked` is true; `grid` has rows of `columns` cells.
    pub fn transform(&mut self, columns: usize, grid: &mut [f32], marked: impl Fn(usize) -> bool) {
        for (index, value) in grid.iter_mut().enumerate() {
            *value = if marked(index) { 0.0 } else { FAR };
        }
        let rows = grid.len() / columns.max(1);
        for column in 0..columns {
            self.along(grid, column, columns, rows);
        }
        for row in 0..rows {
            self.along(grid, row * columns, 1, columns);
        }
    }

    /// One line of `count` cells: the lower envelope of the parabolas that stand on them.
    fn along(&mut self, grid: &mut [f32], start: usize, stride: usize, count: usize) {
        for cell in 0..count {
            self.line[cell] = grid[start + cell * stride];
        }
        let (line, parabolas, borders) = (&self.line, &mut self.parabolas, &mut self.borders);
        let meet = |a: usize, b: usize| {
            let (at, bt) = (a as f32, b as f32);
            ((line[b] + bt * bt) - (line[a] + at * at)) / (2.0 * (bt - at))
        };
        let mut last = 0;
        parabolas[0] = 0;
        (borders[0], borders[1]) = (f32::NEG_INFINITY, f32::INFINITY);
        for cell in 1..count {
            let mut border = meet(parabolas[last], cell);
            while border <= borders[last] {
                last -= 1;
                border = meet(parabolas[last], cell);
            }
            last += 1;
            parabolas[last] = cell;
            (borders[last], borders[last + 1]) = (border, f32::INFINITY);
        }
        let mut nearest = 0;
        for cell in 0..count {
            while borders[nearest + 1] < cell as f32 {
                nearest += 1;
            }
            let apart = cell as f32 - parabolas[nearest] as f32;
            grid[start + cell * stride] = (apart * apart + line[parabolas[nearest]]).min(FAR);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distances_are_those_of_an_exhaustive_search() {
        let (columns, rows) = (23, 17);
        let marked = |index: usize| (index * 2_654_435_761) % 41 == 3;
        let mut grid = vec![0.0; columns * rows];
        DistanceTransform::new(columns.max(rows)).transform(columns, &mut grid, marked);
        let obstacles: Vec<usize> = (0..columns * rows).filter(|index| marked(*index)).collect();
        assert!(obstacles.len() > 4);
        for (index, found) in grid.iter().enumerate() {
            let apart = |other: &usize| {
                let dx = (index % columns) as f32 - (other % columns) as f32;
                let dy = (index / columns) as f32 - (other / columns) as f32;
                dx * dx + dy * dy
            };
            let expected = obstacles.iter().map(apart).fold(f32::INFINITY, f32::min);
            assert_eq!(*found, expected, "cell {index}");
        }
    }

    #[test]
    fn without_anything_forbidden_all_is_far() {
        let mut grid = vec![0.0; 30];
        DistanceTransform::new(6).transform(6, &mut grid, |_| false);
        assert!(grid.iter().all(|value| *value >= FAR));
    }
}
