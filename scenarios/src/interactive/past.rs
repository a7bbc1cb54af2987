//! The signals of a whole log, read once, so that they can be plotted from end to end without computing the run again.

use std::sync::Arc;

use nalgebra::{Isometry3, Vector3};
use robot_io::Time;
use station::signals::catalogue;
use station::{LogSignals, StationFrame};

use crate::ScenarioError;
use crate::recording::Recording;

/// Rows at most: a longer log is read every second, third, … cycle.
const MOST_ROWS: u64 = 12_000;

/// Everything in a log that can be plotted: joints, sensors and commands of its cycles, the true base, odometry and telemetry as
/// they were shown.
pub fn signals(recording: &Recording) -> Result<LogSignals, ScenarioError> {
    let mut signals = LogSignals::default();
    of_cycles(recording, &mut signals)?;
    let poses: Vec<(Time, Isometry3<f64>)> = recording.log.truth()?;
    add_poses(&mut signals, "base", &poses, true);
    let odometry = recording.log.odometry()?;
    let poses: Vec<_> = odometry.iter().map(|seen| (seen.stamp, seen.base_in_odom)).collect();
    add_poses(&mut signals, "odometry", &poses, false);
    let velocities: Vec<_> = odometry.iter().map(|seen| (seen.stamp, seen.linear_velocity_in_base)).collect();
    add_vectors(
        &mut signals,
        &["odometry.velocity.x [m/s]", "odometry.velocity.y [m/s]", "odometry.velocity.z [m/s]"],
        &velocities,
    );
    of_telemetry(recording, &mut signals)?;
    Ok(signals)
}

fn of_cycles(recording: &Recording, signals: &mut LogSignals) -> Result<(), ScenarioError> {
    let (last, _) = recording.end()?;
    let stride = (last / MOST_ROWS).max(1);
    let list = catalogue(recording.log.layout());
    let (mut times, mut columns) = (Vec::new(), vec![Vec::new(); list.len()]);
    let mut cycles = recording.log.cycles();
    let mut shown = StationFrame::default();
    while let Some(cycle) = cycles.next_cycle()? {
        if !cycle.readings.cycle.is_multiple_of(stride) {
            continue;
        }
        shown.readings.copy_from(&cycle.readings);
        shown.commands.copy_from(&cycle.commands);
        times.push(cycle.readings.time.seconds());
        for (signal, column) in list.iter().zip(&mut columns) {
            column.push(signal.value(&shown).map_or(f32::NAN, |value| value as f32));
        }
    }
    let times = times.into();
    for (signal, column) in list.iter().zip(columns) {
        signals.insert(&signal.name, &times, column);
    }
    Ok(())
}

fn add_poses(signals: &mut LogSignals, of: &str, poses: &[(Time, Isometry3<f64>)], turns: bool) {
    let places: Vec<_> = poses.iter().map(|(time, pose)| (*time, pose.translation.vector)).collect();
    let names = ["x", "y", "z"].map(|axis| format!("{of}.{axis} [m]"));
    add_vectors(signals, &names.each_ref().map(String::as_str), &places);
    if turns {
        let angles = |pose: &Isometry3<f64>| {
            let (roll, pitch, yaw) = pose.rotation.euler_angles();
            Vector3::new(roll, pitch, yaw)
        };
        let turns: Vec<_> = poses.iter().map(|(time, pose)| (*time, angles(pose))).collect();
        let names = ["roll", "pitch", "yaw"].map(|angle| format!("{of}.{angle} [rad]"));
        add_vectors(signals, &names.each_ref().map(String::as_str), &turns);
    }
}

fn add_vectors(signals: &mut LogSignals, names: &[&str; 3], vectors: &[(Time, Vector3<f64>)]) {
    let times: Arc<[f64]> = vectors.iter().map(|(time, _)| time.seconds()).collect();
    for (axis, name) in names.iter().enumerate() {
        signals.insert(name, &times, vectors.iter().map(|(_, vector)| vector[axis] as f32).collect());
    }
}

/// Telemetry is objects of numbers, each as long as the controller had something to say.
fn of_telemetry(recording: &Recording, signals: &mut LogSignals) -> Result<(), ScenarioError> {
    let messages = recording.log.messages(TELEMETRY)?;
    let times: Arc<[f64]> = messages.iter().map(|message| message.time.seconds()).collect();
    let mut columns: std::collections::BTreeMap<String, Vec<f32>> = std::collections::BTreeMap::new();
    for (row, message) in messages.iter().enumerate() {
        let object: serde_json::Map<String, serde_json::Value> =
            serde_json::from_slice(&message.data).unwrap_or_default();
        for (name, number) in object {
            // a vector's parts are called as the window calls them
            let column = columns.entry(name.replacen('/', ".", 1)).or_default();
            column.resize(row, f32::NAN);
            column.push(number.as_f64().map_or(f32::NAN, |number| number as f32));
        }
    }
    for (name, mut column) in columns {
        column.resize(times.len(), f32::NAN);
        signals.insert(&name, &times, column);
    }
    Ok(())
}

/// Where a log has its telemetry.
const TELEMETRY: &str = "/telemetry";
