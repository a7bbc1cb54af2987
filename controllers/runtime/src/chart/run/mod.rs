//! Carries out a chart.

mod instance;
mod path;

use std::sync::Arc;

use robot_io::{State, Time};

use self::instance::{Around, Instance};
use super::book::Book;
use super::model::Autonomy;
use super::value::{Value, defaults};

/// Who does the work that a chart orders.
pub trait Skills {
    /// Begins a skill of the catalogue, told its inputs in their order; `id` names this piece of work from now on.
    fn begin(&mut self, id: u64, skill: usize, inputs: &[Option<Value>]);

    /// Breaks it off.
    fn break_off(&mut self, id: u64);

    /// How it stands with it.
    fn doing(&mut self, id: u64) -> Doing;

    /// True if a fact of the catalogue holds.
    fn holds(&self, fact: usize) -> bool;
}

/// How it stands with a piece of work.
#[derive(Clone, Debug, PartialEq)]
pub enum Doing {
    /// Under way. What is left is counted in steps that are worth being called progress; a skill that cannot tell says nothing.
    Busy {
        /// Steps.
        left: Option<f64>,
    },
    /// Held up by what nobody here can help: a hand on the stick, a stop. Its lack of progress does not count.
    HeldUp,
    /// Ended.
    Done {
        /// With which of its outcomes.
        outcome: usize,
        /// Its outputs, in their order.
        outputs: Vec<Option<Value>>,
    },
}

/// A state that is active, with all those around it.
#[derive(Clone, Debug, PartialEq)]
pub struct Active<'r> {
    /// From the outside to the inside: `fetch/grasp/close`.
    pub path: String,
    /// Since when.
    pub since: Time,
    /// The skill of the catalogue that is at work in it, if one is …
    pub skill: Option<usize>,
    /// … and what it is told, by its inputs' places.
    pub told: &'r [Option<Value>],
}

/// What happened in a chart, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The state: `fetch/approach`.
    pub state: String,
    /// What happened to it, and why.
    pub what: String,
}

/// A chart under way.
#[derive(Clone, Debug, State)]
#[state(then = "refuse_what_does_not_fit")]
pub struct Run {
    #[state(fixed)]
    book: Arc<Book>,
    root: Instance,
    next_id: u64,
    autonomy: Autonomy,
    /// The operator has allowed what was asked.
    allowed: bool,
    paused_since: Option<Time>,
    ended: Option<usize>,
}

/// More transitions than these in one update are taken in the next one.
const MOST_AT_ONCE: usize = 32;

impl Run {
    /// Begins a book's main chart; what it is not told has its default. The profile's values take the place of defaults.
    pub fn begin(book: Arc<Book>, inputs: &[(usize, Value)], autonomy: Autonomy) -> Run {
        let chart = book.main();
        let mut values = defaults(&chart.inputs);
        inputs.iter().for_each(|(input, value)| values[*input] = Some(value.clone()));
        let root = Instance::of(&book, 0, values);
        Run { book, root, next_id: 0, autonomy, allowed: false, paused_since: None, ended: None }
    }

    /// Goes on; returns the chart's outcome once it has ended.
    pub fn update(&mut self, now: Time, skills: &mut dyn Skills, told: &mut Vec<Told>) -> Option<usize> {
        if self.ended.is_some() || self.paused_since.is_some() {
            return self.ended;
        }
        let mut around = Around {
            book: &self.book,
            skills,
            next_id: &mut self.next_id,
            autonomy: self.autonomy,
            allowed: core::mem::take(&mut self.allowed),
            now,
            told,
            left: MOST_AT_ONCE,
        };
        self.ended = self.root.update(&mut around, None).map(|end| end.outcome);
        self.ended
    }

    /// The outputs of the chart.
    pub fn outputs(&self) -> &[Option<Value>] {
        &self.root.outputs
    }

    /// The active states, one for each region.
    pub fn active(&self) -> Vec<Active<'_>> {
        let mut active = Vec::new();
        if self.ended.is_none() {
            self.root.active(&self.book, "", &mut active);
        }
        active
    }

    /// A number that is another one when other states are active, or the same ones anew.
    pub fn mark(&self) -> u64 {
        if self.ended.is_some() { 0 } else { self.root.mark(1) }
    }

    /// True while an operator is asked.
    pub fn asks(&self) -> bool {
        self.root.asks()
    }

    /// The operator allows what was asked.
    pub fn allow(&mut self) {
        self.allowed = true;
    }

    /// Breaks off the work under way and rests; its time stands still.
    pub fn pause(&mut self, now: Time, skills: &mut dyn Skills) {
        if self.paused_since.is_none() && self.ended.is_none() {
            self.paused_since = Some(now);
            self.root.break_off(skills);
        }
    }

    /// Begins the work again that was under way.
    pub fn resume(&mut self, now: Time, skills: &mut dyn Skills) {
        if let Some(since) = self.paused_since.take() {
            let gap = now.since(since);
            self.root.begin_again(&self.book, gap, now, skills, &mut self.next_id);
        }
    }

    /// A broken snapshot ends the run; it does not lead to states that are not there.
    fn refuse_what_does_not_fit(&mut self) {
        if !self.root.fits(&self.book) {
            self.root = Instance::of(&self.book, 0, defaults(&self.book.main().inputs));
            self.ended = Some(0);
        }
        self.ended = self.ended.map(|outcome| outcome.min(self.book.main().outcomes.len() - 1));
    }

    /// Breaks off all work, for good.
    pub fn stop(&mut self, skills: &mut dyn Skills) {
        if self.ended.is_none() && self.paused_since.is_none() {
            self.root.break_off(skills);
        }
    }
}
