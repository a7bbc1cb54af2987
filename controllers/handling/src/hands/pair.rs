//! Two hands that hold one thing: a way of one is a way of both.

use manipulation::LimbGoal;
use nalgebra::Isometry3;

use super::goal::{HandFailure, HandTask};
use super::plan::{Question, Refusal, Work};

impl Question {
    /// The arm that goes along, if one shall: it has to hold the same thing.
    pub fn second(&self) -> Result<Option<usize>, Refusal> {
        let Some(name) = &self.with else { return Ok(None) };
        let is_rigid = match self.task {
            HandTask::Shift(_) => true,
            HandTask::Turn(turn) => turn.free && !turn.keep,
            _ => false,
        };
        // on feet each arm makes up for a base that gives way by itself
        if !is_rigid || !self.body.robot.description.feet.is_empty() {
            return Err(HandFailure::BadGoal);
        }
        let other = self.body.arms.iter().position(|arm| arm.name == *name).ok_or(HandFailure::NoHand(*name))?;
        let holds_same = self.held[self.arm].zip(self.held[other]).is_some_and(|(one, two)| one.id == two.id);
        if other != self.arm && holds_same { Ok(Some(other)) } else { Err(HandFailure::Apart(*name)) }
    }
}

impl Work<'_> {
    /// Where the hand that goes along has to be where the first one comes to a pose in the frame of the base.
    pub fn along(&self, pose_in_base: &Isometry3<f64>, joints: &[f64]) -> Option<LimbGoal> {
        let second = &self.question.body.arms[self.second?];
        let in_base = self.question.base_in_odom.inverse();
        let moved = pose_in_base * (in_base * self.hand_at(joints)).inverse();
        let pose_in_base = moved * in_base * self.hand_of(second, joints);
        Some(LimbGoal::Hand { hand: second.link, pose_in_base, relative_to: None })
    }
}
