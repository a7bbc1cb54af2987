//! Why there can be no estimate.

/// What is wrong with a robot, from the estimator's point of view.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EstimationError {
    /// The robot lacks something without which nothing can be estimated.
    #[error("robot \"{robot}\": expected {expected}, found {found}")]
    Lacks {
        /// The robot.
        robot: String,
        /// What is needed.
        expected: &'static str,
        /// How many there are.
        found: usize,
    },
    /// Model and layout are not of the same robot.
    #[error("{what} {index}: expected \"{expected}\" as in the model, found \"{found}\" in the layout")]
    Layout {
        /// What kind of entry, for example `joint`.
        what: &'static str,
        /// Its place in the list.
        index: usize,
        /// The model's name.
        expected: String,
        /// The layout's name.
        found: String,
    },
    /// A setting that makes no sense.
    #[error("odometry: {0}")]
    Setting(#[from] robot_io::SettingError),
}
