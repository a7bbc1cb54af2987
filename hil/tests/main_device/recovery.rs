//! Boards that come back while the others go on.

use hil::exchange::Exchange;
use hil::wire::{AlCode, AlState};

use crate::bench::Run;

fn reset(run: &mut Run, board: usize) {
    run.bench().segment.set_power(board, false);
    run.bench().segment.set_power(board, true);
}

#[test]
fn a_board_that_was_reset_comes_back_to_op() {
    let mut run = Run::operational(6);
    run.cycles(2);
    reset(&mut run, 3);
    run.cycle();
    assert_eq!(run.report.states[3], None);
    let others = run.echo(0).1;
    run.bus.recover(3).unwrap();
    assert!(run.echo(0).1 >= others);
    run.cycles(2);
    assert!(run.all_op(), "{:?}", run.report);
    assert_eq!(run.echo(3).0 as u64, run.cycle - 1);
    let objects = run.bench().segment.device(3).unwrap().cpu.objects();
    assert_eq!(objects.get(objects.slot(0x4000, 0).unwrap()), 0x1234, "its parameters too");
}

#[test]
fn several_boards_come_back_in_any_order() {
    for order in [[1, 2, 4], [4, 2, 1], [2, 1, 4]] {
        let mut run = Run::operational(6);
        order.iter().for_each(|board| reset(&mut run, *board));
        run.cycle();
        order.iter().for_each(|board| run.bus.recover(*board).unwrap());
        run.cycles(2);
        assert!(run.all_op(), "{:?}", run.report);
    }
}

#[test]
fn all_boards_come_back_one_by_one() {
    let mut run = Run::operational(3);
    (0..3).for_each(|board| reset(&mut run, board));
    run.cycle();
    assert_eq!(run.report.states, [None; 3]);
    (0..3).for_each(|board| run.bus.recover(board).unwrap());
    run.cycles(2);
    assert!(run.all_op(), "{:?}", run.report);
    assert!(run.report.clock_difference.is_some());
}

#[test]
fn a_board_that_left_op_comes_back() {
    let mut run = Run::operational(4);
    run.bench().segment.raise_al_error(1, AlCode::SYNC_ERROR);
    run.cycle();
    assert_eq!(run.report.states[1], Some(AlState::SafeOp));
    assert_eq!(run.bus.diagnose(1), Some((AlState::SafeOp, AlCode::SYNC_ERROR)));
    run.bus.recover(1).unwrap();
    run.cycles(2);
    assert!(run.all_op(), "{:?}", run.report);
}

#[test]
fn a_board_without_power_is_named() {
    let mut run = Run::operational(4);
    run.bench().segment.set_power(1, false);
    run.cycle();
    let message = run.bus.recover(1).unwrap_err().to_string();
    assert!(message.contains("board_1") && message.contains("does not answer"), "{message}");
    run.cycle();
    assert_eq!(run.report.states[2], Some(AlState::Op), "the others go on");
}

#[test]
fn a_board_that_refuses_op_says_why() {
    let mut run = Run::operational(4);
    reset(&mut run, 2);
    run.bench().segment.device_mut(2).unwrap().refuses = Some((AlState::Op, AlCode::LOCAL_RESTART));
    let message = run.bus.recover(2).unwrap_err().to_string();
    assert!(message.contains("board_2") && message.contains("0x0060"), "{message}");
}

#[test]
fn emergencies_do_not_keep_a_board_out() {
    let mut run = Run::operational(3);
    reset(&mut run, 1);
    run.bench().segment.device_mut(1).unwrap().emergencies = 1;
    run.bus.recover(1).unwrap();
    run.cycles(2);
    assert!(run.all_op(), "{:?}", run.report);
}
