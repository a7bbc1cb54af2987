//! "Table cleaning" of Paikan's thesis (2014, chapter 6) as a statechart over skills that know nothing of each other: objects within reach of the
//! hand are put into a bucket, those within reach of a rake are pulled nearer, and for the others the robot asks.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::sync::Arc;

use proptest::prelude::*;
use robot_io::Time;
use runtime::chart::{Autonomy, Book, Catalogue, Doing, Interface, Parameter, Run, Skills, Type, Value};

const CHART: &str = include_str!("table_cleaning.toml");
/// The hand and the rake reach so far [m].
const HAND: f64 = 0.6;
const RAKE: f64 = 1.0;
/// Skills, by their places in the catalogue, with their outcomes.
const SKILLS: [(&str, &[&str]); 5] = [
    ("look", &["object", "nothing"]),
    ("take", &["taken", "lost"]),
    ("put", &["done"]),
    ("pull", &["near", "lost"]),
    ("say", &["done"]),
];
const FACTS: [&str; 2] = ["in_reach_of_hand", "in_reach_of_rake"];
/// Updates a second.
const RATE: u64 = 10;

/// A table: how far away each object is [m], and who works on it.
#[derive(Debug, Default)]
struct Table {
    objects: Vec<f64>,
    in_hand: bool,
    in_bucket: usize,
    /// The work under way: its number, the skill, and how often it was looked at.
    work: Option<(u64, usize, u64)>,
    begun: Vec<(u64, &'static str)>,
    said: Vec<String>,
    now: u64,
}

impl Table {
    fn nearest(&mut self) -> Option<&mut f64> {
        self.objects.iter_mut().min_by(|a, b| a.total_cmp(b))
    }
}

impl Skills for Table {
    fn begin(&mut self, id: u64, skill: usize, inputs: &[Option<Value>]) {
        assert!(self.work.is_none(), "one at a time");
        self.work = Some((id, skill, 0));
        self.begun.push((self.now, SKILLS[skill].0));
        if let [Some(Value::Text(text))] = inputs {
            self.said.push(text.clone());
        }
    }

    fn break_off(&mut self, id: u64) {
        self.work = self.work.filter(|(known, ..)| *known != id);
    }

    fn doing(&mut self, id: u64) -> Doing {
        let (_, skill, age) = self.work.as_mut().filter(|(known, ..)| *known == id).unwrap();
        *age += 1;
        let (name, age) = (SKILLS[*skill].0, *age);
        let nearest = self.nearest().copied();
        let outcome = match (name, nearest) {
            ("look", nearest) if age >= 3 => usize::from(nearest.is_none()),
            ("take", Some(distance)) if distance > HAND => 1,
            ("take", None) | ("pull", None) => 1,
            ("take", Some(_)) if age >= 20 => {
                let place = self.objects.iter().position(|object| Some(*object) == nearest).unwrap();
                self.objects.remove(place);
                self.in_hand = true;
                0
            }
            ("put", _) if age >= 20 => {
                self.in_hand = false;
                self.in_bucket += 1;
                0
            }
            ("pull", Some(distance)) if distance <= HAND => 0,
            ("pull", Some(distance)) if distance > RAKE => 1,
            ("pull", Some(_)) => {
                *self.nearest().unwrap() -= 0.02;
                return Doing::Busy { left: None };
            }
            // a sentence, and time to answer it
            ("say", _) if age >= 5 * RATE => 0,
            _ => return Doing::Busy { left: None },
        };
        self.work = None;
        Doing::Done { outcome, outputs: Vec::new() }
    }

