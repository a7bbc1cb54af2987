//! Outlines on the ground: convex polygons, counter-clockwise, in the level frame of the base.

use robot_io::math::hypot;

/// Corners of the polygon that stands for the circle about a foot.
pub(crate) const CORNERS_PER_FOOT: usize = 8;

/// Radius of the largest circle about the base's origin within an outline [m]; zero if the origin is not inside.
pub(crate) fn inscribed_radius(outline: &[[f64; 2]]) -> f64 {
    let inside = edges(outline).map(|(from, to)| {
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        (dx * -from[1] - dy * -from[0]) / hypot(dx, dy).max(1e-12)
    });
    let least = inside.fold(f64::INFINITY, f64::min);
    if least.is_finite() { least.max(0.0) } else { 0.0 }
}

/// Radius of the smallest circle about the base's origin that holds an outline [m].
pub(crate) fn circumscribed_radius(outline: &[[f64; 2]]) -> f64 {
    outline.iter().map(|corner| hypot(corner[0], corner[1])).fold(0.0, f64::max)
}

/// An outline's edges, each from one corner to the next.
pub(crate) fn edges(outline: &[[f64; 2]]) -> impl Iterator<Item = ([f64; 2], [f64; 2])> + '_ {
    let next = outline.iter().cycle().skip(1);
    outline.iter().zip(next).map(|(from, to)| (*from, *to))
}

/// True if `point` lies within an outline, or within `margin` [m] of its edges' lines.
pub(crate) fn covers(outline: &[[f64; 2]], point: [f64; 2], margin: f64) -> bool {
    outline.len() >= 3
        && edges(outline).all(|(a, b)| {
            let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
            let left = dx * (point[1] - a[1]) - dy * (point[0] - a[0]);
            left >= -margin * hypot(dx, dy)
        })
}
