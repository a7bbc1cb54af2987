//! What MainDevices do that ethercrab and SOEM do not: habits of IgH, TwinCAT, acontis, CODESYS and KickCAT, as anyone sees
//! them on a cable, played against boards in memory (ETG.1000.4, ETG.1000.6, ETG.2100 for the commands of an ENI file).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

#[path = "main_device/bench.rs"]
mod bench;
mod wire_support;

use hil::wire::{AlState, Command, FrameBuilder, physical, register as reg};
use wire_support::{INPUTS, MAIL_IN, MAIL_OUT, OUTPUTS, SIZES, Wire};

const BOARDS: usize = 5;

#[test]
fn a_scan_reads_what_each_controller_says_of_itself() {
    let mut wire = Wire::new(BOARDS);
    assert_eq!(usize::from(wire.broadcast(Command::Brd, reg::AL_STATUS, &[0; 2]).0), BOARDS);
    assert_eq!(usize::from(wire.broadcast(Command::Bwr, reg::STATION_ADDRESS, &[0; 2]).0), BOARDS);
    for place in 0..BOARDS {
        let (count, about) = wire.at_place(Command::Aprd, place, reg::TYPE, &[0; 12]);
        // type, revision, build, FMMUs, sync managers, KiB of memory, ports, features
        assert_eq!((count, &about[..]), (1, &[0x11, 0, 0, 0, 16, 16, 8, 0x0f, 0xfc, 0x01, 0, 0][..]));
        let (_, link) = wire.at_place(Command::Aprd, place, reg::DL_STATUS, &[0; 2]);
        let last = place + 1 == BOARDS;
        assert_eq!(u16::from_le_bytes([link[0], link[1]]) & 0x00f0, if last { 0x10 } else { 0x30 });
        for (memory, length) in [(reg::AL_STATUS, 6), (reg::PDI_CONTROL, 2), (reg::RX_ERRORS, 20)] {
            assert_eq!(wire.at_place(Command::Aprd, place, memory, &vec![0; length]).0, 1, "{memory:#06x}");
        }
    }
    assert_eq!(wire.at_place(Command::Aprd, BOARDS, reg::TYPE, &[0; 1]).0, 0, "behind the last board nobody answers");
}

/// Four bytes to 0x0502 (the upper half of the address stays), ten bytes back until nothing is busy, two or four words used.
#[test]
fn the_eeprom_is_read_word_by_word_up_to_the_end_of_its_categories() {
    let mut wire = Wire::addressed(2);
    let mut word = |at: u16| {
        let [low, high] = at.to_le_bytes();
        assert_eq!(wire.write(1, reg::SII_CONTROL, &[0x80, 0x01, low, high]), 1);
        let (count, answer) = wire.read(1, reg::SII_CONTROL, 10);
        assert_eq!((count, answer[1] & 0xf8), (1, 0), "neither busy nor an error");
        assert_ne!(answer[0] & 0x40, 0, "eight bytes at once");
        u16::from_le_bytes([answer[6], answer[7]])
    };
    let mut at = 0x40;
    let mut kinds = Vec::new();
    while word(at) != 0xffff {
        kinds.push(word(at));
        at += 2 + word(at + 1);
    }
    assert_eq!(kinds, [10, 30, 40, 41, 50, 51, 60]);
    assert!(2 * at < (word(0x3e) + 1) * 128, "within the size it states");
    let image = wire.segment.esc(1).unwrap().sii().to_vec();
    let mut word = |at: u16| {
        wire.write(1, reg::SII_CONTROL, &[0x80, 0x01, at as u8, (at >> 8) as u8, 0, 0]);
        wire.read(1, reg::SII_DATA, 8).1
    };
    for at in (0..image.len() as u16 / 2).step_by(4) {
        assert_eq!(word(at), image[2 * usize::from(at)..][..8], "word {at:#x}");
    }
    assert_eq!(word(0x4000), [0xff; 8], "behind its end it is blank");
}

