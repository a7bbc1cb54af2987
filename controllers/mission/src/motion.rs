//! Motions: what the whole body does for a while, phase by phase, as lists of tasks.
//!
//! ```
//! let motion = mission::Motion::parse(r#"
//!     frame = "feet"
//!
//!     [[phases]]
//!     seconds = 2.0
//!     hold = 1.0
//!
//!     [[phases.tasks]]
//!     name = "low"
//!     center_of_mass = { position = [0.0, 0.0, 0.9], axes = "z" }
//!
//!     [[phases.tasks]]
//!     name = "reach"
//!     pose = { link = "left_hand", position = [0.45, 0.25, 0.9], roll_pitch_yaw = [0.0, 0.0, 0.0] }
//! "#, "squat.toml")?;
//! assert_eq!(motion.phases[0].tasks.len(), 2);
//! # Ok::<(), mission::MissionError>(())
//! ```

mod file;
mod step;

use whole_body::Task;

use crate::progress::Remaining;
pub use step::MotionStep;

/// What the whole body does for a while. What its last phase wants is held when it is over, until another motion or a pose begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// The frame of all places and attitudes in it.
    pub frame: MotionFrame,
    /// One after the other.
    pub phases: Vec<Phase>,
    /// How near each link must come in the end to where it shall be [m].
    pub within: f64,
    /// How well turned it must be then [rad].
    pub turned_within: f64,
    /// Where it was read, for messages.
    pub file: String,
}

/// A frame in which a motion is given. All have z upwards and x ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MotionFrame {
    /// On the ground between the feet, as they stand when the motion begins.
    #[default]
    Feet,
    /// The base, and goes along with it.
    Base,
    /// The odometry frame: where the base was when the controller began.
    Odometry,
}

/// A part of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// How long it takes to get there [s]; longer where that would be too fast.
    pub seconds: f64,
    /// For how long it stays there [s].
    pub hold: f64,
    /// What is wanted. What an earlier phase wanted of something that is not named here is wanted no more.
    pub tasks: Vec<PhaseTask>,
}

/// A task of a phase.
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseTask {
    /// What is wanted; a link may be named by its end effector.
    pub task: Task,
    /// The line of its table, from 1.
    pub line: usize,
}

/// Finds a motion file by its name: the path to show and the text, or why it cannot.
pub type MotionFiles<'a> = dyn FnMut(&str) -> Result<(String, String), String> + 'a;

/// How far a motion has got.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum MotionProgress {
    /// There is none, or it has just begun.
    #[default]
    Begun,
    /// So much is left.
    Left(Remaining),
    /// It is over, and everything is where it shall be.
    Done,
    /// It is over, and something does not come to where it shall be.
    Failed,
}
