//! Lets the skills of a mission work, one at a time.

use robot_io::{Commands, Event, Events, Odometry, Pose2, Readings, Severity, State, Subject, Twist};

use super::reach::Reach;
use super::{FAILED, Feedback, Skill, SkillContext};
use crate::SOURCE;
use crate::posture::Posture;
use crate::progress::Remaining;
use crate::stance::Stance;

/// The skills of a mission's steps, in their order, and which one is at work.
#[derive(Debug, Default, State)]
pub(crate) struct SkillRunner {
    #[state(elements)]
    skills: Vec<Box<dyn Skill>>,
    active: Option<usize>,
    begins: bool,
    /// Cycles in which it has worked since it began.
    cycles: u64,
    progress: Progress,
    reach: Reach,
}

/// How far the skill that began last has got.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub(crate) enum Progress {
    /// Nothing is known of it yet.
    #[default]
    Begun,
    /// So much is left.
    Left(Remaining),
    /// It is done.
    Done,
    /// It cannot be done.
    Failed,
}

/// What a mission lends its skill for a cycle.
#[derive(Debug)]
pub(crate) struct Loan<'a> {
    /// What the robot measures.
    pub readings: &'a Readings,
    /// Where it is.
    pub odometry: &'a Odometry,
    /// Where it believes to be in the world.
    pub pose_in_world: Pose2,
    /// The step under way.
    pub step: usize,
    /// The control cycle [s].
    pub cycle_time: f64,
    /// What it is told.
    pub commands: &'a mut Commands,
    /// What is told to people.
    pub events: &'a mut Events,
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
            (self.begins, self.progress) = (true, Progress::Begun);
        }
    }

    /// After a stop it is tried again: what it said does not count any more.
    pub fn forget_failure(&mut self) {
        self.progress = Progress::Begun;
    }

    /// A pose wants all joints: none stays where a skill has left it.
    pub fn let_go(&mut self) {
        self.reach.let_go();
    }

    /// How far it has got.
    pub fn progress(&self) -> Progress {
        self.progress
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
        let is_over = matches!(self.progress, Progress::Done | Progress::Failed);
        if is_over {
            return None;
        }
        let Loan { readings, odometry, pose_in_world, step, cycle_time, commands, events } = loan;
        self.cycles = if self.begins { 0 } else { self.cycles + 1 };
        let elapsed = self.cycles as f64 * cycle_time;
        let reach = &mut self.reach;
        let mut context = SkillContext { readings, odometry, pose_in_world, elapsed, step, commands, reach, events };
        if core::mem::take(&mut self.begins) {
            skill.start(&mut context);
        }
        let feedback = skill.update(&mut context);
        let feedback = match self.reach.broken.take() {
            Some(broken) => Feedback::Failed(broken.to_owned()),
            None => feedback,
        };
        self.progress = match feedback {
            Feedback::Left(left) => Progress::Left(left),
            Feedback::Done => Progress::Done,
            Feedback::Failed(why) => {
                let event = Event {
                    what: format!("{FAILED}{why}").into(),
                    ..Event::note(readings.time, Severity::Warning, SOURCE, "")
                };
                events.push(event.about(Subject::Step(step)));
                Progress::Failed
            }
        };
        if !matches!(self.progress, Progress::Left(_)) {
            self.reach.twist = Twist::default();
        }
        self.reach.stance.take()
    }
}
