//! How a mission stands.

use core::fmt;

use navigation::Approaching;
use robot_io::{Period, State, StateVisitor};

use crate::progress::Remaining;
use crate::supervision::StopCause;

/// What the mission is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Activity {
    /// Waits for the operator's word to begin.
    #[default]
    Idle,
    /// Works its steps off.
    Running,
    /// Stands still until resumed.
    Paused,
    /// Was stopped, and stands still.
    Stopped(StopCause),
    /// All steps are done.
    Done,
}

/// How a mission stands, for people and checks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MissionStatus<'a> {
    /// The mission's name.
    pub name: &'a str,
    /// What it is doing.
    pub activity: Activity,
    /// True while the operator drives.
    pub teleoperated: bool,
    /// Something that moves and to which the robot gives way now.
    pub gives_way_to: Option<Approaching>,
    /// Index of the step under way; the number of steps when all are done.
    pub step: usize,
    /// How many steps there are.
    pub steps: usize,
    /// True if others may send the base somewhere …
    pub serves: bool,
    /// … and somebody does so now.
    pub is_on_errand: bool,
    /// What is left of the action under way.
    pub left: Remaining,
    /// How long the action under way has made no progress.
    pub without_progress: Period,
    /// Time since the mission was reset.
    pub elapsed: Period,
    /// True if the robot is not sure of its place on the map.
    pub is_unsure: bool,
    /// The name of the joint that stopped it, if it was one.
    pub joint: Option<&'a str>,
}

impl MissionStatus<'_> {
    /// True if all steps are done.
    pub fn is_done(&self) -> bool {
        self.activity == Activity::Done
    }

    /// Why it was stopped, in words; `None` if it was not.
    pub fn stop_cause(&self) -> Option<String> {
        match (self.activity, self.joint) {
            (Activity::Stopped(StopCause::MotorFault { .. }), Some(joint)) => Some(format!("motor fault of {joint}")),
            (Activity::Stopped(cause), _) => Some(cause.to_string()),
            _ => None,
        }
    }
}

impl fmt::Display for MissionStatus<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (step, steps) = ((self.step + 1).min(self.steps), self.steps);
        match self.activity {
            Activity::Idle => f.write_str("waits to begin")?,
            Activity::Done if steps == 0 && self.serves => f.write_str("nobody wants anything of the base")?,
            Activity::Done if steps == 0 => f.write_str("nothing to do: it has no steps")?,
            Activity::Done => {
                if steps == 1 {
                    f.write_str("its only step is done")?;
                } else {
                    write!(f, "all {steps} steps done")?;
                }
                if self.is_unsure {
                    f.write_str(" as far as the robot can tell: unsure of its place")?;
                }
            }
            Activity::Paused if steps == 0 => f.write_str("paused")?,
            Activity::Paused => write!(f, "paused in step {step} of {steps}")?,
            Activity::Running if self.is_on_errand => write!(f, "sent by others, {}", self.left)?,
            Activity::Running => write!(f, "step {step} of {steps}, {}", self.left)?,
            Activity::Stopped(_) if steps == 0 => {
                write!(f, "stopped: {}", self.stop_cause().unwrap_or_default())?;
            }
            Activity::Stopped(_) => {
                write!(f, "stopped in step {step} of {steps}: {}", self.stop_cause().unwrap_or_default())?;
            }
        }
        if let Some(Approaching { speed, side }) = self.gives_way_to {
            write!(f, ", giving way to something that moves at {speed:.1} m/s from {side}")?;
        }
        if self.teleoperated { f.write_str(", operator drives") } else { Ok(()) }
    }
}

impl fmt::Display for Remaining {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Remaining { time, .. } if time > 0.0 => write!(f, "{time:.1} s left"),
            Remaining { distance, turn, .. } if distance > 0.0 => {
                write!(f, "{distance:.2} m and {:.0}° left", turn.to_degrees())
            }
            // how far a posture is away is known after its first cycle, how much there is to explore never
            Remaining { turn, .. } if !turn.is_finite() => f.write_str("under way"),
            Remaining { turn, .. } => write!(f, "{:.0}° left", turn.to_degrees()),
        }
    }
}

impl State for Activity {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let (mut kind, mut cause) = match *self {
            Activity::Idle => (0_u64, None),
            Activity::Running => (1, None),
            Activity::Paused => (2, None),
            Activity::Done => (3, None),
            Activity::Stopped(cause) => (4, Some(cause)),
        };
        visitor.field("kind", &mut kind);
        visitor.field("cause", &mut cause);
        *self = match (kind, cause) {
            (1, _) => Activity::Running,
            (2, _) => Activity::Paused,
            (3, _) => Activity::Done,
            (4, Some(cause)) => Activity::Stopped(cause),
            _ => Activity::Idle,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_tells_to_what_the_robot_gives_way() {
        let gives_way_to = Some(Approaching { speed: 0.81, side: robot_io::Side::of(3.0, 0.1) });
        let (left, time) = (Remaining { distance: 2.0, ..Remaining::default() }, Period::default());
        let status = MissionStatus {
            name: "m",
            activity: Activity::Running,
            teleoperated: false,
            gives_way_to,
            step: 0,
            steps: 2,
            serves: false,
            is_on_errand: false,
            left,
            without_progress: time,
            elapsed: time,
            is_unsure: false,
            joint: None,
        };
        let told = "step 1 of 2, 2.00 m and 0° left, giving way to something that moves at 0.8 m/s from the front";
        assert_eq!(status.to_string(), told);
    }

    #[test]
    fn a_mission_of_no_or_one_step_is_told_in_words() {
        let said = |activity, steps: usize, is_unsure| {
            let (left, time) = (Remaining::default(), Period::default());
            let status = MissionStatus {
                name: "m",
                activity,
                teleoperated: false,
                is_unsure,
                gives_way_to: None,
                step: 0,
                steps,
                serves: false,
                is_on_errand: false,
                left,
                without_progress: time,
                elapsed: time,
                joint: None,
            };
            status.to_string()
        };
        assert_eq!(said(Activity::Done, 0, false), "nothing to do: it has no steps");
        assert_eq!(said(Activity::Done, 1, false), "its only step is done");
        assert_eq!(said(Activity::Done, 3, false), "all 3 steps done");
        let unsure = "all 3 steps done as far as the robot can tell: unsure of its place";
        assert_eq!(said(Activity::Done, 3, true), unsure);
        assert_eq!(said(Activity::Stopped(StopCause::TipOver), 0, false), "stopped: about to tip over");
    }
}