#[test]
fn all_eeproms_are_asked_by_one_broadcast() {
    let mut wire = Wire::addressed(BOARDS);
    assert_eq!(wire.broadcast(Command::Bwr, reg::SII_CONFIGURATION, &[2, 0]).0, 5);
    assert_eq!(wire.broadcast(Command::Bwr, reg::SII_CONFIGURATION, &[0, 0]).0, 5);
    assert_eq!(wire.broadcast(Command::Bwr, reg::SII_CONTROL, &[0, 1, 0x0e, 0, 0, 0]).0, 5, "the serial number");
    let read = |wire: &mut Wire, memory, length| {
        let ask = |board| (Command::Fprd, physical(Wire::station(board), memory), vec![0; length]);
        wire.frame(&(0..BOARDS).map(ask).collect::<Vec<_>>())
    };
    assert!(read(&mut wire, reg::SII_CONTROL, 2).iter().all(|(count, status)| *count == 1 && status[1] & 0x80 == 0));
    let serials: Vec<u8> = read(&mut wire, reg::SII_DATA, 4).iter().map(|(_, data)| data[0]).collect();
    assert_eq!(serials, [1, 2, 3, 4, 5]);
}

#[test]
fn an_eeprom_that_belongs_to_the_processor_is_out_of_reach_until_it_is_taken_back() {
    let mut wire = Wire::addressed(1);
    assert_eq!(wire.write(0, reg::SII_CONFIGURATION, &[1]), 1);
    assert_eq!(wire.write(0, reg::SII_CONTROL, &[0, 1, 8, 0, 0, 0]), 0);
    assert_eq!(wire.write(0, reg::SII_CONFIGURATION, &[0]), 1);
    assert_eq!(wire.write(0, reg::SII_CONTROL, &[0, 1, 8, 0, 0, 0]), 1);
    assert_eq!(wire.read(0, reg::SII_DATA, 4).1, bench::VENDOR.to_le_bytes());
}

/// The broadcasts at the head of every ENI file, in its lengths: some reach over registers that do not exist.
#[test]
fn the_commands_of_an_eni_file_are_all_counted_and_leave_boards_that_start() {
    let mut wire = Wire::new(BOARDS);
    let head: [(u16, Vec<u8>); 13] = [
        (reg::DL_CONTROL + 1, vec![0]),
        (reg::DL_CONTROL + 3, vec![0]),
        (reg::EVENT_MASK, vec![4, 0]),
        (reg::STATION_ADDRESS, vec![0, 0]),
        (reg::RX_ERRORS, vec![0; 8]),
        (reg::FMMU, vec![0; 256]),
        (reg::SYNC_MANAGER, vec![0; 256]),
        (reg::SYSTEM_TIME, vec![0; 32]),
        (reg::SYNC_ACTIVATION, vec![0]),
        (reg::SPEED_COUNTER_START, vec![0, 0x10]),
        (reg::DIFFERENCE_FILTER, vec![0, 0x0c]),
        (reg::WATCHDOG_DIVIDER, 2_498_u16.to_le_bytes().to_vec()),
        (reg::AL_CONTROL, vec![0x11, 0]),
    ];
    for (memory, data) in head {
        assert_eq!(usize::from(wire.broadcast(Command::Bwr, memory, &data).0), BOARDS, "{memory:#06x}");
    }
    wire.address();
    wire.bring_to_op();
}

#[test]
fn inputs_and_outputs_go_by_commands_of_their_own() {
    let mut wire = Wire::in_op(BOARDS);
    let (out, back) = SIZES;
    let told: Vec<u8> = (0..BOARDS * out).map(|byte| byte as u8).collect();
    let count = BOARDS as u16;
    assert_eq!(wire.send(Command::Lwr, Wire::logical(0).0, &told).0, count);
    let (counted, heard) = wire.send(Command::Lrd, Wire::logical(0).1, &vec![0; BOARDS * back]);
    assert_eq!(counted, count);
    for board in 0..BOARDS {
        assert_eq!(heard[back * board..][..out], told[out * board..][..out], "board {board} echoes");
    }
    assert_eq!(wire.send(Command::Lrd, Wire::logical(0).0, &told).0, 0, "outputs are not read");
    assert_eq!(wire.send(Command::Lwr, Wire::logical(0).1, &heard).0, 0, "inputs are not written");
    assert_eq!(wire.send(Command::Lrw, 0x4000_0000, &[0; 8]).0, 0, "nobody's memory");
}