    fn holds(&self, fact: usize) -> bool {
        let nearest = self.objects.iter().copied().fold(f64::INFINITY, f64::min);
        nearest <= [HAND, RAKE][fact]
    }
}

fn book() -> Book {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let skill = |(name, outcomes): (&str, &[&str])| Interface {
        name: name.to_owned(),
        inputs: if name == "say" { vec![Parameter::required("text", Type::Text, "")] } else { Vec::new() },
        outputs: Vec::new(),
        outcomes: words(outcomes),
    };
    let catalogue = Catalogue { skills: SKILLS.map(skill).to_vec(), facts: words(&FACTS) };
    let mut files = |_: &str| Ok(("table_cleaning.toml".to_owned(), CHART.to_owned()));
    Book::read("table_cleaning", &mut files, &catalogue).unwrap_or_else(|error| panic!("{error}"))
}

/// Cleans for so many seconds; at some of them a person puts the nearest object elsewhere.
fn clean(objects: &[f64], person: &[(u64, f64)], seconds: u64) -> (Table, Option<usize>) {
    let mut table = Table { objects: objects.to_vec(), ..Table::default() };
    let mut run = Run::begin(Arc::new(book()), &[], Autonomy::Full);
    let mut ended = None;
    for update in 0..seconds * RATE {
        table.now = update;
        if let Some((_, to)) = person.iter().find(|(at, _)| at * RATE == update)
            && let Some(object) = table.nearest()
        {
            *object = *to;
        }
        ended = run.update(Time::from_seconds(update as f64 / RATE as f64), &mut table, &mut Vec::new());
        if ended.is_some() {
            break;
        }
    }
    (table, ended)
}

#[test]
fn what_is_near_is_taken_what_is_far_is_pulled_first() {
    let (table, ended) = clean(&[0.4, 0.9], &[], 60);
    assert_eq!((ended, table.in_bucket), (Some(0), 2));
    let begun: Vec<&str> = table.begun.iter().map(|(_, name)| *name).collect();
    assert_eq!(begun, ["look", "take", "put", "look", "pull", "look", "take", "put", "look"]);
    assert!(table.said.is_empty());
}

#[test]
fn for_what_is_out_of_reach_it_asks_at_most_once_in_a_while_until_somebody_helps() {
    let (table, ended) = clean(&[1.5], &[(20, 0.5)], 60);
    assert_eq!((ended, table.in_bucket), (Some(0), 1));
    let asked: Vec<u64> = table.begun.iter().filter(|(_, name)| *name == "say").map(|(at, _)| *at).collect();
    assert!(asked.len() >= 3 && asked.windows(2).all(|pair| pair[1] - pair[0] >= 5 * RATE), "{asked:?}");
    assert!(table.said.iter().all(|said| said == "Please put the object closer!"));
}

#[test]
fn an_object_that_is_moved_near_ends_the_pulling_and_one_that_is_moved_away_is_asked_for() {
    let near = clean(&[1.0], &[(1, 0.3)], 60).0;
    let pulled = near.begun.iter().position(|(_, name)| *name == "pull").unwrap();
    assert!(near.begun[pulled + 1].0 - near.begun[pulled].0 <= RATE && near.in_bucket == 1, "{:?}", near.begun);
    let far = clean(&[0.5], &[(1, 2.0), (30, 0.2)], 90).0;
    assert!(far.begun.iter().any(|(_, name)| *name == "say") && far.in_bucket == 1, "{:?}", far.begun);
}

proptest! {
    /// Whatever lies where and whoever moves it: one skill works at a time, nothing gets lost, and in the end the table is clean.
    #[test]
    fn every_table_is_cleaned(
        objects in prop::collection::vec(0.1_f64..2.0, 0..6),
        person in prop::collection::vec((1_u64..200, 0.1_f64..2.0), 0..10),
    ) {
        // in the end somebody helps with all that is left
        let help = (0..60).map(|turn| (300 + 20 * turn, 0.3));
        let person: Vec<(u64, f64)> = person.into_iter().chain(help).collect();
        let (table, ended) = clean(&objects, &person, 2_000);
        prop_assert_eq!(ended, Some(0));
        prop_assert_eq!(table.in_bucket, objects.len());
    }
}
