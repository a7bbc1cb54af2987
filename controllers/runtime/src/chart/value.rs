//! What parameters hold.

use core::fmt;
use std::string::FromUtf8Error;

use robot_io::{Pose2, State, StateVisitor};

/// The type of a parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
pub enum Type {
    /// Yes or no.
    #[default]
    Flag,
    /// A number, in the unit that the parameter says.
    Number,
    /// A name.
    Text,
    /// A place and a heading [m, m, rad].
    Pose,
    /// Several numbers.
    Numbers,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Yes or no.
    Flag(bool),
    /// A number.
    Number(f64),
    /// A name.
    Text(String),
    /// A place and a heading.
    Pose(Pose2),
    /// Several numbers.
    Numbers(Vec<f64>),
}

/// A parameter of a skill or a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: Type,
    /// Its unit, for people.
    pub unit: String,
    /// Whether somebody has to set it.
    pub need: Need,
}

/// Whether a parameter has to be set.
#[derive(Clone, Debug, PartialEq)]
pub enum Need {
    /// By whoever enters the state.
    Required,
    /// It may be left out.
    Optional,
    /// It has this value unless somebody sets another.
    Default(Value),
}

/// What parameters are if nobody sets them.
pub(super) fn defaults(parameters: &[Parameter]) -> Vec<Option<Value>> {
    let default = |parameter: &Parameter| match &parameter.need {
        Need::Default(value) => Some(value.clone()),
        Need::Required | Need::Optional => None,
    };
    parameters.iter().map(default).collect()
}

impl Type {
    const ALL: [(Type, &'static str); 5] = [
        (Type::Flag, "flag"),
        (Type::Number, "number"),
        (Type::Text, "text"),
        (Type::Pose, "pose"),
        (Type::Numbers, "numbers"),
    ];

    /// The type of this name.
    pub fn named(name: &str) -> Option<Type> {
        Type::ALL.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }

    /// All names, for messages.
    pub fn names() -> String {
        Type::ALL.map(|(_, name)| name).join(", ")
    }
}

impl Value {
    /// What it is.
    pub fn kind(&self) -> Type {
        match self {
            Value::Flag(_) => Type::Flag,
            Value::Number(_) => Type::Number,
            Value::Text(_) => Type::Text,
            Value::Pose(_) => Type::Pose,
            Value::Numbers(_) => Type::Numbers,
        }
    }

    /// A value as it stands in a file; nothing for what no parameter holds.
    pub fn from_file(value: &toml::Value) -> Option<Value> {
        let number = |value: &toml::Value| value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64));
        let value = match value {
            toml::Value::Boolean(flag) => Value::Flag(*flag),
            toml::Value::Float(_) | toml::Value::Integer(_) => Value::Number(number(value)?),
            toml::Value::String(text) => Value::Text(text.clone()),
            toml::Value::Array(values) => Value::Numbers(values.iter().map(number).collect::<Option<_>>()?),
            toml::Value::Table(table) => {
                let known = |key: &String| ["x", "y", "yaw"].contains(&key.as_str());
                if !table.keys().all(known) {
                    return None;
                }
                let at = |key: &str| table.get(key).map_or(Some(0.0), number);
                Value::Pose(Pose2 { x: at("x")?, y: at("y")?, yaw: at("yaw")? })
            }
            toml::Value::Datetime(_) => return None,
        };
        value.is_finite().then_some(value)
    }

    /// The value as it would stand in a file.
    pub fn to_file(&self) -> toml::Value {
        match self {
            Value::Flag(flag) => (*flag).into(),
            Value::Number(number) => (*number).into(),
            Value::Text(text) => text.as_str().into(),
            Value::Numbers(numbers) => numbers.clone().into(),
            Value::Pose(Pose2 { x, y, yaw }) => {
                let entries = [("x", *x), ("y", *y), ("yaw", *yaw)].map(|(key, value)| (key.to_owned(), value.into()));
                toml::Value::Table(entries.into_iter().collect())
            }
        }
    }

    fn is_finite(&self) -> bool {
        match self {
            Value::Flag(_) | Value::Text(_) => true,
            Value::Number(number) => number.is_finite(),
            Value::Pose(pose) => [pose.x, pose.y, pose.yaw].iter().all(|number| number.is_finite()),
            Value::Numbers(numbers) => numbers.iter().all(|number| number.is_finite()),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Type::ALL.iter().find(|(kind, _)| kind == self).map_or("", |(_, name)| name);
        f.write_str(name)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Flag(flag) => write!(f, "{flag}"),
            Value::Number(number) => write!(f, "{number}"),
            Value::Text(text) => write!(f, "'{text}'"),
            Value::Pose(Pose2 { x, y, yaw }) => write!(f, "({x} m, {y} m, {yaw} rad)"),
            Value::Numbers(numbers) => write!(f, "{numbers:?}"),
        }
    }
}

/// Needed to restore an `Option`.
impl Default for Value {
    fn default() -> Self {
        Value::Flag(false)
    }
}

impl State for Value {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let mut kind = self.kind();
        kind.visit_state(visitor);
        if kind != self.kind() {
            *self = match kind {
                Type::Flag => Value::Flag(false),
                Type::Number => Value::Number(0.0),
                Type::Text => Value::Text(String::new()),
                Type::Pose => Value::Pose(Pose2::default()),
                Type::Numbers => Value::Numbers(Vec::new()),
            };
        }
        match self {
            Value::Flag(flag) => flag.visit_state(visitor),
            Value::Number(number) => number.visit_state(visitor),
            Value::Pose(pose) => pose.visit_state(visitor),
            Value::Numbers(numbers) => numbers.visit_state(visitor),
            Value::Text(text) => {
                let mut bytes = core::mem::take(text).into_bytes();
                robot_io::Packed(&mut bytes).visit_state(visitor);
                let broken = |error: FromUtf8Error| String::from_utf8_lossy(error.as_bytes()).into_owned();
                *text = String::from_utf8(bytes).unwrap_or_else(broken);
            }
        }
    }
}
