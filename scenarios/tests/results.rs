//! What a run leaves: nothing that exists is harmed, nothing is created before all is understood.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::path::Path;
use std::process::Stdio;

use support::shell::{ROOT, Shell, said, text};

fn bytes(shell: &Shell, name: &str) -> Vec<u8> {
    std::fs::read(shell.path(name)).unwrap()
}

/// The names below `out`, sorted.
fn left(shell: &Shell) -> Vec<String> {
    let mut names = Vec::new();
    for folder in std::fs::read_dir(shell.path("out")).into_iter().flatten().flatten() {
        names.push(folder.file_name().into_string().unwrap());
        for file in std::fs::read_dir(folder.path()).into_iter().flatten().flatten() {
            names.push(format!("{}/{}", names[0], file.file_name().into_string().unwrap()));
        }
    }
    names.sort();
    names
}

#[test]
fn a_second_run_leaves_the_first_ones_results() {
    let shell = Shell::new();
    shell.chiron("run bench_two_drives --duration 0.5 --no-pictures");
    let first = bytes(&shell, "out/bench_two_drives/run.mcap");
    let page = text(&shell.chiron("run bench_two_drives --duration 0.4 --no-pictures").stdout);
    assert!(page.contains("out/bench_two_drives exists: the results go to out/bench_two_drives-2"), "{page}");
    assert!(page.contains("chiron replay out/bench_two_drives-2/run.mcap --verify"), "{page}");
    assert_eq!(bytes(&shell, "out/bench_two_drives/run.mcap"), first);

    let message = shell.refused("run bench_two_drives --duration 0.4 --out out/bench_two_drives");
    assert!(message.contains("run.mcap") && message.contains("--force"), "{message}");
    assert_eq!(bytes(&shell, "out/bench_two_drives/run.mcap"), first);
    shell.chiron("run bench_two_drives --duration 0.4 --no-pictures --force");
    assert_ne!(bytes(&shell, "out/bench_two_drives/run.mcap"), first);
    shell.chiron("run bench_two_drives --duration 0.4 --no-pictures --force --no-log");
    assert!(!shell.path("out/bench_two_drives/run.mcap").exists(), "a log that is not of the report beside it");
    assert!(shell.path("out/bench_two_drives/metrics.json").exists());
}

#[test]
fn a_command_that_is_refused_creates_nothing() {
    let shell = Shell::new();
    for line in [
        "run bench_two_drives --duration nan",
        "run bench_two_drives --realtime 0",
        "run bench_two_drives --screenshot out/picture.png --at nan",
        "run bench_two_drives --screenshot out/picture.png --at 1000",
        "run centaur_stands --scans missing.mcap",
        "run drive_fault --plant sim",
        "check bench_two_drives --junit /dev/null/junit.xml",
    ] {
        shell.refused(line);
        assert_eq!(left(&shell), Vec::<String>::new(), "{line}");
    }
    shell.chiron("run bench_two_drives --duration 0.5 --no-pictures --no-log --out kept");
    std::fs::write(shell.path("file"), "mine").unwrap();
    assert!(shell.refused("run bench_two_drives --out file").contains("expected a folder"));
    assert_eq!(bytes(&shell, "file"), b"mine");
}

/// The bus says no after everything has been read: then too nothing is left.
#[test]
fn a_run_that_the_bus_refuses_leaves_no_log() {
    let shell = Shell::new();
    shell.chiron("run swapped_boards --no-pictures");
    let left = left(&shell);
    assert!(left.iter().all(|name| !name.contains("run.mcap")), "{left:?}");
}

#[test]
fn a_fork_never_harms_the_log_that_it_reads() {
    let shell = Shell::new();
    shell.passes("run bench_two_drives --no-pictures --out out/first");
    let first = bytes(&shell, "out/first/run.mcap");
    let onto_itself = "replay out/first/run.mcap --fork-at 0.2 --out out/first";
    assert!(shell.refused(onto_itself).contains("--force"));
    for refused in [
        "replay out/first/run.mcap --fork-at 1000 --out out/fork",
        "replay out/first/run.mcap --fork-at nan --out out/fork",
        "replay out/first/run.mcap --fork-at 0.2 --set no_such=1 --out out/fork",
        "replay out/first/run.mcap --fork-at 0.2 --set cruise_speed=fast --out out/fork",
    ] {
        shell.refused(refused);
        assert!(!shell.path("out/fork").exists(), "{refused}");
    }
    assert_eq!(bytes(&shell, "out/first/run.mcap"), first);

    shell.passes(&format!("{onto_itself} --force"));
    assert_ne!(bytes(&shell, "out/first/run.mcap"), first, "now it is the fork's");
    shell.passes("replay out/first/run.mcap --verify");
}

