//! Parts of the mission break, one by one and together: the robot stands where it is, says what broke, and goes on when that is started
//! again.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::sync::Arc;

use mission::Part;
use robot_io::{Severity, State};
use scenarios::recording::Recording;
use scenarios::runner::Finished;
use scenarios::{Case, Feedback, Registry, Skill, SkillContext, SkillRefusal, SkillSetup, Staffing, Stage};
use serde::Deserialize;
use support::runs::{assert_computed_again, library, run};

/// When the parts break, when the operator starts them again, and when he lets the mission go on [s].
const BREAKS: f64 = 2.0;
const STARTS: f64 = 4.0;
const RESUMES: f64 = 5.0;

/// Counts a few seconds; told to, it panics once on the way.
#[derive(Debug, State)]
struct Count {
    #[state(fixed)]
    goal: Goal,
    has_panicked: bool,
}

#[derive(Debug, Deserialize)]
struct Goal {
    panics: bool,
}

impl Count {
    fn new(setup: &SkillSetup<'_>) -> Result<Count, SkillRefusal> {
        Ok(Count { goal: setup.goal()?, has_panicked: false })
    }
}

impl Skill for Count {
    fn start(&mut self, _context: &mut SkillContext<'_>) {}

    #[allow(clippy::panic, reason = "that is what it is there for")]
    fn update(&mut self, context: &mut SkillContext<'_>) -> Feedback {
        if self.goal.panics && context.elapsed > 1.0 && !std::mem::replace(&mut self.has_panicked, true) {
            panic!("lost count");
        }
        let left = 3.0 - context.elapsed;
        if left > 0.0 { Feedback::time_left(left) } else { Feedback::Done }
    }
}

/// A robot that counts, and then drives a little way by its map.
fn case(panics: bool, more: &str) -> Case {
    let text = format!(
        r#"
title = "Parts break"
world = "two_ways"
spawn = {{ x = -5.0, y = -3.0, yaw = 0.0 }}
robot = "centaur"
sensors = ["laser"]
seed = 5
duration = 60.0
linger = 7.0
metrics = ["tilt.max", "speed.final"]

[mission]
name = "count and go"
mapping = true
navigate = true

[[mission.steps]]
count = {{ panics = {panics} }}

[[mission.steps]]
pose = {{ name = "arms_forward" }}

[[mission.steps]]
goto = {{ x = -4.4, y = -3.0 }}

[[check]]
kind = "mission"
end = "done"

{more}
"#
    );
    Case::parse(&text, "parts.toml").unwrap()
}

fn stage(case: Case) -> Stage {
    Stage::load(&library().with_registry(registry()), case).unwrap()
}

fn registry() -> Registry {
    Registry::standard().with_skill("count", Count::new)
}

fn told(finished: &Finished, what: &str) -> bool {
    finished.series.events.iter().any(|event| event.what.contains(what))
}

/// The scenario's lines that break these parts, start again those that can be, and let the mission go on.
fn trouble(parts: &[Part]) -> String {
    let breaks = parts
        .iter()
        .map(|part| format!("[[fault]]\nat = {BREAKS:.1}\nkind = \"controller_panic\"\ncomponent = \"{part}\"\n"));
    let again = parts.iter().filter(|part| part.can_rest()).enumerate();
    let starts = again.map(|(place, part)| {
        let at = STARTS + 0.1 * place as f64;
        format!("[[operator]]\nat = {at:.1}\ncomponent = \"{part}\"\nswitch = \"start\"\n")
    });
    let resumes = format!("[[operator]]\nat = {RESUMES:.1}\npress = \"resume\"\n");
    breaks.chain(starts).chain([resumes]).collect()
}

#[test]
fn whichever_parts_break_together_the_robot_stands_says_which_and_goes_on_when_they_are_started_again() {
    for subset in 0..1_u32 << Part::ALL.len() {
        let parts: Vec<Part> = Part::ALL.into_iter().filter(|part| subset & 1 << *part as u32 != 0).collect();
        let finished = run(&stage(case(false, &trouble(&parts))), None);
        let outcome = &finished.outcome;
        assert!(outcome.metrics["tilt.max"].unwrap() < 5.0, "{parts:?}: {outcome:?}");
        if parts.contains(&Part::Base) {
            // nothing can be done without it: the robot stops by itself, and the run ends with the controller
            assert!(told(&finished, "controller panicked: because the scenario asks for it"), "{parts:?}");
            assert!(outcome.metrics["speed.final"].unwrap() < 0.02, "{parts:?}: {outcome:?}");
            continue;
        }
        for part in parts.iter().filter(|part| part.can_rest()) {
            let (broke, again) = (format!("{part} has broken: because"), format!("the operator starts {part} afresh"));
            assert!(told(&finished, &broke) && told(&finished, &again), "{parts:?}");
        }
        assert_eq!(told(&finished, "failed: it panicked"), parts.contains(&Part::Skill), "{parts:?}");
        assert!(outcome.passed, "{parts:?}: {} {:?}", outcome.mission, outcome.checks);
    }
}

#[test]
fn a_skill_that_panics_has_failed_and_is_tried_again_and_the_run_says_so() {
    let finished = run(&stage(case(true, "")), None);
    let event = finished.series.events.iter().find(|event| event.what.contains("lost count")).unwrap();
    assert_eq!((event.what.as_ref(), event.severity), ("failed: it panicked: lost count", Severity::Error));
    assert!(finished.outcome.mission.contains("all 3 steps done"), "{}", finished.outcome.mission);
    let verdict = finished.outcome.checks.iter().find(|check| !check.passed).unwrap();
    assert_eq!(verdict.name, "component 'skill' does not break", "a panic that nobody asked for is a failure");
}

#[test]
fn a_robot_whose_mapping_is_stopped_stands_is_driven_by_hand_and_goes_on_with_a_new_map() {
    let more = r#"
[[operator]]
at = 6.0
component = "mapping"
switch = "stop"

[[operator]]
at = 8.0
twist = [0.1, 0.0, 0.0]
duration = 2.0

[[operator]]
at = 11.0
press = "resume"

[[operator]]
at = 12.0
component = "mapping"
switch = "start"

[[operator]]
at = 12.0
press = "resume"

[[check]]
kind = "metric"
metric = "slam_error.max"
below = 0.1
after = 15.0
"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let stage = stage(case(false, more));
    let finished = run(&stage, Some(&path));
    let events = &finished.series.events;
    let at = |what: &str| events.iter().find(|event| event.what.contains(what)).map(|event| event.time.seconds());
    assert_eq!(at("the operator stops mapping"), Some(6.0));
    assert!(at("stopped: mapping does not work").is_some_and(|at| at < 6.1), "{events:?}");
    assert_eq!(at("the operator drives"), Some(8.0));
    assert_eq!(at("resume refused"), Some(11.0));
    assert!(finished.outcome.passed, "{} {:?}", finished.outcome.mission, finished.outcome.checks);

    let recording = Recording::open_with(&path, &Arc::new(registry())).unwrap();
    assert_computed_again(&recording, &finished);
}

#[test]
fn a_part_that_there_is_not_is_refused_with_those_that_there_are() {
    let case = case(false, "[[fault]]\nat = 1.0\nkind = \"controller_panic\"\ncomponent = \"map\"\n");
    let stage = stage(case);
    let message = stage.assemble(Staffing::default()).unwrap_err().to_string();
    let expected = "fault: component: expected a component of controller 'mission' (base, mapping, preview, skill, posture), found 'map'";
    assert!(message.contains(expected), "{message}");
}
