//! What is wanted, most important first, and what must hold.

use crate::dense::Rows;
use crate::qp::Limits;

/// Rows with the values they are to have.
#[derive(Clone, Debug, Default)]
pub struct Level {
    /// A, each row times the root of its weight.
    pub rows: Rows,
    /// b, each number times the root of its weight.
    pub targets: Vec<f64>,
    /// What is added to the diagonal of AᵀA beside the hierarchy's own damping.
    pub damping: f64,
}

/// Levels of A x = b in strict priority, under equalities and limits that hold on all levels.
#[derive(Clone, Debug)]
pub struct Problem {
    /// How many variables there are.
    pub variables: usize,
    /// What must hold.
    pub equalities: Level,
    /// What is wanted as nearly as can be, most important first.
    pub levels: Vec<Level>,
    /// What must not be exceeded.
    pub limits: Limits,
}

impl Level {
    /// Memory for that many rows.
    pub fn new(most: usize, variables: usize) -> Level {
        Level { rows: Rows::new(most, variables), targets: Vec::with_capacity(most), damping: 0.0 }
    }

    /// Forgets all rows.
    pub fn begin(&mut self, variables: usize) {
        self.rows.reset(0, variables);
        self.targets.clear();
        self.damping = 0.0;
    }

    /// One more row, all zero, with its target.
    pub fn push(&mut self, target: f64) -> &mut [f64] {
        self.targets.push(target);
        self.rows.push()
    }
}

impl Problem {
    /// Forgets everything; there are so many variables now.
    pub fn begin(&mut self, variables: usize) {
        self.variables = variables;
        self.equalities.begin(variables);
        self.levels.iter_mut().for_each(|level| level.begin(variables));
        self.limits.begin(variables);
    }
}
