//! A board with a small firmware, by its mailbox and its process data.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use proptest::prelude::*;
use robot_io::{Readings, StateVisitor, Time};

use super::*;
use crate::coe::{Abort, Access, DataType, SdoClient, SdoError, Slot, mailbox};
use crate::pdo::{Pdo, PdoEntry};

/// Doubles its target, counts its samples, trips when the target is 0x7fff.
#[derive(Debug, Default)]
struct Doubler {
    slots: Vec<Slot>,
}

impl Firmware for Doubler {
    fn dictionary(&mut self) -> Dictionary {
        let mut objects = Dictionary::default();
        self.slots = vec![
            objects.add(0x2000, 0, "target", DataType::I16, Access::WriteMapped, 0),
            objects.add(0x2001, 0, "doubled", DataType::I32, Access::ReadMapped, 0),
            objects.add(0x2002, 0, "samples", DataType::U16, Access::ReadMapped, 0),
            objects.add(0x2003, 1, "on", DataType::Bool, Access::WriteMapped, 0),
            objects.add(0x2003, 2, "mode", DataType::Bits3, Access::WriteMapped, 0),
            objects.add(0x2004, 0, "is on", DataType::Bool, Access::ReadMapped, 0),
        ];
        let gain = objects.add(0x2005, 0, "gain", DataType::I16, Access::Write, 1);
        objects.limit(gain, -10, 10);
        objects
    }

    fn react(&mut self, objects: &mut Dictionary, operational: bool) {
        let target = objects.get_signed(self.slots[0]);
        objects.set(self.slots[1], if operational { 2 * target } else { 0 } as u64);
        let on = objects.get(self.slots[3]);
        objects.set(self.slots[5], on);
    }

    fn sample(&mut self, objects: &mut Dictionary, _: &Readings, _: Time) {
        let samples = objects.get(self.slots[2]);
        objects.set(self.slots[2], samples + 1);
    }

    fn error(&self, objects: &Dictionary) -> Option<(u16, u8)> {
        Some(if objects.get(self.slots[0]) == 0x7fff { (0x8611, 0x21) } else { (0, 0) })
    }

    fn power_on(&mut self, objects: &mut Dictionary) {
        self.slots.iter().for_each(|slot| objects.set(*slot, 0));
    }

    fn visit_state(&mut self, _: &mut Dictionary, _: &mut dyn StateVisitor) {}
}

fn map() -> PdoMap {
    let outputs = vec![PdoEntry::new(0x2000, 0, 16)];
    let inputs = vec![PdoEntry::new(0x2001, 0, 32), PdoEntry::new(0x2002, 0, 16)];
    PdoMap {
        outputs: vec![Pdo { index: 0x1600, entries: outputs }],
        inputs: vec![Pdo { index: 0x1a00, entries: inputs }],
    }
}

const IDENTITY: SiiIdentity = SiiIdentity { vendor: 0x664, product: 7, revision: 2, serial: 33 };

fn board(remappable: bool) -> Cpu {
    let mut cpu = Cpu::new("doubler", IDENTITY, 5, &map(), remappable, Box::<Doubler>::default());
    cpu.change_state(AlState::Init, AlState::PreOp).unwrap();
    cpu
}

fn post(cpu: &mut Cpu, message: &[u8]) -> Option<Vec<u8>> {
    let mut reply = Vec::new();
    if message.is_empty() {
        cpu.pending_mail(128, &mut reply);
    } else {
        cpu.mail(message, 128, &mut reply);
    }
    (!reply.is_empty()).then_some(reply)
}

/// Whether a message fits the mailbox, says its own length and is of a kind that a board may send.
fn is_an_answer(message: &[u8]) -> bool {
    let Ok((header, content)) = mailbox::open(message) else { return false };
    let known = match (header.protocol, content) {
        (mailbox::ERROR, [1, 0, _, 0]) => true,
        (mailbox::COE, [_, 0x20, 0x80, _, _, _, code @ ..]) => code.len() == 4,
        (mailbox::COE, [_, 0x10 | 0x30 | 0x80, ..]) => true,
        _ => false,
    };
    known && message.len() <= 128 && message.len() == mailbox::HEADER + content.len()
}

