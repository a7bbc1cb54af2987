//! A skill that is not ours: the page that `chiron new skill` writes, run as its owner would run it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

extern crate scenarios as chiron;

use desk::Desk;
use scenarios::outcome::Outcome;

#[path = "support/desk.rs"]
mod desk;

#[allow(dead_code, missing_docs, reason = "a program of its own")]
#[path = "../templates/skill/main.rs"]
mod page;

const CASE: &str = "wave/wave.toml";

fn desk() -> Desk {
    Desk::beginning("skill", "wave", page::skills())
}

#[test]
fn it_waves_in_simulation_over_the_bus_in_a_replay_and_in_a_fork() {
    let desk = desk();
    let digest = |more: &[&str], out: &str| desk.passes(CASE, more, out);
    assert_eq!(digest(&[], "sim"), digest(&["--workers", "0"], "again"), "the same, run again");
    assert_eq!(digest(&["--plant", "modelled-bus"], "modelled"), digest(&["--plant", "virtual-bus"], "bus"));
    for out in ["sim", "bus"] {
        let log = desk.at(out).join("run.mcap");
        for how in ["--verify", "--controllers-only"] {
            let replayed = desk.chiron(&["replay", log.to_str().unwrap(), how, "--quiet"]).unwrap();
            assert_eq!(replayed, Outcome::Passed, "{out} {how}");
        }
    }
    let (log, fork) = (desk.at("sim/run.mcap"), desk.at("fork"));
    let (log, fork) = (log.to_str().unwrap(), fork.to_str().unwrap());
    let forked = ["replay", log, "--fork-at", "6.3", "--seed", "2", "--out", fork, "--quiet"];
    assert_eq!(desk.chiron(&forked).unwrap(), Outcome::Passed, "in the middle of the wave");
}

#[test]
fn a_joint_that_does_not_follow_is_told_tried_again_and_left_out() {
    let desk = desk();
    let stuck = "[[fault]]\nat = 3.0\njoint = \"left_arm_elbow_pitch\"\nkind = \"stuck_encoder\"\n\n\
                 [[check]]\nkind = \"event\"\ncontains = \"does not follow\"\n\n[[check]]\nkind = \"mission\"";
    desk.change(CASE, "[[check]]\nkind = \"mission\"", stuck);
    desk.change(CASE, "swing = 0.4", "swing = 1.2");
    desk.change(CASE, "[[mission.steps]]\ngoto", "[mission.progress]\non_stall = \"skip\"\n\n[[mission.steps]]\ngoto");
    let (outcome, metrics) = desk.run(CASE, &[], "out").unwrap();
    let mission = metrics["mission"].as_str().unwrap();
    let expected = "all 2 steps done; step 1 was left out: left_arm_elbow_pitch does not follow: ";
    assert!(outcome == Outcome::Passed && mission.starts_with(expected), "{mission}");
    desk.change(CASE, "on_stall = \"skip\"", "on_stall = \"stop\"");
    let (outcome, metrics) = desk.run(CASE, &["--force"], "out").unwrap();
    let mission = metrics["mission"].as_str().unwrap();
    let expected = "stopped in step 1 of 2: step 1 failed: left_arm_elbow_pitch does not follow: ";
    assert!(outcome == Outcome::Failed && mission.starts_with(expected), "{mission}");
}

#[test]
fn what_it_cannot_do_is_refused_before_anything_is_written() {
    for (from, to, expected) in [
        ("times = 3", "tims = 3", "unknown field `tims`, expected one of `joint`, `swing`, `times`"),
        ("times = 3", "times = -3", "invalid value: integer `-3`, expected u32"),
        ("left_arm_elbow_pitch", "third_elbow", "found 'third_elbow', which centaur does not have"),
        ("left_arm_elbow_pitch", "front_left_knee_pitch", "which carries the robot or turns without end"),
    ] {
        let desk = desk();
        desk.change(CASE, from, to);
        let refused = desk.refused(CASE, &[]);
        assert!(
            refused.contains("wave.toml:15: mission.steps[1].wave: ") && refused.contains(expected),
            "{to}: {refused}"
        );
        assert!(!desk.at("refused/run.mcap").exists() && !desk.at("refused/run.mcap.partial").exists(), "{to}");
    }
    let desk = desk();
    let unknown = desk.standard_chiron(&["run", desk.at(CASE).to_str().unwrap()]).unwrap_err().to_string();
    let expected = "wave.toml:15: mission.steps[1].wave: expected goto, wait, stance, pose, explore; found 'wave'";
    assert!(unknown.contains(expected), "{unknown}");
}

#[test]
fn the_tutorial_shows_what_is_run() {
    desk::expect_shown("impl Skill for Wave {", include_str!("../templates/skill/main.rs"));
}

#[test]
fn a_program_without_it_can_tell_what_a_log_holds() {
    let desk = desk();
    desk.run(CASE, &["--duration", "3"], "sim").unwrap();
    let log = desk.at("sim/run.mcap");
    let log = log.to_str().unwrap();
    assert_eq!(desk.standard_chiron(&["replay", log]).unwrap(), Outcome::Passed);
    let refused = desk.standard_chiron(&["replay", log, "--verify"]).unwrap_err().to_string();
    assert!(refused.contains("steps[1].wave") && refused.contains("found 'wave'"), "{refused}");
}
