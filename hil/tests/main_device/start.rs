//! From anywhere to OP, or a refusal with the board's name.

use hil::exchange::Exchange;
use hil::main_device::scan;
use hil::pdo::PdoEntry;
use hil::wire::{AlCode, AlState};
use hil::{HilError, board::SdoDownload};

use crate::bench::{Bench, EchoType, Run, Trouble, plan};

fn refusal(run: &mut Run) -> HilError {
    run.bus.configure().unwrap_err()
}

#[test]
fn four_boards_reach_op_and_echo() {
    let mut run = Run::operational(4);
    assert_eq!(run.report.expected, 12);
    run.cycles(5);
    // outputs of a cycle are in the inputs of the next
    assert_eq!(run.echo(3).0 as u64, run.cycle - 1);
    assert_eq!(run.bus.statistics().lost, 0);
}

#[test]
fn fifty_seven_boards_reach_op_in_two_frames() {
    let mut run = Run::operational(57);
    // 57 boards and one more that a frame's end cuts through
    assert!((171..=173).contains(&run.report.expected), "{}", run.report.expected);
    run.cycles(20);
    assert!(run.all_op());
    assert!(run.report.clock_difference.is_some());
    assert_eq!(run.echo(56).0 as u64, run.cycle - 1);
}

#[test]
fn a_bus_that_is_up_is_configured_again() {
    let mut run = Run::operational(3);
    run.bus.configure().unwrap();
    run.cycle();
    assert!(run.report.states.iter().all(|state| *state == Some(AlState::SafeOp)), "{:?}", run.report.states);
    run.bus.request(AlState::Op).unwrap();
    run.cycles(2);
    assert!(run.all_op());
    run.bus.request(AlState::Init).unwrap();
    run.cycle();
    assert_eq!(run.report.states, [Some(AlState::Init); 3]);
}

#[test]
fn parameters_and_watchdogs_are_written() {
    let mut run = Run::operational(2);
    let segment = &run.bench().segment;
    let objects = segment.device(1).unwrap().cpu.objects();
    assert_eq!(objects.get(objects.slot(0x4000, 0).unwrap()), 0x1234);
    run.bench().now += 25_000_000;
    let now = run.bench().now;
    run.bench().segment.tick(now);
    assert_eq!(run.bus.diagnose(1), Some((AlState::SafeOp, AlCode::SYNC_MANAGER_WATCHDOG)), "20 ms without outputs");
}

#[test]
fn lost_frames_do_not_disturb_bring_up() {
    let mut run = Run::new(Bench::new(3), plan(3));
    let mut troubles = vec![None; 400];
    for (at, trouble) in [(0, Trouble::Lost), (57, Trouble::Lost), (123, Trouble::Twice), (251, Trouble::Stray)] {
        troubles[at] = Some(trouble);
    }
    run.next(&troubles);
    run.bus.configure().unwrap();
    let statistics = run.bus.statistics();
    assert_eq!((statistics.lost, statistics.duplicate, statistics.stray), (2, 1, 1));
}

#[test]
fn a_wrong_board_is_refused_by_name() {
    let mut wanted = plan(4);
    wanted.boards[2].identity.serial = Some(77);
    let message = refusal(&mut Run::new(Bench::new(4), wanted)).to_string();
    assert!(message.contains("board_2"), "{message}");
}

#[test]
fn missing_and_no_boards_are_refused() {
    let message = refusal(&mut Run::new(Bench::new(3), plan(4))).to_string();
    assert!(message.contains("board_3"), "{message}");
    let error = refusal(&mut Run::new(Bench::new(0), plan(4)));
    assert!(matches!(error, HilError::Link(_)), "{error}");
}

#[test]
fn a_refused_state_comes_back_at_once_with_its_code() {
    let refused = [(AlState::PreOp, AlCode::MAILBOX_CONFIGURATION), (AlState::SafeOp, AlCode::INPUT_CONFIGURATION)];
    for (state, code) in refused {
        let mut bench = Bench::new(4);
        bench.segment.device_mut(2).unwrap().refuses = Some((state, code));
        let mut run = Run::new(bench, plan(4));
        let expected = HilError::State { board: "board_2".to_owned(), wanted: state, found: below(state), code };
        assert_eq!(refusal(&mut run), expected);
        // nothing is left behind
        run.bench().segment.device_mut(2).unwrap().refuses = None;
        run.bus.configure().unwrap();
    }
}

fn below(state: AlState) -> AlState {
    if state == AlState::PreOp { AlState::Init } else { AlState::PreOp }
}

#[test]
fn op_refused_is_seen_in_the_states_and_diagnosed() {
    let mut bench = Bench::new(3);
    bench.segment.device_mut(1).unwrap().refuses = Some((AlState::Op, AlCode::SYNC_ERROR));
    let mut run = Run::new(bench, plan(3));
    run.bus.configure().unwrap();
    run.bus.request(AlState::Op).unwrap();
    run.cycles(3);
    let states = [Some(AlState::Op), Some(AlState::SafeOp), Some(AlState::Op)];
    assert_eq!(run.report.states, states);
    assert_eq!(run.bus.diagnose(1), Some((AlState::SafeOp, AlCode::SYNC_ERROR)));
    assert_eq!(run.bus.diagnose(0), Some((AlState::Op, AlCode::NONE)));
}

#[test]
fn an_object_that_is_missing_is_named() {
    let mut wanted = plan(2);
    let map = wanted.boards[1].kind.pdo_map().clone();
    let unknown = SdoDownload { index: 0x4711, sub: 3, value: vec![1] };
    wanted.boards[1].kind = Box::new(EchoType { map, start_up: vec![unknown] });
    let error = refusal(&mut Run::new(Bench::new(2), wanted));
    let HilError::Sdo { board, index, sub, message } = error else { panic!("{error}") };
    assert_eq!((board.as_str(), index, sub), ("board_1", 0x4711, 3));
    assert!(message.contains("refuses"), "{message}");
}

#[test]
fn another_mapping_than_planned_is_refused() {
    let mut wanted = plan(2);
    let mut map = wanted.boards[0].kind.pdo_map().clone();
    map.inputs[0].entries.push(PdoEntry::new(0x5555, 1, 16));
    wanted.boards[0].kind = Box::new(EchoType { map, start_up: Vec::new() });
    let message = refusal(&mut Run::new(Bench::new(2), wanted)).to_string();
    assert!(message.contains("board_0"), "{message}");
}

#[test]
fn emergencies_in_place_of_answers_are_ridden_through_or_become_an_error() {
    let mut bench = Bench::new(2);
    bench.segment.device_mut(1).unwrap().emergencies = 2;
    let mut run = Run::new(bench, plan(2));
    run.bus.configure().unwrap();
    run.bench().segment.device_mut(1).unwrap().emergencies = 1_000;
    let message = refusal(&mut run).to_string();
    assert!(message.contains("board_1") && message.contains("emergenc"), "{message}");
    run.bench().segment.device_mut(1).unwrap().emergencies = 0;
    run.bus.configure().unwrap();
}

#[test]
fn a_scan_tells_what_is_there() {
    let boards = scan(Bench::new(5)).unwrap();
    assert_eq!(boards.len(), 5);
    assert_eq!(boards[3].found.serial, 4);
    assert!(!boards[3].found.name.is_empty());
    assert_eq!(boards[0].state, Some(AlState::Init));
    assert_eq!(boards[4].links, [true, false, false, false]);
    assert_eq!(boards[1].links, [true, true, false, false]);
}

#[test]
fn hundreds_of_buses_share_their_memory() {
    for _ in 0..50 {
        Run::operational(1);
    }
}
