//! What each command adds to the working counter, and what it does with data and addresses (ethercat.md 2.3).
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod esc_support;

use esc_support::{Bench, INPUTS, OUTPUTS, STATION};
use hil::virtual_bus::Passage;
use hil::wire::{Command, Datagrams, FrameBuilder, physical, register as reg};

const USER: u16 = reg::USER_RAM;

#[test]
fn every_command_counts_as_the_standard_says() {
    let position = |board: u16, memory| physical(0_u16.wrapping_sub(board), memory);
    let station = |board: u16, memory| physical(STATION + board, memory);
    let (outputs, inputs) = Bench::logical(1);
    let table: [(Command, u32, usize, u16, &str); 27] = [
        (Command::Nop, physical(0, USER), 2, 0, "nothing"),
        (Command::Aprd, position(1, USER), 2, 1, "one reads"),
        (Command::Apwr, position(2, USER), 2, 1, "one writes"),
        (Command::Aprw, position(0, USER), 2, 3, "one reads and writes"),
        (Command::Aprd, position(3, USER), 2, 0, "there are only three"),
        (Command::Fprd, station(0, USER), 2, 1, "one reads"),
        (Command::Fpwr, station(2, USER), 2, 1, "one writes"),
        (Command::Fprw, station(1, USER), 2, 3, "one reads and writes"),
        (Command::Fprd, station(3, USER), 2, 0, "no such station"),
        (Command::Brd, physical(0, USER), 2, 3, "all read"),
        (Command::Bwr, physical(0, USER), 2, 3, "all write"),
        (Command::Brw, physical(0, USER), 2, 9, "all read and write"),
        (Command::Armw, position(1, USER), 2, 3, "one reads, two write"),
        (Command::Frmw, station(1, USER), 2, 3, "one reads, two write"),
        (Command::Frmw, station(9, USER), 2, 3, "nobody reads, all write"),
        (Command::Lrd, outputs, 12, 0, "outputs are not read"),
        (Command::Lrd, inputs, 16, 1, "one reads"),
        (Command::Lwr, outputs, 12, 1, "one writes"),
        (Command::Lwr, inputs, 16, 0, "inputs are not written"),
        (Command::Lrw, 0, 84, 9, "all read and write"),
        (Command::Lrw, outputs, 12, 2, "one writes"),
        (Command::Lrw, inputs, 16, 1, "one reads"),
        (Command::Lrw, 0x0100_0000, 84, 0, "nobody maps this"),
        (Command::Fpwr, station(0, reg::AL_STATUS), 2, 0, "read-only"),
        (Command::Fpwr, station(0, reg::TIME_DIFFERENCE), 4, 1, "accepted and ignored"),
        (Command::Fprd, station(0, 0x3000), 2, 0, "no memory there"),
        (Command::Fprd, station(0, 0x2fff), 2, 1, "one byte is there"),
    ];
    for (command, address, length, expected, why) in table {
        let mut bench = Bench::in_op(3);
        let (counted, _) = bench.send(command, address, &vec![0; length]);
        assert_eq!(counted, expected, "{command:?} {address:#010x}: {why}");
    }
}

#[test]
fn buffers_open_at_their_first_byte_and_only_in_their_direction() {
    let mut bench = Bench::in_op(1);
    assert_eq!(bench.read(0, OUTPUTS, 12).0, 0, "outputs belong to the processor");
    assert_eq!(bench.write(0, INPUTS, &[0; 16]), 0, "inputs too");
    assert_eq!(bench.read(0, INPUTS + 4, 4).0, 0, "not opened");
    assert_eq!(bench.read(0, INPUTS, 4), (1, vec![0xa5; 4]));
    assert_eq!(bench.read(0, INPUTS + 4, 12).0, 1, "opened, and closed by the last byte");
    assert_eq!(bench.read(0, INPUTS + 4, 12).0, 0);
    assert_eq!(bench.read(0, INPUTS + 16, 8).0, 0, "the second buffer is not seen");
    assert_eq!(bench.write(0, OUTPUTS, &[1; 6]), 1);
    assert_eq!(bench.segment.device(0).unwrap().outputs_seen, 0);
    assert_eq!(bench.write(0, OUTPUTS + 6, &[2; 6]), 1);
    assert_eq!(bench.segment.device(0).unwrap().outputs, [[1; 6], [2; 6]].concat());
}

#[test]
fn a_board_that_straddles_two_frames_counts_in_both() {
    let mut bench = Bench::in_op(2);
    assert_eq!(bench.send(Command::Lrw, 0, &[0; 34]).0, 3 + 2);
    assert_eq!(bench.send(Command::Lrw, 34, &[0; 22]).0, 2 + 1);
}

