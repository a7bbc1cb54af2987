//! Where everything meets: a file names a world, a robot, a mission, faults and checks; one function assembles them;
//! one loop of four stages runs them.
//!
//! [`Case`] is what the file says, [`Stage`] is the case with its files read, [`Session`](session::Session) is the loop,
//! [`Runner`](runner::Runner) runs it to the end and answers the checks. The program `chiron` is [`cli`].

mod active;
pub mod assemble;
pub mod before;
mod beside;
mod built_in;
pub mod bus_use;
pub mod case;
mod charts;
pub mod checks;
pub mod cli;
mod collected;
mod command;
mod computing_time;
pub mod console;
pub mod controller;
pub mod environment;
mod error;
pub mod evaluation;
pub mod export;
pub mod feet_seen;
pub mod figures;
pub mod interactive;
pub mod interrupt;
pub mod junit;
pub mod limits;
pub mod map_seen;
pub mod mapping;
pub mod moment;
mod motions;
mod objects;
pub mod outcome;
mod own_plant;
mod past;
mod paths;
#[cfg(feature = "viewer")]
mod pictures;
mod plants;
mod plug;
mod program;
pub mod progress;
mod ranges;
pub mod recording;
pub mod refusal;
mod registry;
pub mod report;
mod residual;
mod results;
mod robot_place;
pub mod run_log;
pub mod runner;
pub mod seeds;
pub mod series;
pub mod session;
mod stage;
mod stage_checks;
pub mod table;
pub mod tally;
mod terminal;
mod told;
mod touches;
pub mod twin;
#[cfg(feature = "viewer")]
mod viewer;
mod words;

pub use assemble::Staffing;
pub use case::Case;
pub use checks::{CheckAnswer, CheckRefusal, CheckSetup, Observation, OwnCheck};
pub use controller::{ControllerError, ControllerSetup};
pub use error::ScenarioError;
/// Statecharts as files.
pub use mission::chart;
/// What can be asked of the base, by a skill of a chart and by a component.
pub use mission::{
    BASE, BASE_GOAL, BaseFailure, BaseGoal, BaseProgress, BaseStatus, BaseTask, Destination, GoalStatus, MissionServer,
    StanceChange,
};
pub use mission::{Ending, Feedback, Skill, SkillContext, SkillJoint, SkillRefusal, SkillSetup};
pub use own_plant::{Pace, PlantRefusal, PlantSetup};
pub use paths::Library;
pub use program::{execute, main};
pub use registry::Registry;
pub use runtime;
pub use stage::Stage;
