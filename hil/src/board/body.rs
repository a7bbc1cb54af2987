//! The board in a robot's body: an inertial measurement unit, a battery monitor, or both. Inputs only.
//!
//! | part of 0x6000 | | |
//! |---|---|---|
//! | 1 | the board's clock when it filled its inputs [ns] | u64 |
//! | 2 | the board's clock when the IMU measured [ns] | u64 |
//! | 3 to 6 | orientation, a unit quaternion x, y, z, w | f32 |
//! | 7 to 9 | angular velocity [rad/s] | f32 |
//! | 10 to 12 | linear acceleration [m/s²] | f32 |
//! | 13 to 15 | voltage [V], current [A], charge 0 to 1 | f32 |
//!
//! An IMU may be slower than the bus: its sample is then older than the inputs. Both times are on the board's clock, so
//! their difference is the sample's age whatever that clock's zero, and the reading's stamp is the bridge's time less that age.

use nalgebra::{Quaternion, UnitQuaternion, Vector3, Vector4};
use page::{Fault, Fields};
use robot_io::{Period, Readings, RobotLayout, State, StateVisitor, Time};

use super::encoder::visit_fault;
use super::fields::sensor;
use super::values::Values;
use super::{BoardDriver, BoardReport, BoardType, Firmware, Freshness, INVALID_INPUT, board_time};
use crate::board::BoardFault;
use crate::coe::{Access, DataType, Dictionary, Slot};
use crate::pdo::{Field, Pdo, PdoEntry, PdoMap};

/// The code by which the bridge knows a board that says it is broken.
const BROKEN: u16 = 0xff00;
/// The clock's part of the object.
const CLOCK: u8 = 1;
/// The IMU's parts.
const IMU: core::ops::RangeInclusive<u8> = 2..=12;
/// The battery's parts.
const BATTERY: core::ops::RangeInclusive<u8> = 13..=15;
/// The fault's part.
const FAULT: u8 = 16;

const NAMES: [&str; 16] = [
    "clock [ns]",
    "time of the IMU's sample [ns]",
    "orientation x",
    "orientation y",
    "orientation z",
    "orientation w",
    "angular velocity x [rad/s]",
    "angular velocity y [rad/s]",
    "angular velocity z [rad/s]",
    "linear acceleration x [m/s²]",
    "linear acceleration y [m/s²]",
    "linear acceleration z [m/s²]",
    "voltage [V]",
    "current [A]",
    "charge",
    "fault",
];

/// A quaternion's squared length may be this far from one: what rounding to f32 does, and no more.
const ROUNDING: f64 = 1e-6;
/// Farther than this from one it is no orientation at all.
const NO_ROTATION: f64 = 0.1;

/// Which sensors are on the board: their indices in the layout.
#[derive(Clone, Copy, Debug)]
struct Sensors {
    imu: Option<usize>,
    battery: Option<usize>,
}

/// A board of a bus file.
#[derive(Debug)]
struct Body {
    sensors: Sensors,
    map: PdoMap,
}

/// Reads the board's settings.
pub fn parse(fields: &mut Fields<'_>, layout: &RobotLayout) -> Result<Box<dyn BoardType>, Fault> {
    let imu = fields.get("imu").map(|name| sensor(&name, "an IMU", &layout.imus)).transpose()?;
    let battery =
        fields.get("battery").map(|name| sensor(&name, "a battery monitor", &layout.batteries)).transpose()?;
    fields.finish()?;
    if imu.is_none() && battery.is_none() {
        return Err(fields.error("`imu`, `battery` or both", "neither"));
    }
    let sensors = Sensors { imu, battery };
    Ok(Box::new(Body { sensors, map: map(sensors) }))
}

const fn kind_of(part: u8) -> DataType {
    match part {
        1 | 2 => DataType::U64,
        FAULT => DataType::U16,
        _ => DataType::F32,
    }
}

