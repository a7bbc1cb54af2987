#![allow(clippy::unwrap_used, reason = "tests")]

mod wrong;

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use robot_io::{StateReader, StateWriter, Time};

use super::*;

/// Skills that take a number of updates and end as somebody says.
#[derive(Clone, Debug, Default)]
struct Puppets {
    under_way: BTreeMap<u64, (usize, u64)>,
    begun: Vec<(usize, Vec<Option<Value>>)>,
    broken_off: Vec<u64>,
    /// For each skill: how many updates it takes, with which outcome it ends, and whether it makes progress.
    plans: Vec<(u64, usize, bool)>,
    facts: Vec<bool>,
    outputs: Vec<Vec<Option<Value>>>,
}

impl Skills for Puppets {
    fn begin(&mut self, id: u64, skill: usize, inputs: &[Option<Value>]) {
        self.begun.push((skill, inputs.to_vec()));
        self.under_way.insert(id, (skill, 0));
    }

    fn break_off(&mut self, id: u64) {
        self.broken_off.push(id);
        self.under_way.remove(&id);
    }

    fn doing(&mut self, id: u64) -> Doing {
        let (skill, age) = self.under_way.get_mut(&id).unwrap();
        *age += 1;
        let (takes, outcome, progresses) = self.plans[*skill];
        match *age > takes {
            true => Doing::Done { outcome, outputs: self.outputs[*skill].clone() },
            false => Doing::Busy { left: progresses.then_some(100.0 - 2.0 * *age as f64).or(Some(100.0)) },
        }
    }

    fn holds(&self, fact: usize) -> bool {
        self.facts[fact]
    }
}

fn catalogue() -> Catalogue {
    let skill = |name: &str, inputs: Vec<Parameter>, outputs: Vec<Parameter>, outcomes: &[&str]| Interface {
        name: name.to_owned(),
        inputs,
        outputs,
        outcomes: outcomes.iter().map(|outcome| (*outcome).to_owned()).collect(),
    };
    let tolerance =
        Parameter { need: Need::Default(Value::Number(0.05)), ..Parameter::required("tolerance", Type::Number, "m") };
    Catalogue {
        skills: vec![
            skill("go_to", vec![Parameter::required("pose", Type::Pose, ""), tolerance], Vec::new(), &["arrived"]),
            skill(
                "grasp",
                vec![Parameter::required("height", Type::Number, "m")],
                vec![Parameter::required("weight", Type::Number, "kg")],
                &["held", "lost"],
            ),
            skill("look", Vec::new(), Vec::new(), &["seen", "nothing"]),
        ],
        facts: vec!["localized".to_owned(), "holding".to_owned()],
    }
}

fn puppets() -> Puppets {
    Puppets {
        plans: vec![(3, 0, true), (2, 0, true), (5, 0, true)],
        facts: vec![true, false],
        outputs: vec![Vec::new(), vec![Some(Value::Number(0.3))], Vec::new()],
        ..Puppets::default()
    }
}

const FETCH: &str = r#"
name = "fetch"
about = "Goes to a place and takes what is there."
outcomes = ["done", "failed"]
initial = "approach"

[inputs.place]
type = "pose"

[inputs.height]
type = "number"
unit = "m"
default = 0.8

[outputs.weight]
type = "number"
unit = "kg"

[states.approach]
skill = "go_to"
inputs = { pose = "$input.place" }
needs = ["localized", "not holding"]
stall_time = 2.0
time_limit = 60.0

[states.approach.on]
arrived = "take"
refused = "failed"
stalled = { ladder = ["again", "failed"] }
timed_out = "failed"

[states.take]
chart = "take"
inputs = { height = "$input.height" }
keeps = { "output.weight" = "weight" }

[states.take.on]
held = { to = "done", autonomy = "high" }
lost = { ladder = ["approach", "failed"] }

[profiles.low]
height = 0.7
"#;

const TAKE: &str = r#"
name = "take"
outcomes = ["held", "lost"]
initial = "both"

[inputs.height]
type = "number"

[locals.found]
type = "number"
default = 0.0

[outputs.weight]
type = "number"

[states.both.regions.eyes]
skill = "look"
on = { seen = "wait", nothing = "blind" }

[states.both.regions.hand]
skill = "grasp"
inputs = { height = "$input.height" }
on = { held = "wait", lost = "lost" }

[states.both.on]
joined = "close"
blind = "lost"
lost = "lost"

[states.close]
skill = "grasp"
inputs = { height = "$input.height" }
keeps = { "output.weight" = "weight", "local.found" = "weight" }
on = { held = "held", lost = { to = "close", with = { height = "$last.weight" } } }
"#;

fn read_with(fetch: &str, take: &str) -> Result<Book, page::Fault> {
    let mut files = |name: &str| match name {
        "fetch" => Ok(("fetch.toml".to_owned(), fetch.to_owned())),
        "take" => Ok(("take.toml".to_owned(), take.to_owned())),
        other => Err(format!("expected a chart (fetch, take), found '{other}'")),
    };
    Book::read("fetch", &mut files, &catalogue())
}

