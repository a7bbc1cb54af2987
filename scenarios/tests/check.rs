//! Plants and commands that do not go together, as a shell sees them.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::process::{Command, Output};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn chiron(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_chiron")).args(arguments).current_dir(ROOT).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn scenarios_that_need_a_bus_are_left_out_of_a_check_on_another_plant() {
    let folder = tempfile::tempdir().unwrap();
    let junit = folder.path().join("junit.xml");
    let cases = ["check", "bench_two_drives", "drive_fault", "swapped_boards", "--plant", "sim", "--junit"];
    let output = chiron(&[&cases[..], &[junit.to_str().unwrap()]].concat());
    let page = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{page}{}", text(&output.stderr));
    assert!(page.contains("1 passed, 0 failed, 2 not run, 0 in error"), "{page}");
    let line = page.lines().find(|line| line.starts_with("not run drive_fault")).unwrap();
    assert!(line.contains("virtual-bus"), "{page}");
    let junit = std::fs::read_to_string(junit).unwrap();
    assert!(junit.contains("errors=\"0\" skipped=\"2\""), "{junit}");
}

/// What is left out of many is a mistake when it is asked for alone.
#[test]
fn a_run_of_such_a_scenario_on_another_plant_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = chiron(&["run", "drive_fault", "--plant", "sim", "--out", folder.path().to_str().unwrap()]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("drive_fault.toml:") && message.contains("virtual-bus"), "{message}");
}

#[test]
fn a_fork_over_a_bus_is_refused_with_what_to_do_instead() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let (out, fork) = (out.to_str().unwrap(), folder.path().join("fork"));
    let flags = ["--plant", "virtual-bus", "--duration", "0.5", "--no-pictures", "--out", out];
    chiron(&[&["run", "bench_two_drives"][..], &flags[..]].concat());
    let log = format!("{out}/run.mcap");
    let output = chiron(&["replay", &log, "--fork-at", "0.2", "--out", fork.to_str().unwrap()]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("chiron run bench_two_drives --plant sim") && message.contains("--seed"), "{message}");
}

#[test]
fn results_of_several_checks_become_one_table() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("new/results.jsonl");
    let results = results.to_str().unwrap();
    for (plant, seeds) in [("sim", "1..=2"), ("sim", "2..=3"), ("virtual-bus", "1..=2")] {
        let line = ["check", "bench_two_drives", "--plant", plant, "--seeds", seeds, "--results", results, "--quiet"];
        let output = chiron(&line);
        assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
    }
    let page = text(&chiron(&["table", results]).stdout);
    assert!(page.contains("`bench_two_drives`"), "{page}");
    assert!(page.contains("| sim | 3 of 3 |") && page.contains("| virtual-bus | 2 of 2 |"), "{page}");
    let each = text(&chiron(&["table", results, "--each"]).stdout);
    assert!(each.contains("| sim, seed 3 | yes |"), "{each}");
}

#[test]
fn a_run_that_comes_to_something_else_than_before_fails_and_names_what() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("results.jsonl");
    let file = results.to_str().unwrap();
    let check = |more: &[&str]| {
        let output = chiron(&[&["check", "bench_two_drives", "--plant", "sim"], more].concat());
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    assert_eq!(check(&["--seeds", "1..=2", "--results", file]).0, Some(0));
    let (code, page) = check(&["--seeds", "1..=2", "--same-as", file]);
    assert_eq!(code, Some(0), "{page}");
    let (code, page) = check(&["--seeds", "2..=3", "--same-as", file]);
    assert_eq!(code, Some(1), "{page}");
    assert!(page.contains("1 passed, 1 failed") && page.contains("which has no such run: found nothing"), "{page}");
    // what the file says of seed 1, and of another temperature, is taken for seed 2's
    let lines = std::fs::read_to_string(&results).unwrap();
    let mut line: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    (line["seed"], line["metrics"]["temperature.max"]) = (2.into(), 1.0.into());
    std::fs::write(&results, line.to_string()).unwrap();
    let (code, page) = check(&["--seeds", "2..=2", "--same-as", file]);
    assert_eq!(code, Some(1), "{page}");
    assert!(
        page.contains(" there; temperature.max was 1, is ") && page.contains("1.0000 metrics that differ"),
        "{page}"
    );
    assert_eq!(check(&["--same-as", "nowhere.jsonl"]).0, Some(2));
}

#[test]
fn a_table_of_what_is_no_result_is_refused() {
    let output = chiron(&["table", "README.md"]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("README.md") && message.contains("line 1"), "{message}");
    let empty = tempfile::NamedTempFile::new().unwrap();
    let output = chiron(&["table", empty.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2), "no run is no table: {}", text(&output.stdout));
}
