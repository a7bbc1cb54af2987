//! What the skills of a chart want of the base, one at a time.

use robot_io::{ShortName, State, Time};
use runtime::{Cycle, Declaration, Reads, Stream, Writes};

use crate::base::{
    BASE, BASE_GOAL, BaseFailure, BaseGoal, BaseProgress, BaseStatus, BaseTask, GoalStatus, StanceChange,
};
use crate::progress::Remaining;
use crate::skill::Reach;

/// A base that has not answered for so long is not there [s].
const PATIENCE: f64 = 0.1;

/// The ends of the channels to whoever moves the base.
#[derive(Debug, Default, State)]
pub(super) struct BaseEnds {
    #[state(fixed)]
    name: ShortName,
    #[state(fixed)]
    goals: Option<Writes<Stream<BaseGoal>>>,
    #[state(fixed)]
    status: Option<Reads<Stream<BaseStatus>>>,
    /// Goals so far.
    count: u64,
    /// What was said last.
    said: BaseGoal,
}

impl BaseEnds {
    pub fn declare(&mut self, wants: &mut Declaration<'_>) {
        self.name = ShortName::new(wants.name()).unwrap_or_default();
        self.goals = Some(wants.writes(BASE_GOAL));
        self.status = Some(wants.reads_if_there(BASE));
    }

    /// How it stands with the base.
    pub fn status<'c>(&self, cycle: &'c Cycle<'_>) -> Option<&'c BaseStatus> {
        self.status.and_then(|status| cycle.latest(status))
    }

    /// Says what is wanted; that nothing is wanted any more is said once.
    pub fn want(&mut self, cycle: &mut Cycle<'_>, goal: Option<BaseGoal>) {
        let goal = goal.unwrap_or(BaseGoal { task: BaseTask::Nothing, ..self.said });
        if goal.task == BaseTask::Nothing && self.said.task == BaseTask::Nothing {
            return;
        }
        self.said = BaseGoal { stamp: cycle.now(), ..goal };
        if let Some(goals) = self.goals {
            cycle.write(goals, self.said);
        }
    }

    fn new_goal(&mut self, task: BaseTask) -> BaseGoal {
        self.count += 1;
        BaseGoal { by: self.name, id: self.count, task, ..BaseGoal::default() }
    }
}

/// What one skill wants of the base, and how it stands with it.
#[derive(Clone, Copy, Debug, Default, State)]
pub(super) struct Claim {
    goal: Option<BaseGoal>,
    made_at: Time,
    progress: BaseProgress,
    is_held_up: bool,
    stance: Option<StanceChange>,
}

impl Claim {
    /// True if it wants something.
    pub fn is_made(&self) -> bool {
        self.goal.is_some()
    }

    /// What it wants.
    pub fn goal(&self) -> Option<&BaseGoal> {
        self.goal.as_ref()
    }

    /// How far the base has got with it.
    pub fn progress(&self) -> Option<BaseProgress> {
        self.goal.map(|_| self.progress)
    }

    /// Why the base does not move with the velocity that the skill wants.
    pub fn failure(&self) -> Option<&'static str> {
        let drives = matches!(self.goal, Some(BaseGoal { task: BaseTask::Drive { .. }, .. }));
        match self.progress {
            BaseProgress::Failed(why) if drives => Some(why.text()),
            _ => None,
        }
    }

    /// True while the base is held up.
    pub fn is_held_up(&self) -> bool {
        self.is_held_up
    }

    /// Looks how it stands with it; true while the base is held up.
    pub fn look(&mut self, status: Option<&BaseStatus>, now: Time) -> bool {
        let Some(goal) = &self.goal else { return false };
        // it is heard in the next cycle
        let answered = status.filter(|status| status.stamp > self.made_at);
        let is_late = |since: Time| now.since(since).seconds() > PATIENCE;
        let failed = |why| GoalStatus { progress: BaseProgress::Failed(why), ..GoalStatus::default() };
        let found = match answered {
            None if !is_late(self.made_at) => GoalStatus::default(),
            None => failed(BaseFailure::Nobody),
            Some(status) if is_late(status.stamp) => failed(BaseFailure::Nobody),
            Some(status) => status.of(goal).copied().unwrap_or(failed(BaseFailure::Replaced)),
        };
        (self.progress, self.is_held_up) = (found.progress, found.is_held_up);
        self.is_held_up
    }

    /// Takes up what the skill has asked for in this cycle.
    pub fn make(&mut self, reach: &mut Reach, base: &mut BaseEnds, now: Time) {
        if let Some(task) = reach.sends_base.take() {
            self.begin(base.new_goal(task), now);
        }
        if !core::mem::take(&mut reach.has_driven) {
            return;
        }
        if let Some((stance, seconds)) = reach.stance.take() {
            self.stance = Some(StanceChange { stance, seconds });
        }
        let task = BaseTask::Drive { twist: reach.twist, stance: self.stance };
        match &mut self.goal {
            Some(BaseGoal { task: wanted @ BaseTask::Drive { .. }, .. }) => *wanted = task,
            _ => self.begin(base.new_goal(task), now),
        }
    }

    fn begin(&mut self, goal: BaseGoal, now: Time) {
        let progress = BaseProgress::Left(Remaining::default());
        let progress = if matches!(goal.task, BaseTask::Drive { .. }) { progress } else { BaseProgress::Begun };
        *self = Claim { goal: Some(goal), made_at: now, progress, is_held_up: false, stance: self.stance };
    }
}
