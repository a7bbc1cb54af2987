//! What a sequencer sees, and what it says is to be done.

use navigation::Reach;
use robot_io::{Pose2, Time};

use crate::order::{ActionOrder, LegOrder};
use crate::skill::Progress;

/// What the sequencer needs to see.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    /// The time of this cycle.
    pub now: Time,
    /// The robot's pose in the odometry frame.
    pub pose_in_odom: Pose2,
    /// How far the worst joint is from the pose that was last ordered [rad]; zero if none was.
    pub posture_error: f64,
    /// How it stands with what finds its own way.
    pub way: Way,
    /// How far the skill has got that began last.
    pub skill: Progress,
    /// How far the motion has got that began last.
    pub motion: Progress,
    /// The base is on its way to where that skill has sent it; whoever drives it watches the progress.
    pub is_sent: bool,
    /// Footsteps are left of a plan to where the leg leads, or are being planned.
    pub steps_left: bool,
    /// A robot on two feet takes steps, or sways on after the last one.
    pub steps: bool,
}

/// How it stands with a step that finds its own way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Way {
    /// It is being found or followed; whoever does that watches the progress.
    #[default]
    Open,
    /// It ends here: the goal is reached, or all is explored.
    Done,
    /// There is none; so near to the goal can one come.
    None(Reach),
    /// There may be one, but the robot is stuck, so far from the goal [m].
    Stuck(f64),
}

impl Task {
    /// True if it is carried out by the map.
    pub fn finds_its_way(&self) -> bool {
        match self {
            Task::Drive(leg) => leg.navigate,
            Task::Act(action) => matches!(action, ActionOrder::Explore { .. }),
            Task::Nothing | Task::Stand | Task::Stop | Task::Fail | Task::OutOfReach(_) => false,
        }
    }
}

/// What to do now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Task {
    /// All orders are done.
    Nothing,
    /// Stand still, for a moment, before trying again.
    Stand,
    /// Drive to this goal, whose heading is settled.
    Drive(LegOrder),
    /// Do this on the spot.
    Act(ActionOrder),
    /// An action has stalled for good and the rules say stop.
    Stop,
    /// A skill has failed for good and the rules say stop.
    Fail,
    /// A goal is out of reach and the rules say stop.
    OutOfReach(Reach),
}
