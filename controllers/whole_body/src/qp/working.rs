//! Which constraints hold with equality.

use robot_io::{State, StateVisitor};

/// More active constraints than these are none: a broken snapshot must not exhaust the memory.
const MOST: usize = 1 << 20;

/// Which limit of a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The lower one.
    Lower,
    /// The upper one.
    Upper,
}

/// The active constraints of a solution: what the caller keeps for the next one.
#[derive(Clone, Debug, Default)]
pub struct Working {
    pub(crate) active: Vec<(usize, Side)>,
}

impl Working {
    /// Memory for that many active constraints, which are as many as there are variables at most.
    pub fn new(variables: usize) -> Working {
        Working { active: Vec::with_capacity(variables) }
    }

    /// The active constraints and their sides, in the order in which they became active.
    pub fn active(&self) -> &[(usize, Side)] {
        &self.active
    }

    /// Forgets all, as for a problem with other constraints.
    pub fn clear(&mut self) {
        self.active.clear();
    }
}

impl State for Working {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let mut length = self.active.len();
        length.visit_state(visitor);
        if length <= MOST {
            self.active.resize(length, (0, Side::Lower));
        }
        for (row, side) in &mut self.active {
            let mut is_upper = *side == Side::Upper;
            row.visit_state(visitor);
            is_upper.visit_state(visitor);
            *side = if is_upper { Side::Upper } else { Side::Lower };
        }
    }
}

impl Side {
    /// What the row is multiplied with so that its limit is a lower one.
    pub(crate) fn sign(self) -> f64 {
        match self {
            Side::Lower => 1.0,
            Side::Upper => -1.0,
        }
    }

    /// The limit on this side, of the row times the sign.
    pub(crate) fn limit(self, (lower, upper): (f64, f64)) -> f64 {
        match self {
            Side::Lower => lower,
            Side::Upper => -upper,
        }
    }
}
