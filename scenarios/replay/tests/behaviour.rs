//! The active states of statecharts in a log: a message whenever they change, and no channel where there are none.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use std::path::Path;
use std::sync::Arc;

use replay::{LogReader, LogWriter, Recorder, channel};
use robot_io::{ActiveState, Commands, Readings, RobotIo, Time};

/// Ten cycles, each with the active states that `states` gives it.
fn record(path: &Path, states: impl Fn(u64) -> Vec<Arc<ActiveState>>) -> LogReader {
    let layout = support::layout(2);
    let log = LogWriter::create(path, &support::header(&layout)).unwrap();
    let mut robot = Recorder::new(support::NoisyRobot::new(layout.clone(), 3), log.clone());
    let (mut readings, mut commands) = (Readings::new(&layout), Commands::new(&layout));
    robot.bring_up().unwrap();
    for cycle in 0..10 {
        robot.read(&mut readings).unwrap();
        support::answer(&readings, &mut commands);
        robot.write(&commands).unwrap();
        log.behaviour(&states(cycle)).unwrap();
    }
    log.finish().unwrap();
    LogReader::open(path).unwrap()
}

#[test]
fn a_message_tells_what_is_active_whenever_it_changes() {
    let folder = tempfile::tempdir().unwrap();
    let state = |path: &str, since: f64| {
        let (path, told) = (path.to_owned(), "to = -0.3 rad".to_owned());
        Arc::new(ActiveState { path, told, since: Time::from_seconds(since), because: "\"quoted\"".to_owned() })
    };
    let (up, down) = (state("greet/up", 0.0), state("greet/down", 0.02));
    let log = record(&folder.path().join("run.mcap"), |cycle| match cycle {
        0..4 => vec![up.clone()],
        4..8 => vec![up.clone(), down.clone()],
        _ => Vec::new(),
    });
    let messages = log.messages(channel::BEHAVIOUR).unwrap();
    let read: Vec<serde_json::Value> =
        messages.iter().map(|message| serde_json::from_slice(&message.data).unwrap()).collect();
    let paths = |message: &serde_json::Value| {
        let states = message["active"].as_array().unwrap();
        states.iter().map(|state| state["state"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let seen: Vec<_> = read.iter().map(paths).collect();
    assert_eq!(seen, [vec!["greet/up"], vec!["greet/up", "greet/down"], vec![]]);
    let expected = serde_json::json!(
        { "state": "greet/down", "told": "to = -0.3 rad", "since": 0.02, "because": "\"quoted\"" }
    );
    assert_eq!(read[1]["active"][1], expected);
}

#[test]
fn a_run_without_statecharts_has_no_channel_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let log = record(&folder.path().join("run.mcap"), |_| Vec::new());
    assert!(!log.topics().contains(&channel::BEHAVIOUR), "{:?}", log.topics());
}
