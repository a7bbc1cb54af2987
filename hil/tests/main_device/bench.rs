//! A cable in memory with boards that echo what they are told, and faults on it.
#![allow(dead_code, reason = "each test uses its part of the bench")]

use std::collections::VecDeque;
use std::sync::Arc;

use hil::HilError;
use hil::board::{BoardDriver, BoardReport, BoardType, Firmware, SdoDownload};
use hil::bus_file::{BoardPlan, BusPlan, Identity, Reactions, StopRules};
use hil::coe::{Access, DataType, Dictionary};
use hil::exchange::{Exchange, Exchanged, ProcessImage};
use hil::link::Link;
use hil::main_device::EtherCat;
use hil::pdo::{Pdo, PdoEntry, PdoMap};
use hil::sii::SiiIdentity;
use hil::virtual_bus::{Cpu, Device, ProcessData, Segment};
use hil::wire::{AlCode, AlState};
use robot_io::{Period, Readings, StateVisitor, Time};

pub const PERIOD: Period = Period::from_milliseconds(2);
pub const VENDOR: u32 = 0x0664;
/// Words of four bytes in each direction: with 57 boards two frames.
pub const OUTPUT_WORDS: u8 = 4;
pub const INPUT_WORDS: u8 = 5;

/// What a board is told is at 0x2000, what it answers at 0x3000: the same, and one more word that counts its outputs.
fn map() -> PdoMap {
    let words = |index, count| (1..=count).map(|sub| PdoEntry::new(index, sub, 32)).collect();
    PdoMap {
        outputs: vec![Pdo { index: 0x1600, entries: words(0x2000, OUTPUT_WORDS) }],
        inputs: vec![Pdo { index: 0x1a00, entries: words(0x3000, INPUT_WORDS) }],
    }
}

/// The type of all boards here.
#[derive(Debug)]
pub struct EchoType {
    pub map: PdoMap,
    pub start_up: Vec<SdoDownload>,
}

impl BoardType for EchoType {
    fn type_name(&self) -> &'static str {
        "echo"
    }

    fn pdo_map(&self) -> &PdoMap {
        &self.map
    }

    fn maps_by_sdo(&self) -> bool {
        true
    }

    fn driver(&self) -> Box<dyn BoardDriver> {
        Box::new(Driver(self.start_up.clone()))
    }

    fn firmware(&self) -> Box<dyn Firmware> {
        Box::new(Echo::default())
    }
}

#[derive(Debug)]
struct Driver(Vec<SdoDownload>);

impl BoardDriver for Driver {
    fn start_up(&self) -> Vec<SdoDownload> {
        self.0.clone()
    }

    fn decode(&mut self, _: &[u8], _: Time, _: &mut Readings) -> BoardReport {
        BoardReport::default()
    }

    fn visit_state(&mut self, _: &mut dyn StateVisitor) {}
}

#[derive(Debug, Default)]
struct Echo {
    outputs: Vec<hil::coe::Slot>,
    inputs: Vec<hil::coe::Slot>,
    count: u64,
}

impl Firmware for Echo {
    fn dictionary(&mut self) -> Dictionary {
        let mut objects = Dictionary::default();
        objects.add(0x2000, 0, "count", DataType::U8, Access::Read, u64::from(OUTPUT_WORDS));
        objects.add(0x3000, 0, "count", DataType::U8, Access::Read, u64::from(INPUT_WORDS));
        objects.add(0x4000, 0, "parameter", DataType::U16, Access::Write, 0);
        let output = |sub| objects.add(0x2000, sub, "told", DataType::U32, Access::WriteMapped, 0);
        self.outputs = (1..=OUTPUT_WORDS).map(output).collect();
        let input = |sub| objects.add(0x3000, sub, "answered", DataType::U32, Access::ReadMapped, 0);
        self.inputs = (1..=INPUT_WORDS).map(input).collect();
        objects
    }

    fn react(&mut self, objects: &mut Dictionary, _: bool) {
        for (output, input) in self.outputs.iter().zip(&self.inputs) {
            objects.set(*input, objects.get(*output));
        }
        self.count += 1;
        objects.set(self.inputs[usize::from(INPUT_WORDS) - 1], self.count);
    }

    fn power_on(&mut self, _: &mut Dictionary) {
        self.count = 0;
    }

    fn visit_state(&mut self, _: &mut Dictionary, _: &mut dyn StateVisitor) {}
}

