//! What can be wrong with a mapping system before it runs.

use robot_io::SettingError;
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
    #[error("slam: {0}")]
    Setting(#[from] SettingError),
}
