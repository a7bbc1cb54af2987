//! A mission as a person thinks of it: places to drive to and things to do there.
//!
//! The form follows Momaro's mission control layer: "a list of 2D poses in the height map frame. Attached to each pose
//! is an optional action"; execution can be stopped, updated, resumed and spliced (Schwarz et al., "Supervised Autonomy
//! for Exploration and Mobile Manipulation in Rough Terrain with a Centaur-Like Robot", 2016, section 10; digest MOM-24).

use locomotion::Heading as Look;
use robot_io::{Pose2, RobotLayout};
use robot_model::RobotModel;

use crate::MissionError;
use crate::motion::{Motion, MotionFiles, MotionStep};
use crate::skill::{Skill, SkillStep, Skills};

/// What may stand in a step beside the name of a skill.
pub const STEP_KEYS: [&str; 7] = ["goto", "wait", "stance", "pose", "explore", "reach", "motion"];

/// What the robot shall do, step by step.
#[derive(Clone, Debug, PartialEq)]
pub struct MissionPlan {
    /// The mission's name.
    pub name: String,
    /// The frame in which the steps' poses are given.
    pub frame: Frame,
    /// Whether the robot draws a map with its laser scanner and takes its place from it; else odometry alone tells.
    pub mapping: bool,
    /// When an action counts as stalled, and what follows.
    pub progress: ProgressRules,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// The frame of a mission's poses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Frame {
    /// The world's; the robot has been told where in it it starts.
    #[default]
    World,
    /// The base's place and heading when the mission was reset.
    Start,
}

/// A place to drive to, something to do there, or both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// Where to drive first.
    pub leg: Option<Leg>,
    /// What to do then.
    pub action: Option<Action>,
}

/// One drive to a pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leg {
    /// Place [m].
    pub x: f64,
    /// Place [m].
    pub y: f64,
    /// Heading on arrival [rad]; `None` for the direction of travel.
    pub yaw: Option<f64>,
    /// Where to look on the way: `travel`, `goal` or `keep`; `None` for the goal's heading where one is given, else for
    /// the direction of travel.
    pub look: Option<Look>,
    /// How near counts as reached [m].
    pub tolerance: f64,
    /// How well turned counts as reached [rad].
    pub heading_tolerance: f64,
    /// Not faster than this [m/s]; `None` for the mission's cruise speed.
    pub speed: Option<f64>,
    /// Drive through without stopping; the heading on arrival does not matter then.
    pub pass: bool,
    /// Find the way on the map; else drive straight there.
    pub navigate: bool,
    /// How long it should take [s]. An overdue leg is reported; it is given up only if it stalls as well, and then
    /// without another try.
    pub timeout: Option<f64>,
}

/// Something done on the spot.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Stand still.
    Wait {
        /// For so long [s].
        seconds: f64,
    },
    /// Change the base's height and attitude, and keep them for the steps that follow.
    Stance {
        /// Height of the base over the ground [m]; `None` leaves it as it is.
        height: Option<f64>,
        /// Nose down is positive [rad].
        pitch: f64,
        /// Right side down is positive [rad].
        roll: f64,
        /// Time to get there [s].
        seconds: f64,
    },
    /// Look at all of a region that can be seen, and draw a map of it.
    Explore {
        /// Its corner with the smallest x and y [m], in the plan's frame.
        min: [f64; 2],
        /// Its corner with the largest x and y [m], in the plan's frame.
        max: [f64; 2],
    },
    /// Bring arms, hands and torso into a named pose of the robot.
    Pose {
        /// The pose's name in the robot's file.
        name: String,
        /// How near each joint must come [rad].
        tolerance: f64,
    },
    /// Move the whole body, on the spot: hands to where they shall be, or what a file says.
    Motion(MotionStep),
    /// Do what a skill does.
    Skill(SkillStep),
}

/// When an action counts as stalled, and what follows.
///
/// There is no timeout. One of Momaro's "resulted in an early abort of the battery approach […] A more intelligent
/// system, tracking the progress of the current task, would have noticed that the approach was still progressing"
/// (paper, conclusions). An action is watched by its metric, and only one that does not get better is given up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProgressRules {
    /// Without progress for so long, an action is stalled [s].
    pub stall_time: f64,
    /// Progress of a leg: so much nearer than ever before [m].
    pub minimal_progress: f64,
    /// Progress of a turn or of a pose: so much better turned than ever before [rad].
    pub minimal_turn: f64,
    /// How often a stalled action is tried again.
    pub retries: u32,
    /// How long to stand still before trying again [s].
    pub retry_pause: f64,
    /// What happens when all tries have stalled.
    pub on_stall: OnStall,
}