fn map(sensors: Sensors) -> PdoMap {
    let wanted = |part: &u8| {
        (!IMU.contains(part) || sensors.imu.is_some()) && (!BATTERY.contains(part) || sensors.battery.is_some())
    };
    let entry = |part: u8| PdoEntry::new(0x6000, part, 8 * kind_of(part).bytes().unwrap_or(0) as u8);
    let entries = (CLOCK..=FAULT).filter(wanted).map(entry).collect();
    PdoMap { outputs: Vec::new(), inputs: vec![Pdo { index: 0x1a00, entries }] }
}

impl BoardType for Body {
    fn type_name(&self) -> &'static str {
        "body"
    }

    fn pdo_map(&self) -> &PdoMap {
        &self.map
    }

    fn driver(&self) -> Box<dyn BoardDriver> {
        let nowhere = Field { first_bit: 0, bits: 0 };
        let places = core::array::from_fn(|place| self.map.input(0x6000, place as u8 + 1).unwrap_or(nowhere));
        Box::new(Driver { sensors: self.sensors, places, freshness: Freshness::default() })
    }

    fn firmware(&self) -> Box<dyn Firmware> {
        let mut values = Values::default();
        let (_, slots) = build(&mut values);
        Box::new(Board { sensors: self.sensors, values, slots, broken: None })
    }
}

/// The MainDevice's end.
#[derive(Debug)]
struct Driver {
    sensors: Sensors,
    /// Where each part lies; without bits if it is not mapped.
    places: [Field; NAMES.len()],
    freshness: Freshness,
}

impl Driver {
    fn place(&self, part: u8) -> Field {
        self.places[usize::from(part) - 1]
    }

    /// Three numbers from `part` on.
    fn vector(&self, part: u8, inputs: &[u8]) -> Vector3<f64> {
        Vector3::from_fn(|row, _| f64::from(self.place(part + row as u8).get_f32(inputs)))
    }

    /// The orientation as it came off the wire; normalised if it is off by more than rounding, `None` if it is none.
    fn orientation(&self, inputs: &[u8]) -> Option<UnitQuaternion<f64>> {
        let part = |k: usize| f64::from(self.place(3 + k as u8).get_f32(inputs));
        let quaternion = Quaternion::from_vector(Vector4::from_fn(|row, _| part(row)));
        let error = (quaternion.norm_squared() - 1.0).abs();
        match error {
            _ if error <= ROUNDING => Some(UnitQuaternion::new_unchecked(quaternion)),
            _ if error <= NO_ROTATION => Some(UnitQuaternion::new_normalize(quaternion)),
            _ => None,
        }
    }

    /// Takes over the IMU; false if a number is none.
    fn imu(&self, inputs: &[u8], stamp: Time, readings: &mut Readings) -> bool {
        let Some(imu) = self.sensors.imu.and_then(|index| readings.imus.get_mut(index)) else { return true };
        let (angular_velocity, linear_acceleration) = (self.vector(7, inputs), self.vector(10, inputs));
        let finite = angular_velocity.iter().chain(linear_acceleration.iter()).all(|number| number.is_finite());
        let Some(orientation) = self.orientation(inputs).filter(|_| finite) else { return false };
        let time = |part: u8| Time::from_nanoseconds(self.place(part).get(inputs));
        let age: Period = time(1).since(time(2));
        imu.stamp = Time::from_nanoseconds(stamp.nanoseconds().saturating_sub(age.nanoseconds()));
        (imu.orientation, imu.angular_velocity, imu.linear_acceleration) =
            (orientation, angular_velocity, linear_acceleration);
        true
    }

    /// Takes over the battery; false if a number is none.
    fn battery(&self, inputs: &[u8], stamp: Time, readings: &mut Readings) -> bool {
        let Some(battery) = self.sensors.battery.and_then(|index| readings.batteries.get_mut(index)) else {
            return true;
        };
        let numbers = self.vector(*BATTERY.start(), inputs);
        let finite = numbers.iter().all(|number| number.is_finite());
        if finite {
            (battery.stamp, battery.voltage, battery.current, battery.charge) =
                (stamp, numbers.x, numbers.y, numbers.z);
        }
        finite
    }
}

