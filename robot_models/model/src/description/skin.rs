//! Skin that feels: patches on links.

use nalgebra::{Point3, Unit, Vector3};
use page::{Fault, Fields, Range};

use super::Description;
use super::names;
use super::numbers::noise;
use crate::Tree;

/// The word by which a scenario switches all patches of a robot on.
pub const SKIN: &str = "skin";
/// A vector that is shorter points nowhere.
const SHORTEST: f64 = 1e-6;
/// How large a patch may be [m].
const SIZE: Range = Range::new(1e-4, 10.0, "m");

/// A round patch of skin: it feels what touches its link near a place.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinPatch {
    /// Its name.
    pub name: String,
    /// The link that it covers.
    pub link: usize,
    /// Its middle, in the link's frame (file: `xyz` [m]).
    pub middle_in_link: Point3<f64>,
    /// Out of the robot, in the link's frame (file: `out`, of any length).
    pub out_in_link: Unit<Vector3<f64>>,
    /// What touches the link is felt within this distance of its middle, seen from outside [m] …
    pub radius: f64,
    /// … and if it is no deeper under its middle, nor higher over it [m].
    pub depth: f64,
    /// Normal force from which it says that it is touched [N].
    pub threshold: f64,
    /// Standard deviation of one force reading [N].
    pub force_noise: f64,
}

impl SkinPatch {
    /// Whether a point of its link, in the link's frame, is within it.
    pub fn has(&self, point_in_link: &Point3<f64>) -> bool {
        let from_middle = point_in_link - self.middle_in_link;
        let over = from_middle.dot(&self.out_in_link);
        over.abs() <= self.depth && (from_middle - *self.out_in_link * over).norm() <= self.radius
    }

    pub(super) fn read(fields: &mut Fields<'_>, name: String, tree: &Tree) -> Result<SkinPatch, Fault> {
        let link = names::link(&fields.need("link", "the name of a link")?, tree)?;
        let middle: [f64; 3] = fields.vector("xyz", Range::new(-100.0, 100.0, "m"))?;
        let out = fields.need("out", "a direction [x, y, z] out of the robot")?;
        let direction: [f64; 3] = out.vector(Range::new(-1e3, 1e3, ""))?;
        let expected = "a direction [x, y, z], longer than 1e-6";
        let out_in_link = Unit::try_new(Vector3::from(direction), SHORTEST)
            .ok_or_else(|| out.error(expected, &format!("{direction:?}")))?;
        Ok(SkinPatch {
            name,
            link,
            middle_in_link: Point3::from(middle),
            out_in_link,
            radius: fields.number("radius", SIZE)?,
            depth: fields.number("depth", SIZE)?,
            threshold: fields.number("threshold", Range::new(0.0, 1e6, "N"))?,
            force_noise: fields.number("force_noise", noise("N"))?,
        })
    }
}

impl Description {
    /// What a scenario may switch on by its name: sensors that look outwards one by one, and the skin as a whole.
    pub fn switchable_sensors(&self) -> impl Iterator<Item = &str> {
        self.vision_sensors().chain((!self.skin.is_empty()).then_some(SKIN))
    }

    /// The patches of skin of a robot on which these sensors are switched on.
    pub fn skin_with(&self, switched_on: &[String]) -> &[SkinPatch] {
        if switched_on.iter().any(|name| name == SKIN) { &self.skin } else { &[] }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_a_flat_disc_on_its_side_of_the_link() {
        let patch = SkinPatch {
            name: "back".to_owned(),
            link: 0,
            middle_in_link: Point3::new(0.0, 0.02, -0.05),
            out_in_link: Vector3::y_axis(),
            radius: 0.03,
            depth: 0.01,
            threshold: 2.0,
            force_noise: 0.0,
        };
        let has = |x: f64, y: f64, z: f64| patch.has(&Point3::new(x, y, z));
        assert!(has(0.0, 0.02, -0.05) && has(0.029, 0.011, -0.05) && has(0.02, 0.029, -0.03));
        assert!(!has(0.031, 0.02, -0.05), "beside it");
        assert!(!has(0.0, -0.02, -0.05), "on the other side of the hand");
        assert!(!has(0.0, 0.031, -0.05), "over it");
    }
}