/// A board that can be told to refuse a state, and to send emergencies in place of answers.
#[derive(Debug)]
pub struct Board {
    pub cpu: Cpu,
    pub refuses: Option<(AlState, AlCode)>,
    pub emergencies: usize,
}

impl Device for Board {
    fn sii(&self) -> &[u8] {
        self.cpu.sii()
    }

    fn process_data(&self) -> ProcessData {
        self.cpu.process_data()
    }

    fn change_state(&mut self, from: AlState, to: AlState) -> Result<(), AlCode> {
        match self.refuses {
            Some((state, code)) if state == to && from < to => Err(code),
            _ => self.cpu.change_state(from, to),
        }
    }

    fn mail(&mut self, message: &[u8], room: usize, reply: &mut Vec<u8>) {
        if self.emergencies > 0 {
            self.emergencies -= 1;
            // mailbox header, CoE service 1, error code 0x7320, register, five bytes
            reply.extend([10, 0, 0, 0, 0, 0x13, 0, 0x10, 0x20, 0x73, 0x20, 0, 0, 0, 0, 0]);
            return;
        }
        self.cpu.mail(message, room, reply);
    }

    fn pending_mail(&mut self, room: usize, reply: &mut Vec<u8>) {
        self.cpu.pending_mail(room, reply);
    }

    fn outputs(&mut self, data: &[u8]) {
        self.cpu.outputs(data);
    }

    fn outputs_lost(&mut self) {
        self.cpu.outputs_lost();
    }

    fn inputs(&mut self, data: &mut [u8]) {
        self.cpu.inputs(data);
    }

    fn sync0(&mut self, system_time: u64) {
        self.cpu.sync0(system_time);
    }

    fn power_on(&mut self) {
        self.cpu.power_on();
    }
}

/// What happens to a frame on its way back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    Lost,
    /// Kept until the given number of cycles has passed.
    Late(u64),
    Twice,
    /// A frame of somebody else comes before it.
    Stray,
    Truncated,
}

/// The cable.
#[derive(Debug)]
pub struct Bench {
    pub segment: Segment<Board>,
    /// What happens to the next frames, in order; then nothing.
    pub troubles: VecDeque<Option<Trouble>>,
    pub now: u64,
    /// Time that is spent with boards [ns], where it is measured.
    pub boards_time: u64,
    pub measured: bool,
    back: VecDeque<Vec<u8>>,
    late: Vec<(u64, Vec<u8>)>,
    spare: Vec<Vec<u8>>,
}

impl Bench {
    pub fn new(count: usize) -> Bench {
        let board = |index: usize| Board {
            cpu: Cpu::new(&name(index), identity(index), 0, &map(), true, Box::new(Echo::default())),
            refuses: None,
            emergencies: 0,
        };
        Bench {
            segment: Segment::new((0..count).map(board).collect()),
            troubles: VecDeque::new(),
            now: 0,
            boards_time: 0,
            measured: false,
            back: VecDeque::with_capacity(64),
            late: Vec::with_capacity(64),
            spare: (0..64).map(|_| Vec::with_capacity(1_600)).collect(),
        }
    }

    fn returned(&mut self, frame: Vec<u8>) {
        match self.troubles.pop_front().flatten() {
            None => self.back.push_back(frame),
            Some(Trouble::Lost) => self.spare.push(frame),
            Some(Trouble::Late(cycles)) => self.late.push((cycles, frame)),
            Some(Trouble::Twice) => self.back.extend([frame.clone(), frame]),
            Some(Trouble::Truncated) => {
                let mut frame = frame;
                frame.truncate(20);
                self.back.push_back(frame);
            }
            Some(Trouble::Stray) => {
                let mut stray = frame.clone();
                stray[6] = 0x00;
                self.back.extend([stray, vec![1, 2, 3], frame]);
            }
        }
    }
}

impl Link for Bench {
    fn send(&mut self, frame: &[u8]) -> Result<(), HilError> {
        let begin = self.measured.then(std::time::Instant::now);
        let Some(mut buffer) = self.spare.pop() else { return Ok(()) };
        buffer.clear();
        buffer.extend_from_slice(frame);
        self.segment.process(&mut buffer, self.now);
        self.returned(buffer);
        self.boards_time += begin.map_or(0, |begin| begin.elapsed().as_nanos() as u64);
        Ok(())
    }