#[test]
fn outputs_and_inputs_may_share_their_logical_addresses() {
    let mut wire = Wire::in_op(1);
    let (out, back) = SIZES;
    let units = [Wire::fmmu(0x9000, out as u16, OUTPUTS, 2), Wire::fmmu(0x9000, back as u16, INPUTS, 1)].concat();
    assert_eq!(wire.write(0, reg::FMMU, &units), 1);
    for round in 1..4_u8 {
        let (count, heard) = wire.send(Command::Lrw, 0x9000, &vec![round; back]);
        assert_eq!(count, 3);
        assert_eq!(heard[0], round - 1, "what comes back was ready before what went out arrived");
    }
}

/// One bit of logical memory is the full flag of the mailbox (0x080D bit 3): acontis, CODESYS, TwinCAT poll boards so.
#[test]
fn a_full_mailbox_shows_in_a_bit_of_the_process_image() {
    let mut wire = Wire::in_op(2);
    for board in 0..2_u8 {
        let at = 0x0800_0000_u32.to_le_bytes();
        let unit = [&at[..], &[1, 0, board, board, 0x0d, 0x08, 3, 1, 1, 0, 0, 0]].concat();
        assert_eq!(wire.write(usize::from(board), reg::FMMU + 0x20, &unit), 1);
    }
    assert_eq!(wire.send(Command::Lrd, 0x0800_0000, &[0]), (2, vec![0]));
    wire.post(1, &wire_support::upload(0x1018, 1));
    assert_eq!(wire.send(Command::Lrd, 0x0800_0000, &[0]), (2, vec![2]));
    assert!(wire.fetch(1).is_some());
    assert_eq!(wire.send(Command::Lrd, 0x0800_0000, &[0]), (2, vec![0]));
}

#[test]
fn a_mailbox_is_polled_by_all_of_its_sync_manager_and_empty_reads_do_not_count() {
    let mut wire = Wire::in_op(1);
    let full = |wire: &mut Wire| wire.read(0, reg::SYNC_MANAGER + 8, 8).1[5] & 8 != 0;
    assert!(!full(&mut wire));
    assert_eq!(wire.read(0, MAIL_IN, 128).0, 0);
    wire.post(0, &wire_support::upload(0x1008, 0));
    assert!(full(&mut wire));
    assert_eq!(wire.write(0, MAIL_OUT, &[0; 128]), 1, "the answer waits, the next request is taken");
    let answer = wire.fetch(0).unwrap();
    assert_eq!(&answer[16..][..7], b"board_0");
    // the answer is lost on the way: asked for once more by the repeat bit, which the board mirrors
    assert_eq!(wire.write(0, reg::SYNC_MANAGER + 8 + 6, &[3]), 1);
    assert_eq!(wire.read(0, reg::SYNC_MANAGER + 8 + 7, 1).1, [2]);
    assert_eq!(wire.fetch(0), Some(answer));
}

/// List, description of every object, description of every part up to the last, value of every part that there is.
#[test]
fn the_whole_dictionary_is_read_without_an_error() {
    let mut wire = Wire::in_op(1);
    let list = wire.information(0, 1, &[1, 0]);
    let indices: Vec<u16> = list[2..].chunks(2).map(|word| u16::from_le_bytes([word[0], word[1]])).collect();
    assert!(indices.len() > 15 && indices.is_sorted(), "{indices:x?}");
    let mut values = 0;
    for index in indices {
        let [low, high] = index.to_le_bytes();
        let object = wire.information(0, 3, &[low, high]);
        let (last, code) = (object[4], object[5]);
        assert!([7, 8, 9].contains(&code) && object.len() > 6, "{index:#06x}: a code and a name");
        assert_eq!(code == 7, last == 0, "{index:#06x}");
        for sub in 0..=last {
            let part = wire.information(0, 5, &[low, high, sub, 0]);
            let bits = u16::from_le_bytes([part[6], part[7]]);
            let readable = part[8] & 7 != 0;
            assert_eq!(bits > 0, readable || part.len() > 10, "{index:#06x}:{sub}: a gap has nothing");
            if readable {
                assert!(wire.upload(0, index, sub).is_ok(), "{index:#06x}:{sub}");
                values += 1;
            }
        }
    }
    assert!(values > 100, "{values}");
}

