//! Frames that are lost, late, doubled or somebody else's, and boards that drop out.

use hil::wire::AlState;

use crate::bench::{Run, Trouble};

#[test]
fn a_lost_frame_costs_one_cycle_and_no_more() {
    let mut run = Run::operational(4);
    run.cycle();
    let before = run.image.inputs.clone();
    run.next(&[Some(Trouble::Lost), Some(Trouble::Lost)]);
    assert!(run.cycle().lost);
    assert_eq!(run.report.working_counter, 0);
    assert_eq!(run.image.inputs, before, "old inputs stay");
    assert!(!run.cycle().lost);
    assert!(run.all_op());
    assert_eq!(run.echo(2).0 as u64, run.cycle - 1);
}

#[test]
fn late_frames_are_never_taken_for_fresh_ones() {
    for cycles in 1..12 {
        let mut run = Run::operational(57);
        run.next(&[Some(Trouble::Late(cycles)); 2]);
        assert!(run.cycle().lost);
        for _ in 0..cycles + 2 {
            run.cycle();
            assert!(run.all_op());
            assert_eq!(run.echo(0).0 as u64, run.cycle - 1, "{cycles} cycles late");
        }
        assert_eq!(run.bus.statistics().late, 2);
    }
}

/// 13 boards take 16 datagrams a cycle, and ethercrab's index has 256 values: a frame that is 16 cycles late looks to it
/// like the one that it waits for.
#[test]
fn a_late_frame_with_the_index_of_a_new_one_is_not_taken_for_it() {
    let mut run = Run::operational(13);
    run.next(&[Some(Trouble::Late(16)), None]);
    assert!(run.cycle().lost);
    for _ in 0..20 {
        run.cycle();
        assert!(run.all_op());
        assert_eq!(run.echo(0).0 as u64, run.cycle - 1);
    }
    assert_eq!(run.bus.statistics().late, 1);
}

#[test]
fn doubled_strange_and_truncated_frames_are_counted() {
    let mut run = Run::operational(4);
    let before = run.bus.statistics();
    run.next(&[Some(Trouble::Twice), Some(Trouble::Stray)]);
    assert!(!run.cycle().lost);
    run.next(&[Some(Trouble::Truncated)]);
    assert!(run.cycle().lost);
    assert!(!run.cycle().lost);
    let after = run.bus.statistics();
    assert_eq!(after.duplicate - before.duplicate, 1);
    assert_eq!(after.stray - before.stray, 1);
    assert_eq!(after.malformed - before.malformed, 1);
    assert_eq!(after.foreign - before.foreign, 1);
}

#[test]
fn many_lost_frames_in_a_row_block_nothing() {
    let mut run = Run::operational(4);
    for _ in 0..100 {
        run.next(&[Some(Trouble::Lost), Some(Trouble::Lost), Some(Trouble::Lost)]);
        run.cycle();
        run.bench().troubles.clear();
    }
    // the watchdogs have tripped by then
    run.cycle();
    assert!(!run.report.lost);
}

#[test]
fn a_board_that_drops_out_is_known_at_once_and_its_inputs_stay() {
    let mut run = Run::operational(5);
    run.cycles(2);
    run.bench().segment.set_power(2, false);
    run.image.inputs[2].fill(0x5a);
    run.cycles(2);
    let here = Some(AlState::Op);
    assert_eq!(run.report.states, [here, here, None, here, here]);
    assert_eq!(run.report.working_counter + 3, run.report.expected);
    assert!(run.image.inputs[2].iter().all(|byte| *byte == 0x5a));
    assert_eq!(run.echo(3).0 as u64, run.cycle - 1);
}

#[test]
fn a_cut_cable_takes_all_boards_behind_it_and_heals() {
    let mut run = Run::operational(5);
    run.bench().segment.cut_after(Some(1));
    run.cycle();
    assert_eq!(run.report.states, [Some(AlState::Op), Some(AlState::Op), None, None, None]);
    run.bench().segment.cut_after(None);
    run.cycle();
    assert!(run.all_op());
}

#[test]
fn the_same_run_twice_gives_the_same_bytes() {
    let run = || {
        let mut run = Run::operational(10);
        run.next(&[None, None, Some(Trouble::Lost), None, Some(Trouble::Late(3)), Some(Trouble::Twice)]);
        run.cycles(20);
        (run.image, run.report, run.bus.statistics())
    };
    assert_eq!(run(), run());
}