fn book() -> Arc<Book> {
    Arc::new(read_with(FETCH, TAKE).unwrap())
}

fn place() -> (usize, Value) {
    (1, Value::Pose(robot_io::Pose2 { x: 1.0, y: 2.0, yaw: 0.5 }))
}

/// Updates a run every tenth of a second until it ends, asks or `most` updates are over.
fn go_on(run: &mut Run, skills: &mut Puppets, from: u64, most: u64) -> (Option<usize>, Vec<Told>, u64) {
    let mut told = Vec::new();
    for tick in from..from + most {
        let end = run.update(Time::from_seconds(0.1 * tick as f64), skills, &mut told);
        if end.is_some() || run.asks() {
            return (end, told, tick);
        }
    }
    (None, told, from + most)
}

#[test]
fn a_chart_goes_its_way_and_tells_it() {
    let (mut skills, mut run) = (puppets(), Run::begin(book(), &[place()], Autonomy::Full));
    let (end, told, _) = go_on(&mut run, &mut skills, 0, 100);
    assert_eq!((end, run.outputs()), (Some(0), &[Some(Value::Number(0.3))][..]));
    let told: Vec<String> = told.into_iter().map(|Told { state, what }| format!("{state}: {what}")).collect();
    assert_eq!(
        told,
        [
            "fetch/approach: ended as 'arrived', goes on with 'take'",
            "fetch/take/take/both: ended as 'joined', goes on with 'close'",
            "fetch/take/take/close: ended as 'held', goes on with 'held'",
            "fetch/take: ended as 'held', goes on with 'done'",
        ]
    );
    let skills: Vec<usize> = skills.begun.iter().map(|(skill, _)| *skill).collect();
    assert_eq!(skills, [0, 2, 1, 1], "go_to, look and grasp together, grasp");
}

#[test]
fn inputs_come_from_file_profile_and_default() {
    let mut skills = puppets();
    let book = book();
    let mut inputs = book.profile("low").unwrap().to_vec();
    inputs.push(place());
    let mut run = Run::begin(Arc::clone(&book), &inputs, Autonomy::Full);
    go_on(&mut run, &mut skills, 0, 100);
    assert_eq!(skills.begun[0].1, [Some(place().1), Some(Value::Number(0.05))]);
    assert_eq!(skills.begun[2].1, [Some(Value::Number(0.7))]);
    assert_eq!(book.profile("high").unwrap_err(), ["low"]);
}

#[test]
fn below_its_level_of_autonomy_it_asks_and_waits() {
    let (mut skills, mut run) = (puppets(), Run::begin(book(), &[place()], Autonomy::Low));
    let (end, _, tick) = go_on(&mut run, &mut skills, 0, 100);
    assert!(end.is_none() && run.asks());
    let (end, _, tick) = go_on(&mut run, &mut skills, tick + 1, 1);
    assert!(end.is_none() && run.asks());
    run.allow();
    assert_eq!(go_on(&mut run, &mut skills, tick + 1, 1).0, Some(0));
}

#[test]
fn a_ladder_is_climbed_and_then_given_up() {
    let (mut skills, mut run) = (puppets(), Run::begin(book(), &[place()], Autonomy::Full));
    skills.plans[0] = (u64::MAX, 0, false);
    let (end, told, tick) = go_on(&mut run, &mut skills, 0, 1_000);
    assert_eq!((end, skills.begun.len(), skills.broken_off.len()), (Some(1), 2, 2));
    assert!((39..=42).contains(&tick), "two times two seconds, {tick}");
    assert!(told[0].what.contains("'stalled', goes on with 'approach'"), "{told:?}");
}

#[test]
fn progress_is_no_stall_and_a_limit_is_a_limit() {
    let (mut skills, mut run) = (puppets(), Run::begin(book(), &[place()], Autonomy::Full));
    skills.plans[0] = (45, 0, true);
    assert_eq!(go_on(&mut run, &mut skills, 0, 1_000).0, Some(0), "4.5 s of progress");
    let mut run = Run::begin(book(), &[place()], Autonomy::Full);
    skills.plans[0] = (u64::MAX, 0, true);
    let (end, told, tick) = go_on(&mut run, &mut skills, 0, 1_000);
    assert_eq!(end, Some(1), "{told:?}");
    assert!(told.last().unwrap().what.contains("timed_out") && tick == 600, "{tick}");
}

#[test]
fn what_is_needed_is_looked_at_before() {
    let (mut skills, mut run) = (puppets(), Run::begin(book(), &[place()], Autonomy::Full));
    skills.facts[1] = true;
    let (end, told, _) = go_on(&mut run, &mut skills, 0, 10);
    assert_eq!((end, skills.begun.len()), (Some(1), 0));
    assert_eq!(told[0].what, "refused: 'holding' is true");
}

