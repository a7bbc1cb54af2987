//! Walk-Man's force/torque board: 30 bytes in, in the order of the paper (its figure 4): Fx, Fy, Fz, Tx, Ty, Tz as f32
//! [N], [N·m], fault, round trip time and time stamp as u16. Out go 2 bytes, the MainDevice's time stamp, without which
//! there is no round trip (the paper lists no packet in that direction).
//!
//! The time stamp is the board's clock at the sample [µs], the round trip time as in [`walkman_joint`](super::walkman_joint).
//! The fault word is 0, or has bit 7 while the board is broken.

use nalgebra::Vector3;
use page::{Fault, Fields};
use robot_io::{Commands, Readings, RobotLayout, State, StateVisitor, Time};

use super::echo::{Echo, Stamps, stamp};
use super::encoder::visit_fault;
use super::fields::sensor;
use super::values::Values;
use super::{BoardDriver, BoardReport, BoardType, Firmware, Freshness, INVALID_INPUT, Order, board_time};
use crate::board::BoardFault;
use crate::coe::{Access, DataType, Dictionary, Slot};
use crate::pdo::{Field, Pdo, PdoEntry, PdoMap};

/// The fault bit and the code by which the bridge knows it.
const FAULT: (u16, u16) = (1 << 7, 0xff00);

const NAMES: [&str; 6] = ["Fx [N]", "Fy [N]", "Fz [N]", "Tx [N·m]", "Ty [N·m]", "Tz [N·m]"];

/// A board of a bus file.
#[derive(Debug)]
struct ForceTorqueBoard {
    sensor: usize,
    map: PdoMap,
}

/// Reads the board's settings.
pub fn parse(fields: &mut Fields<'_>, layout: &RobotLayout) -> Result<Box<dyn BoardType>, Fault> {
    let kind = "a force/torque sensor";
    let sensor = sensor(&fields.need("force_torque", kind)?, kind, &layout.force_torques)?;
    let mut inputs: Vec<PdoEntry> = (1..=6).map(|sub| PdoEntry::new(0x6000, sub, 32)).collect();
    inputs.extend((7..=9).map(|sub| PdoEntry::new(0x6000, sub, 16)));
    let map = PdoMap {
        outputs: vec![Pdo { index: 0x1600, entries: vec![PdoEntry::new(0x7000, 1, 16)] }],
        inputs: vec![Pdo { index: 0x1a00, entries: inputs }],
    };
    Ok(Box::new(ForceTorqueBoard { sensor, map }))
}

impl BoardType for ForceTorqueBoard {
    fn type_name(&self) -> &'static str {
        "walkman_force_torque"
    }

    fn pdo_map(&self) -> &PdoMap {
        &self.map
    }

    fn driver(&self) -> Box<dyn BoardDriver> {
        Box::new(Driver {
            sensor: self.sensor,
            now: Time::ZERO,
            stamps: Stamps::default(),
            freshness: Freshness::default(),
        })
    }

    fn firmware(&self) -> Box<dyn Firmware> {
        let mut values = Values::default();
        let (_, slots) = build(&mut values);
        Box::new(Board { sensor: self.sensor, values, slots, echo: Echo::default(), broken: None })
    }
}

/// A field at a byte of the packet.
const fn at(byte: usize, bytes: u8) -> Field {
    Field { first_bit: 8 * byte, bits: 8 * bytes }
}

/// The MainDevice's end.
#[derive(Debug)]
struct Driver {
    sensor: usize,
    /// The time of the last decoding, for the time stamp.
    now: Time,
    stamps: Stamps,
    freshness: Freshness,
}

impl BoardDriver for Driver {
    fn encode(&mut self, _order: Order, _commands: &Commands, _inputs: &[u8], outputs: &mut [u8]) {
        at(0, 2).put(outputs, self.stamps.next(self.now).into());
    }

