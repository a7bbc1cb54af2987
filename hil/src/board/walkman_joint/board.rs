//! The emulated end of Walk-Man's joint board.

use std::sync::Arc;

use robot_io::{Commands, JointCommand, JointStatus, Readings, State, StateVisitor, Time};

use super::{BusLoss, CODES, INPUTS, OUTPUTS, Settings, bits};
use crate::board::BoardFault;
use crate::board::cia402::trouble::register;
use crate::board::echo::Echo;
use crate::board::encoder::{Encoder, visit_fault};
use crate::board::values::Values;
use crate::board::{Firmware, board_time};
use crate::coe::{Access, Dictionary, Slot};

/// How long a fault that was acknowledged may take to vanish [samples].
const PATIENCE: u32 = 32;

/// The emulated board.
#[derive(Debug)]
pub(super) struct Board {
    settings: Arc<Settings>,
    values: Values,
    slots: Slots,
    memory: Memory,
}

#[derive(Clone, Copy, Debug)]
struct Slots {
    desired: Slot,
    order: Slot,
    stiffness: Slot,
    damping: Slot,
    stamp: Slot,
    position: Slot,
    reference: Slot,
    temperature: Slot,
    torque: Slot,
    fault: Slot,
    round_trip: Slot,
}

/// What the board remembers beside its objects.
#[derive(Clone, Copy, Debug, Default, State)]
struct Memory {
    encoder: Encoder,
    echo: Echo,
    /// Winding [°C].
    temperature: f64,
    /// What the robot behind the board says.
    #[state(part = "0")]
    status: JointStatus,
    running: bool,
    /// It runs without outputs, as its settings say.
    alone: bool,
    /// Latched bits.
    faults: u16,
    limited: bool,
    acknowledged: bool,
    /// Samples for which an acknowledged fault may still vanish.
    patience: u32,
    wants_reset: bool,
    held: JointCommand,
    #[state(with = "visit_fault")]
    broken: Option<BoardFault>,
}

impl Memory {
    fn new(endless: bool) -> Memory {
        Memory { encoder: Encoder::new(endless), ..Memory::default() }
    }
}

/// All objects, at power-on.
fn build(values: &mut Values) -> (Dictionary, Slots) {
    *values = Values::default();
    let mut objects = Dictionary::default();
    let mut add = |index: u16, place: usize, access: Access| {
        let (name, kind) = if index == 0x7000 { OUTPUTS[place] } else { INPUTS[place] };
        values.add(&mut objects, (index, place as u8 + 1, name), kind, access, 0)
    };
    let mut output = |place| add(0x7000, place, Access::WriteMapped);
    let (desired, order, stiffness, damping, stamp) = (output(0), output(1), output(2), output(3), output(4));
    let mut input = |place| add(0x6000, place, Access::ReadMapped);
    let (position, reference, temperature) = (input(0), input(1), input(2));
    let (torque, fault, round_trip) = (input(3), input(4), input(5));
    let slots = Slots {
        desired,
        order,
        stiffness,
        damping,
        stamp,
        position,
        reference,
        temperature,
        torque,
        fault,
        round_trip,
    };
    for (index, name, count) in [(0x7000, "outputs", OUTPUTS.len()), (0x6000, "inputs", INPUTS.len())] {
        values.add(&mut objects, (index, 0, name), crate::coe::DataType::U8, Access::Read, count as u64);
    }
    (objects, slots)
}

impl Board {
    pub fn new(settings: Arc<Settings>) -> Board {
        let mut values = Values::default();
        let (_, slots) = build(&mut values);
        Board { memory: Memory::new(settings.endless), settings, values, slots }
    }

    fn hangs(&self) -> bool {
        self.memory.broken == Some(BoardFault::FrozenInputs)
    }

    /// The bit of what is wrong at this moment, 0 for nothing.
    fn cause(&self) -> u16 {
        match self.memory.broken {
            Some(BoardFault::DriveFault { code }) => match code >> 8 {
                0x43 => bits::HOT,
                0x23 => bits::OVER_CURRENT,
                0x73 => bits::ENCODER,
                _ => bits::OTHER,
            },
            _ if self.memory.temperature >= self.settings.trip_temperature => bits::HOT,
            _ if self.memory.status.contains(JointStatus::FAULT) => bits::ROBOT,
            _ => 0,
        }
    }

    fn obey(&mut self, word: u16, operational: bool) {
        let acknowledged = operational && word & bits::ACKNOWLEDGE != 0;
        if acknowledged && !self.memory.acknowledged && self.memory.faults != 0 {
            self.memory.patience = PATIENCE;
            self.memory.wants_reset = self.memory.status.contains(JointStatus::FAULT);
        }
        self.memory.acknowledged = acknowledged;
        let cause = self.cause();
        if self.memory.patience > 0 && cause == 0 {
            (self.memory.patience, self.memory.faults) = (0, 0);
        }
        if self.memory.faults == 0 {
            self.memory.faults = cause;
        }
        let goes_on = !operational && self.memory.running && self.settings.bus_loss != BusLoss::Disable;
        self.memory.running = (operational && word & bits::RUN != 0 || goes_on) && self.memory.faults == 0;
        self.memory.alone = goes_on;
    }

