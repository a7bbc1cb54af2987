//! What is wanted of hands, and how it stands with it.

use core::fmt;

use mission::Remaining;
use nalgebra::{Isometry3, Vector3};
use robot_io::{ShortName, State, Time};

/// The stream of what is wanted of hands: [`HandGoals`].
pub const HAND_GOALS: &str = "hand_goals";
/// The stream that says how hands stand: [`HandStates`].
pub const HANDS: &str = "hands";

/// What is wanted of all hands, said again in each cycle.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct HandGoals {
    /// When it was wanted last; what is older than 0.2 s is wanted no more.
    pub stamp: Time,
    /// At most one for each hand.
    pub goals: Vec<HandGoal>,
}

/// What is wanted of a hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct HandGoal {
    /// Tells this goal from others: another number is another goal.
    pub id: u64,
    /// The hand.
    pub hand: ShortName,
    /// What it shall do.
    pub task: HandTask,
    /// The share of the joints' top speeds that may be used.
    pub speed: f64,
    /// The other hand that holds the same thing, and goes along: on a straight way, or an arc of what hangs on nothing.
    pub with: Option<ShortName>,
}

/// What a hand and its arm can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub enum HandTask {
    /// Nothing: they stay where they are.
    #[default]
    Nothing,
    /// The arm takes the pose of this name of the robot's file, around what is in the way.
    Pose(ShortName),
    /// The hand goes to a place, around what is in the way.
    Reach(Place),
    /// The hand goes straight.
    Shift(Shift),
    /// The hand takes an object.
    Grasp(Taking),
    /// The hand brings what it holds, or itself, into a hole.
    Insert(Insertion),
    /// The hand moves what it holds, or touches, around an axis: a door, a valve.
    Turn(Turn),
    /// The fingers go to a share of their way from open to closed, without pressing.
    Fingers(f64),
    /// The fingers open; what was held is let go.
    Release,
}

/// A place for a hand.
#[derive(Clone, Copy, Debug, PartialEq, State)]
pub struct Place {
    /// In what frame.
    pub frame: Frame,
    /// The hand, or what it holds, in that frame [m].
    pub pose: Isometry3<f64>,
    /// True if it is turned from the axes of the base, false if from those of the frame.
    pub along_base: bool,
    /// True if what the hand holds shall be there, false if the hand shall.
    pub of_held: bool,
    /// However far it is turned about the vertical there is as good.
    pub any_turn: bool,
    /// From there it has to be possible to go straight by this, along the axes of the base [m].
    pub then: Vector3<f64>,
}

/// In what frame a place is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
pub enum Frame {
    /// The robot's base.
    #[default]
    Base,
    /// The odometry frame.
    Odometry,
    /// An object: the nearest of this model.
    Object(ShortName),
}

/// A straight way of a hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Shift {
    /// How far [m] …
    pub by: Vector3<f64>,
    /// … along the axes of the hand instead of the base.
    pub in_hand: bool,
    /// It ends where something holds against it with this force [N]; without a number nothing may.
    pub until: Option<f64>,
    /// What it meets is looked for no more: it is meant to touch.
    pub may_touch: bool,
}

/// An object to take.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Taking {
    /// The nearest of this model.
    pub model: ShortName,
    /// Only with the hand pointing about so, along the axes of the base; any way where there is none.
    pub pointing: Option<Vector3<f64>>,
    /// Only by what of it is on this side of its middle, along the axes of the base; by any part where there is none.
    pub side: Option<Vector3<f64>>,
    /// Such that it can be turned so then, about an axis in its own frame …
    pub then: Option<Turn>,
    /// … or, where there is none, such that it can be lifted straight by so much [m].
    pub lift: f64,
    /// The fingers hold it with this share of the force with which they may press for long.
    pub force: f64,
}

/// A straight way into something whose opening is not known exactly: where the rim is met, it is tried anew beside that.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Insertion {
    /// How far from where the hand is [m], along the axes of the base.
    pub by: Vector3<f64>,
    /// Something is met where it holds against the hand with this force [N].
    pub until: f64,
    /// It is inside where no more than this is left of the way then [m] …
    pub left: f64,
    /// … or, if this is more than nothing, at the place where it goes deepest, if that is by so much deeper than elsewhere [m].
    pub deeper: f64,
    /// It is tried within this of the first place, along the axes of the base [m] …
    pub around: Vector3<f64>,
    /// … at places so far apart [m].
    pub step: f64,
}

/// An arc of a hand about the axis about which something turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Turn {
    /// In what frame the axis is; an object that the hand holds is where it is held.
    pub frame: Frame,
    /// The axis' direction; how long it is does not count.
    pub axis: Vector3<f64>,
    /// A point of the axis [m].
    pub about: Vector3<f64>,
    /// How far, right-handed about the axis [rad].
    pub by: f64,
    /// The hand stays turned as it is; if not it turns along.
    pub keep: bool,
    /// It ends where something holds against it along its arc with this force [N].
    pub until: f64,
    /// What is turned hangs on nothing: the hand carries it along, and does not give way across the arc. It may meet everything but the robot.
    pub free: bool,
}

/// How all hands stand.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct HandStates {
    /// The time at which this was so.
    pub stamp: Time,
    /// Each hand of the robot, in the order of its file.
    pub hands: Vec<HandState>,
}

