//! Maps of limits: small ones, as a shell sees them, and that a run which begins just before its push is the run from the beginning.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::time::Duration;

use roxmltree::{Document, ParsingOptions};
use scenarios::limits::{Course, Moment, Occasion, Shove, course};
use scenarios::{Case, Stage};
use serde_json::Value;
use support::runs::library;
use support::shell::{Running, Shell, ends};

fn stage(case: &str) -> Stage {
    Stage::load(&library(), Case::load(&library(), case).unwrap()).unwrap()
}

fn moment(course: Course, occasion: Occasion) -> Moment {
    course.moments.into_iter().find(|moment| moment.occasion == occasion).unwrap()
}

/// A push of a run that begins just before it, and the same push of the same run from the beginning.
fn assert_same_from_the_start(stage: &Stage, moment: Moment, speed: f64) {
    let shove = Shove::of(stage, None, 0.1).unwrap();
    assert!(moment.snapshot.is_some());
    let (saved, fate) = shove.run(&moment, 60.0, speed, 0.4).unwrap();
    let (unpushed, _) = shove.run(&moment, 60.0, 0.0, 0.4).unwrap();
    let whole = Moment { snapshot: None, ..moment };
    let (from_start, fate_from_start) = shove.run(&whole, 60.0, speed, 0.4).unwrap();
    assert_eq!(
        (saved.next_cycle(), saved.digest(), fate),
        (from_start.next_cycle(), from_start.digest(), fate_from_start)
    );
    assert_ne!(saved.digest(), unpushed.digest(), "the push does something");
}

#[test]
fn a_standing_robot_is_pushed_alike_from_the_start_and_from_a_saved_state() {
    let stage = stage("centaur_pushed");
    let course = course(&stage, 8, false).unwrap();
    assert_eq!(course.moments.len(), 1, "it has no mission: it stands");
    assert_same_from_the_start(&stage, moment(course, Occasion::Standing), 0.3);
}

#[test]
fn a_walking_robot_is_pushed_in_a_step_of_its_first_foot_alike_from_the_start_and_from_a_saved_state() {
    let stage = stage("humanoid_walks_flat");
    let course = course(&stage, 2, false).unwrap();
    let occasions: Vec<Occasion> = course.moments.iter().map(|moment| moment.occasion).collect();
    assert_eq!(occasions, [Occasion::Phase(0), Occasion::Phase(1), Occasion::Standing]);
    assert!(
        course.about.contains("steady step") && course.about.contains("left_foot carries alone"),
        "{}",
        course.about
    );
    assert!(course.moments[0].cycle < course.moments[1].cycle);
    assert_same_from_the_start(&stage, moment(course, Occasion::Phase(1)), 0.3);
}

#[test]
fn a_robot_on_wheels_is_pushed_under_way_and_standing() {
    let course = course(&stage("centaur_drives_flat"), 8, true).unwrap();
    let occasions: Vec<Occasion> = course.moments.iter().map(|moment| moment.occasion).collect();
    assert_eq!(occasions, [Occasion::Driving, Occasion::Standing]);
    assert!(course.moments.iter().all(|moment| moment.snapshot.is_none()), "--from-start saves nothing");
}

/// A small map of a robot that stands.
const SMALL: &str = "check centaur_pushed --map push --recover 0.3 --directions 2 --resolution 0.1 --limit 0.2";

fn json(shell: &Shell, path: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(shell.path(path)).unwrap()).unwrap()
}

#[test]
fn a_map_is_a_table_a_page_and_json_and_is_not_replaced_unasked() {
    let shell = Shell::new();
    let said = shell.passes(&format!("{SMALL} --seeds 1..=2 --out maps --least 0.1"));
    assert!(said.contains("[m/s]") && said.contains("0° forward") && said.contains("≥0.2"), "{said}");
    assert!(said.contains("passed: every cell holds 0.1 m/s") && said.contains("maps/map_push.html"), "{said}");
    let map = json(&shell, "maps/map_push.json");
    assert_eq!((map["unit"].as_str(), map["seeds"].as_array().unwrap().len()), (Some("m/s"), 2));
    assert_eq!(map["rows"][0]["name"], "standing");
    let cells = map["cells"].as_array().unwrap();
    assert_eq!(
        (cells.len(), cells[1]["least"].as_f64(), cells[1]["values"].as_array().unwrap().len()),
        (2, Some(0.2), 2)
    );
    let page = std::fs::read_to_string(shell.path("maps/map_push.html")).unwrap();
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(&page, options).unwrap();
    assert_eq!(
        document.descendants().filter(|node| node.has_tag_name("path")).count(),
        2,
        "a wedge for each direction"
    );
    assert!(page.contains("--seeds 1..=2 --resolution 0.1 --limit 0.2 --directions 2 --recover 0.3 --least 0.1"));
    assert!(page.contains("link base_link") && page.contains("own pushes are left out"), "{page}");
    let refused = shell.refused(&format!("{SMALL} --out maps"));
    assert!(refused.contains("map_push.html: expected no map here") && refused.contains("--force"), "{refused}");
    shell.passes(&format!("{SMALL} --out maps --force --quiet"));
    assert_eq!(json(&shell, "maps/map_push.json")["seeds"].as_array().unwrap().len(), 1);
}

