//! A log's scans are mapped again: by several methods, and with other settings than the robot had.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::fs;

use serde_json::Value;
use support::shell::Shell;

/// What `slam.json` says of each method.
fn summaries(shell: &Shell, folder: &str) -> Vec<Value> {
    serde_json::from_slice(&fs::read(shell.path(folder).join("slam.json")).unwrap()).unwrap()
}

#[test]
fn methods_are_compared_on_a_log_and_a_setting_changes_the_method_that_has_it() {
    let shell = Shell::new();
    // the scenario's checks are for all of its exploration
    shell.chiron("run centaur_explores --duration 12 --out out/run");
    let slam = "slam out/run/run.mcap --quiet --method surfels kiss-icp odometry --out";
    shell.passes(&format!("{slam} out/plain"));
    shell.passes(&format!("{slam} out/finer --set slam.kiss.voxel=0.2 --set slam.kiss.points_per_voxel=5"));
    for summary in summaries(&shell, "out/plain") {
        let (sweeps, error) = (summary["sweeps"].as_u64(), summary["largest_error_m"].as_f64());
        assert!(sweeps >= Some(5) && error.is_some_and(|error| error < 0.1), "{summary}");
    }
    let is_same = |file: &str| {
        let [plain, finer] = ["out/plain", "out/finer"].map(|folder| fs::read(shell.path(folder).join(file)).unwrap());
        plain == finer
    };
    assert!(is_same("trajectory_surfels.tum") && is_same("trajectory_odometry.tum") && is_same("truth.tum"));
    assert!(!is_same("trajectory_kiss-icp.tum"));

    let why = shell.refused("slam out/run/run.mcap --set slam.kiss.voxl=0.2");
    assert!(why.contains("slam.kiss.voxl") && why.contains("slam.kiss.voxel"), "{why}");
    let why = shell.refused("slam out/run/run.mcap --set slam.kiss.voxel=-1");
    assert!(why.contains("slam.kiss.voxel [m]: expected a positive number, found -1"), "{why}");
    let why = shell.refused("slam out/run --set slam.kiss.voxel=0.2");
    assert!(why.contains("--set: expected a log of chiron, found out/run"), "{why}");
}
