//! Grasps that are planned from shapes hold in physics: a standing centaur takes things from a table, lifts and turns them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod grasping;
mod support;

use grasping::bench::{Bench, centaur};
use grasping::plan::Reacher;
use grasping::things::{Thing, battery, cup, scoop};
use grasping::trial::{Outcome, grasp, grasp_beside};
use manipulation::{GraspSettings, grasps};

/// Tries a thing with these seeds, and prints what came of it.
fn tries(bench: &Bench, thing: &Thing, seeds: core::ops::RangeInclusive<u64>) -> Vec<Outcome> {
    let reacher = Reacher::new(bench);
    let planned = grasps(&thing.object, &reacher.hand, &GraspSettings::default()).unwrap();
    println!(
        "{}: {} grasps, the best {:.3}",
        thing.name,
        planned.len(),
        planned.first().map_or(0.0, |best| best.quality)
    );
    println!("seed  grasp  quality  steep  missed      nudged  pushed  moved   turned  width  held   force");
    println!("                          °      mm    °     mm      mm      mm      °       mm     mm     N");
    let one = |seed| {
        let outcome = grasp(bench, &reacher, thing, &planned, seed);
        let Outcome { number, quality, steep_deg, pushed, moved, turned_deg, widths, force, failed, .. } = &outcome;
        let ([width, held], [missed, lean]) = (widths.map(|width| 1e3 * width), outcome.missed);
        println!(
            "{seed:4}  {number:5}  {quality:7.3}  {steep_deg:5.0}  {:4.1} {lean:4.1}  {:6.1}  {:6.1}  {:5.2}  {turned_deg:7.2}  {width:5.1}  {held:5.1}  \
             {force:5.1}  {}",
            1e3 * missed,
            1e3 * outcome.nudged,
            1e3 * pushed,
            1e3 * moved,
            failed.as_ref().map_or(String::new(), |why| format!("{why}{}", outcome.trace))
        );
        outcome
    };
    let outcomes: Vec<Outcome> = seeds.map(one).collect();
    let held = outcomes.iter().filter(|outcome| outcome.failed.is_none()).count();
    println!("{}: {held} of {}", thing.name, outcomes.len());
    outcomes
}

fn succeeds(bench: &Bench, thing: &Thing, seeds: core::ops::RangeInclusive<u64>, least: usize) {
    let outcomes = tries(bench, thing, seeds);
    let failed: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.failed.is_some()).collect();
    assert!(outcomes.len() - failed.len() >= least, "{}: {failed:#?}", thing.name);
}

#[test]
fn a_battery_that_stands_is_taken_and_kept() {
    succeeds(&centaur(), &battery(false), 101..=101, 1);
}

#[test]
fn a_battery_that_lies_is_taken_and_kept() {
    succeeds(&centaur(), &battery(true), 101..=101, 1);
}

#[test]
fn a_cup_is_taken_and_kept_and_not_knocked_over() {
    succeeds(&centaur(), &cup(), 101..=101, 1);
}

#[test]
fn a_scoop_is_taken_by_its_handle_and_kept() {
    succeeds(&centaur(), &scoop(), 101..=101, 1);
}

#[test]
fn a_hand_that_closes_beside_the_battery_says_that_it_has_nothing() {
    let (bench, thing) = (centaur(), battery(true));
    let reacher = Reacher::new(&bench);
    let planned = grasps(&thing.object, &reacher.hand, &GraspSettings::default()).unwrap();
    let outcome = grasp_beside(&bench, &reacher, &thing, &planned, 101, -0.15);
    let failed = outcome.failed.unwrap();
    assert!(failed.starts_with("closing: Empty"), "{failed}");
}

#[test]
fn a_hand_that_holds_a_battery_too_loosely_says_that_it_slips() {
    let (bench, thing) = (centaur(), Thing { force: 6.0, ..battery(true) });
    let reacher = Reacher::new(&bench);
    let planned = grasps(&thing.object, &reacher.hand, &GraspSettings::default()).unwrap();
    let failed = grasp(&bench, &reacher, &thing, &planned, 101).failed.unwrap();
    assert!(failed.starts_with("at the end: Lost") || failed.starts_with("at the end: Slipping"), "{failed}");
}

/// The table of the README: `cargo test --release -p plant --test grasps -- --ignored --nocapture`.
#[test]
#[ignore = "minutes"]
fn twenty_batteries_that_stand() {
    succeeds(&centaur(), &battery(false), 1..=20, 19);
}

#[test]
#[ignore = "minutes"]
fn twenty_batteries_that_lie() {
    succeeds(&centaur(), &battery(true), 1..=20, 19);
}

#[test]
#[ignore = "minutes"]
fn twenty_cups() {
    succeeds(&centaur(), &cup(), 1..=20, 19);
}

#[test]
#[ignore = "minutes"]
fn twenty_scoops() {
    succeeds(&centaur(), &scoop(), 1..=20, 19);
}
