//! What two materials do on each other, where it does not follow from each alone.

use page::{Fault, Fields, Range};

use crate::Material;
use crate::fields::FRACTION;

/// Torques per normal force.
pub(crate) const ARM: Range = Range::new(0.0, 10.0, "m");
/// How far something gives way.
pub(crate) const GIVE: Range = Range::new(0.0, 1.0, "m");

/// Two materials, and what is known of them together; the rest follows from each alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// Their names. One at least is a material of the world; the other may be a surface of a robot.
    pub materials: [String; 2],
    /// Coulomb friction coefficient [1].
    pub friction: Option<f64>,
    /// Coefficient of restitution [1].
    pub restitution: Option<f64>,
    /// Torque about the normal per normal force at which a point slips [m].
    pub torsional_friction: Option<f64>,
    /// Torque across the normal per normal force at which one rolls over a point [m].
    pub rolling_friction: Option<f64>,
    /// By how much they give way under the weight of what lies on them [m]; 0 is hard.
    pub give: Option<f64>,
}

/// Reads the `[[pair]]` tables.
pub(crate) fn read(fields: &mut Fields<'_>, materials: &[Material]) -> Result<Vec<Pair>, Fault> {
    let mut pairs: Vec<Pair> = Vec::new();
    for mut table in fields.tables("pair")? {
        let names = table.need("materials", "two names")?;
        let list = names.list("two names")?;
        let [one, two] = list.as_slice() else {
            return Err(names.error("two names", &format!("{} of them", list.len())));
        };
        let both = [one.text()?.to_owned(), two.text()?.to_owned()];
        if !materials.iter().any(|material| both.contains(&material.name)) {
            return Err(names.error("at least one material of this world", &format!("{both:?}")));
        }
        if pairs.iter().any(|pair| pair.is_of(&both[0], &both[1])) {
            return Err(names.error("each pair once", &format!("{both:?} a second time")));
        }
        let mut number = |key, range| table.get(key).map(|value| value.number(range)).transpose();
        let pair = Pair {
            materials: both,
            friction: number("friction", Range::new(0.0, 10.0, "1"))?,
            restitution: number("restitution", FRACTION)?,
            torsional_friction: number("torsional_friction", ARM)?,
            rolling_friction: number("rolling_friction", ARM)?,
            give: number("give", GIVE)?,
        };
        table.finish()?;
        pairs.push(pair);
    }
    Ok(pairs)
}

impl Pair {
    /// Whether it is of these two, in either order.
    pub fn is_of(&self, one: &str, two: &str) -> bool {
        let [a, b] = &self.materials;
        (a == one && b == two) || (a == two && b == one)
    }
}
