//! Two processes over a veth pair: `chiron bus` serves a scenario's boards, `chiron run --plant ethercat:…` drives them.
//!
//! Runs itself again in a network namespace. Where none can be made it says so loudly and passes. Nothing here looks at times:
//! a loaded machine loses frames, so the bus file is a copy that rides through more of them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use support::shell::{ROOT, Running, chiron, ends, text};

/// Set in the namespace.
const INSIDE: &str = "CHIRON_TEST_IN_NAMESPACE";
const SETUP: &str =
    "ip link add vm type veth peer name vb && for end in vm vb; do ip link set $end arp off multicast off up; done";

#[test]
fn two_drives_are_driven_over_a_veth_pair() {
    if std::env::var_os(INSIDE).is_some() {
        return inside();
    }
    let possible = Command::new("unshare").args(["-Urn", "sh", "-c", SETUP]).output();
    if !possible.is_ok_and(|output| output.status.success()) {
        // not eprintln, which a passing test swallows
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: no network namespace can be made here (`unshare -Urn`), so nothing was tested over veth"
        );
        return;
    }
    let script = format!("{SETUP} && exec \"$0\" --exact two_drives_are_driven_over_a_veth_pair --nocapture");
    let this = std::env::current_exe().unwrap();
    // an interface of this name may be driven in another namespace on this machine: its run listens under this name too
    let sockets = tempfile::tempdir().unwrap();
    let mut again = Command::new("unshare");
    again.args(["-Urn", "sh", "-c", &script]).arg(this).env(INSIDE, "1").env("XDG_RUNTIME_DIR", sockets.path());
    assert!(again.status().unwrap().success());
}

/// The boards' end.
fn server(case: &str) -> Running {
    let child = chiron(&["bus", case, "--interface", "vb"]).stdout(Stdio::null()).spawn();
    Running(child.unwrap())
}

/// Asks for an orderly end and tells with which code it came.
fn interrupt(mut server: Running) -> Option<i32> {
    server.signal("INT");
    server.0.wait().unwrap().code()
}

fn inside() {
    let folder = tempfile::tempdir().unwrap();
    let case = tolerant(folder.path());
    let case = case.to_str().unwrap();
    let server = server(case);
    who_is_there();

    let whole = folder.path().join("whole");
    ends(&mut run(case, &whole), 0);
    assert_complete(&whole);
    assert_eq!(metrics(&whole)["bus"]["boards"], 2);

    let broken = folder.path().join("interrupted");
    let child = run(case, &broken).args(["--duration", "60"]).stdout(Stdio::null()).spawn();
    let mut child = Running(child.unwrap());
    // on a loaded machine the drives are switched on long after the log exists; what it holds then is whole chunks
    let log = broken.join("run.mcap.partial");
    wait_for(|| replay::LogReader::open(&log).is_ok_and(|log| log.last_cycle().is_ok_and(|last| last.is_some())));
    child.signal("TERM");
    assert_eq!(child.0.wait().unwrap().code(), Some(130));
    assert_eq!(metrics(&broken)["interrupted"], true);
    assert_complete(&broken);

    assert_eq!(interrupt(server), Some(130));
    calibrate_what_another_program_serves(folder.path());
    let alone = ends(&mut chiron(&["bus", "scan", "vm"]), 2);
    assert!(alone.contains("no frame comes back"), "{alone}");
}

