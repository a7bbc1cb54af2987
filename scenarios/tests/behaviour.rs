//! Statecharts beside the mission, from a scenario's file: carried out on every plant, in replays and forks, refused where they make no sense.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

extern crate scenarios as chiron;

use desk::Desk;
use mission::chart::{Book, Parameter, Type};
use mission::{Behaviour, Skills};
use robot_io::DummyController;
use scenarios::Registry;
use scenarios::outcome::Outcome;

#[path = "support/desk.rs"]
mod desk;

#[allow(dead_code, missing_docs, reason = "a program of its own")]
#[path = "../templates/skill/main.rs"]
mod page;

const GREETS: &str = include_str!("../cases/centaur_greets.toml");
const FILE: &str = "greets.toml";

#[test]
fn a_chart_is_carried_out_while_the_robot_drives_on_every_plant_and_in_a_fork() {
    let desk = Desk::new(Registry::standard());
    let digest = |more: &[&str], out: &str| desk.passes("centaur_greets", more, out);
    assert_eq!(digest(&[], "sim"), digest(&["--workers", "0"], "again"), "the same, run again");
    assert_eq!(digest(&["--plant", "modelled-bus"], "modelled"), digest(&["--plant", "virtual-bus"], "bus"));
    for log in ["sim/run.mcap", "bus/run.mcap"] {
        let log = desk.at(log);
        assert_eq!(desk.chiron(&["replay", log.to_str().unwrap(), "--verify", "--quiet"]).unwrap(), Outcome::Passed);
    }
    let (log, fork) = (desk.at("sim/run.mcap"), desk.at("fork"));
    let (log, fork) = (log.to_str().unwrap(), fork.to_str().unwrap());
    let forked = ["replay", log, "--fork-at", "4.3", "--seed", "2", "--out", fork, "--quiet"];
    assert_eq!(desk.chiron(&forked).unwrap(), Outcome::Passed, "in the middle of a state");
    for log in ["sim/run.mcap", "bus/run.mcap", "fork/run.mcap"] {
        for component in ["mission", "behaviour"] {
            let log = desk.at(log);
            let alone = ["replay", log.to_str().unwrap(), "--component", component, "--quiet"];
            assert_eq!(desk.chiron(&alone).unwrap(), Outcome::Passed, "{component} alone, {}", log.display());
        }
    }
    let refused = desk.chiron(&["replay", log, "--component", "waver", "--quiet"]).unwrap_err().to_string();
    assert_eq!(refused, "--component: expected one of mission, behaviour, found 'waver'");
}

/// A mission without steps, whose chart drives the robot.
fn driven(mission: &str, chart: &str) -> String {
    let head = GREETS.split("[behaviour]").next().unwrap();
    let check = "[[check]]\nkind = \"reached\"\nx = 1.2\ny = 0.6\nwithin = 0.06\n[[check]]\nkind = \"mission\"\nend = \"done\"\n";
    format!("{head}{chart}[mission]\nname = \"driven\"\n{mission}{check}")
}

const CORNER: &str = r#"
name = "corner"
outcomes = ["done", "failed"]
initial = "ahead"

[states.ahead]
skill = "goto"
inputs = { to = { x = 1.2, y = 0.0 }, heading = false }
needs = ["localized"]
stall_time = 5.0
[states.ahead.on]
done = "left"
failed = "failed"
out_of_reach = "failed"
refused = "failed"
stalled = "failed"

[states.left.regions.base]
skill = "goto"
inputs = { to = { x = 1.2, y = 0.6, yaw = 0.0 } }
[states.left.regions.base.on]
done = "wait"
failed = "failed"
out_of_reach = "failed"

[states.left.regions.arm]
skill = "move"
inputs = { joint = "left_arm_elbow_pitch", to = -0.4 }
[states.left.regions.arm.on]
done = "wait"
failed = "failed"

[states.left.on]
joined = "stance"
failed = "failed"

[states.stance]
skill = "stance"
inputs = { height = 0.5, seconds = 1.5 }
[states.stance.on]
done = "done"
failed = "failed"
"#;

fn driven_by_a_chart() -> Desk {
    let desk = Desk::with(FILE, &driven("", "[behaviour]\nchart = \"corner\"\n"), Registry::standard());
    std::fs::create_dir(desk.at("charts")).unwrap();
    std::fs::write(desk.at("charts/corner.toml"), CORNER).unwrap();
    desk
}

