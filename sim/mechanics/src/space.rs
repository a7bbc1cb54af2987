//! The velocities at the end of a step where few bodies touch: found over the wrenches between them.
//!
//! Without contacts the velocities would be v_f = v₀ + A⁻¹ b. Wrenches λ between bodies make them v_f + A⁻¹ Jᵀ λ, and the relative twists
//! u = J v_f + W λ with [Delassus' matrix](crate::delassus) W, so that A is factored once in a step, whatever number of iterations it takes.
//! As the contacts [answer](crate::cone), λ is c − R (u − u₀) near u₀, so that (1 + R W) Δλ = c − λ: Newton's method for the laws
//! themselves. It is there in a few iterations from what held in the last step, but it may go in circles; then
//! [another method](crate::newton) begins anew, which never does.
//!
//! Limits and couplings of joints that hold are part of A. If others hold than was thought, all is done again.

use nalgebra::Vector6;
use robot_model::{Twist, Wrench};

use crate::active::ActiveSet;
use crate::answers::Answers;
use crate::cone::Reply;
use crate::delassus::{Delassus, SIX};
use crate::group::{self, Group};
use crate::island::Island;
use crate::newton::{Problem, ROUNDING, Solved, TOLERANCE};
use crate::sparse::Sparse;
use crate::touch::{Push, RIGID_TOLERANCE, Touch};

/// Most groups: with more, the other method is faster.
const MOST_GROUPS: usize = 6;
/// Most iterations; it takes two to five, or goes in circles.
const MOST_ITERATIONS: usize = 40;
/// What is near enough and falls to no less than this share falls no more.
const FALLING: f64 = 0.5;
/// After so many, every second one goes only a part of its way, which leads out of circles.
const STRAIGHT: usize = 5;
const SHORT: f64 = 0.25;
/// How often joints may turn out to be held otherwise than was thought.
const MOST_ROUNDS: usize = 8;

/// Working memory, and what is the same over the iterations.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactSpace {
    /// The factors of A with the joints that are held.
    factor: Sparse,
    /// For each island.
    delassus: Vec<Delassus>,
    /// Impulses of the dofs, and the velocities that they give.
    gained: Vec<f64>,
    /// J v_f.
    free: Vec<f64>,
    /// λ, u, and what is solved for.
    wrenches: Vec<f64>,
    change: Vec<f64>,
    turned: Vec<f64>,
    answers: Answers,
    replies: Vec<Reply>,
}

impl ContactSpace {
    /// Whether an island is for this method.
    pub fn takes(island: &Island) -> bool {
        island.groups.len() <= MOST_GROUPS
    }

    /// Begins an island, at the velocities before.
    pub fn begin(&mut self, problem: &Problem, active: &mut ActiveSet, number: usize) {
        let island = active.island(number);
        if self.delassus.len() <= number {
            self.delassus.resize_with(number + 1, Delassus::default);
        }
        active.visit_in(&island, |_, touch, relative| touch.try_first(relative));
        for group in &mut active.groups[island.groups.clone()] {
            let touches = &mut active.touches[group.touches.clone()];
            if !group.take_part(touches) {
                touches.iter_mut().for_each(|touch| touch.tried = Push::default());
            }
            group.found = touches.iter().fold(group.held(), |sum, touch| sum + touch.wrench(&touch.tried));
        }
        active.rows[island.rows.clone()].iter_mut().for_each(|row| _ = row.take_hold());
        self.factor(problem, active, number);
    }

    /// Factors A with the joints that are held.
    fn factor(&mut self, problem: &Problem, active: &mut ActiveSet, number: usize) {
        let island = active.island(number);
        self.gained.resize(problem.before.len(), 0.0);
        for dofs in [active.free(&island), active.touched(&island)] {
            self.factor.copy_rows(problem.pattern, dofs, problem.system);
        }
        active.rows[island.rows.clone()].iter().for_each(|row| row.add_held(problem.pattern, &mut self.factor));
        self.factor.factor(problem.pattern, active.free(&island));
        self.factor.factor(problem.pattern, active.touched(&island));
        self.delassus[number].find(active, island.groups.clone(), problem.pattern, &self.factor);
        for (place, group) in self.delassus[number].groups().iter().enumerate() {
            for touch in &mut active.touches[active.groups[*group].touches.clone()] {
                touch.resist_with(|wrench| self.delassus[number].quadratic(place, wrench));
            }
        }
    }

    /// Improves the velocities of an island until the contacts' laws are fulfilled, in at most so many iterations. `None` if they are not
    /// then.
    pub fn solve(
        &mut self,
        problem: &Problem,
        active: &mut ActiveSet,
        number: usize,
        velocities: &mut [f64],
        most: usize,
    ) -> Option<Solved> {
        let mut solved = Solved::default();
        let island = active.island(number);
        for _ in 0..MOST_ROUNDS {
            self.move_dofs(problem, active, &island, velocities, false);
            self.free.clear();
            for group in self.delassus[number].groups() {
                let columns = active.groups[*group].columns.clone();
                let twist = group::relative(&active.columns[columns], velocities);
                self.free.extend_from_slice(twist.to_vector().as_slice());
            }
            let found = self.approach(problem, active, number, most.min(MOST_ITERATIONS), &mut solved);
            if !found && solved.iterations < most {
                return None;
            }
            self.move_dofs(problem, active, &island, velocities, true);
            if !take_part(active, &island, velocities) {
                return Some(solved);
            }
            self.factor(problem, active, number);
        }
        None
    }

