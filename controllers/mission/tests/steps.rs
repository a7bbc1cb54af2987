//! A robot on two feet and its footsteps: planned on the ground that it was told, and walked.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, reason = "tests")]

#[path = "support/biped.rs"]
mod biped;

use biped::{humanoid, stand_on, standing};
use mission::{Mission, MissionPlan, MissionSettings};
use robot_io::deadline::InlineBoard;
use robot_io::{Commands, Controller, Events, HeightMap, Pose2, Telemetry};

/// A survey of 6 × 3 m around (1, 0), as high as `height` says at an x.
fn survey(height: impl Fn(f64) -> f64) -> HeightMap {
    let (columns, rows, cell) = (150, 75, 0.04);
    let (origin_x, origin_y) = (-2.0, -1.5);
    let heights = (0..columns * rows).map(|k| height(origin_x + cell * (k % columns) as f64)).collect();
    HeightMap { cell, origin_x, origin_y, columns, rows, heights }
}

/// What it says and shows in the first `seconds` on its way two metres ahead, while its sensors say that it stands as it did.
fn begin(prior: Option<HeightMap>, seconds: f64) -> (Vec<String>, Telemetry) {
    let (model, settings) = (humanoid(), MissionSettings::default());
    let layout = model.layout();
    let text = "name = \"ahead\"\n[[steps]]\ngoto = { x = 2.0, y = 0.0, yaw = 0.0, tolerance = 0.15, heading_tolerance = 0.15 }\n";
    let plan = MissionPlan::parse(text, "ahead.toml").unwrap();
    let mut mission = Mission::new(&model, &layout, &plan, Pose2::default(), prior, &settings).unwrap();
    let (mut readings, mut commands) = (standing(&model), Commands::new(&layout));
    let (mut board, mut events) = (InlineBoard::default(), Events::new());
    for cycle in 0..(seconds * 1000.0) as u64 {
        stand_on(cycle, &commands, &mut readings);
        board.begin(cycle);
        mission.update(&readings, &mut commands);
        mission.exchange_tasks(cycle, &mut board);
        mission.drain_events(&mut events);
    }
    let mut telemetry = Telemetry::default();
    mission.show(&mut telemetry);
    (events.iter().map(|event| event.what.to_string()).collect(), telemetry)
}

fn shown(telemetry: &Telemetry, name: &str) -> f64 {
    telemetry.scalars.iter().find(|(known, _)| *known == name).map_or(f64::NAN, |(_, value)| *value)
}

#[test]
fn a_way_up_a_step_is_planned_on_the_ground_that_it_was_told() {
    let (events, telemetry) = begin(Some(survey(|x| if x > 1.0 { 0.12 } else { 0.0 })), 1.2);
    assert!(events.iter().any(|what| what.starts_with("footsteps planned: ")), "{events:?}");
    let steps = shown(&telemetry, "footsteps_planned");
    assert!((5.0..14.0).contains(&steps), "{steps}");
    assert!(shown(&telemetry, "footsteps_cost") > steps, "each step costs one at least");
}

#[test]
fn where_no_way_leads_it_says_why_and_stands() {
    let (events, telemetry) = begin(Some(survey(|x| if x > 1.0 { 0.8 } else { 0.0 })), 1.2);
    let why = events.iter().find(|what| what.starts_with("no footsteps to the goal: "));
    assert!(why.is_some_and(|why| why.contains("none beyond x ")), "{events:?}");
    assert_eq!(shown(&telemetry, "footsteps_planned"), 0.0);
}

#[test]
fn a_survey_that_is_too_coarse_for_feet_plans_none() {
    let coarse =
        HeightMap { cell: 0.5, origin_x: -5.0, origin_y: -5.0, columns: 20, rows: 20, heights: vec![0.0; 400] };
    for prior in [None, Some(coarse)] {
        let (events, telemetry) = begin(prior, 1.2);
        assert!(!events.iter().any(|what| what.contains("footsteps")), "{events:?}");
        assert_eq!(shown(&telemetry, "footsteps_planned"), 0.0);
        assert!(telemetry.twist.is_some_and(|twist| twist.x > 0.1), "it walks by a velocity");
    }
}
