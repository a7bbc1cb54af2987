//! Numbers that no robot, no world and no run has are refused with file and line, by every file and by the command line.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::path::Path;

use scenarios::progress::Progress;
use scenarios::recording::{Recording, verify};
use scenarios::run_log::RunLog;
use scenarios::runner::Runner;
use scenarios::{Case, Staffing, Stage};
use support::runs::library;
use support::shell::{ROOT, chiron, ends, said};

fn shipped(path: &str) -> String {
    std::fs::read_to_string(Path::new(ROOT).join(path)).unwrap()
}

fn stage(text: &str) -> Result<Stage, String> {
    let case = Case::parse(text, "case.toml").map_err(|error| error.to_string())?;
    Stage::load(&library(), case).map_err(|error| error.to_string())
}

/// What a shipped scenario says with one piece replaced, or more behind it.
fn refused(original: &str, from: &str, to: &str) -> String {
    let text = shipped(original);
    assert!(text.contains(from), "{original} has no '{from}'");
    stage(&text.replacen(from, to, 1)).map(drop).unwrap_err()
}

#[test]
fn absurd_numbers_of_a_scenario_are_refused_with_their_line() {
    let pushed = "scenarios/cases/centaur_pushed.toml";
    let kidnap = "[[kidnap]]\nat = 1.0\nx = 1e9\ny = 0.0\nyaw = 0.0\n\n[[check]]";
    let outside = "[[kidnap]]\nat = 1.0\nx = 900.0\ny = 0.0\nyaw = 0.0\n\n[[check]]";
    let crossed = "[[check]]\nkind = \"metric\"\nmetric = \"tilt.max\"\nbelow = 1.0\nabove = 2.0\n\n[[check]]";
    let region =
        "[[check]]\nkind = \"metric\"\nmetric = \"tilt.max\"\nbelow = 1.0\nregion = [5.0, 0.0, -5.0, 1.0]\n\n[[check]]";
    let window =
        "[[check]]\nkind = \"metric\"\nmetric = \"tilt.max\"\nbelow = 1.0\nafter = 5.0\nbefore = 4.0\n\n[[check]]";
    let joint = "[[fault]]\nat = 1.0\nkind = \"motor_off\"\njoint = \"no_such\"\n\n[[check]]";
    let noise = "[[fault]]\nat = 1.0\nkind = \"noise_burst\"\njoint = \"j\"\nstandard_deviation = -1.0\n\n[[check]]";
    let event = "[[check]]\nkind = \"event\"\ncontains = \"x\"\njoint = \"no_such\"\n\n[[check]]";
    let stamps = "[miscalibration]\nscan_delay = 0.2\n\n[[check]]";
    let mixed = "[mixed]\nbus = [\"no_such\"]\n\n[[check]]";
    let cases = [
        ("[[check]]", kidnap, "kidnap[0].x: expected a number from -10000 to 10000 [m], found float `1e9`"),
        ("[[check]]", outside, "kidnap: expected a place on the terrain of world 'flat'"),
        ("[[check]]", crossed, "check[0]: expected `above` not over `below`, found above 2 and below 1"),
        ("[[check]]", region, "check[0].region: expected x from, y from, x to, y to [m]"),
        ("[[check]]", window, "check[0].before: expected a time later than 5 [s]"),
        ("[[check]]", joint, "fault: centaur has no joint named 'no_such'"),
        ("[[check]]", noise, "fault[0]: standard deviation of a noise burst: expected 0 to 1e4, found -1"),
        ("[[check]]", event, "check: centaur has no joint named 'no_such'"),
        ("[[check]]", stamps, "miscalibration.scan_delay: expected a number from -0.05 to 0.05 [s], found float `0.2`"),
        ("[[check]]", mixed, "mixed: centaur has no limb or joint named 'no_such'"),
        (
            "force = [",
            "force = [1e6, 0.0, 0.0] # [",
            "push[0].force[0]: expected a number from -10000 to 10000 [N], found float `1e6`",
        ),
        ("spawn = ", "spawn = { x = 500.0, y = 0.0, yaw = 0.0 } # ", "spawn: expected a place on the terrain"),
        (
            "duration = ",
            "duration = 0.0 # ",
            "duration: expected more than 0, and an end up to 86400 [s], found float `0.0`",
        ),
        (
            "[[check]]",
            "[settings]\ncruise_speed = nan\n\n[[check]]",
            "settings: cruise_speed [m/s]: expected a positive number, found NaN",
        ),
        (
            "[[check]]",
            "[settings]\ncruise_speed = 1e12\n\n[[check]]",
            "settings: cruise_speed: expected a number up to 1e9",
        ),
        (
            "[[check]]",
            "[settings.slam.mapper.views]\nspacing = -1.0\n\n[[check]]",
            "settings: slam.mapper.views.spacing [m]: expected a positive number, found -1",
        ),
        ("[[check]]", "[settings]\ncruise_speed = -1.0\n\n[[check]]", "cruise_speed"),
        ("[[check]]", "[settings.ramp]\nno_such = 1.0\n\n[[check]]", "settings: unknown field `no_such`"),
    ];
    for (from, to, expected) in cases {
        let message = match stage(&shipped(pushed).replacen(from, to, 1)) {
            Err(message) => message,
            // what only the controller refuses is said when the run is put together
            Ok(stage) => stage.assemble(Staffing::default()).map(drop).unwrap_err().to_string(),
        };
        let line = 1 + shipped(pushed).lines().position(|line| line.contains(from)).unwrap();
        assert!(message.contains(expected), "{to}: expected '{expected}' in '{message}'");
        let found = message.strip_prefix("case.toml:").and_then(|rest| rest.split(':').next()?.parse::<usize>().ok());
        let found = found.unwrap_or_else(|| panic!("{message}"));
        assert!(found.abs_diff(line) < 6, "{to}: line {found} in '{message}', expected near {line}");
    }
    let bus =
        refused("scenarios/cases/drive_fault.toml", "kind = \"drive_fault\"", "kind = \"encoder_jump\"\nby = 1e300");
    assert!(bus.starts_with("case.toml:"), "{bus}");
}

