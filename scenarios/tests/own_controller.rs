//! A controller that is not ours: the page that `chiron new controller` writes, run as its owner would run it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

extern crate scenarios as chiron;

use desk::Desk;
use scenarios::Registry;
use scenarios::outcome::Outcome;

#[path = "support/desk.rs"]
mod desk;

#[allow(dead_code, missing_docs, reason = "a program of its own")]
#[path = "../templates/controller/main.rs"]
mod page;

const CASE: &str = "wave/wave.toml";

fn desk() -> Desk {
    Desk::beginning("controller", "wave", page::controllers())
}

#[test]
fn it_waves_in_simulation_over_the_bus_in_a_replay_and_in_a_fork() {
    let desk = desk();
    let simulated = desk.passes(CASE, &[], "sim");
    assert_eq!(simulated, desk.passes(CASE, &["--workers", "0"], "again"), "the same, run again");
    let modelled = desk.passes(CASE, &["--plant", "modelled-bus"], "modelled");
    assert_eq!(modelled, desk.passes(CASE, &["--plant", "virtual-bus"], "bus"));
    for out in ["sim", "bus"] {
        let log = desk.at(out).join("run.mcap");
        for how in ["--verify", "--controllers-only"] {
            let replayed = desk.chiron(&["replay", log.to_str().unwrap(), how, "--quiet"]).unwrap();
            assert_eq!(replayed, Outcome::Passed, "{out} {how}");
        }
    }
    let (log, fork) = (desk.at("sim/run.mcap"), desk.at("fork"));
    let (log, fork) = (log.to_str().unwrap(), fork.to_str().unwrap());
    let forked = ["replay", log, "--fork-at", "3.3", "--seed", "2", "--out", fork, "--quiet"];
    assert_eq!(desk.chiron(&forked).unwrap(), Outcome::Passed);
    assert_eq!(desk.standard_chiron(&["diff", log, &format!("{fork}/run.mcap")]).unwrap(), Outcome::Failed);
}

#[test]
fn a_program_without_it_says_which_controllers_it_has_and_where_the_name_stands() {
    let desk = desk();
    let case = desk.at("wave/wave.toml");
    let refused = desk.standard_chiron(&["run", case.to_str().unwrap()]).unwrap_err().to_string();
    assert!(refused.contains("wave.toml:10: controller: expected one of mission, program, found 'wave'"), "{refused}");
    desk.passes(CASE, &["--duration", "8"], "sim");
    let log = desk.at("sim/run.mcap");
    let log = log.to_str().unwrap();
    let refused = desk.standard_chiron(&["replay", log, "--verify"]).unwrap_err().to_string();
    assert!(refused.contains("expected one of mission, program, found 'wave'"), "{refused}");
    assert_eq!(desk.standard_chiron(&["replay", log]).unwrap(), Outcome::Passed, "what it holds can be told");
}

#[test]
fn settings_that_it_does_not_know_are_refused_before_anything_is_written() {
    for (from, to, expected) in [
        ("swing = 0.4", "swin = 0.4", "controller: [controller.settings]: unknown field `swin`"),
        ("times = 3", "times = -3", "controller: [controller.settings]: invalid value"),
        ("\"left_arm_elbow_pitch\"", "\"third_elbow\"", "controller: centaur has no joint named 'third_elbow'"),
        ("[controller.settings]", "[controller.setting]", "controller.setting: expected one of name, program"),
    ] {
        let desk = desk();
        desk.change(CASE, from, to);
        let refused = desk.refused(CASE, &[]);
        assert!(refused.contains("wave.toml:1") && refused.contains(expected), "{to}: {refused}");
        assert!(!desk.at("refused/run.mcap").exists() && !desk.at("refused/run.mcap.partial").exists(), "{to}");
    }
}

#[test]
fn another_controller_may_answer_in_a_scenario_that_ships() {
    let desk = Desk::new(Registry::standard().with("around", |setup| setup.mission()));
    let digest = |controller: &str| {
        let (_, metrics) =
            desk.run("centaur_drives_flat", &["--duration", "6", "--controller", controller], controller).unwrap();
        metrics["digest"].as_str().unwrap().to_owned()
    };
    assert_eq!(digest("mission"), digest("around"), "the mission by another name is the same mission");
}

#[test]
fn a_folder_that_exists_is_left_as_it_is() {
    let desk = desk();
    let at = desk.at("wave");
    let again = desk.standard_chiron(&["new", "controller", "wave", "--path", at.to_str().unwrap()]);
    assert!(again.unwrap_err().to_string().contains("does not exist yet"));
    for name in ["Wave", "../wave", "mission", "my-arm"] {
        let refused = desk.standard_chiron(&["new", "controller", name]).unwrap_err().to_string();
        assert!(refused.contains("small letters"), "{name}: {refused}");
    }
}