#[test]
fn assignments_are_read_and_written_as_a_whole() {
    let mut wire = Wire::in_op(1);
    wire.broadcast(Command::Bwr, reg::AL_CONTROL, &[2, 0]);
    let assigned = wire.upload_all(0, 0x1c12).unwrap();
    assert_eq!(assigned, [1, 0, 0x00, 0x16]);
    assert_eq!(wire.upload_all(0, 0x1a00).unwrap().len(), 2 + 4 * usize::from(bench::INPUT_WORDS));
    assert_eq!(wire.download_all(0, 0x1c12, &assigned), Ok(()));
    // 32 parts, of which some do not exist: still one transfer, by segments
    assert!(wire.upload_all(0, 0x1c32).unwrap().len() > 20);
    assert_eq!(wire.upload_all(0, 0x1000), Err(0x0601_0000), "a plain object has no parts");
}

/// IgH's way: 24 bytes from 0x0910 at once, offset and delay in one write of 12, ARMW of four bytes for the drift.
#[test]
fn clocks_are_set_by_32_bits_and_followed() {
    let mut wire = Wire::addressed(BOARDS);
    assert_eq!(wire.broadcast(Command::Bwr, reg::RECEIVE_TIMES, &[0; 4]).0, 5);
    let goal = 700_000_000_000_u64;
    for board in 0..BOARDS {
        let (_, ports) = wire.read(board, reg::RECEIVE_TIMES, 16);
        let port = |n: usize| u32::from_le_bytes(ports[4 * n..][..4].try_into().unwrap());
        let behind = BOARDS - 1 - board;
        assert!(behind == 0 || port(1).wrapping_sub(port(0)) == 600 * behind as u32, "loop time of board {board}");
        let (_, clock) = wire.read(board, reg::SYSTEM_TIME, 24);
        let time = |at: usize| u64::from_le_bytes(clock[at..][..8].try_into().unwrap());
        let offset = goal.wrapping_sub(time(0).wrapping_sub(time(16)));
        let delay = 300 * board as u32;
        let settings = [&offset.to_le_bytes()[..], &delay.to_le_bytes()].concat();
        assert_eq!(wire.write(board, reg::SYSTEM_TIME_OFFSET, &settings), 1);
    }
    wire.broadcast(Command::Bwr, reg::SPEED_COUNTER_START, &[0, 0x10]);
    wire.segment.set_drift(3, 40.0);
    for _ in 0..3_000 {
        wire.pause(1_000_000);
        assert_eq!(wire.at_place(Command::Armw, 0, reg::SYSTEM_TIME, &[0; 4]).0, 5);
    }
    for board in 0..BOARDS {
        let difference = u32::from_le_bytes(wire.read(board, reg::TIME_DIFFERENCE, 4).1.try_into().unwrap());
        assert!(difference & 0x7fff_ffff < 100, "board {board} is off by {difference:#x} ns");
    }
    let bits = wire.broadcast(Command::Brd, reg::TIME_DIFFERENCE, &[0; 4]);
    assert_eq!(bits.0, 5);
}

/// The unit is switched off first, then start and both periods are written, then 0x0980 and 0x0981 as one word.
#[test]
fn sync0_is_started_by_one_word_and_keeps_its_phase() {
    let mut wire = Wire::addressed(1);
    let time = u64::from_le_bytes(wire.read(0, reg::SYSTEM_TIME, 8).1.try_into().unwrap());
    let start = (time / 1_000_000 + 20) * 1_000_000 + 250_000;
    assert_eq!(wire.write(0, reg::SYNC_CONTROL, &[0, 0]), 1);
    assert_eq!(wire.write(0, reg::SYNC0_START, &start.to_le_bytes()), 1);
    assert_eq!(wire.write(0, reg::SYNC0_CYCLE, &[0x40, 0x42, 0x0f, 0, 0, 0, 0, 0]), 1);
    assert_eq!(wire.write(0, reg::SYNC_CONTROL, &[0x00, 0x03]), 1);
    wire.pause(30_000_000);
    wire.bring_to_op();
    let next = u64::from_le_bytes(wire.read(0, reg::SYNC0_START, 8).1.try_into().unwrap());
    assert!(next > start && (next - start).is_multiple_of(1_000_000), "{start} {next}");
    assert_eq!(wire.upload(0, 0x1c32, 1), Ok(vec![2, 0]), "it runs on SYNC0");
}

