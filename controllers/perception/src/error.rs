//! What can be wrong with what perception is given.

use robot_io::SettingError;
use thiserror::Error;

/// Why perception cannot begin, or cannot use a picture.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PerceptionError {
    /// A file of colour classes or object models has a mistake.
    #[error(transparent)]
    File(#[from] page::Fault),
    /// A setting makes no sense.
    #[error("perception: {0}")]
    Setting(#[from] SettingError),
    /// A picture is not of the size that its camera has.
    #[error("perception: the picture of the {camera} camera: expected {expected} pixels, found {found}")]
    Picture {
        /// Which camera: colour or depth.
        camera: &'static str,
        /// Pixels of its intrinsics.
        expected: usize,
        /// Pixels of the picture.
        found: usize,
    },
    /// What was observed does not tell what is to be calibrated.
    #[error(
        "perception: calibration of {parameter}: expected a standard deviation of at most {expected}, found {found:.6}; turn the hand and the camera about more axes, and move them"
    )]
    NotDetermined {
        /// What is known worst, with its unit.
        parameter: &'static str,
        /// Largest standard deviation that is allowed.
        expected: f64,
        /// That found; infinite if nothing is known.
        found: f64,
    },
    /// Something that is given in numbers makes no sense.
    #[error("perception: {field}: expected {expected}, found {found}")]
    Value {
        /// What it is.
        field: String,
        /// What would do.
        expected: String,
        /// What it is.
        found: String,
    },
}

impl PerceptionError {
    /// A value that is refused.
    pub(crate) fn value(field: impl Into<String>, expected: impl Into<String>, found: impl ToString) -> Self {
        PerceptionError::Value { field: field.into(), expected: expected.into(), found: found.to_string() }
    }
}
