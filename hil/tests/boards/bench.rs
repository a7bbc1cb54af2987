//! A board's two ends on a bench: plain buffers between them, a joint of three with inertia behind them, no bus.

use hil::board::{BoardDriver, BoardReport, BoardType, Firmware, Order, TYPES};
use hil::coe::Dictionary;
use hil::pdo::Pdo;
use page::Page;
use robot_io::{
    Commands, JointCommand, JointStatus, Readings, RobotLayout, SensorLayout, StateReader, StateVisitor, StateWriter,
    Time,
};

/// Both ends and what lies between and behind them.
pub struct Bench {
    pub kind: Box<dyn BoardType>,
    pub driver: Box<dyn BoardDriver>,
    pub firmware: Box<dyn Firmware>,
    pub objects: Dictionary,
    pub outputs: Vec<u8>,
    pub inputs: Vec<u8>,
    /// In front of the bus: what the bridge wants, and what it reads.
    pub order: Order,
    pub commands: Commands,
    pub readings: Readings,
    pub report: BoardReport,
    /// Behind the bus: what the robot is told, and what it says.
    pub told: Commands,
    pub truth: Readings,
    pub cycle: u64,
    /// Outputs reach the board.
    pub operational: bool,
    /// The inertia of each joint [kg·m²].
    pub inertia: f64,
    /// Coulomb friction of each joint [N·m].
    pub friction: f64,
    /// What pulls at each joint [N·m].
    pub load: f64,
}

/// A layout with a force/torque sensor and two patches of skin beside the example's.
pub fn layout() -> RobotLayout {
    let mut layout = RobotLayout::example();
    layout.force_torques = layout.imus.clone();
    layout.force_torques[0].name = "ankle".to_owned();
    for name in ["palm", "back"] {
        layout.contacts.push(SensorLayout { name: name.to_owned(), ..layout.contacts[0].clone() });
    }
    layout
}

/// Reads a board's settings by the registry.
pub fn parse(kind: &str, text: &str) -> Result<Box<dyn BoardType>, String> {
    let (_, parse) = TYPES.iter().find(|(word, _)| *word == kind).expect("a known type");
    let page = Page { file: "bus.toml", text };
    let root = page.parse().expect("TOML");
    let mut fields = page.fields(&root);
    let board = parse(&mut fields, &layout()).and_then(|board| fields.finish().map(|()| board));
    board.map_err(|fault| fault.to_string())
}

impl Bench {
    /// A board with these settings, in front of a robot at rest.
    pub fn new(kind: &str, text: &str) -> Bench {
        let kind = parse(kind, text).expect("good settings");
        let (driver, mut firmware) = (kind.driver(), kind.firmware());
        let mut objects = firmware.dictionary();
        for download in driver.start_up() {
            let slot = objects.slot(download.index, download.sub).expect("a known object");
            assert_eq!(objects.object(slot).value.len(), download.value.len(), "object {:#06x}", download.index);
            objects.bytes_mut(slot).copy_from_slice(&download.value);
        }
        let map = kind.pdo_map();
        let (outputs, inputs) = (vec![0; map.output_bytes()], vec![0; map.input_bytes()]);
        let layout = layout();
        let mut truth = Readings::new(&layout);
        truth.joints.iter_mut().for_each(|joint| joint.temperature = 30.0);
        let mut bench = Bench {
            kind,
            driver,
            firmware,
            objects,
            outputs,
            inputs,
            order: Order::Off,
            commands: Commands::new(&layout),
            readings: Readings::new(&layout),
            report: BoardReport::default(),
            told: Commands::new(&layout),
            truth,
            cycle: 0,
            operational: true,
            inertia: 0.1,
            friction: 0.0,
            load: 0.0,
        };
        bench.settle();
        bench.measure();
        bench
    }

    /// The present time.
    pub fn now(&self) -> Time {
        Time::from_nanoseconds(self.cycle * 1_000_000)
    }

    /// The board measures and answers; stamps of the robot are of now.
    pub fn measure(&mut self) {
        self.firmware.sample(&mut self.objects, &self.truth, Time::from_nanoseconds(self.cycle * 1_000_000 + 7_000));
        self.firmware.react(&mut self.objects, self.operational);
        let pdos = self.kind.pdo_map().inputs.clone();
        self.inputs = pack(&self.objects, &pdos);
    }

    fn settle(&mut self) {
        let now = self.now();
        self.truth.time = now;
        self.truth.joints.iter_mut().for_each(|joint| joint.stamp = now);
        self.truth.contacts.iter_mut().for_each(|contact| contact.stamp = now);
        self.truth.force_torques.iter_mut().for_each(|sensor| sensor.stamp = now);
        self.truth.batteries.iter_mut().for_each(|battery| battery.stamp = now);
    }

    /// One cycle of the bridge, the board and the robot.
    pub fn cycle(&mut self) {
        self.exchange();
        self.pass();
    }