fn read(cpu: &mut Cpu, client: &mut SdoClient, index: u16, sub: u8) -> Result<Vec<u8>, SdoError> {
    client.upload(&mut |message| post(cpu, message), index, sub, false)
}

fn write(cpu: &mut Cpu, client: &mut SdoClient, index: u16, sub: u8, value: u32, bytes: usize) -> Result<(), SdoError> {
    client.download(&mut |message| post(cpu, message), index, sub, false, &value.to_le_bytes()[..bytes])
}

fn refused(abort: Abort) -> Result<(), SdoError> {
    Err(SdoError::Abort(abort))
}

fn to_op(cpu: &mut Cpu) {
    cpu.change_state(AlState::PreOp, AlState::SafeOp).unwrap();
    cpu.change_state(AlState::SafeOp, AlState::Op).unwrap();
}

#[test]
fn identity_is_the_same_in_mailbox_and_eeprom() {
    let (mut cpu, mut client) = (board(true), SdoClient::new(128));
    assert_eq!(read(&mut cpu, &mut client, 0x1008, 0).unwrap(), b"doubler");
    assert_eq!(read(&mut cpu, &mut client, 0x1018, 1).unwrap(), 0x664_u32.to_le_bytes());
    assert_eq!(read(&mut cpu, &mut client, 0x2003, 0).unwrap(), [2]);
    let sii = Sii::parse(cpu.sii()).unwrap();
    assert_eq!((sii.identity, sii.alias), (IDENTITY, 5));
    let general = sii.general.unwrap();
    assert_eq!((sii.string(general.order), general.coe_details), (Some("doubler"), 0x2f));
    let managers: Vec<_> = sii.sync_managers.iter().map(|manager| (manager.start, manager.length)).collect();
    assert_eq!(managers, [(0x1000, 128), (0x1080, 128), (0x1100, 2), (0x1400, 6)]);
    assert_eq!((sii.rx_pdos[0].entries[0].bits, sii.tx_pdos[0].entries.len()), (16, 2));
}

#[test]
fn outputs_are_reacted_to_at_once_and_only_in_op() {
    let mut cpu = board(true);
    assert_eq!(cpu.process_data(), ProcessData { outputs: 2, inputs: 6 });
    cpu.change_state(AlState::PreOp, AlState::SafeOp).unwrap();
    let mut inputs = [0xff; 6];
    cpu.outputs(&(-300_i16).to_le_bytes());
    cpu.inputs(&mut inputs);
    assert_eq!(inputs, [0; 6]);
    cpu.change_state(AlState::SafeOp, AlState::Op).unwrap();
    cpu.sample(&Readings::default(), Time::default());
    cpu.outputs(&(-300_i16).to_le_bytes());
    cpu.inputs(&mut inputs);
    assert_eq!(inputs, [0xa8, 0xfd, 0xff, 0xff, 1, 0]);
    cpu.outputs_lost();
    cpu.inputs(&mut inputs);
    assert_eq!(inputs, [0, 0, 0, 0, 1, 0]);
}

#[test]
fn frozen_inputs_stay_and_thaw() {
    let mut cpu = board(true);
    to_op(&mut cpu);
    cpu.sample(&Readings::default(), Time::default());
    cpu.set_fault(Some(BoardFault::FrozenInputs));
    cpu.sample(&Readings::default(), Time::default());
    cpu.outputs(&[1, 0]);
    let mut inputs = [0xff; 6];
    cpu.inputs(&mut inputs);
    assert_eq!(inputs, [0, 0, 0, 0, 1, 0]);
    cpu.set_fault(None);
    cpu.sample(&Readings::default(), Time::default());
    cpu.inputs(&mut inputs);
    assert_eq!(inputs, [2, 0, 0, 0, 2, 0]);
}

