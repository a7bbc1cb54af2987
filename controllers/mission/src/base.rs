//! The base for others: a mission drives where another component, or a chart, wants it.
//!
//! Whoever wants something writes a [`BaseGoal`] to the stream [`BASE_GOAL`], with the time, in each cycle in which it wants it; a goal that
//! is older than 0.2 s counts no more, so that nobody who has been stopped drives a robot. A [`MissionServer`](crate::MissionServer) reads it in the next cycle and
//! writes to the stream [`BASE`] how it stands with it, and where the robot is. In the manner of ROS's actions: a goal, what is left of it, an
//! end.

use core::fmt;

use locomotion::Heading as Look;
use robot_io::{Odometry, Pose2, ShortName, State, Time, Twist};

use crate::progress::Remaining;
use crate::stance::Stance;

/// The stream of goals for the base.
pub const BASE_GOAL: &str = "base_goal";
/// The stream that says where the base is and how it stands with its goal.
pub const BASE: &str = "base";

/// Something that is wanted of the base.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct BaseGoal {
    /// Who wants it: a component's name.
    pub by: ShortName,
    /// Tells this goal from others of the same component: another number is another goal.
    pub id: u64,
    /// When it was wanted last.
    pub stamp: Time,
    /// What is wanted.
    pub task: BaseTask,
}

/// What can be wanted of the base.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub enum BaseTask {
    /// Nothing more: it stands, or goes on with the mission's own steps.
    #[default]
    Nothing,
    /// Drive to a place.
    GoTo(Destination),
    /// Look at all of a region that can be seen, and draw a map of it: its corners with the smallest and the largest x and y [m], in the
    /// world frame.
    Explore([[f64; 2]; 2]),
    /// Change height and attitude. Without a number for the height [m] it stays as it is.
    Stance(StanceChange),
    /// Move with a velocity, in the base frame, which may change while the goal stays the same. Nobody looks out for obstacles.
    Drive {
        /// The velocity.
        twist: Twist,
        /// How the base is carried meanwhile and afterwards.
        stance: Option<StanceChange>,
    },
}

/// A place to drive to.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Destination {
    /// The place, in the world frame.
    pub pose_in_world: Pose2,
    /// Whether the heading counts; else it arrives in the direction of travel.
    pub with_heading: bool,
    /// How near counts as reached [m].
    pub tolerance: f64,
    /// How well turned counts as reached [rad].
    pub heading_tolerance: f64,
    /// Not faster than this [m/s]; the mission's cruise speed if nothing is said.
    pub speed: Option<f64>,
    /// Where to look on the way; at the goal's heading where one counts, else in the direction of travel, if nothing is said.
    pub look: Option<Look>,
    /// Drive through without stopping; the heading on arrival does not count then.
    pub pass: bool,
    /// Find the way on the map, else drive straight there; by the map where there is one if nothing is said.
    pub navigate: Option<bool>,
}

/// Another stance of the base.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct StanceChange {
    /// To this …
    pub stance: Stance,
    /// … within so many seconds [s].
    pub seconds: f64,
}

/// Where the base is, and how it stands with its goal.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct BaseStatus {
    /// The time at which this was so.
    pub stamp: Time,
    /// Where it is in the odometry frame, and how it moves.
    pub odometry: Odometry,
    /// Where it believes to be in the world.
    pub pose_in_world: Pose2,
    /// False while it is lost on the map that it draws.
    pub is_localized: bool,
    /// How it stands with the goal that was heard last; `None` before the first one.
    pub goal: Option<GoalStatus>,
}

/// How it stands with a goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct GoalStatus {
    /// Whose goal it is …
    pub by: ShortName,
    /// … and which.
    pub id: u64,
    /// How far it has got.
    pub progress: BaseProgress,
    /// True while the base does something else first, or may not move: an action of the mission's own, a stop, a hand on the stick.
    pub is_held_up: bool,
}

/// How far the base has got with a goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub enum BaseProgress {
    /// It has not begun.
    #[default]
    Begun,
    /// So much is left.
    Left(Remaining),
    /// It is done.
    Done,
    /// There is no way there. This is the reachable place that is nearest to it, in the world frame.
    OutOfReach(Pose2),
    /// It cannot be done.
    Failed(BaseFailure),
}

/// Why the base cannot do what is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
pub enum BaseFailure {
    /// It has made no progress for the mission's stall time.
    #[default]
    Stalled,
    /// It is to be done by the map, and the mission draws none.
    NoMap,
    /// A goal is not a number, or a tolerance finer than the base can drive.
    BadGoal,
    /// Somebody else has sent the base elsewhere.
    Replaced,
    /// The robot cannot move its base.
    StaysPut,
    /// There is nobody who moves the base for others.
    Nobody,
}

impl BaseGoal {
    /// True if both are the same goal, though one may say anew what velocity it wants.
    pub fn is(&self, other: &BaseGoal) -> bool {
        (self.by, self.id) == (other.by, other.id)
            && (self.task == BaseTask::Nothing) == (other.task == BaseTask::Nothing)
    }
}

impl Destination {
    /// A place with the usual tolerances: 5 cm and 0.05 rad.
    pub fn at(pose_in_world: Pose2) -> Destination {
        let (tolerance, heading_tolerance) = (0.05, 0.05);
        Destination { pose_in_world, with_heading: true, tolerance, heading_tolerance, ..Destination::default() }
    }
}

impl BaseTask {
    /// True if all that it says are numbers, and speeds and times are not negative. A stance may leave its height open.
    pub(crate) fn is_sound(&self) -> bool {
        let all = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
        let stance = |change: &StanceChange| {
            let StanceChange { stance: Stance { height, pitch, roll }, seconds } = *change;
            !height.is_infinite() && all(&[pitch, roll, seconds]) && seconds >= 0.0
        };
        match self {
            BaseTask::Nothing => true,
            BaseTask::GoTo(Destination {
                pose_in_world: Pose2 { x, y, yaw },
                tolerance,
                heading_tolerance,
                speed,
                ..
            }) => {
                all(&[*x, *y, *yaw, *tolerance, *heading_tolerance]) && speed.is_none_or(|v| v.is_finite() && v > 0.0)
            }
            BaseTask::Explore([min, max]) => {
                all(min) && all(max) && min.iter().zip(max).all(|(smallest, largest)| smallest < largest)
            }
            BaseTask::Stance(change) => stance(change),
            BaseTask::Drive { twist: Twist { x, y, yaw }, stance: change } => {
                let stance = |change: &StanceChange| stance(change) && change.stance.height.is_finite();
                all(&[*x, *y, *yaw]) && change.as_ref().is_none_or(stance)
            }
        }
    }
}

impl BaseStatus {
    /// How it stands with a goal of somebody; `None` if the base serves another one, or none.
    pub fn of(&self, goal: &BaseGoal) -> Option<&GoalStatus> {
        self.goal.as_ref().filter(|status| (status.by, status.id) == (goal.by, goal.id))
    }
}

impl BaseFailure {
    /// In words.
    pub fn text(&self) -> &'static str {
        match self {
            BaseFailure::Stalled => "the base makes no progress",
            BaseFailure::NoMap => "it is to be done by the map, and the mission draws none",
            BaseFailure::BadGoal => "the base was sent to what is not a number, or nearer than it can drive",
            BaseFailure::Replaced => "somebody else has sent the base elsewhere",
            BaseFailure::StaysPut => "this robot stays where it is",
            BaseFailure::Nobody => "nobody moves the base for others",
        }
    }
}

impl fmt::Display for BaseFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
