//! The method's algorithm box: take in what is violated most, let go of what pulls the wrong way.

use crate::dense::{Rows, add_scaled, dot, norm};
use crate::qp::QpError;
use crate::qp::constraints::Constraints;
use crate::qp::factor::Factor;
use crate::qp::working::{Side, Working};

/// A constraint is kept if it is violated by less than this times its length and its limit.
const KEPT: f64 = 1e-10;
/// A row that is shorter than this, relative to its scale, cannot be moved: what the level above has decided looks so.
const FLAT: f64 = 1e-8;
/// How far a row that cannot be moved may be violated, relative to its scale and its limit: what rounding does to it.
const SLIGHT: f64 = 1e-6;
/// Steps per variable and constraint; a tenth of them is seldom needed.
const STEPS_EACH: usize = 10;

/// What is to be smallest: ½ xᵀHx + gᵀx.
#[derive(Clone, Copy, Debug)]
pub struct Quadratic<'p> {
    /// H, of which the lower triangle counts.
    pub hessian: &'p Rows,
    /// g.
    pub gradient: &'p [f64],
}

/// Memory of the method, made once; a solution allocates nothing.
#[derive(Clone, Debug)]
pub struct Solver {
    factor: Factor,
    x: Vec<f64>,
    unconstrained: Vec<f64>,
    /// The active constraints in the factor's order, their multipliers, and what they lacked at `unconstrained`.
    active: Vec<(usize, Side)>,
    multipliers: Vec<f64>,
    missing: Vec<f64>,
    is_active: Vec<bool>,
    values: Vec<f64>,
    normal: Vec<f64>,
    primal: Vec<f64>,
    dual: Vec<f64>,
    steps: usize,
}

/// A violated constraint.
#[derive(Clone, Copy)]
struct Violated {
    row: usize,
    side: Side,
    /// By how much it lacks its limit; negative.
    slack: f64,
}

impl Solver {
    /// Memory for so many variables and constraints.
    pub fn new(variables: usize, constraints: usize) -> Solver {
        let zeros = || vec![0.0; variables + 1];
        Solver {
            factor: Factor::new(variables),
            x: zeros(),
            unconstrained: zeros(),
            active: Vec::with_capacity(variables + 1),
            multipliers: zeros(),
            missing: zeros(),
            is_active: vec![false; constraints],
            values: vec![0.0; constraints],
            normal: zeros(),
            primal: zeros(),
            dual: zeros(),
            steps: 0,
        }
    }

    /// Solves, beginning with the constraints that were active the last time. They decide how long it takes, never what
    /// comes out. Afterwards `working` holds those that are active now.
    pub fn solve(
        &mut self,
        problem: &Quadratic<'_>,
        constraints: &mut impl Constraints,
        working: &mut Working,
    ) -> Result<(), QpError> {
        if let Some(variable) = problem.gradient.iter().position(|number| !number.is_finite()) {
            return Err(QpError::NotFinite { variable });
        }
        let is_warm = !working.active.is_empty();
        let mut outcome = self.attempt(problem, constraints, &working.active);
        if is_warm && outcome.is_err() {
            outcome = self.attempt(problem, constraints, &[]);
        }
        working.active.clear();
        outcome?;
        self.polish(problem, constraints);
        if let Some(variable) = self.x.iter().position(|number| !number.is_finite()) {
            return Err(QpError::NotFinite { variable });
        }
        working.active.extend_from_slice(&self.active);
        Ok(())
    }

    /// x.
    pub fn solution(&self) -> &[f64] {
        &self.x
    }

    /// For each active constraint in the order of [`Working::active`] its multiplier: H x + g = Σ ± multiplier · row,
    /// with plus for lower and minus for upper limits.
    pub fn multipliers(&self) -> &[f64] {
        &self.multipliers[..self.active.len()]
    }

    /// How many constraints were taken in or let go of.
    pub fn steps(&self) -> usize {
        self.steps
    }

    fn attempt(
        &mut self,
        problem: &Quadratic<'_>,
        constraints: &mut impl Constraints,
        known: &[(usize, Side)],
    ) -> Result<(), QpError> {
        self.steps = 0;
        self.begin(problem, constraints.count())?;
        self.adopt(constraints, known);
        let most = STEPS_EACH * (constraints.count() + self.x.len());
        for _ in 0..most {
            let Some(violated) = self.worst(constraints) else { return Ok(()) };
            self.take_in(constraints, violated, most)?;
        }
        let Some(Violated { row, slack, .. }) = self.worst(constraints) else { return Ok(()) };
        Err(QpError::TooManySteps { most, row, by: -slack })
    }

