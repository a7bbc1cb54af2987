//! Distance to the nearest of some cells: Felzenszwalb and Huttenlocher, "Distance transforms of sampled functions" (2012).

/// Distance from each cell to the nearest one that is marked, in cells; infinite without one.
pub(super) fn to_nearest(columns: usize, rows: usize, marked: &[bool]) -> Vec<f64> {
    let mut squares: Vec<f64> = marked.iter().map(|is_marked| if *is_marked { 0.0 } else { f64::INFINITY }).collect();
    let mut line = Vec::new();
    for column in 0..columns {
        line.clear();
        line.extend((0..rows).map(|row| squares[row * columns + column]));
        for (row, square) in transformed(&line).into_iter().enumerate() {
            squares[row * columns + column] = square;
        }
    }
    for row in squares.chunks_mut(columns.max(1)) {
        let along = transformed(row);
        row.copy_from_slice(&along);
    }
    squares.into_iter().map(f64::sqrt).collect()
}

/// The lower envelope of a parabola at each place.
fn transformed(heights: &[f64]) -> Vec<f64> {
    let (mut tips, mut begins): (Vec<usize>, Vec<f64>) = (Vec::new(), Vec::new());
    for (place, height) in heights.iter().enumerate().filter(|(_, height)| height.is_finite()) {
        let mut begin = f64::NEG_INFINITY;
        while let (Some(tip), Some(since)) = (tips.last(), begins.last()) {
            let (p, q) = (place as f64, *tip as f64);
            begin = ((height + p * p) - (heights[*tip] + q * q)) / (2.0 * (p - q));
            if begin > *since {
                break;
            }
            tips.pop();
            begins.pop();
            begin = f64::NEG_INFINITY;
        }
        tips.push(place);
        begins.push(begin);
    }
    let mut tip = 0;
    let square = |place: usize| {
        while begins.get(tip + 1).is_some_and(|begin| *begin < place as f64) {
            tip += 1;
        }
        tips.get(tip).map_or(f64::INFINITY, |at| (place as f64 - *at as f64).powi(2) + heights[*at])
    };
    (0..heights.len()).map(square).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_what_looking_at_every_cell_finds() {
        let (columns, rows) = (13, 9);
        for seed in 0..50 {
            let random = robot_io::RandomStream::new(seed, "marks");
            let marked: Vec<bool> = (0..columns * rows).map(|cell| random.uniform(cell as u64, 0) < 0.05).collect();
            let place = |cell: usize| ((cell % columns) as f64, (cell / columns) as f64);
            let apart = |a: usize, b: usize| (place(a).0 - place(b).0).hypot(place(a).1 - place(b).1);
            let found = to_nearest(columns, rows, &marked);
            for (cell, found) in found.iter().enumerate() {
                let others = (0..columns * rows).filter(|other| marked[*other]);
                let nearest = others.map(|other| apart(cell, other)).fold(f64::INFINITY, f64::min);
                assert!(*found == nearest || (found - nearest).abs() < 1e-9, "seed {seed}, cell {cell}");
            }
        }
    }
}
