//! The velocities at the end of a step: the minimum of a convex function of them.
//!
//! With A the mass matrix (rotors and implicit dampers on its diagonal), v₀ the velocities before and b the impulses of all other forces,
//!
//! ```text
//! f(v) = ½ (v − v₀)ᵀ A (v − v₀) − bᵀ v + Σ P_c(J_c v)
//! ```
//!
//! has the gradient A (v − v₀) − b − Σ J_cᵀ γ_c(J_c v): momentum, with the contacts' impulses γ_c as minus the gradients of their potentials
//! P_c. Newton's method with a search along the line finds the minimum from any start, in few iterations, whatever the
//! ratio of masses, since it sees all contacts at once where Gauss–Seidel sees one (Castro, Permenter and Han, "An unconstrained convex
//! formulation of compliant contact", 2022; Todorov, "Convex and analytically-invertible dynamics with contacts and constraints", 2014).
//! Coulomb's limit µ γ_n is no potential's: it is held while the minimum is sought, brought in line with the γ_n that were found, and so on
//! until it is the solution's own. So bodies that slide are not lifted, other than where friction and normal share one potential.
//!
//! Dofs that move nothing that touches, as the arms of a robot that stands, are eliminated first, once: A becomes its Schur complement in
//! the others, which alone are iterated over, and they follow at the end.

use crate::active::ActiveSet;
use crate::island::Island;
use crate::kinematics::Kinematics;
use crate::limits::Limits;
use crate::model::Model;
use crate::sparse::{Pattern, Sparse};
use crate::touch::RIGID_TOLERANCE;

/// Most iterations of a step.
pub(crate) const MOST_ITERATIONS: usize = 500;
/// So many times the tolerance may be left where many iterations have come no nearer.
const ROUNDING: f64 = 100.0;
/// Most iterations towards one minimum.
const MOST_AT_ONCE: usize = 40;
/// After so many, limits and multipliers are no longer brought in line.
const ENOUGH: usize = 60;
/// How often the limits of friction and the multipliers of rigid contacts are brought in line with the impulses.
const MOST_UPDATES: usize = 40;
/// Largest error of a dof's acceleration that the momentum's may amount to [m/s², rad/s²].
const TOLERANCE: f64 = 1e-6;
/// The same for limits of friction that are not the normal impulses' own yet [m/s², rad/s²].
const LIMIT_TOLERANCE: f64 = 1e-3;
/// The momentum's error need be no less before limits are brought in line for the first time [m/s², rad/s²].
const FIRST_TOLERANCE: f64 = 1e-2;
/// While limits are brought in line, the momentum's error need be no less than this share of theirs.
const LOOSE: f64 = 0.05;
/// What is not in line after so many times is jammed, and gets there only exactly.
const LOOSE_UPDATES: usize = 6;
/// The search along the line ends where the slope has this share of the first.
const LEVEL: f64 = 0.2;
/// Most evaluations of a search.
const MOST_EVALUATIONS: usize = 25;

/// What is to be solved.
#[derive(Clone, Copy)]
pub(crate) struct Problem<'a> {
    pub model: &'a Model,
    pub kinematics: &'a Kinematics,
    /// [s]
    pub step: f64,
    pub pattern: &'a Pattern,
    /// A.
    pub system: &'a Sparse,
    /// v₀.
    pub before: &'a [f64],
    /// b.
    pub impulse: &'a [f64],
}

impl Problem<'_> {
    /// What resists a dof's acceleration with all others at rest [kg, kg·m²].
    pub fn inertia(&self, dof: usize) -> f64 {
        self.system.diagonal(self.pattern, dof)
    }
}

/// Working memory, and the factors of the last matrix.
#[derive(Clone, Debug, Default)]
pub(crate) struct Newton {
    /// Which dofs are coupled by joints and by what touches, and the pairs of bodies for which that is so.
    pattern: Pattern,
    pairs: Vec<(usize, usize)>,
    factor: Sparse,
    /// A with the free dofs eliminated.
    reduced: Sparse,
    /// b, the same.
    impulse: Vec<f64>,
    /// The reduced A (v − v₀).
    momentum: Vec<f64>,
    /// Σ Jᵀ γ.
    contacts: Vec<f64>,
    gradient: Vec<f64>,
    direction: Vec<f64>,
    /// A times the direction.
    product: Vec<f64>,
    /// The dofs of the island that is being solved: those that move what touches, and the free ones.
    dofs: Vec<usize>,
    free: Vec<usize>,
    limits: Limits,
}

/// Where the way to a minimum ends: at an error of momentum [m/s, rad/s], or after so many iterations.
#[derive(Clone, Copy)]
struct Goal {
    tolerance: f64,
    most: usize,
}

/// How well a problem was solved.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Solved {
    pub iterations: usize,
    /// Largest error of momentum, as an error of its dof's velocity [m/s, rad/s].
    pub residual: f64,
    /// Largest velocity at which a rigid contact still gives way [m/s].
    pub error: f64,
}

