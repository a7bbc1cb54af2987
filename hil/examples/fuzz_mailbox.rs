//! Nearly right mailbox messages against an emulated board: `cargo run --release -p hil --example fuzz_mailbox -- SECONDS SEED`.
//!
//! Every answer must fit the mailbox and say its own length; every SDO must be answered; process data must stay in their
//! room. The same seed sends the same messages. The program prints how many of each kind came back.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use hil::board::Firmware;
use hil::coe::mailbox::{self, MailboxHeader};
use hil::coe::{Abort, Access, DataType, Dictionary, Object};
use hil::pdo::{Pdo, PdoEntry, PdoMap};
use hil::sii::SiiIdentity;
use hil::virtual_bus::{BoardFault, Cpu, Device};
use hil::wire::AlState;
use robot_io::{Commands, RandomStream, Readings, State, StateVisitor, Time};

const ROOM: usize = 128;

fn main() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |name: &str, otherwise: u64| match arguments.next() {
        Some(text) => text.parse().map_err(|_| format!("{name}: expected a whole number, found '{text}'")),
        None => Ok(otherwise),
    };
    let (seconds, seed) = (number("SECONDS", 10)?, number("SEED", 1)?);
    let mut fuzz = Fuzz::new(seed);
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(seconds) {
        (0..1000).try_for_each(|_| fuzz.step())?;
    }
    println!("seed {seed}: {} steps in {seconds} s", fuzz.steps);
    fuzz.counts.iter().for_each(|(what, count)| println!("{count:>12}  {what}"));
    Ok(())
}

/// A board, a die and what came of it.
struct Fuzz {
    cpu: Cpu,
    state: AlState,
    indices: Vec<u16>,
    dice: Dice,
    steps: u64,
    counter: u8,
    heard: u8,
    toggle: bool,
    uploading: bool,
    /// So many segments are still to follow.
    segments: usize,
    counts: BTreeMap<String, u64>,
}

