//! What can be wrong with hands and eyes before they begin.

use manipulation::{ManipulationError, PlanError};
use perception::PerceptionError;

/// Why there can be no such eyes or hands.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HandlingError {
    /// A name that nobody has.
    #[error("{field}: expected one of {known}, found '{found}'")]
    Name {
        /// What should have the name.
        field: &'static str,
        /// All names.
        known: String,
        /// What was asked for.
        found: String,
    },
    /// A name that is too long to travel through a real-time thread.
    #[error("{field}: expected a name of at most {most} bytes, found '{found}'")]
    LongName {
        /// What should have the name.
        field: &'static str,
        /// The most bytes.
        most: usize,
        /// What was asked for.
        found: String,
    },
    /// The robot lacks something.
    #[error("robot '{robot}': expected {expected}, found {found}")]
    Robot {
        /// Its name.
        robot: String,
        /// What would do.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// Arms, or what is around them.
    #[error(transparent)]
    Manipulation(#[from] ManipulationError),
    /// Models of objects, or settings of recognition.
    #[error(transparent)]
    Perception(#[from] PerceptionError),
    /// Settings of the planner.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

impl HandlingError {
    pub(crate) fn name(field: &'static str, known: impl Iterator<Item = String>, found: &str) -> HandlingError {
        let known: Vec<String> = known.collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        HandlingError::Name { field, known, found: found.to_owned() }
    }
}