/// The boards' encoders have their zeros elsewhere; who drives them does not know, and measures it.
fn calibrate_what_another_program_serves(folder: &Path) {
    let case = tolerant(folder);
    let bus_file = folder.join("tolerant.toml");
    let bus = std::fs::read_to_string(&bus_file).unwrap();
    let moved =
        bus.replace("serial = 1", "serial = 1\noffset = 0.3").replace("serial = 2", "serial = 2\noffset = -0.2");
    std::fs::write(folder.join("moved.toml"), moved).unwrap();
    let served = folder.join("served.toml");
    let whole = std::fs::read_to_string(&case).unwrap().replace("tolerant.toml", "moved.toml");
    std::fs::write(&served, whole).unwrap();
    let server = server(served.to_str().unwrap());
    who_is_there();
    let out = folder.join("zeros.toml");
    let arguments =
        ["bus", "calibrate", case.to_str().unwrap(), "--plant", "ethercat:vm", "--out", out.to_str().unwrap()];
    ends(&mut chiron(&arguments), 0);
    let table: toml::Table = std::fs::read_to_string(&out).unwrap().parse().unwrap();
    let offsets: Vec<f64> =
        table["board"].as_array().unwrap().iter().filter_map(|zero| zero["offset"].as_float()).collect();
    assert!((offsets[0] - 0.3).abs() < 1e-3 && (offsets[1] + 0.2).abs() < 1e-3, "{offsets:?}");
    // a calibration for another drive than the one that is there
    let other = std::fs::read_to_string(&out).unwrap().replace("serial = 2", "serial = 22");
    std::fs::write(&out, other).unwrap();
    let named =
        format!("calibration = \"zeros.toml\"\n{}", bus.replace("serial = 1\n", "").replace("serial = 2\n", ""));
    std::fs::write(&bus_file, named).unwrap();
    let refused = ends(&mut run(case.to_str().unwrap(), &folder.join("refused")), 2);
    assert!(refused.contains("expected serial 22, found 2"), "{refused}");
    assert_eq!(interrupt(server), Some(130));
}

/// The bench's scenario, short, with a bus that rides through what a loaded machine loses.
fn tolerant(folder: &Path) -> PathBuf {
    let read = |path: &str| std::fs::read_to_string(Path::new(ROOT).join(path)).unwrap();
    let bus = read("robot_models/bench/bus.toml");
    let bus = bus.replacen("watchdog_ms = 20", "watchdog_ms = 1000", 1);
    let bus = bus.replacen("ride_through = 2", "ride_through = 50", 1);
    let bus = bus.replacen("stale_after = 5", "stale_after = 100", 1);
    let bus = bus.replacen("command_age = 2", "command_age = 50", 1);
    assert!(["= 1000", "through = 50", "after = 100", "age = 50"].iter().all(|change| bus.contains(change)));
    let bus_file = folder.join("tolerant.toml");
    std::fs::write(&bus_file, bus).unwrap();
    let case = format!(
        "title = \"Two drives over veth\"\nworld = \"flat\"\nrobot = \"bench\"\nseed = 1\nduration = 3.0\n\
         spawn = {{ place = \"start\" }}\nbus = \"{}\"\n\
         [mission]\nname = \"turn\"\n[[mission.steps]]\npose = {{ name = \"left_turned\", tolerance = 0.05 }}\n\
         [[check]]\nkind = \"metric\"\nmetric = \"effort_ratio.max\"\nbelow = 1.0\n",
        bus_file.display()
    );
    let path = folder.join("over_veth.toml");
    std::fs::write(&path, case).unwrap();
    path
}

/// The scan is a bus file's beginning, with both boards.
fn who_is_there() {
    let mut page = String::new();
    wait_for(|| {
        let scan = chiron(&["bus", "scan", "vm"]).output().unwrap();
        page = text(&scan.stdout);
        scan.status.success()
    });
    let table: toml::Table = page.parse().unwrap();
    let serials: Vec<_> = table["board"].as_array().unwrap().iter().map(|board| board["serial"].as_integer()).collect();
    assert_eq!(serials, [Some(1), Some(2)], "{page}");
    assert!(page.contains("left_motor") && page.contains("INIT"), "{page}");
}

/// Metrics, report and a closed log whose controllers answer the same.
fn assert_complete(out: &Path) {
    assert!(out.join("report.html").is_file());
    let log = out.join("run.mcap");
    let replay = ends(&mut chiron(&["replay", log.to_str().unwrap(), "--controllers-only"]), 0);
    assert!(!replay.contains("the log was cut"), "{replay}");
}

fn metrics(out: &Path) -> serde_json::Value {
    serde_json::from_str(&std::fs::read_to_string(out.join("metrics.json")).unwrap()).unwrap()
}

fn run(case: &str, out: &Path) -> Command {
    let mut run = chiron(&["run", case, "--plant", "ethercat:vm", "--no-pictures", "--out"]);
    run.arg(out);
    run
}

fn wait_for(mut done: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !done() {
        assert!(Instant::now() < end, "nothing happened for a minute");
        std::thread::sleep(Duration::from_millis(50));
    }
}
