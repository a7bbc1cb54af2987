//! What navigation is asked, and what it answers in each cycle.

use robot_io::{Pose2, Side, State, StepEdge, Twist};

use crate::Reach;

/// Where to go.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Goal {
    /// The pose to reach, on the map.
    pub pose_in_map: Pose2,
    /// Whether the heading matters.
    pub with_heading: bool,
    /// How near counts as reached [m].
    pub tolerance: f64,
    /// How well turned counts as reached [rad].
    pub heading_tolerance: f64,
    /// Not faster than this [m/s].
    pub speed: f64,
}

impl Goal {
    /// True if it is the same goal as another for all that matters: it is within a distance [m] and an angle [rad] of it.
    pub(crate) fn hardly_differs(&self, other: &Goal, distance: f64, angle: f64) -> bool {
        let turn = robot_io::math::wrap_angle(other.pose_in_map.yaw - self.pose_in_map.yaw).abs();
        other.pose_in_map.distance(&self.pose_in_map) <= distance
            && (turn <= angle || !self.with_heading)
            && other.with_heading == self.with_heading
    }
}

/// What to do now.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Guidance {
    /// The velocity of the base, in the base frame.
    pub twist: Twist,
    /// How it stands.
    pub status: Status,
    /// Way left along the plan [m]; not-a-number while there is no plan.
    pub distance_left: f64,
}

/// Something that moves and to which the robot gives way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approaching {
    /// Its speed [m/s].
    pub speed: f64,
    /// The side of the robot on which it is.
    pub side: Side,
}

/// How it stands with the goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub enum Status {
    /// No goal, or no plan yet.
    #[default]
    Waiting,
    /// On the way.
    Driving,
    /// At the place, turning to the heading; a new plan does not send it off again.
    Turning,
    /// An edge is just ahead, and the robot stands square to it: whoever moves the legs takes over, and tells when it is over.
    AtEdge(StepEdge),
    /// The goal is reached.
    Arrived,
    /// Something is in the way; waiting for a new plan.
    Blocked,
    /// Out of the way of something that moves, until it has passed.
    GivingWay,
    /// No progress: trying to get free. The number counts the tries.
    Recovering(u32),
    /// There is no way; so near can one come.
    Unreachable(Reach),
    /// All recoveries have failed.
    Stuck,
}
