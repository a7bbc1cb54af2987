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
use crate::cone::Point;
use crate::delassus::{Delassus, SIX, Six, add};
use crate::group::{self, Group};
use crate::island::Island;
use crate::newton::{Problem, Solved};
use crate::sparse::Sparse;
use crate::touch::{RIGID_TOLERANCE, Touch};

/// Most groups: with more, the other method is faster.
const MOST_GROUPS: usize = 6;
/// Largest error of a dof's acceleration that the laws' may amount to [m/s², rad/s²]. Momentum has none.
const TOLERANCE: f64 = 1e-6;
/// So many times that may be left after an iteration, which squares what was left before it; small numbers beside large ones leave no better one to
/// rounding, either.
const ENOUGH: f64 = 100.0;
/// What touches with such an acceleration to the other side would press at the end of the step is looked at from its beginning [m/s²]. More often
/// shows at the end.
const SOON: f64 = 50.0;
/// The largest error where the velocities are only needed for the forces that follow from them, which change by much less [m/s²].
const PREDICTED: f64 = 1e-1;
/// Most iterations; it takes two to five, or goes in circles.
const MOST_ITERATIONS: usize = 40;
/// After so many, every second one goes only a part of its way, which leads out of circles.
const STRAIGHT: usize = 5;
const SHORT: f64 = 0.25;
/// How often joints may turn out to be held otherwise than was thought.
const MOST_ROUNDS: usize = 8;

/// What velocities are sought for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// The forces that follow from them.
    Forces,
    /// The end of the step.
    End,
}

/// Working memory, and what is the same over the iterations.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactSpace {
    /// The factors of A with the joints that are held.
    factor: Sparse,
    /// For each island.
    delassus: Vec<Delassus>,
    /// L⁻ᵀ times the impulses of the dofs, and the velocities that they give.
    gained: Vec<f64>,
    /// Errors of the dofs' impulses.
    errors: Vec<f64>,
    /// For each group λ, how it changes, and how the twist does.
    wrenches: Vec<Six>,
    change: Vec<Six>,
    turned: Vec<Six>,
    answers: Answers,
    /// For each touch.
    points: Vec<Point>,
}

impl ContactSpace {
    /// Begins an island, at the velocities before. False if it is not for this method.
    pub fn begin(&mut self, problem: &Problem, active: &mut ActiveSet, number: usize) -> bool {
        let island = active.island(number);
        if self.delassus.len() <= number {
            self.delassus.resize_with(number + 1, || Delassus::with_room(MOST_GROUPS, problem.pattern.size()));
            let lists = [&mut self.wrenches, &mut self.change, &mut self.turned];
            lists.into_iter().for_each(|list| list.reserve(MOST_GROUPS));
            self.answers.make_room(MOST_GROUPS);
        }
        let groups = &mut active.groups[island.groups.clone()];
        let count = |slower: f64| groups.iter().filter(|group| group.presses(&active.touches, slower)).count();
        if count(0.0) > MOST_GROUPS {
            return false;
        }
        self.points.resize(active.touches.len(), Point::default());
        // what parts now may press at the end of the step: all that may is factored once if there is room for it
        let soon = SOON * problem.step;
        let slower = if count(soon) <= MOST_GROUPS { soon } else { 0.0 };
        for group in groups {
            group.before = group.relative;
            group.takes_part = group.presses(&active.touches, slower);
            group.begin(&active.touches, &mut self.points);
        }
        active.rows[island.rows.clone()].iter_mut().for_each(|row| _ = row.take_hold());
        self.factor(problem, active, number)
    }

    /// Factors A with the joints that are held. False if too many groups take part.
    fn factor(&mut self, problem: &Problem, active: &mut ActiveSet, number: usize) -> bool {
        let island = active.island(number);
        if active.groups[island.groups.clone()].iter().filter(|group| group.takes_part).count() > MOST_GROUPS {
            return false;
        }
        self.gained.resize(problem.before.len(), 0.0);
        self.errors.resize(problem.before.len(), 0.0);
        for dofs in [active.free(&island), active.touched(&island)] {
            self.factor.copy_rows(problem.pattern, dofs, problem.system);
        }
        active.rows[island.rows.clone()].iter().for_each(|row| row.add_held(problem.pattern, &mut self.factor));
        self.factor.factor(problem.pattern, active.free(&island));
        self.factor.factor(problem.pattern, active.touched(&island));
        self.delassus[number].find(active, island.groups.clone(), problem.pattern, &self.factor);
        for (place, group) in self.delassus[number].groups().iter().enumerate() {
            for point in &mut self.points[active.groups[*group].touches.clone()] {
                point.weigh(|wrench| self.delassus[number].quadratic(place, wrench));
            }
        }
        true
    }

