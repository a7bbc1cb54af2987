//! Readings and commands as a table: a row for each cycle, a column for each number.

use std::collections::BTreeMap;

use robot_io::{Digest, JointKind, RobotLayout, Seal, State, StateVisitor};

use crate::names::{NamedWord, name_words};
use crate::{Cycle, LogError, LogReader};

/// A column of a log's table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// What it holds, for example `readings/joints/left_knee/position`.
    pub name: String,
    /// The unit of its numbers; empty if they have none.
    pub unit: &'static str,
    /// True for counts, stamps and flags, false for floating-point numbers.
    pub integer: bool,
}

/// The columns of a log, and where the words of a cycle stand in them.
///
/// Cycles of one log need not have the same words: those of an operator's input are there only while there is one. Each
/// set of words that a log has is named once, by its shape.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    list: Vec<Column>,
    places: BTreeMap<String, usize>,
    /// The column of each word, for each shape of a cycle; none for what is no number.
    shapes: BTreeMap<u64, Vec<Option<usize>>>,
    words: Vec<u64>,
}

impl Columns {
    /// The columns that the cycles of a log have, in the order in which they come.
    pub fn of(log: &LogReader) -> Result<Columns, LogError> {
        let mut columns = Columns::default();
        columns.learn(&mut Cycle::new(log.layout()), log.layout());
        for cycle in log.cycles() {
            columns.learn(&mut cycle?, log.layout());
        }
        Ok(columns)
    }

    /// The columns.
    pub fn list(&self) -> &[Column] {
        &self.list
    }

    /// The raw bits of a cycle's numbers, by column; none where the cycle has nothing.
    pub fn row(&mut self, cycle: &mut Cycle, row: &mut Vec<Option<u64>>) {
        let shape = self.measure(cycle);
        row.clear();
        row.resize(self.list.len(), None);
        let places = self.shapes.get(&shape).map(Vec::as_slice).unwrap_or_default();
        for (place, word) in places.iter().zip(&self.words) {
            if let Some(place) = *place {
                row[place] = Some(*word);
            }
        }
    }

    /// Gives names to the words of a cycle of a shape that has not been seen.
    fn learn(&mut self, cycle: &mut Cycle, layout: &RobotLayout) {
        let shape = self.measure(cycle);
        if !self.shapes.contains_key(&shape) {
            let words = name_words(cycle, layout);
            let places = words.into_iter().map(|word| self.place(word, layout)).collect();
            self.shapes.insert(shape, places);
        }
    }

    fn place(&mut self, word: NamedWord, layout: &RobotLayout) -> Option<usize> {
        if word.sealed || word.path.ends_with("/count") {
            return None;
        }
        let next = self.list.len();
        let place = *self.places.entry(word.path.clone()).or_insert(next);
        if place == next {
            let unit = unit_of(&word.path, layout);
            self.list.push(Column { name: word.path, unit, integer: word.integer });
        }
        Some(place)
    }

    /// Collects the words of a cycle and returns their shape.
    fn measure(&mut self, cycle: &mut Cycle) -> u64 {
        self.words.clear();
        let mut shape = Shape { words: &mut self.words, hash: FNV_OFFSET };
        cycle.visit_state(&mut shape);
        shape.hash
    }
}

/// Offset and prime of the 64-bit FNV-1a hash (Fowler, Noll, Vo).
const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

/// Collects words, and a hash of the fields in which they stand.
struct Shape<'a> {
    words: &'a mut Vec<u64>,
    hash: u64,
}

impl Shape<'_> {
    fn mix(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.hash = (self.hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME);
        }
    }
}

impl StateVisitor for Shape<'_> {
    fn word(&mut self, bits: &mut u64) {
        self.words.push(*bits);
        self.mix(b"=");
    }

    fn seal(&mut self, digest: &mut Digest) -> Seal {
        self.words.push(digest.0);
        self.mix(b"#");
        Seal::Closed
    }

    fn enter(&mut self, name: &str) {
        self.mix(b"/");
        self.mix(name.as_bytes());
    }

    fn leave(&mut self) {
        self.mix(b"\\");
    }
}

/// The unit of a field, as `robot_io` gives it.
fn unit_of(path: &str, layout: &RobotLayout) -> &'static str {
    let parts: Vec<&str> = path.split('/').collect();
    let joint = parts.iter().position(|part| *part == "joints").and_then(|place| parts.get(place + 1));
    let joint = joint.and_then(|name| layout.joints.iter().find(|joint| joint.name == *name));
    let slides = joint.is_some_and(|joint| joint.kind == JointKind::Prismatic);
    let has = |part: &str| parts.contains(&part);
    match parts.last().copied().unwrap_or_default() {
        "time" | "stamp" => "ns",
        "position" => either(slides, "m", "rad"),
        "velocity" => either(slides, "m/s", "rad/s"),
        "effort" => either(slides, "N", "N·m"),
        "stiffness" => either(slides, "N/m", "N·m/rad"),
        "damping" => either(slides, "N·s/m", "N·m·s/rad"),
        "temperature" => "°C",
        "voltage" => "V",
        "current" => "A",
        "yaw" if has("twist") => "rad/s",
        "x" | "y" if has("twist") => "m/s",
        _ if has("angular_velocity") => "rad/s",
        _ if has("linear_acceleration") => "m/s²",
        _ if has("force") => "N",
        _ if has("torque") => "N·m",
        _ => "",
    }
}

fn either(slides: bool, linear: &'static str, angular: &'static str) -> &'static str {
    if slides { linear } else { angular }
}
