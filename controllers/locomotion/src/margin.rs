//! How far the robot is from tipping over.

use nalgebra::Vector3;
use robot_io::math::acos;

/// Distance from tipping over, over the worst edge of the support polygon. Negative: it tips.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Margin {
    /// The force–angle measure: between the resultant force on the centre of mass and the edge [rad].
    pub angle: f64,
    /// From the centre of mass, projected along gravity, to the edge [m].
    pub distance: f64,
}

/// Finds the margin; its buffers are sized once.
#[derive(Clone, Debug)]
pub(crate) struct TipOver {
    sorted: Vec<usize>,
    hull: Vec<usize>,
}

impl TipOver {
    /// For up to `contacts` points.
    pub fn new(contacts: usize) -> TipOver {
        TipOver { sorted: Vec::with_capacity(contacts), hull: Vec::with_capacity(2 * contacts + 1) }
    }

    /// The margin of a robot that stands on `contacts` with its centre of mass at `com`, all in a frame with z up [m];
    /// `force` is gravity and inertia on the centre of mass, per mass [m/s²].
    ///
    /// Papadopoulos and Rey, "A new measure of tipover stability margin for mobile manipulators" (1996), equations 1
    /// to 11, with forces only: edges a_i, normals l_i from the edge to the centre of mass, angles θ_i.
    pub fn margin(&mut self, contacts: &[Vector3<f64>], com: &Vector3<f64>, force: &Vector3<f64>) -> Margin {
        self.convex_hull(contacts);
        if self.hull.len() < 3 {
            return Margin { angle: -core::f64::consts::PI, distance: f64::NEG_INFINITY };
        }
        let mut worst = Margin { angle: f64::INFINITY, distance: f64::INFINITY };
        for (index, &from) in self.hull.iter().enumerate() {
            let to = self.hull[(index + 1) % self.hull.len()];
            let along = (contacts[to] - contacts[from]).normalize();
            let across = |vector: Vector3<f64>| vector - along * along.dot(&vector);
            let (normal, push) = (across(contacts[to] - com), across(*force));
            let cosine = normal.dot(&push) / (normal.norm() * push.norm()).max(1e-12);
            let inside = normal.cross(&push).dot(&along);
            worst.angle = worst.angle.min(acos(cosine) * if inside > 0.0 { 1.0 } else { -1.0 });
            let flat = Vector3::new(along.x, along.y, 0.0).normalize();
            let outwards = Vector3::new(flat.y, -flat.x, 0.0);
            worst.distance = worst.distance.min(outwards.dot(&(contacts[from] - com)));
        }
        worst
    }

    /// Counter-clockwise hull of the points seen from above (Andrew 1979, monotone chain).
    fn convex_hull(&mut self, points: &[Vector3<f64>]) {
        self.sorted.clear();
        self.sorted.extend(0..points.len());
        let order = |a: &usize, b: &usize| {
            points[*a].x.total_cmp(&points[*b].x).then(points[*a].y.total_cmp(&points[*b].y)).then(a.cmp(b))
        };
        self.sorted.sort_unstable_by(order);
        self.hull.clear();
        self.add_chain(points, false);
        self.hull.pop();
        let lower = self.hull.len();
        self.add_chain_from(points, true, lower);
        self.hull.pop();
    }

    fn add_chain(&mut self, points: &[Vector3<f64>], backwards: bool) {
        self.add_chain_from(points, backwards, 0);
    }

    fn add_chain_from(&mut self, points: &[Vector3<f64>], backwards: bool, start: usize) {
        const FLAT: f64 = 1e-9;
        for step in 0..self.sorted.len() {
            let next = self.sorted[if backwards { self.sorted.len() - 1 - step } else { step }];
            while self.hull.len() >= start + 2 {
                let (a, b) = (points[self.hull[self.hull.len() - 2]], points[self.hull[self.hull.len() - 1]]);
                let c = points[next];
                if (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > FLAT {
                    break;
                }
                self.hull.pop();
            }
            self.hull.push(next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::FRAC_PI_4;

    const DOWN: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);

    fn square() -> Vec<Vector3<f64>> {
        let inner = Vector3::new(0.3, 0.2, 0.0);
        let mut points = vec![inner];
        for (x, y) in [(0.5, -0.5), (-0.5, 0.5), (0.5, 0.5), (-0.5, -0.5)] {
            points.push(Vector3::new(x, y, 0.0));
        }
        points
    }

    #[test]
    fn above_the_middle_of_a_square_all_edges_are_alike() {
        let mut tip_over = TipOver::new(5);
        let margin = tip_over.margin(&square(), &Vector3::new(0.0, 0.0, 0.5), &DOWN);
        assert!((margin.angle - FRAC_PI_4).abs() < 1e-12 && (margin.distance - 0.5).abs() < 1e-12, "{margin:?}");
        assert_eq!(tip_over.hull.len(), 4, "the inner point is no corner");
    }

    #[test]
    fn higher_is_nearer_to_tipping_and_outside_it_tips() {
        let mut tip_over = TipOver::new(5);
        let high = tip_over.margin(&square(), &Vector3::new(0.2, 0.0, 2.0), &DOWN);
        assert!((high.angle - (0.3_f64 / 2.0).atan()).abs() < 1e-12 && (high.distance - 0.3).abs() < 1e-12);
        let outside = tip_over.margin(&square(), &Vector3::new(0.6, 0.0, 1.0), &DOWN);
        assert!(outside.angle < 0.0 && (outside.distance + 0.1).abs() < 1e-12, "{outside:?}");
    }

    #[test]
    fn braking_counts() {
        let mut tip_over = TipOver::new(5);
        let com = Vector3::new(0.0, 0.0, 0.5);
        let braking = tip_over.margin(&square(), &com, &(DOWN + Vector3::new(2.0, 0.0, 0.0)));
        assert!((braking.angle - (FRAC_PI_4 - (2.0_f64 / 9.81).atan())).abs() < 1e-12);
    }

    #[test]
    fn on_a_line_nothing_stands() {
        let line = [Vector3::zeros(), Vector3::x(), Vector3::x() * 2.0];
        let margin = TipOver::new(3).margin(&line, &Vector3::z(), &DOWN);
        assert!(margin.angle < 0.0 && margin.distance < 0.0);
    }
}