#[test]
fn a_link_has_a_delay_that_may_be_and_black_outs_in_order() {
    let pushed = "scenarios/cases/centaur_pushed.toml";
    let late = refused(pushed, "[[check]]", "[link]\ndelay = 61.0\n\n[[check]]");
    assert!(late.contains("link.delay: expected a number from 0 to 60 [s], found float `61.0`"), "{late}");
    let dark = |at: f64| format!("[[link.black_out]]\nat = {at:?}\nduration = 5.0\n");
    let both = refused(pushed, "[[check]]", &format!("[link]\n{}{}\n[[check]]", dark(10.0), dark(12.0)));
    assert!(both.contains("one after the other, found one at 12 s after one until 15 s"), "{both}");
}

#[test]
fn a_contact_is_asked_of_links_that_are_there() {
    let contact = |links: &str| {
        let check = format!("[[check]]\nkind = \"contact\"\nlinks = [{links}]\nbelow = 1.0\n\n[[check]]");
        refused("scenarios/cases/centaur_pushed.toml", "[[check]]", &check)
    };
    for (links, expected) in [
        ("\"base_link\", \"no_such\"", "check: centaur has no link named 'no_such'"),
        ("", "check[0].links: expected a list of names of links, found an empty one"),
        ("3", "check[0].links"),
    ] {
        let message = contact(links);
        assert!(message.starts_with("case.toml:") && message.contains(expected), "{links}: {message}");
    }
}

/// The program on a robot's file with one piece replaced.
fn robot(original: &str, from: &str, to: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    for file in ["bench.urdf", "bench.toml"] {
        std::fs::write(folder.path().join(file), shipped(&format!("robot_models/bench/{file}"))).unwrap();
    }
    let text = shipped(&format!("robot_models/bench/{original}"));
    assert!(text.contains(from), "{original} has no '{from}'");
    std::fs::write(folder.path().join(original), text.replacen(from, to, 1)).unwrap();
    let path = folder.path().join("bench.toml");
    let output = chiron(&["robot", path.to_str().unwrap(), "--hold-test", "--duration", "0.1"]).output().unwrap();
    (output.status.code(), said(&output))
}

#[test]
fn absurd_numbers_of_a_robot_are_refused_with_their_line() {
    let mass = "<mass value=\"14.0\"/>";
    for (file, from, to, expected) in [
        ("bench.urdf", mass, "<mass value=\"14.0\"/><mass value=\"15.0\"/>", "expected one mass, found a second"),
        ("bench.urdf", mass, "<mass value=\"1e300\"/>", "mass@value: expected a number"),
        ("bench.urdf", mass, "<mass value=\"1e-300\"/>", "mass@value: expected no mass, or at least"),
        ("bench.urdf", "<origin xyz=\"0 0 0.0229\"/>", "<origin xyz=\"0 0 1e300\"/>", "origin@xyz: expected 3 numbers"),
        ("bench.urdf", "ixx=\"0.1496\"", "ixx=\"1e300\"", "inertia@ixx: expected a number"),
        (
            "bench.toml",
            "gear_ratio = ",
            "gear_ratio = 1e300 # ",
            "actuator[0].gear_ratio: expected a number from 0.0001 to 100000 [1]",
        ),
        (
            "bench.toml",
            "backlash = ",
            "backlash = 1e300 # ",
            "actuator[0].backlash: expected a number from 0 to 1 [rad or m]",
        ),
        (
            "bench.toml",
            "coulomb_friction = ",
            "coulomb_friction = 1e300 # ",
            "actuator[0].coulomb_friction: expected a number from 0 to 1000000",
        ),
        (
            "bench.toml",
            "ambient = 25.0",
            "ambient = -1e9",
            "thermal.ambient: expected a number from -273.15 to 2000 [°C]",
        ),
    ] {
        let (code, message) = robot(file, from, to);
        assert_eq!(code, Some(2), "{to}: {message}");
        assert!(message.contains(&format!("{file}:")) && message.contains(expected), "{to}: {message}");
    }
}

