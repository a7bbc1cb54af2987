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

impl NavigationError {
    /// Refuses the first setting that is not a positive number.
    pub(crate) fn check_positive(fields: &[(&'static str, f64)]) -> Result<(), NavigationError> {
        check_all(fields, "a positive number", |value| value > 0.0)
    }

    /// Refuses the first setting that is not a number from zero up.
    pub(crate) fn check_not_negative(fields: &[(&'static str, f64)]) -> Result<(), NavigationError> {
        check_all(fields, "zero or a positive number", |value| value >= 0.0)
    }

    /// Refuses the first setting that is not a share.
    pub(crate) fn check_share(fields: &[(&'static str, f64)]) -> Result<(), NavigationError> {
        check_all(fields, "0 to 1", |value| (0.0..=1.0).contains(&value))
    }
}

/// Refuses the first field that is no number or not as it should be.
pub(crate) fn check_all(
    fields: &[(&'static str, f64)],
    expected: &'static str,
    fits: impl Fn(f64) -> bool,
) -> Result<(), NavigationError> {
    match fields.iter().find(|(_, value)| !(value.is_finite() && fits(*value))) {
        Some(&(field, found)) => Err(NavigationError::Setting { field, expected, found }),
        None => Ok(()),
    }
}
