//! A robot without wheels: the bench holds still, takes its poses, and refuses to drive.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::path::Path;

use mission::{Mission, MissionError, MissionPlan, MissionSettings};
use robot_io::{Commands, Controller, Pose2, Readings, RobotLayout};
use robot_model::RobotModel;

fn bench() -> RobotModel {
    RobotModel::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/bench/bench.toml")).unwrap()
}

fn mission(steps: &str) -> Result<(Mission, RobotLayout), MissionError> {
    let (model, settings) = (bench(), MissionSettings::default());
    let plan = MissionPlan::parse(&format!("name = \"test\"\n{steps}"), "test.toml").unwrap();
    let layout = model.layout();
    let mission = Mission::new(&model, &layout, &plan, Pose2::default(), None, &settings)?;
    Ok((mission, layout))
}

/// Cycles with joints that are where the last command wants them.
fn run(mission: &mut Mission, layout: &RobotLayout, from: [f64; 2], seconds: f64) -> Vec<[f64; 2]> {
    let (mut readings, mut commands) = (Readings::new(layout), Commands::new(layout));
    let mut positions = from;
    let mut track = Vec::new();
    for _ in 0..(seconds / layout.period.seconds()) as usize {
        readings.time = readings.time + layout.period;
        for (joint, position) in readings.joints.iter_mut().zip(positions) {
            (joint.position, joint.stamp) = (position, readings.time);
        }
        mission.update(&readings, &mut commands);
        assert!(commands.joints.iter().all(|command| command.stiffness > 0.0 && command.damping > 0.0));
        positions = [commands.joints[0].position, commands.joints[1].position];
        track.push(positions);
    }
    track
}

#[test]
fn it_holds_what_it_has_until_a_pose_is_ordered() {
    let (mut mission, layout) = mission("[[steps]]\nwait = { seconds = 60.0 }\n").unwrap();
    assert!(run(&mut mission, &layout, [0.3, -0.2], 2.0).iter().all(|positions| *positions == [0.3, -0.2]));
}

#[test]
fn it_takes_its_poses_slowly_and_is_done() {
    let steps = "[[steps]]\npose = { name = \"left_turned\" }\n[[steps]]\npose = { name = \"both_turned\" }\n";
    let (mut mission, layout) = mission(steps).unwrap();
    let track = run(&mut mission, &layout, [0.1, 0.0], 12.0);
    assert_eq!(track.last(), Some(&[-0.5, -0.5]));
    assert!(track.iter().any(|positions| (positions[0] - 0.5).abs() < 0.1 && positions[1].abs() < 1e-9));
    let speed = |pair: &[[f64; 2]]| (pair[1][0] - pair[0][0]).abs() / layout.period.seconds();
    let fastest = track.windows(2).map(speed).fold(0.0, f64::max);
    assert!((0.1..0.5).contains(&fastest), "{fastest} rad/s");
    assert!(mission.status().to_string().contains("done"), "{}", mission.status());
}

#[test]
fn it_refuses_to_drive() {
    let error = mission("[[steps]]\nwait = { seconds = 1.0 }\n[[steps]]\ngoto = { x = 1.0, y = 0.0 }\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "standing: step 2: expected a pose or a wait, found one that moves the base; robot 'bench' has no wheels"
    );
    assert!(mission("[[steps]]\nstance = { height = 0.5 }\n").is_err());
}
