//! What charts can ask of eyes and hands.

mod approach;
mod hand;
mod look;
mod mind;
mod told;

use mission::chart::{Need, Parameter, Type, Value};
use mission::{SkillRefusal, Skills};
use robot_io::ShortName;

use crate::desk::Desk;

/// How fast arms move unless a chart says otherwise: share of the joints' top speeds.
const SPEED: f64 = 0.3;

/// The skills and those for eyes and hands: `look_for`, `approach`, `reach`, `shift`, `turn`, `arm_pose`, `grasp`, `release`, `mind_fingers`, …. Charts that name them need
/// [`Eyes`](crate::Eyes) and [`Hands`](crate::Hands) beside their behaviour.
#[must_use]
pub fn with_hands(skills: Skills) -> Skills {
    let skills = skills.with_ends(Desk::default);
    mind::add(told::add(approach::add(look::add(skills))))
}

fn text(name: &str) -> Parameter {
    Parameter::required(name, Type::Text, "")
}

fn number(name: &str, unit: &str, usual: f64) -> Parameter {
    Parameter { need: Need::Default(Value::Number(usual)), ..Parameter::required(name, Type::Number, unit) }
}

fn numbers(name: &str, unit: &str, usual: [f64; 3]) -> Parameter {
    let need = Need::Default(Value::Numbers(usual.to_vec()));
    Parameter { need, ..Parameter::required(name, Type::Numbers, unit) }
}

fn flag(name: &str) -> Parameter {
    Parameter { need: Need::Default(Value::Flag(false)), ..Parameter::required(name, Type::Flag, "") }
}

fn optional(parameter: Parameter) -> Parameter {
    Parameter { need: Need::Optional, ..parameter }
}

/// A name that travels through channels.
fn short(field: &str, name: &str) -> Result<ShortName, SkillRefusal> {
    let most = ShortName::LONGEST;
    let refuse = || SkillRefusal(format!("{field}: expected a name of at most {most} bytes, found '{name}'"));
    ShortName::new(name).ok_or_else(refuse)
}

fn expect(name: &str, found: f64, least: f64, most: f64) -> Result<(), SkillRefusal> {
    if (least..=most).contains(&found) {
        return Ok(());
    }
    Err(SkillRefusal(format!("{name}: expected {least} to {most}, found {found}")))
}
