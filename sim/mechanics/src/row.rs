//! Constraints of one or two joints.

use crate::constraint::{Buffer, Constraint, hard};
use crate::coordinates::Coordinates;
use crate::model::Model;
use crate::sparse::{Pattern, Sparse};

/// Joints that are farther than this from their limit [rad or m], beyond the way that they make in a step, do not feel it in the next step.
const NEAR: f64 = 0.2;

/// A constraint on the velocity w·v of one or two dofs: its impulse is `slope · (target − w·v)`, of either sign or only positive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// The dofs, ascending, with their weights; the first has the weight 0 if there is one only.
    dofs: [(usize, f64); 2],
    slope: f64,
    target: f64,
    /// Whether it only pushes.
    one_sided: bool,
    /// w·v, and how that changes along a direction.
    at: f64,
    along: f64,
    /// Whether it is taken for one that resists.
    holds: bool,
}

impl Row {
    /// Appends what a constraint asks for in a step of `step` [s] with the joints where they are in its middle.
    pub fn add(
        constraint: &Constraint,
        model: &Model,
        middle: &Coordinates,
        inertia: impl Fn(usize) -> f64,
        step: f64,
        rows: &mut Vec<Row>,
    ) {
        let hard = hard(step);
        let row = |dofs: [(usize, f64); 2], gap: f64, one_sided: bool| {
            let mass = 1.0 / dofs.iter().map(|(dof, weight)| weight * weight / inertia(*dof)).sum::<f64>();
            let target = match one_sided && gap > 0.0 {
                // not there yet: it may come as close as it is far, by the middle of the next step
                true => -gap / step,
                false => -gap * hard.spring / hard.slope,
            };
            Row { dofs, slope: mass * hard.slope, target, one_sided, at: 0.0, along: 0.0, holds: false }
        };
        match *constraint {
            Constraint::Limit { body, lower, upper, buffer: Some(Buffer { stiffness, damping }) } => {
                let (dof, position) = (model.first_dof(body), middle.positions[body]);
                let slope = step * (0.5 * step * stiffness + damping);
                for (gap, weight) in [(position - lower, 1.0), (upper - position, -1.0)] {
                    if gap < 0.0 {
                        let (dofs, target) = ([(dof, 0.0), (dof, weight)], -gap * step * stiffness / slope);
                        rows.push(Row { dofs, slope, target, one_sided: true, at: 0.0, along: 0.0, holds: false });
                    }
                }
            }
            Constraint::Limit { body, lower, upper, buffer: None } => {
                let (dof, position) = (model.first_dof(body), middle.positions[body]);
                let near = NEAR + step * middle.velocities[dof].abs();
                for (gap, weight) in [(position - lower, 1.0), (upper - position, -1.0)] {
                    if gap < near {
                        rows.push(row([(dof, 0.0), (dof, weight)], gap, true));
                    }
                }
            }
            Constraint::Coupling { follower, master, ratio, offset } => {
                let gap = middle.positions[follower] - ratio * middle.positions[master] - offset;
                let mut dofs = [(model.first_dof(follower), 1.0), (model.first_dof(master), -ratio)];
                dofs.sort_unstable_by_key(|(dof, _)| *dof);
                rows.push(row(dofs, gap, false));
            }
            Constraint::Closure { .. } => {}
        }
    }

    /// Its dofs, twice the same one if there is one only.
    pub fn dofs(&self) -> [usize; 2] {
        self.dofs.map(|(dof, _)| dof)
    }

    pub fn move_to(&mut self, velocities: &[f64]) {
        self.at = self.product(velocities);
    }

    pub fn look_along(&mut self, direction: &[f64]) {
        self.along = self.product(direction);
    }

    pub fn advance(&mut self, length: f64) {
        self.at += length * self.along;
    }

    /// Adds its impulse to the dofs'.
    pub fn add_impulse(&self, impulses: &mut [f64]) {
        let impulse = self.impulse(self.at);
        self.dofs.iter().for_each(|(dof, weight)| impulses[*dof] += weight * impulse);
    }

    /// The derivative of its potential along the direction, a `length` further on.
    pub fn slope(&self, length: f64) -> f64 {
        -self.along * self.impulse(self.at + length * self.along)
    }

    /// Takes it for one that resists if it does at the present velocities. Whether that is news.
    pub fn take_hold(&mut self) -> bool {
        let held = core::mem::replace(&mut self.holds, false);
        self.holds = self.resists();
        held != self.holds
    }

    /// Adds to a matrix of the dofs how it resists, if it is taken for one that does.
    pub fn add_held(&self, pattern: &Pattern, matrix: &mut Sparse) {
        if self.holds {
            self.add_slope(pattern, matrix);
        }
    }

    /// Adds its impulse at other velocities to the dofs', if it is taken for one that resists.
    pub fn add_held_impulse(&self, velocities: &[f64], impulses: &mut [f64]) {
        if self.holds {
            let impulse = self.slope * (self.target - self.product(velocities));
            self.dofs.iter().for_each(|(dof, weight)| impulses[*dof] += weight * impulse);
        }
    }

    /// Adds to a matrix of the dofs how it resists.
    pub fn add_resistance(&self, pattern: &Pattern, matrix: &mut Sparse) {
        if self.resists() {
            self.add_slope(pattern, matrix);
        }
    }

    fn add_slope(&self, pattern: &Pattern, matrix: &mut Sparse) {
        let [(first, one), (second, two)] = self.dofs;
        let mut add = |row: usize, column: usize, value: f64| {
            if let Ok(place) = pattern.columns(row).binary_search(&column) {
                matrix.row_mut(pattern, row)[place] += self.slope * value;
            }
        };
        add(second, second, two * two);
        if one != 0.0 {
            add(first, first, one * one);
            add(second, first, one * two);
        }
    }

    /// Takes from `impulses` of the dofs what it resists the direction.
    pub fn subtract_resistance(&self, impulses: &mut [f64]) {
        if self.resists() {
            let impulse = self.slope * self.along;
            self.dofs.iter().for_each(|(dof, weight)| impulses[*dof] -= weight * impulse);
        }
    }

    fn product(&self, velocities: &[f64]) -> f64 {
        self.dofs.iter().map(|(dof, weight)| weight * velocities[*dof]).sum()
    }

    fn impulse(&self, velocity: f64) -> f64 {
        let impulse = self.slope * (self.target - velocity);
        if self.one_sided { impulse.max(0.0) } else { impulse }
    }

    fn resists(&self) -> bool {
        !self.one_sided || self.target > self.at
    }
}
