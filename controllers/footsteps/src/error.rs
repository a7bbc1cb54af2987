//! Why a question, a change or a map is refused.

use crate::refusal::Refusal;

/// What is wrong with it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FootstepError {
    /// A step that cannot be taken.
    #[error("step {step}: {refusal}")]
    Step {
        /// Its number in the plan, from 0.
        step: usize,
        /// What is in the way.
        refusal: Refusal,
    },
    /// A number of a step that the plan does not have, or that is walked already.
    #[error("step {step}: number: expected {first} to {last}, found {step}")]
    Number {
        /// The number that was given.
        step: usize,
        /// The first that may be changed.
        first: usize,
        /// The last one.
        last: usize,
    },
    /// A plan that does not begin where the other one ends.
    #[error("stitch: {field}: expected at most {most}, found {found:.4}")]
    Stitch {
        /// What lies apart, with its unit.
        field: &'static str,
        /// How far it may.
        most: f64,
        /// How far it does.
        found: f64,
    },
    /// A map that is no ground to plan on.
    #[error("terrain: {field}: expected {expected}, found {found}")]
    Terrain {
        /// Which of its figures, with its unit.
        field: &'static str,
        /// What would do.
        expected: String,
        /// What it has.
        found: String,
    },
    /// A robot that does not stand on two feet.
    #[error("robot: {field}: expected {expected}, found {found}")]
    Robot {
        /// What of it, with its unit.
        field: &'static str,
        /// What would do.
        expected: String,
        /// What it has.
        found: String,
    },
    /// A setting that makes no sense.
    #[error("footsteps: {0}")]
    Setting(#[from] robot_io::SettingError),
}