/// Writes a mapping as a MainDevice does: count 0, entries, count.
fn remap(cpu: &mut Cpu, client: &mut SdoClient, index: u16, entries: &[PdoEntry]) -> Result<(), SdoError> {
    write(cpu, client, index, 0, 0, 1)?;
    for (sub, entry) in (1..).zip(entries) {
        write(cpu, client, index, sub, entry.to_word(), 4)?;
    }
    write(cpu, client, index, 0, entries.len() as u32, 1)
}

#[test]
fn odd_bits_are_mapped_and_found() {
    let (mut cpu, mut client) = (board(true), SdoClient::new(128));
    // on in bit 0, mode in bits 1 to 3, padding, target from bit 5 to 20
    let entries = [(0x2003, 1, 1), (0x2003, 2, 3), (0, 0, 1), (0x2000, 0, 16)];
    let entries = entries.map(|(index, sub, bits)| PdoEntry::new(index, sub, bits));
    remap(&mut cpu, &mut client, 0x1600, &entries).unwrap();
    remap(&mut cpu, &mut client, 0x1a00, &[PdoEntry::new(0x2004, 0, 1), PdoEntry::new(0x2001, 0, 32)]).unwrap();
    assert_eq!(cpu.process_data(), ProcessData { outputs: 3, inputs: 5 });
    to_op(&mut cpu);
    let word = 1 | 0b101 << 1 | u32::from(-2_i16 as u16) << 5;
    cpu.outputs(&word.to_le_bytes()[..3]);
    assert_eq!(read(&mut cpu, &mut client, 0x2003, 2).unwrap(), [0b101]);
    let mut inputs = [0xff; 5];
    cpu.inputs(&mut inputs);
    let expected = 1 | u64::from(-4_i32 as u32) << 1;
    assert_eq!(inputs, expected.to_le_bytes()[..5]);
}

#[test]
fn a_mapping_by_complete_access_is_all_or_nothing() {
    let (mut cpu, mut client) = (board(true), SdoClient::new(128));
    let before = client.upload(&mut |message| post(&mut cpu, message), 0x1a00, 0, true).unwrap();
    assert_eq!(before, [2, 0, 32, 0, 1, 0x20, 16, 0, 2, 0x20]);
    let wrong = [2, 0, 32, 0, 1, 0x20, 16, 0, 0, 0x20];
    let answer = client.download(&mut |message| post(&mut cpu, message), 0x1a00, 0, true, &wrong);
    assert_eq!(answer, refused(Abort::NOT_MAPPABLE));
    assert_eq!(client.upload(&mut |message| post(&mut cpu, message), 0x1a00, 0, true).unwrap(), before);
    let right = [1, 0, 16, 0, 2, 0x20];
    client.download(&mut |message| post(&mut cpu, message), 0x1a00, 0, true, &right).unwrap();
    assert_eq!(cpu.process_data().inputs, 2);
    assert_eq!(client.upload(&mut |message| post(&mut cpu, message), 0x1a00, 0, true).unwrap(), right);
}

