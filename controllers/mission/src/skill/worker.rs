//! One skill at work.

use robot_io::{Commands, Event, Events, Odometry, Pose2, Readings, Severity, State, Subject, Twist};

use runtime::chart::{Interface, Value};

use super::ends::AllEnds;
use super::reach::Reach;
use super::registry::{DONE as DONE_OUTCOME, FAILED as FAILED_OUTCOME};
use super::{Ending, FAILED, Feedback, Skill, SkillContext};
use crate::base::BaseProgress;
use crate::motion::MotionProgress;
use crate::progress::Remaining;

/// Since when a skill has been at work, and how far it has got.
#[derive(Clone, Debug, Default, State)]
pub(crate) struct Worker {
    begins: bool,
    /// Cycles in which it has worked since it began.
    cycles: u64,
    progress: Progress,
    /// How it has ended, by its place among its outcomes …
    outcome: usize,
    /// … and what it tells.
    outputs: Vec<Option<Value>>,
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

impl From<MotionProgress> for Progress {
    fn from(motion: MotionProgress) -> Progress {
        match motion {
            MotionProgress::Begun => Progress::Begun,
            MotionProgress::Left(left) => Progress::Left(left),
            MotionProgress::Done => Progress::Done,
            MotionProgress::Failed => Progress::Failed,
        }
    }
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
    /// How far the base has got with what it has sent it to.
    pub base: Option<BaseProgress>,
    /// How it may end; a step of a mission asks for no more than that it is done.
    pub interface: Option<&'a Interface>,
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
    /// Where other components are reached.
    pub ends: Option<&'a mut AllEnds>,
}

impl Worker {
    /// The skill is to begin, or to begin again.
    pub fn begin(&mut self) {
        (self.begins, self.progress, self.outcome) = (true, Progress::Begun, DONE_OUTCOME);
        self.outputs.clear();
    }

    /// What it said does not count any more.
    pub fn forget(&mut self) {
        self.progress = Progress::Begun;
    }

    /// It cannot go on, or not even begin.
    pub fn fail(&mut self) {
        (self.progress, self.outcome) = (Progress::Failed, FAILED_OUTCOME);
    }

    /// How far it has got.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// True if there is nothing left to do, or nothing can be done.
    pub fn is_over(&self) -> bool {
        matches!(self.progress, Progress::Done | Progress::Failed)
    }

    /// How it has ended, by its place among its outcomes, and its outputs.
    pub fn ending(&self) -> (usize, &[Option<Value>]) {
        (self.outcome, &self.outputs)
    }

    /// Takes note of how it has ended; a failure if it may not end so.
    fn end(&mut self, ending: Ending, interface: Option<&Interface>) -> Feedback {
        let Ending { outcome, outputs } = ending;
        let Some(Interface { name, outcomes, outputs: known, .. }) = interface else {
            return if outcome == "done" {
                Feedback::Done
            } else {
                Feedback::Failed(format!("it ended as '{outcome}'"))
            };
        };
        let Some(place) = outcomes.iter().position(|known| *known == outcome) else {
            let expected = outcomes.join(", ");
            return Feedback::Failed(format!("expected one of {expected} as an end of '{name}', found '{outcome}'"));
        };
        self.outputs = vec![None; known.len()];
        for (output, value) in outputs {
            let Some(at) = known.iter().position(|known| known.name == output && known.kind == value.kind()) else {
                let kind = value.kind();
                return Feedback::Failed(format!("expected an output of '{name}', found '{output}', a {kind}"));
            };
            self.outputs[at] = Some(value);
        }
        self.outcome = place;
        match place {
            FAILED_OUTCOME => Feedback::Failed("it says so".to_owned()),
            _ => Feedback::Done,
        }
    }

    /// One cycle of it.
    pub fn update(&mut self, skill: &mut dyn Skill, reach: &mut Reach, loan: Loan<'_>) {
        let Loan { readings, odometry, pose_in_world, base, interface, .. } = loan;
        let Loan { source, subject, cycle_time, commands, events, ends, .. } = loan;
        self.cycles = if self.begins { 0 } else { self.cycles + 1 };
        let elapsed = self.cycles as f64 * cycle_time;
        let mut context = SkillContext {
            readings,
            odometry,
            pose_in_world,
            elapsed,
            base,
            source,
            subject,
            commands,
            reach,
            ends,
            events,
        };
        if core::mem::take(&mut self.begins) {
            skill.start(&mut context);
        }
        let feedback = skill.update(&mut context);
        let feedback = match (reach.broken.take(), feedback) {
            (Some(broken), _) => Feedback::Failed(broken.to_owned()),
            (None, Feedback::Ended(ending)) => self.end(ending, interface),
            (None, feedback) => feedback,
        };
        self.progress = match feedback {
            Feedback::Left(left) => Progress::Left(left),
            Feedback::Done | Feedback::Ended(_) => Progress::Done,
            Feedback::Failed(why) => {
                self.outcome = FAILED_OUTCOME;
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
