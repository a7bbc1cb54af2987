//! A board of skin: for each of its patches 4 bytes in, the force as f32 [N], in the order of its settings; then which of them say that they are
//! touched (a bit each, u32, the first patch's the lowest), fault, round trip time and time stamp as u16. Out go 2 bytes, the MainDevice's
//! time stamp. It is ours, in the manner of [`walkman_force_torque`](super::walkman_force_torque).
//!
//! A robot's skin is switched on as a whole. Where it is off the board is not on the cable.

use page::{Fault, Fields, Value};
use robot_io::{Commands, Readings, RobotLayout, State, StateVisitor, Time};

use super::echo::{Echo, Stamps, stamp};
use super::encoder::visit_fault;
use super::fields::sensor;
use super::values::Values;
use super::{BoardDriver, BoardReport, BoardType, Firmware, Freshness, INVALID_INPUT, Order, board_time};
use crate::board::BoardFault;
use crate::coe::{Access, DataType, Dictionary, Slot};
use crate::pdo::{Field, Pdo, PdoEntry, PdoMap};

/// The word for it in a bus file.
pub(crate) const SKIN: &str = "skin";
/// The fault bit and the code by which the bridge knows it.
const FAULT: (u16, u16) = (1 << 7, 0xff00);
/// A bit each.
const MOST_PATCHES: usize = 32;

/// A board of a bus file.
#[derive(Debug)]
struct SkinBoard {
    /// Its patches, by their places among the layout's contacts.
    patches: Vec<usize>,
    map: PdoMap,
}

/// Reads the board's settings.
pub fn parse(fields: &mut Fields<'_>, layout: &RobotLayout) -> Result<Box<dyn BoardType>, Fault> {
    let list = fields.need("patches", "a list of patches of skin")?;
    let names = list.list("a list of patches of skin")?;
    if names.is_empty() || names.len() > MOST_PATCHES {
        return Err(list.error(&format!("1 to {MOST_PATCHES} patches of skin"), &names.len().to_string()));
    }
    let is_known =
        |name: &Value<'_>| Ok(layout.contacts.iter().any(|contact| contact.name == name.text().unwrap_or("")));
    let is_on = names.iter().map(is_known).collect::<Result<Vec<bool>, Fault>>()?.contains(&true);
    let find = |name: &Value<'_>| sensor(name, "a patch of skin", &layout.contacts);
    let patches = if is_on { names.iter().map(find).collect::<Result<Vec<_>, _>>()? } else { Vec::new() };
    let count = names.len() as u8;
    let mut inputs: Vec<PdoEntry> = (1..=count + 1).map(|sub| PdoEntry::new(0x6000, sub, 32)).collect();
    inputs.extend((count + 2..=count + 4).map(|sub| PdoEntry::new(0x6000, sub, 16)));
    let map = PdoMap {
        outputs: vec![Pdo { index: 0x1600, entries: vec![PdoEntry::new(0x7000, 1, 16)] }],
        inputs: vec![Pdo { index: 0x1a00, entries: inputs }],
    };
    Ok(Box::new(SkinBoard { patches, map }))
}

impl BoardType for SkinBoard {
    fn type_name(&self) -> &'static str {
        SKIN
    }

    fn is_there(&self) -> bool {
        !self.patches.is_empty()
    }

    fn contacts(&self) -> &[usize] {
        &self.patches
    }

    fn pdo_map(&self) -> &PdoMap {
        &self.map
    }

    fn driver(&self) -> Box<dyn BoardDriver> {
        Box::new(Driver {
            patches: self.patches.clone(),
            now: Time::ZERO,
            stamps: Stamps::default(),
            freshness: Freshness::default(),
        })
    }

    fn firmware(&self) -> Box<dyn Firmware> {
        let mut values = Values::default();
        let (_, slots) = build(&mut values, self.patches.len());
        Box::new(Board { patches: self.patches.clone(), values, slots, echo: Echo::default(), broken: None })
    }
}

/// A field at a byte of the packet.
const fn at(byte: usize, bytes: u8) -> Field {
    Field { first_bit: 8 * byte, bits: 8 * bytes }
}

/// The MainDevice's end.
#[derive(Debug)]
struct Driver {
    patches: Vec<usize>,
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
        let end = 4 * self.patches.len();
        let force = |place: usize| f64::from(at(4 * place, 4).get_f32(inputs));
        let sample = Some(at(end + 8, 2).get(inputs));
        let touched = at(end, 4).get(inputs);
        let mut fault = (at(end + 4, 2).get(inputs) as u16 & FAULT.0 != 0).then_some(FAULT.1);
        if !(0..self.patches.len()).all(|place| force(place).is_finite()) {
            fault = Some(INVALID_INPUT);
        } else {
            let measured = self.freshness.stamp(sample, now);
            for (place, patch) in self.patches.iter().enumerate() {
                let Some(reading) = readings.contacts.get_mut(*patch) else { continue };
                (reading.stamp, reading.touching, reading.force) = (measured, touched >> place & 1 != 0, force(place));
            }
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
    patches: Vec<usize>,
    values: Values,
    slots: Slots,
    echo: Echo,
    broken: Option<BoardFault>,
}

#[derive(Clone, Debug)]
struct Slots {
    sent: Slot,
    forces: Vec<Slot>,
    touched: Slot,
    fault: Slot,
    round_trip: Slot,
    stamp: Slot,
}

/// All objects, at power-on.
fn build(values: &mut Values, patches: usize) -> (Dictionary, Slots) {
    *values = Values::default();
    let mut objects = Dictionary::default();
    let mut add =
        |index, sub, name, kind, access, value| values.add(&mut objects, (index, sub, name), kind, access, value);
    let count = patches as u8;
    add(0x7000, 0, "outputs", DataType::U8, Access::Read, 1);
    add(0x6000, 0, "inputs", DataType::U8, Access::Read, u64::from(count) + 4);
    let sent = add(0x7000, 1, "time stamp", DataType::U16, Access::WriteMapped, 0);
    let force = |sub| add(0x6000, sub, "force [N]", DataType::F32, Access::ReadMapped, 0);
    let forces = (1..=count).map(force).collect();
    let touched = add(0x6000, count + 1, "touched", DataType::U32, Access::ReadMapped, 0);
    let mut word = |sub, name| add(0x6000, sub, name, DataType::U16, Access::ReadMapped, 0);
    let (fault, round_trip) = (word(count + 2, "fault"), word(count + 3, "round trip time"));
    let stamp = word(count + 4, "time stamp");
    (objects, Slots { sent, forces, touched, fault, round_trip, stamp })
}

impl Firmware for Board {
    fn dictionary(&mut self) -> Dictionary {
        let (objects, slots) = build(&mut self.values, self.patches.len());
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
        let first = self.patches.first().and_then(|patch| readings.contacts.get(*patch));
        let Some(first) = first.filter(|_| !hangs) else { return };
        let measured = board_time(readings, first.stamp, now);
        objects.set(self.slots.round_trip, self.echo.send(measured).into());
        objects.set(self.slots.stamp, stamp(measured).into());
        if self.broken == Some(BoardFault::FrozenEncoder) {
            return;
        }
        let mut touched = 0;
        for (place, (patch, slot)) in self.patches.iter().zip(&self.slots.forces).enumerate() {
            let Some(reading) = readings.contacts.get(*patch) else { continue };
            objects.set_f32(*slot, reading.force as f32);
            touched |= u64::from(reading.touching) << place;
        }
        objects.set(self.slots.touched, touched);
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
