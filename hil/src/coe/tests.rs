//! Each service against bytes worked out from the tables of ETG.1000.6, section 5.6.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use proptest::prelude::*;

use super::*;
use crate::wire::AlState;

/// No conditions beside those of the objects.
#[derive(Debug)]
struct Anything;

impl Rules for Anything {
    fn check(&self, _: &Dictionary, _: &Object, _: &[u8]) -> Result<(), Abort> {
        Ok(())
    }
}

struct Board {
    dictionary: Dictionary,
    server: CoeServer,
    state: AlState,
}

const ROOM: usize = 40;

fn board() -> Board {
    let mut objects = Dictionary::default();
    objects.add(0x1000, 0, "device type", DataType::U32, Access::Read, 0x0002_0192);
    objects.add_text(0x1008, 0, "device name", "joint");
    objects.add_text(0x100a, 0, "software version", "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ");
    objects.add(0x2000, 0, "wide", DataType::U64, Access::Write, 0x1122_3344_5566_7788);
    objects.add(0x2001, 0, "password", DataType::U32, Access::WriteOnly, 0xdead);
    let (name, value) = ("note".into(), vec![0; 60]);
    objects.insert(Object { index: 0x2002, sub: 0, name, kind: DataType::Text, access: Access::Write, value });
    objects.add(0x2003, 0, "settings", DataType::U8, Access::Read, 3);
    objects.add(0x2003, 1, "first", DataType::U16, Access::Write, 0x0102);
    objects.add(0x2003, 2, "second", DataType::U32, Access::Write, 0x0304_0506);
    objects.add(0x2003, 3, "third", DataType::U8, Access::Read, 0x07);
    objects.add(0x2004, 0, "target", DataType::I16, Access::WriteMapped, 0);
    let gain = objects.add(0x2005, 0, "gain", DataType::I16, Access::Write, 1);
    objects.limit(gain, -10, 10);
    objects.add(0x2006, 0, "early", DataType::U8, Access::WriteInPreOp, 0);
    objects.add(0x2007, 0, "actual", DataType::I16, Access::ReadMapped, 0);
    Board { dictionary: objects, server: CoeServer::default(), state: AlState::PreOp }
}

impl Board {
    fn post(&mut self, message: &[u8]) -> Vec<u8> {
        let mut reply = Vec::new();
        let mut objects = Objects { dictionary: &mut self.dictionary, rules: &Anything, state: self.state };
        match message {
            [] => self.server.pending(ROOM, &mut reply),
            _ => self.server.serve(&mut objects, message, ROOM, &mut reply),
        }
        assert!(reply.len() <= ROOM, "{} bytes in a mailbox of {ROOM}", reply.len());
        reply
    }

    /// An SDO request without counter, and what is answered behind the mailbox header, which is checked.
    fn sdo(&mut self, body: &[u8]) -> Vec<u8> {
        let mut message = vec![body.len() as u8 + 2, 0, 0, 0, 0, 0x03, 0x00, 0x20];
        message.extend_from_slice(body);
        let reply = self.post(&message);
        assert_eq!((reply[0] as usize, reply[1], reply[5] & 0x0f), (reply.len() - 6, 0, 3));
        reply[6..].to_vec()
    }

    fn client(&mut self) -> (SdoClient, impl FnMut(&[u8]) -> Option<Vec<u8>>) {
        let link = |message: &[u8]| Some(self.post(message)).filter(|reply| !reply.is_empty());
        (SdoClient::new(ROOM), link)
    }
}

fn abort(index: u16, sub: u8, abort: Abort) -> Vec<u8> {
    let [i0, i1] = index.to_le_bytes();
    [&[0x00, 0x20, 0x80, i0, i1, sub], &abort.0.to_le_bytes()[..]].concat()
}

