//! What skills have a hold of.

use robot_io::{Commands, JointCommand, State, Twist};

use super::SkillJoint;
use crate::base::BaseTask;
use crate::posture::{Posture, PostureJoint};
use crate::stance::Stance;

/// The joints that skills have moved, and what the one at work wants of the base.
#[derive(Clone, Debug, Default, State)]
pub(crate) struct Reach {
    /// The joints that were moved, each where it was last told to be.
    held: Vec<Held>,
    /// The velocity that the base shall have.
    pub twist: Twist,
    #[state(scratch)]
    pub stance: Option<(Stance, f64)>,
    #[state(scratch)]
    pub broken: Option<&'static str>,
    /// Joints that another skill moves at the same time.
    #[state(scratch)]
    pub others: Vec<usize>,
    /// Why the base cannot be had.
    #[state(scratch)]
    pub refuses_base: Option<&'static str>,
    /// The base has been asked for a velocity or a stance in this cycle.
    #[state(scratch)]
    pub has_driven: bool,
    /// Touch is wanted in this cycle.
    #[state(scratch)]
    pub touches: bool,
    /// Where the base has been sent in this cycle.
    #[state(scratch)]
    pub sends_base: Option<BaseTask>,
}

#[derive(Clone, Copy, Debug, Default, State)]
struct Held {
    joint: usize,
    position: f64,
}

impl Reach {
    /// A joint stays at a position; false if it is another skill's.
    pub fn hold(&mut self, joint: &SkillJoint, position: f64) -> bool {
        if self.others.contains(&joint.index()) {
            self.broken = Some("asked for a joint that another skill moves");
            return false;
        }
        match self.held.iter_mut().find(|held| held.joint == joint.index()) {
            Some(held) => held.position = position,
            None => self.held.push(Held { joint: joint.index(), position }),
        }
        true
    }

    /// The base is to be moved; false if it cannot be had.
    pub fn take_base(&mut self) -> bool {
        self.broken = self.broken.or(self.refuses_base);
        self.has_driven |= self.refuses_base.is_none();
        self.refuses_base.is_none()
    }

    /// The joints that were moved.
    pub fn joints(&self) -> impl Iterator<Item = usize> {
        self.held.iter().map(|held| held.joint)
    }

    /// The joints that were moved stay where they were told to be.
    pub fn keep(&self, posture: &Posture, commands: &mut Commands) {
        for Held { joint, position } in &self.held {
            let Some(PostureJoint { stiffness, damping, .. }) = posture.joint(*joint).copied() else { continue };
            let command = &mut commands.joints[*joint];
            *command = JointCommand { position: *position, velocity: 0.0, stiffness, damping, ..*command };
        }
    }

    /// Nobody has a hold of any joint.
    pub fn let_go(&mut self) {
        self.held.clear();
    }
}
