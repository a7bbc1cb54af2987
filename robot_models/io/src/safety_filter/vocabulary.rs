//! The words in which the safety filter speaks of what it allows, changed and stopped.

use crate::{Cause, CauseKind, Period, State, StateVisitor};

/// What the filter allows beyond the layout's own limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SafetyLimits {
    /// How far a position set-point may move in one cycle, as a multiple of the joint's velocity limit.
    pub rate_factor: f64,
    /// A joint whose reading is older than this is held.
    pub stale_after: Period,
    /// A joint whose reading is older than this stops the robot.
    pub stop_after: Period,
    /// A controller whose answer is this many cycles old stops the robot.
    pub watchdog_cycles: u64,
    /// An intervention of the same kind on the same joint is reported again after this time.
    pub report_again_after: Period,
}

impl Default for SafetyLimits {
    fn default() -> Self {
        SafetyLimits {
            rate_factor: 1.5,
            stale_after: Period::from_milliseconds(20),
            stop_after: Period::from_milliseconds(200),
            watchdog_cycles: 5,
            report_again_after: Period::from_milliseconds(1_000),
        }
    }
}

/// What the filter changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intervention {
    /// The joint's index in the layout.
    pub joint: usize,
    /// What was wrong.
    pub kind: InterventionKind,
    /// The number asked for.
    pub requested: f64,
    /// The number passed on.
    pub allowed: f64,
}

/// What was wrong with a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterventionKind {
    /// A position set-point outside the joint's range.
    Position,
    /// A velocity set-point above the joint's limit.
    Velocity,
    /// A feed-forward effort above the joint's limit.
    Effort,
    /// A position set-point that jumps.
    Rate,
    /// A command that is not a number, or a negative gain.
    NotFinite,
    /// A joint whose readings have stopped.
    Stale,
}

impl InterventionKind {
    pub(super) const COUNT: usize = 6;

    /// What happened, with the unit of the numbers.
    pub const fn text(self) -> &'static str {
        match self {
            InterventionKind::Position => "position set-point clamped [rad]",
            InterventionKind::Velocity => "velocity set-point clamped [rad/s]",
            InterventionKind::Effort => "feed-forward effort clamped [N·m]",
            InterventionKind::Rate => "jump of the position set-point limited [rad]",
            InterventionKind::NotFinite => "command refused, not a finite number or a negative gain",
            InterventionKind::Stale => "no fresh reading, joint held; age and limit [s]",
        }
    }
}

/// Why the robot was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopCause {
    /// The operator pressed the button.
    Operator,
    /// The controller asked for it.
    Controller,
    /// The controller's answers stopped or came too late.
    Watchdog,
    /// The robot itself failed: it is in [`Lifecycle::Fault`](crate::Lifecycle::Fault).
    Robot,
    /// A joint's readings stopped; the index in the layout.
    StaleJoint(usize),
}

impl StopCause {
    /// What happened, with the unit of the numbers.
    pub const fn text(self) -> &'static str {
        match self {
            StopCause::Operator => "emergency stop by the operator",
            StopCause::Controller => "emergency stop by the controller",
            StopCause::Watchdog => {
                "emergency stop by the watchdog, controller overrun; age of its commands and limit [cycles]"
            }
            StopCause::Robot => {
                "emergency stop, the robot is in fault and says why; clear the stop when that is mended"
            }
            StopCause::StaleJoint(_) => "emergency stop, readings have stopped; age and limit [s]",
        }
    }
}

impl StopCause {
    /// The cause as a controller reads it; `None` for a failed robot, which tells its causes itself.
    pub(super) fn told(self, limits: &SafetyLimits) -> Option<Cause> {
        let of = |kind, limit| Some(Cause::new(kind, limit, limit));
        match self {
            StopCause::Operator => of(CauseKind::OperatorStop, 0.0),
            StopCause::Controller => of(CauseKind::ControllerStop, 0.0),
            StopCause::Watchdog => of(CauseKind::Overrun, limits.watchdog_cycles as f64),
            StopCause::StaleJoint(joint) => {
                let cause = of(CauseKind::StaleJoint, limits.stop_after.seconds());
                cause.map(|cause| Cause { joint: Some(joint), ..cause })
            }
            StopCause::Robot => None,
        }
    }
}

/// The code of [`StopCause::Robot`]: from 3 on stand the joints.
const ROBOT: u64 = u64::MAX;

/// Needed to restore an `Option`; any cause will do, as its code follows.
impl Default for StopCause {
    fn default() -> Self {
        StopCause::Operator
    }
}

impl State for StopCause {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let mut code = match *self {
            StopCause::Operator => 0_u64,
            StopCause::Controller => 1,
            StopCause::Watchdog => 2,
            StopCause::Robot => ROBOT,
            StopCause::StaleJoint(joint) => 3 + joint as u64,
        };
        code.visit_state(visitor);
        *self = match code {
            0 => StopCause::Operator,
            1 => StopCause::Controller,
            2 => StopCause::Watchdog,
            ROBOT => StopCause::Robot,
            joint => StopCause::StaleJoint((joint - 3) as usize),
        };
    }
}
