//! What can be wrong with a question.

/// Why something is refused before anything is computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ManipulationError {
    /// A field makes no sense.
    #[error("{part}: {field}: expected {expected}, found {found}")]
    Refused {
        /// Whose field: `object "cup"`.
        part: String,
        /// The field.
        field: &'static str,
        /// What would do.
        expected: String,
        /// What was there.
        found: String,
    },
}

impl ManipulationError {
    /// A field that makes no sense.
    pub(crate) fn refused(part: &str, field: &'static str, expected: impl ToString, found: impl ToString) -> Self {
        let (expected, found) = (expected.to_string(), found.to_string());
        ManipulationError::Refused { part: part.to_owned(), field, expected, found }
    }
}

/// A number between two others, or why not.
pub(crate) fn check_number(
    part: &str,
    field: &'static str,
    (low, high): (f64, f64),
    unit: &str,
    found: f64,
) -> Result<(), ManipulationError> {
    if found >= low && found <= high {
        return Ok(());
    }
    Err(ManipulationError::refused(part, field, format!("a number from {low} to {high} [{unit}]"), found))
}

/// A list with one finite number for each of so many, or why not.
pub(crate) fn check_numbers(
    part: &str,
    field: &'static str,
    expected: usize,
    found: &[f64],
) -> Result<(), ManipulationError> {
    if found.len() != expected {
        return Err(ManipulationError::refused(part, field, format!("{expected} numbers"), found.len()));
    }
    match found.iter().find(|number| !number.is_finite()) {
        Some(number) => Err(ManipulationError::refused(part, field, "finite numbers", number)),
        None => Ok(()),
    }
}
