//! Solids of a robot that stay where they are to each other: where two such parts are far apart, no two of their solids need to be looked at.

use nalgebra::{Point3, Vector3};

use crate::solids::Solid;

/// Solids that one body carries and that move with the same one.
#[derive(Clone, Debug)]
struct Part {
    /// One of them.
    solid: usize,
    /// The body with which they move.
    moves_with: usize,
    /// A box around the balls around them, in their carrier's frame: middle and half its sides [m].
    bounds: (Point3<f64>, Vector3<f64>),
}

/// All parts of a robot.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    parts: Vec<Part>,
    /// For each solid its part.
    of: Vec<usize>,
}

impl Parts {
    /// Of solids that move with these bodies.
    pub fn new(solids: &[Solid], moves_with: &[usize]) -> Parts {
        let mut all = Parts::default();
        for (number, (solid, moves_with)) in solids.iter().zip(moves_with).enumerate() {
            let is_alike = |part: &Part| solids[part.solid].carrier == solid.carrier && part.moves_with == *moves_with;
            let place = all.parts.iter().position(is_alike).unwrap_or(all.parts.len());
            let (low, high) = corners(solid);
            if place == all.parts.len() {
                let bounds = (Point3::from(0.5 * (low + high)), 0.5 * (high - low));
                all.parts.push(Part { solid: number, moves_with: *moves_with, bounds });
            } else {
                let (middle, half) = &mut all.parts[place].bounds;
                let (low, high) = ((middle.coords - *half).inf(&low), (middle.coords + *half).sup(&high));
                (*middle, *half) = (Point3::from(0.5 * (low + high)), 0.5 * (high - low));
            }
            all.of.push(place);
        }
        all
    }

    /// The parts of two solids.
    pub fn of(&self, one: usize, two: usize) -> (usize, usize) {
        (self.of[one], self.of[two])
    }

    /// How far apart two parts are at least [m], as the way between their middles and their boxes' sides show it; less than zero where they do not.
    pub fn apart(&self, solids: &[Solid], (one, two): (usize, usize)) -> f64 {
        let placed = |part: usize| {
            let Part { solid, bounds: (middle, half), .. } = &self.parts[part];
            let carrier = solids[*solid].carrier_in_world();
            let turn = carrier.rotation.to_rotation_matrix().into_inner();
            ((carrier * middle).coords, turn, turn * nalgebra::Matrix3::from_diagonal(half))
        };
        let ((from, turn, edges), (to, other_turn, other_edges)) = (placed(one), placed(two));
        let way = to - from;
        let along = |axis: &Vector3<f64>| {
            let reach = edges.tr_mul(axis).abs().sum() + other_edges.tr_mul(axis).abs().sum();
            way.dot(axis).abs() - reach
        };
        let sides = turn.column_iter().chain(other_turn.column_iter()).map(|axis| along(&axis.into()));
        let between = way.try_normalize(0.0).map_or(f64::NEG_INFINITY, |axis| along(&axis));
        sides.fold(between, f64::max)
    }
}

/// The lowest and the highest corner of a box around the ball around a solid, in its carrier's frame [m].
fn corners(solid: &Solid) -> (Vector3<f64>, Vector3<f64>) {
    let (middle, radius) = solid.ball_in_carrier();
    (middle.coords.add_scalar(-radius), middle.coords.add_scalar(radius))
}