#[test]
fn mappings_that_cannot_be_are_refused_with_the_reason() {
    let (mut cpu, mut client) = (board(true), SdoClient::new(128));
    let mut put = |index, sub, value, bytes| write(&mut cpu, &mut client, index, sub, value, bytes);
    assert_eq!(put(0x1600, 1, 0x2000_0010, 4), refused(Abort::COUNT_NOT_ZERO));
    assert_eq!(put(0x1600, 0, 0, 1), Ok(()));
    assert_eq!(put(0x1600, 1, 0x3000_0010, 4), refused(Abort::NO_OBJECT));
    assert_eq!(put(0x1600, 1, 0x2003_0710, 4), refused(Abort::NO_SUB_INDEX));
    assert_eq!(put(0x1600, 1, 0x2001_0020, 4), refused(Abort::NOT_MAPPABLE));
    assert_eq!(put(0x1600, 1, 0x2000_0008, 4), refused(Abort::LENGTH));
    assert_eq!(put(0x1600, 1, 0x2000_0010, 2), refused(Abort::TOO_SHORT));
    assert_eq!(put(0x1600, 0, 1, 1), Ok(()), "the entry that was there is still right");
    assert_eq!(put(0x1600, 0, 33, 1), refused(Abort::MAPPING_TOO_LONG));
    assert_eq!(put(0x1c12, 1, 0x1601, 2), refused(Abort::COUNT_NOT_ZERO));
    assert_eq!(put(0x1c12, 0, 0, 1), Ok(()));
    assert_eq!(put(0x1c12, 1, 0x1a00, 2), refused(Abort::VALUE));
    assert_eq!(put(0x1c12, 1, 0x1601, 2), Ok(()));
    assert_eq!(put(0x1c12, 0, 2, 1), refused(Abort::VALUE));
    assert_eq!(put(0x1c12, 0, 1, 1), Ok(()));
    assert_eq!(cpu.process_data().outputs, 0);
    cpu.change_state(AlState::PreOp, AlState::SafeOp).unwrap();
    assert_eq!(write(&mut cpu, &mut client, 0x1c12, 0, 0, 1), refused(Abort::STATE));
    assert_eq!(write(&mut board(false), &mut client, 0x1c12, 0, 0, 1), refused(Abort::READ_ONLY));
}

#[test]
fn process_data_longer_than_its_room_is_refused() {
    let (mut cpu, mut client) = (board(true), SdoClient::new(128));
    let padding = [PdoEntry::new(0, 0, 255); 9];
    assert_eq!(remap(&mut cpu, &mut client, 0x1600, &padding[..8]), Ok(()));
    assert_eq!(remap(&mut cpu, &mut client, 0x1600, &padding), refused(Abort::MAPPING_TOO_LONG));
    // Two objects that are short enough alone and too long together.
    remap(&mut cpu, &mut client, 0x1600, &padding[..8]).unwrap();
    remap(&mut cpu, &mut client, 0x1601, &padding[..8]).unwrap();
    write(&mut cpu, &mut client, 0x1c12, 0, 0, 1).unwrap();
    write(&mut cpu, &mut client, 0x1c12, 2, 0x1601, 2).unwrap();
    assert_eq!(write(&mut cpu, &mut client, 0x1c12, 0, 2, 1), refused(Abort::MAPPING_TOO_LONG));
}

#[test]
fn limits_and_synchronisation_types_hold() {
    let (mut cpu, mut client) = (board(true), SdoClient::new(128));
    assert_eq!(write(&mut cpu, &mut client, 0x2005, 0, 11, 2), refused(Abort::VALUE_TOO_HIGH));
    assert_eq!(write(&mut cpu, &mut client, 0x2005, 0, -11_i32 as u32, 2), refused(Abort::VALUE_TOO_LOW));
    assert_eq!(write(&mut cpu, &mut client, 0x1c32, 1, 3, 2), refused(Abort::VALUE_TOO_HIGH));
    cpu.sync0(5_000_000);
    cpu.sync0(6_000_000);
    assert_eq!(read(&mut cpu, &mut client, 0x1c32, 1).unwrap(), [2, 0]);
    assert_eq!(read(&mut cpu, &mut client, 0x1c33, 2).unwrap(), 1_000_000_u32.to_le_bytes());
}

#[test]
fn emergencies_come_when_asked_for() {
    for asked in [false, true] {
        let mut cpu = board(true);
        cpu.send_emergencies(asked);
        to_op(&mut cpu);
        cpu.outputs(&[0xff, 0x7f]);
        // length 10, CoE with counter 1, service 1, code 0x8611, register 0x21
        let bytes = [10, 0, 0, 0, 0, 0x13, 0, 0x10, 0x11, 0x86, 0x21, 0, 0, 0, 0, 0];
        assert_eq!(post(&mut cpu, &[]), asked.then(|| bytes.to_vec()));
        assert_eq!(post(&mut cpu, &[]), None);
        assert_eq!(read(&mut cpu, &mut SdoClient::new(128), 0x1001, 0).unwrap(), [0x21]);
    }
}

