//! Ctrl-C ends every long command within seconds, and a shell sees 130: by the command's own hand, or because the signal ended it.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
/// A command ends after its present cycle; the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn ctrl_c_gives_130_in_every_long_command() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let log = out.join("run.mcap");
    let (out, log) = (out.to_str().unwrap(), log.to_str().unwrap());
    let made =
        chiron(&["run", "bench_two_drives", "--duration", "30", "--no-pictures", "--quiet", "--out", out]).status();
    assert!(made.unwrap().code().is_some());
    let again = folder.path().join("again");
    let fork = ["replay", log, "--fork-at", "1", "--set", "cruise_speed=0.3", "--out", again.to_str().unwrap()];
    let again_run = folder.path().join("long");
    let long = ["run", "centaur_stands", "--duration", "600", "--no-pictures", "--out", again_run.to_str().unwrap()];
    let lines: [&[&str]; 6] = [
        &long,
        &["check", "centaur_stands", "--seeds", "1..=50"],
        &["robot", "centaur", "--hold-test", "--duration", "600"],
        &["bench", "--duration", "600"],
        &["replay", log, "--verify"],
        &fork,
    ];
    for line in lines {
        let mut child = chiron(line).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(700));
        let told = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        let begin = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            assert!(begin.elapsed() < PATIENCE, "{line:?} goes on");
            std::thread::sleep(Duration::from_millis(20));
        };
        // a short one may have been over before
        let was_over = !told.success() || matches!(status.code(), Some(0 | 1)) && ["replay"].contains(&line[0]);
        assert!(was_over || status.code() == Some(130) || status.signal() == Some(2), "{line:?}: {status}");
    }
}

/// A child that hears SIGINT, also if the tests run behind a script's `&`, whose children are told to ignore it.
fn chiron(line: &[&str]) -> Command {
    let mut command = Command::new("env");
    command
        .args(["--default-signal=INT", env!("CARGO_BIN_EXE_chiron")])
        .args(line)
        .current_dir(Path::new(ROOT))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}
