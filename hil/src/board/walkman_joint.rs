//! Walk-Man's joint board: 12 bytes out, 16 bytes in, in the order of the paper (its figure 4).
//!
//! | out | | in | |
//! |---|---|---|---|
//! | position desired | i32 | position of the link | i32 |
//! | fault | u16 | reference position | i32 |
//! | PGain | u16 | maximum temperature | u16 |
//! | DGain | u16 | torque at the link | i16 |
//! | time stamp | u16 | fault | u16 |
//! | | | round trip time | u16 |
//!
//! The paper gives names and sizes; units and meanings are ours. The board's law is `PGain·(desired − q) − DGain·q̇`. It
//! knows neither velocity nor torque set-points, so the bridge moves the desired position by
//! `(damping·velocity + effort) / stiffness`, which is the same torque; a command with torque but no stiffness goes by a
//! spring of `torque_stiffness` whose end moves along with the joint. There is no velocity in the inputs: the bridge makes
//! one of positions with a first-order filter. The reference position is the position that the board steers to, or that of
//! the link while it does not run. For the round trip time see [`round_trip`].
//!
//! Fault words: out, bit 0 asks the board to run, and a rising edge of bit 15 acknowledges. In, see [`bits`].

mod board;

use std::sync::Arc;

use page::{Fault, Fields};
use robot_io::{
    Commands, JointCommand, JointKind, JointLimits, JointStatus, Readings, RobotLayout, State, StateVisitor, Time,
};

use super::cia402::trouble;
use super::echo::Stamps;
use super::fields::{encoder, gain, joint, positive};
use super::scaling::{Scale, Unwrap};
use super::{BoardDriver, BoardReport, BoardType, Firmware, Freshness, Order};
use crate::coe::DataType;
use crate::pdo::{Field, Pdo, PdoEntry, PdoMap};

pub use super::echo::round_trip;

/// The fault words.
pub mod bits {
    /// Out: run.
    pub const RUN: u16 = 1;
    /// Out: its rising edge acknowledges faults.
    pub const ACKNOWLEDGE: u16 = 1 << 15;
    /// In: the winding is too hot; latched.
    pub const HOT: u16 = 1;
    /// In: too much current; latched.
    pub const OVER_CURRENT: u16 = 1 << 1;
    /// In: the encoder; latched.
    pub const ENCODER: u16 = 1 << 2;
    /// In: the robot behind the board reports a fault; latched.
    pub const ROBOT: u16 = 1 << 3;
    /// In: any other fault; latched.
    pub const OTHER: u16 = 1 << 7;
    /// In: hot, and the torque reduced.
    pub const DERATED: u16 = 1 << 8;
    /// In: the command asks for more torque than there is.
    pub const SATURATED: u16 = 1 << 9;
    /// In: the board runs.
    pub const RUNNING: u16 = 1 << 15;
    /// In: all latched faults.
    pub const FAULTS: u16 = HOT | OVER_CURRENT | ENCODER | ROBOT | OTHER;
}

/// The bits of faults and the codes of CiA 402 by which the bridge knows them; the first that fits counts.
const CODES: [(u16, u16); 5] = [
    (bits::HOT, trouble::HOT),
    (bits::OVER_CURRENT, 0x2310),
    (bits::ENCODER, 0x7300),
    (bits::ROBOT, trouble::ROBOT_FAULT),
    (bits::OTHER, 0xff00),
];

/// What a bus file says of the board.
#[derive(Debug)]
struct Settings {
    joint: usize,
    endless: bool,
    limits: JointLimits,
    position: Scale,
    stiffness: Scale,
    damping: Scale,
    torque: Scale,
    temperature: Scale,
    torque_stiffness: f64,
    damp: f64,
    time_constant: f64,
    trip_temperature: f64,
    bus_loss: BusLoss,
}

/// What the board does by itself when its outputs stay away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BusLoss {
    /// No torque.
    Disable,
    /// Goes on with the last packet.
    Hold,
    /// No stiffness, and damping of its own.
    Damp,
}

const BUS_LOSSES: &[(&str, BusLoss)] =
    &[("disable", BusLoss::Disable), ("hold", BusLoss::Hold), ("damp", BusLoss::Damp)];

/// A board of a bus file.
#[derive(Debug)]
struct WalkmanJoint {
    settings: Arc<Settings>,
    joints: [usize; 1],
    map: PdoMap,
}

