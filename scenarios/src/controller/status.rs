//! How a controller stands, for people and checks.

use core::fmt;

use mission::{Activity, MissionStatus, StopCause};

/// How a controller stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ControllerStatus<'a> {
    /// A mission, which has steps.
    Mission(MissionStatus<'a>),
    /// Any other controller.
    Other {
        /// Its name in the registry.
        name: &'a str,
        /// True once it has done what it was there for.
        is_done: bool,
        /// How it stands, in its own words; empty if it has none.
        says: &'a str,
    },
}

impl Default for ControllerStatus<'_> {
    /// Of a controller that nobody has asked yet.
    fn default() -> Self {
        ControllerStatus::Other { name: "", is_done: false, says: "" }
    }
}

impl ControllerStatus<'_> {
    /// True if there is nothing left to do.
    pub fn is_done(&self) -> bool {
        match self {
            ControllerStatus::Mission(status) => status.is_done(),
            ControllerStatus::Other { is_done, .. } => *is_done,
        }
    }

    /// Why it was stopped, in words; `None` if it was not.
    pub fn stop_cause(&self) -> Option<String> {
        match self {
            ControllerStatus::Mission(status) => status.stop_cause(),
            ControllerStatus::Other { .. } => None,
        }
    }

    /// True if it is a mission's.
    pub fn is_mission(&self) -> bool {
        matches!(self, ControllerStatus::Mission(_))
    }

    /// True if it was stopped because a goal is out of reach.
    pub fn is_out_of_reach(&self) -> bool {
        let ControllerStatus::Mission(status) = self else { return false };
        matches!(status.activity, Activity::Stopped(StopCause::OutOfReach { .. }))
    }

    /// The joint that stopped it, by its index in the layout, if it was one.
    pub fn stopped_by_joint(&self) -> Option<usize> {
        match self {
            ControllerStatus::Mission(MissionStatus {
                activity: Activity::Stopped(StopCause::MotorFault { joint }),
                ..
            }) => Some(*joint),
            _ => None,
        }
    }

    /// The same with other names and words, which may live longer or shorter.
    pub fn named<'n>(&self, name: &'n str, joint: Option<&'n str>, says: &'n str) -> ControllerStatus<'n> {
        match *self {
            ControllerStatus::Other { is_done, .. } => ControllerStatus::Other { name, is_done, says },
            ControllerStatus::Mission(status) => ControllerStatus::Mission(MissionStatus {
                name,
                joint,
                activity: status.activity,
                teleoperated: status.teleoperated,
                gives_way_to: status.gives_way_to,
                step: status.step,
                steps: status.steps,
                serves: status.serves,
                is_on_errand: status.is_on_errand,
                left: status.left,
                without_progress: status.without_progress,
                elapsed: status.elapsed,
                is_unsure: status.is_unsure,
            }),
        }
    }

    /// Its name: the mission's, or that in the registry.
    pub fn name(&self) -> &str {
        match self {
            ControllerStatus::Mission(status) => status.name,
            ControllerStatus::Other { name, .. } => name,
        }
    }
}

impl fmt::Display for ControllerStatus<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ControllerStatus::Mission(status) => status.fmt(f),
            ControllerStatus::Other { name, is_done, says } => match (is_done, says.is_empty()) {
                (true, _) => write!(f, "controller '{name}' is done"),
                (false, true) => write!(f, "controller '{name}' answers"),
                (false, false) => f.write_str(says),
            },
        }
    }
}
