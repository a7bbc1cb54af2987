//! Lets the skills of a mission work, one at a time.

use robot_io::{Commands, State, Twist};

use super::Skill;
use super::reach::Reach;
use super::worker::{Loan, Progress, Worker};
use crate::posture::Posture;
use crate::stance::Stance;

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
        SkillRunner { skills, reach: Reach::on_the_spot(), ..SkillRunner::default() }
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

    /// The joints that skills have moved stay where they were told to be.
    pub fn hold(&self, posture: &Posture, commands: &mut Commands) {
        self.reach.keep(posture, commands);
    }

    /// One cycle of the skill at work; a stance that it asks for.
    pub fn update(&mut self, loan: Loan<'_>) -> Option<(Stance, f64)> {
        let skill = self.skills.get_mut(self.active?)?;
        if self.worker.is_over() {
            return None;
        }
        self.worker.update(skill.as_mut(), &mut self.reach, loan);
        self.reach.stance.take()
    }
}