/// Reads the board's settings.
pub fn parse(fields: &mut Fields<'_>, layout: &RobotLayout) -> Result<Box<dyn BoardType>, Fault> {
    let joint = joint(fields, layout)?;
    let kind = layout.joints[joint].kind;
    let encoder = encoder(fields, kind)?;
    let settings = Settings {
        joint,
        endless: kind == JointKind::Continuous,
        limits: layout.joints[joint].limits,
        position: encoder.scale(),
        stiffness: Scale::of_unit(fields.number_or("stiffness_unit", positive("N·m/rad"), 0.1)?),
        damping: Scale::of_unit(fields.number_or("damping_unit", positive("N·m·s/rad"), 0.01)?),
        torque: Scale::of_unit(encoder.sign * fields.number_or("torque_unit", positive("N·m"), 0.01)?),
        temperature: Scale::of_unit(fields.number_or("temperature_unit", positive("°C"), 0.1)?),
        torque_stiffness: fields.number_or("torque_stiffness", positive("N·m/rad"), 20.0)?,
        time_constant: fields.number_or("velocity_time_constant", positive("s"), 0.005)?,
        trip_temperature: fields.number_or("trip_temperature", positive("°C"), 100.0)?,
        damp: fields.number("damp", gain("N·m·s/rad"))?,
        bus_loss: fields.word_or("bus_loss", BUS_LOSSES, BusLoss::Disable)?,
    };
    Ok(Box::new(WalkmanJoint { settings: Arc::new(settings), joints: [joint], map: map() }))
}

/// The objects of outputs and inputs, in order, with their sizes in bits.
const OUTPUTS: [(&str, DataType); 5] = [
    ("position desired", DataType::I32),
    ("fault", DataType::U16),
    ("PGain", DataType::U16),
    ("DGain", DataType::U16),
    ("time stamp", DataType::U16),
];
const INPUTS: [(&str, DataType); 6] = [
    ("position of the link", DataType::I32),
    ("reference position", DataType::I32),
    ("maximum temperature", DataType::U16),
    ("torque at the link", DataType::I16),
    ("fault", DataType::U16),
    ("round trip time", DataType::U16),
];

fn map() -> PdoMap {
    let entries = |index: u16, kinds: &[(&str, DataType)]| -> Vec<PdoEntry> {
        let bits = |kind: DataType| 8 * kind.bytes().unwrap_or(0) as u8;
        kinds.iter().zip(1..).map(|((_, kind), sub)| PdoEntry::new(index, sub, bits(*kind))).collect()
    };
    PdoMap {
        outputs: vec![Pdo { index: 0x1600, entries: entries(0x7000, &OUTPUTS) }],
        inputs: vec![Pdo { index: 0x1a00, entries: entries(0x6000, &INPUTS) }],
    }
}

impl BoardType for WalkmanJoint {
    fn type_name(&self) -> &'static str {
        "walkman_joint"
    }

    fn joints(&self) -> &[usize] {
        &self.joints
    }

    fn pdo_map(&self) -> &PdoMap {
        &self.map
    }

    fn driver(&self) -> Box<dyn BoardDriver> {
        Box::new(Driver {
            settings: self.settings.clone(),
            position: Unwrap::new(self.settings.endless),
            velocity: 0.0,
            last: None,
            acknowledging: 0,
            now: Time::ZERO,
            stamps: Stamps::default(),
            freshness: Freshness::default(),
        })
    }

    fn firmware(&self) -> Box<dyn Firmware> {
        Box::new(board::Board::new(self.settings.clone()))
    }
}

/// A field at a byte of the packet.
const fn at(byte: usize, bytes: u8) -> Field {
    Field { first_bit: 8 * byte, bits: 8 * bytes }
}

/// The MainDevice's end.
#[derive(Debug)]
struct Driver {
    settings: Arc<Settings>,
    position: Unwrap,
    /// Filtered [rad/s].
    velocity: f64,
    /// Position [rad] and time of the last new sample.
    last: Option<(f64, Time)>,
    /// Calls since an acknowledgement was first asked for.
    acknowledging: u32,
    /// The time of the last decoding, for the time stamp.
    now: Time,
    stamps: Stamps,
    freshness: Freshness,
}

/// What goes out: desired position [increments] and gains [increments].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Packet {
    desired: i32,
    stiffness: u16,
    damping: u16,
}

impl Driver {
    /// The packet that makes the board give a command's torque. `actual` [increments] is where the joint is.
    fn packet(&self, command: &JointCommand, actual: i64) -> Packet {
        let Settings { limits, position: scale, .. } = &*self.settings;
        let gain = |scale: &Scale, gain: f64| scale.to_u16(gain).unwrap_or(0);
        let (mut stiffness, damping) =
            (gain(&self.settings.stiffness, command.stiffness), gain(&self.settings.damping, command.damping));
        // no limit of it is the torque's: the board's own damping takes most of it away again
        let pushed = command.effort + self.settings.damping.value(damping.into()) * command.velocity;
        let mut target = command.position.max(limits.lower).min(limits.upper);
        if stiffness == 0 {
            target = scale.value(actual);
            stiffness =
                if pushed == 0.0 { 0 } else { gain(&self.settings.stiffness, self.settings.torque_stiffness).max(1) };
        }
        if stiffness > 0 {
            target += pushed / self.settings.stiffness.value(stiffness.into());
        }
        let increments = scale.increments(target).unwrap_or(actual);
        let most = if self.settings.endless { i64::MAX } else { i32::MAX.into() };
        Packet { desired: increments.clamp(-most - 1, most) as i32, stiffness, damping }
    }