#[test]
fn a_chart_drives_the_robot_on_every_plant_and_in_a_fork() {
    let desk = driven_by_a_chart();
    let digest = |more: &[&str], out: &str| desk.passes(FILE, more, out);
    assert_eq!(digest(&[], "sim"), digest(&["--workers", "0"], "again"), "the same, run again");
    assert_eq!(digest(&["--plant", "modelled-bus"], "modelled"), digest(&["--plant", "virtual-bus"], "bus"));
    let (log, fork) = (desk.at("sim/run.mcap"), desk.at("fork"));
    let (log, fork) = (log.to_str().unwrap(), fork.to_str().unwrap());
    assert_eq!(desk.chiron(&["replay", log, "--verify", "--quiet"]).unwrap(), Outcome::Passed);
    let forked = ["replay", log, "--fork-at", "2.3", "--seed", "2", "--out", fork, "--quiet"];
    assert_eq!(desk.chiron(&forked).unwrap(), Outcome::Passed, "on the way");
    for component in ["mission", "behaviour"] {
        let alone = ["replay", log, "--component", component, "--quiet"];
        assert_eq!(desk.chiron(&alone).unwrap(), Outcome::Passed, "{component} alone");
    }
}

#[test]
fn a_chart_takes_as_long_as_the_same_steps_of_a_mission() {
    let took = |desk: &Desk| {
        let (outcome, metrics) = desk.run(FILE, &[], "out").unwrap();
        assert_eq!(outcome, Outcome::Passed, "{metrics}");
        metrics["simulated_s"].as_f64().unwrap()
    };
    let steps = "[[mission.steps]]\ngoto = { x = 1.2, y = 0.0 }\n[[mission.steps]]\ngoto = { x = 1.2, y = 0.6, yaw = 0.0 }\n\
                 [[mission.steps]]\nstance = { height = 0.5, seconds = 1.5 }\n";
    let (steps, chart) =
        (took(&Desk::with(FILE, &driven(steps, ""), Registry::standard())), took(&driven_by_a_chart()));
    assert!((steps - chart).abs() < 0.3, "steps {steps} s, chart {chart} s");
}

#[test]
fn a_run_that_ends_in_its_middle_says_where_mission_and_chart_stand() {
    let desk = Desk::new(Registry::standard());
    let (outcome, metrics) = desk.run("centaur_greets", &["--duration", "2.3"], "out").unwrap();
    let said = metrics["mission"].as_str().unwrap();
    assert!(said.starts_with("mission: step 1 of 1, ") && said.ends_with("; behaviour: greet/up"), "{said}");
    assert_eq!(outcome, Outcome::Failed);
}

#[test]
fn the_same_chart_greets_on_another_robot_by_its_profile() {
    let bench = GREETS
        .replace("robot = \"centaur\"", "robot = \"bench\"")
        .replace("pose = \"arms_forward\"\n", "spawn = { place = \"start\" }\n")
        .replace("profile = \"centaur\"", "profile = \"bench\"")
        .replace("goto = { x = 4.0, y = 0.0 }", "wait = { seconds = 15.0 }");
    let bench = bench.split("[[check]]\nkind = \"reached\"").next().unwrap().to_owned()
        + "[[check]]\nkind = \"event\"\ncontains = \"greet ended as 'done'\"\n";
    let desk = Desk::with(FILE, &bench, Registry::standard());
    assert_eq!(
        desk.passes(FILE, &["--plant", "modelled-bus"], "modelled"),
        desk.passes(FILE, &["--plant", "virtual-bus"], "bus")
    );
    desk.passes(FILE, &[], "sim");
}

#[test]
fn a_skill_of_ones_own_is_a_state_of_a_chart() {
    let inputs = [Parameter::required("joint", Type::Text, ""), Parameter::required("times", Type::Number, "1")];
    let registry = page::skills().with_skill_inputs("wave", inputs);
    let case =
        GREETS.replace("chart = \"greet\"\nprofile = \"centaur\"\ninputs = { after = 2.0 }", "chart = \"wave_twice\"");
    let desk = Desk::with(FILE, &case.replace("greet ended as 'done'", "wave_twice ended as 'done'"), registry);
    let chart = "name = \"wave_twice\"\noutcomes = [\"done\", \"failed\"]\ninitial = \"wave\"\n[states.wave]\nskill = \"wave\"\n\
                 inputs = { joint = \"left_arm_elbow_pitch\", times = 2 }\n[states.wave.on]\ndone = \"done\"\nfailed = \"failed\"\n";
    std::fs::create_dir(desk.at("charts")).unwrap();
    std::fs::write(desk.at("charts/wave_twice.toml"), chart).unwrap();
    desk.passes(FILE, &[], "out");
    let broken = chart.replace("times = 2", "times = 2.5");
    std::fs::write(desk.at("charts/wave_twice.toml"), broken).unwrap();
    let refused = desk.refused(FILE, &[]);
    let expected = "greets.toml:13: behaviour: chart 'wave_twice', state 'wave': invalid type: floating point `2.5`";
    assert!(refused.contains(expected), "{refused}");
}

