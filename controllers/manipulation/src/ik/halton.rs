//! Numbers that are spread evenly: the Halton sequence.

/// The bases: the first primes, one a joint.
const PRIMES: [u32; 16] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53];

/// Number `index` (from 1) of the sequence in dimension `axis` (from 0), in [0, 1): the index's digits in the axis' prime
/// behind the point, the last digit first (J. H. Halton, "On the efficiency of certain quasi-random sequences of points in
/// evaluating multi-dimensional integrals", Numerische Mathematik 2, 1960).
pub(crate) fn halton(index: u32, axis: usize) -> f64 {
    let base = PRIMES[axis % PRIMES.len()];
    let (mut rest, mut share, mut number) = (index, 1.0, 0.0);
    while rest > 0 {
        share /= f64::from(base);
        number += share * f64::from(rest % base);
        rest /= base;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_those_of_the_paper() {
        assert_eq!([1, 2, 3, 4, 5].map(|index| halton(index, 0)), [0.5, 0.25, 0.75, 0.125, 0.625]);
        let thirds = [1, 2, 3].map(|index| halton(index, 1) * 9.0);
        assert!((thirds[0] - 3.0).abs() + (thirds[1] - 6.0).abs() + (thirds[2] - 1.0).abs() < 1e-12, "{thirds:?}");
    }
}
