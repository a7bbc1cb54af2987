//! Registers of the emulated controllers: who may write what, and what reading and writing them does (ethercat.md 2.2).
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod esc_support;

use esc_support::{Bench, INPUTS, MAILBOX, OUTPUTS, STATION};
use hil::sii::checksum;
use hil::virtual_bus::Passage;
use hil::wire::{AlState, Command, FrameBuilder, physical, register as reg};

#[test]
fn each_register_is_written_as_far_as_it_may_be() {
    // address, what is written, working counter, what is read afterwards
    let table: [(u16, &[u8], u16, &[u8]); 22] = [
        (reg::TYPE, &[0xff; 4], 0, &[0x11, 0, 0, 0]),
        (reg::FMMU_COUNT, &[0xff; 4], 0, &[16, 16, 8, 0x0f]),
        (reg::FEATURES, &[0; 2], 0, &[0xfc, 0x01]),
        (reg::STATION_ALIAS, &[9, 9], 0, &[0x00, 0x01]),
        (reg::DL_CONTROL, &[1, 0, 7, 0], 1, &[1, 0, 7, 0]),
        (reg::DL_STATUS, &[0; 2], 0, &[0x13, 0x56]),
        (reg::AL_STATUS, &[8, 0], 0, &[1, 0]),
        (reg::AL_STATUS_CODE, &[8, 0], 0, &[0, 0]),
        (reg::PDI_CONTROL, &[8, 8], 0, &[5, 0]),
        (reg::EVENT_MASK, &[4, 0], 1, &[4, 0]),
        (reg::RX_ERRORS, &[9; 8], 1, &[0; 8]),
        (reg::WATCHDOG_DIVIDER, &[0xc4, 9], 1, &[0xc4, 9]),
        (reg::WATCHDOG_OUTPUTS, &[50, 0], 1, &[50, 0]),
        (reg::WATCHDOG_STATUS, &[1, 0], 0, &[0, 0]),
        (reg::SII_CONFIGURATION, &[0xff; 2], 1, &[3, 0]),
        (reg::FMMU, &[0xff; 16], 1, &[255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 7, 3, 1, 0, 0, 0]),
        (reg::SYNC_MANAGER, &[0xff; 8], 1, &[255, 255, 255, 255, 0x7f, 0, 0xc3, 1]),
        (reg::SYSTEM_TIME_OFFSET, &[1, 2, 3, 4, 5, 6, 7, 8], 1, &[1, 2, 3, 4, 5, 6, 7, 8]),
        (reg::TRANSMISSION_DELAY, &[1, 2, 3, 4], 1, &[1, 2, 3, 4]),
        (reg::TIME_DIFFERENCE, &[1, 2, 3, 4], 1, &[0; 4]),
        (reg::DIFFERENCE_FILTER, &[0x00, 0x0c], 1, &[0x00, 0x0c]),
        (reg::SYNC0_CYCLE, &[1, 2, 3, 4, 5, 6, 7, 8], 1, &[1, 2, 3, 4, 5, 6, 7, 8]),
    ];
    for (address, written, counted, found) in table {
        let mut bench = Bench::new(1);
        bench.address();
        assert_eq!(bench.write(0, address, written), counted, "{address:#06x}");
        assert_eq!(bench.read(0, address, found.len()), (1, found.to_vec()), "{address:#06x}");
    }
}

/// SOEM clears three FMMUs with one write of 48 bytes, and four sync managers with one of 32: status bytes included.
#[test]
fn one_write_spans_several_units() {
    let mut bench = Bench::in_op(3);
    assert_eq!(bench.send(Command::Bwr, physical(0, reg::FMMU), &[0; 48]).0, 3);
    assert_eq!(bench.send(Command::Lrw, 0, &[0; 84]).0, 0);
    assert_eq!(bench.send(Command::Bwr, physical(0, reg::SYNC_MANAGER), &[0; 32]).0, 3);
    assert_eq!(bench.read(0, reg::SYNC_MANAGER + 8, 8).1[..7], [0; 7]);
    let (state, code) = bench.state(0);
    assert_eq!((state, code), (0x11, 0x16), "a board whose sync managers are taken away leaves OP and says why");
    assert_eq!(bench.segment.device(0).unwrap().lost, 1);
}

