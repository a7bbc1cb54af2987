//! Reads the state to evaluate and names the field that does not fit.

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};
use serde_json::{Map, Value};

use crate::parts::Motion;
use crate::tree::Tree;
use crate::{Configuration, ModelError};

/// A quaternion's length may be off by this much without a word: the rounding of a program that wrote it.
const UNIT_SILENT: f64 = 1e-6;

/// Up to here it is normalised with a remark: the rounding of a person who typed 0.7071.
const UNIT_ROUNDED: f64 = 1e-3;

/// How far [rad or m] a mimic joint's position may be off its master's.
const MIMIC_TOLERANCE: f64 = 1e-6;

/// A state and what was assumed about it.
#[derive(Debug)]
pub(super) struct State {
    pub configuration: Configuration,
    pub velocity: Vec<f64>,
    pub acceleration: Vec<f64>,
    pub remarks: Vec<String>,
}

/// Reads a state for a tree.
pub(super) fn read_state(tree: &Tree, json: &str, name: &str) -> Result<State, ModelError> {
    let value: Value = serde_json::from_str(json).map_err(|error| {
        let text = error.to_string();
        let found = text.split(" at line ").next().unwrap_or(&text);
        ModelError::refused(name, error.line().max(1), "JSON", "a JSON object", found)
    })?;
    let mut reader = Reader { tree, name, remarks: Vec::new() };
    let fields = reader.object(&value, "state")?;
    reader.only(fields, "", &["base", "q", "v", "a"])?;
    let base_in_world = reader.base(fields.get("base"))?;
    let joints = reader.positions(fields.get("q"))?;
    let velocity = reader.coordinates(fields.get("v"), "v")?;
    let acceleration = reader.coordinates(fields.get("a"), "a")?;
    let configuration = Configuration { base_in_world, joints };
    Ok(State { configuration, velocity, acceleration, remarks: reader.remarks })
}

struct Reader<'a> {
    tree: &'a Tree,
    name: &'a str,
    remarks: Vec<String>,
}

