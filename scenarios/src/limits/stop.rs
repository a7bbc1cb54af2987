//! Why the drawing of a map ends before it is whole.

use crate::ScenarioError;

/// Why there is no map.
#[derive(Debug)]
pub enum Stop {
    /// Somebody pressed Ctrl-C.
    Interrupted,
    /// A run cannot be made.
    Error(ScenarioError),
}

impl From<ScenarioError> for Stop {
    fn from(error: ScenarioError) -> Stop {
        Stop::Error(error)
    }
}
