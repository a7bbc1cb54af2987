//! What the person at the desk does.

use serde::{Deserialize, Serialize};

use crate::{Pose2, State, StateVisitor, Twist};

/// One cycle of operator input: like a sensor, so that it is recorded and replayed with the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OperatorInput {
    /// The stick's velocity command; `None` while nobody touches it.
    pub twist: Option<Twist>,
    /// A button, in the cycle in which it is pressed.
    pub request: Option<OperatorRequest>,
}

/// What a button asks for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum OperatorRequest {
    /// Stop and hold until resumed.
    Pause,
    /// Go on with the mission.
    Resume,
    /// Drive to this pose in the world next, then go on with the mission.
    GoTo(Pose2),
    /// Stop at once and stay stopped.
    EmergencyStop,
    /// The way back from an emergency stop.
    ClearEmergencyStop,
}

impl State for OperatorInput {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("twist", &mut self.twist);
        visitor.field("request", &mut self.request);
    }
}

/// Needed to restore an `Option`; a pause is the harmless request.
impl Default for OperatorRequest {
    fn default() -> Self {
        OperatorRequest::Pause
    }
}

impl State for OperatorRequest {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let (mut code, mut pose) = match *self {
            OperatorRequest::Pause => (0_u64, Pose2::default()),
            OperatorRequest::Resume => (1, Pose2::default()),
            OperatorRequest::GoTo(pose) => (2, pose),
            OperatorRequest::EmergencyStop => (3, Pose2::default()),
            OperatorRequest::ClearEmergencyStop => (4, Pose2::default()),
        };
        code.visit_state(visitor);
        pose.visit_state(visitor);
        *self = match code {
            1 => OperatorRequest::Resume,
            2 => OperatorRequest::GoTo(pose),
            3 => OperatorRequest::EmergencyStop,
            4 => OperatorRequest::ClearEmergencyStop,
            _ => OperatorRequest::Pause,
        };
    }
}