    /// The velocities of an island, with what is between its bodies or without.
    fn move_dofs(
        &mut self,
        problem: &Problem,
        active: &ActiveSet,
        island: &Island,
        velocities: &mut [f64],
        touching: bool,
    ) {
        let gained = &mut self.gained;
        active.dofs(island).for_each(|dof| gained[*dof] = problem.impulse[*dof]);
        active.rows[island.rows.clone()].iter().for_each(|row| row.add_held_impulse(problem.before, gained));
        if touching {
            active.collect(island.groups.clone(), gained, |group| group.found);
        }
        let (free, touched) = (active.free(island), active.touched(island));
        self.factor.eliminate(problem.pattern, free, gained);
        self.factor.solve(problem.pattern, touched, gained);
        self.factor.substitute(problem.pattern, free, gained);
        active.dofs(island).for_each(|dof| velocities[*dof] = problem.before[*dof] + gained[*dof]);
    }

    /// Goes to where the laws are fulfilled. False if that takes too many iterations.
    fn approach(
        &mut self,
        problem: &Problem,
        active: &mut ActiveSet,
        number: usize,
        most: usize,
        solved: &mut Solved,
    ) -> bool {
        let island = active.island(number);
        let mut last = f64::INFINITY;
        loop {
            self.turn(active, number);
            solved.residual = self.residual(problem, active, &island);
            let exact = TOLERANCE * problem.step;
            // it may be as near as rounding lets it
            let is_rounding = solved.residual <= ROUNDING * exact && solved.residual > FALLING * last;
            last = solved.residual;
            if solved.residual <= exact || is_rounding {
                active.visit_in(&island, |_, touch, relative| touch.settle(relative));
                solved.error = active.error(&island);
                if solved.error <= RIGID_TOLERANCE {
                    return true;
                }
                active.persist(&island);
            }
            if solved.iterations >= most {
                return false;
            }
            solved.iterations += 1;
            let length = if solved.iterations > STRAIGHT && solved.iterations % 2 == 0 { SHORT } else { 1.0 };
            if !self.improve(active, number, length) {
                return false;
            }
        }
    }

    /// The relative twists for the present wrenches.
    fn turn(&mut self, active: &mut ActiveSet, number: usize) {
        let delassus = &self.delassus[number];
        self.wrenches.clear();
        for group in delassus.groups() {
            self.wrenches.extend_from_slice(active.groups[*group].found.to_vector().as_slice());
        }
        self.turned.clone_from(&self.free);
        delassus.add_product(&self.wrenches, &mut self.turned);
        for (group, twist) in delassus.groups().iter().zip(self.turned.chunks_exact(SIX)) {
            active.groups[*group].relative = Twist::from_vector(&Vector6::from_column_slice(twist));
        }
    }

    /// How far the wrenches are from what the laws say, as the largest error of a dof's velocity [m/s, rad/s].
    fn residual(&mut self, problem: &Problem, active: &mut ActiveSet, island: &Island) -> f64 {
        active.touched(island).iter().for_each(|dof| self.gained[*dof] = 0.0);
        active.collect(island.groups.clone(), &mut self.gained, |group| {
            if !group.takes_part {
                return Wrench::zero();
            }
            let touches = active.touches[group.touches.clone()].iter();
            let natural = |sum, touch: &Touch| sum + touch.wrench(&touch.natural(&group.relative, &touch.tried));
            touches.fold(group.held(), natural) - group.found
        });
        let error = |dof: &usize| self.gained[*dof].abs() / problem.inertia(*dof);
        let largest = |most: f64, error: f64| if error <= most { most } else { error };
        active.touched(island).iter().map(error).fold(0.0, largest)
    }

    /// One step of Newton's method.
    fn improve(&mut self, active: &mut ActiveSet, number: usize, length: f64) -> bool {
        let ContactSpace { delassus, answers, replies, change, turned, .. } = self;
        let delassus = &delassus[number];
        answers.clear();
        replies.clear();
        for group in delassus.groups() {
            answers.take(&active.groups[*group], &active.touches, replies);
        }
        if !answers.solve(delassus, change) {
            return false;
        }
        turned.clear();
        turned.resize(change.len(), 0.0);
        delassus.add_product(change, turned);
        let mut replies = replies.iter();
        let changes = change.chunks_exact(SIX).zip(turned.chunks_exact(SIX));
        for (group, (wrench, twist)) in delassus.groups().iter().zip(changes) {
            let (group, twist) = (&mut active.groups[*group], Twist::from_vector(&Vector6::from_column_slice(twist)));
            group.found += Wrench::from_vector(&Vector6::from_column_slice(wrench)) * length;
            for (touch, reply) in active.touches[group.touches.clone()].iter_mut().zip(&mut replies) {
                touch.tried = touch.tried.towards(&touch.answered(reply, &twist), length);
            }
        }
        true
    }
}

/// Lets take part what has to at the present velocities, of an island. Whether any does that did not, or the other way round.
fn take_part(active: &mut ActiveSet, island: &Island, velocities: &[f64]) -> bool {
    let mut is_other = false;
    for row in &mut active.rows[island.rows.clone()] {
        row.move_to(velocities);
        is_other |= row.take_hold();
    }
    for group in active.groups[island.groups.clone()].iter_mut().filter(|group| !group.takes_part) {
        group.relative = group::relative(&active.columns[group.columns.clone()], velocities);
        is_other |= group.take_part(&active.touches[group.touches.clone()]);
    }
    is_other
}

impl Group {
    /// Takes part if anything presses. Whether it does.
    fn take_part(&mut self, touches: &[Touch]) -> bool {
        let presses = |touch: &Touch| touch.natural(&self.relative, &touch.tried).normal > 0.0;
        self.takes_part = self.hold.is_some() || touches.iter().any(presses);
        self.takes_part
    }

    /// The wrench of the loop that they close.
    pub fn held(&self) -> Wrench {
        self.hold.map_or(Wrench::zero(), |hold| hold.wrench(&self.relative))
    }
}