#[test]
fn what_only_the_simulation_refuses_of_a_robot_has_file_and_line() {
    let collision = "<collision><geometry><box size=\"0.40 0.30 0.02\"/></geometry></collision>";
    for (file, from, to, expected) in [
        (
            "bench.toml",
            "cycle_period_us = 2000",
            "cycle_period_us = 2",
            "bench.toml:6: cycle period: expected a multiple",
        ),
        ("bench.urdf", collision, "", "expected links with <collision>, found none"),
    ] {
        let (code, message) = robot(file, from, to);
        assert_eq!(code, Some(2), "{message}");
        assert!(message.contains(expected) && message.contains(&format!("{file}:")), "{message}");
    }
}

#[test]
fn a_fault_with_which_a_bus_cannot_start_is_blamed_by_its_line() {
    let text = shipped("scenarios/cases/drive_fault.toml");
    let at = text.lines().position(|line| line == "[[bus_fault]]").unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    let begins = at + lines[at..].iter().position(|line| line.starts_with("at =")).unwrap();
    lines[begins] = "at = 0.0";
    let stage = stage(&lines.join("\n")).unwrap();
    let refused = scenarios::refusal::run(&stage, Staffing::default(), None, &mut Progress::silent());
    let message = refused.map(drop).unwrap_err().to_string();
    assert!(
        message.starts_with(&format!("case.toml:{}: bus_fault: with it the bus does not start", at + 1)),
        "{message}"
    );
}

#[test]
fn absurd_numbers_of_the_command_line_are_refused_at_once() {
    for line in [
        "run bench_two_drives --workers 1000000",
        "run bench_two_drives --duration NaN",
        "run bench_two_drives --duration 1e300",
        "run bench_two_drives --realtime inf",
        "run bench_two_drives --core 99999999",
        "check bench_two_drives --jobs 1000000",
        "check bench_two_drives --jobs 0",
        "check bench_two_drives --seeds 1..1000000000000000000",
        "bus bench_two_drives --interface nowhere --duration NaN",
        "robot bench --hold-test --duration -1",
        "bench --duration NaN",
    ] {
        let message = ends(&mut chiron(&line.split(' ').collect::<Vec<_>>()), 2);
        assert!(
            message.starts_with("error: ") && message.contains("expected") || message.contains("is not in"),
            "{line}: {message}"
        );
    }
}

#[test]
fn a_full_disk_behind_the_output_is_an_error_and_no_panic() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    let message = ends(chiron(&["robot", "bench"]).stdout(full), 2);
    assert!(
        message.starts_with("error: ") && message.contains("No space left") && message.lines().count() == 1,
        "{message}"
    );
}

#[test]
fn a_state_that_is_no_number_ends_the_run_with_the_joints_name() {
    let mut stage = stage(&shipped("scenarios/cases/centaur_pushed.toml")).unwrap();
    // stronger than a file may say; a log of a live run has its pushes beside the file
    stage.case.pushes[0].force = [0.0, 1e300, 0.0];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let log = RunLog::create(&path, &stage, true).unwrap();
    let runner = Runner::new(&stage, Staffing::default(), Some(log)).unwrap();
    let finished = runner.run(&mut Progress::silent()).unwrap();
    let at = stage.case.pushes[0].at.seconds();
    assert!(finished.outcome.simulated_s < at + 0.1, "{} s", finished.outcome.simulated_s);
    assert!(!finished.outcome.passed);
    let check = finished.outcome.checks.iter().find(|check| check.name.contains("is a number")).unwrap();
    assert!(!check.passed);
    let told = finished.series.events.iter().find(|event| event.what.contains("no longer a finite number")).unwrap();
    assert!(told.what.contains("joint '") || told.what.contains("the base"), "{}", told.what);
    let verified = verify(&Recording::open(&path).unwrap(), 0, &mut Progress::silent()).unwrap();
    assert_eq!((verified.cycles, verified.divergence), (finished.outcome.cycles, None));
}