impl BoardDriver for Driver {
    fn decode(&mut self, inputs: &[u8], now: Time, readings: &mut Readings) -> BoardReport {
        let sample = Some(self.place(CLOCK).get(inputs));
        let stamp = self.freshness.stamp(sample, now);
        let imu = self.imu(inputs, stamp, readings);
        let battery = self.battery(inputs, stamp, readings);
        let broken = self.place(FAULT).get(inputs) != 0;
        let fault = if imu && battery { broken.then_some(BROKEN) } else { Some(INVALID_INPUT) };
        BoardReport { following: true, fault, sample, ..BoardReport::default() }
    }

    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        self.freshness.visit_state(visitor);
    }
}

/// The emulated board. Of the faults it knows frozen inputs, `frozen_encoder`, which here freezes what is measured, and
/// `drive_fault`.
#[derive(Debug)]
struct Board {
    sensors: Sensors,
    values: Values,
    slots: [Slot; NAMES.len()],
    broken: Option<BoardFault>,
}

/// All objects, at power-on.
fn build(values: &mut Values) -> (Dictionary, [Slot; NAMES.len()]) {
    *values = Values::default();
    let mut objects = Dictionary::default();
    values.add(&mut objects, (0x6000, 0, "inputs"), DataType::U8, Access::Read, NAMES.len() as u64);
    let mut part = 0;
    let slots = NAMES.map(|name| {
        part += 1;
        // at power-on it lies flat
        let value = if part == 6 { 1.0_f32.to_bits().into() } else { 0 };
        values.add(&mut objects, (0x6000, part, name), kind_of(part), Access::ReadMapped, value)
    });
    (objects, slots)
}

impl Board {
    fn slot(&self, part: u8) -> Slot {
        self.slots[usize::from(part) - 1]
    }

    /// Puts numbers into the parts from `first` on.
    fn put<'a>(&self, objects: &mut Dictionary, first: u8, numbers: impl IntoIterator<Item = &'a f64>) {
        let parts = first..=FAULT;
        parts.zip(numbers).for_each(|(part, number)| objects.set_f32(self.slot(part), *number as f32));
    }
}

impl Firmware for Board {
    fn dictionary(&mut self) -> Dictionary {
        let (objects, slots) = build(&mut self.values);
        self.slots = slots;
        objects
    }

    fn react(&mut self, objects: &mut Dictionary, _operational: bool) {
        let broken = matches!(self.broken, Some(BoardFault::DriveFault { .. }));
        objects.set(self.slot(FAULT), broken.into());
    }

    fn sample(&mut self, objects: &mut Dictionary, readings: &Readings, now: Time) {
        if self.broken == Some(BoardFault::FrozenInputs) {
            return;
        }
        let frozen = self.broken == Some(BoardFault::FrozenEncoder);
        objects.set(self.slot(CLOCK), now.nanoseconds());
        if let Some(imu) = self.sensors.imu.and_then(|index| readings.imus.get(index)) {
            objects.set(self.slot(2), board_time(readings, imu.stamp, now).nanoseconds());
            if !frozen {
                self.put(objects, 3, imu.orientation.coords.iter());
                self.put(objects, 7, imu.angular_velocity.iter());
                self.put(objects, 10, imu.linear_acceleration.iter());
            }
        }
        let battery = self.sensors.battery.and_then(|index| readings.batteries.get(index));
        if let Some(battery) = battery.filter(|_| !frozen) {
            self.put(objects, *BATTERY.start(), &[battery.voltage, battery.current, battery.charge]);
        }
    }

    fn set_fault(&mut self, fault: Option<BoardFault>) {
        self.broken = fault;
    }

    fn power_on(&mut self, objects: &mut Dictionary) {
        self.values.restore(objects);
    }

    fn visit_state(&mut self, objects: &mut Dictionary, visitor: &mut dyn StateVisitor) {
        self.values.visit(objects, visitor);
        visit_fault(&mut self.broken, visitor);
    }
}
