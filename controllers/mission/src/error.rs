//! What can be wrong with a mission.

use robot_io::Period;

/// Why a mission cannot be read or carried out.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MissionError {
    /// The text is no mission file, or it can be read but makes no sense.
    #[error(transparent)]
    File(#[from] page::Fault),
    /// A step names a pose that the robot does not have.
    #[error("step {step}: expected one of the poses {known} of robot '{robot}', found '{pose}'")]
    UnknownPose {
        /// The step, counted from 1.
        step: usize,
        /// The name asked for.
        pose: String,
        /// The robot.
        robot: String,
        /// The names it has.
        known: String,
    },
    /// A setting that makes no sense.
    #[error(transparent)]
    Setting(#[from] robot_io::SettingError),
    /// A skill cannot run more often than the control cycle.
    #[error("skill '{skill}': expected an interval of at least the control cycle of {cycle}, found {interval}")]
    Rate {
        /// The skill.
        skill: &'static str,
        /// The control cycle.
        cycle: Period,
        /// The interval asked for.
        interval: Period,
    },
    /// More steps than the mission has room for.
    #[error("a mission holds {expected} steps at most, this would be {found}")]
    TooManySteps {
        /// The room there is.
        expected: usize,
        /// The steps there would be.
        found: usize,
    },
    /// Steps that come in while the mission runs name a skill or are a motion.
    #[error(
        "expected goto, wait, stance, pose or explore in a step that comes in while the mission runs, found '{name}'"
    )]
    LateSkill {
        /// The skill, or what kind of motion.
        name: String,
    },
    /// A skill is called as something is that every mission can do.
    #[error(
        "expected a name for a skill that is none of goto, wait, stance, pose, explore, reach and motion, found '{name}'"
    )]
    TakenName {
        /// The name.
        name: String,
    },
    /// A skill refuses the robot.
    #[error("{skill}: {message}")]
    Skill {
        /// The skill.
        skill: &'static str,
        /// Its own message.
        message: String,
    },
}