#[test]
fn the_eeprom_is_read_eight_bytes_at_a_time_and_written_a_word_at_a_time() {
    let mut bench = Bench::new(1);
    bench.address();
    let image = bench.segment.esc(0).unwrap().sii().to_vec();
    let read = |bench: &mut Bench, word: u32| {
        let mut command = vec![0x00, 0x01];
        command.extend_from_slice(&word.to_le_bytes());
        assert_eq!(bench.write(0, reg::SII_CONTROL, &command), 1);
        assert_eq!(bench.read(0, reg::SII_CONTROL, 2).1, [0x40, 0x00], "not busy, no error, 8 bytes");
        bench.read(0, reg::SII_DATA, 8).1
    };
    assert_eq!(read(&mut bench, 8), image[16..24]);
    assert_eq!(read(&mut bench, 0xffff_ffff), [0xff; 8], "blank beyond the image");
    let write = |bench: &mut Bench, control: u8, word: u8, value: u16| {
        bench.write(0, reg::SII_DATA, &value.to_le_bytes());
        bench.write(0, reg::SII_CONTROL, &[control, 2, word, 0, 0, 0]);
        bench.read(0, reg::SII_CONTROL, 2).1[1]
    };
    assert_eq!(write(&mut bench, 0, 4, 0x0777), 0x40, "without the enable bit");
    assert_eq!(write(&mut bench, 1, 4, 0x0777), 0);
    assert_eq!(write(&mut bench, 1, 0xff, 0x0777), 0x20, "no such word");
    let image = bench.segment.esc(0).unwrap().sii().to_vec();
    assert_eq!((image[8], image[9], image[14]), (0x77, 0x07, checksum(&image[..14])), "the checksum follows");
    assert_eq!(bench.read(0, reg::STATION_ALIAS, 2).1, [0x00, 0x01], "the alias counts from power-up");
    bench.segment.set_power(0, false);
    bench.segment.set_power(0, true);
    bench.address();
    assert_eq!(bench.read(0, reg::STATION_ALIAS, 2).1, [0x77, 0x07]);
    bench.write(0, reg::SII_CONFIGURATION, &[1]);
    assert_eq!(bench.write(0, reg::SII_CONTROL, &[0, 1, 0, 0, 0, 0]), 0, "given away to the processor");
}

#[test]
fn a_mailbox_takes_one_message_and_gives_one() {
    let mut bench = Bench::in_op(1);
    let message = |text: u8| {
        let mut bytes = vec![4, 0, 0, 0, 0, 3, text, text, text, text];
        bytes.resize(usize::from(MAILBOX[1]), 0);
        bytes
    };
    let full = |bench: &mut Bench, channel: u16| bench.read(0, reg::SYNC_MANAGER + 8 * channel + 5, 1).1[0];
    assert_eq!(bench.read(0, MAILBOX[2], 128).0, 0, "empty");
    assert_eq!(bench.write(0, MAILBOX[0] + 1, &message(1)[1..]), 0, "a message begins at the first byte");
    assert_eq!(bench.write(0, MAILBOX[0], &message(1)[..10]), 1);
    assert_eq!(bench.segment.device(0).unwrap().mails, 0, "it ends with the last byte");
    assert_eq!(bench.write(0, MAILBOX[0] + 127, &[0]), 1);
    assert_eq!((bench.segment.device(0).unwrap().mails, full(&mut bench, 1)), (1, 8));
    assert_eq!(bench.write(0, MAILBOX[0], &message(2)), 1);
    assert_eq!(bench.write(0, MAILBOX[0], &message(3)), 1, "waits for room for the second answer");
    assert_eq!((bench.segment.device(0).unwrap().mails, full(&mut bench, 0)), (2, 8));
    assert_eq!(bench.write(0, MAILBOX[0], &message(4)), 0, "full");
    for text in 1..=3 {
        assert_eq!(bench.read(0, MAILBOX[2], 128), (1, message(text)));
    }
    assert_eq!((bench.read(0, MAILBOX[2], 128).0, full(&mut bench, 1)), (0, 0));
}