#[test]
fn an_alias_in_the_eeprom_counts_from_the_next_power_up_once_it_is_switched_on() {
    let mut wire = Wire::addressed(2);
    // address and data first, then the command with write enable
    assert_eq!(wire.write(1, reg::SII_DATA, &[0x34, 0x12]), 1);
    assert_eq!(wire.write(1, reg::SII_CONTROL, &[0x01, 0x02, 4, 0, 0, 0]), 1);
    assert_eq!(wire.read(1, reg::SII_CONTROL, 2).1[1] & 0xf8, 0);
    wire.segment.set_power(1, false);
    wire.segment.set_power(1, true);
    wire.address();
    assert_eq!(wire.read(1, reg::STATION_ALIAS, 2).1, [0x34, 0x12]);
    let by_alias = physical(0x1234, reg::STATION_ADDRESS);
    assert_eq!(wire.send(Command::Fprd, by_alias, &[0; 2]).0, 0);
    assert_eq!(wire.broadcast(Command::Bwr, reg::DL_CONTROL + 3, &[1]).0, 2);
    assert_eq!(wire.send(Command::Fprd, by_alias, &[0; 2]), (1, Wire::station(1).to_le_bytes().to_vec()));
}

#[test]
fn a_cable_that_is_cut_and_mended_is_found_out_by_counting_and_by_links() {
    let mut wire = Wire::in_op(BOARDS);
    wire.segment.cut_after(Some(1));
    assert_eq!(wire.broadcast(Command::Brd, reg::AL_STATUS, &[0; 2]).0, 2);
    let links = |wire: &mut Wire, board| wire.read(board, reg::DL_STATUS, 2).1[0] & 0xf0;
    assert_eq!((links(&mut wire, 0), links(&mut wire, 1)), (0x30, 0x10));
    assert_eq!(wire.read(1, reg::LOST_LINKS, 4).1, [0, 1, 0, 0]);
    wire.pause(1_000_000_000);
    wire.segment.cut_after(None);
    assert_eq!(wire.broadcast(Command::Brd, reg::TYPE, &[0]).0, 5);
    let (count, states) = wire.broadcast(Command::Brd, reg::AL_STATUS, &[0; 2]);
    assert_eq!(
        (count, states[0] & 0x10),
        (5, 0x10),
        "their watchdogs have tripped: the error shows in all states together"
    );
    assert_eq!(wire.read(4, reg::AL_STATUS, 6).1[4], 0x1b, "who kept its power kept its address");
    assert_eq!(wire.write(1, reg::LOST_LINKS, &[0; 4]), 1);
    assert_eq!(wire.read(1, reg::LOST_LINKS, 4).1, [0; 4]);
    wire.broadcast(Command::Bwr, reg::AL_CONTROL, &[AlState::SafeOp as u8 | 0x10, 0]);
    assert_eq!(wire.broadcast(Command::Brd, reg::AL_STATUS, &[0; 2]).1, [AlState::SafeOp as u8, 0]);
}

#[test]
fn frames_come_back_as_long_as_they_were_with_what_follows_the_datagrams_untouched() {
    let mut wire = Wire::addressed(1);
    let builder = || {
        FrameBuilder::new().datagram(Command::Nop, 0xff, 0, &[7; 3]).datagram(
            Command::Fprd,
            0,
            physical(Wire::station(0), reg::STATION_ADDRESS),
            &[0; 2],
        )
    };
    let short = builder().finish();
    let mut padded = builder().finish();
    padded.extend_from_slice(&[0xa5; 60]);
    for mut frame in [short, padded] {
        let before = frame.clone();
        wire.segment.process(&mut frame, wire.now);
        assert_eq!((frame.len(), frame[16 + 10..16 + 13].to_vec()), (before.len(), vec![7; 3]));
        assert_eq!(frame[16 + 15 + 10..16 + 15 + 12], Wire::station(0).to_le_bytes());
        assert_eq!(frame[16 + 15 + 14..], before[16 + 15 + 14..]);
    }
    let many: Vec<_> = (0..100).map(|_| (Command::Fprd, physical(Wire::station(0), reg::TYPE), vec![0; 2])).collect();
    assert!(wire.frame(&many).iter().all(|answer| *answer == (1, vec![0x11, 0])), "a hundred datagrams in a frame");
}
