//! One descent: from a place of the joints towards a pose.
//!
//! The Levenberg–Marquardt method with the squared error itself as damping (T. Sugihara, "Solvability-unconcerned inverse
//! kinematics by the Levenberg–Marquardt method", IEEE Trans. on Robotics 27, 2011, equation 14): far steps where the tip is
//! near, and no hopping where it cannot come.

use nalgebra::{Matrix3, Vector3};

use super::normal::solve;
use crate::kinematics::{Column, MOST_JOINTS, Matrix, SerialChain, rotation_vector};

/// Damping, as a share of the squared error. Sugihara takes a half, which needed a third more steps here.
const DAMPING: f64 = 0.1;
/// Damping that is left where there is no error: it keeps the equations solvable where an arm is stretched.
const LEAST_DAMPING: f64 = 1e-9;
/// No joint steps farther than this [rad or m].
const LONGEST_STEP: f64 = 1.0;
/// A start from which the error has not shrunk to this share in [`PATIENCE`] steps is left.
const SHRINKS: f64 = 0.7;
const PATIENCE: u32 = 4;

/// The pose that is wanted, in the chain's root.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub pose: Matrix,
    /// Whether the orientation counts.
    pub turned: bool,
}

/// When a descent ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    pub position: f64,
    pub orientation: f64,
    pub most_steps: u32,
}

/// How far from the wanted pose: what is left of the position [m] and of the orientation [rad].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Missed {
    pub position: f64,
    pub orientation: f64,
    pub steps: u32,
}

/// Moves `positions` until the tip is at the wanted pose, the steps are used up or nothing gets better.
pub(crate) fn descend(chain: &SerialChain, wanted: &Wanted, ends: &Ends, positions: &mut [f64]) -> Missed {
    // positions are measured in this length, so that a metre and a radian can be added
    let per_length = 1.0 / chain.reach().max(1e-3);
    let (mut columns, dof) = ([[0.0; 6]; MOST_JOINTS], chain.dof());
    let (mut watched, mut since) = (f64::INFINITY, 0);
    let mut steps = 0;
    loop {
        let tip = chain.tip_at(positions, Some(&mut columns[..dof]));
        let (linear, angular) = error(wanted, &tip);
        let missed = Missed { position: linear.norm(), orientation: angular.norm(), steps };
        if missed.position <= ends.position && missed.orientation <= ends.orientation || steps >= ends.most_steps {
            return missed;
        }
        let error =
            [linear.x * per_length, linear.y * per_length, linear.z * per_length, angular.x, angular.y, angular.z];
        let squared: f64 = error.iter().map(|part| part * part).sum();
        since += 1;
        if since > PATIENCE {
            if squared > SHRINKS * watched {
                return missed;
            }
            (watched, since) = (squared, 0);
        }
        for column in &mut columns[..dof] {
            scale(column, per_length, wanted.turned);
        }
        if !step(chain, &mut columns[..dof], &error, DAMPING * squared, positions) {
            return missed;
        }
        steps += 1;
    }
}

fn error(wanted: &Wanted, tip: &Matrix) -> (Vector3<f64>, Vector3<f64>) {
    let linear = wanted.pose.place - tip.place;
    let turn: Matrix3<f64> = wanted.pose.rotation * tip.rotation.transpose();
    (linear, if wanted.turned { rotation_vector(&turn) } else { Vector3::zeros() })
}

fn scale(column: &mut Column, per_length: f64, turned: bool) {
    for axis in 0..3 {
        column[axis] *= per_length;
        column[3 + axis] *= if turned { 1.0 } else { 0.0 };
    }
}

/// A step within the joints' limits; false if none can be taken.
fn step(chain: &SerialChain, columns: &mut [Column], error: &[f64; 6], damping: f64, positions: &mut [f64]) -> bool {
    let limits = chain.limits();
    // a joint that stands at its limit and would go on stays there
    for ((column, [low, high]), position) in columns.iter_mut().zip(limits).zip(positions.iter()) {
        let wish = dot(column, error);
        if *position <= *low && wish < 0.0 || *position >= *high && wish > 0.0 {
            *column = [0.0; 6];
        }
    }
    let (mut normal, mut right) = ([[0.0; 6]; 6], *error);
    for column in columns.iter() {
        for row in 0..6 {
            for other in 0..=row {
                normal[row][other] += column[row] * column[other];
            }
        }
    }
    for (index, row) in normal.iter_mut().enumerate() {
        row[index] += damping + LEAST_DAMPING;
    }
    if !solve(&mut normal, &mut right) {
        return false;
    }
    let longest = columns.iter().map(|column| dot(column, &right).abs()).fold(0.0, f64::max);
    let share = if longest > LONGEST_STEP { LONGEST_STEP / longest } else { 1.0 };
    for ((column, [low, high]), position) in columns.iter().zip(limits).zip(positions.iter_mut()) {
        *position = (*position + share * dot(column, &right)).max(*low).min(*high);
    }
    longest > 0.0
}

fn dot(one: &[f64; 6], other: &[f64; 6]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
