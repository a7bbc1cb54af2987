//! Reading a board's settings from its table in a bus file: every error says field, expected and found.

use std::ops::RangeInclusive;

use robot_io::{JointKind, JointLayout, RobotLayout, SensorLayout};
use toml::{Table, Value};

use crate::board::SdoDownload;
use crate::board::scaling::EncoderScale;
use crate::pdo::PdoEntry;

/// Largest number that a setting takes.
pub const MOST: f64 = 1e9;
/// Smallest number that a unit takes.
pub const LEAST: f64 = 1e-9;

/// The settings of one board, field by field.
#[derive(Debug)]
pub struct Fields<'a> {
    table: &'a mut Table,
}

impl<'a> Fields<'a> {
    /// The fields of `table`; one that is not `known` is an error.
    pub fn new(table: &'a mut Table, known: &[&str]) -> Result<Fields<'a>, String> {
        match table.keys().find(|key| !known.contains(&key.as_str())) {
            Some(unknown) => Err(format!("unknown field '{unknown}': expected one of {}", known.join(", "))),
            None => Ok(Fields { table }),
        }
    }

    /// A field that may be absent. `read` says what it makes of the value, `expected` what it wants.
    pub fn optional<T>(
        &mut self,
        name: &str,
        expected: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, String> {
        let Some(value) = self.table.remove(name) else { return Ok(None) };
        read(&value).map(Some).ok_or_else(|| format!("field '{name}': expected {expected}, found {value}"))
    }

    /// A field that must be there.
    pub fn required<T>(
        &mut self,
        name: &str,
        expected: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<T, String> {
        self.optional(name, expected, read)?
            .ok_or_else(|| format!("field '{name}': expected {expected}, found nothing"))
    }

    /// A number within bounds; `unit` in brackets, or empty.
    pub fn number(&mut self, name: &str, unit: &str, bounds: RangeInclusive<f64>) -> Result<f64, String> {
        self.required(name, &a_number(unit, &bounds), |value| number_in(value, &bounds))
    }

    /// A number within bounds that may be absent.
    pub fn maybe_number(&mut self, name: &str, unit: &str, bounds: RangeInclusive<f64>) -> Result<Option<f64>, String> {
        self.optional(name, &a_number(unit, &bounds), |value| number_in(value, &bounds))
    }

    /// A whole number within bounds.
    pub fn whole(&mut self, name: &str, bounds: RangeInclusive<i64>) -> Result<i64, String> {
        let expected = format!("a whole number from {} to {}", bounds.start(), bounds.end());
        self.required(name, &expected, |value| value.as_integer().filter(|x| bounds.contains(x)))
    }

    /// One of some words; the first is meant if the field is absent.
    pub fn word<T: Copy>(&mut self, name: &str, words: &[(&str, T)], absent: T) -> Result<T, String> {
        let list: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
        let find = |value: &Value| words.iter().find(|(word, _)| value.as_str() == Some(word)).map(|(_, what)| *what);
        Ok(self.optional(name, &format!("one of {}", list.join(", ")), find)?.unwrap_or(absent))
    }

    /// True or false; `absent` if the field is not there.
    pub fn flag(&mut self, name: &str, absent: bool) -> Result<bool, String> {
        Ok(self.optional(name, "true or false", Value::as_bool)?.unwrap_or(absent))
    }

    /// A table of its own; may be absent.
    pub fn table(&mut self, name: &str) -> Result<Option<Table>, String> {
        self.optional(name, "a table, for example { ... }", |value| value.as_table().cloned())
    }

    /// `sign`: 1 or −1; 1 if absent.
    pub fn sign(&mut self) -> Result<f64, String> {
        let sign = |value: &Value| value.as_integer().filter(|x| x.abs() == 1).map(|x| x as f64);
        Ok(self.optional("sign", "1 or -1", sign)?.unwrap_or(1.0))
    }

    /// `gear`: encoder turns per turn of the joint, as `[turns, turns]` of whole numbers; `[1, 1]` if absent.
    pub fn gear(&mut self) -> Result<(u32, u32), String> {
        let pair = |value: &Value| match value.as_array()?.as_slice() {
            [over, under] => Some((positive(over)?, positive(under)?)),
            _ => None,
        };
        let expected = "[encoder turns, joint turns], two whole numbers from 1 to 4294967295";
        Ok(self.optional("gear", expected, pair)?.unwrap_or((1, 1)))
    }

    /// What the encoder of a joint counts: `counts`, `gear`, `feed`, `sign`, `offset`.
    pub fn encoder(&mut self, kind: JointKind) -> Result<EncoderScale, String> {
        let counts = self.whole("counts", 1..=u32::MAX.into())? as u32;
        let feed = self.maybe_number("feed", "[m]", LEAST..=MOST)?;
        match (kind, feed) {
            (JointKind::Prismatic, None) => {
                return Err("field 'feed': expected travel per turn [m], found nothing".into());
            }
            (JointKind::Revolute | JointKind::Continuous, Some(feed)) => {
                return Err(format!("field 'feed': expected none, as the joint turns, found {feed}"));
            }
            _ => (),
        }
        let offset = self.maybe_number("offset", "[rad]", -MOST..=MOST)?.unwrap_or(0.0);
        Ok(EncoderScale { counts, gear: self.gear()?, feed, sign: self.sign()?, offset })
    }

    /// A joint of the robot by its name.
    pub fn joint(&mut self, name: &str, layout: &RobotLayout) -> Result<usize, String> {
        let names: Vec<&str> = layout.joints.iter().map(|joint: &JointLayout| joint.name.as_str()).collect();
        self.required(name, &format!("a joint of robot '{}': {}", layout.robot, names.join(", ")), |value| {
            names.iter().position(|known| value.as_str() == Some(known))
        })
    }

    /// A sensor of one kind by its name; may be absent.
    pub fn sensor(&mut self, name: &str, kind: &str, sensors: &[SensorLayout]) -> Result<Option<usize>, String> {
        let names: Vec<&str> = sensors.iter().map(|sensor| sensor.name.as_str()).collect();
        let list = if names.is_empty() { "it has none".to_owned() } else { names.join(", ") };
        self.optional(name, &format!("a {kind} of the robot: {list}"), |value| {
            names.iter().position(|known| value.as_str() == Some(known))
        })
    }

    /// Objects to be written at start-up: `["0x2110:1 u16 120"]`.
    pub fn downloads(&mut self, name: &str) -> Result<Vec<SdoDownload>, String> {
        let expected =
            "objects with type and value, for example [\"0x2110:1 u16 120\"]; types u8 u16 u32 i8 i16 i32 f32";
        Ok(self
            .optional(name, expected, |value| texts(value)?.into_iter().map(download).collect())?
            .unwrap_or_default())
    }

    /// Objects: `["0x6085", "0x607d:1"]`.
    pub fn objects(&mut self, name: &str) -> Result<Vec<(u16, u8)>, String> {
        let expected = "objects, for example [\"0x6085\", \"0x607d:1\"]";
        Ok(self.optional(name, expected, |value| texts(value)?.into_iter().map(object).collect())?.unwrap_or_default())
    }

    /// Entries of process data: `["0x6040 16", "padding 8", "0x60fe:1 3"]`; may be absent.
    pub fn entries(&mut self, name: &str) -> Result<Option<Vec<PdoEntry>>, String> {
        let expected = "objects with bits (1 to 64), for example [\"0x6040 16\", \"padding 8\", \"0x60fe:1 3\"]";
        self.optional(name, expected, |value| texts(value)?.into_iter().map(entry).collect())
    }
}

/// A number, whole or not, if it lies within bounds.
pub fn number_in(value: &Value, bounds: &RangeInclusive<f64>) -> Option<f64> {
    let number = value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))?;
    bounds.contains(&number).then_some(number)
}

/// An array of texts.
pub fn texts(value: &Value) -> Option<Vec<&str>> {
    value.as_array()?.iter().map(Value::as_str).collect()
}

fn a_number(unit: &str, bounds: &RangeInclusive<f64>) -> String {
    format!("a number {unit} from {} to {}", bounds.start(), bounds.end()).replace("  ", " ")
}

fn positive(value: &Value) -> Option<u32> {
    value.as_integer().and_then(|x| u32::try_from(x).ok()).filter(|x| *x > 0)
}

fn hexadecimal(text: &str) -> Option<u16> {
    u16::from_str_radix(text.strip_prefix("0x")?, 16).ok().filter(|index| *index > 0)
}

/// An object and its part: `0x6085`, `0x607d:1`.
pub fn object(text: &str) -> Option<(u16, u8)> {
    match text.split_once(':') {
        Some((index, sub)) => Some((hexadecimal(index)?, sub.parse().ok()?)),
        None => Some((hexadecimal(text)?, 0)),
    }
}

fn entry(text: &str) -> Option<PdoEntry> {
    let (what, bits) = text.split_once(' ')?;
    let bits = bits.parse().ok().filter(|bits| (1..=64).contains(bits))?;
    let (index, sub) = if what == "padding" { (0, 0) } else { object(what)? };
    Some(PdoEntry { index, sub, bits })
}

fn download(text: &str) -> Option<SdoDownload> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let &[what, kind, value] = words.as_slice() else { return None };
    let (index, sub) = object(what)?;
    let value = match kind {
        "u8" => value.parse::<u8>().ok()?.to_le_bytes().to_vec(),
        "u16" => value.parse::<u16>().ok()?.to_le_bytes().to_vec(),
        "u32" => value.parse::<u32>().ok()?.to_le_bytes().to_vec(),
        "i8" => value.parse::<i8>().ok()?.to_le_bytes().to_vec(),
        "i16" => value.parse::<i16>().ok()?.to_le_bytes().to_vec(),
        "i32" => value.parse::<i32>().ok()?.to_le_bytes().to_vec(),
        "f32" => value.parse::<f32>().ok().filter(|x| x.is_finite())?.to_le_bytes().to_vec(),
        _ => return None,
    };
    Some(SdoDownload { index, sub, value })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn table(text: &str) -> Table {
        text.parse().unwrap()
    }

