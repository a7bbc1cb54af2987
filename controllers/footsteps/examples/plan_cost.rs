//! How long planning takes and what is found: `cargo run --release -p footsteps --example plan_cost`.
//!
//! `… -- FOLDER` draws each plan into an SVG there.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "an example")]
#![allow(dead_code, missing_docs, reason = "grounds and stopwatch belong to the tests")]

#[path = "drawing/mod.rs"]
mod drawing;
#[path = "../tests/grounds/mod.rs"]
mod grounds;
#[path = "../tests/stopwatch/mod.rs"]
mod stopwatch;

use std::sync::Arc;

use footsteps::{FootstepPlan, FootstepSettings, Planner};
use grounds::{Case, cases, settings};
use stopwatch::Stopwatch;

/// So many expansions at a time.
const SLICE: usize = 20;

fn main() {
    let folder = std::env::args().nth(1);
    for cell in [0.02, 0.04] {
        println!("\ncells of {cell} m");
        println!(
            "| ground | steps | map [ms] | first plan [ms] (expansions, bound) | all expansions [ms] | expansions | cost first | cost | bound |"
        );
        println!("|---|---|---|---|---|---|---|---|---|");
        for case in cases() {
            let plan = measure(&case, cell, &settings());
            if let Some(folder) = folder.as_ref().filter(|_| cell < 0.03) {
                let name: String = case.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
                std::fs::write(format!("{folder}/{name}.svg"), drawing::draw(&case, &plan)).unwrap();
            }
        }
    }
}

fn measure(case: &Case, cell: f64, settings: &FootstepSettings) -> FootstepPlan {
    let map = grounds::map(&case.ground, case.low, case.high, cell);
    let start = Stopwatch::start();
    let terrain = footsteps::HeightTerrain::from_map(&map, &settings.terrain).unwrap();
    let planner = Planner::new(Arc::new(terrain), settings).unwrap();
    let map_time = start.milliseconds();
    let (start, query) = (Stopwatch::start(), case.query());
    let mut planning = planner.begin(&query);
    let mut first = None;
    while planning.expansions() < settings.search.expansions && planning.advance(SLICE) {
        if first.is_none() {
            let plan = planning.plan();
            first = plan.is_to_goal().then(|| (start.milliseconds(), plan));
        }
    }
    let (plan, all) = (planning.plan(), start.milliseconds());
    let (when, begun) = first.unwrap_or((all, plan.clone()));
    println!(
        "| {} | {} | {map_time:.0} | {when:.0} ({}, {:.2}) | {all:.0} | {} | {:.1} | {:.1} | {:.3} |",
        case.name,
        plan.steps.len(),
        begun.expansions,
        begun.bound,
        plan.expansions,
        begun.cost,
        plan.cost,
        plan.bound
    );
    if !plan.is_to_goal() {
        println!("  {:?}", plan.outcome);
    }
    plan
}
