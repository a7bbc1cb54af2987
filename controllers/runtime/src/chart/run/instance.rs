//! A chart that is active.

use robot_io::{Period, State, Time};

use super::path::StatePath;
use super::{Active, Doing, Skills, Told};
use crate::chart::book::Book;
use crate::chart::model::{
    Autonomy, Node, Place, REFUSED, Region, STALLED, Source, TIMED_OUT, Target, Task, Then, What, Work,
};
use crate::chart::value::{Value, defaults};

/// A chart that is active, as the state of another one or by itself.
#[derive(Clone, Debug, Default, State)]
pub(super) struct Instance {
    chart: usize,
    inputs: Vec<Option<Value>>,
    locals: Vec<Option<Value>>,
    pub outputs: Vec<Option<Value>>,
    state: usize,
    entered: Time,
    progress: Progress,
    /// For each state and each of its outcomes how often it has ended so in a row.
    rungs: Vec<Vec<u64>>,
    work: Vec<Piece>,
    /// How it has ended, while an operator is asked.
    asks: Option<End>,
}

/// A piece of work under way: of a state, or of one of its regions.
#[derive(Clone, Debug, Default, State)]
struct Piece {
    /// What it is told, for beginning it again after a pause.
    told: Vec<Option<Value>>,
    doer: Doer,
    /// It has ended and waits for the others.
    waits: bool,
}

#[derive(Clone, Debug, State)]
enum Doer {
    Skill(u64),
    Chart(Box<Instance>),
}

/// The end of a state or of a piece of work.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub(super) struct End {
    pub outcome: usize,
    outputs: Vec<Option<Value>>,
}

/// What is left, and since when it has not become less.
#[derive(Clone, Copy, Debug, Default, State)]
struct Progress {
    best: Option<f64>,
    since: Time,
}

/// What a step of a run needs.
pub(super) struct Around<'r> {
    pub book: &'r Book,
    pub skills: &'r mut dyn Skills,
    pub next_id: &'r mut u64,
    pub autonomy: Autonomy,
    pub allowed: bool,
    pub now: Time,
    pub told: &'r mut Vec<Told>,
    /// Transitions that may still be taken in this update.
    pub left: usize,
}

impl Instance {
    /// A chart that has entered no state yet.
    pub fn of(book: &Book, chart: usize, inputs: Vec<Option<Value>>) -> Instance {
        let plan = book.chart(chart);
        Instance {
            chart,
            inputs,
            locals: defaults(&plan.locals),
            outputs: defaults(&plan.outputs),
            state: plan.initial,
            rungs: plan.states.iter().map(|state| vec![0; state.transitions.len()]).collect(),
            ..Instance::default()
        }
    }

    /// True if all that it says is there.
    pub fn fits(&self, book: &Book) -> bool {
        let Some(chart) = book.chart_if_there(self.chart) else { return false };
        let Some(node) = chart.states.get(self.state) else { return false };
        let lengths = [self.inputs.len(), self.locals.len(), self.outputs.len(), self.rungs.len()];
        let piece = |(piece, task): (&Piece, &Task)| match (&piece.doer, &task.what) {
            (Doer::Skill(_), What::Skill(_)) => piece.told.len() == task.defaults.len(),
            (Doer::Chart(instance), What::Chart(chart)) => instance.chart == *chart && instance.fits(book),
            _ => false,
        };
        lengths == [chart.inputs.len(), chart.locals.len(), chart.outputs.len(), chart.states.len()]
            && self.rungs.iter().zip(&chart.states).all(|(rungs, node)| rungs.len() == node.transitions.len())
            && (self.work.is_empty() || self.work.len() == tasks(&node.work).count())
            && self.work.iter().zip(tasks(&node.work)).all(piece)
            && self.asks.as_ref().is_none_or(|end| end.outcome < node.transitions.len())
    }