struct Dice {
    stream: RandomStream,
    rolled: u64,
}

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.rolled += 1;
        (self.stream.bits(self.rolled, 0) % end as u64) as usize
    }

    fn bytes(&mut self, longest: usize) -> Vec<u8> {
        let length = self.below(longest + 1);
        (0..length).map(|_| self.below(256) as u8).collect()
    }

    /// Once in `times`.
    fn seldom(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

impl Fuzz {
    fn new(seed: u64) -> Fuzz {
        let identity = SiiIdentity { vendor: 1, product: 2, revision: 3, serial: 4 };
        let mut cpu = Cpu::new("fuzzed", identity, 0, &map(), true, Box::<Echo>::default());
        cpu.send_emergencies(true);
        let indices = cpu.objects().indices().collect();
        let dice = Dice { stream: RandomStream::new(seed, "fuzz_mailbox"), rolled: 0 };
        Fuzz {
            cpu,
            state: AlState::Init,
            indices,
            dice,
            steps: 0,
            counter: 0,
            heard: 0,
            toggle: false,
            uploading: false,
            segments: 0,
            counts: BTreeMap::new(),
        }
    }

    fn step(&mut self) -> Result<(), String> {
        self.steps += 1;
        if self.segments > 0 && !self.dice.seldom(20) {
            self.segments -= 1;
            return self.segment();
        }
        match self.dice.below(40) {
            0 => self.change_state(),
            1 => {
                let bytes = self.dice.bytes(300);
                self.cpu.outputs(&bytes);
            }
            2 => {
                let mut bytes = self.dice.bytes(300);
                self.cpu.inputs(&mut bytes);
            }
            3..=5 => return self.post(&[], false).map(drop),
            6..=8 => {
                let bytes = self.dice.bytes(ROOM);
                return self.post(&bytes, false).map(drop);
            }
            9..=13 => return self.information(),
            14 => return self.segment(),
            _ => return self.initiate(),
        }
        let size = self.cpu.process_data();
        let fits = size.outputs <= 256 && size.inputs <= 256;
        if fits { Ok(()) } else { Err(format!("step {}: process data of {size:?}", self.steps)) }
    }

    fn change_state(&mut self) {
        let states = [AlState::Init, AlState::PreOp, AlState::PreOp, AlState::SafeOp, AlState::Op];
        let to = states[self.dice.below(states.len())];
        if self.cpu.change_state(self.state, to).is_ok() {
            self.state = to;
        }
        self.count(format!("state {}", self.state));
    }

    fn initiate(&mut self) -> Result<(), String> {
        let commands = [0x40, 0x50, 0x21, 0x31, 0x23, 0x27, 0x2b, 0x2f, 0x22, 0x33, 0x37, 0x80, 0x20];
        let command = if self.dice.seldom(20) { self.dice.below(256) as u8 } else { commands[self.dice.below(13)] };
        let index = self.index();
        let [i0, i1] = index.to_le_bytes();
        let sub = [0, 0, 1, 1, 2, 3, 4, 255][self.dice.below(8)];
        let mut body = vec![command, i0, i1, sub];
        let mut tail = self.dice.bytes(ROOM - 20);
        if (0x1600..0x1c00).contains(&index) && !self.dice.seldom(4) {
            let mapped = &self.indices[self.dice.below(self.indices.len())];
            tail = [&[[0, 8, 32][self.dice.below(3)], 0], &mapped.to_le_bytes()[..], &tail].concat();
        }
        let size = if self.dice.seldom(4) { self.dice.below(300) } else { tail.len() };
        if command & 0x02 == 0 {
            body.extend_from_slice(&(size as u32).to_le_bytes());
        }
        body.extend_from_slice(&tail);
        body.resize(body.len().max(8), 0);
        let answer = self.send(0x20, &body)?;
        let agreed = matches!(answer.get(7..9), Some([0x30, 0x41 | 0x51 | 0x60 | 0x70]));
        (self.toggle, self.uploading) = (false, command >> 5 == 2);
        self.segments = if agreed && command & 0x02 == 0 { self.dice.below(8) } else { 0 };
        Ok(())
    }

    fn segment(&mut self) -> Result<(), String> {
        let toggle = self.toggle != self.dice.seldom(30);
        self.toggle = !self.toggle;
        let upload = if self.uploading != self.dice.seldom(30) { 0x60 } else { 0 };
        let tail = self.dice.bytes(if self.dice.rolled.is_multiple_of(2) { 7 } else { ROOM - 20 });
        let last = self.dice.below(4) / 3;
        let mut body = vec![upload | u8::from(toggle) << 4 | (self.dice.below(8) as u8) << 1 | last as u8];
        body.extend_from_slice(&tail);
        body.resize(body.len().max(8), 0);
        self.send(0x20, &body).map(drop)
    }

    fn information(&mut self) -> Result<(), String> {
        let mut body = vec![[1, 3, 5, 5, 0x83, 9][self.dice.below(6)], 0, 0, 0];
        let list = self.dice.below(8) as u16;
        body.extend_from_slice(&if body[0] == 1 { list } else { self.index() }.to_le_bytes());
        let tail = self.dice.bytes(4);
        body.extend_from_slice(&tail);
        self.send(0x80, &body).map(drop)
    }

    fn index(&mut self) -> u16 {
        if self.dice.seldom(20) {
            self.dice.below(0x1_0000) as u16
        } else {
            self.indices[self.dice.below(self.indices.len())]
        }
    }

    /// Wraps a CoE message, now and then wrongly.
    fn send(&mut self, service: u8, body: &[u8]) -> Result<Vec<u8>, String> {
        let service = if self.dice.seldom(100) { self.dice.below(256) as u8 } else { service };
        let mut length = body.len() as u16 + 2;
        let wrong_length = self.dice.seldom(50);
        if wrong_length {
            length = [0, 1, 9, length + 1, 0xffff, length / 2][self.dice.below(6)];
        }
        let protocol = if self.dice.seldom(100) { self.dice.below(16) as u8 } else { mailbox::COE };
        if !self.dice.seldom(50) {
            self.counter = mailbox::next_counter(self.counter);
        }
        let header = MailboxHeader { length, protocol, counter: self.counter, ..MailboxHeader::default() };
        let message = [&header.to_bytes(), &[0, service][..], body].concat();
        let sound = !wrong_length
            && protocol == mailbox::COE
            && service == 0x20
            && body.first().is_some_and(|command| command >> 5 != 4);
        self.post(&message, sound)
    }

    /// Posts a message and checks what comes back. A sound SDO must be answered unless its counter is that of the last.
    fn post(&mut self, message: &[u8], sound: bool) -> Result<Vec<u8>, String> {
        let mut reply = Vec::new();
        match message {
            [] => self.cpu.pending_mail(ROOM, &mut reply),
            _ => self.cpu.mail(message, ROOM, &mut reply),
        }
        let what =
            self.classify(&reply).ok_or(format!("step {}: {message:02x?} answered by {reply:02x?}", self.steps))?;
        let counter = MailboxHeader::parse(message).unwrap_or_default().counter;
        let before = if message.is_empty() { self.heard } else { std::mem::replace(&mut self.heard, counter) };
        if what == "silence" && sound && counter != before {
            return Err(format!("step {}: no answer to {message:02x?}", self.steps));
        }
        self.count(what);
        Ok(reply)
    }

    /// What an answer is; `None` for one that cannot be.
    fn classify(&self, reply: &[u8]) -> Option<String> {
        if reply.is_empty() {
            return Some("silence".to_owned());
        }
        let (header, content) = mailbox::open(reply).ok()?;
        if reply.len() > ROOM || content.len() + mailbox::HEADER != reply.len() {
            return None;
        }
        match (header.protocol, content) {
            (mailbox::ERROR, [1, 0, detail, 0]) => Some(format!("mailbox error {detail}")),
            (mailbox::COE, [_, 0x10, ..]) => Some("emergency".to_owned()),
            (mailbox::COE, [_, 0x80, opcode, ..]) => Some(format!("information {:#04x}", opcode & 0x7f)),
            (mailbox::COE, [_, 0x30, command, ..]) => Some(format!("response {:#04x}", command & 0xe0)),
            (mailbox::COE, [_, 0x20, 0x80, _, _, _, code @ ..]) => {
                Some(Abort(u32::from_le_bytes(code.try_into().ok()?)).to_string())
            }
            _ => None,
        }
    }

    fn count(&mut self, what: String) {
        *self.counts.entry(what).or_default() += 1;
    }
}

fn map() -> PdoMap {
    let outputs = vec![PdoEntry::new(0x2000, 0, 32), PdoEntry::new(0x2001, 0, 1)];
    let inputs = vec![PdoEntry::new(0x2002, 0, 32)];
    PdoMap {
        outputs: vec![Pdo { index: 0x1600, entries: outputs }],
        inputs: vec![Pdo { index: 0x1a00, entries: inputs }],
    }
}

/// Its input is its output; an error while the output is odd.
#[derive(Debug, Default)]
struct Echo {}

impl Firmware for Echo {
    fn dictionary(&mut self) -> Dictionary {
        let mut objects = Dictionary::default();
        objects.add(0x2000, 0, "word", DataType::U32, Access::WriteMapped, 0);
        objects.add(0x2001, 0, "flag", DataType::Bool, Access::WriteMapped, 0);
        objects.add(0x2002, 0, "echo", DataType::U32, Access::ReadMapped, 0);
        objects.add(0x2003, 1, "gain", DataType::F32, Access::Write, 0);
        objects.add(0x2003, 2, "wide", DataType::U64, Access::Write, 0);
        objects.add(0x2003, 3, "secret", DataType::U16, Access::WriteOnly, 0);
        objects.add_text(0x2004, 0, "a long text", &"chiron ".repeat(60));
        let (name, value) = ("note".into(), vec![0; 250]);
        objects.insert(Object { index: 0x2005, sub: 0, name, kind: DataType::Text, access: Access::Write, value });
        objects
    }

    fn react(&mut self, objects: &mut Dictionary, _: bool) {
        let (Some(from), Some(to)) = (objects.slot(0x2000, 0), objects.slot(0x2002, 0)) else { return };
        let word = objects.get(from);
        objects.set(to, word);
    }

    fn sample(&mut self, _: &mut Dictionary, _: &Readings, _: Time) {}

    fn act(&mut self, _: &Dictionary, _: &mut Commands) {}

    fn error(&self, objects: &Dictionary) -> Option<(u16, u8)> {
        let odd = objects.slot(0x2000, 0).is_some_and(|slot| objects.get(slot) % 2 == 1);
        Some(if odd { (0x2310, 0x03) } else { (0, 0) })
    }

    fn set_fault(&mut self, _: Option<BoardFault>) {}

    fn power_on(&mut self, _: &mut Dictionary) {}

    fn visit_state(&mut self, objects: &mut Dictionary, visitor: &mut dyn StateVisitor) {
        objects.visit_state(visitor);
    }
}
