//! One skill at work.

use robot_io::{Commands, Event, Events, Odometry, Pose2, Readings, Severity, State, Subject, Twist};

use super::reach::Reach;
use super::{FAILED, Feedback, Skill, SkillContext};
use crate::progress::Remaining;

/// Since when a skill has been at work, and how far it has got.
#[derive(Clone, Copy, Debug, Default, State)]
pub(crate) struct Worker {
    begins: bool,
    /// Cycles in which it has worked since it began.
    cycles: u64,
    progress: Progress,
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

/// What a skill is lent for a cycle.
#[derive(Debug)]
pub(crate) struct Loan<'a> {
    /// What the robot measures.
    pub readings: &'a Readings,
    /// Where it is, if somebody knows.
    pub odometry: Option<&'a Odometry>,
    /// Where it believes to be in the world, if somebody does.
    pub pose_in_world: Option<Pose2>,
    /// Who says what it says.
    pub source: &'static str,
    /// What its events are about.
    pub subject: Subject,
    /// The control cycle [s].
    pub cycle_time: f64,
    /// What it is told.
    pub commands: &'a mut Commands,
    /// What is told to people.
    pub events: &'a mut Events,
}

impl Worker {
    /// The skill is to begin, or to begin again.
    pub fn begin(&mut self) {
        (self.begins, self.progress) = (true, Progress::Begun);
    }

    /// What it said does not count any more.
    pub fn forget(&mut self) {
        self.progress = Progress::Begun;
    }

    /// It cannot go on, or not even begin.
    pub fn fail(&mut self) {
        self.progress = Progress::Failed;
    }

    /// How far it has got.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// True if there is nothing left to do, or nothing can be done.
    pub fn is_over(&self) -> bool {
        matches!(self.progress, Progress::Done | Progress::Failed)
    }

    /// One cycle of it.
    pub fn update(&mut self, skill: &mut dyn Skill, reach: &mut Reach, loan: Loan<'_>) {
        let Loan { readings, odometry, pose_in_world, source, subject, cycle_time, commands, events } = loan;
        self.cycles = if self.begins { 0 } else { self.cycles + 1 };
        let elapsed = self.cycles as f64 * cycle_time;
        let mut context =
            SkillContext { readings, odometry, pose_in_world, elapsed, source, subject, commands, reach, events };
        if core::mem::take(&mut self.begins) {
            skill.start(&mut context);
        }
        let feedback = skill.update(&mut context);
        let feedback = match reach.broken.take() {
            Some(broken) => Feedback::Failed(broken.to_owned()),
            None => feedback,
        };
        self.progress = match feedback {
            Feedback::Left(left) => Progress::Left(left),
            Feedback::Done => Progress::Done,
            Feedback::Failed(why) => {
                let note = Event::note(readings.time, Severity::Warning, source, "");
                events.push(Event { what: format!("{FAILED}{why}").into(), ..note }.about(subject));
                Progress::Failed
            }
        };
        if self.is_over() {
            reach.twist = Twist::default();
        }
    }
}