#[test]
fn one_region_can_end_the_others() {
    let (mut skills, mut run) = (puppets(), Run::begin(book(), &[place()], Autonomy::Full));
    (skills.plans[2], skills.plans[1]) = ((u64::MAX, 0, true), (2, 1, true));
    let (end, told, _) = go_on(&mut run, &mut skills, 0, 100);
    assert_eq!(end, Some(1), "lost twice: {told:?}");
    let looks = skills.begun.iter().filter(|(skill, _)| *skill == 2).count();
    assert!(looks == 2 && skills.under_way.values().all(|(skill, _)| *skill != 2), "the look was broken off");
}

#[test]
fn a_pause_costs_no_time_and_begins_the_work_again() {
    let (mut skills, mut run) = (puppets(), Run::begin(book(), &[place()], Autonomy::Full));
    let at = |seconds: f64| Time::from_seconds(seconds);
    run.update(at(0.0), &mut skills, &mut Vec::new());
    assert_eq!(paths(&run), ["fetch/approach"]);
    run.pause(at(0.1), &mut skills);
    assert!(skills.under_way.is_empty() && run.update(at(50.0), &mut skills, &mut Vec::new()).is_none());
    run.resume(at(100.0), &mut skills);
    assert_eq!((skills.begun.len(), skills.begun[0] == skills.begun[1]), (2, true));
    assert_eq!(go_on(&mut run, &mut skills, 1_001, 100).0, Some(0));
}

#[test]
fn the_active_states_are_shown_with_their_regions() {
    let (mut skills, mut run) = (puppets(), Run::begin(book(), &[place()], Autonomy::Full));
    let at_the_beginning = run.mark();
    go_on(&mut run, &mut skills, 0, 5);
    assert_eq!(paths(&run), ["fetch/take/take/both/eyes", "fetch/take/take/both/hand"]);
    assert_ne!(run.mark(), at_the_beginning);
}

#[test]
fn a_state_tells_its_skill_with_what_it_is_told_and_since_when() {
    let (mut skills, mut run) = (puppets(), Run::begin(book(), &[place()], Autonomy::Full));
    run.update(Time::from_seconds(3.0), &mut skills, &mut Vec::new());
    let active = run.active();
    let (skill, told) = skills.begun[0].clone();
    assert_eq!((active.len(), active[0].skill, active[0].told), (1, Some(skill), told.as_slice()));
    assert_eq!(active[0].since, Time::from_seconds(3.0));
}

fn paths(run: &Run) -> Vec<String> {
    run.active().into_iter().map(|active| active.path).collect()
}

proptest! {
    /// The same inputs give the same way, from any snapshot on.
    #[test]
    fn a_run_goes_on_from_a_snapshot_as_if_nothing_had_been(
        takes in prop::collection::vec((0_u64..40, any::<bool>(), any::<bool>()), 3),
        at in 0_u64..60,
    ) {
        let mut skills = puppets();
        skills.plans = takes.iter().map(|(takes, well, moves)| (*takes, usize::from(!well), *moves)).collect();
        skills.plans[0].1 = 0;
        let mut run = Run::begin(book(), &[place()], Autonomy::Full);
        go_on(&mut run, &mut skills, 0, at);
        let mut other = Run::begin(book(), &[], Autonomy::Full);
        StateReader::restore(&mut other, &StateWriter::save(&mut run)).unwrap();
        let mut same = skills.clone();
        let one = go_on(&mut run, &mut skills, at, 300);
        prop_assert_eq!(one, go_on(&mut other, &mut same, at, 300));
        prop_assert_eq!(StateWriter::save(&mut run), StateWriter::save(&mut other));
    }

    #[test]
    fn a_broken_snapshot_ends_a_run_without_harm(at in 0_u64..20, word in 0_usize..200, bits in any::<u64>()) {
        let (mut skills, mut run) = (puppets(), Run::begin(book(), &[place()], Autonomy::Full));
        go_on(&mut run, &mut skills, 0, at);
        let mut saved = StateWriter::save(&mut run);
        let word = word % (saved.len() / 8);
        saved[8 * word..8 * word + 8].copy_from_slice(&bits.to_le_bytes());
        let mut other = Run::begin(book(), &[], Autonomy::Full);
        if StateReader::restore(&mut other, &saved).is_ok() {
            let mut deaf = Deaf;
            for tick in 0..5 {
                other.update(Time::from_seconds(100.0 + f64::from(tick)), &mut deaf, &mut Vec::new());
            }
        }
    }

    #[test]
    fn any_file_is_read_or_refused(from in 0_usize..1_400, length in 0_usize..40, with in "\\PC{0,20}") {
        let mut text = FETCH.to_owned();
        let from = (0..=from.min(text.len())).rev().find(|place| text.is_char_boundary(*place)).unwrap_or(0);
        let to = (from + length).min(text.len());
        text.replace_range(from..to, &with);
        drop(read_with(&text, TAKE));
    }
}

/// Never ends anything.
struct Deaf;

impl Skills for Deaf {
    fn begin(&mut self, _id: u64, _skill: usize, _inputs: &[Option<Value>]) {}

    fn break_off(&mut self, _id: u64) {}

    fn doing(&mut self, _id: u64) -> Doing {
        Doing::Busy { left: None }
    }

    fn holds(&self, _fact: usize) -> bool {
        true
    }
}