    /// Takes all transitions that are due.
    pub fn update(&mut self, around: &mut Around<'_>, outer: Option<&StatePath<'_>>) -> Option<End> {
        let path = StatePath { outer, name: &around.book.chart(self.chart).name };
        if self.work.is_empty() && self.asks.is_none() {
            self.enter(around, &path, &[], &[]);
        }
        while around.left > 0 {
            let end = self.asks.take().or_else(|| self.end_of_state(around, &path))?;
            let book = around.book;
            let node = &book.chart(self.chart).states[self.state];
            let transition = &node.transitions[end.outcome];
            if around.autonomy < transition.autonomy && !around.allowed {
                self.asks = Some(end);
                return None;
            }
            around.left -= 1;
            self.leave(around, node, &end);
            let rung = &mut self.rungs[self.state][end.outcome];
            let target = transition.ladder[(*rung as usize).min(transition.ladder.len() - 1)];
            *rung += 1;
            let told = |around: &mut Around<'_>, next: &str| {
                let what = format!("ended as '{}', goes on with '{next}'", transition.outcome);
                around.told.push(Told { state: format!("{path}{}", node.name), what });
            };
            match target {
                Target::End(outcome) => {
                    told(around, &book.chart(self.chart).outcomes[outcome]);
                    return Some(End { outcome, outputs: self.outputs.clone() });
                }
                Target::State(next) => {
                    told(around, &book.chart(self.chart).states[next].name);
                    self.state = next;
                    self.enter(around, &path, &transition.with, &end.outputs);
                }
            }
        }
        None
    }

    /// Enters the present state.
    fn enter(
        &mut self,
        around: &mut Around<'_>,
        path: &StatePath<'_>,
        with: &[(usize, Source)],
        last: &[Option<Value>],
    ) {
        let book = around.book;
        let node = &book.chart(self.chart).states[self.state];
        (self.entered, self.progress) = (around.now, Progress { best: None, since: around.now });
        if let Some(need) = node.watch.needs.iter().find(|need| around.skills.holds(need.fact) != need.holds) {
            let what = format!("refused: '{}' is {}", need.name, !need.holds);
            around.told.push(Told { state: format!("{path}{}", node.name), what });
            self.asks = Some(End { outcome: outcome_of(node, REFUSED), outputs: Vec::new() });
            return;
        }
        let tasks = tasks(&node.work);
        self.work = tasks
            .map(|task| {
                let mut told = task.defaults.clone();
                for (input, source) in task.inputs.iter().chain(with) {
                    told[*input] = self.value(source, last);
                }
                Piece::begin(book, task, told, around.skills, around.next_id)
            })
            .collect();
    }

    fn value(&self, source: &Source, last: &[Option<Value>]) -> Option<Value> {
        match source {
            Source::Literal(value) => Some(value.clone()),
            Source::Input(input) => self.inputs[*input].clone(),
            Source::Local(local) => self.locals[*local].clone(),
            Source::Last(output) => last.get(*output).cloned().flatten(),
        }
    }

    /// The end of the present state, if it has come.
    fn end_of_state(&mut self, around: &mut Around<'_>, path: &StatePath<'_>) -> Option<End> {
        let book = around.book;
        let node = &book.chart(self.chart).states[self.state];
        let path = StatePath { outer: Some(path), name: &node.name };
        let mut left = None;
        for index in 0..self.work.len() {
            let piece = &mut self.work[index];
            if piece.waits {
                continue;
            }
            let end = match &mut piece.doer {
                Doer::Chart(instance) => {
                    let before = around.left;
                    let end = instance.update(around, Some(&path));
                    if around.left < before {
                        self.progress = Progress { best: None, since: around.now };
                    }
                    end
                }
                Doer::Skill(id) => match around.skills.doing(*id) {
                    Doing::Done { outcome, outputs } => Some(End { outcome, outputs }),
                    Doing::Busy { left: some } => {
                        left = some.map(|some| left.unwrap_or(0.0) + some).or(left);
                        None
                    }
                    Doing::HeldUp => {
                        self.progress = Progress { best: None, since: around.now };
                        None
                    }
                },
            };
            let Some(end) = end else { continue };
            match &node.work {
                Work::One(_) => return Some(end),
                Work::Parallel { regions, .. } => {
                    self.progress = Progress { best: None, since: around.now };
                    match regions[index].then[end.outcome] {
                        Then::Wait => self.work[index].waits = true,
                        Then::End(outcome) => return Some(End { outcome, outputs: Vec::new() }),
                    }
                }
            }
        }
        if self.work.iter().all(|piece| piece.waits) {
            return Some(End::default());
        }
        self.watch(node, left, around.now)
            .map(|outcome| End { outcome: outcome_of(node, outcome), outputs: Vec::new() })
    }

    /// What ends the present state early.
    fn watch(&mut self, node: &Node, left: Option<f64>, now: Time) -> Option<&'static str> {
        if let Some(left) = left
            && self.progress.best.is_none_or(|best| left <= best - 1.0)
        {
            self.progress = Progress { best: Some(left), since: now };
        }
        let lasts = |since: Time, limit: Option<f64>| limit.is_some_and(|limit| now.since(since).seconds() >= limit);
        if lasts(self.entered, node.watch.time_limit) {
            return Some(TIMED_OUT);
        }
        lasts(self.progress.since, node.watch.stall_time).then_some(STALLED)
    }

    /// Leaves the present state: what is under way is broken off, what shall be kept is kept.
    fn leave(&mut self, around: &mut Around<'_>, node: &Node, end: &End) {
        self.break_off(around.skills);
        self.work.clear();
        for (place, output) in &node.keeps {
            let Some(value) = end.outputs.get(*output).cloned().flatten() else { continue };
            match place {
                Place::Local(local) => self.locals[*local] = Some(value),
                Place::Output(own) => self.outputs[*own] = Some(value),
            }
        }
        for (outcome, rung) in self.rungs[self.state].iter_mut().enumerate() {
            if outcome != end.outcome {
                *rung = 0;
            }
        }
    }

    pub fn break_off(&self, skills: &mut dyn Skills) {
        for piece in self.work.iter().filter(|piece| !piece.waits) {
            match &piece.doer {
                // whoever has ended does not mind
                Doer::Skill(id) => skills.break_off(*id),
                Doer::Chart(instance) => instance.break_off(skills),
            }
        }
    }

    pub fn begin_again(&mut self, book: &Book, gap: Period, now: Time, skills: &mut dyn Skills, next_id: &mut u64) {
        self.entered = self.entered + gap;
        self.progress = Progress { best: None, since: now };
        let node = &book.chart(self.chart).states[self.state];
        for (piece, task) in self.work.iter_mut().zip(tasks(&node.work)).filter(|(piece, _)| !piece.waits) {
            match &mut piece.doer {
                Doer::Chart(instance) => instance.begin_again(book, gap, now, skills, next_id),
                Doer::Skill(_) => *piece = Piece::begin(book, task, piece.told.clone(), skills, next_id),
            }
        }
    }

    pub fn asks(&self) -> bool {
        let inner = |piece: &Piece| matches!(&piece.doer, Doer::Chart(instance) if instance.asks());
        self.asks.is_some() || self.work.iter().any(inner)
    }

    /// Takes the states that are active, and since when, into a number.
    pub fn mark(&self, before: u64) -> u64 {
        // FNV-1a's prime: states that follow each other give numbers far apart
        let mix = |mark: u64, part: u64| (mark ^ part).wrapping_mul(0x0000_0100_0000_01b3);
        let own = [self.chart as u64, self.state as u64, self.entered.nanoseconds()].into_iter().fold(before, mix);
        self.work.iter().fold(own, |mark, piece| match &piece.doer {
            _ if piece.waits => mix(mark, 1),
            Doer::Skill(id) => mix(mark, *id << 1),
            Doer::Chart(instance) => instance.mark(mark),
        })
    }

    pub fn active<'r>(&'r self, book: &Book, path: &str, active: &mut Vec<Active<'r>>) {
        let chart = book.chart(self.chart);
        let node = &chart.states[self.state];
        let path = format!("{path}{}/{}", chart.name, node.name);
        let regions = match &node.work {
            Work::One(_) => &[],
            Work::Parallel { regions, .. } => regions.as_slice(),
        };
        let skill = |index: usize| match tasks(&node.work).nth(index).map(|task| &task.what) {
            Some(What::Skill(skill)) => Some(*skill),
            _ => None,
        };
        let (before, since) = (active.len(), self.entered);
        for (index, piece) in self.work.iter().enumerate().filter(|(_, piece)| !piece.waits) {
            let path = regions.get(index).map_or(path.clone(), |Region { name, .. }| format!("{path}/{name}"));
            match &piece.doer {
                Doer::Skill(_) => active.push(Active { path, since, skill: skill(index), told: &piece.told }),
                Doer::Chart(instance) => instance.active(book, &format!("{path}/"), active),
            }
        }
        if active.len() == before {
            active.push(Active { path, since, skill: None, told: &[] });
        }
    }
}

impl Piece {
    fn begin(book: &Book, task: &Task, told: Vec<Option<Value>>, skills: &mut dyn Skills, next_id: &mut u64) -> Piece {
        let doer = match task.what {
            What::Chart(chart) => Doer::Chart(Box::new(Instance::of(book, chart, told.clone()))),
            What::Skill(skill) => {
                *next_id += 1;
                skills.begin(*next_id, skill, &told);
                Doer::Skill(*next_id)
            }
        };
        Piece { told, doer, waits: false }
    }
}

/// The tasks of a state, one for each region.
fn tasks(work: &Work) -> impl Iterator<Item = &Task> {
    let (one, regions) = match work {
        Work::One(task) => (Some(task), &[][..]),
        Work::Parallel { regions, .. } => (None, regions.as_slice()),
    };
    one.into_iter().chain(regions.iter().map(|region| &region.task))
}

fn outcome_of(node: &Node, name: &str) -> usize {
    node.transitions.iter().position(|transition| transition.outcome == name).unwrap_or_default()
}

impl Default for Doer {
    fn default() -> Self {
        Doer::Skill(0)
    }
}
