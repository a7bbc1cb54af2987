//! What a robot grasps with.

use nalgebra::{Unit, Vector3};
use page::{Fault, Fields, Range};

use super::{EndEffector, JointSettings, Limb, names};
use crate::Tree;

/// The opening may lean so little towards the way ahead, as the sine of the angle [1].
const SQUARE: f64 = 1e-3;
/// How far positions may exceed a limit: what printing a limit with six digits loses [rad or m].
const ROUNDING: f64 = 1e-6;

/// Fingers that close around something.
///
/// Its frame is that of its end effector, in the middle of what it grasps: x points ahead, away from the palm. Between open
/// and closed it is at a share from 0 to 1, each joint evenly.
#[derive(Clone, Debug, PartialEq)]
pub struct Hand {
    /// Its name.
    pub name: String,
    /// Index of the limb whose joints are the fingers'.
    pub limb: usize,
    /// Index of the link whose frame is the hand's.
    pub link: usize,
    /// The direction along which the fingers close, from either side, in the hand's frame; at right angles to x (file: `opening`, of
    /// any length).
    pub opening_in_hand: Unit<Vector3<f64>>,
    /// Where each joint of the limb is, in its order, where the hand is open [rad or m].
    pub open: Vec<f64>,
    /// Where it is closed [rad or m].
    pub closed: Vec<f64>,
    /// The force with which the fingers of either side may press for long, all together [N].
    pub force: f64,
}

/// What hands are made of: tables that are read before.
pub(super) struct Parts<'d> {
    pub tree: &'d Tree,
    pub limbs: &'d [Limb],
    pub end_effectors: &'d [EndEffector],
    pub joints: &'d [JointSettings],
}

impl Hand {
    pub(super) fn read(fields: &mut Fields<'_>, name: String, parts: &Parts<'_>) -> Result<Hand, Fault> {
        let named = fields.need("limb", "the name of a [[limb]]")?;
        let limb = names::table(&named, "limb", parts.limbs.iter().map(|limb| &limb.name))?;
        let passive = |joint: &&usize| parts.joints[**joint].actuator.is_none();
        if let Some(joint) = parts.limbs[limb].joints.iter().find(passive) {
            let found = format!("the passive \"{}\"", parts.tree.joints[*joint].name);
            return Err(named.error("a limb whose joints have actuators", &found));
        }
        let effector = fields.need("end_effector", "the name of an [[end_effector]]")?;
        let known = parts.end_effectors.iter().map(|effector| &effector.name);
        let link = parts.end_effectors[names::table(&effector, "end_effector", known)?].link;
        let (open, closed) = (positions(fields, "open", limb, parts)?, positions(fields, "closed", limb, parts)?);
        if open == closed {
            return Err(fields.error("other positions closed than open", "the same"));
        }
        let force = fields.number("force", Range::new(1e-3, 1e5, "N"))?;
        Ok(Hand { name, limb, link, opening_in_hand: opening(fields)?, open, closed, force })
    }
}

fn opening(fields: &mut Fields<'_>) -> Result<Unit<Vector3<f64>>, Fault> {
    let expected = "a direction [x, y, z] at right angles to x, longer than 1e-6";
    let value = fields.need("opening", expected)?;
    let direction: [f64; 3] = value.vector(Range::new(-1e3, 1e3, ""))?;
    let unit = Unit::try_new(Vector3::from(direction), 1e-6).filter(|unit| unit.x.abs() <= SQUARE);
    unit.ok_or_else(|| value.error(expected, &format!("{direction:?}")))
}

/// The positions of all joints of a limb, each by its name.
fn positions(fields: &mut Fields<'_>, key: &'static str, limb: usize, parts: &Parts<'_>) -> Result<Vec<f64>, Fault> {
    let (Limb { name, joints, .. }, tree) = (&parts.limbs[limb], parts.tree);
    let table = fields.need(key, "a table with a position for each joint of the limb")?;
    let mut found = vec![None; joints.len()];
    for (joint, position) in table.clone().table()?.unread() {
        let index = tree.joint(joint.get_ref()).and_then(|index| joints.iter().position(|known| *known == index));
        let expected = format!("a joint of limb \"{name}\"");
        let index = index.ok_or_else(|| position.error(&expected, &format!("\"{}\"", joint.get_ref())))?;
        let limits = &tree.joints[joints[index]].limits;
        let number = position.number(Range::new(-1e4, 1e4, "rad or m"))?;
        if !(limits.lower - ROUNDING..=limits.upper + ROUNDING).contains(&number) {
            return Err(position.error(&format!("{} to {}", limits.lower, limits.upper), &number.to_string()));
        }
        found[index] = Some(number);
    }
    let lacking = |(joint, found): (&usize, Option<f64>)| {
        let what = format!("a position of \"{}\"", tree.joints[*joint].name);
        found.ok_or_else(|| table.error(&what, "none"))
    };
    joints.iter().zip(found).map(lacking).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]
mod tests {
    use crate::description::tests::{TOML, read};

    const HAND: &str = r#"
[[hand]]
name = "claw"
limb = "leg"
end_effector = "foot"
opening = [0.0, 0.0, 2.0]
force = 20.0
open = { hip = -0.5, roll = 0.0, steer = 0.1 }
closed = { hip = 0.5, roll = 0.2, steer = 0.1 }
"#;

    #[test]
    fn a_hand_has_its_limbs_joints_in_their_order() {
        let cart = read(&format!("{TOML}{HAND}")).unwrap();
        let hand = cart.hand("claw").unwrap();
        assert_eq!(hand.open, [-0.5, 0.1, 0.0]);
        assert_eq!(hand.closed, [0.5, 0.1, 0.2]);
        assert_eq!((hand.opening_in_hand.z, hand.force), (1.0, 20.0));
        assert_eq!(cart.limbs[hand.limb].name, "leg");
        assert_eq!(hand.link, cart.end_effector("foot").unwrap().link);
    }

    #[test]
    fn what_is_wrong_with_a_hand_is_said_with_its_field() {
        for (from, to, message) in [
            ("limb = \"leg\"", "limb = \"log\"", "hand[0].limb: expected the name of a [[limb]], found \"log\""),
            ("\"foot\"", "\"fist\"", "hand[0].end_effector: expected the name of a [[end_effector]], found \"fist\""),
            (
                "[0.0, 0.0, 2.0]",
                "[2.0, 0.0, 2.0]",
                "hand[0].opening: expected a direction [x, y, z] at right angles to x",
            ),
            (
                "force = 20.0",
                "force = 0.0",
                "hand[0].force: expected a number from 0.001 to 100000 [N], found float `0.0`",
            ),
            ("hip = 0.5", "hip = 1.5", "hand[0].closed.hip: expected -1 to 1, found 1.5"),
            ("roll = 0.2", "hinge = 0.2", "hand[0].closed.hinge: expected a joint of limb \"leg\", found \"hinge\""),
            (", roll = 0.2", "", "hand[0].closed: expected a position of \"roll\", found none"),
            ("hip = 0.5, roll = 0.2", "hip = -0.5, roll = 0.0", "hand[0]: expected other positions closed than open"),
        ] {
            let text = format!("{TOML}{}", HAND.replacen(from, to, 1));
            let found = read(&text).expect_err(to).to_string();
            assert!(found.starts_with("cart.toml:") && found.contains(message), "{found}");
        }
    }
}
