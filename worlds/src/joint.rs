//! How an object hangs on another, or on the world: doors, drawers, levers, buttons.

use nalgebra::{Unit, Vector3};
use page::{Fault, Fields, Range, Value};

use crate::fields::{COORDINATE, DIRECTION};

/// A joint between an object and what carries it. Its position is zero where the world file puts the object.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectJoint {
    /// Index of the object that carries it; `None` is the world.
    pub carrier: Option<usize>,
    /// Whether it slides along its axis, or else turns about it.
    pub slides: bool,
    /// The axis, in the object's frame.
    pub axis: Unit<Vector3<f64>>,
    /// A point on the axis, in the object's frame [m].
    pub at: [f64; 3],
    /// Least and largest position [rad or m]; infinite without a stop.
    pub limits: [f64; 2],
    /// Viscous damping [N·m·s/rad or N·s/m].
    pub damping: f64,
    /// Friction [N·m or N].
    pub friction: f64,
    /// Stiffness of its spring [N·m/rad or N/m].
    pub spring: f64,
    /// Where the spring is relaxed [rad or m].
    pub rest: f64,
    /// Its catch at position zero.
    pub latch: Option<Latch>,
}

/// A catch, as a door's or a switch's: a spring that lets go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Latch {
    /// The effort that overcomes it [N·m or N].
    pub effort: f64,
    /// How far from where it catches that is [rad or m].
    pub within: f64,
}

const DAMPING: Range = Range::new(0.0, 1e6, "N·m·s/rad or N·s/m");
const EFFORT: Range = Range::new(0.0, 1e6, "N·m or N");
const STIFFNESS: Range = Range::new(0.0, 1e9, "N·m/rad or N/m");
const WITHIN_DEG: Range = Range::new(0.01, 90.0, "deg");
const WITHIN: Range = Range::new(1e-5, 10.0, "m");

/// Reads `hinge = { … }` or `slide = { … }`; `carriers` are the names of the objects before this one, which `check` looks at.
pub(crate) fn read(
    value: Value<'_>,
    slides: bool,
    carriers: &[&str],
    check: impl Fn(&Value<'_>, usize) -> Result<(), Fault>,
) -> Result<ObjectJoint, Fault> {
    let mut fields = value.table()?;
    let on = fields.get("on").map(|name| named(&name, carriers).and_then(|index| check(&name, index).map(|()| index)));
    let carrier = on.transpose()?;
    let direction = fields.need("axis", "[x, y, z] in the object's frame")?;
    let [x, y, z] = direction.vector(Range::new(-1e3, 1e3, "1"))?;
    let axis = Unit::try_new(Vector3::new(x, y, z), 1e-6);
    let axis = axis.ok_or_else(|| direction.error("a direction", "a null vector"))?;
    let at = match slides {
        true => [0.0; 3],
        false => fields.get("at").map_or(Ok([0.0; 3]), |at| at.vector(COORDINATE))?,
    };
    // a hinge's angles are in degrees, as everywhere in a world file
    let (limits, rest, unit, range) = match slides {
        true => ("limits", "rest", 1.0, COORDINATE),
        false => ("limits_deg", "rest_deg", 1_f64.to_radians(), DIRECTION),
    };
    let limits = fields.get(limits);
    let limits = limits.map(|limits| limits_of(&limits, range)).transpose()?;
    let limits = limits.map_or([f64::NEG_INFINITY, f64::INFINITY], |limits| limits.map(|limit| limit * unit));
    let joint = ObjectJoint {
        carrier,
        slides,
        axis,
        at,
        limits,
        damping: fields.number_or("damping", DAMPING, 0.0)?,
        friction: fields.number_or("friction", EFFORT, 0.0)?,
        spring: fields.number_or("spring", STIFFNESS, 0.0)?,
        rest: fields.number_or(rest, range, 0.0)? * unit,
        latch: fields.get("latch").map(|latch| latch_of(latch, slides)).transpose()?,
    };
    fields.finish()?;
    Ok(joint)
}

impl ObjectJoint {
    /// Takes up what a table says otherwise.
    pub(crate) fn change(&mut self, fields: &mut Fields<'_>) -> Result<(), Fault> {
        self.damping = fields.number_or("damping", DAMPING, self.damping)?;
        self.friction = fields.number_or("friction", EFFORT, self.friction)?;
        self.spring = fields.number_or("spring", STIFFNESS, self.spring)?;
        Ok(())
    }
}

fn named(name: &Value<'_>, carriers: &[&str]) -> Result<usize, Fault> {
    let found = name.text()?;
    let index = carriers.iter().position(|carrier| *carrier == found);
    index.ok_or_else(|| name.error("the name of an object before this one", &format!("\"{found}\"")))
}

fn limits_of(limits: &Value<'_>, range: Range) -> Result<[f64; 2], Fault> {
    let [lower, upper] = limits.vector(range)?;
    if lower > 0.0 || upper < 0.0 {
        return Err(limits.error("limits around zero, where the object is put", &format!("{lower} to {upper}")));
    }
    Ok([lower, upper])
}

fn latch_of(latch: Value<'_>, slides: bool) -> Result<Latch, Fault> {
    let mut fields = latch.table()?;
    let effort = fields.number("effort", Range::new(1e-6, 1e6, "N·m or N"))?;
    let within = match slides {
        true => fields.number_or("within", WITHIN, 0.002)?,
        false => fields.number_or("within_deg", WITHIN_DEG, 2.0)?.to_radians(),
    };
    fields.finish()?;
    Ok(Latch { effort, within })
}