#[test]
fn an_answer_that_got_lost_is_repeated_and_later_ones_keep_their_order() {
    let mut bench = Bench::in_op(1);
    let message = |text: u8| [vec![1, 0, 0, 0, 0, 3, text], vec![0; 121]].concat();
    for text in 1..=3 {
        assert_eq!(bench.write(0, MAILBOX[0], &message(text)), 1);
    }
    assert_eq!(bench.read(0, MAILBOX[2], 128).1[6], 1);
    for toggle in [2, 0] {
        bench.write(0, reg::SYNC_MANAGER + 8 + 6, &[1 | toggle]);
        assert_eq!(bench.read(0, reg::SYNC_MANAGER + 8 + 7, 1).1, [toggle], "acknowledged");
        assert_eq!(bench.read(0, MAILBOX[2], 128).1[6], 1, "again");
    }
    assert_eq!(bench.read(0, MAILBOX[2], 128).1[6], 2);
    assert_eq!(bench.read(0, MAILBOX[2], 128).1[6], 3);
    assert_eq!(bench.read(0, MAILBOX[2], 128).0, 0);
}

#[test]
fn bits_are_mapped_to_bits() {
    let mut bench = Bench::new(1);
    bench.address();
    let user = reg::USER_RAM;
    // 11 bits from logical bit 3 to physical bit 6, both ways
    let mut unit = Bench::fmmu(0x100, 2, user, 3);
    (unit[6], unit[7], unit[10]) = (3, 5, 6);
    bench.write(0, reg::FMMU, &unit);
    bench.write(0, user, &[0xff, 0x00, 0xff]);
    let (counted, data) = bench.send(Command::Lrd, 0x100, &[0, 0]);
    assert_eq!(counted, 1);
    // physical bits 6..17: 1 1 | 0 0 0 0 0 0 0 0 | 1
    assert_eq!(data, [0b0001_1000, 0b0010_0000]);
    assert_eq!(bench.send(Command::Lwr, 0x100, &[0b1010_0111, 0b1101_0110]).0, 1);
    // logical bits 3..14: 0 0 1 0 1 | 0 1 1 0 1 0
    assert_eq!(bench.read(0, user, 3).1, [0b0011_1111, 0b1011_0101, 0b1111_1110]);
    assert_eq!(bench.send(Command::Lrd, 0x102, &[0]).0, 0);
}

#[test]
fn the_mailbox_status_can_be_mapped_into_the_process_data() {
    let mut bench = Bench::in_op(1);
    bench.write(0, reg::FMMU + 32, &Bench::fmmu(0x4000, 1, 0x080d, 1));
    assert_eq!(bench.send(Command::Lrd, 0x4000, &[0]), (1, vec![0]));
    bench.write(0, MAILBOX[0], &[0; 128]);
    assert_eq!(bench.send(Command::Lrd, 0x4000, &[0]), (1, vec![8]));
}

#[test]
fn process_data_is_shut_below_safe_op() {
    let mut bench = Bench::in_op(1);
    assert_eq!(bench.send(Command::Lrw, 0, &[0; 28]).0, 3);
    assert_eq!(bench.request(0, 4), (4, 0));
    assert_eq!(bench.send(Command::Lrw, 0, &[0; 28]).0, 3, "SAFE-OP counts the same");
    let seen = bench.segment.device(0).unwrap().outputs_seen;
    assert_eq!(seen, 1, "but outputs count in OP only");
    assert_eq!(bench.request(0, 2), (2, 0));
    assert_eq!(bench.send(Command::Lrw, 0, &[0; 28]).0, 0);
    assert_eq!(bench.read(0, reg::SYNC_MANAGER + 23, 1).1, [1], "the processor keeps it shut");
    assert_eq!((bench.read(0, INPUTS, 16).0, bench.write(0, OUTPUTS, &[0; 12])), (0, 0));
}

