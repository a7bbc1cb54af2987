//! Skills: what a robot can be told to do, by name, until it is done.
//!
//! A step of a mission names a skill and says what it shall do: `wave = { joint = "left_arm_elbow_pitch", times = 3 }`. [`Skills`] knows
//! how each is made, a [`Skill`] does it cycle by cycle, and the mission watches its progress as it watches that of every step: what
//! stalls or fails is tried again, then skipped, or the mission stops, as its `progress` says.

mod base;
mod context;
mod ends;
mod reach;
mod registry;
mod runner;
mod setup;
mod standard;
mod step;
mod worker;

use robot_io::State;
use runtime::chart::Value;

use crate::progress::Remaining;

pub use context::SkillContext;
pub use ends::Ends;
pub use registry::Skills;
pub use setup::{SkillJoint, SkillRefusal, SkillSetup};
pub use step::SkillStep;

pub(crate) use ends::AllEnds;
pub(crate) use reach::Reach;
pub(crate) use registry::FAILED as OUTCOME_FAILED;
pub(crate) use runner::{SkillRunner, Wishes};
pub(crate) use worker::{Loan, Progress, Worker};

/// How the event begins in which a skill says why it has failed.
pub const FAILED: &str = "failed: ";
/// The event of a step that is left out because its skill has failed once too often.
pub const SKIPPED_AFTER_FAILURE: &str = "skipped after a failure";
/// The event of a mission that has stopped because a skill has failed once too often.
pub const STOPPED_BY_FAILURE: &str = "stopped: its skill has failed";

/// Something that a robot can do.
///
/// What it remembers is its [`State`]: digest, snapshot, replay and fork come from it. It has no clock, no file and no thread of its
/// own; time is [`SkillContext::elapsed`].
pub trait Skill: State + core::fmt::Debug + Send {
    /// Begins, and begins again when it is tried once more. [`update`](Skill::update) follows in the same cycle.
    fn start(&mut self, context: &mut SkillContext<'_>);

    /// One control cycle. While the mission is paused, stopped or driven by hand it is not called: the joints that the skill has
    /// moved hold where they were last told to be, the base stands, and [`SkillContext::elapsed`] stands still.
    fn update(&mut self, context: &mut SkillContext<'_>) -> Feedback;
}

/// How far a skill has got.
#[derive(Clone, Debug, PartialEq)]
pub enum Feedback {
    /// So much is left. Where none of the three numbers gets better for the mission's `stall_time`, the skill has stalled.
    Left(Remaining),
    /// It is done.
    Done,
    /// It cannot be done, and why. It may be tried again.
    Failed(String),
    /// It has ended in a way of its own, or with something to tell. In a step of a mission, which asks for no more than that it is done,
    /// every other end is a failure.
    Ended(Ending),
}

/// How a skill has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ending {
    /// One of the outcomes that [`Skills::ends`] says, or `done`.
    pub outcome: String,
    /// Its outputs, by name.
    pub outputs: Vec<(String, Value)>,
}

impl Feedback {
    /// So much time is left [s], for what takes the time it takes.
    pub fn time_left(seconds: f64) -> Feedback {
        Feedback::Left(Remaining { time: seconds.max(0.0), ..Remaining::default() })
    }

    /// The worst joint has so far to go [rad].
    pub fn turn_left(turn: f64) -> Feedback {
        Feedback::Left(Remaining { turn: turn.abs(), ..Remaining::default() })
    }

    /// It has ended with this outcome.
    pub fn ended(outcome: &str) -> Feedback {
        Feedback::Ended(Ending { outcome: outcome.to_owned(), outputs: Vec::new() })
    }

    /// The same with an output for whoever asked: what a chart keeps, or tells its next state. What has not ended tells nothing.
    #[must_use]
    pub fn with(self, output: &str, value: Value) -> Feedback {
        match self {
            Feedback::Done => Feedback::ended("done").with(output, value),
            Feedback::Ended(mut ending) => {
                ending.outputs.push((output.to_owned(), value));
                Feedback::Ended(ending)
            }
            other => other,
        }
    }

    /// So much way is left [m].
    pub fn way_left(distance: f64) -> Feedback {
        Feedback::Left(Remaining { distance: distance.abs(), ..Remaining::default() })
    }
}
