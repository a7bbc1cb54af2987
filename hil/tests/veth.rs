//! Over a veth pair, in a network namespace of its own: raw sockets, the machine's clock, the pace of cycles.
//!
//! Each test runs itself again in `unshare -Urn`. Where that is forbidden it says so loudly and passes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::io::Write as _;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hil::exchange::{Exchange, Exchanged, ProcessImage};
use hil::link::{Link, RawSocket};
use hil::main_device::{EtherCat, scan};
use hil::wire::AlState;
use robot_io::{Period, Time};

#[path = "main_device/bench.rs"]
mod bench;
#[path = "veth/robot.rs"]
mod robot;

const BOARDS: usize = 57;
const CYCLES: u64 = 500;
const PERIOD: Period = Period::from_milliseconds(4);
/// Set in the namespace.
const INSIDE: &str = "CHIRON_TEST_IN_NAMESPACE";

const SETUP: &str = "ip link add vm type veth peer name vb && ip link set vm arp off multicast off && \
                     ip link set vb arp off multicast off";

#[test]
fn boards_over_a_veth_pair() {
    in_namespace("boards_over_a_veth_pair", inside);
}

#[test]
fn a_robot_over_a_veth_pair() {
    in_namespace("a_robot_over_a_veth_pair", robot::inside);
}

/// Runs a test of this file again, alone, in a namespace with a veth pair; there, does what it is about.
fn in_namespace(test: &str, inside: fn()) {
    if std::env::var_os(INSIDE).is_some() {
        return inside();
    }
    let program = std::env::current_exe().unwrap();
    let possible = Command::new("unshare").args(["-Urn", "sh", "-c", SETUP]).output();
    if !possible.is_ok_and(|output| output.status.success()) {
        // not eprintln, which a passing test swallows
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: no network namespace can be made here (`unshare -Urn`), so nothing was tested over veth"
        );
        return;
    }
    let script = format!("{SETUP} && exec \"$0\" --exact {test} --nocapture");
    let status = Command::new("unshare").args(["-Urn", "sh", "-c", &script]).arg(program).env(INSIDE, "1").status();
    assert!(status.unwrap().success());
}

fn switch_on() {
    for interface in ["vm", "vb"] {
        assert!(Command::new("ip").args(["link", "set", interface, "up"]).status().unwrap().success());
    }
}

fn inside() {
    refusals();
    switch_on();
    let stop = Arc::new(AtomicBool::new(false));
    let boards = std::thread::spawn({
        let stop = Arc::clone(&stop);
        move || serve(&stop)
    });
    let found = scan(RawSocket::open("vm").unwrap()).unwrap();
    assert_eq!(found.len(), BOARDS);
    assert_eq!(found[56].found.serial, 57);
    exchange();
    stop.store(true, Ordering::Relaxed);
    boards.join().unwrap();
}

fn refusals() {
    let message = RawSocket::open("vm").unwrap_err().to_string();
    assert!(message.contains("vm") && message.contains("is down"), "{message}");
    let message = RawSocket::open("nowhere").unwrap_err().to_string();
    assert!(message.contains("nowhere") && message.contains("vb, vm"), "{message}");
}

/// The boards' end: every frame goes through the segment and back, in real time.
fn serve(stop: &AtomicBool) {
    let mut socket = RawSocket::open("vb").unwrap();
    let mut segment = bench::Bench::new(BOARDS).segment;
    let mut frame = [0; 1_600];
    let begin = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        let now = begin.elapsed().as_nanos() as u64;
        segment.tick(now);
        while let Some(length) = socket.receive(&mut frame).unwrap() {
            segment.process(&mut frame[..length], now);
            socket.send(&frame[..length]).unwrap();
        }
        socket.wait_for(Duration::from_millis(1));
    }
}

/// Up to OP, then cycles at their pace.
fn exchange() {
    let mut plan = bench::plan(BOARDS);
    plan.watchdog = Period::from_milliseconds(400);
    let link = RawSocket::open("vm").unwrap();
    let mut bus = EtherCat::new(link, Arc::new(plan), PERIOD).unwrap();
    let begin = Instant::now();
    bus.configure().unwrap();
    println!("{BOARDS} boards in SAFE-OP after {:?}", begin.elapsed());
    let outputs = vec![vec![0; 4 * usize::from(bench::OUTPUT_WORDS)]; BOARDS];
    let inputs = vec![vec![0; 4 * usize::from(bench::INPUT_WORDS)]; BOARDS];
    let (mut image, mut report) = (ProcessImage { outputs, inputs }, Exchanged::default());
    bus.request(AlState::Op).unwrap();
    let (mut trips, mut lates, mut good) = (Vec::new(), Vec::new(), 0);
    let begin = Instant::now();
    for cycle in 1..=CYCLES {
        bus.exchange(&mut image, &mut report);
        trips.push(report.round_trip / 1_000);
        lates.push(report.late / 1_000);
        good += u64::from(!report.lost && report.states.iter().all(|state| *state == Some(AlState::Op)));
        bus.pass(Time::from_nanoseconds(cycle * PERIOD.nanoseconds())).unwrap();
    }
    let took = begin.elapsed();
    trips.sort_unstable();
    lates.sort_unstable();
    let at = |values: &[u64], part: usize| values[values.len() * part / 100];
    println!(
        "{good} of {CYCLES} cycles good; round trip {} / {} µs, late {} / {} µs (median / 99 %); {:?}; clocks off by {:?} ns",
        at(&trips, 50),
        at(&trips, 99),
        at(&lates, 50),
        at(&lates, 99),
        bus.statistics(),
        report.clock_difference
    );
    assert!(good * 10 >= CYCLES * 8, "{good} of {CYCLES}");
    assert!(report.clock_difference.is_some());
    let skipped = bus.statistics().skipped_cycles;
    let expected = PERIOD.nanoseconds() as f64 * (CYCLES + skipped) as f64 * 1e-9;
    assert!(
        (took.as_secs_f64() - expected).abs() < 0.1 * expected,
        "{took:?} for {CYCLES} cycles and {skipped} skipped"
    );
}
