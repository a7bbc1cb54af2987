//! What is between two bodies, or a body and the world: contacts, or a loop that is closed.

use nalgebra::{Matrix6, Vector3};
use robot_model::{Twist, Wrench};

use crate::hold::{Hold, Resistance, shifted};
use crate::kinematics::Kinematics;
use crate::model::Model;
use crate::sparse::{Pattern, Sparse};
use crate::touch::Touch;

/// Two bodies, or a body and the world, with the dofs that move them against each other.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub body: usize,
    pub other: Option<usize>,
    /// The point about which everything here is told, from the first one's reference: amid the touches, so that numbers stay of one size.
    pub about: Vector3<f64>,
    /// Their dofs in the list of all columns.
    pub columns: core::ops::Range<usize>,
    /// Their touches in the list of all touches.
    pub touches: core::ops::Range<usize>,
    /// The loop that they close.
    pub hold: Option<Hold>,
    /// How they moved against each other before the step, and how they do.
    pub before: Twist,
    pub relative: Twist,
    /// How that changes along a direction.
    pub along: Twist,
    /// How the wrench between them falls with their relative twist.
    pub resistance: Matrix6<f64>,
    /// The wrench between them, and whether it is that at `relative`.
    pub found: Wrench,
    pub is_found: bool,
    /// Whether it is among those that are sought [in the space of contacts](crate::space).
    pub takes_part: bool,
}

impl Group {
    /// The wrench between the bodies at another relative twist, with limits of friction as they were set.
    pub fn wrench(&self, touches: &[Touch], relative: &Twist) -> Wrench {
        let held = self.hold.map_or(Wrench::zero(), |hold| hold.wrench(relative));
        touches[self.touches.clone()].iter().fold(held, |sum, touch| sum + touch.wrench(&touch.found(relative)))
    }

    /// Finds how the wrench falls with the relative twist.
    pub fn resist(&mut self, touches: &[Touch]) {
        let mut sum = Resistance::zero();
        touches[self.touches.clone()].iter().for_each(|touch| touch.resist(&self.relative, &mut sum));
        self.resistance = sum.to_matrix();
        if let Some(hold) = &self.hold {
            self.resistance += hold.resistance;
        }
    }

    /// The same about the first one's reference.
    pub fn resistance_at_reference(&self) -> Matrix6<f64> {
        shifted(&self.resistance, &self.about)
    }

    /// Adds to a matrix of the dofs how two bodies resist each other.
    pub fn add_pair(&self, columns: &[(usize, Twist)], pattern: &Pattern, matrix: &mut Sparse) {
        let columns = &columns[self.columns.clone()];
        for (count, (row, axis)) in columns.iter().enumerate() {
            let wrench = Wrench::from_vector(&(self.resistance * axis.to_vector()));
            let entries = pattern.columns(*row);
            let values = matrix.row_mut(pattern, *row);
            let mut place = 0;
            for (column, axis) in &columns[..=count] {
                // both ascend
                while entries[place] != *column {
                    place += 1;
                }
                values[place] += axis.dot(&wrench);
                place += 1;
            }
        }
    }
}

/// Appends the dofs above one body and not above both, ascending, with how they move the body against the other, about a point that is `about`
/// away from its reference.
pub(crate) fn add_columns(
    model: &Model,
    kinematics: &Kinematics,
    (body, other): (usize, Option<usize>),
    about: &Vector3<f64>,
    columns: &mut Vec<(usize, Twist)>,
) {
    let axis = |dof: &usize| (*dof, kinematics.axes[*dof].at(about));
    let Some(other) = other else {
        columns.extend(model.path(body).iter().map(axis));
        return;
    };
    let first = columns.len();
    let shift = kinematics.bodies[body].reference + about - kinematics.bodies[other].reference;
    let (path, against) = model.unshared_paths(body, other);
    columns.extend(path.iter().map(axis));
    columns.extend(against.iter().map(|dof| (*dof, -kinematics.axes[*dof].at(&shift))));
    columns[first..].sort_by_key(|(dof, _)| *dof);
}

/// The relative twist of two bodies for velocities of the dofs.
pub(crate) fn relative(columns: &[(usize, Twist)], velocities: &[f64]) -> Twist {
    columns.iter().fold(Twist::zero(), |sum, (dof, axis)| sum + *axis * velocities[*dof])
}
