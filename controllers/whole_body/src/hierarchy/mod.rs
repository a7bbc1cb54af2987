//! Levels of tasks in strict priority.
//!
//! Level by level ½‖A x − b‖² is minimised under the same equalities and limits, among the points that leave the levels
//! above as they are, in the spirit of A. Escande, N. Mansard and P.-B. Wieber, "Hierarchical quadratic programming: fast
//! online humanoid-robot motion generation", Int. J. of Robotics Research 33 (2014). Since the minimum has one A x only,
//! going on in the null space of A gives the lexicographic optimum, limits included.

mod coordinates;
mod mapped;
mod problem;

use robot_io::{State, StateVisitor};

use crate::dense::{Rows, add_scaled, dot, norm};
use crate::qp::{Constraints, QpError, Quadratic, Solver, Working};
use coordinates::Coordinates;
use mapped::Mapped;
pub use problem::{Level, Problem};

/// How far rows that depend on others may be from what those say, relative to the row's target.
const CONSISTENT: f64 = 1e-8;

/// Why the levels have no answer.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum HierarchyError {
    /// Two equalities want different things.
    #[error("equality {row} contradicts others, by {by}")]
    Contradiction {
        /// The equality.
        row: usize,
        /// By how much it is missed.
        by: f64,
    },
    /// The program of a level has no answer.
    #[error("level {level}: {error}")]
    Level {
        /// The level, from 0.
        level: usize,
        /// Why not.
        error: QpError,
    },
}

/// The solver and its memory. It keeps the active limits of each level for the next call.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    coordinates: Coordinates,
    solver: Solver,
    working: Vec<Working>,
    level: Level,
    order: Vec<usize>,
    hessian: Rows,
    gradient: Vec<f64>,
    offsets: Vec<f64>,
    reached: Vec<f64>,
    x: Vec<f64>,
    scratch: Vec<f64>,
    damping: f64,
    steps: usize,
}

impl State for Hierarchy {
    /// What was active decides how the next solution is rounded.
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        self.working.as_mut_slice().visit_state(visitor);
    }
}

impl Hierarchy {
    /// Memory for so many variables, limits (bounds and rows) and rows of one level.
    ///
    /// `damping` is what a level's singular values are measured by, relative to its longest row: those that are much
    /// smaller than it are not pursued.
    pub fn new(variables: usize, limits: usize, levels: usize, rows: usize, damping: f64) -> Hierarchy {
        Hierarchy {
            coordinates: Coordinates::new(variables),
            solver: Solver::new(variables, limits),
            working: (0..levels.max(1)).map(|_| Working::new(variables)).collect(),
            level: Level::new(rows, variables),
            order: Vec::with_capacity(rows),
            hessian: Rows::new(variables, variables),
            gradient: vec![0.0; variables],
            offsets: vec![0.0; limits],
            reached: vec![0.0; limits],
            x: vec![0.0; variables],
            scratch: vec![0.0; variables],
            damping,
            steps: 0,
        }
    }

    /// x, by [`solve`](Hierarchy::solve).
    pub fn solution(&self) -> &[f64] {
        &self.x
    }

    /// How many limits became active or inactive in the last call.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Forgets which limits were active: to be called where they get other numbers.
    pub fn forget(&mut self) {
        self.working.iter_mut().for_each(Working::clear);
    }

    /// Solves level after level.
    pub fn solve(&mut self, problem: &mut Problem) -> Result<(), HierarchyError> {
        self.begin(problem);
        self.decide_equalities(&problem.equalities)?;
        let last = problem.levels.iter().rposition(|level| !level.rows.is_empty()).unwrap_or(0);
        let mut is_first = true;
        for number in 0..=last {
            let wanted = problem.levels.get(number);
            if number < last && wanted.is_none_or(|level| level.rows.is_empty()) {
                continue;
            }
            self.load(wanted);
            self.weigh();
            self.solve_level(problem, number, is_first)?;
            if number < last {
                self.coordinates.decide(&mut self.level.rows, &mut self.order);
            }
            is_first = false;
        }
        self.coordinates.point(&mut self.x);
        Ok(())
    }

