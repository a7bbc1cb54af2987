//! Skills that talk with components of one's own.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::sync::Arc;

use mission::{Behaviour, BehaviourPlan, Ends, Feedback, MissionServer, Skill, SkillContext, SkillSetup, Skills};
use robot_io::State;
use runtime::chart::{Autonomy, Book, Value};
use runtime::{Component, Cycle, Declaration, Reads, ReadsBefore, Runtime, Stream, Writes};
use support::served::{Bench, mission, one};
use support::{Shared, cart};

/// Twice what was asked last, as long as somebody asks.
#[derive(Debug, Default, State)]
struct Doubler {
    #[state(fixed)]
    asked: Option<ReadsBefore<f64>>,
    #[state(fixed)]
    answer: Option<Writes<Stream<f64>>>,
    answers: u64,
}

impl Component for Doubler {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        self.asked = Some(wants.reads_before("question"));
        self.answer = Some(wants.writes("answer"));
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        if let Some(asked) = cycle.before(self.asked.unwrap()).copied().filter(|asked| *asked > 0.0) {
            cycle.write(self.answer.unwrap(), 2.0 * asked);
            self.answers += 1;
        }
    }
}

/// Where skills reach the doubler.
#[derive(Debug, Default, State)]
struct Counter {
    #[state(fixed)]
    question: Option<Writes<Stream<f64>>>,
    #[state(fixed)]
    answer: Option<Reads<Stream<f64>>>,
    asks: f64,
    heard: f64,
}

impl Ends for Counter {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        (self.question, self.answer) = (Some(wants.writes("question")), Some(wants.reads("answer")));
    }

    fn hear(&mut self, cycle: &Cycle<'_>) {
        self.asks = 0.0;
        self.heard = cycle.latest(self.answer.unwrap()).copied().unwrap_or_default();
    }

    fn say(&mut self, cycle: &mut Cycle<'_>) {
        cycle.write(self.question.unwrap(), self.asks);
    }
}

/// Asks until it has the double.
#[derive(Debug, State)]
struct Double {
    #[state(fixed)]
    number: f64,
}

impl Skill for Double {
    fn start(&mut self, _context: &mut SkillContext<'_>) {}

    fn update(&mut self, context: &mut SkillContext<'_>) -> Feedback {
        let Some(counter) = context.ends::<Counter>() else { return Feedback::Failed("nobody counts".to_owned()) };
        counter.asks = self.number;
        match counter.heard {
            heard if heard == 2.0 * self.number => Feedback::Done,
            _ => Feedback::time_left(1.0),
        }
    }
}

fn double(with_ends: bool) -> Skills {
    let build = |setup: &SkillSetup<'_>| {
        Ok(Double { number: setup.goal::<std::collections::BTreeMap<String, f64>>()?["number"] })
    };
    let number = runtime::chart::Parameter::required("number", runtime::chart::Type::Number, "1");
    let skills = Skills::default().with("double", build).told("double", [number]);
    if with_ends { skills.with_ends(Counter::default) } else { skills }
}

fn bench(skills: &Skills, with_doubler: bool) -> Bench {
    let chart = one("skill = \"double\"\ninputs = { number = 21.5 }");
    let mut files = |_: &str| Ok(("one.toml".to_owned(), chart.clone()));
    let book = Book::read("one", &mut files, &Behaviour::catalogue(skills)).unwrap();
    let inputs: Vec<(usize, Value)> = Vec::new();
    let plan = BehaviourPlan { book: Arc::new(book), inputs, autonomy: Autonomy::Full, priority: 2 };
    let behaviour = Behaviour::new(plan, skills, &cart(), &cart().layout()).unwrap();
    let knobs = Shared::default();
    let server = MissionServer::new(mission("", &knobs), 1);
    let parts = Runtime::builder().with("mission", server).with("one", behaviour);
    let parts = if with_doubler { parts.with("doubler", Doubler::default()) } else { parts };
    Bench::of(parts, knobs)
}

#[test]
fn a_skill_asks_another_component_and_hears_its_answer() {
    let mut bench = bench(&double(true), true);
    bench.run(0.1);
    bench.expect("one ended as 'done'");
}

#[test]
fn a_skill_without_its_ends_says_so() {
    let mut bench = bench(&double(false), false);
    bench.run(0.1);
    bench.expect("one ended as 'failed'");
    assert!(bench.said.iter().any(|said| said.contains("nobody counts")), "{:?}", bench.said);
}