#[test]
fn the_outputs_watchdog_takes_a_board_to_safe_op() {
    let mut bench = Bench::in_op(2);
    for board in 0..2 {
        bench.write(board, reg::WATCHDOG_OUTPUTS, &[50, 0]);
    }
    let status = |bench: &mut Bench, board| bench.read(board, reg::WATCHDOG_STATUS, 3).1;
    bench.send(Command::Lrw, 0, &[0; 56]);
    assert_eq!(status(&mut bench, 1), [1, 0, 0]);
    bench.now += 4_900_000;
    bench.send(Command::Lrw, 0, &[0; 28]);
    bench.segment.tick(bench.now + 99_000);
    assert_eq!(bench.state(1), (8, 0), "5 ms have not passed");
    bench.now += 101_000;
    assert_eq!(bench.state(1), (0x14, 0x1b), "a late frame finds the watchdog expired, tick or no tick");
    assert_eq!((bench.state(0), bench.segment.device(1).unwrap().lost), ((8, 0), 1));
    assert_eq!(status(&mut bench, 1), [0, 0, 1]);
    bench.send(Command::Lrw, 0, &[0; 56]);
    assert_eq!(status(&mut bench, 1), [1, 0, 1]);
    assert_eq!(bench.request(1, 0x18), (8, 0), "acknowledged and back");
    bench.now += 4_999_000;
    bench.send(Command::Lwr, 0, &[0; 56]);
    bench.write(1, reg::WATCHDOG_OUTPUTS_EXPIRED, &[0]);
    assert_eq!(status(&mut bench, 1), [1, 0, 0]);
    bench.write(1, reg::WATCHDOG_OUTPUTS, &[0, 0]);
    bench.segment.tick(bench.now + 1_000_000_000);
    assert_eq!(bench.segment.esc(1).unwrap().al_state(), AlState::Op, "switched off");
}

#[test]
fn events_are_reported_in_datagrams_where_they_are_asked_for() {
    let mut bench = Bench::in_op(2);
    let interrupt = |bench: &mut Bench| {
        let mut frame = FrameBuilder::new().datagram(Command::Nop, 0, 0, &[0]).finish();
        assert_eq!(bench.segment.process(&mut frame, bench.now), Passage::Returned);
        u16::from_le_bytes([frame[24], frame[25]])
    };
    bench.state(1);
    assert_eq!(interrupt(&mut bench), 0);
    bench.write(1, reg::EVENT_MASK, &[0xff, 0xff]);
    bench.read(1, reg::DL_STATUS, 2);
    bench.write(1, MAILBOX[0], &[0; 128]);
    assert_eq!(interrupt(&mut bench), 0x20, "sync manager 1 is full");
    bench.request(1, 4);
    bench.write(1, reg::AL_CONTROL, &[4, 0]);
    assert_eq!(interrupt(&mut bench), 0x28, "and the state was set");
    assert_eq!(bench.read(1, reg::EVENT_REQUEST, 2).1, [0x28, 0]);
}

#[test]
fn without_power_all_but_the_eeprom_is_forgotten() {
    let mut bench = Bench::in_op(3);
    bench.segment.set_power(1, false);
    assert_eq!(bench.segment.device(1).unwrap().lost, 1);
    assert_eq!(bench.send(Command::Brd, physical(0, 0), &[0]).0, 2, "frames pass it by");
    assert_eq!(bench.send(Command::Lrw, 0, &[0; 84]).0, 6);
    bench.segment.set_power(1, true);
    assert_eq!(bench.segment.device(1).unwrap().powered, 1);
    assert_eq!(bench.send(Command::Brd, physical(0, 0), &[0]).0, 3);
    assert_eq!(bench.send(Command::Aprd, physical(0xffff, reg::STATION_ADDRESS), &[0; 2]).1, [0, 0]);
    assert_eq!(bench.send(Command::Brd, physical(0, reg::AL_STATUS), &[0; 2]).1, [9, 0], "INIT among OP");
    bench.send(Command::Apwr, physical(0xffff, reg::STATION_ADDRESS), &(STATION + 1).to_le_bytes());
    bench.configure(1);
    for state in [2, 4, 8] {
        assert_eq!(bench.request(1, state), (state, 0));
    }
    bench.write(1, reg::SYNC_MANAGER, &bench.manager(0));
    assert_eq!(bench.send(Command::Lrw, 0, &[0; 84]).0, 9);
}
