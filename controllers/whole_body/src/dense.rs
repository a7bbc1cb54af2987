//! Rows of numbers and the few loops over them that everything here is made of.
//!
//! nalgebra's products of large matrices allocate and choose their arithmetic by the machine; these loops do neither.

/// A matrix whose rows lie one after the other, made once for the most rows it will have.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    width: usize,
    len: usize,
    numbers: Vec<f64>,
}

impl Rows {
    /// Memory for `most` rows of `width` numbers; there are none yet.
    pub fn new(most: usize, width: usize) -> Rows {
        Rows { width, len: 0, numbers: vec![0.0; most * width] }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Are there no rows?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many numbers a row has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Sets how many rows there are and how wide they are, all zero.
    pub fn reset(&mut self, len: usize, width: usize) {
        (self.len, self.width) = (len, width);
        self.grow();
        self.numbers[..len * width].fill(0.0);
    }

    /// One more row, all zero. Beyond the number of rows it was made for, memory grows.
    pub fn push(&mut self) -> &mut [f64] {
        self.len += 1;
        self.grow();
        let last = self.len - 1;
        let row = self.row_mut(last);
        row.fill(0.0);
        row
    }

    /// Row `index`.
    #[inline]
    pub fn row(&self, index: usize) -> &[f64] {
        &self.numbers[index * self.width..][..self.width]
    }

    /// Row `index`.
    #[inline]
    pub fn row_mut(&mut self, index: usize) -> &mut [f64] {
        &mut self.numbers[index * self.width..][..self.width]
    }

    /// Two rows, the first before the second.
    #[inline]
    pub fn pair_mut(&mut self, first: usize, second: usize) -> (&mut [f64], &mut [f64]) {
        let (head, tail) = self.numbers.split_at_mut(second * self.width);
        (&mut head[first * self.width..][..self.width], &mut tail[..self.width])
    }

    fn grow(&mut self) {
        let needed = self.len * self.width;
        if self.numbers.len() < needed {
            self.numbers.resize(needed, 0.0);
        }
    }
}

/// The product of two vectors; what one has more than the other does not count.
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let len = a.len().min(b.len());
    let (a, b) = (&a[..len], &b[..len]);
    let mut sums = [0.0; LANES];
    let (left, right) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    // the rest is spread over the sums as well: one after the other would take as long as all before
    for (sum, (a, b)) in sums.iter_mut().zip(left.remainder().iter().zip(right.remainder())) {
        *sum = a * b;
    }
    for (a, b) in left.zip(right) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// Adds `factor · from` to `to`.
#[inline]
pub fn add_scaled(to: &mut [f64], factor: f64, from: &[f64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += factor * from;
    }
}

/// The length of a vector.
pub fn norm(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}

/// The rotation that turns `(a, b)` into `(length, 0)`, and that length.
#[inline]
pub fn rotation_to_first(a: f64, b: f64) -> (f64, f64, f64) {
    let length = (a * a + b * b).sqrt();
    if length == 0.0 { (1.0, 0.0, 0.0) } else { (a / length, b / length, length) }
}

/// Turns two vectors, entry by entry, by the rotation `(cos, sin)`.
#[inline]
pub fn rotate(first: &mut [f64], second: &mut [f64], cos: f64, sin: f64) {
    for (a, b) in first.iter_mut().zip(second) {
        (*a, *b) = (cos * *a + sin * *b, cos * *b - sin * *a);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_leaves_nothing_in_the_second() {
        let (cos, sin, length) = rotation_to_first(3.0, -4.0);
        let (mut a, mut b) = ([3.0], [-4.0]);
        rotate(&mut a, &mut b, cos, sin);
        assert!((a[0] - length).abs() < 1e-15 && b[0].abs() < 1e-15 && (length - 5.0).abs() < 1e-15);
    }

    #[test]
    fn the_product_counts_every_entry_once() {
        let numbers: Vec<f64> = (1..=19).map(f64::from).collect();
        assert_eq!(dot(&numbers, &[1.0; 19]), 190.0);
    }
}