#[test]
fn neither_how_many_run_at_once_nor_where_runs_begin_changes_a_map() {
    let shell = Shell::new();
    let cells = |more: &str, out: &str| {
        shell.passes(&format!("{SMALL} --out {out} {more}"));
        json(&shell, &format!("{out}/map_push.json"))["cells"].clone()
    };
    let usual = cells("--jobs 1", "one");
    assert_eq!(cells("--jobs 4", "four"), usual);
    assert_eq!(cells("--from-start", "start"), usual);
}

#[test]
fn over_a_bus_each_run_begins_at_its_beginning() {
    let shell = Shell::new();
    let map = "check centaur_pushed --map push --plant modelled-bus --directions 1 --resolution 0.2 --limit 0.2 --recover 0.2 --out maps";
    shell.passes(map);
    let method = json(&shell, "maps/map_push.json")["method"].to_string();
    assert!(method.contains("Each run is computed from its beginning."), "{method}");
}

#[test]
fn a_cell_below_what_was_asked_for_fails_and_is_named() {
    let shell = Shell::new();
    let map =
        "check centaur_pushed --map push --directions 1 --resolution 10 --limit 10 --recover 2 --least 5 --out maps";
    let said = ends(&mut shell.command(map), 1);
    assert!(said.contains("FAILED: 1 of 1 cells do not hold 5 m/s: 0° forward"), "{said}");
    assert!(said.contains("least 0 m/s (0° forward); beyond it"), "{said}");
    let map = json(&shell, "maps/map_push.json");
    assert_eq!(map["cells"][0]["least"].as_f64(), Some(0.0));
    assert!(map["cells"][0]["values"][0]["then"].is_string(), "{map}");
}

/// A robot that does not dawdle.
const QUICK: &str = r#"
title = "quick"
world = "flat"
robot = "centaur"
seed = 1
duration = 1.0

[mission]
name = "on"

[[mission.steps]]
goto = { x = 1.0, y = 0.0, speed = 0.6 }
"#;

#[test]
fn a_robot_goes_up_a_slope_and_over_a_step_that_were_made_for_it() {
    let shell = Shell::new();
    std::fs::write(shell.path("quick.toml"), QUICK).unwrap();
    let map = |kind: &str, more: &str| {
        shell.passes(&format!("check quick --map {kind} --recover 0.1 --out maps {more}"));
        json(&shell, &format!("maps/map_{kind}.json"))
    };
    let slope = map("slope", "--directions 1 --resolution 4 --limit 4");
    let step = map("step", "--resolution 0.01 --limit 0.01");
    assert_eq!((slope["directions"][0]["name"].as_str(), slope["unit"].as_str()), (Some("0° uphill"), Some("°")));
    assert_eq!((step["directions"][1]["name"].as_str(), step["unit"].as_str()), (Some("down"), Some("m")));
    for (map, sizes) in [(&slope, [Some(4.0)].as_slice()), (&step, &[Some(0.01); 2])] {
        let found: Vec<_> = map["cells"].as_array().unwrap().iter().map(|cell| cell["least"].as_f64()).collect();
        assert_eq!(found, sizes, "{map}");
        assert!(map["method"].to_string().contains("one straight leg at 0.6 m/s"), "{map}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_run() {
    let shell = Shell::new();
    let cases = [
        ("check --map push", "expected one scenario, found none"),
        (
            "check centaur_pushed centaur_stands --map push",
            "expected one scenario, found centaur_pushed, centaur_stands",
        ),
        ("check centaur_pushed --map hole", "push, slope, step"),
        ("check centaur_pushed --resolution 0.1", "--map"),
        ("check centaur_pushed --map push --results r.jsonl", "cannot be used with"),
        ("check centaur_pushed --map push --limit 11", "--limit: expected 0 to 10 m/s, found 11"),
        ("check centaur_pushed --map push --resolution 0", "expected a limit of 1 to 1000 times the resolution"),
        ("check centaur_pushed --map push --least 2", "--least: expected 0 to 1 m/s, found 2"),
        ("check centaur_pushed --map push --push-seconds 0", "--push-seconds: expected 0.005 to 10 s, found 0"),
        ("check centaur_pushed --map push --push-link nose", "expected a link of centaur, found 'nose'"),
        ("check centaur_pushed --map push --directions 0", "1..=72"),
        ("check centaur_pushed --map slope --phases 4", "--phases: expected with --map push; found with --map slope"),
        ("check centaur_pushed --map step --directions 4", "a step goes up and down"),
        ("check centaur_pushed --map push --plant ethercat:eth0", "expected a plant that is simulated"),
        ("check centaur_pushed --map slope --program true", "expected a scenario whose controller is the mission"),
        ("check bench_two_drives --map slope", "robot 'bench' has no wheels"),
    ];
    for (line, expected) in cases {
        let said = shell.refused(line);
        assert!(said.contains(expected), "{line}: expected '{expected}' in: {said}");
    }
    assert!(!shell.path("out").exists(), "nothing was written");
}

#[test]
fn an_interrupted_map_leaves_nothing() {
    let shell = Shell::new();
    let mut command = shell.command("check centaur_drives_flat --map push --recover 60 --out maps");
    let mut running = Running(command.spawn().unwrap());
    std::thread::sleep(Duration::from_secs(2));
    running.signal("INT");
    assert_eq!(running.0.wait().unwrap().code(), Some(130));
    assert!(!shell.path("maps").exists());
}