#[test]
fn a_run_from_a_logs_scans_leaves_that_log() {
    let shell = Shell::new();
    let case = std::fs::read_to_string(Path::new(ROOT).join("scenarios/cases/centaur_drives_flat.toml")).unwrap();
    std::fs::write(shell.path("seeing.toml"), format!("sensors = [\"laser\"]\n{case}")).unwrap();
    shell.chiron("run ./seeing.toml --duration 0.2 --no-pictures");
    let first = bytes(&shell, "out/seeing/run.mcap");
    let again = "run ./seeing.toml --duration 0.2 --no-pictures --scans out/seeing/run.mcap";
    shell.chiron(again);
    assert_eq!(bytes(&shell, "out/seeing/run.mcap"), first);
    assert!(shell.path("out/seeing-2/run.mcap").exists());
    assert!(shell.refused(&format!("{again} --out out/seeing")).contains("--force"));
    assert_eq!(bytes(&shell, "out/seeing/run.mcap"), first);
}

#[test]
fn a_killed_run_leaves_what_it_had_under_a_name_that_says_so() {
    let shell = Shell::new();
    let mut run = shell.command("run centaur_drives_flat --no-pictures --realtime 1");
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let partial = shell.path("out/centaur_drives_flat/run.mcap.partial");
    // the preamble, and the first chunk behind it
    while std::fs::metadata(&partial).map_or(0, |file| file.len()) < 700_000 {
        assert_eq!(run.try_wait().unwrap(), None, "it runs until it is killed");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    assert_eq!(left(&shell), ["centaur_drives_flat", "centaur_drives_flat/run.mcap.partial"]);
    let page = shell.passes("replay out/centaur_drives_flat/run.mcap.partial --verify");
    assert!(page.contains("the log was cut") && page.contains("came out the same"), "{page}");
    let message = shell.refused("replay out/centaur_drives_flat/run.mcap");
    assert!(message.contains("run.mcap.partial"), "{message}");
    // it is a result as well: the next run goes elsewhere
    shell.chiron("run centaur_drives_flat --duration 0.1 --no-pictures");
    assert!(shell.path("out/centaur_drives_flat-2/run.mcap").exists() && partial.exists());
}

#[test]
fn a_quiet_run_says_one_line() {
    let shell = Shell::new();
    let output = shell.chiron("run bench_two_drives --no-pictures --quiet --out out/quiet");
    assert_eq!((text(&output.stdout).lines().count(), text(&output.stderr)), (1, String::new()));
    assert!(text(&output.stdout).starts_with("passed  bench_two_drives"));
    let output = shell.chiron("check bench_two_drives --quiet");
    assert_eq!(text(&output.stdout), "1 passed, 0 failed, 0 not run, 0 in error\n");
}

#[test]
fn only_what_can_be_used_is_listed() {
    let shell = Shell::new();
    let message = shell.refused("robot no_such_robot");
    assert!(message.contains("there are: arm, bench, centaur"), "{message}");
    let case = std::fs::read_to_string(Path::new(ROOT).join("scenarios/cases/centaur_stands.toml")).unwrap();
    std::fs::write(shell.path("case.toml"), case.replace("\"flat\"", "\"no_such_world\"")).unwrap();
    let message = shell.refused("run ./case.toml");
    assert!(message.contains("flat") && !message.contains("clippy"), "{message}");
}

/// libwayland, which graphics drivers ask, complains where a session has no folder for its sockets.
#[test]
fn pictures_without_a_session_folder_print_no_error() {
    let shell = Shell::new();
    let mut run = shell.command("run bench_two_drives --duration 0.2");
    let output = run.env_remove("XDG_RUNTIME_DIR").output().unwrap();
    let said = said(&output);
    assert!(said.contains("report.html"), "{said}");
    assert!(!said.contains("XDG_RUNTIME_DIR"), "{said}");
}