    /// Improves the velocities of an island until the contacts' laws are fulfilled. `None` if that takes too many iterations.
    pub fn solve(
        &mut self,
        problem: &Problem,
        active: &mut ActiveSet,
        number: usize,
        velocities: &mut [f64],
        goal: Goal,
    ) -> Option<Solved> {
        let mut solved = Solved::default();
        let island = active.island(number);
        for _ in 0..MOST_ROUNDS {
            self.fall(problem, active, number);
            if !self.approach(problem, active, number, goal, &mut solved) {
                return None;
            }
            self.push(problem, active, number, velocities);
            if !take_part(active, &mut self.points, &island, velocities) {
                return Some(solved);
            }
            if !self.factor(problem, active, number) {
                return None;
            }
        }
        None
    }

    /// What the forces do to an island, and how its groups move with the present wrenches.
    fn fall(&mut self, problem: &Problem, active: &mut ActiveSet, number: usize) {
        let ContactSpace { gained, wrenches, turned, factor, delassus, .. } = self;
        let island = active.island(number);
        active.dofs(&island).for_each(|dof| gained[*dof] = problem.impulse[*dof]);
        active.rows[island.rows.clone()].iter().for_each(|row| row.add_held_impulse(problem.before, gained));
        factor.eliminate(problem.pattern, active.free(&island), gained);
        factor.eliminate(problem.pattern, active.touched(&island), gained);
        let delassus = &delassus[number];
        wrenches.clear();
        wrenches.extend(delassus.groups().iter().map(|group| Six::from(active.groups[*group].found.to_vector())));
        delassus.multiply_by(wrenches, turned);
        for (place, (group, turned)) in delassus.groups().iter().zip(turned).enumerate() {
            delassus.add_gained(place, gained, turned);
            let group = &mut active.groups[*group];
            group.relative = group.before + twist(turned);
        }
    }

    /// The velocities of an island with the present wrenches.
    fn push(&mut self, problem: &Problem, active: &ActiveSet, number: usize, velocities: &mut [f64]) {
        let ContactSpace { gained, wrenches, factor, delassus, .. } = self;
        let island = active.island(number);
        let groups = delassus[number].groups().iter();
        wrenches.clear();
        wrenches.extend(groups.map(|group| Six::from(active.groups[*group].found.to_vector())));
        delassus[number].add_eliminated(wrenches, gained);
        factor.substitute(problem.pattern, active.touched(&island), gained);
        factor.substitute(problem.pattern, active.free(&island), gained);
        active.dofs(&island).for_each(|dof| velocities[*dof] = problem.before[*dof] + gained[*dof]);
    }

    /// Goes to where the laws are fulfilled. False if that takes too many iterations.
    fn approach(
        &mut self,
        problem: &Problem,
        active: &mut ActiveSet,
        number: usize,
        goal: Goal,
        solved: &mut Solved,
    ) -> bool {
        let island = active.island(number);
        let mut iterations = 0;
        loop {
            solved.residual = self.residual(problem, active, &island);
            let is_enough = iterations > 0 && solved.residual <= ENOUGH * TOLERANCE * problem.step;
            if goal == Goal::Forces && solved.residual <= PREDICTED * problem.step {
                return true;
            }
            if solved.residual <= TOLERANCE * problem.step || is_enough {
                solved.error = self.settle(active, number);
                if solved.error <= RIGID_TOLERANCE {
                    return true;
                }
            }
            if solved.iterations >= MOST_ITERATIONS {
                return false;
            }
            iterations += 1;
            solved.iterations += 1;
            let length = if solved.iterations > STRAIGHT && solved.iterations.is_multiple_of(2) { SHORT } else { 1.0 };
            if !self.improve(active, number, length) {
                return false;
            }
        }
    }

    /// Takes the impulses that the laws ask for; how fast rigid contacts still give way with them [m/s]. If that is too much, they hold each other with
    /// these from now on.
    fn settle(&mut self, active: &mut ActiveSet, number: usize) -> f64 {
        let mut error: f64 = 0.0;
        for group in self.delassus[number].groups() {
            let group = &active.groups[*group];
            let own = group.touches.clone();
            for (point, touch) in self.points[own.clone()].iter_mut().zip(&mut active.touches[own]) {
                touch.settle(point.push(point.natural()));
                let own_error = point.error();
                if own_error > RIGID_TOLERANCE {
                    point.persist();
                }
                error = error.max(own_error);
            }
        }
        error
    }

