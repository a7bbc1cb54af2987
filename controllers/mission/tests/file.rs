//! Mission files: what they say, and what is said about broken ones.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use mission::{Action, Frame, Leg, Look, MissionError, MissionPlan, OnStall, ProgressRules};
use proptest::prelude::*;

const WHOLE: &str = r#"
name = "everything"
frame = "start"

[progress]
stall_time = 5
minimal_progress = 0.1
minimal_turn = 0.2
retries = 2
retry_pause = 1.0
on_stall = "skip"

[[steps]]
goto = { x = 2, y = -1.5, yaw = 1.57, tolerance = 0.05, heading_tolerance = 0.02, speed = 0.4, timeout = 30 }
pose = { name = "ready" }

[[steps]]
goto = { x = 4.0, y = 0.0, pass = true, look = "keep" }

[[steps]]
stance = { height = 0.6, pitch = 0.1, seconds = 2.0 }

[[steps]]
wait = { seconds = 3.0 }
"#;

fn complaint(text: &str) -> String {
    MissionPlan::parse(text, "m.toml").unwrap_err().to_string()
}

#[test]
fn every_field_arrives_where_it_belongs() {
    let plan = MissionPlan::parse(WHOLE, "m.toml").unwrap();
    assert_eq!((plan.name.as_str(), plan.frame, plan.steps.len()), ("everything", Frame::Start, 4));
    let rules = ProgressRules {
        stall_time: 5.0,
        minimal_progress: 0.1,
        minimal_turn: 0.2,
        retries: 2,
        retry_pause: 1.0,
        on_stall: OnStall::Skip,
    };
    assert_eq!(plan.progress, rules);
    let leg = Leg {
        tolerance: 0.05,
        heading_tolerance: 0.02,
        speed: Some(0.4),
        timeout: Some(30.0),
        ..Leg::to(2.0, -1.5, Some(1.57))
    };
    assert_eq!(plan.steps[0].leg, Some(leg));
    assert_eq!(plan.steps[0].action, Some(Action::Pose { name: "ready".to_owned(), tolerance: 0.1 }));
    assert_eq!(plan.steps[1].leg, Some(Leg { look: Some(Look::Keep), ..Leg::through(4.0, 0.0) }));
    let stance = Action::Stance { height: Some(0.6), pitch: 0.1, roll: 0.0, seconds: 2.0 };
    assert_eq!(plan.steps[2].action, Some(stance));
    assert_eq!(plan.steps[3].action, Some(Action::Wait { seconds: 3.0 }));
}

#[test]
fn what_is_not_said_has_sensible_values() {
    let plan = MissionPlan::parse("name = 'm'\n[[steps]]\ngoto = { x = 1, y = 2 }", "m.toml").unwrap();
    assert_eq!((plan.frame, plan.progress), (Frame::World, ProgressRules::default()));
    assert_eq!(plan.steps[0].leg, Some(Leg::to(1.0, 2.0, None)));
}

#[test]
fn a_mission_inside_a_scenario_is_read_with_the_scenarios_lines() {
    let scenario = "robot = 'centaur'\n[mission]\nname = 'm'\n[[mission.steps]]\nwait = { seconds = 1 }\n";
    let plan = MissionPlan::parse_embedded(scenario, "s.toml", "mission").unwrap().unwrap();
    assert_eq!(plan.steps.len(), 1);
    let broken = scenario.replace("= 1 }", "= -1 }");
    let error = MissionPlan::parse_embedded(&broken, "s.toml", "mission").unwrap_err().to_string();
    assert_eq!(
        error,
        "s.toml:5: mission.steps[1].wait.seconds: expected a number from 0 to 1000000 [s], found integer `-1`"
    );
    assert_eq!(MissionPlan::parse_embedded("robot = 'centaur'", "s.toml", "mission").unwrap(), None);
}

#[test]
fn values_that_make_no_sense_are_named_with_file_line_and_field() {
    let broken = WHOLE.replace("tolerance = 0.05", "tolerance = 0.0");
    assert_eq!(
        complaint(&broken),
        "m.toml:14: steps[1].goto.tolerance: expected a number from 0.001 to 100 [m], found float `0.0`"
    );
    let broken = WHOLE.replace("x = 4.0", "x = nan");
    assert_eq!(
        complaint(&broken),
        "m.toml:18: steps[2].goto.x: expected a number from -100000 to 100000 [m], found float `nan`"
    );
    let two = WHOLE.replace("wait = {", "pose = { name = 'a' }\nwait = {");
    assert_eq!(
        complaint(&two),
        "m.toml:23: steps[4]: expected one action at most: wait, stance, pose, explore, reach, motion or a skill, found 2 actions"
    );
    let empty = format!("{WHOLE}[[steps]]\n");
    assert_eq!(
        complaint(&empty),
        "m.toml:25: steps[5]: expected goto, wait, stance, pose, explore, reach, motion or a skill, found an empty step"
    );
    let pass = WHOLE.replace("look = \"keep\" }", "look = \"keep\" }\nwait = { seconds = 1 }");
    assert!(complaint(&pass).contains("expected no action where one drives through"), "{}", complaint(&pass));
    assert_eq!(complaint("name = ''"), "m.toml:1: name: expected a text that is not empty, found string `''`");
}