impl Newton {
    /// Makes room for so many dofs.
    pub fn resize(&mut self, dofs: usize) {
        let lists = [&mut self.impulse, &mut self.momentum, &mut self.contacts];
        for list in lists.into_iter().chain([&mut self.gradient, &mut self.direction, &mut self.product]) {
            list.resize(dofs, 0.0);
        }
    }

    /// Begins an island with the velocities before.
    pub fn begin(&mut self, problem: &Problem, active: &mut ActiveSet, island: &Island, velocities: &mut [f64]) {
        self.follow_pairs(problem.model, active);
        for dof in active.dofs(island) {
            velocities[*dof] = problem.before[*dof];
            self.momentum[*dof] = 0.0;
        }
        active.move_island(island, velocities);
        for dofs in [active.free(island), active.touched(island)] {
            self.reduced.widen_rows(&self.pattern, dofs, problem.system, problem.pattern);
        }
        self.reduced.factor(&self.pattern, active.free(island));
    }

    /// Finds a new pattern when other pairs of bodies touch than before.
    fn follow_pairs(&mut self, model: &Model, active: &ActiveSet) {
        if self.pattern.size() != model.dofs() || !active.pairs().eq(self.pairs.iter().copied()) {
            self.pairs.clear();
            self.pairs.extend(active.pairs());
            self.pattern = coupled(model, active);
        }
    }

    /// Improves the velocities of an island until its momentum is right, in at most so many iterations.
    pub fn solve(
        &mut self,
        problem: &Problem,
        active: &mut ActiveSet,
        island: &Island,
        velocities: &mut [f64],
        most: usize,
    ) -> Solved {
        self.enter(problem, active, island);
        let solved = self.settle(problem, active, island, velocities, most);
        self.move_free(problem, velocities);
        solved
    }

    /// Eliminates the free dofs from b.
    fn enter(&mut self, problem: &Problem, active: &ActiveSet, island: &Island) {
        self.dofs.clear();
        self.dofs.extend_from_slice(active.touched(island));
        self.free.clear();
        self.free.extend_from_slice(active.free(island));
        let all = self.dofs.iter().chain(&self.free);
        all.for_each(|dof| self.impulse[*dof] = problem.impulse[*dof]);
        self.reduced.eliminate(&self.pattern, &self.free, &mut self.impulse);
    }

    /// The free dofs' velocities follow those of the others.
    fn move_free(&mut self, problem: &Problem, velocities: &mut [f64]) {
        let Newton { pattern, reduced, impulse, direction, dofs, free, .. } = self;
        dofs.iter().for_each(|dof| direction[*dof] = velocities[*dof] - problem.before[*dof]);
        free.iter().for_each(|dof| direction[*dof] = impulse[*dof]);
        reduced.substitute(pattern, free, direction);
        free.iter().for_each(|dof| velocities[*dof] = problem.before[*dof] + direction[*dof]);
    }

    /// Goes to the minimum, and brings limits and multipliers in line until nothing changes.
    fn settle(
        &mut self,
        problem: &Problem,
        active: &mut ActiveSet,
        island: &Island,
        velocities: &mut [f64],
        most: usize,
    ) -> Solved {
        let mut solved = Solved::default();
        active.visit_in(island, |_, touch, relative| touch.loaded = touch.expected_load(relative));
        self.limits.begin();
        let exact = TOLERANCE * problem.step;
        let mut tolerance = FIRST_TOLERANCE * problem.step;
        for updates in 0..MOST_UPDATES {
            let goal = Goal { tolerance, most: most.min(MOST_AT_ONCE) };
            let found = self.minimise(problem, active, island, velocities, goal, &mut solved);
            if solved.iterations >= most {
                return solved;
            }
            if !found {
                break;
            }
            solved.error = active.error(island);
            let limits = self.follow_limits(problem, active, island, &solved, updates);
            let is_settled = limits <= LIMIT_TOLERANCE * problem.step && solved.error <= RIGID_TOLERANCE;
            if is_settled && solved.residual <= exact {
                return solved;
            }
            if solved.iterations > ENOUGH {
                break;
            }
            let is_loose = !is_settled && updates < LOOSE_UPDATES;
            tolerance = if is_loose { exact.max(LOOSE * limits) } else { exact };
            if solved.error > RIGID_TOLERANCE {
                active.persist(island);
            }
        }
        // what does not settle, as a light body that heavy ones jam, is held by stiff springs alone in this step: they add no energy
        active.let_go(island);
        self.minimise(problem, active, island, velocities, Goal { tolerance: exact, most }, &mut solved);
        solved.error = active.error(island);
        solved
    }