#[test]
fn power_brings_the_first_mapping_back() {
    let (mut cpu, mut client) = (board(true), SdoClient::new(128));
    remap(&mut cpu, &mut client, 0x1a00, &[]).unwrap();
    to_op(&mut cpu);
    cpu.power_on();
    assert_eq!(cpu.process_data(), ProcessData { outputs: 2, inputs: 6 });
}

#[test]
fn a_restored_board_goes_on_as_the_first() {
    let mut first = board(true);
    to_op(&mut first);
    first.sample(&Readings::default(), Time::default());
    first.outputs(&[3, 0]);
    let saved = robot_io::StateWriter::save(&mut first);
    let mut second = Cpu::new("doubler", IDENTITY, 5, &map(), true, Box::<Doubler>::default());
    robot_io::StateReader::restore(&mut second, &saved).unwrap();
    assert_eq!(robot_io::StateWriter::save(&mut second), saved);
    let mut inputs = [0; 6];
    second.outputs(&[4, 0]);
    second.inputs(&mut inputs);
    assert_eq!(inputs, [8, 0, 0, 0, 1, 0]);
}

proptest! {
    /// Whatever the entries, a mapping that is taken has the size that it says, and one that is refused changes nothing
    /// that a board could not go to SAFE-OP with.
    #[test]
    fn no_mapping_breaks_the_board(words in prop::collection::vec((prop::sample::select(vec![
        0x2000_0010_u32, 0x2001_0020, 0x2002_0010, 0x2003_0101, 0x2003_0203, 0x2004_0001, 0x0000_0005, 0x0000_00ff,
    ]), any::<bool>(), any::<u32>()), 0..40)) {
        let (mut cpu, mut client) = (board(true), SdoClient::new(128));
        let mut taken = 0;
        write(&mut cpu, &mut client, 0x1600, 0, 0, 1).unwrap();
        for (sensible, tame, wild) in words {
            let word = if tame { sensible } else { wild };
            let written = write(&mut cpu, &mut client, 0x1600, taken + 1, word, 4);
            taken += u8::from(written.is_ok());
        }
        let counted = write(&mut cpu, &mut client, 0x1600, 0, u32::from(taken), 1);
        let size = cpu.process_data().outputs;
        prop_assert!(size <= 256 && (counted.is_ok() || size == 0));
        to_op(&mut cpu);
        cpu.outputs(&vec![0xa5; size]);
    }

    /// Mailbox messages that are nearly right, changes of state and process data of any length, in any order.
    #[test]
    fn any_conversation_is_survived(steps in prop::collection::vec((0_u8..8, any::<u32>(),
            prop::collection::vec(any::<u8>(), 0..140)), 1..60)) {
        let mut cpu = board(true);
        let indices: Vec<u16> = cpu.objects().indices().collect();
        for (what, word, mut bytes) in steps {
            let [a, b, c, d] = word.to_le_bytes();
            match what {
                0 => drop(cpu.change_state(cpu.state, AlState::from_bits(a).unwrap_or_default())),
                1 => cpu.outputs(&bytes),
                2 => cpu.inputs(&mut bytes),
                3 => drop(post(&mut cpu, &bytes)),
                4 => drop(post(&mut cpu, &[])),
                _ => {
                    let [i0, i1] = indices[usize::from(a) % indices.len()].to_le_bytes();
                    let service = if what == 5 { 0x80 } else { 0x20 };
                    let length = (bytes.len() + 6) as u8 ^ if d > 250 { b } else { 0 };
                    let head = [length, 0, 0, 0, 0, 0x03, 0, service, c, i0, i1, d % 5];
                    let reply = post(&mut cpu, &[&head, &bytes[..]].concat());
                    prop_assert!(reply.as_deref().is_none_or(is_an_answer), "{reply:02x?}");
                    let is_request = service == 0x20 && c >> 5 != 4 && d <= 250 && cpu.state != AlState::Init;
                    prop_assert!(reply.is_some() || !is_request, "no answer to {head:02x?} {bytes:02x?}");
                }
            }
        }
    }
}
