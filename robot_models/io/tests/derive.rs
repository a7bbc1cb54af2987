//! `#[derive(State)]` says what a hand would say.
#![allow(clippy::unwrap_used, reason = "tests")]

use robot_io::{Digest, State, StateReader, StateVisitor, StateWriter, Time, first_difference};

#[derive(Clone, Debug, Default, PartialEq, State)]
#[state(then = "follow")]
struct Walker {
    #[state(fixed)]
    legs: usize,
    step: u64,
    speed: f64,
    #[state(packed)]
    picture: Vec<u8>,
    #[state(elements)]
    angles: Vec<f64>,
    gait: Gait,
    goal: Option<Pair>,
    #[state(scratch)]
    twice: u64,
    #[state(output)]
    shown: Vec<String>,
    #[state(skip = "a test's")]
    luck: f64,
}

impl Walker {
    fn follow(&mut self) {
        self.twice = 2 * self.step;
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
struct Pair(f64, Time);

#[derive(Clone, Debug, Default, PartialEq, State)]
enum Gait {
    #[default]
    Stand,
    Walk {
        period: f64,
        #[state(fixed)]
        name: String,
    },
    Jump(Pair, u64),
}

#[derive(Clone, Debug, Default, State)]
struct Twice<T> {
    one: T,
    other: Vec<T>,
}

fn walker() -> Walker {
    Walker {
        legs: 4,
        step: 7,
        speed: -0.5,
        picture: vec![1, 2, 3],
        angles: vec![0.25, 0.5],
        gait: Gait::Jump(Pair(3.0, Time::from_seconds(2.0)), 9),
        goal: Some(Pair(1.5, Time::ZERO)),
        twice: 1,
        shown: vec!["shown".to_owned()],
        luck: 0.1,
    }
}

/// The same by hand.
struct ByHand(Walker);

impl State for ByHand {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let it = &mut self.0;
        visitor.field("step", &mut it.step);
        visitor.field("speed", &mut it.speed);
        visitor.field("picture", &mut robot_io::Packed(&mut it.picture));
        visitor.field("angles", it.angles.as_mut_slice());
        visitor.field("gait", &mut 2_u64);
        if let Gait::Jump(pair, times) = &mut it.gait {
            visitor.field("0", &mut pair.0);
            visitor.field("1", &mut pair.1);
            visitor.field("1", times);
        }
        let goal = it.goal.as_mut().unwrap();
        visitor.field("goal", &mut true);
        visitor.field("goal", &mut goal.0);
        visitor.field("goal", &mut goal.1);
    }
}

#[test]
fn fields_come_in_their_order_and_those_that_say_so_do_not_come() {
    assert_eq!(StateWriter::save(&mut walker()), StateWriter::save(&mut ByHand(walker())));
    let other = &mut Walker { legs: 2, luck: 9.0, shown: Vec::new(), ..walker() };
    assert_eq!(Digest::of(&mut walker()), Digest::of(other));
}

#[test]
fn what_was_saved_comes_back_and_what_follows_is_brought_in_line() {
    let mut other = Walker { angles: vec![0.0; 2], legs: 4, ..Walker::default() };
    StateReader::restore(&mut other, &StateWriter::save(&mut walker())).unwrap();
    let expected = Walker { twice: 14, shown: Vec::new(), luck: 0.0, ..walker() };
    assert_eq!(other, expected);
}

#[test]
fn an_enum_changes_its_variant_and_begins_with_defaults() {
    for gait in [Gait::Stand, Gait::Walk { period: 0.8, name: String::new() }, walker().gait] {
        let mut other = Walker { angles: vec![0.0; 2], ..Walker::default() };
        StateReader::restore(&mut other, &StateWriter::save(&mut Walker { gait: gait.clone(), ..walker() })).unwrap();
        assert_eq!(other.gait, gait);
    }
    let mut gait = walker().gait;
    let words = [7_u64, 1, 2, 3].map(u64::to_le_bytes).concat();
    StateReader::restore(&mut gait, &words).unwrap();
    assert!(matches!(gait, Gait::Jump(_, 3)), "a number that no variant has changes none: {gait:?}");
}

#[test]
fn what_differs_is_named_by_its_field() {
    let saved = StateWriter::save(&mut walker());
    let mut other = walker();
    other.goal = Some(Pair(1.25, Time::ZERO));
    assert_eq!(first_difference(&mut other, &saved).unwrap().field, "goal/0[0]");
}

#[test]
fn parameters_are_states_where_their_fields_are() {
    let mut twice = Twice { one: Pair(1.0, Time::ZERO), other: vec![Pair::default(); 2] };
    assert_eq!(StateWriter::save(&mut twice).len(), 8 * (2 + 1 + 4));
}
