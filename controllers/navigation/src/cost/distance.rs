//! How far it is to the next obstacle.

use crate::height::GridFrame;

/// Exact Euclidean distance of each cell's middle from that of the nearest marked cell [m]; infinite if there is none.
///
/// The lower envelope of parabolas, one direction after the other: Felzenszwalb and Huttenlocher, "Distance transforms of
/// sampled functions" (2012).
pub(crate) fn distances(frame: &GridFrame, marked: impl Fn(usize) -> bool) -> Vec<f32> {
    let (columns, rows) = (frame.columns, frame.rows);
    let mut squared: Vec<f64> = (0..frame.len()).map(|cell| if marked(cell) { 0.0 } else { f64::INFINITY }).collect();
    let mut envelope = Envelope::default();
    let mut line = Vec::new();
    for column in 0..columns {
        line.clear();
        line.extend((0..rows).map(|row| squared[row * columns + column]));
        envelope.transform(&mut line);
        line.iter().enumerate().for_each(|(row, value)| squared[row * columns + column] = *value);
    }
    squared.chunks_exact_mut(columns.max(1)).for_each(|row| envelope.transform(row));
    squared.into_iter().map(|value| (value.sqrt() * frame.cell) as f32).collect()
}

/// The parabolas that are lowest somewhere, from left to right.
#[derive(Default)]
struct Envelope {
    /// Where their bottoms are, and how high.
    bottoms: Vec<(f64, f64)>,
    /// From where on each is the lowest.
    begins: Vec<f64>,
}

impl Envelope {
    fn transform(&mut self, line: &mut [f64]) {
        self.bottoms.clear();
        self.begins.clear();
        for (place, &height) in line.iter().enumerate().filter(|(_, height)| height.is_finite()) {
            self.push(place as f64, height);
        }
        if self.bottoms.is_empty() {
            return;
        }
        let mut current = 0;
        for (place, value) in line.iter_mut().enumerate() {
            let place = place as f64;
            while self.begins.get(current + 1).is_some_and(|begin| *begin < place) {
                current += 1;
            }
            let (bottom, height) = self.bottoms[current];
            *value = (place - bottom) * (place - bottom) + height;
        }
    }

    fn push(&mut self, place: f64, height: f64) {
        let mut begin = f64::NEG_INFINITY;
        while let Some(&(bottom, low)) = self.bottoms.last() {
            begin = ((height + place * place) - (low + bottom * bottom)) / (2.0 * (place - bottom));
            if self.begins.last().is_some_and(|last| begin <= *last) {
                self.bottoms.pop();
                self.begins.pop();
                begin = f64::NEG_INFINITY;
            } else {
                break;
            }
        }
        self.bottoms.push((place, height));
        self.begins.push(begin);
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
            let found = distances(&frame, |cell| cells[cell]);
            for (cell, distance) in found.iter().enumerate() {
                let (x, y) = frame.center(cell);
                let others = (0..frame.len()).filter(|other| cells[*other]).map(|other| frame.center(other));
                let nearest = others.map(|(u, v)| libm::hypot(u - x, v - y)).fold(f64::INFINITY, f64::min);
                prop_assert!(f64::from(*distance) == nearest || (f64::from(*distance) - nearest).abs() < 1e-5);
            }
        }
    }
}
