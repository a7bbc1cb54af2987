//! Plants and commands that do not go together, as a shell sees them.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use support::shell::{Shell, ends};

#[test]
fn scenarios_that_need_a_bus_are_left_out_of_a_check_on_another_plant() {
    let shell = Shell::new();
    let page = shell.passes("check bench_two_drives drive_fault swapped_boards --plant sim --junit junit.xml");
    assert!(page.contains("1 passed, 0 failed, 2 not run, 0 in error"), "{page}");
    let line = page.lines().find(|line| line.starts_with("not run drive_fault")).unwrap();
    assert!(line.contains("virtual-bus"), "{page}");
    let junit = std::fs::read_to_string(shell.path("junit.xml")).unwrap();
    assert!(junit.contains("errors=\"0\" skipped=\"2\""), "{junit}");
}

/// What is left out of many is a mistake when it is asked for alone.
#[test]
fn a_run_of_such_a_scenario_on_another_plant_is_refused() {
    let message = Shell::new().refused("run drive_fault --plant sim");
    assert!(message.contains("drive_fault.toml:") && message.contains("virtual-bus"), "{message}");
}

#[test]
fn a_fork_over_a_bus_is_refused_with_what_to_do_instead() {
    let shell = Shell::new();
    shell.chiron("run bench_two_drives --plant virtual-bus --duration 0.5 --no-pictures --out run");
    let message = shell.refused("replay run/run.mcap --fork-at 0.2 --out fork");
    assert!(message.contains("chiron run bench_two_drives --plant sim") && message.contains("--seed"), "{message}");
}

#[test]
fn results_of_several_checks_become_one_table() {
    let shell = Shell::new();
    for of in ["--plant sim --seeds 1..=2", "--plant sim --seeds 2..=3", "--plant virtual-bus --seeds 1..=2"] {
        shell.passes(&format!("check bench_two_drives {of} --results new/results.jsonl --quiet"));
    }
    let page = shell.passes("table new/results.jsonl");
    assert!(page.contains("`bench_two_drives`"), "{page}");
    assert!(page.contains("| sim | 3 of 3 |") && page.contains("| virtual-bus | 2 of 2 |"), "{page}");
    let each = shell.passes("table new/results.jsonl --each");
    assert!(each.contains("| sim, seed 3 | yes |"), "{each}");
}

#[test]
fn a_run_that_comes_to_something_else_than_before_fails_and_names_what() {
    let shell = Shell::new();
    let results = shell.path("results.jsonl");
    let check =
        |more: &str, code| ends(&mut shell.command(&format!("check bench_two_drives --plant sim {more}")), code);
    check("--seeds 1..=2 --results results.jsonl", 0);
    check("--seeds 1..=2 --same-as results.jsonl", 0);
    let page = check("--seeds 2..=3 --same-as results.jsonl", 1);
    assert!(page.contains("1 passed, 1 failed") && page.contains("which has no such run: found nothing"), "{page}");
    // what the file says of seed 1, and of another temperature, is taken for seed 2's
    let lines = std::fs::read_to_string(&results).unwrap();
    let mut line: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    (line["seed"], line["metrics"]["temperature.max"]) = (2.into(), 1.0.into());
    std::fs::write(&results, line.to_string()).unwrap();
    let page = check("--seeds 2..=2 --same-as results.jsonl", 1);
    assert!(
        page.contains(" there; temperature.max was 1, is ") && page.contains("1.0000 metrics that differ"),
        "{page}"
    );
    check("--same-as nowhere.jsonl", 2);
}

#[test]
fn a_table_of_what_is_no_result_is_refused() {
    let shell = Shell::new();
    let message = shell.refused("table scenarios/README.md");
    assert!(message.contains("README.md") && message.contains("line 1"), "{message}");
    std::fs::write(shell.path("empty"), "").unwrap();
    shell.refused("table empty");
}
