//! Ways over the ground.

/// A named way over the ground. Layers can spare it (`except = [{ route = … }]`), scenarios can drive along it.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// Name, unique in its world.
    pub name: String,
    /// Width of its corridor [m].
    pub width: f64,
    /// Corners, world x and y [m], at least two.
    pub points: Vec<[f64; 2]>,
}

impl Route {
    /// Length of the way [m].
    pub fn length(&self) -> f64 {
        self.points.windows(2).map(|leg| libm::hypot(leg[1][0] - leg[0][0], leg[1][1] - leg[0][1])).sum()
    }

    /// Distance of (x, y) from the way's middle line [m].
    pub fn distance(&self, x: f64, y: f64) -> f64 {
        let legs = self.points.windows(2).map(|leg| segment_distance([x, y], leg[0], leg[1]));
        legs.fold(f64::INFINITY, f64::min)
    }
}

/// Distance of a point from a line segment [m].
pub(crate) fn segment_distance(point: [f64; 2], from: [f64; 2], to: [f64; 2]) -> f64 {
    let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
    let (px, py) = (point[0] - from[0], point[1] - from[1]);
    let length_squared = dx * dx + dy * dy;
    let t = if length_squared > 0.0 { ((px * dx + py * dy) / length_squared).clamp(0.0, 1.0) } else { 0.0 };
    libm::hypot(px - t * dx, py - t * dy)
}
