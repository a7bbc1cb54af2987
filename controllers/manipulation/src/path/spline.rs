//! A curve through many configurations.

use robot_io::State;

/// The cubic spline through configurations at equal distances, with continuous second derivatives, which are zero at its ends.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub(super) struct Spline {
    dof: usize,
    /// One configuration after the other, and the second derivatives there.
    knots: Vec<f64>,
    curvatures: Vec<f64>,
    /// From knot to knot.
    between: f64,
}

impl Spline {
    /// Through at least two configurations of `dof` joints, one after the other, with this length in all.
    pub fn new(knots: Vec<f64>, dof: usize, length: f64) -> Spline {
        let number = knots.len() / dof;
        let between = length / (number - 1) as f64;
        let curvatures = curvatures(&knots, dof, between);
        Spline { dof, knots, curvatures, between }
    }

    fn pieces(&self) -> usize {
        self.knots.len() / self.dof - 1
    }

    pub fn length(&self) -> f64 {
        self.between * self.pieces() as f64
    }

    /// One joint's position and its first and second derivatives, a share of the length from 0 to 1 along.
    pub fn at(&self, share: f64, joint: usize) -> [f64; 3] {
        let along = share * self.pieces() as f64;
        let piece = (along as usize).min(self.pieces() - 1);
        let (t, h) = (along - piece as f64, self.between);
        let r = 1.0 - t;
        let [from, to, bent_from, bent_to] = self.ends(piece, joint);
        let position = r * from + t * to + h * h / 6.0 * ((r * r * r - r) * bent_from + (t * t * t - t) * bent_to);
        let speed = (to - from) / h + h / 6.0 * ((1.0 - 3.0 * r * r) * bent_from + (3.0 * t * t - 1.0) * bent_to);
        [position, speed, r * bent_from + t * bent_to]
    }

    /// The greatest first, second and third derivative of one joint.
    pub fn bounds(&self, joint: usize) -> [f64; 3] {
        let mut bounds = [0.0_f64; 3];
        for piece in 0..self.pieces() {
            let [from, to, bent_from, bent_to] = self.ends(piece, joint);
            let h = self.between;
            let straight = (to - from) / h;
            // the first derivative is a parabola, the second a straight line: Bézier points of the first hold it
            let begins = straight - h / 6.0 * (2.0 * bent_from + bent_to);
            let ends = straight + h / 6.0 * (bent_from + 2.0 * bent_to);
            let middle = begins + 0.5 * h * bent_from;
            bounds[0] = bounds[0].max(begins.abs()).max(middle.abs()).max(ends.abs());
            bounds[1] = bounds[1].max(bent_from.abs()).max(bent_to.abs());
            bounds[2] = bounds[2].max((bent_to - bent_from).abs() / h);
        }
        bounds
    }

    fn ends(&self, piece: usize, joint: usize) -> [f64; 4] {
        let (one, other) = (piece * self.dof + joint, (piece + 1) * self.dof + joint);
        [self.knots[one], self.knots[other], self.curvatures[one], self.curvatures[other]]
    }
}

/// The second derivatives at the knots: of each inner one c₋ + 4 c + c₊ = 6 (p₋ − 2 p + p₊) / h², solved by elimination.
fn curvatures(knots: &[f64], dof: usize, between: f64) -> Vec<f64> {
    let number = knots.len() / dof;
    let mut curvatures = vec![0.0; knots.len()];
    let mut shares = vec![0.0; number];
    for knot in 1..number.saturating_sub(1) {
        shares[knot] = 1.0 / (4.0 - shares[knot - 1]);
        for joint in 0..dof {
            let at = |knot: usize| knots[knot * dof + joint];
            let bend = 6.0 * (at(knot - 1) - 2.0 * at(knot) + at(knot + 1)) / (between * between);
            curvatures[knot * dof + joint] = (bend - curvatures[(knot - 1) * dof + joint]) * shares[knot];
        }
    }
    for knot in (1..number.saturating_sub(1)).rev() {
        for joint in 0..dof {
            let behind = curvatures[(knot + 1) * dof + joint];
            curvatures[knot * dof + joint] -= shares[knot] * behind;
        }
    }
    curvatures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_through_its_knots_smoothly_and_its_bounds_hold() {
        let knots: Vec<f64> = (0..9).flat_map(|k| [libm::sin(0.7 * f64::from(k)), 0.1 * f64::from(k)]).collect();
        let spline = Spline::new(knots.clone(), 2, 1.6);
        for joint in 0..2 {
            for knot in 0..9 {
                let found = spline.at(knot as f64 / 8.0, joint);
                assert!((found[0] - knots[knot * 2 + joint]).abs() < 1e-12, "knot {knot}");
            }
            let (bounds, small) = (spline.bounds(joint), 1e-4);
            for step in 1..1000 {
                let share = f64::from(step) / 1000.0;
                let [before, at, behind] = [-small, 0.0, small].map(|way| spline.at(share + way / 1.6, joint));
                assert!(at[1].abs() <= bounds[0] + 1e-9 && at[2].abs() <= bounds[1] + 1e-9);
                assert!(((behind[0] - before[0]) / (2.0 * small) - at[1]).abs() < 1e-3, "first derivative at {share}");
                assert!(
                    (behind[2] - before[2]).abs() / (2.0 * small) <= bounds[2] + 1e-6,
                    "third derivative at {share}"
                );
            }
        }
    }
}