#[test]
fn what_makes_no_sense_is_refused_with_its_file_and_line() {
    for (from, to, expected) in [
        (
            "chart = \"greet\"",
            "chart = \"great\"",
            "greets.toml:13: behaviour: chart 'great': expected a file great.toml in ",
        ),
        ("chart = \"greet\"", "chart = \"../greet\"", "greets.toml:14: behaviour.chart: expected a chart's name"),
        (
            "profile = \"centaur\"",
            "profile = \"cat\"",
            "greets.toml:13: behaviour: profile: expected one of bench, centaur, found 'cat'",
        ),
        (
            "profile = \"centaur\"\n",
            "",
            "greets.toml:13: behaviour: expected the input 'down' of chart 'greet', found none",
        ),
        (
            "{ after = 2.0 }",
            "{ later = 2.0 }",
            "greets.toml:13: behaviour: inputs: expected some of after, down, joint, up, found 'later'",
        ),
        (
            "{ after = 2.0 }",
            "{ after = true }",
            "greets.toml:13: behaviour: inputs: after: expected a number, found true",
        ),
        (
            "{ after = 2.0 }",
            "{ joint = \"tail\" }",
            "greets.toml:13: behaviour: chart 'greet', state 'down': expected a joint to move, found 'tail', which centaur does not have",
        ),
        (
            "profile = \"centaur\"",
            "autonomy = \"none\"",
            "greets.toml:15: behaviour.autonomy: expected one of \"low\", \"high\", \"full\", found string `\"none\"`",
        ),
    ] {
        let desk = Desk::with(FILE, &GREETS.replace(from, to), Registry::standard());
        let refused = desk.refused(FILE, &[]);
        assert!(refused.contains(expected), "{to}: {refused}");
        assert!(!desk.at("refused").exists(), "{to}");
    }
}

#[test]
fn a_mistake_in_a_chart_is_named_by_its_own_file_and_line() {
    let desk = Desk::with(FILE, &GREETS.replace("chart = \"greet\"", "chart = \"bad\""), Registry::standard());
    std::fs::create_dir(desk.at("charts")).unwrap();
    let bad = include_str!("../charts/greet.toml").replace("name = \"greet\"", "name = \"bad\"");
    for (from, to, expected) in [
        (
            "skill = \"wait\"",
            "skill = \"weight\"",
            "charts/bad.toml:22: state 'wait': expected a skill (explore, goto, move, pose, stance, wait), found 'weight'",
        ),
        ("done = \"up\"\nfailed", "done = \"upp\"\nfailed", "charts/bad.toml:26: state 'wait': "),
    ] {
        std::fs::write(desk.at("charts/bad.toml"), bad.replace(from, to)).unwrap();
        let refused = desk.refused(FILE, &[]);
        assert!(refused.contains(expected), "{to}: {refused}");
    }
}

#[test]
fn the_chart_in_the_readme_is_one() {
    let page = include_str!("../README.md").split_once("## Statecharts").unwrap().1;
    let chart = page.split_once("```toml\n").unwrap().1.split_once("```").unwrap().0;
    let catalogue = Behaviour::catalogue(&Skills::default().with_standard());
    let mut files = |_: &str| Ok(("README.md".to_owned(), chart.to_owned()));
    let book = Book::read("greet", &mut files, &catalogue).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(book.profile("bench").unwrap().len(), 1);
}

#[test]
fn a_robot_that_cannot_move_and_a_controller_that_carries_nothing_out_are_refused() {
    let bare = GREETS
        .replace("\"centaur\"\nseed", "\"robot_models/bench/bench.urdf\"\nseed")
        .replace("\"arms_forward\"", "\"zero\"")
        .replace("profile = \"centaur\"", "profile = \"bench\"")
        .replace("goto = { x = 4.0, y = 0.0 }", "wait = { seconds = 1.0 }");
    let refused = Desk::with(FILE, &bare, Registry::standard()).refused(FILE, &[]);
    assert!(refused.contains("'left_motor', which is limp: the robot's file gives it no stiffness"), "{refused}");
    let limp = GREETS.replace("[behaviour]", "[controller]\nname = \"limp\"\n\n[behaviour]");
    let registry = Registry::standard().with("limp", |_| Ok(DummyController));
    let refused = Desk::with(FILE, &limp, registry).refused(FILE, &[]);
    let expected =
        "greets.toml:16: behaviour: expected a controller that carries one out, as the mission does; found 'limp'";
    assert!(refused.contains(expected), "{refused}");
}
