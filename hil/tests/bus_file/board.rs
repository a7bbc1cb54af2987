//! A board type for tests: a motor that knows its joint and how many counts a turn has.

use hil::HilError;
use hil::board::fields::joint;
use hil::board::{BoardDriver, BoardReport, BoardType, Firmware, ParseBoard};
use hil::bus_file::BusPlan;
use hil::coe::Dictionary;
use hil::pdo::{Pdo, PdoEntry, PdoMap};
use page::{Fault, Fields};
use robot_io::{Readings, RobotLayout, StateVisitor, Time};

/// The table that the tests parse with.
pub const TYPES: &[(&str, ParseBoard)] = &[("motor", parse), ("sensor", parse_sensor)];

#[derive(Debug)]
struct Motor {
    joints: Vec<usize>,
    map: PdoMap,
}

fn map() -> PdoMap {
    PdoMap {
        outputs: vec![Pdo { index: 0x1600, entries: vec![PdoEntry::new(0x6040, 0, 16), PdoEntry::new(0x607a, 0, 32)] }],
        inputs: vec![Pdo { index: 0x1a00, entries: vec![PdoEntry::new(0x6041, 0, 16)] }],
    }
}

fn parse(fields: &mut Fields<'_>, layout: &RobotLayout) -> Result<Box<dyn BoardType>, Fault> {
    let joint = joint(fields, layout)?;
    let mut encoder = fields.need("encoder", "a table")?.table()?;
    encoder.whole("counts", 1..=9999)?;
    encoder.get("sign");
    encoder.finish()?;
    Ok(Box::new(Motor { joints: vec![joint], map: map() }))
}

fn parse_sensor(_: &mut Fields<'_>, _: &RobotLayout) -> Result<Box<dyn BoardType>, Fault> {
    Ok(Box::new(Motor { joints: Vec::new(), map: map() }))
}

impl BoardType for Motor {
    fn type_name(&self) -> &'static str {
        if self.joints.is_empty() { "sensor" } else { "motor" }
    }

    fn joints(&self) -> &[usize] {
        &self.joints
    }

    fn pdo_map(&self) -> &PdoMap {
        &self.map
    }

    fn driver(&self) -> Box<dyn BoardDriver> {
        Box::new(Mute)
    }

    fn firmware(&self) -> Box<dyn Firmware> {
        Box::new(Mute)
    }
}

/// Both ends of a board that never speaks.
#[derive(Debug)]
struct Mute;

impl BoardDriver for Mute {
    fn decode(&mut self, _: &[u8], _: Time, _: &mut Readings) -> BoardReport {
        BoardReport::default()
    }

    fn visit_state(&mut self, _: &mut dyn StateVisitor) {}
}

impl Firmware for Mute {
    fn dictionary(&mut self) -> Dictionary {
        Dictionary::default()
    }

    fn react(&mut self, _: &mut Dictionary, _: bool) {}

    fn visit_state(&mut self, _: &mut Dictionary, _: &mut dyn StateVisitor) {}
}

/// Reads a bus file for the example robot: hip, knee and wheel at 1 kHz.
pub fn plan(text: &str) -> Result<BusPlan, HilError> {
    BusPlan::parse_with(text, "bus.toml", &RobotLayout::example(), TYPES)
}