    #[test]
    fn an_unknown_field_is_answered_with_the_known_ones() {
        let error = Fields::new(&mut table("count = 3"), &["joint", "counts"]).err().unwrap();
        assert_eq!(error, "unknown field 'count': expected one of joint, counts");
    }

    #[test]
    fn a_wrong_value_is_answered_with_what_is_expected() {
        let mut table = table("a = \"x\"\nb = 7.5\ngear = [3, 0]\njoint = \"elbow\"");
        let mut fields = Fields::new(&mut table, &["a", "b", "gear", "joint"]).unwrap();
        let number = fields.number("a", "[N·m]", 0.0..=9.0).unwrap_err();
        assert_eq!(number, "field 'a': expected a number [N·m] from 0 to 9, found \"x\"");
        let whole = fields.whole("b", 1..=5).unwrap_err();
        assert_eq!(whole, "field 'b': expected a whole number from 1 to 5, found 7.5");
        assert!(fields.gear().unwrap_err().ends_with("found [3, 0]"));
        let joint = fields.joint("joint", &RobotLayout::example()).unwrap_err();
        assert_eq!(joint, "field 'joint': expected a joint of robot 'example': hip, knee, wheel, found \"elbow\"");
        assert!(fields.number("b", "", 0.0..=9.0).unwrap_err().ends_with("found nothing"), "taken out already");
    }

    #[test]
    fn objects_downloads_and_entries_are_read() {
        assert_eq!(object("0x607d:2"), Some((0x607d, 2)));
        assert_eq!(object("607d"), None);
        assert_eq!(entry("padding 8"), Some(PdoEntry::new(0, 0, 8)));
        assert_eq!(entry("0x60fe:1 3"), Some(PdoEntry::new(0x60fe, 1, 3)));
        assert_eq!(entry("0x60fe:1 65"), None);
        assert_eq!(download("0x2110:1 i16 -2").unwrap().value, [0xfe, 0xff]);
        assert_eq!(download("0x2110:1 i8 300"), None);
    }
}
