//! Joints that somebody else has for a while, as hands that are led: the whole body balances what they do, and does not lead them.

use robot_io::{Commands, JointCommand, State};

/// For each joint what it is told by who has it; nothing for the robot's own.
#[derive(Clone, Debug, State)]
pub(super) struct Lent {
    #[state(scratch)]
    told: Vec<Option<JointCommand>>,
}

impl Lent {
    /// None of so many.
    pub fn new(joints: usize) -> Lent {
        Lent { told: vec![None; joints] }
    }

    /// Somebody has a joint and tells it this, or nobody has.
    pub fn note(&mut self, joint: usize, told: Option<JointCommand>) {
        self.told[joint] = told;
    }

    /// What a joint does: what it is told by who has it, or else this.
    pub fn command(&self, joint: usize, own: JointCommand) -> JointCommand {
        self.told[joint].unwrap_or(own)
    }

    /// Puts what they are told in the place of what is commanded here, which nobody does.
    pub fn put_into(&self, sent: &mut Commands) {
        for (sent, told) in sent.joints.iter_mut().zip(&self.told) {
            *sent = told.unwrap_or(*sent);
        }
    }
}