    fn publish(&self, objects: &mut Dictionary) {
        let Memory { status, faults, running, limited, .. } = self.memory;
        let saturated = limited || status.contains(JointStatus::SATURATED);
        let word = [
            (true, faults),
            (status.contains(JointStatus::DERATED), bits::DERATED),
            (saturated, bits::SATURATED),
            (running, bits::RUNNING),
        ];
        let word = word.iter().filter(|(set, _)| *set).fold(0, |word, (_, bits)| word | bits);
        objects.set(self.slots.fault, word.into());
        let reference = if running { self.slots.desired } else { self.slots.position };
        objects.set(self.slots.reference, objects.get(reference));
    }

    /// The board's law, within the joint's torque limit.
    fn command(&mut self, objects: &Dictionary) -> JointCommand {
        self.memory.limited = false;
        if !self.memory.running {
            return JointCommand::default();
        }
        let settings = &*self.settings;
        let desired = self.memory.encoder.counts.near(objects.get_signed(self.slots.desired) as i32);
        let stiffness = settings.stiffness.value(objects.get(self.slots.stiffness) as i64);
        let damping = settings.damping.value(objects.get(self.slots.damping) as i64);
        let command = match (self.memory.alone, settings.bus_loss) {
            (true, BusLoss::Damp) => JointCommand::turn(0.0, settings.damp),
            _ => JointCommand::hold(settings.position.value(desired), stiffness, damping),
        };
        let (command, limited) = self.memory.encoder.within_effort(command, settings.limits.effort);
        self.memory.limited = limited;
        self.memory.encoder.as_believed(command, self.memory.broken)
    }
}

impl Firmware for Board {
    fn dictionary(&mut self) -> Dictionary {
        let (objects, slots) = build(&mut self.values);
        self.slots = slots;
        objects
    }

    fn react(&mut self, objects: &mut Dictionary, operational: bool) {
        if self.hangs() {
            return;
        }
        if operational {
            self.memory.echo.receive(objects.get(self.slots.stamp) as u16);
        }
        self.obey(objects.get(self.slots.order) as u16, operational);
        self.publish(objects);
    }

    fn sample(&mut self, objects: &mut Dictionary, readings: &Readings, now: Time) {
        let Some(joint) = readings.joints.get(self.settings.joint).filter(|_| !self.hangs()) else { return };
        let (settings, memory) = (&*self.settings, &mut self.memory);
        memory.patience = memory.patience.saturating_sub(1);
        memory.encoder.read(joint, &settings.position, memory.broken);
        let hot =
            if let Some(BoardFault::Hot { temperature }) = memory.broken { temperature } else { joint.temperature };
        (memory.temperature, memory.status) = (hot, joint.status);
        objects.set(self.slots.position, memory.encoder.counts.last() as u64);
        if let Some(temperature) = settings.temperature.to_u16(hot) {
            objects.set(self.slots.temperature, temperature.into());
        }
        if let Some(torque) = settings.torque.to_i16(joint.effort) {
            objects.set(self.slots.torque, torque as u64);
        }
        let measured = board_time(readings, joint.stamp, now);
        objects.set(self.slots.round_trip, memory.echo.send(measured).into());
    }

    fn act(&mut self, objects: &Dictionary, commands: &mut Commands) {
        if !self.hangs() {
            self.memory.held = self.command(objects);
        }
        if let Some(command) = commands.joints.get_mut(self.settings.joint) {
            *command = self.memory.held;
        }
    }

    fn take_reset(&mut self) -> bool {
        core::mem::take(&mut self.memory.wants_reset)
    }

    fn error(&self, _objects: &Dictionary) -> Option<(u16, u8)> {
        let code = CODES.iter().find(|(bit, _)| self.memory.faults & bit != 0).map_or(0, |(_, code)| *code);
        Some((code, register(code)))
    }

    fn set_fault(&mut self, fault: Option<BoardFault>) {
        self.memory.broken = fault;
    }

    fn power_on(&mut self, objects: &mut Dictionary) {
        self.values.restore(objects);
        self.memory = Memory { broken: self.memory.broken, ..Memory::new(self.settings.endless) };
    }

    fn visit_state(&mut self, objects: &mut Dictionary, visitor: &mut dyn StateVisitor) {
        self.values.visit(objects, visitor);
        self.memory.visit_state(visitor);
    }
}
