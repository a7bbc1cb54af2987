//! What can be wrong with navigation before it runs.

use robot_io::SettingError;
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
    #[error("navigation: {0}")]
    Setting(#[from] SettingError),
}