    fn begin(&mut self, problem: &Quadratic<'_>, constraints: usize) -> Result<(), QpError> {
        let n = problem.gradient.len();
        for vector in [&mut self.x, &mut self.unconstrained, &mut self.normal, &mut self.primal] {
            vector.resize(n, 0.0);
        }
        for vector in [&mut self.multipliers, &mut self.missing, &mut self.dual] {
            vector.resize(n + 1, 0.0);
        }
        self.active.clear();
        self.is_active.clear();
        self.is_active.resize(constraints, false);
        self.values.resize(constraints, 0.0);
        self.factor.begin(problem.hessian).map_err(|(variable, found)| QpError::NotConvex { variable, found })?;
        self.factor.unconstrained(problem.gradient, &mut self.unconstrained);
        self.x.copy_from_slice(&self.unconstrained);
        Ok(())
    }

    /// Makes the equalities and then the `known` constraints active at once, and those of them inactive again that pull
    /// the wrong way: what is left is a minimum over the active ones, which is all that the method needs to begin.
    fn adopt(&mut self, constraints: &mut impl Constraints, known: &[(usize, Side)]) {
        let count = constraints.count();
        for row in 0..count {
            if is_equality(constraints.range(row)) {
                self.adopt_one(constraints, row, Side::Lower);
            }
        }
        for &(row, side) in known {
            if row < count && !self.is_active[row] && side.limit(constraints.range(row)).is_finite() {
                self.adopt_one(constraints, row, side);
            }
        }
        loop {
            self.solve_active();
            let multipliers = self.multipliers[..self.active.len()].iter().enumerate();
            let wrong = multipliers.filter(|(place, value)| **value < 0.0 && self.may_drop(constraints, *place));
            let Some((place, _)) = wrong.min_by(|a, b| a.1.total_cmp(b.1)) else { return };
            self.drop(place);
        }
    }

    fn adopt_one(&mut self, constraints: &mut impl Constraints, row: usize, side: Side) {
        let is_flat = self.fetch(constraints, row, side);
        if !is_flat && self.active.len() < self.x.len() && self.factor.look_at(&self.normal).is_some() {
            self.missing[self.active.len()] =
                side.limit(constraints.range(row)) - dot(&self.normal, &self.unconstrained);
            self.add(row, side);
        }
    }

    /// x and the multipliers of the active constraints: w = R⁻ᵀ missing, x = unconstrained + J₁ w, u = R⁻¹ w.
    fn solve_active(&mut self) {
        let q = self.active.len();
        self.multipliers[..q].copy_from_slice(&self.missing[..q]);
        self.factor.solve_transposed(&mut self.multipliers);
        self.x.copy_from_slice(&self.unconstrained);
        self.factor.add_in_range(&self.multipliers, &mut self.x);
        self.factor.solve(&mut self.multipliers);
    }

    /// The constraint that is violated most, relative to its length.
    fn worst(&mut self, constraints: &mut impl Constraints) -> Option<Violated> {
        constraints.evaluate(&self.x, &mut self.values);
        let mut worst: Option<(Violated, f64)> = None;
        for (row, value) in self.values.iter().enumerate() {
            let range = constraints.range(row);
            for side in [Side::Lower, Side::Upper] {
                let limit = side.limit(range);
                let (slack, scale) = (side.sign() * value - limit, constraints.scale(row));
                let is_kept = slack >= -KEPT * (scale + limit.abs()) || self.is_active[row];
                let is_less = worst.is_some_and(|(_, by)| slack >= by * scale);
                if !is_kept && !is_less {
                    worst = Some((Violated { row, side, slack }, slack / scale));
                }
            }
        }
        worst.map(|(violated, _)| violated)
    }

