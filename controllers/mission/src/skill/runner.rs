//! Lets the skills of a mission work, one at a time.

use robot_io::{Commands, State, Twist};

use super::Skill;
use super::reach::Reach;
use super::worker::{Loan, Progress, Worker};
use crate::base::BaseTask;
use crate::posture::Posture;
use crate::stance::Stance;

/// What the skill at work has asked for in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Wishes {
    /// Another stance, and within how many seconds.
    pub stance: Option<(Stance, f64)>,
    /// It moves the base itself: wherever it had sent the base, it is sent there no more.
    pub drives: bool,
    /// Where it sends the base.
    pub base: Option<BaseTask>,
}

/// The skills of a mission's steps, in their order, and which one is at work.
#[derive(Debug, Default, State)]
pub(crate) struct SkillRunner {
    #[state(elements)]
    skills: Vec<Box<dyn Skill>>,
    active: Option<usize>,
    worker: Worker,
    reach: Reach,
}

impl SkillRunner {
    /// The skills of a mission's steps, in their order.
    pub fn new(skills: Vec<Box<dyn Skill>>) -> SkillRunner {
        SkillRunner { skills, ..SkillRunner::default() }
    }

    /// True if the mission has no skill beside what every mission can do.
    pub fn is_empty(&self) -> bool {
        self.skills.is_empty()
    }

    /// Forgets what was done.
    pub fn reset(&mut self) {
        *self = SkillRunner::new(core::mem::take(&mut self.skills));
    }

    /// This one is to work from now on, or none.
    pub fn attend(&mut self, skill: Option<usize>, begins: bool) {
        self.active = skill;
        if skill.is_none() || begins {
            self.reach.twist = Twist::default();
        }
        if skill.is_some() && begins {
            self.worker.begin();
        }
    }

    /// After a stop it is tried again: what it said does not count any more.
    pub fn forget_failure(&mut self) {
        self.worker.forget();
    }

    /// The one at work has broken: it counts as failed, and the base stands.
    pub fn fail(&mut self) {
        self.worker.fail();
        self.reach.twist = Twist::default();
    }

    /// A pose wants all joints: none stays where a skill has left it.
    pub fn let_go(&mut self) {
        self.reach.let_go();
    }

    /// How far it has got.
    pub fn progress(&self) -> Progress {
        self.worker.progress()
    }

    /// The velocity that the base shall have.
    pub fn twist(&self) -> Twist {
        self.reach.twist
    }

    /// Whether the one at work has wanted touch since this was last asked.
    pub fn takes_touch(&mut self) -> bool {
        core::mem::take(&mut self.reach.touches)
    }

    /// The joints that skills have moved stay where they were told to be.
    pub fn hold(&self, posture: &Posture, commands: &mut Commands) {
        self.reach.keep(posture, commands);
    }

    /// The base shall have this velocity.
    pub fn drive(&mut self, twist: Twist) {
        self.reach.twist = twist;
    }

    /// One cycle of the skill at work, and what it asks for.
    pub fn update(&mut self, loan: Loan<'_>) -> Wishes {
        let skill = self.active.and_then(|active| self.skills.get_mut(active));
        let Some(skill) = skill.filter(|_| !self.worker.is_over()) else { return Wishes::default() };
        self.worker.update(skill.as_mut(), &mut self.reach, loan);
        let Reach { stance, has_driven, sends_base, .. } = &mut self.reach;
        Wishes { stance: stance.take(), drives: core::mem::take(has_driven), base: sends_base.take() }
    }
}
