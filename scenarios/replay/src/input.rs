//! What changes the future from outside.

use robot_io::{Digest, Time};
use serde::{Deserialize, Serialize};

/// Something from outside that changes the run, with the cycle in which it takes effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// The cycle in which it takes effect.
    pub cycle: u64,
    /// What kind of thing.
    pub kind: InputKind,
    /// Whom or what: a body, a joint, a task, a parameter.
    pub name: String,
    /// Its numbers; their meaning and units belong to the kind.
    pub values: Vec<f64>,
    /// Its bytes, for example a late task's result.
    pub bytes: Vec<u8>,
}

/// What kind of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InputKind {
    /// A body was pushed or pulled: usually force [N] and place [m].
    Push,
    /// A fault began or healed.
    Fault,
    /// The operator did something.
    Operator,
    /// A deadline task's result was delivered; on a robot the cycle is known only afterwards.
    TaskDelivery,
    /// A parameter was changed.
    Parameter,
}

impl InputKind {
    /// The kind's name in the log.
    pub const fn name(self) -> &'static str {
        match self {
            InputKind::Push => "push",
            InputKind::Fault => "fault",
            InputKind::Operator => "operator",
            InputKind::TaskDelivery => "task_delivery",
            InputKind::Parameter => "parameter",
        }
    }
}

/// An input as JSON: readable numbers for people, raw bits for the replay.
#[derive(Serialize, Deserialize)]
struct InputJson {
    cycle: u64,
    kind: InputKind,
    name: String,
    #[serde(default)]
    values: serde_json::Value,
    bits: String,
    bytes: String,
}

impl Input {
    pub(crate) fn to_json(&self) -> Vec<u8> {
        let numbers = self.values.iter().map(|value| serde_json::Value::from(*value)).collect();
        let json = InputJson {
            cycle: self.cycle,
            kind: self.kind,
            name: self.name.clone(),
            values: serde_json::Value::Array(numbers),
            bits: self.values.iter().map(|value| format!("{:016x}", value.to_bits())).collect(),
            bytes: self.bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        };
        serde_json::to_vec(&json).unwrap_or_default()
    }

    pub(crate) fn from_json(json: &[u8]) -> Result<Input, String> {
        let json: InputJson = serde_json::from_slice(json).map_err(|error| error.to_string())?;
        let values = from_hex(&json.bits, 16)?.into_iter().map(f64::from_bits).collect();
        let bytes = from_hex(&json.bytes, 2)?.into_iter().map(|byte| byte as u8).collect();
        Ok(Input { cycle: json.cycle, kind: json.kind, name: json.name, values, bytes })
    }
}

/// Numbers of `digits` hexadecimal digits each.
fn from_hex(text: &str, digits: usize) -> Result<Vec<u64>, String> {
    let number = |piece: &[u8]| {
        let piece = std::str::from_utf8(piece).unwrap_or_default();
        let whole = piece.len() == digits && piece.bytes().all(|digit| digit.is_ascii_hexdigit());
        let number = whole.then(|| u64::from_str_radix(piece, 16).ok()).flatten();
        number.ok_or_else(|| format!("'{piece}' where {digits} hexadecimal digits should be"))
    };
    text.as_bytes().chunks(digits).map(number).collect()
}

/// The digests of one cycle, in the order in which the session gave them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CycleDigests {
    /// The cycle.
    pub cycle: u64,
    /// Component and digest.
    pub digests: Vec<(String, Digest)>,
}

impl CycleDigests {
    /// Writes digests as JSON without allocating beyond `out`.
    pub(crate) fn write_json(cycle: u64, digests: &[(&str, Digest)], out: &mut Vec<u8>) {
        use std::io::Write;
        let mut separator = "";
        // writing to a vector cannot fail
        let _ = write!(out, "{{\"cycle\":{cycle},\"digests\":{{");
        for (component, digest) in digests {
            let _ = write!(out, "{separator}");
            let _ = serde_json::to_writer(&mut *out, component);
            let _ = write!(out, ":\"{digest}\"");
            separator = ",";
        }
        let _ = write!(out, "}}}}");
    }

    pub(crate) fn from_json(json: &[u8]) -> Result<CycleDigests, String> {
        let read: DigestsJson = serde_json::from_slice(json).map_err(|error| error.to_string())?;
        let digest = |(component, hex): (String, String)| {
            let bits = from_hex(&hex, 16)?;
            let [bits] = bits[..] else { return Err(format!("'{hex}' where 16 hexadecimal digits should be")) };
            Ok((component, Digest(bits)))
        };
        let digests: Result<Vec<_>, String> = read.digests.0.into_iter().map(digest).collect();
        Ok(CycleDigests { cycle: read.cycle, digests: digests? })
    }
}

#[derive(Deserialize)]
struct DigestsJson {
    cycle: u64,
    digests: Ordered,
}

/// A JSON object whose order is kept.
struct Ordered(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Ordered {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Ordered;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object of digests by component")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Ordered, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Ordered(entries))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}

/// An event as it stands in the log.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedEvent {
    /// When.
    pub time: Time,
    /// How bad.
    pub severity: robot_io::Severity,
    /// Who said so.
    pub source: String,
    /// The event as a line of text.
    pub message: String,
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn an_input_keeps_every_bit() {
        let values = vec![0.1 + 0.2, -0.0, f64::INFINITY, 5e-324];
        let input =
            Input { cycle: 9, kind: InputKind::Push, name: "base \"x\"".to_owned(), values, bytes: vec![0, 255] };
        assert_eq!(Input::from_json(&input.to_json()).unwrap(), input);
    }

    #[test]
    fn digests_keep_their_order() {
        let mut json = Vec::new();
        CycleDigests::write_json(3, &[("plant", Digest(1)), ("drive", Digest(u64::MAX))], &mut json);
        let read = CycleDigests::from_json(&json).unwrap();
        assert_eq!(read.digests, [("plant".to_owned(), Digest(1)), ("drive".to_owned(), Digest(u64::MAX))]);
    }

    #[test]
    fn a_digest_of_fifteen_digits_is_refused() {
        let error = CycleDigests::from_json(br#"{"cycle":1,"digests":{"plant":"00000000000000f"}}"#).unwrap_err();
        assert!(error.contains("16 hexadecimal digits"), "{error}");
    }
}