#[test]
fn typing_errors_are_named_with_file_line_and_field() {
    let wrong_kind = complaint(&WHOLE.replace("speed = 0.4", "speed = 'fast'"));
    let expected = "steps[1].goto.speed: expected a number from 0.001 to 100 [m/s], found string `'fast'`";
    assert_eq!(wrong_kind, format!("m.toml:14: {expected}"));
    let unknown = complaint(&WHOLE.replace("retries", "retires"));
    let expected = "one of stall_time, minimal_progress, minimal_turn, retries, retry_pause, on_stall, found an unknown field; near it: 'retries'";
    assert_eq!(unknown, format!("m.toml:9: progress.retires: expected {expected}"));
    let unknown = complaint(&WHOLE.replace("wait = {", "wiat = {"));
    assert_eq!(unknown, "m.toml:24: steps[4].wiat: expected goto, wait, stance, pose, explore; found 'wiat'");
    let number = complaint(&WHOLE.replace("[[steps]]\n", "[[steps]]\nwave = 3\n"));
    assert_eq!(number, "m.toml:14: steps[1].wave: expected a table, found integer `3`");
    let missing = complaint(&WHOLE.replace("x = 4.0, ", ""));
    let expected = "expected a number from -100000 to 100000 [m], found nothing";
    assert_eq!(missing, format!("m.toml:18: steps[2].goto.x: {expected}"));
    let broken = complaint("name = \"m\n");
    assert!(broken.starts_with("m.toml:1: not valid TOML: "), "{broken}");
    let many = format!("name = 'm'\n{}", "[[steps]]\nwait = { seconds = 1 }\n".repeat(1_001));
    let error = MissionPlan::parse(&many, "m.toml").unwrap_err();
    assert_eq!(error, MissionError::TooManySteps { expected: 1_000, found: 1_001 });
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*") {
        let _ = MissionPlan::parse(&text, "m.toml");
        let _ = MissionPlan::parse_embedded(&text, "m.toml", "mission");
    }

    #[test]
    fn a_file_with_some_bytes_changed_is_read_or_refused(
        changes in prop::collection::vec((0..WHOLE.len(), any::<char>()), 1..8),
    ) {
        let mut text: Vec<char> = WHOLE.chars().collect();
        for (at, character) in changes {
            text[at] = character;
        }
        let text: String = text.into_iter().collect();
        match MissionPlan::parse(&text, "m.toml") {
            Ok(plan) => prop_assert!(plan.steps.len() <= 5),
            Err(error) => prop_assert!(error.to_string().starts_with("m.toml:"), "{}", error),
        }
    }

    #[test]
    fn numbers_arrive_to_the_bit(x in -1e5_f64..1e5, y in -1e5_f64..1e5, yaw in -7.0_f64..7.0) {
        let text = format!("name = 'm'\n[[steps]]\ngoto = {{ x = {x:?}, y = {y:?}, yaw = {yaw:?} }}\n");
        let plan = MissionPlan::parse(&text, "m.toml").unwrap();
        prop_assert_eq!(plan.steps[0].leg, Some(Leg::to(x, y, Some(yaw))));
    }
}

#[test]
fn what_needs_a_map_is_refused_without_one() {
    let navigate = "name = 'n'\nnavigate = true\n[[steps]]\ngoto = { x = 1.0, y = 0.0 }\n";
    let expected = "m.toml:1: mapping: expected mapping = true, which navigation and exploration need, found nothing";
    assert_eq!(complaint(navigate), expected);
    let explore = "name = 'e'\nmapping = true\n[[steps]]\nexplore = { min = [1.0, 0.0], max = [0.0, 1.0] }\n";
    assert!(
        complaint(explore).contains("m.toml:4: steps[1].explore.min: expected two corners"),
        "{}",
        complaint(explore)
    );
}

#[test]
fn a_leg_may_differ_from_the_missions_way_of_going() {
    let text = "name = 'n'\nmapping = true\nnavigate = true\n[[steps]]\ngoto = { x = 1.0, y = 0.0 }\n\
                [[steps]]\ngoto = { x = 2.0, y = 0.0, navigate = false }\n\
                [[steps]]\nexplore = { min = [-1.0, -2.0], max = [3.0, 4.0] }\n";
    let plan = MissionPlan::parse(text, "m.toml").unwrap();
    let navigates = |step: usize| plan.steps[step].leg.unwrap().navigate;
    assert!(plan.mapping && navigates(0) && !navigates(1));
    assert_eq!(plan.steps[2].action, Some(Action::Explore { min: [-1.0, -2.0], max: [3.0, 4.0] }));
}