impl Reader<'_> {
    fn refuse<T>(&self, field: &str, expected: impl Into<String>, found: impl Into<String>) -> Result<T, ModelError> {
        let (state, field) = (self.name.into(), field.into());
        Err(ModelError::State { state, field, expected: expected.into(), found: found.into() })
    }

    fn object<'v>(&self, value: &'v Value, field: &str) -> Result<&'v Map<String, Value>, ModelError> {
        match value {
            Value::Object(fields) => Ok(fields),
            other => self.refuse(field, "an object", shown(other)),
        }
    }

    fn only(&self, fields: &Map<String, Value>, prefix: &str, known: &[&str]) -> Result<(), ModelError> {
        match fields.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => self.refuse(&format!("{prefix}{key}"), format!("one of {}", known.join(", ")), key),
            None => Ok(()),
        }
    }

    fn number(&self, value: &Value, field: &str) -> Result<f64, ModelError> {
        match value.as_f64().filter(|number| number.is_finite()) {
            Some(number) => Ok(number),
            None => self.refuse(field, "a number", shown(value)),
        }
    }

    fn numbers(&self, value: &Value, field: &str, count: usize, what: &str) -> Result<Vec<f64>, ModelError> {
        let Value::Array(items) = value else {
            return self.refuse(field, format!("an array of {count} numbers ({what})"), shown(value));
        };
        if items.len() != count {
            return self.refuse(field, format!("{count} numbers ({what})"), items.len().to_string());
        }
        let numbers = items.iter().enumerate().map(|(index, item)| self.number(item, &format!("{field}[{index}]")));
        numbers.collect()
    }

    fn base(&mut self, value: Option<&Value>) -> Result<Isometry3<f64>, ModelError> {
        let Some(value) = value else {
            self.remarks.push("base: not given, taken as the identity".into());
            return Ok(Isometry3::identity());
        };
        let fields = self.object(value, "base")?;
        self.only(fields, "base.", &["position", "orientation"])?;
        let mut pose = Isometry3::identity();
        match fields.get("position") {
            Some(value) => {
                let position = self.numbers(value, "base.position", 3, "x, y, z [m]")?;
                pose.translation = Translation3::new(position[0], position[1], position[2]);
            }
            None => self.remarks.push("base.position: not given, taken as the origin".into()),
        }
        match fields.get("orientation") {
            Some(value) => pose.rotation = self.orientation(value)?,
            None => self.remarks.push("base.orientation: not given, taken as the identity".into()),
        }
        Ok(pose)
    }

    fn orientation(&mut self, value: &Value) -> Result<UnitQuaternion<f64>, ModelError> {
        let field = "base.orientation";
        let [x, y, z, w] = self.numbers(value, field, 4, "quaternion x, y, z, w")?[..] else {
            return self.refuse(field, "4 numbers", shown(value));
        };
        let quaternion = Quaternion::new(w, x, y, z);
        let length = quaternion.norm();
        let off = (length - 1.0).abs();
        if off > UNIT_ROUNDED {
            return self.refuse(field, "a quaternion of length 1", format!("length {length}"));
        }
        if off > UNIT_SILENT {
            self.remarks.push(format!("{field}: length {length}, normalised"));
        }
        Ok(UnitQuaternion::new_normalize(quaternion))
    }

    fn coordinates(&mut self, value: Option<&Value>, field: &str) -> Result<Vec<f64>, ModelError> {
        let count = self.tree.velocity_dof();
        match value {
            Some(value) => self.numbers(value, field, count, "base linear, base angular, one per joint"),
            None => {
                self.remarks.push(format!("{field}: not given, taken as zero"));
                Ok(vec![0.0; count])
            }
        }
    }

    fn positions(&mut self, value: Option<&Value>) -> Result<Vec<f64>, ModelError> {
        let mut joints = vec![0.0; self.tree.dof()];
        let Some(value) = value else {
            self.remarks.push("q: not given, all joints taken as zero".into());
            return Ok(joints);
        };
        let fields = self.object(value, "q")?;
        let mut given = vec![false; joints.len()];
        let mut dependent = Vec::new();
        for (name, value) in fields {
            let field = format!("q.{name}");
            let position = self.number(value, &field)?;
            if let Some(joint) = self.tree.joint(name) {
                joints[joint] = position;
                given[joint] = true;
            } else {
                dependent.push((name, position));
            }
        }
        for (name, position) in dependent {
            self.check_dependent(name, position, &joints)?;
        }
        let omitted = given.iter().filter(|given| !**given).count();
        if omitted > 0 {
            self.remarks.push(format!("q: {omitted} of {} joints not given, taken as zero", joints.len()));
        }
        self.remark_limits(&joints);
        Ok(joints)
    }

    /// A position for a joint that does not move on its own must be what its master makes of it.
    fn check_dependent(&self, name: &str, position: f64, joints: &[f64]) -> Result<(), ModelError> {
        let field = format!("q.{name}");
        let is_it = |joint: &Option<String>| joint.as_deref() == Some(name);
        let Some(link) = self.tree.links.iter().position(|link| is_it(&link.joint_name)) else {
            return self.refuse(&field, "a joint of this robot", format!("\"{name}\""));
        };
        let Motion::Mimic(mimic) = self.tree.links[link].motion else {
            return self.refuse(&field, "a joint that moves", format!("the fixed joint \"{name}\""));
        };
        let follows = self.tree.position(link, joints);
        if (follows - position).abs() <= MIMIC_TOLERANCE * follows.abs().max(1.0) {
            return Ok(());
        }
        let master = &self.tree.joints[mimic.joint].name;
        let expected = format!(
            "{follows} = {} · {} + {}, because joint \"{name}\" mimics joint \"{master}\"",
            mimic.multiplier, joints[mimic.joint], mimic.offset
        );
        self.refuse(&field, expected, position.to_string())
    }

    fn remark_limits(&mut self, joints: &[f64]) {
        for (joint, position) in self.tree.joints.iter().zip(joints) {
            let (lower, upper) = (joint.limits.lower, joint.limits.upper);
            if *position < lower || *position > upper {
                let remark = format!("q.{}: {position} is outside its limits [{lower}, {upper}]", joint.name);
                self.remarks.push(remark);
            }
        }
    }
}

/// A value as a message shows it: its kind, and itself if it is short.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::Object(_) => "an object".into(),
        other => other.to_string().chars().take(40).collect(),
    }
}
