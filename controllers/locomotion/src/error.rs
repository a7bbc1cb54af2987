//! Why a robot cannot drive.

/// What is wrong with a robot or its settings, from the driver's point of view.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LocomotionError {
    /// The robot lacks something without which it cannot drive.
    #[error("robot \"{robot}\": expected {expected}, found {found}")]
    Lacks {
        /// The robot.
        robot: String,
        /// What is needed.
        expected: String,
        /// What there is.
        found: String,
    },
    /// A leg is built in a way that the leg kinematics does not know.
    #[error("leg \"{leg}\": {what}: expected {expected}, found {found}")]
    Leg {
        /// The limb's name.
        leg: String,
        /// Which joint or figure.
        what: String,
        /// What is needed.
        expected: String,
        /// What there is.
        found: String,
    },
    /// Model and layout are not of the same robot.
    #[error("joint {index}: expected \"{expected}\" as in the model, found \"{found}\" in the layout")]
    Layout {
        /// Its place in the list.
        index: usize,
        /// The model's name.
        expected: String,
        /// The layout's name.
        found: String,
    },
    /// A setting that makes no sense.
    #[error("locomotion setting {field}: expected {expected}, found {found}")]
    Setting {
        /// The field.
        field: &'static str,
        /// What would make sense.
        expected: String,
        /// What is there.
        found: String,
    },
}

/// Refuses the first field that is not finite or not as `good` says.
pub(crate) fn check_all(
    fields: &[(&'static str, f64)],
    expected: &str,
    good: impl Fn(f64) -> bool,
) -> Result<(), LocomotionError> {
    match fields.iter().find(|(_, value)| !(value.is_finite() && good(*value))) {
        Some(&(field, value)) => {
            Err(LocomotionError::Setting { field, expected: expected.to_owned(), found: value.to_string() })
        }
        None => Ok(()),
    }
}
