//! Convex polygons of a few corners in the ground plane, without allocation.

use nalgebra::Vector2;
use robot_io::State;

/// Two rectangles have eight corners; each cut adds one at most.
const MOST: usize = 16;

/// A convex polygon; its corners go counter-clockwise [m].
#[derive(Clone, Copy, Debug, PartialEq, State)]
pub struct Polygon {
    corners: [Vector2<f64>; MOST],
    count: usize,
}

impl Default for Polygon {
    fn default() -> Polygon {
        Polygon { corners: [Vector2::zeros(); MOST], count: 0 }
    }
}

/// Twice the area of the triangle; positive if it goes counter-clockwise.
fn turn(a: &Vector2<f64>, b: &Vector2<f64>, c: &Vector2<f64>) -> f64 {
    (b - a).perp(&(c - a))
}

impl Polygon {
    /// A rectangle around `centre`, turned by `yaw` [rad], with half its length and half its width [m].
    pub fn rectangle(centre: Vector2<f64>, yaw: f64, half: Vector2<f64>) -> Polygon {
        let (forward, left) =
            (Vector2::new(libm::cos(yaw), libm::sin(yaw)), Vector2::new(-libm::sin(yaw), libm::cos(yaw)));
        let mut polygon = Polygon { count: 4, ..Polygon::default() };
        for (corner, (along, across)) in
            polygon.corners.iter_mut().zip([(1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)])
        {
            *corner = centre + forward * (half.x * along) + left * (half.y * across);
        }
        polygon
    }

    /// The smallest convex polygon around both; points beyond sixteen are left out (Andrew 1979, monotone chain).
    pub fn around(&self, other: &Polygon) -> Polygon {
        let mut points = [Vector2::zeros(); 2 * MOST];
        let count = self.count + other.count;
        points[..self.count].copy_from_slice(self.corners());
        points[self.count..count].copy_from_slice(other.corners());
        points[..count].sort_unstable_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
        let mut hull = Polygon::default();
        hull.chain(points[..count].iter());
        hull.chain(points[..count].iter().rev());
        hull
    }

    /// Adds one half of the hull; its last point begins the other half.
    fn chain<'a>(&mut self, points: impl Iterator<Item = &'a Vector2<f64>>) {
        const FLAT: f64 = 1e-12;
        let start = self.count;
        for point in points {
            while self.count >= start + 2
                && turn(&self.corners[self.count - 2], &self.corners[self.count - 1], point) <= FLAT
            {
                self.count -= 1;
            }
            self.push(*point);
        }
        self.count = self.count.saturating_sub(1);
    }

    fn push(&mut self, corner: Vector2<f64>) {
        if self.count < MOST {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }

    /// Its corners, counter-clockwise.
    pub fn corners(&self) -> &[Vector2<f64>] {
        &self.corners[..self.count]
    }

    /// From each corner to the next.
    fn edges(&self) -> impl Iterator<Item = (Vector2<f64>, Vector2<f64>)> + '_ {
        (0..self.count).map(|k| (self.corners[k], self.corners[(k + 1) % self.count]))
    }

    /// What of it lies on the side of `through` to which `inwards` points (Sutherland and Hodgman 1974).
    pub fn cut(&self, through: Vector2<f64>, inwards: Vector2<f64>) -> Polygon {
        let mut rest = Polygon::default();
        for (from, to) in self.edges() {
            let (before, after) = ((from - through).dot(&inwards), (to - through).dot(&inwards));
            if before >= 0.0 {
                rest.push(from);
            }
            if (before > 0.0 && after < 0.0) || (before < 0.0 && after > 0.0) {
                rest.push(from + (to - from) * (before / (before - after)));
            }
        }
        rest
    }

    /// What both have in common; without corners if they are apart.
    pub fn common(&self, other: &Polygon) -> Polygon {
        let inwards = |(from, to): (Vector2<f64>, Vector2<f64>)| Vector2::new(from.y - to.y, to.x - from.x);
        other.edges().fold(*self, |rest, edge| rest.cut(edge.0, inwards(edge)))
    }

    /// Area [m²].
    pub fn area(&self) -> f64 {
        0.5 * self.edges().map(|(from, to)| from.perp(&to)).sum::<f64>()
    }

    /// Whether `point` is in it or on its edge.
    pub fn contains(&self, point: &Vector2<f64>) -> bool {
        self.count > 2 && self.edges().all(|(from, to)| turn(&from, &to, point) >= 0.0)
    }

    /// The point of it that is nearest to `point`: `point` itself if it is inside or if there is no polygon.
    pub fn nearest(&self, point: &Vector2<f64>) -> Vector2<f64> {
        if self.contains(point) {
            return *point;
        }
        let candidates = self.edges().map(|(from, to)| {
            let along = to - from;
            from + along * ((point - from).dot(&along) / along.norm_squared().max(1e-18)).clamp(0.0, 1.0)
        });
        candidates.min_by(|a, b| (a - point).norm_squared().total_cmp(&(b - point).norm_squared())).unwrap_or(*point)
    }

    /// How far `point` is inside, to the nearest edge [m]; negative outside.
    pub fn depth(&self, point: &Vector2<f64>) -> f64 {
        if !self.contains(point) {
            return -(self.nearest(point) - point).norm();
        }
        let to_edge =
            |(from, to): (Vector2<f64>, Vector2<f64>)| turn(&from, &to, point) / (to - from).norm().max(1e-12);
        self.edges().map(to_edge).fold(f64::INFINITY, f64::min)
    }
}
