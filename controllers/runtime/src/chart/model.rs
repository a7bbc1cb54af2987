//! A chart: states, one of which is active, and what leads from one to the other.

use super::value::{Parameter, Type, Value};

/// A statechart as it is carried out, checked whole.
///
/// After ArmarX (Wächter et al., "The ArmarX statechart concept", 2016): a chart is itself a state; transitions lead between
/// the states of one chart only; nothing is remembered of a state that was left, so that the same inputs give the same way;
/// an end is an outcome of the chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Its name.
    pub name: String,
    /// What it does, for people.
    pub about: String,
    /// What it is told.
    pub inputs: Vec<Parameter>,
    /// What it keeps while it is active.
    pub locals: Vec<Parameter>,
    /// What it tells when it ends.
    pub outputs: Vec<Parameter>,
    /// How it may end.
    pub outcomes: Vec<String>,
    /// Its states.
    pub states: Vec<Node>,
    /// The state that is entered first.
    pub initial: usize,
}

/// One state of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// What is done in it.
    pub work: Work,
    /// What ends it early.
    pub watch: Watch,
    /// What of its outputs is kept: where, and which.
    pub keeps: Vec<(Place, usize)>,
    /// For each outcome what follows.
    pub transitions: Vec<Transition>,
}

/// What is done in a state.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// One task.
    One(Task),
    /// Several at once.
    Parallel {
        /// The tasks.
        regions: Vec<Region>,
        /// How they may end: [`JOINED`], and what ends all of them early.
        outcomes: Vec<String>,
    },
}

/// A skill or a chart, with what it is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Which.
    pub what: What,
    /// What is the same each time it is entered: which input, and from where.
    pub inputs: Vec<(usize, Source)>,
    /// What its inputs are if nobody sets them.
    pub defaults: Vec<Option<Value>>,
}

/// Who does a task.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A skill, by its place in the catalogue.
    Skill(usize),
    /// A chart, by its place in the book.
    Chart(usize),
}

/// One of several tasks that are done at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// Its name.
    pub name: String,
    /// The task.
    pub task: Task,
    /// For each outcome of the task what becomes of the others.
    pub then: Vec<Then>,
}

/// What the end of one region means for the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// It waits for the others; when all wait, the state ends as `joined`.
    Wait,
    /// The others are broken off, and the state ends with this outcome.
    End(usize),
}

/// What ends a state early. Its outcomes come behind those of the work.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watch {
    /// What must hold when it is entered, else it ends as `refused`.
    pub needs: Vec<Condition>,
    /// Without progress for so long it ends as `stalled` [s].
    pub stall_time: Option<f64>,
    /// After so long it ends as `timed_out` [s].
    pub time_limit: Option<f64>,
}

/// A fact about the world, by its place in the catalogue, and what it must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Which.
    pub fact: usize,
    /// Its name.
    pub name: String,
    /// Whether it must hold, or must not.
    pub holds: bool,
}

/// What follows an outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// The outcome.
    pub outcome: String,
    /// Where it leads the first time, the second time and so on; the last place holds from then on. It begins again when the
    /// state has ended with another outcome.
    pub ladder: Vec<Target>,
    /// What the next state is told: by its input, and from where.
    pub with: Vec<(usize, Source)>,
    /// Below this level of autonomy an operator is asked first.
    pub autonomy: Autonomy,
}

/// Where a transition leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// To a state.
    State(usize),
    /// To the chart's end with an outcome.
    End(usize),
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// From the file.
    Literal(Value),
    /// From the chart's own input.
    Input(usize),
    /// From what the chart keeps.
    Local(usize),
    /// From an output of the state that has just ended.
    Last(usize),
}

/// Where an output is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// While the chart is active.
    Local(usize),
    /// And told when it ends.
    Output(usize),
}

/// How much a robot decides by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, robot_io::State)]
pub enum Autonomy {
    /// Every transition that says so is asked for.
    Low,
    /// The delicate ones are asked for.
    High,
    /// None is.
    #[default]
    Full,
}

/// What a skill needs to be told and how it may end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interface {
    /// Its name.
    pub name: String,
    /// What it is told.
    pub inputs: Vec<Parameter>,
    /// What it tells when it ends.
    pub outputs: Vec<Parameter>,
    /// How it may end.
    pub outcomes: Vec<String>,
}

/// The skills and the facts that charts can name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    /// The skills.
    pub skills: Vec<Interface>,
    /// The names of facts.
    pub facts: Vec<String>,
}

/// The outcomes that a state has beside those of its work.
pub const REFUSED: &str = "refused";
/// See [`REFUSED`].
pub const STALLED: &str = "stalled";
/// See [`REFUSED`].
pub const TIMED_OUT: &str = "timed_out";
/// When all regions wait for each other.
pub const JOINED: &str = "joined";

impl Chart {
    /// It as a state of another chart.
    pub fn interface(&self) -> Interface {
        Interface {
            name: self.name.clone(),
            inputs: self.inputs.clone(),
            outputs: self.outputs.clone(),
            outcomes: self.outcomes.clone(),
        }
    }
}

impl Watch {
    /// The outcomes that it adds.
    pub fn outcomes(&self) -> impl Iterator<Item = &'static str> {
        let refused = (!self.needs.is_empty()).then_some(REFUSED);
        let stalled = self.stall_time.map(|_| STALLED);
        let timed_out = self.time_limit.map(|_| TIMED_OUT);
        [refused, stalled, timed_out].into_iter().flatten()
    }
}

impl Parameter {
    /// A parameter that must be set.
    pub fn required(name: &str, kind: Type, unit: &str) -> Parameter {
        let need = super::value::Need::Required;
        Parameter { name: name.to_owned(), kind, unit: unit.to_owned(), need }
    }
}