    fn decode(&mut self, inputs: &[u8], now: Time, readings: &mut Readings) -> BoardReport {
        self.now = now;
        let sample = Some(at(28, 2).get(inputs));
        let vector = |byte: usize| Vector3::from_fn(|row, _| f64::from(at(byte + 4 * row, 4).get_f32(inputs)));
        let (force, torque) = (vector(0), vector(12));
        let valid = force.iter().chain(torque.iter()).all(|number| number.is_finite());
        let mut fault = (at(24, 2).get(inputs) as u16 & FAULT.0 != 0).then_some(FAULT.1);
        if !valid {
            fault = Some(INVALID_INPUT);
        } else if let Some(reading) = readings.force_torques.get_mut(self.sensor) {
            (reading.stamp, reading.force, reading.torque) = (self.freshness.stamp(sample, now), force, torque);
        }
        BoardReport { following: true, fault, sample, ..BoardReport::default() }
    }

    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("now", &mut self.now);
        visitor.field("stamps", &mut self.stamps);
        self.freshness.visit_state(visitor);
    }
}

/// The emulated board. Of the faults it knows frozen inputs, `frozen_encoder`, which here freezes what is measured, and
/// `drive_fault`.
#[derive(Debug)]
struct Board {
    sensor: usize,
    values: Values,
    slots: Slots,
    echo: Echo,
    broken: Option<BoardFault>,
}

#[derive(Clone, Copy, Debug)]
struct Slots {
    sent: Slot,
    measured: [Slot; 6],
    fault: Slot,
    round_trip: Slot,
    stamp: Slot,
}

/// All objects, at power-on.
fn build(values: &mut Values) -> (Dictionary, Slots) {
    *values = Values::default();
    let mut objects = Dictionary::default();
    let mut add =
        |index, sub, name, kind, access, value| values.add(&mut objects, (index, sub, name), kind, access, value);
    add(0x7000, 0, "outputs", DataType::U8, Access::Read, 1);
    add(0x6000, 0, "inputs", DataType::U8, Access::Read, 9);
    let sent = add(0x7000, 1, "time stamp", DataType::U16, Access::WriteMapped, 0);
    let mut number = 0;
    let measured = NAMES.map(|name| {
        number += 1;
        add(0x6000, number, name, DataType::F32, Access::ReadMapped, 0)
    });
    let mut word = |sub, name| add(0x6000, sub, name, DataType::U16, Access::ReadMapped, 0);
    let (fault, round_trip, stamp) = (word(7, "fault"), word(8, "round trip time"), word(9, "time stamp"));
    (objects, Slots { sent, measured, fault, round_trip, stamp })
}

impl Firmware for Board {
    fn dictionary(&mut self) -> Dictionary {
        let (objects, slots) = build(&mut self.values);
        self.slots = slots;
        objects
    }

    fn react(&mut self, objects: &mut Dictionary, operational: bool) {
        if operational {
            self.echo.receive(objects.get(self.slots.sent) as u16);
        }
        let broken = matches!(self.broken, Some(BoardFault::DriveFault { .. }));
        objects.set(self.slots.fault, if broken { FAULT.0.into() } else { 0 });
    }

    fn sample(&mut self, objects: &mut Dictionary, readings: &Readings, now: Time) {
        let hangs = self.broken == Some(BoardFault::FrozenInputs);
        let Some(sensor) = readings.force_torques.get(self.sensor).filter(|_| !hangs) else { return };
        let measured = board_time(readings, sensor.stamp, now);
        objects.set(self.slots.round_trip, self.echo.send(measured).into());
        objects.set(self.slots.stamp, stamp(measured).into());
        if self.broken != Some(BoardFault::FrozenEncoder) {
            let numbers = sensor.force.iter().chain(sensor.torque.iter());
            self.slots.measured.iter().zip(numbers).for_each(|(slot, number)| objects.set_f32(*slot, *number as f32));
        }
    }

    fn set_fault(&mut self, fault: Option<BoardFault>) {
        self.broken = fault;
    }

    fn power_on(&mut self, objects: &mut Dictionary) {
        self.values.restore(objects);
        self.echo = Echo::default();
    }

    fn visit_state(&mut self, objects: &mut Dictionary, visitor: &mut dyn StateVisitor) {
        self.values.visit(objects, visitor);
        visitor.field("echo", &mut self.echo);
        visit_fault(&mut self.broken, visitor);
    }
}