    /// How far the wrenches are from what the laws say, as the largest error of a dof's velocity [m/s, rad/s].
    fn residual(&mut self, problem: &Problem, active: &mut ActiveSet, island: &Island) -> f64 {
        for group in active.groups[island.groups.clone()].iter().filter(|group| group.takes_part) {
            let relative = group.relative.to_vector().into();
            self.points[group.touches.clone()].iter_mut().for_each(|point| point.look(&relative));
        }
        active.touched(island).iter().for_each(|dof| self.errors[*dof] = 0.0);
        active.collect(island.groups.clone(), &mut self.errors, |group| {
            if !group.takes_part {
                return Wrench::zero();
            }
            let natural = group.sum(&self.points[group.touches.clone()], Point::natural);
            group.held() + natural - group.found
        });
        let error = |dof: &usize| self.errors[*dof].abs() / problem.inertia(*dof);
        let largest = |most: f64, error: f64| if error <= most { most } else { error };
        active.touched(island).iter().map(error).fold(0.0, largest)
    }

    /// One step of Newton's method.
    fn improve(&mut self, active: &mut ActiveSet, number: usize, length: f64) -> bool {
        let ContactSpace { delassus, answers, points, change, turned, .. } = self;
        let delassus = &delassus[number];
        answers.begin(points.len());
        delassus.groups().iter().for_each(|group| answers.take(&active.groups[*group], points));
        if !answers.solve(delassus, change) {
            return false;
        }
        delassus.multiply_by(change, turned);
        for (group, (change, turned)) in delassus.groups().iter().zip(change.iter().zip(turned)) {
            let group = &mut active.groups[*group];
            group.found += wrench(change) * length;
            group.relative += twist(turned) * length;
            let (own, replies) = (&mut points[group.touches.clone()], &answers.replies()[group.touches.clone()]);
            own.iter_mut().zip(replies).for_each(|(point, reply)| point.go_on(reply, turned, length));
        }
        true
    }
}

fn twist(six: &Six) -> Twist {
    Twist::from_vector(&Vector6::from(*six))
}

fn wrench(six: &Six) -> Wrench {
    Wrench::from_vector(&Vector6::from(*six))
}

/// Lets take part what has to at the present velocities, of an island. Whether any does that did not, or the other way round.
fn take_part(active: &mut ActiveSet, points: &mut [Point], island: &Island, velocities: &[f64]) -> bool {
    let mut is_other = false;
    for row in &mut active.rows[island.rows.clone()] {
        row.move_to(velocities);
        is_other |= row.take_hold();
    }
    for group in active.groups[island.groups.clone()].iter_mut().filter(|group| !group.takes_part) {
        group.relative = group::relative(&active.columns[group.columns.clone()], velocities);
        group.takes_part = group.presses(&active.touches, 0.0);
        is_other |= group.takes_part;
        group.begin(&active.touches, points);
    }
    is_other
}

impl Group {
    /// Whether anything holds, or presses, or would if it parted so much slower [m/s].
    fn presses(&self, touches: &[Touch], slower: f64) -> bool {
        let presses = |touch: &Touch| touch.presses(&self.relative, slower);
        self.hold.is_some() || touches[self.touches.clone()].iter().any(presses)
    }

    /// Begins to try impulses, if it takes part.
    fn begin(&mut self, touches: &[Touch], points: &mut [Point]) {
        let touches = &touches[self.touches.clone()];
        self.found = Wrench::zero();
        if self.takes_part {
            let points = &mut points[self.touches.clone()];
            points.iter_mut().zip(touches).for_each(|(point, touch)| point.begin(touch, &self.relative));
            self.found = self.held() + self.sum(points, Point::tried);
        }
    }

    /// The wrench of impulses of the points.
    fn sum(&self, points: &[Point], impulses: impl Fn(&Point) -> &Six) -> Wrench {
        let mut sum = [0.0; SIX];
        for point in points {
            let impulses = impulses(point);
            if *impulses != [0.0; SIX] {
                add(&mut sum, &point.wrench(impulses));
            }
        }
        Wrench::from_vector(&sum.into())
    }

    /// The wrench of the loop that they close.
    pub fn held(&self) -> Wrench {
        self.hold.map_or(Wrench::zero(), |hold| hold.wrench(&self.relative))
    }
}
