//! A signal as an SVG path: as many points as a picture can show, gaps where there are no numbers.

use super::scale::{SPAN, Scale};

/// The path of `ys` over `xs`, which ascend. Where there are more samples than `columns` can show, each column keeps
/// its first, lowest, highest and last.
pub fn path(xs: &[f64], ys: &[f64], x: Scale, y: Scale, columns: usize) -> String {
    let mut pen = Pen::default();
    let place = |value: f64, scale: Scale| (SPAN * scale.part(value)).clamp(-SPAN, 2.0 * SPAN).round() as i32;
    let column_of = |value: f64| (x.part(value) * columns as f64) as i64;
    let samples: Vec<(f64, f64)> = xs.iter().copied().zip(ys.iter().copied()).collect();
    let is_dense = samples.len() > 2 * columns;
    let same = |a: &(f64, f64), b: &(f64, f64)| {
        a.1.is_finite() == b.1.is_finite() && is_dense && column_of(a.0) == column_of(b.0)
    };
    for bucket in samples.chunk_by(same) {
        for (at, value) in extremes(bucket) {
            match value.is_finite() && at.is_finite() {
                true => pen.draw_to(place(at, x), SPAN as i32 - place(value, y)),
                false => pen.lift(),
            }
        }
    }
    pen.finish()
}

/// What one column of pixels needs of its samples, in their order.
fn extremes(bucket: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let (Some(first), Some(last)) = (bucket.first(), bucket.last()) else { return Vec::new() };
    let lowest = bucket.iter().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or(first);
    let highest = bucket.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or(first);
    let mut kept = vec![*first, *lowest, *highest, *last];
    kept.sort_by(|a, b| a.0.total_cmp(&b.0));
    kept.dedup_by(|a, b| a.0.to_bits() == b.0.to_bits());
    kept
}

/// Writes `M x y L x y …`, leaving out points on level stretches.
#[derive(Default)]
struct Pen {
    text: String,
    run: Vec<(i32, i32)>,
}

impl Pen {
    fn draw_to(&mut self, x: i32, y: i32) {
        if let [.., before, last] = self.run.as_slice()
            && before.1 == last.1
            && last.1 == y
        {
            self.run.pop();
        }
        if self.run.last() != Some(&(x, y)) {
            self.run.push((x, y));
        }
    }

    fn lift(&mut self) {
        if let [only] = self.run.as_slice() {
            // A line of no length, which round ends make a dot.
            self.run.push(*only);
        }
        for (index, (x, y)) in self.run.drain(..).enumerate() {
            let lead = ["M", "L", " "][index.min(2)];
            self.text += &format!("{lead}{x} {y}");
        }
    }

    fn finish(mut self) -> String {
        self.lift();
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Scale = Scale { low: 0.0, high: 1.0 };

    #[test]
    fn missing_numbers_make_a_gap() {
        let xs = [0.0, 0.1, 0.2, 0.3, 0.4];
        let ys = [0.0, 1.0, f64::NAN, 0.5, f64::INFINITY];
        assert_eq!(path(&xs, &ys, UNIT, UNIT, 100), "M0 1000L100 0M300 500L300 500");
    }

    #[test]
    fn a_level_stretch_is_two_points() {
        let xs = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0];
        let ys = [0.5, 0.5, 0.5, 0.5, 0.5, 1.0];
        assert_eq!(path(&xs, &ys, UNIT, UNIT, 100), "M0 500L800 500 1000 0");
    }

    #[test]
    fn a_spike_survives_in_a_dense_signal_and_a_gap_too() {
        let xs: Vec<f64> = (0..10_000).map(|i| f64::from(i) / 10_000.0).collect();
        let mut ys = vec![0.0; xs.len()];
        ys[5_003] = 1.0;
        ys[7_000..7_400].fill(f64::NAN);
        let path = path(&xs, &ys, UNIT, UNIT, 50);
        assert!(path.contains(" 500 0") && path.matches('M').count() == 2, "{path}");
        assert!(path.len() < 200, "{path}");
    }
}