#[test]
fn expedited_upload_and_download() {
    let mut board = board();
    // command 0x43: upload response, expedited, size given, 4 - 4 unused bytes
    assert_eq!(board.sdo(&[0x40, 0x00, 0x10, 0, 0, 0, 0, 0]), [0, 0x30, 0x43, 0x00, 0x10, 0, 0x92, 0x01, 0x02, 0x00]);
    // 0x4b: two of the four bytes unused
    assert_eq!(board.sdo(&[0x40, 0x05, 0x20, 0, 0, 0, 0, 0]), [0, 0x30, 0x4b, 0x05, 0x20, 0, 1, 0, 0, 0]);
    // 0x2b: download of two bytes
    assert_eq!(board.sdo(&[0x2b, 0x05, 0x20, 0, 0xf6, 0xff, 0, 0]), [0, 0x30, 0x60, 0x05, 0x20, 0, 0, 0, 0, 0]);
    // 0x22: download without a size takes as many bytes as the object has
    assert_eq!(board.sdo(&[0x22, 0x05, 0x20, 0, 0x09, 0x00, 9, 9])[2], 0x60);
    assert_eq!(board.sdo(&[0x40, 0x05, 0x20, 0, 0, 0, 0, 0])[6..], [9, 0, 0, 0]);
}

#[test]
fn normal_upload_and_download() {
    let mut board = board();
    let expected = [0, 0x30, 0x41, 0x08, 0x10, 0, 5, 0, 0, 0, b'j', b'o', b'i', b'n', b't'];
    assert_eq!(board.sdo(&[0x40, 0x08, 0x10, 0, 0, 0, 0, 0]), expected);
    let request = [0x21, 0x00, 0x20, 0, 8, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];
    assert_eq!(board.sdo(&request), [0, 0x30, 0x60, 0x00, 0x20, 0, 0, 0, 0, 0]);
    let expected = [0, 0x30, 0x41, 0x00, 0x20, 0, 8, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];
    assert_eq!(board.sdo(&[0x40, 0x00, 0x20, 0, 0, 0, 0, 0]), expected);
}

