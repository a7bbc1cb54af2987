//! The program as a person at the terminal meets it: bad input ends in one clear line and exit code 2, help teaches.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use support::{program, root};

fn chiron(arguments: &[&str]) -> Output {
    Command::new(program()).args(arguments).current_dir(root()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs the program and asserts exit code 2 and one message that holds every expected piece.
fn assert_refused(arguments: &[&str], expected: &[&str]) {
    let output = chiron(arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert!(!message.contains("panicked"), "{message}");
    for piece in expected {
        assert!(message.contains(piece), "{arguments:?}: expected '{piece}' in: {message}");
    }
}

/// A copy of a shipped file with one piece replaced, in a folder of its own.
fn spoiled(folder: &Path, original: &str, from: &str, to: &str) -> PathBuf {
    let whole = std::fs::read_to_string(root().join(original)).unwrap();
    assert!(whole.contains(from), "{original} has no '{from}'");
    let path = folder.join(Path::new(original).file_name().unwrap());
    std::fs::write(&path, whole.replacen(from, to, 1)).unwrap();
    path
}

#[test]
fn an_unknown_scenario_is_answered_with_the_known_ones() {
    assert_refused(&["run", "centaur_flies"], &["no such scenario", "centaur_stands"]);
}

#[test]
fn a_malformed_scenario_names_file_line_and_field() {
    let folder = tempfile::tempdir().unwrap();
    let original = "scenarios/cases/centaur_stands.toml";
    let misspelt = spoiled(folder.path(), original, "duration =", "durration =");
    assert_refused(&["run", misspelt.to_str().unwrap()], &["centaur_stands.toml:", "durration"]);
    let negative = spoiled(folder.path(), original, "duration = 60.0", "duration = -1.0");
    assert_refused(
        &["run", negative.to_str().unwrap()],
        &["centaur_stands.toml:8", "duration: expected a number from 0 to", "found float `-1"],
    );
    let metric = spoiled(folder.path(), original, "\"drift.max\"", "\"drift.most\"");
    assert_refused(&["run", metric.to_str().unwrap()], &["centaur_stands.toml:", "found 'drift.most'"]);
    let syntax = spoiled(folder.path(), original, "seed = 1", "seed = = 1");
    assert_refused(&["run", syntax.to_str().unwrap()], &["centaur_stands.toml:7"]);
}

#[test]
fn an_unknown_place_link_or_joint_is_answered_with_the_robot_or_world_that_lacks_it() {
    let folder = tempfile::tempdir().unwrap();
    let place = spoiled(folder.path(), "scenarios/cases/centaur_stands.toml", "\"start\"", "\"nowhere\"");
    assert_refused(&["run", place.to_str().unwrap()], &["expected one of the places", "'nowhere'"]);
    let link = spoiled(folder.path(), "scenarios/cases/centaur_pushed.toml", "\"base_link\"", "\"tail\"");
    assert_refused(&["run", link.to_str().unwrap()], &["centaur_pushed.toml:", "no link named 'tail'"]);
    let original = "scenarios/cases/centaur_motor_fault.toml";
    let joint =
        spoiled(folder.path(), original, "\nkind = \"motor_off\"\njoint = \"", "\nkind = \"motor_off\"\njoint = \"no_");
    assert_refused(&["run", joint.to_str().unwrap()], &["no joint named 'no_front_left_wheel_left'"]);
}

#[test]
fn a_malformed_world_robot_and_height_map_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let world = spoiled(folder.path(), "worlds/flat.toml", "cell =", "cel =");
    let line = format!("\"{}\"", world.display());
    let case = spoiled(folder.path(), "scenarios/cases/centaur_stands.toml", "\"flat\"", &line);
    assert_refused(&["run", case.to_str().unwrap()], &["flat.toml:", "cel"]);

    let urdf = folder.path().join("bad.urdf");
    std::fs::write(&urdf, "<robot name=\"bad\">\n<link name=\"a\"><inertial><mass value=\"-1\"/>").unwrap();
    assert_refused(&["robot", urdf.to_str().unwrap()], &["bad.urdf"]);
    let heavy = "<robot name=\"bad\">\n<link name=\"a\"><inertial><mass value=\"-1\"/>\
        <inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link>\n</robot>";
    std::fs::write(&urdf, heavy).unwrap();
    assert_refused(&["robot", urdf.to_str().unwrap()], &["bad.urdf:2", "mass", "-1"]);

    let png = folder.path().join("hill.png");
    std::fs::write(&png, b"\x89PNG\r\n\x1a\nnothing more").unwrap();
    let terrain = "name = \"hill\"\n[terrain]\ncell = 0.1\nsize = [4.0, 4.0]\nmaterial = \"soil\"\n\
        [[terrain.layer]]\nkind = \"image\"\nfile = \"hill.png\"\nscale = 0.001\noffset = 0.0\n";
    std::fs::write(folder.path().join("hill.toml"), terrain).unwrap();
    let line = format!("\"{}\"", folder.path().join("hill.toml").display());
    let case = spoiled(folder.path(), "scenarios/cases/centaur_pushed.toml", "\"flat\"", &line);
    assert_refused(&["run", case.to_str().unwrap()], &["hill.png"]);
}

#[test]
fn a_file_that_is_no_log_is_refused_by_every_command_that_reads_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    std::fs::write(&path, "this is not a log").unwrap();
    let log = path.to_str().unwrap();
    assert_refused(&["replay", log, "--verify"], &["run.mcap", "expected"]);
    assert_refused(&["diff", log, log], &["run.mcap"]);
    assert_refused(&["replay", "missing.mcap"], &["missing.mcap"]);
}

#[test]
fn flags_that_make_no_sense_are_refused() {
    assert_refused(&["run", "centaur_stands", "--duration", "0"], &["--duration"]);
    assert_refused(&["run", "centaur_stands", "--realtime", "0"], &["--realtime"]);
    assert_refused(&["run", "centaur_stands", "--sensors", "laser,nose"], &["--sensors", "'nose'", "laser"]);
    assert_refused(&["check", "--seeds", "5..5"], &["A..B"]);
    assert_refused(&["fly"], &["unrecognized subcommand"]);
}

/// Item 11: a window that cannot be is an error at once, not a hang, and nothing has been written for it.
#[test]
fn without_a_display_or_with_a_wrong_one_a_viewer_ends_at_once_and_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let out_text = out.to_str().unwrap();
    let commands: [&[&str]; 2] =
        [&["view", "centaur_drives_flat"], &["run", "centaur_drives_flat", "--view", "--out", out_text]];
    for display in [None, Some(""), Some(":4711"), Some("what is this"), Some("127.0.0.1:63000")] {
        for arguments in commands {
            let mut command = Command::new(program());
            command.args(arguments).current_dir(root()).env_remove("WAYLAND_DISPLAY").env_remove("DISPLAY");
            display.map(|display| command.env("DISPLAY", display));
            let output = command.output().unwrap();
            let message = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{display:?} {arguments:?}: {message}");
            if message.contains("without the feature `viewer`") {
                return;
            }
            assert!(message.contains("DISPLAY") && message.contains("xvfb-run"), "{display:?}: {message}");
            assert!(!message.contains("panicked"), "{message}");
        }
    }
    assert!(!out.exists(), "nothing was written");
}

#[test]
fn every_command_has_help_with_an_example() {
    for command in ["run", "check", "replay", "diff", "view", "robot", "bus", "bench", "doctor"] {
        let output = chiron(&[command, "--help"]);
        assert_eq!(output.status.code(), Some(0), "{command}");
        let help = text(&output.stdout);
        assert!(help.contains("Example"), "{command}: {help}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_crash() {
    use std::process::Stdio;
    let mut program = Command::new(program());
    let mut child = program
        .args(["check", "swapped_boards"])
        .current_dir(root())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(141));
}
