//! Where two runs part.

use std::fmt;

use robot_io::{Digest, Readings, RobotLayout, Time};

use crate::names::name_words;
use crate::{Cycle, Frame, Input};

/// The first place at which two runs differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Divergence {
    /// The cycle.
    pub cycle: u64,
    /// Its time.
    pub time: Time,
    /// The part of the run: `inputs`, `readings`, `commands`, or the component whose digest differs.
    pub component: String,
    /// The field, for example `joints/left_knee/position`.
    pub field: String,
    /// The value in the log, or in the first of two logs.
    pub recorded: Value,
    /// The value now, or in the second of two logs.
    pub now: Value,
}

/// A value of either run.
#[derive(Clone, Debug)]
pub enum Value {
    /// A floating-point number; compared by its bits.
    Number(f64),
    /// A count, a stamp [ns] or flags.
    Integer(u64),
    /// A component's digest.
    Digest(Digest),
    /// Anything else.
    Text(String),
    /// The run has nothing there.
    Nothing,
}

impl Value {
    fn of(bits: u64, integer: bool) -> Value {
        if integer { Value::Integer(bits) } else { Value::Number(f64::from_bits(bits)) }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Number(a), Value::Number(b)) => a.to_bits() == b.to_bits(),
            (Value::Integer(a), Value::Integer(b)) => a == b,
            (Value::Digest(a), Value::Digest(b)) => a == b,
            (Value::Text(a), Value::Text(b)) => a == b,
            (Value::Nothing, Value::Nothing) => true,
            _ => false,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number} ({:#018x})", number.to_bits()),
            Value::Integer(number) => write!(f, "{number}"),
            Value::Digest(digest) => write!(f, "{digest}"),
            Value::Text(text) => f.write_str(text),
            Value::Nothing => f.write_str("nothing"),
        }
    }
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe("recorded", "now"))
    }
}

impl Divergence {
    /// One readable line; the labels say whose the two values are.
    pub fn describe(&self, first: &str, second: &str) -> String {
        let Divergence { cycle, time, component, field, recorded, now } = self;
        format!("cycle {cycle} ({time}), {component}, {field}: {first} {recorded}, {second} {now}")
    }

    /// The point at which one run goes on and the other does not.
    pub(crate) fn end(cycle: u64, time: Time, recorded: Value, now: Value) -> Divergence {
        Divergence { cycle, time, component: "run".to_owned(), field: "length".to_owned(), recorded, now }
    }
}

/// The first difference between two frames of the same place in their runs, in the order of cause and effect.
pub(crate) fn first_difference(recorded: &mut Frame, now: &mut Frame, layout: &RobotLayout) -> Option<Divergence> {
    let (cycle, time) = (recorded.cycle.readings.cycle, recorded.cycle.readings.time);
    let found = inputs_differ(&recorded.inputs, &now.inputs)
        .or_else(|| words_differ(&mut recorded.cycle, &mut now.cycle, layout))
        .or_else(|| digests_differ(&recorded.digests, &now.digests))?;
    Some(Divergence { cycle, time, ..found })
}

fn place(component: &str, field: String, recorded: Value, now: Value) -> Divergence {
    Divergence { cycle: 0, time: Time::ZERO, component: component.to_owned(), field, recorded, now }
}

/// The first word of a cycle that differs, by name.
pub(crate) fn words_differ(recorded: &mut Cycle, now: &mut Cycle, layout: &RobotLayout) -> Option<Divergence> {
    let (mut was, mut is) = (Vec::new(), Vec::new());
    recorded.write_words(&mut was);
    now.write_words(&mut is);
    if was == is {
        return None;
    }
    let (was, is) = (name_words(recorded, layout), name_words(now, layout));
    let same = was.iter().zip(&is).take_while(|(was, is)| was == is).count();
    let (was, is) = (was.get(same), is.get(same));
    let named = was.or(is)?;
    if let (Some(was), Some(is)) = (was, is)
        && was.sealed
        && is.sealed
    {
        return measurements_differ(&recorded.readings, &now.readings, layout);
    }
    let (component, field) = named.path.split_once('/').unwrap_or(("readings", &named.path));
    let value_of = |word: Option<&crate::names::NamedWord>| {
        let same_name = word.filter(|word| word.path == named.path);
        same_name.map_or(Value::Nothing, |word| Value::of(word.bits, word.integer))
    };
    Some(place(component, field.to_owned(), value_of(was), value_of(is)))
}