#[test]
fn outputs_arrive_and_inputs_come_back_in_the_same_frame() {
    let mut bench = Bench::in_op(3);
    bench.segment.devices_mut().enumerate().for_each(|(board, device)| device.pattern = 10 + board as u8);
    let out: Vec<u8> = (0..84).collect();
    let (_, data) = bench.send(Command::Lrw, 0, &out);
    for board in 0..3 {
        let (outputs, inputs) = (28 * board, 28 * board + 12);
        assert_eq!(bench.segment.device(board).unwrap().outputs, out[outputs..outputs + 12]);
        assert_eq!(data[outputs..inputs], out[outputs..inputs], "outputs pass through");
        assert_eq!(data[inputs..inputs + 16], [10 + board as u8; 16]);
    }
}

#[test]
fn positions_count_up_reads_combine_and_exchanges_swap() {
    let mut bench = Bench::in_op(3);
    for board in 0..3 {
        bench.write(board, USER, &[1 << board, 0]);
    }
    assert_eq!(bench.send(Command::Brd, physical(0, USER), &[0x80, 0]).1, [0x87, 0]);
    assert_eq!(bench.send(Command::Fprw, physical(STATION, USER), &[9, 9]).1, [1, 0]);
    assert_eq!(bench.read(0, USER, 2).1, [9, 9]);
    assert_eq!(bench.send(Command::Brw, physical(0, USER), &[0x40, 0]).1, [0x4f, 9]);
    assert_eq!(bench.read(0, USER, 2).1, [0x40, 0], "the first board gets what was sent");
    assert_eq!(bench.read(2, USER, 2).1, [0x4b, 9], "the third what passed the second");
    bench.write(1, USER, &[7, 7]);
    bench.send(Command::Frmw, physical(STATION + 1, USER), &[5, 5]);
    assert_eq!((bench.read(0, USER, 2).1, bench.read(2, USER, 2).1), (vec![5, 5], vec![7, 7]));
    let mut frame = FrameBuilder::new()
        .datagram(Command::Brd, 1, physical(0xfffe, 0), &[0])
        .datagram(Command::Fprd, 2, physical(STATION, 0), &[0])
        .finish();
    assert_eq!(bench.segment.process(&mut frame, 0), Passage::Returned);
    let stations: Vec<u16> = Datagrams::new(&mut frame).unwrap().map(|datagram| datagram.station()).collect();
    assert_eq!(stations, [1, STATION], "each board adds one to a position, none to a station");
}

#[test]
fn foreign_and_broken_frames_are_left_as_they_are() {
    let mut bench = Bench::in_op(2);
    let mut foreign = vec![0x42; 60];
    assert_eq!(bench.segment.process(&mut foreign, 0), Passage::Foreign);
    assert_eq!(foreign, vec![0x42; 60]);
    let sent = FrameBuilder::new().datagram(Command::Bwr, 0, physical(0, USER), &[9; 40]).finish();
    let changes: [fn(&mut Vec<u8>); 3] =
        [|frame| frame.truncate(40), |frame| frame[22] = 0xff, |frame| frame[23] |= 0x80];
    for change in changes {
        let mut frame = sent.clone();
        change(&mut frame);
        let before = frame.clone();
        assert!(matches!(bench.segment.process(&mut frame, 0), Passage::Malformed(_)));
        assert_eq!(frame, before);
    }
    assert_eq!(bench.read(0, USER, 1).1, [0]);
    let mut unknown = sent.clone();
    unknown[16] = 99;
    let before = unknown.clone();
    assert_eq!(bench.segment.process(&mut unknown, 0), Passage::Returned);
    assert_eq!(unknown[7..], before[7..], "a command that does not exist passes like NOP");
}

#[test]
fn an_alias_answers_once_it_is_switched_on_and_a_shifted_counter_is_visible() {
    let mut bench = Bench::in_op(2);
    let alias = physical(0x101, USER);
    assert_eq!(bench.send(Command::Fprd, alias, &[0]).0, 0);
    bench.send(Command::Bwr, physical(0, reg::DL_CONTROL + 3), &[1]);
    assert_eq!(bench.send(Command::Fprd, alias, &[0]).0, 1);
    assert_eq!(bench.send(Command::Lrw, 0, &[0; 56]).0, 6);
    bench.segment.shift_working_counter(1, -3);
    assert_eq!(bench.send(Command::Lrw, 0, &[0; 56]).0, 3);
}