    fn receive(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, HilError> {
        let Some(frame) = self.back.pop_front() else { return Ok(None) };
        buffer[..frame.len()].copy_from_slice(&frame);
        let length = frame.len();
        self.spare.push(frame);
        Ok(Some(length))
    }

    fn is_lock_step(&self) -> bool {
        true
    }

    fn pass(&mut self, next: Time) -> Result<(), HilError> {
        self.now = next.nanoseconds();
        self.segment.tick(self.now);
        for (cycles, _) in &mut self.late {
            *cycles -= 1;
        }
        let back = &mut self.back;
        back.extend(self.late.extract_if(.., |(cycles, _)| *cycles == 0).map(|(_, frame)| frame));
        Ok(())
    }
}

pub fn name(index: usize) -> String {
    format!("board_{index}")
}

pub fn identity(index: usize) -> SiiIdentity {
    SiiIdentity { vendor: VENDOR, product: 0x100, revision: 1, serial: index as u32 + 1 }
}

/// The plan that fits a bench.
pub fn plan(count: usize) -> BusPlan {
    let parameter = SdoDownload { index: 0x4000, sub: 0, value: vec![0x34, 0x12] };
    let board = |index: usize| BoardPlan {
        name: name(index),
        alias: None,
        identity: Identity { vendor: VENDOR, product: 0x100, revision: None, serial: Some(index as u32 + 1) },
        kind: Box::new(EchoType { map: map(), start_up: vec![parameter.clone()] }),
        optional: false,
        stop: StopRules::default(),
        calibrated: None,
    };
    BusPlan {
        name: "bench".to_owned(),
        sync0_shift: Some(Period::from_microseconds(500)),
        watchdog: Period::from_milliseconds(20),
        partial: true,
        reactions: Reactions::default(),
        boards: (0..count).map(board).collect(),
        source: ("bench.toml".to_owned(), String::new()),
        calibration: None,
    }
}

/// A bus with its image.
pub struct Run {
    pub bus: EtherCat<Bench>,
    pub image: ProcessImage,
    pub report: Exchanged,
    pub cycle: u64,
}

#[allow(clippy::unwrap_used, reason = "tests")]
impl Run {
    pub fn new(bench: Bench, plan: BusPlan) -> Run {
        let count = plan.boards.len();
        let bus = EtherCat::new(bench, Arc::new(plan), PERIOD).unwrap();
        let outputs = vec![vec![0; 4 * usize::from(OUTPUT_WORDS)]; count];
        let inputs = vec![vec![0; 4 * usize::from(INPUT_WORDS)]; count];
        Run { bus, image: ProcessImage { outputs, inputs }, report: Exchanged::default(), cycle: 0 }
    }

    /// A bus that is in OP.
    pub fn operational(count: usize) -> Run {
        let mut run = Run::new(Bench::new(count), plan(count));
        run.bus.configure().unwrap();
        run.bus.request(AlState::Op).unwrap();
        run.cycles(3);
        assert!(run.all_op(), "{:?}", run.report);
        run
    }

    pub fn cycle(&mut self) -> &Exchanged {
        self.cycle += 1;
        for (index, outputs) in self.image.outputs.iter_mut().enumerate() {
            outputs[..4].copy_from_slice(&(self.cycle as u32 * 1_000 + index as u32).to_le_bytes());
        }
        self.bus.exchange(&mut self.image, &mut self.report);
        self.bus.pass(Time::from_nanoseconds(self.cycle * PERIOD.nanoseconds())).unwrap();
        &self.report
    }

    pub fn cycles(&mut self, count: u64) {
        (0..count).for_each(|_| drop(self.cycle().clone()));
    }

    pub fn bench(&mut self) -> &mut Bench {
        self.bus.link_mut().unwrap()
    }

    pub fn next(&mut self, troubles: &[Option<Trouble>]) {
        self.bench().troubles.extend(troubles);
    }

    pub fn all_op(&self) -> bool {
        let report = &self.report;
        !report.lost
            && report.working_counter == report.expected
            && report.states.iter().all(|state| *state == Some(AlState::Op))
    }

    /// The cycle whose outputs a board has echoed, and the number of outputs it has seen.
    pub fn echo(&self, board: usize) -> (u32, u32) {
        let word = |at: usize| u32::from_le_bytes(self.image.inputs[board][at..at + 4].try_into().unwrap());
        let last = 4 * (usize::from(INPUT_WORDS) - 1);
        ((word(0) - board as u32) / 1_000, word(last))
    }
}