    /// Steps until a violated constraint is active: as far as it wants, or until the multiplier of an active one is used
    /// up, which is let go of then.
    fn take_in(&mut self, constraints: &mut impl Constraints, violated: Violated, most: usize) -> Result<(), QpError> {
        let Violated { row, side, mut slack } = violated;
        let (first, limit) = (slack, side.limit(constraints.range(row)));
        let is_flat = self.fetch(constraints, row, side);
        if is_flat && -slack <= SLIGHT * (constraints.scale(row) + limit.abs()) {
            // nothing to be done and nothing to be said: not looked at again
            self.is_active[row] = true;
            return Ok(());
        }
        let mut multiplier = 0.0;
        while self.steps < most {
            let moves = self.factor.look_at(&self.normal).filter(|_| self.active.len() < self.x.len());
            self.factor.dual_direction(&mut self.dual);
            let blocked = self.first_used_up(constraints);
            let full = moves.map_or(f64::INFINITY, |moves| -slack / moves);
            let partial = blocked.map_or(f64::INFINITY, |(_, step)| step);
            let step = full.min(partial);
            if step.is_infinite() {
                return Err(QpError::Infeasible { row, by: -slack });
            }
            let q = self.active.len();
            add_scaled(&mut self.multipliers[..q], -step, &self.dual[..q]);
            multiplier += step;
            if moves.is_some() {
                self.factor.primal_direction(&mut self.primal);
                add_scaled(&mut self.x, step, &self.primal);
                slack = dot(&self.normal, &self.x) - limit;
            }
            match blocked {
                Some((place, _)) if partial < full => self.drop(place),
                _ => {
                    self.multipliers[q] = multiplier;
                    self.missing[q] = limit - dot(&self.normal, &self.unconstrained);
                    self.add(row, side);
                    return Ok(());
                }
            }
        }
        Err(QpError::TooManySteps { most, row, by: -first })
    }

    /// Gets a row, turned so that its limit is a lower one. Is there nothing of it left that could be moved?
    fn fetch(&mut self, constraints: &mut impl Constraints, row: usize, side: Side) -> bool {
        constraints.normal(row, &mut self.normal);
        self.normal.iter_mut().for_each(|number| *number *= side.sign());
        norm(&self.normal) <= FLAT * constraints.scale(row)
    }

    /// The active constraint whose multiplier is used up first, and after what step.
    fn first_used_up(&self, constraints: &impl Constraints) -> Option<(usize, f64)> {
        let falls =
            (0..self.active.len()).filter(|place| self.dual[*place] > 0.0 && self.may_drop(constraints, *place));
        let steps = falls.map(|place| (place, self.multipliers[place].max(0.0) / self.dual[place]));
        steps.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    fn may_drop(&self, constraints: &impl Constraints, place: usize) -> bool {
        !is_equality(constraints.range(self.active[place].0))
    }

    fn add(&mut self, row: usize, side: Side) {
        self.factor.add();
        self.active.push((row, side));
        self.is_active[row] = true;
        self.steps += 1;
    }

    fn drop(&mut self, place: usize) {
        let q = self.active.len();
        self.factor.drop(place);
        let (row, _) = self.active.remove(place);
        self.is_active[row] = false;
        self.multipliers.copy_within(place + 1..q, place);
        self.missing.copy_within(place + 1..q, place);
        self.steps += 1;
    }

    /// Takes what rounding left out of the active constraints, and computes the multipliers anew.
    fn polish(&mut self, problem: &Quadratic<'_>, constraints: &mut impl Constraints) {
        let q = self.active.len();
        constraints.evaluate(&self.x, &mut self.values);
        for (place, (row, side)) in self.active.iter().enumerate() {
            self.dual[place] = side.limit(constraints.range(*row)) - side.sign() * self.values[*row];
        }
        self.factor.solve_transposed(&mut self.dual);
        self.factor.add_in_range(&self.dual, &mut self.x);
        slope(problem, &self.x, &mut self.primal);
        self.factor.in_range(&self.primal, &mut self.multipliers[..q]);
        self.factor.solve(&mut self.multipliers);
    }
}

fn is_equality((lower, upper): (f64, f64)) -> bool {
    lower == upper
}

/// H x + g, from H's lower triangle.
fn slope(problem: &Quadratic<'_>, x: &[f64], slope: &mut [f64]) {
    slope.copy_from_slice(problem.gradient);
    for i in 0..x.len() {
        let row = &problem.hessian.row(i)[..=i];
        slope[i] += dot(row, x);
        add_scaled(&mut slope[..i], x[i], &row[..i]);
    }
}
