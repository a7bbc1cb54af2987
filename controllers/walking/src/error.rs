//! Why a plan of footsteps or a setting is refused.

/// What is wrong with it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WalkingError {
    /// A footstep that cannot be taken.
    #[error("step {step}: {field}: expected {expected}, found {found}")]
    Step {
        /// Its number in the plan, from 0.
        step: usize,
        /// Which of its figures, with its unit.
        field: &'static str,
        /// What would be taken.
        expected: String,
        /// What the plan says.
        found: String,
    },
    /// A path that leads nowhere.
    #[error("path: expected a goal within {most} steps, found it farther off")]
    Path {
        /// The longest plan that is made.
        most: usize,
    },
    /// A setting that makes no sense.
    #[error("walking: {0}")]
    Setting(#[from] robot_io::SettingError),
}
