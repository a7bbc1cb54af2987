//! What can be wrong with navigation before it runs.

use thiserror::Error;

/// Why navigation cannot begin.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum NavigationError {
    /// The robot lacks something that navigation needs.
    #[error("navigation: expected {expected}, found {found}")]
    Robot {
        /// What it should have.
        expected: String,
        /// What it has.
        found: String,
    },
    /// A setting makes no sense.
    #[error("navigation: {field}: expected {expected}, found {found}")]
    Setting {
        /// Which setting, with its unit.
        field: &'static str,
        /// What would do.
        expected: &'static str,
        /// What it is.
        found: f64,
    },
}
