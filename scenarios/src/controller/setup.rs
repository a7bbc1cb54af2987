//! What a controller is made from.

use handling::{Eyes, HandlingError, Hands};
use mission::{Behaviour, Mission, MissionError, MissionPlan, MissionSettings, SkillRefusal, Skills};
use robot_io::{HeightMap, Pose2, RobotLayout};
use robot_model::RobotModel;
use serde::de::DeserializeOwned;
use thiserror::Error;

use super::ProgramPlan;
use super::behaviour::Offer;
use super::hands::HandsOffer;

/// All that a controller may know before the first cycle. A scenario may tell it wrongly what its robot is like.
#[derive(Debug)]
pub struct ControllerSetup<'a> {
    /// The robot, as its controller is told that it is.
    pub robot: &'a RobotModel,
    /// Its joints and sensors, in the order of readings and commands, and the control cycle.
    pub layout: &'a RobotLayout,
    /// Where it is told that it starts, in the world.
    pub start_in_world: Pose2,
    /// The scenario's seed, for random numbers of the controller's own: `RandomStream::new(setup.seed, "wave")`.
    pub seed: u64,
    /// The scenario's table `[controller.settings]`.
    pub settings: &'a toml::Table,
    pub(crate) program: Option<&'a ProgramPlan>,
    pub(crate) plan: &'a MissionPlan,
    pub(crate) skills: MissionSettings,
    pub(crate) own_skills: &'a Skills,
    pub(crate) prior: Option<HeightMap>,
    pub(crate) behaviour: Option<Offer>,
    pub(crate) hands: Option<HandsOffer>,
}

/// Why there can be no such controller. The message is shown with the scenario's file and line.
#[derive(Debug, Error)]
pub enum ControllerError {
    /// No controller has this name.
    #[error("expected one of {known}, found '{found}'; `chiron new controller` begins one of your own")]
    Name {
        /// All names.
        known: String,
        /// What was asked for.
        found: String,
    },
    /// The robot has no such joint.
    #[error("{robot} has no joint named '{found}'")]
    Joint {
        /// The robot.
        robot: String,
        /// What was asked for.
        found: String,
    },
    /// The settings cannot be read.
    #[error("[controller.settings]: {0}")]
    Settings(String),
    /// The scenario's chart asks for what cannot be done.
    #[error("behaviour: {0}")]
    Behaviour(SkillRefusal),
    /// There can be no such eyes or hands.
    #[error("hands: {0}")]
    Hands(HandlingError),
    /// The mission refuses.
    #[error(transparent)]
    Mission(#[from] MissionError),
    /// The controller refuses, in its own words.
    #[error("{0}")]
    Refused(String),
}

impl ControllerSetup<'_> {
    /// The index of a joint in readings and commands.
    pub fn joint(&self, name: &str) -> Result<usize, ControllerError> {
        let unknown = || ControllerError::Joint { robot: self.robot.name.clone(), found: name.to_owned() };
        self.layout.joint(name).ok_or_else(unknown)
    }

    /// Stiffness [N·m/rad or N/m] and damping [N·m·s/rad or N·s/m] with which each joint is held, from the robot's file.
    pub fn gains(&self) -> Vec<(f64, f64)> {
        self.robot.description.joints.iter().map(|joint| (joint.stiffness, joint.damping)).collect()
    }

    /// The table `[controller.settings]` as a type of the controller's own.
    pub fn settings<T: DeserializeOwned>(&self) -> Result<T, ControllerError> {
        let settings = toml::Value::Table(self.settings.clone()).try_into();
        settings.map_err(|error: toml::de::Error| ControllerError::Settings(error.message().replace('\n', ", ")))
    }

    /// The mission of the scenario, for a controller that does something beside it or around it.
    pub fn mission(&self) -> Result<Mission, ControllerError> {
        let ControllerSetup { robot, layout, start_in_world, prior, skills, .. } = self;
        let mut plan = self.plan.clone();
        plan.find_skills(self.own_skills)?;
        Ok(Mission::new(robot, layout, &plan, *start_in_world, prior.clone(), skills)?)
    }

    /// The behaviour of the scenario's table `[behaviour]`, for a controller of components; `None` if there is none.
    pub fn behaviour(&self) -> Result<Option<Behaviour>, ControllerError> {
        let behaviour = self.behaviour.as_ref().map(|offer| offer.take(self.robot, self.layout)).transpose();
        behaviour.map_err(ControllerError::Behaviour)
    }

    /// Eyes and hands for the skills of that behaviour, from the scenario's table `[hands]`, with this priority for the joints of arms; `None` if there is
    /// none.
    pub fn eyes_and_hands(&self, priority: u32) -> Result<Option<(Eyes, Hands)>, ControllerError> {
        let made = self.hands.as_ref().map(|offer| offer.make(self.robot, self.layout, priority)).transpose();
        made.map_err(ControllerError::Hands)
    }

    /// Refuses settings that nobody reads.
    pub(crate) fn expect_no_settings(&self) -> Result<(), ControllerError> {
        let found = self.settings.keys().next();
        found.map_or(Ok(()), |found| {
            Err(ControllerError::Settings(format!("expected none, the mission's are in [settings]; found '{found}'")))
        })
    }
}
