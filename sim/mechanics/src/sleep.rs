//! What is still needs no computing.

use crate::active::ActiveSet;
use crate::body::Joint;
use crate::coordinates::{ASLEEP_AFTER, Coordinates};
use crate::model::Model;

/// Slower is still [m/s].
const SLOW: f64 = 5e-3;
/// Slower is still [rad/s].
const SLOW_TURN: f64 = 0.05;

/// Lets time pass for what is still: islands of free bodies that touch something and are slow. At the end of a step of `step` [s].
pub(crate) fn pass(model: &Model, active: &ActiveSet, coordinates: &mut Coordinates, step: f64) {
    for number in 0..active.islands() {
        let island = active.island(number);
        let is_body = |dof: &usize| {
            let body = model.body_of_dof(*dof);
            model.bodies()[body].joint == Joint::Free && model.tree(body).len() == 1
        };
        let limit = |dof: usize| if dof - model.first_dof(model.body_of_dof(dof)) < 3 { SLOW } else { SLOW_TURN };
        let is_slow = |dof: &usize| coordinates.velocities[*dof].abs() < limit(*dof);
        let is_still = !island.groups.is_empty() && active.dofs(&island).all(|dof| is_body(dof) && is_slow(dof));
        active.dofs(&island).for_each(|dof| {
            let tree = model.tree_of(model.body_of_dof(*dof));
            if !is_still {
                coordinates.still[tree] = 0.0;
            } else if model.tree_dofs(tree).start == *dof {
                coordinates.still[tree] += step;
            }
            if coordinates.still[tree] >= ASLEEP_AFTER {
                coordinates.velocities[*dof] = 0.0;
            }
        });
    }
}