    /// Goes to the minimum for the present limits and multipliers. False if that takes too many iterations.
    fn minimise(
        &mut self,
        problem: &Problem,
        active: &mut ActiveSet,
        island: &Island,
        velocities: &mut [f64],
        goal: Goal,
        solved: &mut Solved,
    ) -> bool {
        for _ in 0..goal.most {
            if self.residual(problem, active, island, solved) <= goal.tolerance {
                return true;
            }
            solved.iterations += 1;
            self.improve(problem, active, island, velocities);
        }
        // steep slopes leave no better one to rounding
        self.residual(problem, active, island, solved) <= goal.tolerance.max(ROUNDING * TOLERANCE * problem.step)
    }

    /// Finds the gradient, and how far it is from zero.
    fn residual(&mut self, problem: &Problem, active: &mut ActiveSet, island: &Island, solved: &mut Solved) -> f64 {
        active.impulses(island, &mut self.contacts);
        solved.residual = 0.0;
        for dof in self.dofs.iter().copied() {
            self.gradient[dof] = self.momentum[dof] - self.impulse[dof] - self.contacts[dof];
            solved.residual = solved.residual.max(self.gradient[dof].abs() / problem.inertia(dof));
        }
        solved.residual
    }

    /// Lets the limits follow the impulses, unless those are the limits' own. How far they were from it, as an error of a dof's velocity
    /// [m/s, rad/s].
    fn follow_limits(
        &mut self,
        problem: &Problem,
        active: &mut ActiveSet,
        island: &Island,
        solved: &Solved,
        updates: usize,
    ) -> f64 {
        let mixes = updates < MOST_UPDATES / 2;
        if mixes {
            self.limits.note(active, island);
        }
        // as they were found, unless that never settles
        active.load(island, if mixes { 1.0 } else { 0.5 });
        active.impulses(island, &mut self.product);
        let error = |dof: &usize| (self.product[*dof] - self.contacts[*dof]).abs() / problem.inertia(*dof);
        let largest = self.dofs.iter().map(error).fold(0.0, f64::max);
        if mixes && (largest > LIMIT_TOLERANCE * problem.step || solved.error > RIGID_TOLERANCE) {
            self.limits.put(active, island);
        }
        largest
    }

    /// One step of Newton's method.
    fn improve(&mut self, problem: &Problem, active: &mut ActiveSet, island: &Island, velocities: &mut [f64]) {
        let (Problem { model, kinematics, .. }, pattern) = (*problem, &self.pattern);
        self.factor.copy_rows(pattern, &self.dofs, &self.reduced);
        active.add_resistance(island, model, kinematics, pattern, &mut self.factor);
        self.factor.factor(pattern, &self.dofs);
        for dof in self.dofs.iter().copied() {
            self.direction[dof] = -self.gradient[dof];
            // the direction will solve (A + resistance) d = −gradient, so that A d is
            self.product[dof] = -self.gradient[dof];
        }
        self.factor.solve(pattern, &self.dofs, &mut self.direction);
        active.look_along(island, &self.direction);
        active.subtract_resistance(island, &mut self.product);
        let length = self.search(active, island);
        for dof in self.dofs.iter().copied() {
            velocities[dof] += length * self.direction[dof];
            self.momentum[dof] += length * self.product[dof];
        }
        active.advance(island, length);
    }

    /// How far to go: to where the function's slope along the direction is small. It rises from one end to the other, so that the place
    /// lies between a falling and a rising one. The wrenches of what touches are found at the last place that was tried.
    fn search(&self, active: &mut ActiveSet, island: &Island) -> f64 {
        let (mut curve, mut first, mut smooth) = (0.0, 0.0, 0.0);
        for dof in self.dofs.iter().copied() {
            let direction = self.direction[dof];
            curve += direction * self.product[dof];
            first += direction * self.gradient[dof];
            // without the contacts the slope is a straight line
            smooth += direction * (self.gradient[dof] + self.contacts[dof]);
        }
        let mut slope = |length: f64| smooth + curve * length + active.slope(island, length);
        let (mut low, mut high) = ((0.0, first), (1.0, slope(1.0)));
        for _ in 0..MOST_EVALUATIONS {
            if high.1.abs() <= LEVEL * first.abs() || high.1 < 0.0 {
                return high.0;
            }
            if low.0 > 0.0 && low.1.abs() <= LEVEL * first.abs() {
                return low.0;
            }
            // where a straight line through both is zero, but not too near either
            let share = (low.1 / (low.1 - high.1)).clamp(0.1, 0.9);
            let middle = low.0 + share * (high.0 - low.0);
            match (middle, slope(middle)) {
                rising if rising.1 > 0.0 => high = rising,
                falling => low = falling,
            }
        }
        if low.0 > 0.0 { low.0 } else { high.0 }
    }
}

/// The pattern of a model with what is coupled by its joints, their constraints and what touches.
pub(crate) fn coupled(model: &Model, active: &ActiveSet) -> Pattern {
    let paths = (0..model.bodies().len()).map(|body| model.path(body).to_vec());
    let coupled: Vec<Vec<usize>> = paths.chain(active.coupled(model)).collect();
    Pattern::new(model.dofs(), coupled.iter().map(Vec::as_slice))
}

/// The product of two vectors.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