    fn fault_word(&mut self, order: Order, running: bool) -> u16 {
        self.acknowledging = if order == Order::Reset { self.acknowledging % 32 + 1 } else { 0 };
        match order {
            Order::Follow => bits::RUN,
            Order::Hold | Order::Damp if running => bits::RUN,
            // sixteen cycles high, sixteen low: as long as it takes
            Order::Reset if self.acknowledging <= 16 => bits::ACKNOWLEDGE,
            Order::Hold | Order::Damp | Order::Off | Order::Reset | Order::Home => 0,
        }
    }

    /// First-order low-pass of the differences between new samples.
    fn differentiate(&mut self, position: f64, now: Time) {
        if let Some((before, then)) = self.last.filter(|(_, then)| *then < now) {
            let elapsed = now.since(then).seconds();
            let difference = (position - before) / elapsed;
            self.velocity += (difference - self.velocity) * elapsed / (self.settings.time_constant + elapsed);
        }
        self.last = Some((position, now));
    }
}

impl BoardDriver for Driver {
    fn encode(&mut self, order: Order, commands: &Commands, inputs: &[u8], outputs: &mut [u8]) {
        let running = at(12, 2).get(inputs) as u16 & bits::RUNNING != 0;
        let actual = self.position.near(at(0, 4).get_signed(inputs) as i32);
        let command = commands.joints.get(self.settings.joint).copied().unwrap_or_default();
        let packet = match order {
            Order::Follow | Order::Hold if running && command.is_finite() => self.packet(&command, actual),
            Order::Follow | Order::Hold | Order::Damp if running => {
                self.packet(&JointCommand::turn(0.0, self.settings.damp), actual)
            }
            _ => Packet { desired: actual as i32, ..Packet::default() },
        };
        at(0, 4).put(outputs, packet.desired as u64);
        at(4, 2).put(outputs, self.fault_word(order, running).into());
        at(6, 2).put(outputs, packet.stiffness.into());
        at(8, 2).put(outputs, packet.damping.into());
        at(10, 2).put(outputs, self.stamps.next(self.now).into());
    }

    fn decode(&mut self, inputs: &[u8], now: Time, readings: &mut Readings) -> BoardReport {
        self.now = now;
        let word = at(12, 2).get(inputs) as u16;
        let sample = Some(at(14, 2).get(inputs));
        let stamp = self.freshness.stamp(sample, now);
        let position = self.settings.position.value(self.position.next(at(0, 4).get_signed(inputs) as i32));
        if stamp == now {
            self.differentiate(position, now);
        }
        let temperature = self.settings.temperature.value(at(8, 2).get(inputs) as i64);
        let running = word & bits::RUNNING != 0;
        if let Some(joint) = readings.joints.get_mut(self.settings.joint) {
            (joint.stamp, joint.position, joint.velocity) = (stamp, position, self.velocity);
            joint.effort = self.settings.torque.value(at(10, 2).get_signed(inputs));
            joint.temperature = temperature;
            joint.status = JointStatus::default()
                .with(JointStatus::ENABLED, running)
                .with(JointStatus::FAULT, word & bits::FAULTS != 0)
                .with(JointStatus::DERATED, word & bits::DERATED != 0)
                .with(JointStatus::SATURATED, word & bits::SATURATED != 0);
        }
        let fault = CODES.iter().find(|(bit, _)| word & bit != 0).map(|(_, code)| *code);
        BoardReport { following: running, fault, sample, temperature: Some(temperature), ..BoardReport::default() }
    }

    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("position", &mut self.position);
        visitor.field("velocity", &mut self.velocity);
        let (mut known, (mut before, mut then)) = (self.last.is_some(), self.last.unwrap_or_default());
        visitor.field("known", &mut known);
        visitor.field("last", &mut before);
        visitor.field("when", &mut then);
        self.last = known.then_some((before, then));
        visitor.field("acknowledging", &mut self.acknowledging);
        visitor.field("now", &mut self.now);
        visitor.field("stamps", &mut self.stamps);
        self.freshness.visit_state(visitor);
    }
}
