//! How far it is to the nearest forbidden cell of a grid.

use crate::height::GridFrame;

/// Squared distance of each cell's middle to the nearest marked one [cells²], exactly: Felzenszwalb and Huttenlocher,
/// "Distance transforms of sampled functions" (2012). The buffers are reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct DistanceTransform {
    line: Vec<f64>,
    parabolas: Vec<usize>,
    borders: Vec<f64>,
}

/// Stands for no marked cell at all [cells²].
const FAR: f32 = 1e9;

impl DistanceTransform {
    /// For grids of at most `side` cells along each axis.
    pub fn new(side: usize) -> DistanceTransform {
        DistanceTransform { line: vec![0.0; side], parabolas: vec![0; side], borders: vec![0.0; side + 1] }
    }

    /// Distance of each cell's middle of a grid to the nearest marked one [m]; infinite if there is none.
    pub fn of(frame: &GridFrame, marked: impl Fn(usize) -> bool) -> Vec<f32> {
        let mut grid = vec![0.0; frame.len()];
        DistanceTransform::new(frame.columns.max(frame.rows)).transform(frame.columns, &mut grid, marked);
        let metres = |squared: f32| (f64::from(squared).sqrt() * frame.cell) as f32;
        grid.into_iter().map(|squared| if squared < FAR { metres(squared) } else { f32::INFINITY }).collect()
    }

    /// Writes the squared distances [cells²] to the cells for which `marked` is true; `grid` has rows of `columns` cells.
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
            self.line[cell] = f64::from(grid[start + cell * stride]);
        }
        let (line, parabolas, borders) = (&self.line, &mut self.parabolas, &mut self.borders);
        let meet = |a: usize, b: usize| {
            let (at, bt) = (a as f64, b as f64);
            ((line[b] + bt * bt) - (line[a] + at * at)) / (2.0 * (bt - at))
        };
        let mut last = 0;
        parabolas[0] = 0;
        (borders[0], borders[1]) = (f64::NEG_INFINITY, f64::INFINITY);
        for cell in 1..count {
            let mut border = meet(parabolas[last], cell);
            while border <= borders[last] {
                last -= 1;
                border = meet(parabolas[last], cell);
            }
            last += 1;
            parabolas[last] = cell;
            (borders[last], borders[last + 1]) = (border, f64::INFINITY);
        }
        let mut nearest = 0;
        for cell in 0..count {
            while borders[nearest + 1] < cell as f64 {
                nearest += 1;
            }
            let apart = cell as f64 - parabolas[nearest] as f64;
            grid[start + cell * stride] = ((apart * apart + line[parabolas[nearest]]) as f32).min(FAR);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn distances_are_those_of_the_nearest(
            columns in 1_usize..12,
            cells in proptest::collection::vec(prop_oneof![6 => Just(false), 1 => Just(true)], 12..120),
        ) {
            let frame = GridFrame { cell: 0.5, columns, rows: cells.len() / columns, ..GridFrame::default() };
            let found = DistanceTransform::of(&frame, |cell| cells[cell]);
            for (cell, distance) in found.iter().enumerate() {
                let (x, y) = frame.center(cell);
                let others = (0..frame.len()).filter(|other| cells[*other]).map(|other| frame.center(other));
                let nearest = others.map(|(u, v)| libm::hypot(u - x, v - y)).fold(f64::INFINITY, f64::min);
                prop_assert!(f64::from(*distance) == nearest || (f64::from(*distance) - nearest).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn without_anything_forbidden_all_is_far() {
        let mut grid = vec![0.0; 30];
        DistanceTransform::new(6).transform(6, &mut grid, |_| false);
        assert!(grid.iter().all(|value| *value >= FAR));
    }
}
