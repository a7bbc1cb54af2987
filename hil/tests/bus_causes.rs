//! What a stop says: every cause once, by the name of its board or cable, with what to do; nothing that merely follows from it.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use hil::robot::Cause;
use hil::virtual_bus::{BusFault, BusFaultKind};
use robot_io::{CauseKind, Lifecycle, RobotIo, Severity};

use support::{Bench, KNEE, WHEEL, between};

fn cut(after: &str) -> BusFaultKind {
    BusFaultKind::CableCut { after: after.to_owned() }
}

fn drive_fault(board: &str, code: u16) -> BusFaultKind {
    BusFaultKind::DriveFault { board: board.to_owned(), code }
}

/// What the bus has said when so many milliseconds are over.
fn told(faults: Vec<BusFault>, cycles: u64) -> (Bench, Vec<String>) {
    let mut bench = Bench::virtual_bus(faults);
    bench.robot.bring_up().unwrap();
    (0..cycles).for_each(|_| bench.cycle());
    bench.read();
    let stops = bench.events.iter().filter(|event| event.severity == Severity::Stop);
    let lines = stops.map(|event| event.what.clone().into_owned()).collect();
    (bench, lines)
}

#[test]
fn several_causes_at_once_are_all_told() {
    let faults = vec![
        between(drive_fault("hip_drive", 0x2310), 100, None),
        between(BusFaultKind::BoardOff { board: "knee_board".to_owned() }, 100, None),
    ];
    let (bench, lines) = told(faults, 300);
    let expected = [
        "stop: drive fault 0x2310 of board 'hip_drive' (place 1); look the code up in its manual and remove the reason, then \
         clear the stop",
        "stop: board 'knee_board' (place 2) does not answer; check its supply and the cable before it, then clear the stop",
    ];
    assert_eq!(lines, expected);
    // and the controller reads them
    assert_eq!(bench.readings.status.lifecycle, Lifecycle::Fault);
    let kinds: Vec<_> = bench.readings.status.causes.iter().map(|cause| (cause.kind, cause.joint)).collect();
    assert_eq!(kinds, [(CauseKind::DriveFault, Some(0)), (CauseKind::BoardGone, Some(KNEE))]);
}

#[test]
fn a_second_cut_is_told_and_so_is_one_that_comes_back() {
    let faults = vec![
        between(cut("knee_board"), 100, Some(500)),
        between(cut("hip_drive"), 200, Some(300)),
        between(cut("knee_board"), 700, None),
    ];
    let (bench, lines) = told(faults, 900);
    let cables: Vec<&str> = lines.iter().map(|line| line.split('\'').nth(1).unwrap()).collect();
    assert_eq!(cables, ["knee_board", "hip_drive", "knee_board"], "{lines:#?}");
    assert!(lines[1].starts_with("stop: cable cut behind board 'hip_drive' (place 1): 3 boards do not answer;"));
    assert_eq!(bench.readings.status.causes.occurrences(), 3);
    assert_eq!(bench.robot.causes(), [Cause::CableCut(Some(1), 2, 2), Cause::CableCut(Some(0), 1, 3)]);
}

#[test]
fn what_follows_from_a_cut_is_not_told() {
    // mended: the boards behind it are back in SAFE-OP with their watchdogs' error, and do not follow
    let (_, lines) = told(vec![between(cut("hip_drive"), 100, Some(300))], 600);
    assert_eq!(lines.len(), 1, "{lines:#?}");
}

#[test]
fn silence_that_lets_the_watchdogs_expire_is_one_cause() {
    let (mut bench, lines) = told(vec![between(BusFaultKind::FrameLoss { probability: 1.0 }, 100, Some(200))], 400);
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(lines[0].starts_with("stop: frames lost: 3 in a row, 2 are ridden through; check cable"), "{lines:#?}");
    bench.robot.transition(Lifecycle::Inactive).unwrap();
    bench.robot.transition(Lifecycle::Active).unwrap();
    assert!(bench.robot.causes().is_empty());
    (0..20).for_each(|_| bench.cycle());
    assert!(!bench.readings.status.is_stopped() && bench.readings.status.causes.is_empty());
}

#[test]
fn a_board_that_counts_wrong_is_named_although_another_is_gone() {
    let faults = vec![
        between(BusFaultKind::BoardOff { board: "wheel_drive".to_owned() }, 100, None),
        between(BusFaultKind::WrongCount { board: "knee_board".to_owned(), by: -1 }, 200, None),
    ];
    let (bench, lines) = told(faults, 400);
    assert!(lines[0].contains("board 'wheel_drive' (place 3) does not answer"), "{lines:#?}");
    assert!(lines[1].starts_with("stop: working counter short: "), "{lines:#?}");
    assert!(lines[2].starts_with("stop: working counter wrong by board 'knee_board' (place 2);"), "{lines:#?}");
    assert_eq!(lines.len(), 3);
    assert_eq!(bench.robot.causes()[0], Cause::BoardGone(2));
}

#[test]
fn a_fault_that_comes_while_the_robot_is_stopped_is_told_too() {
    let faults = vec![
        between(BusFaultKind::EncoderJump { board: "wheel_drive".to_owned(), by: 0.5 }, 100, None),
        between(BusFaultKind::AlError { board: "knee_board".to_owned(), code: 0x001a }, 200, None),
        between(BusFaultKind::HotBoard { board: "hip_drive".to_owned(), temperature: 99.9 }, 250, Some(300)),
        between(BusFaultKind::FrozenInputs { board: "body_board".to_owned() }, 300, None),
    ];
    let (bench, lines) = told(faults, 500);
    assert!(
        lines[0].starts_with("stop: encoder jumped: joint 'wheel' at board 'wheel_drive' (place 3);"),
        "{lines:#?}"
    );
    assert!(lines[1].starts_with("stop: board 'knee_board' (place 2) left OP: AL status code 0x001a;"), "{lines:#?}");
    assert!(lines[2].starts_with("stop: board 'body_board' (place 4) hangs:"), "{lines:#?}");
    assert_eq!(lines.len(), 3, "{lines:#?}");
    assert!(bench.events.iter().any(|event| event.what.contains("winding hot")), "a warning is one, stopped or not");
    assert_eq!(bench.readings.status.causes.iter().next().unwrap().joint, Some(WHEEL));
}