/// The first scan or picture that differs, and where in it.
fn measurements_differ(was: &Readings, is: &Readings, layout: &RobotLayout) -> Option<Divergence> {
    let pairs = was.scans.iter().zip(&is.scans).zip(&layout.lasers);
    let scan = pairs.filter_map(|((was, is), laser)| {
        let (was, is) = (was.as_deref()?, is.as_deref()?);
        let inside = number("stamp", was.stamp.nanoseconds(), is.stamp.nanoseconds())
            .or_else(|| first_element("ranges", &was.ranges, &is.ranges))
            .or_else(|| first_element("intensities", &was.intensities, &is.intensities))
            .or_else(|| (was != is).then(|| text("geometry", was.geometry, is.geometry)))?;
        Some((format!("scans/{}", laser.name), inside))
    });
    let pairs = was.images.iter().zip(&is.images).zip(&layout.cameras);
    let image = pairs.filter_map(|((was, is), camera)| {
        let (was, is) = (was.as_deref()?, is.as_deref()?);
        let inside = number("stamp", was.stamp.nanoseconds(), is.stamp.nanoseconds())
            .or_else(|| first_element("rgb", &was.rgb, &is.rgb))
            .or_else(|| (was != is).then(|| text("size", (was.width, was.height), (is.width, is.height))))?;
        Some((format!("images/{}", camera.name), inside))
    });
    let pairs = was.depth_images.iter().zip(&is.depth_images).zip(&layout.depth_cameras);
    let depth = pairs.filter_map(|((was, is), camera)| {
        let (was, is) = (was.as_deref()?, is.as_deref()?);
        let inside = number("stamp", was.stamp.nanoseconds(), is.stamp.nanoseconds())
            .or_else(|| first_element("depths", &was.depths, &is.depths))
            .or_else(|| (was != is).then(|| text("size", (was.width, was.height), (is.width, is.height))))?;
        Some((format!("depth_images/{}", camera.name), inside))
    });
    let (measurement, (field, was, is)) = scan.chain(image).chain(depth).next()?;
    Some(place("readings", format!("{measurement}/{field}"), was, is))
}

/// A field within a scan or picture, recorded and now.
type Inside = (String, Value, Value);

fn number(field: &str, was: u64, is: u64) -> Option<Inside> {
    (was != is).then(|| (field.to_owned(), Value::Integer(was), Value::Integer(is)))
}

fn text<T: fmt::Debug>(field: &str, was: T, is: T) -> Inside {
    (field.to_owned(), Value::Text(format!("{was:?}")), Value::Text(format!("{is:?}")))
}

fn first_element<T: Copy + PartialEq + Into<u64>>(field: &str, was: &[T], is: &[T]) -> Option<Inside> {
    let value = |list: &[T], index: usize| list.get(index).map_or(Value::Nothing, |it| Value::Integer((*it).into()));
    let index = (0..was.len().max(is.len())).find(|index| was.get(*index) != is.get(*index))?;
    Some((format!("{field}[{index}]"), value(was, index), value(is, index)))
}

fn digests_differ(recorded: &[(String, Digest)], now: &[(String, Digest)]) -> Option<Divergence> {
    let of = |digests: &[(String, Digest)], component: &str| {
        let found = digests.iter().find(|(name, _)| name == component);
        found.map_or(Value::Nothing, |(_, digest)| Value::Digest(*digest))
    };
    let components = recorded.iter().chain(now).map(|(component, _)| component);
    components
        .map(|component| place(component, "digest".to_owned(), of(recorded, component), of(now, component)))
        .find(|found| found.recorded != found.now)
}

fn inputs_differ(recorded: &[Input], now: &[Input]) -> Option<Divergence> {
    for index in 0..recorded.len().max(now.len()) {
        match (recorded.get(index), now.get(index)) {
            (Some(was), Some(is)) => {
                if let Some(found) = input_differs(was, is) {
                    return Some(found);
                }
            }
            (was, is) => {
                let text = |input: Option<&Input>| input.map_or(Value::Nothing, |input| Value::Text(title(input)));
                return Some(place("inputs", format!("input {index}"), text(was), text(is)));
            }
        }
    }
    None
}

fn input_differs(was: &Input, is: &Input) -> Option<Divergence> {
    let text = |input: &Input| Value::Text(title(input));
    let bits = |input: &Input, index: usize| input.values.get(index).map_or(Value::Nothing, |v| Value::Number(*v));
    if title(was) != title(is) {
        return Some(place("inputs", title(was), text(was), text(is)));
    }
    let values = 0..was.values.len().max(is.values.len());
    let value = values.map(|index| (index, bits(was, index), bits(is, index))).find(|(_, was, is)| was != is);
    if let Some((index, before, after)) = value {
        return Some(place("inputs", format!("{}, value {index}", title(was)), before, after));
    }
    let byte =
        |input: &Input, index: usize| input.bytes.get(index).map_or(Value::Nothing, |b| Value::Integer((*b).into()));
    (0..was.bytes.len().max(is.bytes.len()))
        .map(|index| place("inputs", format!("{}, byte {index}", title(was)), byte(was, index), byte(is, index)))
        .find(|found| found.recorded != found.now)
}

/// An input's kind, subject and cycle.
fn title(input: &Input) -> String {
    format!("{} '{}' in cycle {}", input.kind.name(), input.name, input.cycle)
}