/// How a hand stands.
#[derive(Clone, Copy, Debug, PartialEq, State)]
pub struct HandState {
    /// Its name.
    pub hand: ShortName,
    /// The goal that was heard last.
    pub goal: u64,
    /// How far it has got with that.
    pub progress: HandProgress,
    /// The hand in the odometry frame.
    pub pose_in_odom: Isometry3<f64>,
    /// What it holds, if it holds something.
    pub holds: Option<HeldObject>,
    /// Force along the way that is gone, by the work of the joints [N]; zero while nothing moves.
    pub force: f64,
    /// It would go elsewhere if something were seen elsewhere now.
    pub looks: bool,
}

/// An object in a hand.
#[derive(Clone, Copy, Debug, PartialEq, State)]
pub struct HeldObject {
    /// The name of its model.
    pub model: ShortName,
    /// Its identity.
    pub id: u64,
    /// It in the odometry frame.
    pub pose_in_odom: Isometry3<f64>,
}

/// How far a hand has got.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub enum HandProgress {
    /// It thinks.
    #[default]
    Begun,
    /// So much is left.
    Left(Remaining),
    /// It is done.
    Done,
    /// It is done because something held against it, so many metres before the end.
    Touched(f64),
    /// It cannot be done.
    Failed(HandFailure),
}

/// Why a hand cannot do what is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub enum HandFailure {
    /// There is nobody who moves hands.
    #[default]
    Nobody,
    /// Somebody else wants something else of it.
    Replaced,
    /// There is no such hand.
    NoHand(ShortName),
    /// There is no such pose.
    NoPose(ShortName),
    /// No such object is known.
    NoObject(ShortName),
    /// No model of an object has this name.
    NoModel(ShortName),
    /// It holds nothing, or something already.
    Holds(Option<ShortName>),
    /// The other hand does not hold the same thing, or is about something else.
    Apart(ShortName),
    /// The place is out of reach, by so many metres and radians.
    OutOfReach(f64, f64),
    /// Something is in the way.
    Blocked(ShortName, ShortName),
    /// No way was found, with so many samples.
    NoWay(u64),
    /// No grasp of so many can be reached; of so many something is in the way, such as this of that.
    NoGrasp(u64, u64, ShortName, ShortName),
    /// At none of so many places it went in; so much was left at the best [m].
    Stuck(u64, f64),
    /// The fingers closed on nothing.
    Empty,
    /// What was held is lost.
    Lost(ShortName),
    /// A joint is so far from where it was led [rad or m].
    LagsBehind(f64),
    /// Something held against it with so much force [N].
    Pushed(f64),
    /// Somebody whose priority is no lower has its joints.
    NoJoints,
    /// A number that is none, or out of bounds.
    BadGoal,
}

impl fmt::Display for HandFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HandFailure::Nobody => write!(f, "nobody moves hands"),
            HandFailure::Replaced => write!(f, "somebody else wants something else of the hand"),
            HandFailure::NoHand(name) => write!(f, "expected a hand, found '{name}'"),
            HandFailure::NoPose(name) => write!(f, "expected a pose of the robot, found '{name}'"),
            HandFailure::NoObject(name) => write!(f, "no {name} is known"),
            HandFailure::NoModel(name) => write!(f, "expected a model of an object, found '{name}'"),
            HandFailure::Holds(None) => write!(f, "the hand holds nothing"),
            HandFailure::Holds(Some(name)) => write!(f, "the hand holds a {name} already"),
            HandFailure::Apart(name) => {
                write!(f, "expected that {name} holds the same thing and rests, found that it does not")
            }
            HandFailure::OutOfReach(place, turn) => write!(f, "out of reach by {place:.3} m and {turn:.3} rad"),
            HandFailure::Blocked(one, other) => write!(f, "{one} would meet {other}"),
            HandFailure::NoWay(samples) => write!(f, "no way was found with {samples} samples"),
            HandFailure::NoGrasp(grasps, 0, ..) => write!(f, "all {grasps} grasps are out of reach"),
            HandFailure::NoGrasp(grasps, blocked, one, other) => {
                write!(
                    f,
                    "none of {grasps} grasps can be reached: of {blocked} something is in the way, as {one} would meet {other}"
                )
            }
            HandFailure::Stuck(places, left) => {
                write!(f, "at none of {places} places it went in, {left:.3} m are left")
            }
            HandFailure::Empty => write!(f, "the fingers closed on nothing"),
            HandFailure::Lost(name) => write!(f, "the hand has lost its {name}"),
            HandFailure::LagsBehind(far) => write!(f, "a joint is {far:.3} rad from where it was led"),
            HandFailure::Pushed(force) => write!(f, "something held against the hand with {force:.0} N"),
            HandFailure::NoJoints => write!(f, "somebody whose priority is no lower has the arm"),
            HandFailure::BadGoal => write!(f, "a number of the goal is out of bounds"),
        }
    }
}

impl Default for Place {
    fn default() -> Self {
        Place {
            frame: Frame::Base,
            pose: Isometry3::identity(),
            of_held: false,
            along_base: false,
            any_turn: false,
            then: Vector3::zeros(),
        }
    }
}

impl Default for HeldObject {
    fn default() -> Self {
        HeldObject { model: ShortName::default(), id: 0, pose_in_odom: Isometry3::identity() }
    }
}

impl Default for HandState {
    fn default() -> Self {
        HandState {
            hand: ShortName::default(),
            goal: 0,
            progress: HandProgress::Begun,
            pose_in_odom: Isometry3::identity(),
            holds: None,
            force: 0.0,
            looks: false,
        }
    }
}
