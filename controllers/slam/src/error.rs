//! What can be wrong with a mapping system before it runs.

use thiserror::Error;

/// Why mapping cannot begin.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SlamError {
    /// The robot lacks something that mapping needs.
    #[error("slam: expected {expected}, found {found}")]
    Robot {
        /// What it should have.
        expected: String,
        /// What it has.
        found: String,
    },
    /// A setting makes no sense.
    #[error("slam: {field}: expected {expected}, found {found}")]
    Setting {
        /// Which setting, with its unit.
        field: &'static str,
        /// What would do.
        expected: &'static str,
        /// What it is.
        found: f64,
    },
}

/// Refuses the first number that is not positive, by its name.
pub(crate) fn check_positive(fields: &[(&'static str, f64)]) -> Result<(), SlamError> {
    match fields.iter().find(|(_, value)| !(value.is_finite() && *value > 0.0)) {
        Some(&(field, found)) => Err(SlamError::Setting { field, expected: "a positive number", found }),
        None => Ok(()),
    }
}
