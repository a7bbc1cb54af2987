//! What the settings of several boards have in common: joints, encoders, sensors, objects.

use page::{Fault, Fields, Range, Value};
use robot_io::{JointKind, RobotLayout, SensorLayout};

use crate::board::SdoDownload;
use crate::board::scaling::EncoderScale;
use crate::pdo::PdoEntry;

/// Largest number that a setting takes.
pub const MOST: f64 = 1e9;
/// Smallest number that a unit takes.
pub const LEAST: f64 = 1e-9;

/// A number that must not vanish: a unit, a window, a speed.
pub const fn positive(unit: &'static str) -> Range {
    Range::new(LEAST, MOST, unit)
}

/// A gain, which may be 0.
pub const fn gain(unit: &'static str) -> Range {
    Range::new(0.0, MOST, unit)
}

/// How fast a joint brakes.
pub const DECELERATION: Range = Range::new(1e-3, MOST, "rad/s²");

/// What the encoder of a joint counts: `counts`, `gear`, `feed`, `sign`, `offset`.
pub fn encoder(fields: &mut Fields<'_>, kind: JointKind) -> Result<EncoderScale, Fault> {
    let counts = fields.whole("counts", 1..=u32::MAX.into())? as u32;
    let feed = match kind {
        JointKind::Prismatic => Some(fields.number("feed", positive("m of travel per turn"))?),
        JointKind::Revolute | JointKind::Continuous => match fields.get("feed") {
            Some(feed) => return Err(feed.error("none, as the joint turns", &feed.found())),
            None => None,
        },
    };
    let gear = fields.get("gear").map_or(Ok((1, 1)), |value| gear(&value))?;
    let sign = fields.get("sign").map_or(Ok(1.0), |value| sign(&value))?;
    let offset = fields.number_or("offset", Range::new(-MOST, MOST, "rad"), 0.0)?;
    Ok(EncoderScale { counts, gear, feed, sign, offset })
}

/// Encoder turns per turn of the joint, as `[turns, turns]` of whole numbers.
fn gear(value: &Value<'_>) -> Result<(u32, u32), Fault> {
    let expected = "[encoder turns, joint turns], two whole numbers";
    match value.list(expected)?.as_slice() {
        [over, under] => Ok((over.whole_in(1..=u32::MAX, "")?, under.whole_in(1..=u32::MAX, "")?)),
        _ => Err(value.error(expected, &value.found())),
    }
}

fn sign(value: &Value<'_>) -> Result<f64, Fault> {
    let sign = value.whole_in(-1..=1_i8, "").ok().filter(|sign| *sign != 0);
    sign.map(f64::from).ok_or_else(|| value.error("1 or -1", &value.found()))
}

/// `joint`: the index of a joint of the robot, which must be named.
pub fn joint(fields: &mut Fields<'_>, layout: &RobotLayout) -> Result<usize, Fault> {
    let names: Vec<&str> = layout.joints.iter().map(|joint| joint.name.as_str()).collect();
    let expected = format!("a joint of robot '{}'", layout.robot);
    fields.need("joint", &format!("{expected}: {}", names.join(", ")))?.index(&expected, &names)
}

/// The index of a sensor by its name; `kind` is "an IMU", "a contact switch".
pub fn sensor(name: &Value<'_>, kind: &str, sensors: &[SensorLayout]) -> Result<usize, Fault> {
    let names: Vec<&str> = sensors.iter().map(|sensor| sensor.name.as_str()).collect();
    name.index(&format!("{kind} of the robot"), &names)
}

/// Objects to be written at start-up: `["0x2110:1 u16 120"]`.
pub fn downloads(fields: &mut Fields<'_>, key: &'static str) -> Result<Vec<SdoDownload>, Fault> {
    let expected = "an object with type and value, for example \"0x2110:1 u16 120\"; types u8 u16 u32 i8 i16 i32 f32";
    Ok(list(fields, key, expected, download)?.unwrap_or_default())
}

/// Objects: `["0x6085", "0x607d:1"]`.
pub fn objects(fields: &mut Fields<'_>, key: &'static str) -> Result<Vec<(u16, u8)>, Fault> {
    Ok(list(fields, key, OBJECT, object)?.unwrap_or_default())
}

/// Entries of process data: `["0x6040 16", "padding 8", "0x60fe:1 3"]`; may be absent.
pub fn entries(fields: &mut Fields<'_>, key: &'static str) -> Result<Option<Vec<PdoEntry>>, Fault> {
    let expected = "an object with bits (1 to 64), for example \"0x6040 16\", \"padding 8\" or \"0x60fe:1 3\"";
    list(fields, key, expected, entry)
}

fn list<T>(
    fields: &mut Fields<'_>,
    key: &'static str,
    expected: &str,
    read: fn(&str) -> Option<T>,
) -> Result<Option<Vec<T>>, Fault> {
    let Some(value) = fields.get(key) else { return Ok(None) };
    let items = value.list(&format!("a list, each of it {expected}"))?;
    items.iter().map(|item| parsed(item, expected, read)).collect::<Result<_, _>>().map(Some)
}

/// What `read` makes of a text.
pub fn parsed<T>(value: &Value<'_>, expected: &str, read: fn(&str) -> Option<T>) -> Result<T, Fault> {
    value.text().ok().and_then(read).ok_or_else(|| value.error(expected, &value.found()))
}

/// What [`object`] reads.
pub const OBJECT: &str = "an object, for example \"0x6085\" or \"0x607d:1\"";

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
    use page::Page;

    use super::*;

    /// What a joint board with these fields is refused with.
    fn refused(text: &str) -> String {
        let page = Page { file: "bus.toml", text };
        let root = page.parse().unwrap();
        let mut fields = page.fields(&root);
        let read = joint(&mut fields, &RobotLayout::example()).and_then(|_| encoder(&mut fields, JointKind::Revolute));
        read.and_then(|_| fields.finish()).unwrap_err().to_string()
    }

    #[test]
    fn an_unknown_field_is_answered_with_the_known_ones() {
        assert_eq!(
            refused("joint = \"hip\"\ncounts = 4\ncount = 3"),
            "bus.toml:3: count: expected one of joint, counts, feed, gear, sign, offset, found an unknown field; near it: \
             'counts', 'joint'"
        );
    }

    #[test]
    fn a_wrong_value_is_answered_with_what_is_expected() {
        for (rest, told) in [
            ("", "1: counts: expected a whole number from 1 to 4294967295, found nothing"),
            ("\ncounts = 7.5", "2: counts: expected a whole number from 1 to 4294967295, found float `7.5`"),
            (
                "\ncounts = 7\ngear = [3, 0]",
                "3: gear[1]: expected a whole number from 1 to 4294967295, found integer `0`",
            ),
            (
                "\ncounts = 7\ngear = [3]",
                "3: gear: expected [encoder turns, joint turns], two whole numbers, found array `[3]`",
            ),
            ("\ncounts = 7\nsign = 0", "3: sign: expected 1 or -1, found integer `0`"),
            ("\ncounts = 7\nfeed = 1", "3: feed: expected none, as the joint turns, found integer `1`"),
        ] {
            assert_eq!(refused(&format!("joint = \"hip\"{rest}")), format!("bus.toml:{told}"));
        }
        assert_eq!(
            refused("joint = \"elbow\""),
            "bus.toml:1: joint: expected a joint of robot 'example', found string `\"elbow\"`; there are: hip, knee, wheel"
        );
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
