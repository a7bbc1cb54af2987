//! What can be wrong.

use crate::hierarchy::HierarchyError;

/// Why a motion is refused or a cycle has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WholeBodyError {
    /// The text is no list of tasks.
    #[error(transparent)]
    File(#[from] page::Fault),
    /// A setting is out of its bounds.
    #[error(transparent)]
    Setting(#[from] robot_io::SettingError),
    /// A task, a contact or a state makes no sense.
    #[error("{part}: {field}: expected {expected}, found {found}")]
    Refused {
        /// Whose field: `task "balance"`.
        part: String,
        /// The field.
        field: &'static str,
        /// What would do.
        expected: String,
        /// What was there.
        found: String,
    },
    /// Something that must hold cannot hold in this state.
    #[error("{what} cannot be met: it is missed by {by}")]
    Impossible {
        /// What must hold.
        what: String,
        /// By how much it is missed, in the solver's units.
        by: f64,
    },
    /// The solver came to no end.
    #[error(transparent)]
    Solver(#[from] HierarchyError),
}

impl WholeBodyError {
    /// A field that makes no sense.
    pub(crate) fn refused(part: &str, field: &'static str, expected: impl ToString, found: impl ToString) -> Self {
        let (expected, found) = (expected.to_string(), found.to_string());
        WholeBodyError::Refused { part: part.to_owned(), field, expected, found }
    }
}

/// A number between two others, or why not.
pub(crate) fn check_number(
    part: &str,
    field: &'static str,
    (low, high): (f64, f64),
    unit: &str,
    found: f64,
) -> Result<(), WholeBodyError> {
    if found >= low && found <= high {
        return Ok(());
    }
    Err(WholeBodyError::refused(part, field, format!("a number from {low} to {high} [{unit}]"), found))
}