    /// The bridge reads and writes, the board reacts and acts.
    pub fn exchange(&mut self) {
        let now = self.now();
        self.report = self.driver.decode(&self.inputs, now, &mut self.readings);
        self.driver.encode(self.order, &self.commands, &self.inputs, &mut self.outputs);
        if self.operational {
            self.deliver();
        }
    }

    /// The outputs arrive at the board.
    pub fn deliver(&mut self) {
        self.deliver_with(&[]);
    }

    /// One cycle in which a foreign MainDevice writes other values than the driver.
    pub fn cycle_with(&mut self, changes: &[(u16, i64)]) {
        let operational = core::mem::replace(&mut self.operational, false);
        self.exchange();
        self.operational = operational;
        self.deliver_with(changes);
        self.pass();
    }

    fn deliver_with(&mut self, changes: &[(u16, i64)]) {
        let pdos = self.kind.pdo_map().outputs.clone();
        unpack(&mut self.objects, &pdos, &self.outputs);
        changes.iter().for_each(|(index, value)| self.set_object(*index, 0, *value));
        self.firmware.react(&mut self.objects, true);
    }

    /// A millisecond passes, and the board measures.
    pub fn pass(&mut self) {
        self.firmware.act(&self.objects, &mut self.told);
        self.cycle += 1;
        if self.firmware.take_reset() {
            self.truth.joints.iter_mut().for_each(|joint| joint.status = joint.status.with(JointStatus::FAULT, false));
        }
        for (command, joint) in self.told.joints.iter().zip(&mut self.truth.joints) {
            for _ in 0..10 {
                joint.effort = command.effort_at(joint.position, joint.velocity);
                let pull = (joint.effort + self.load) / self.inertia;
                joint.velocity = with_friction(joint.velocity, pull, self.friction / self.inertia);
                joint.position += joint.velocity * 1e-4;
            }
        }
        self.settle();
        self.measure();
    }

    pub fn cycles(&mut self, count: usize) {
        (0..count).for_each(|_| self.cycle());
    }

    /// Switches on and says how many cycles that took.
    pub fn switch_on(&mut self) -> usize {
        self.switch_on_within(100)
    }

    /// The same for one that may take longer.
    pub fn switch_on_within(&mut self, most: usize) -> usize {
        self.order = Order::Follow;
        let taken = (1..most).find(|_| {
            self.cycle();
            self.report.following
        });
        taken.expect("it follows")
    }

    pub fn command(&mut self, command: JointCommand) {
        self.commands.joints.fill(command);
    }

    /// An object's value.
    pub fn object(&self, index: u16, sub: u8) -> i64 {
        self.objects.get_signed(self.objects.slot(index, sub).expect("a known object"))
    }

    /// Writes an object as an SDO does.
    pub fn set_object(&mut self, index: u16, sub: u8, value: i64) {
        let slot = self.objects.slot(index, sub).expect("a known object");
        self.objects.set(slot, value as u64);
    }

    /// The state of both ends as bytes.
    pub fn save(&mut self) -> Vec<u8> {
        let mut writer = StateWriter::default();
        self.visit(&mut writer);
        writer.bytes
    }

    /// Restores both ends.
    pub fn restore(&mut self, saved: &[u8]) {
        struct Both<'a>(&'a mut Bench);
        impl robot_io::State for Both<'_> {
            fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
                self.0.visit(visitor);
            }
        }
        StateReader::restore(&mut Both(self), saved).expect("of the right length");
    }

    fn visit(&mut self, visitor: &mut dyn StateVisitor) {
        self.driver.visit_state(visitor);
        self.firmware.visit_state(&mut self.objects, visitor);
    }
}

/// A velocity after 0.1 ms of an acceleration, less what friction takes from it.
fn with_friction(velocity: f64, acceleration: f64, friction: f64) -> f64 {
    let free = velocity + acceleration * 1e-4;
    free - free.clamp(-friction * 1e-4, friction * 1e-4)
}

/// Objects to process data.
pub fn pack(objects: &Dictionary, pdos: &[Pdo]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in pdos.iter().flat_map(|pdo| &pdo.entries) {
        assert!(entry.bits.is_multiple_of(8), "whole bytes on this bench");
        let value = objects.slot(entry.index, entry.sub).map_or(0, |slot| objects.get(slot));
        bytes.extend_from_slice(&value.to_le_bytes()[..usize::from(entry.bits) / 8]);
    }
    bytes
}

/// Process data to objects.
pub fn unpack(objects: &mut Dictionary, pdos: &[Pdo], bytes: &[u8]) {
    let mut place = 0;
    for entry in pdos.iter().flat_map(|pdo| &pdo.entries) {
        let size = usize::from(entry.bits) / 8;
        if let Some(slot) = objects.slot(entry.index, entry.sub) {
            objects.bytes_mut(slot).copy_from_slice(&bytes[place..place + size]);
        }
        place += size;
    }
}