    fn begin(&mut self, problem: &Problem) {
        self.steps = 0;
        let levels = problem.levels.len().max(self.working.len());
        self.working.resize_with(levels, Working::default);
        self.coordinates.begin(problem.variables);
        self.x.resize(problem.variables, 0.0);
        self.scratch.resize(problem.variables, 0.0);
        self.offsets.resize(problem.limits.count(), 0.0);
        self.reached.resize(problem.limits.count(), 0.0);
    }

    fn decide_equalities(&mut self, equalities: &Level) -> Result<(), HierarchyError> {
        self.level.begin(self.x.len());
        for row in 0..equalities.rows.len() {
            self.level.rows.push().copy_from_slice(equalities.rows.row(row));
        }
        let rank = self.coordinates.decide(&mut self.level.rows, &mut self.order);
        self.coordinates.substitute(&self.level.rows, &self.order[..rank], &equalities.targets);
        for row in &self.order[rank..] {
            let missed = equalities.targets[*row] - dot(self.level.rows.row(*row), self.coordinates.decided_values());
            if missed.abs() > CONSISTENT * (1.0 + equalities.targets[*row].abs()) {
                return Err(HierarchyError::Contradiction { row: *row, by: missed.abs() });
            }
        }
        Ok(())
    }

    /// The level's rows over y, and what is left of its targets for the free coordinates.
    fn load(&mut self, wanted: Option<&Level>) {
        self.level.begin(self.x.len());
        let Some(wanted) = wanted else { return };
        self.level.damping = wanted.damping;
        for (number, target) in wanted.targets.iter().enumerate() {
            let row = self.level.rows.push();
            row.copy_from_slice(wanted.rows.row(number));
            self.coordinates.rotate(row);
            self.level.targets.push(target - dot(row, self.coordinates.decided_values()));
        }
    }

    /// H = AᵀA and damping, g = −Aᵀb, over the free coordinates.
    fn weigh(&mut self) {
        let decided = self.coordinates.decided();
        let free = self.x.len() - decided;
        self.hessian.reset(free, free);
        self.gradient.resize(free, 0.0);
        self.gradient.fill(0.0);
        for (number, target) in self.level.targets.iter().enumerate() {
            let row = &self.level.rows.row(number)[decided..];
            for (i, entry) in row.iter().enumerate() {
                add_scaled(&mut self.hessian.row_mut(i)[..=i], *entry, &row[..=i]);
            }
            add_scaled(&mut self.gradient, -target, row);
        }
        // relative to whole rows: of what is decided only rounding is left in the free coordinates
        let longest = (0..self.level.targets.len()).map(|number| norm(self.level.rows.row(number))).fold(0.0, f64::max);
        let damping = if longest > 0.0 { (self.damping * longest).powi(2) } else { 1.0 };
        (0..free).for_each(|i| self.hessian.row_mut(i)[i] += damping + self.level.damping);
    }

    fn solve_level(&mut self, problem: &mut Problem, number: usize, is_first: bool) -> Result<(), HierarchyError> {
        if !is_first {
            self.coordinates.point(&mut self.scratch);
            problem.limits.evaluate(&self.scratch, &mut self.reached);
            self.coordinates.free_values_mut().fill(0.0);
        }
        self.coordinates.point(&mut self.scratch);
        problem.limits.evaluate(&self.scratch, &mut self.offsets);
        let mut mapped = Mapped {
            limits: &mut problem.limits,
            coordinates: &self.coordinates,
            offsets: &self.offsets,
            reached: (!is_first).then_some(&self.reached),
            x: &mut self.scratch,
        };
        let quadratic = Quadratic { hessian: &self.hessian, gradient: &self.gradient };
        let outcome = self.solver.solve(&quadratic, &mut mapped, &mut self.working[number]);
        self.steps += self.solver.steps();
        outcome.map_err(|error| HierarchyError::Level { level: number, error })?;
        self.coordinates.free_values_mut().copy_from_slice(self.solver.solution());
        Ok(())
    }
}
