//! Where two lines are near to each other.

use nalgebra::Vector3;

/// A line from one point to another [m].
pub(crate) type Line = [Vector3<f64>; 2];

/// Places on two lines, as shares of their lengths from 0 to 1.
pub(crate) type Shares = [f64; 2];

/// A line shorter than this, squared [m²], is a point.
const POINT: f64 = 1e-18;

/// The places that have to be kept apart so that two lines are: each end and the nearest place of the other line, and where
/// the lines cross, if they do between their ends.
///
/// Where two lines are nearest jumps from end to end when they turn past each other; each of these places moves steadily.
pub(crate) fn near_places(one: &Line, other: &Line) -> impl Iterator<Item = Shares> {
    let ends = [
        [0.0, nearest_share(&one[0], other)],
        [1.0, nearest_share(&one[1], other)],
        [nearest_share(&other[0], one), 0.0],
        [nearest_share(&other[1], one), 1.0],
    ];
    ends.into_iter().chain(crossing(one, other))
}

/// A place on a line.
pub(crate) fn place(line: &Line, share: f64) -> Vector3<f64> {
    line[0] + share * (line[1] - line[0])
}

fn nearest_share(point: &Vector3<f64>, line: &Line) -> f64 {
    let along = line[1] - line[0];
    let squared = along.norm_squared();
    if squared <= POINT { 0.0 } else { (along.dot(&(point - line[0])) / squared).clamp(0.0, 1.0) }
}

/// Where the common perpendicular of two lines meets them, if it does between their ends (C. Ericson, "Real-time collision
/// detection", 2005, section 5.1.8).
fn crossing(one: &Line, other: &Line) -> Option<Shares> {
    let (along, across, between) = (one[1] - one[0], other[1] - other[0], one[0] - other[0]);
    let (a, b, e) = (along.norm_squared(), along.dot(&across), across.norm_squared());
    let (c, f) = (along.dot(&between), across.dot(&between));
    let determinant = a * e - b * b;
    if determinant <= 1e-12 * a * e {
        return None;
    }
    let shares = [(b * f - c * e) / determinant, (a * f - b * c) / determinant];
    shares.iter().all(|share| (0.0..=1.0).contains(share)).then_some(shares)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(one: [[f64; 3]; 2], other: [[f64; 3]; 2]) -> f64 {
        let [one, other] = [one, other].map(|ends| ends.map(Vector3::from));
        let distances = near_places(&one, &other).map(|[s, t]| (place(&one, s) - place(&other, t)).norm());
        distances.fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn lines_are_nearest_inside_at_ends_and_where_they_are_parallel() {
        let along_x = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
        assert_eq!(between(along_x, [[0.0, -1.0, 0.5], [0.0, 1.0, 0.5]]), 0.5);
        assert_eq!(between(along_x, [[3.0, 0.0, 0.0], [4.0, 0.0, 0.0]]), 2.0);
        assert_eq!(between(along_x, [[-5.0, 0.0, 0.3], [5.0, 0.0, 0.3]]), 0.3);
        assert_eq!(between(along_x, [[0.2, 0.0, 0.7], [0.2, 0.0, 0.7]]), 0.7);
        assert_eq!(between([[0.0; 3]; 2], [[0.0, 3.0, 4.0]; 2]), 5.0);
    }

    #[test]
    fn no_other_places_are_nearer() {
        let one = [[0.1, 0.2, -0.3], [0.9, -0.4, 0.5]];
        for other in [[[-0.5, 0.8, 0.1], [0.7, 0.9, 0.6]], [[0.2, -0.5, 0.0], [0.8, 0.6, 0.1]]] {
            let nearest = between(one, other);
            let [a, b] = [one, other].map(|ends| ends.map(Vector3::from));
            for (s, t) in (0..=50).flat_map(|s| (0..=50).map(move |t| (f64::from(s) / 50.0, f64::from(t) / 50.0))) {
                let distance = (place(&a, s) - place(&b, t)).norm();
                assert!(distance >= nearest - 1e-12, "{distance} at {s} and {t}, {nearest}");
            }
        }
    }
}
