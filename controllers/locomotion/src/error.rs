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
    #[error("locomotion: {0}")]
    Setting(#[from] robot_io::SettingError),
}
