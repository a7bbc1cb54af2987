//! Does it stand? The support polygon and the margin of the centre of mass in it, seen along gravity.

use nalgebra::Vector2;

/// Convex hull, counter-clockwise, without points on its edges (Andrew's monotone chain, 1979).
pub fn convex_hull(points: &[Vector2<f64>]) -> Vec<Vector2<f64>> {
    let mut sorted: Vec<Vector2<f64>> = points.iter().filter(|p| p.iter().all(|c| c.is_finite())).copied().collect();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    sorted.dedup();
    if sorted.len() < 3 {
        return sorted;
    }
    let mut hull = chain(sorted.iter().copied());
    let upper = chain(sorted.iter().rev().copied());
    hull.pop();
    hull.extend(upper);
    hull.pop();
    hull
}

/// How far inside the hull a point is: distance from the nearest edge, negative outside [m]. `None` if the hull has no
/// inside.
pub fn margin(hull: &[Vector2<f64>], point: Vector2<f64>) -> Option<f64> {
    if hull.len() < 3 {
        return None;
    }
    let edges = (0..hull.len()).map(|i| (hull[i], hull[(i + 1) % hull.len()]));
    let inside = edges.clone().all(|(a, b)| cross(b - a, point - a) >= 0.0);
    let nearest = edges.map(|(a, b)| (nearest_on_edge(a, b, point) - point).norm()).fold(f64::INFINITY, f64::min);
    Some(if inside { nearest } else { -nearest })
}

/// The point of the hull's outline that is nearest.
pub fn nearest_on_outline(hull: &[Vector2<f64>], point: Vector2<f64>) -> Option<Vector2<f64>> {
    let edges = (0..hull.len()).map(|i| (hull[i], hull[(i + 1) % hull.len()]));
    let points = edges.map(|(a, b)| nearest_on_edge(a, b, point));
    points.min_by(|a, b| (a - point).norm_squared().total_cmp(&(b - point).norm_squared()))
}

fn chain(points: impl Iterator<Item = Vector2<f64>>) -> Vec<Vector2<f64>> {
    let mut chain: Vec<Vector2<f64>> = Vec::new();
    for point in points {
        while chain.len() >= 2
            && cross(chain[chain.len() - 1] - chain[chain.len() - 2], point - chain[chain.len() - 1]) <= 0.0
        {
            chain.pop();
        }
        chain.push(point);
    }
    chain
}

fn nearest_on_edge(a: Vector2<f64>, b: Vector2<f64>, point: Vector2<f64>) -> Vector2<f64> {
    let edge = b - a;
    let along = (point - a).dot(&edge) / edge.norm_squared().max(f64::MIN_POSITIVE);
    a + edge * along.clamp(0.0, 1.0)
}

fn cross(a: Vector2<f64>, b: Vector2<f64>) -> f64 {
    a.x * b.y - a.y * b.x
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn points(list: &[(f64, f64)]) -> Vec<Vector2<f64>> {
        list.iter().map(|&(x, y)| Vector2::new(x, y)).collect()
    }

    #[test]
    fn four_wheels_and_a_point_between_them_make_a_square() {
        let hull = convex_hull(&points(&[(1.0, 1.0), (-1.0, 1.0), (0.0, 0.2), (1.0, -1.0), (-1.0, -1.0), (0.0, 1.0)]));
        assert_eq!(hull, points(&[(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]));
        assert!((margin(&hull, Vector2::new(0.7, 0.0)).unwrap() - 0.3).abs() < 1e-12);
        assert!((margin(&hull, Vector2::new(1.5, 0.0)).unwrap() + 0.5).abs() < 1e-12);
        assert!((margin(&hull, Vector2::new(4.0, 5.0)).unwrap() + 5.0).abs() < 1e-12, "beyond a corner");
        let nearest = nearest_on_outline(&hull, Vector2::new(0.7, 0.1)).unwrap();
        assert!((nearest - Vector2::new(1.0, 0.1)).norm() < 1e-12, "{nearest}");
    }

    #[test]
    fn one_or_two_contacts_have_no_inside() {
        assert_eq!(margin(&convex_hull(&points(&[(0.0, 0.0), (1.0, 0.0)])), Vector2::zeros()), None);
        assert_eq!(margin(&convex_hull(&[]), Vector2::zeros()), None);
        let line = convex_hull(&points(&[(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]));
        assert_eq!(line.len(), 2);
    }

    #[test]
    fn every_point_lies_within_its_hull() {
        let cloud: Vec<_> =
            (0..200_u32).map(f64::from).map(|i| Vector2::new((i * 12.9898).sin() * 3.0, (i * 78.233).sin())).collect();
        let hull = convex_hull(&cloud);
        assert!(hull.len() >= 3);
        assert!(cloud.iter().all(|&p| margin(&hull, p).unwrap() > -1e-9));
    }
}
