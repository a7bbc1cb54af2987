//! Who is whom: the assignment of detections to tracks with the least sum of distances.

use pathfinding::kuhn_munkres::kuhn_munkres_min;
use pathfinding::matrix::Matrix;

/// Distances in these parts, so that sums do not depend on their order.
const PARTS: f64 = 1e6;
/// A pair beyond its gate costs more than any number of tracks that stay alone.
const NEVER: i64 = 1 << 40;

/// For each track the detection that is its own, by numbers (Kuhn 1955, Munkres 1957). `distance` is 0 to 1 within the gate and `None` beyond; to stay
/// alone costs 1, so that no pair is made at the cost of a better one.
pub(super) fn assign(
    tracks: usize,
    detections: usize,
    distance: impl Fn(usize, usize) -> Option<f64>,
) -> Vec<Option<usize>> {
    if tracks == 0 {
        return Vec::new();
    }
    let mut costs = Matrix::new(tracks, detections + tracks, PARTS as i64);
    for track in 0..tracks {
        for detection in 0..detections {
            let cost = distance(track, detection).map_or(NEVER, |distance| (distance * PARTS) as i64);
            costs[(track, detection)] = cost;
        }
    }
    let (_, chosen) = kuhn_munkres_min(&costs);
    chosen.into_iter().map(|column| Some(column).filter(|column| *column < detections)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_counts_and_not_the_nearest_pair() {
        let places = [0.0_f64, 0.3];
        let seen = [0.25_f64, 0.7];
        let distance = |track: usize, detection: usize| Some((places[track] - seen[detection]).abs());
        // the nearest pair, 0.3 and 0.25, would leave 0.7 apart from each other
        assert_eq!(assign(2, 2, distance), [Some(0), Some(1)]);
        assert_eq!(
            assign(2, 2, |track, detection| distance(track, detection).filter(|far| *far < 0.2)),
            [None, Some(0)]
        );
        assert_eq!(assign(1, 0, |_, _| None), [None]);
    }
}