/// What happens to a mission one of whose steps has stalled for good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnStall {
    /// Stop and wait for a person.
    #[default]
    Stop,
    /// Go on with the next step.
    Skip,
}

impl Frame {
    /// Where it lies in the world, for a robot that starts there.
    pub(crate) fn in_world(self, start_in_world: &Pose2) -> Pose2 {
        match self {
            Frame::World => Pose2::default(),
            Frame::Start => *start_in_world,
        }
    }
}

impl Default for ProgressRules {
    fn default() -> Self {
        ProgressRules {
            stall_time: 8.0,
            minimal_progress: 0.05,
            minimal_turn: 0.05,
            retries: 1,
            retry_pause: 2.0,
            on_stall: OnStall::Stop,
        }
    }
}

impl ProgressRules {
    /// The same for somebody who decides what follows a stall: nothing is tried twice, and it ends there.
    pub(crate) fn once(self) -> ProgressRules {
        ProgressRules { retries: 0, on_stall: OnStall::Stop, ..self }
    }
}

impl Leg {
    /// A drive to a place with the usual tolerances: 5 cm and 0.05 rad.
    pub fn to(x: f64, y: f64, yaw: Option<f64>) -> Leg {
        let (look, speed, timeout) = (None, None, None);
        let (pass, navigate) = (false, false);
        Leg { x, y, yaw, look, tolerance: 0.05, heading_tolerance: 0.05, speed, pass, navigate, timeout }
    }

    /// A drive through a place, without stopping; 25 cm is near enough.
    pub fn through(x: f64, y: f64) -> Leg {
        Leg { tolerance: 0.25, pass: true, ..Leg::to(x, y, None) }
    }
}

impl MissionPlan {
    /// Looks for the skills that its steps name; refused, with the line, if nobody has one of them.
    pub fn find_skills(&mut self, skills: &Skills) -> Result<(), MissionError> {
        if let Some(name) = skills.names().find(|name| STEP_KEYS.contains(name)) {
            return Err(MissionError::TakenName { name: name.to_owned() });
        }
        self.steps.iter_mut().filter_map(Step::skill_mut).try_for_each(|step| step.find(skills))
    }

    /// Reads the motion files that its steps name: `files` finds the path to show and the text of a name, or says why it cannot.
    pub fn find_motions(&mut self, files: &mut MotionFiles<'_>) -> Result<(), MissionError> {
        self.steps.iter_mut().filter_map(Step::motion_mut).try_for_each(|step| step.find(files))
    }

    /// The motions of its steps, in their order; refused if a file has not been read.
    pub fn motions(&self) -> Result<Vec<&Motion>, MissionError> {
        self.steps.iter().filter_map(Step::motion).map(MotionStep::motion).collect()
    }

    /// Makes the skills that its steps name, in their order.
    pub(crate) fn skills(&self, model: &RobotModel, layout: &RobotLayout) -> Result<Vec<Box<dyn Skill>>, MissionError> {
        self.steps.iter().filter_map(Step::skill).map(|step| step.build(model, layout)).collect()
    }
}

impl Step {
    /// The skill that it names, if it does.
    pub fn skill(&self) -> Option<&SkillStep> {
        match &self.action {
            Some(Action::Skill(step)) => Some(step),
            _ => None,
        }
    }

    fn skill_mut(&mut self) -> Option<&mut SkillStep> {
        match &mut self.action {
            Some(Action::Skill(step)) => Some(step),
            _ => None,
        }
    }

    /// The motion that it is, if it is one.
    pub fn motion(&self) -> Option<&MotionStep> {
        match &self.action {
            Some(Action::Motion(step)) => Some(step),
            _ => None,
        }
    }

    fn motion_mut(&mut self) -> Option<&mut MotionStep> {
        match &mut self.action {
            Some(Action::Motion(step)) => Some(step),
            _ => None,
        }
    }

    /// True if it cannot be carried out without a map.
    pub fn needs_map(&self) -> bool {
        self.leg.is_some_and(|leg| leg.navigate) || matches!(self.action, Some(Action::Explore { .. }))
    }
}

impl From<Leg> for Step {
    fn from(leg: Leg) -> Step {
        Step { leg: Some(leg), action: None }
    }
}

impl From<Action> for Step {
    fn from(action: Action) -> Step {
        Step { leg: None, action: Some(action) }
    }
}