#[test]
fn segmented_upload() {
    let mut board = board();
    // 53 bytes in a mailbox of 40: 24 with the first answer, then 29 at the end
    let first = board.sdo(&[0x40, 0x0a, 0x10, 0, 0, 0, 0, 0]);
    assert_eq!(first[..10], [0, 0x30, 0x41, 0x0a, 0x10, 0, 53, 0, 0, 0]);
    assert_eq!(first[10..], *b"0123456789abcdefghijklmn");
    let second = board.sdo(&[0x60, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(second[..3], [0, 0x30, 0x01]);
    assert_eq!(second[3..], *b"opqrstuvwxyzABCDEFGHIJKLMNOPQ");
    assert_eq!(board.sdo(&[0x70, 0, 0, 0, 0, 0, 0, 0]), abort(0, 0, Abort::COMMAND), "nothing is left");
}

#[test]
fn short_last_segments_say_how_short() {
    let mut board = board();
    board.dictionary.add_text(0x100a, 0, "software version", &"x".repeat(24 + 31 + 2));
    board.sdo(&[0x40, 0x0a, 0x10, 0, 0, 0, 0, 0]);
    assert_eq!(board.sdo(&[0x60, 0, 0, 0, 0, 0, 0, 0])[2], 0x00, "31 bytes, toggle 0, more to come");
    // toggle 1, 7 - 2 unused bytes, last: 0x10 | 5 << 1 | 1
    let last = board.sdo(&[0x70, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(last, [0, 0x30, 0x1b, b'x', b'x', 0, 0, 0, 0, 0]);
}

#[test]
fn segmented_download() {
    let mut board = board();
    let text = "a note that is longer than the mailbox";
    let mut first = vec![0x21, 0x02, 0x20, 0, text.len() as u8, 0, 0, 0];
    first.extend_from_slice(&text.as_bytes()[..20]);
    assert_eq!(board.sdo(&first)[2], 0x60);
    let second = [&[0x00], &text.as_bytes()[20..35]].concat();
    assert_eq!(board.sdo(&second), [0, 0x30, 0x20, 0, 0, 0, 0, 0, 0, 0]);
    // toggle 1, 7 - 3 unused bytes, last
    let last = [&[0x10 | 4 << 1 | 1], &text.as_bytes()[35..], &[0; 4]].concat();
    assert_eq!(board.sdo(&last)[2], 0x30, "the toggle bit comes back");
    let note = board.dictionary.find(0x2002, 0).unwrap();
    assert_eq!(board.dictionary.object(note).value[..text.len()], *text.as_bytes());
}

#[test]
fn segments_out_of_turn_end_the_transfer() {
    let mut board = board();
    assert_eq!(board.sdo(&[0x60, 0, 0, 0, 0, 0, 0, 0]), abort(0, 0, Abort::COMMAND));
    assert_eq!(board.sdo(&[0x00, 0, 0, 0, 0, 0, 0, 0]), abort(0, 0, Abort::COMMAND));
    board.sdo(&[0x40, 0x0a, 0x10, 0, 0, 0, 0, 0]);
    assert_eq!(board.sdo(&[0x70, 0, 0, 0, 0, 0, 0, 0]), abort(0x100a, 0, Abort::TOGGLE));
    assert_eq!(board.sdo(&[0x60, 0, 0, 0, 0, 0, 0, 0]), abort(0, 0, Abort::COMMAND));
    board.sdo(&[0x40, 0x0a, 0x10, 0, 0, 0, 0, 0]);
    assert_eq!(board.sdo(&[0x00, 0, 0, 0, 0, 0, 0, 0]), abort(0x100a, 0, Abort::COMMAND), "the other direction");
    board.sdo(&[0x21, 0x02, 0x20, 0, 9, 0, 0, 0]);
    assert_eq!(board.sdo(&[0x00, 1, 2, 3, 4, 5, 6, 7])[2], 0x20);
    assert_eq!(board.sdo(&[0x10, 1, 2, 3, 4, 5, 6, 7]), abort(0x2002, 0, Abort::TOO_LONG));
    board.sdo(&[0x21, 0x02, 0x20, 0, 9, 0, 0, 0]);
    assert_eq!(board.sdo(&[0x01, 1, 2, 3, 4, 5, 6, 7]), abort(0x2002, 0, Abort::TOO_SHORT));
    board.sdo(&[0x21, 0x02, 0x20, 0, 9, 0, 0, 0]);
    let request = [10, 0, 0, 0, 0, 0x03, 0x00, 0x20, 0x80, 0, 0, 0, 0, 0, 0, 0];
    assert!(board.post(&request).is_empty(), "an abort is not answered");
    assert_eq!(board.sdo(&[0x01, 1, 2, 3, 4, 5, 6, 7]), abort(0, 0, Abort::COMMAND));
}

#[test]
fn refusals_name_object_and_reason() {
    let mut board = board();
    let mut refused = |request: [u8; 8]| {
        let answer = board.sdo(&request);
        assert_eq!((answer[1], answer[2], &answer[3..6]), (0x20, 0x80, &request[1..4]));
        Abort(u32::from_le_bytes(answer[6..].try_into().unwrap()))
    };
    assert_eq!(refused([0x40, 0x01, 0x10, 0, 0, 0, 0, 0]), Abort::NO_OBJECT);
    assert_eq!(refused([0x40, 0x00, 0x10, 1, 0, 0, 0, 0]), Abort::NO_SUB_INDEX);
    assert_eq!(refused([0x40, 0x01, 0x20, 0, 0, 0, 0, 0]), Abort::WRITE_ONLY);
    assert_eq!(refused([0x23, 0x00, 0x10, 0, 0, 0, 0, 0]), Abort::READ_ONLY);
    assert_eq!(refused([0x2f, 0x05, 0x20, 0, 1, 0, 0, 0]), Abort::TOO_SHORT);
    assert_eq!(refused([0x23, 0x05, 0x20, 0, 1, 0, 0, 0]), Abort::TOO_LONG);
    assert_eq!(refused([0x2b, 0x05, 0x20, 0, 11, 0, 0, 0]), Abort::VALUE_TOO_HIGH);
    assert_eq!(refused([0x2b, 0x05, 0x20, 0, 0xf5, 0xff, 0, 0]), Abort::VALUE_TOO_LOW);
    assert_eq!(refused([0x20, 0x05, 0x20, 0, 2, 0, 0, 0]), Abort::COMMAND, "a normal download without a size");
    assert_eq!(refused([0x21, 0x02, 0x20, 0, 0, 0, 0, 0xff]), Abort::TOO_LONG, "4 GiB into 60 bytes");
    assert_eq!(refused([0xa0, 0x05, 0x20, 0, 0, 0, 0, 0]), Abort::COMMAND, "block upload");
    assert_eq!(refused([0x50, 0x03, 0x20, 2, 0, 0, 0, 0]), Abort::UNSUPPORTED_ACCESS, "all parts from the second");
    assert_eq!(refused([0x50, 0x00, 0x10, 0, 0, 0, 0, 0]), Abort::UNSUPPORTED_ACCESS, "all parts of a plain object");
    assert_eq!(refused([0x50, 0x08, 0x10, 0, 0, 0, 0, 0]), Abort::NO_COMPLETE_ACCESS);
    board.state = AlState::Op;
    assert_eq!(board.sdo(&[0x2f, 0x06, 0x20, 0, 1, 0, 0, 0]), abort(0x2006, 0, Abort::STATE));
    let long = [0x21, 0x00, 0x20, 0, 8, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    assert_eq!(board.sdo(&long), abort(0x2000, 0, Abort::LENGTH));
}

#[test]
fn complete_access_reads_and_writes_all_parts() {
    let mut board = board();
    // two bytes for sub-index 0, then 2 + 4 + 1
    let answer = board.sdo(&[0x50, 0x03, 0x20, 0, 0, 0, 0, 0]);
    assert_eq!(answer, [0, 0x30, 0x51, 0x03, 0x20, 0, 9, 0, 0, 0, 3, 0, 2, 1, 6, 5, 4, 3, 7]);
    let answer = board.sdo(&[0x50, 0x03, 0x20, 1, 0, 0, 0, 0]);
    assert_eq!(answer[6..], [7, 0, 0, 0, 2, 1, 6, 5, 4, 3, 7]);
    let request = [0x31, 0x03, 0x20, 0, 9, 0, 0, 0, 3, 0, 0xaa, 0xbb, 1, 2, 3, 4, 0xff];
    assert_eq!(board.sdo(&request)[2], 0x70);
    let answer = board.sdo(&[0x50, 0x03, 0x20, 1, 0, 0, 0, 0]);
    assert_eq!(answer[10..], [0xaa, 0xbb, 1, 2, 3, 4, 7], "the read-only part stays");
    let short = [0x31, 0x03, 0x20, 1, 4, 0, 0, 0, 9, 9, 9, 9];
    assert_eq!(board.sdo(&short), abort(0x2003, 1, Abort::TOO_SHORT));
    assert_eq!(board.sdo(&[0x50, 0x03, 0x20, 1, 0, 0, 0, 0]), answer, "nothing of it was kept");
}

#[test]
fn object_lists_come_in_fragments() {
    let mut board = board();
    // list 0: how many objects are in lists 1 to 5
    let message = [8, 0, 0, 0, 0, 0x03, 0x00, 0x80, 0x01, 0, 0, 0, 0, 0];
    let reply = board.post(&message);
    assert_eq!(reply[6..], [0, 0x80, 0x02, 0, 0, 0, 0, 0, 11, 0, 1, 0, 1, 0, 4, 0, 5, 0]);
    for index in 0x3000..0x3010 {
        board.dictionary.add(index, 0, "more", DataType::U8, Access::Read, 0);
    }
    // list 1 has 27 words and its number: 28 bytes a fragment
    let first = board.post(&[8, 0, 0, 0, 0, 0x03, 0x00, 0x80, 0x01, 0, 0, 0, 1, 0]);
    assert_eq!(first[6..16], [0, 0x80, 0x82, 0, 1, 0, 1, 0, 0x00, 0x10]);
    assert_eq!((first.len(), first[5] & 0x0f), (40, 3));
    let second = board.post(&[]);
    assert_eq!(second[6..14], [0, 0x80, 0x02, 0, 0, 0, 0x02, 0x30]);
    assert_eq!((second[5] >> 4, first[5] >> 4), (3, 2), "each message has a counter of its own");
    assert!(board.post(&[]).is_empty());
    let (mut client, mut link) = board.client();
    assert_eq!(client.information(&mut link, 1, &[2, 0]).unwrap(), [2, 0, 0x04, 0x20]);
    assert_eq!(client.information(&mut link, 1, &[3, 0]).unwrap(), [3, 0, 0x07, 0x20]);
    assert_eq!(client.information(&mut link, 1, &[6, 0]), Err(SdoError::Abort(Abort::UNSUPPORTED_ACCESS)));
}

#[test]
fn objects_and_entries_are_described() {
    let mut board = board();
    let (mut client, mut link) = board.client();
    // record (0x002a, code 9) with three parts
    let answer = client.information(&mut link, 3, &[0x03, 0x20]).unwrap();
    assert_eq!(answer, [&[0x03, 0x20, 0x2a, 0, 3, 9], &b"settings"[..]].concat());
    let answer = client.information(&mut link, 3, &[0x08, 0x10]).unwrap();
    assert_eq!(answer, [&[0x08, 0x10, 0x09, 0, 0, 7], &b"device name"[..]].concat());
    // type 3 (I16), 16 bits, read and written in all states and mapped into outputs
    let answer = client.information(&mut link, 5, &[0x04, 0x20, 0, 7]).unwrap();
    assert_eq!(answer, [&[0x04, 0x20, 0, 0, 3, 0, 16, 0, 0x7f, 0], &b"target"[..]].concat());
    let answer = client.information(&mut link, 5, &[0x05, 0x20, 0, 0xff]).unwrap();
    assert_eq!(answer, [&[0x05, 0x20, 0, 0x60, 3, 0, 16, 0, 0x3f, 3, 0xf6, 0xff, 10, 0], &b"gain"[..]].concat());
    assert_eq!(client.information(&mut link, 3, &[0, 0x30]), Err(SdoError::Abort(Abort::NO_OBJECT)));
    assert_eq!(client.information(&mut link, 5, &[0x04, 0x20, 1, 0]), Err(SdoError::Abort(Abort::NO_SUB_INDEX)));
    assert_eq!(client.information(&mut link, 5, &[0x04, 0x20, 0]), Err(SdoError::Abort(Abort::LENGTH)));
    assert_eq!(client.information(&mut link, 2, &[]), Err(SdoError::Abort(Abort::COMMAND)));
}

#[test]
fn messages_that_are_no_coe_get_a_mailbox_error() {
    let mut board = board();
    let mut detail = |message: &[u8]| {
        let reply = board.post(message);
        assert_eq!((&reply[..2], reply[5] & 0x0f, &reply[6..8]), (&[4, 0][..], 0, &[1, 0][..]));
        u16::from_le_bytes([reply[8], reply[9]])
    };
    assert_eq!(detail(&[8, 0, 0, 0, 0, 0x04, 1, 2, 3, 4, 5, 6, 7, 8]), 0x0002, "FoE");
    assert_eq!(detail(&[2, 0, 0, 0, 1, 0x03, 0, 0x20]), 0x0003, "channel 1");
    assert_eq!(detail(&[2, 0, 0, 0, 0, 0x03, 0, 0x40]), 0x0004, "a PDO by mailbox");
    assert_eq!(detail(&[2, 0, 0, 0, 0, 0x03, 0, 0xf0]), 0x0005, "service 15");
    assert_eq!(detail(&[1, 0, 0, 0, 0, 0x03, 0]), 0x0006);
    assert_eq!(detail(&[4, 0, 0, 0, 0, 0x03, 0, 0x20, 0x40, 0]), 0x0006);
    assert_eq!(detail(&[0xff, 0xff, 0, 0, 0, 0x03, 0, 0x20]), 0x0008);
    assert!(board.post(&[4, 0, 0, 0, 0, 0x00, 1, 0, 2, 0]).is_empty(), "an error is not answered");
}

#[test]
fn a_repeated_message_is_answered_once() {
    let mut board = board();
    let message = |counter: u8| [10, 0, 0, 0, 0, counter << 4 | 3, 0, 0x20, 0x40, 0, 0x10, 0, 0, 0, 0, 0];
    assert_eq!(board.post(&message(1)).len(), 16);
    assert!(board.post(&message(1)).is_empty());
    assert_eq!(board.post(&message(2)).len(), 16);
    assert_eq!([board.post(&message(0)).len(), board.post(&message(0)).len()], [16, 16]);
    board.server.reset();
    assert_eq!(board.post(&message(2)).len(), 16);
}

#[test]
fn emergencies_wait_for_room_and_do_not_pile_up() {
    let mut board = board();
    for code in 1..20 {
        board.server.emergency(Emergency { code, register: 1, data: [5; 5] });
    }
    // service 1, code, register, five bytes
    assert_eq!(board.post(&[])[6..], [0, 0x10, 1, 0, 1, 5, 5, 5, 5, 5]);
    assert_eq!((0..20).filter(|_| !board.post(&[]).is_empty()).count(), 7);
}

proptest! {
    #[test]
    fn anything_is_survived(messages in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..64), 1..20)) {
        let mut board = board();
        messages.iter().for_each(|message| drop(board.post(message)));
    }

    #[test]
    fn any_sdo_is_answered(requests in prop::collection::vec((any::<[u8; 4]>(), prop::sample::select(vec![
        0x1000_u16, 0x1008, 0x100a, 0x2000, 0x2002, 0x2003, 0x2005, 0x2006,
    ]), 0_u8..5, prop::collection::vec(any::<u8>(), 4..30)), 1..20)) {
        let mut board = board();
        let sizes: Vec<usize> = board.dictionary.iter().map(|object| object.value.len()).collect();
        for (command, index, sub, tail) in requests {
            let [i0, i1] = index.to_le_bytes();
            let answer = board.sdo(&[&[command[0] & 0x7f, i0, i1, sub], &tail[..]].concat());
            prop_assert!(answer.len() >= 10);
        }
        let after: Vec<usize> = board.dictionary.iter().map(|object| object.value.len()).collect();
        prop_assert_eq!(sizes, after);
    }

    #[test]
    fn what_a_client_writes_it_reads(text in prop::collection::vec(1_u8..128, 1..=60), wide: u64) {
        let mut board = board();
        let (mut client, mut link) = board.client();
        client.download(&mut link, 0x2002, 0, false, &text).unwrap();
        client.download(&mut link, 0x2000, 0, false, &wide.to_le_bytes()).unwrap();
        let read = client.upload(&mut link, 0x2002, 0, false).unwrap();
        prop_assert_eq!((read.len(), &read[..text.len()]), (60, &text[..]));
        prop_assert_eq!(client.upload(&mut link, 0x2000, 0, false).unwrap(), wide.to_le_bytes());
    }
}
