//! Who solves an island: [over the wrenches between bodies](crate::space) where few touch and that comes to an end, else
//! [over all velocities](crate::newton).

use crate::active::ActiveSet;
use crate::newton::{MOST_ITERATIONS, Newton, Problem, Solved};
use crate::space::{ContactSpace, Goal};

/// Both methods, and which one has each island.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solver {
    space: ContactSpace,
    newton: Newton,
    /// For each island whether the first method has it.
    in_space: Vec<bool>,
    /// Σ Jᵀ γ of the last step.
    contacts: Vec<f64>,
}

impl Solver {
    /// Begins with the velocities before; the islands must be known.
    pub fn begin(&mut self, problem: &Problem, active: &mut ActiveSet, velocities: &mut Vec<f64>) {
        velocities.clear();
        velocities.extend_from_slice(problem.before);
        self.contacts.clear();
        self.contacts.resize(velocities.len(), 0.0);
        self.newton.resize(velocities.len());
        active.move_to(velocities);
        self.in_space.clear();
        for number in 0..active.islands() {
            let island = active.island(number);
            let is_in_space = self.space.begin(problem, active, number);
            self.in_space.push(is_in_space);
            if !is_in_space {
                self.newton.begin(problem, active, &island, velocities);
            }
        }
    }

    /// Improves the velocities of an island as far as forces need them that follow from velocities.
    pub fn predict(
        &mut self,
        problem: &Problem,
        active: &mut ActiveSet,
        number: usize,
        velocities: &mut [f64],
    ) -> Solved {
        self.improve(problem, active, number, velocities, Goal::Forces)
    }

    /// Improves the velocities of an island until its momentum is right and the laws of contact are fulfilled.
    pub fn solve(
        &mut self,
        problem: &Problem,
        active: &mut ActiveSet,
        number: usize,
        velocities: &mut [f64],
    ) -> Solved {
        self.improve(problem, active, number, velocities, Goal::End)
    }

    /// Improves the velocities as far as the goal needs it: for forces one iteration of Newton's method over all velocities will do.
    fn improve(
        &mut self,
        problem: &Problem,
        active: &mut ActiveSet,
        number: usize,
        velocities: &mut [f64],
        goal: Goal,
    ) -> Solved {
        let island = active.island(number);
        if self.in_space[number] {
            if let Some(solved) = self.space.solve(problem, active, number, velocities, goal) {
                return solved;
            }
            self.in_space[number] = false;
            active.visit_in(&island, |_, touch, _| touch.settled = None);
            self.newton.begin(problem, active, &island, velocities);
        }
        let most = if goal == Goal::Forces { 1 } else { MOST_ITERATIONS };
        self.newton.solve(problem, active, &island, velocities, most)
    }

    /// The contacts' impulses of the dofs at the last solution.
    pub fn contacts(&mut self, active: &mut ActiveSet) -> &[f64] {
        for number in 0..active.islands() {
            let island = active.island(number);
            active.impulses(&island, &mut self.contacts);
        }
        &self.contacts
    }
}
