//! Names in the file, looked up in the tree and among the file's own tables.

use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use page::{Fault, Fields, Range, Value};

use crate::{Link, Tree};

/// The names of a list that must be there.
pub(super) fn list<'d>(fields: &mut Fields<'d>, key: &'static str) -> Result<Vec<Value<'d>>, Fault> {
    fields.need(key, "a list of names")?.list("a list of names")
}

/// The joint that a value names.
pub(super) fn joint(name: &Value<'_>, tree: &Tree) -> Result<usize, Fault> {
    find(name, "a joint of the robot", |text| tree.joint(text))
}

/// The link that a value names.
pub(super) fn link(name: &Value<'_>, tree: &Tree) -> Result<usize, Fault> {
    find(name, "a link of the robot", |text| tree.link(text))
}

/// The link on the far side of a joint of any kind.
pub(super) fn moved_or_fixed(name: &Value<'_>, tree: &Tree) -> Result<usize, Fault> {
    let has = |text: &str, link: &Link| link.joint_name.as_deref() == Some(text);
    find(name, "a joint of the robot, fixed or moving", |text| tree.links.iter().position(|link| has(text, link)))
}

/// The index among `names`, which are those of the tables called `kind`.
pub(super) fn table<'n>(
    name: &Value<'_>,
    kind: &str,
    mut names: impl Iterator<Item = &'n String>,
) -> Result<usize, Fault> {
    find(name, &format!("the name of a [[{kind}]]"), |text| names.position(|other| other == text))
}

fn find(name: &Value<'_>, expected: &str, index: impl FnOnce(&str) -> Option<usize>) -> Result<usize, Fault> {
    let text = name.text()?;
    index(text).ok_or_else(|| name.error(expected, &format!("\"{text}\"")))
}

/// A second time where each is allowed once.
pub(super) fn twice(name: &Value<'_>, expected: &str) -> Fault {
    name.error(expected, &format!("{} a second time", name.found()))
}

/// `link`, and `xyz` and `rpy`: the pose of something in that link's frame, which is that frame where they are left out.
pub(super) fn place(fields: &mut Fields<'_>, tree: &Tree) -> Result<(usize, Isometry3<f64>), Fault> {
    let link = link(&fields.need("link", "a link of the robot")?, tree)?;
    let [x, y, z] = fields.vector_or("xyz", Range::new(-100.0, 100.0, "m"), [0.0; 3])?;
    let [roll, pitch, yaw] = fields.vector_or("rpy", Range::new(-100.0, 100.0, "rad"), [0.0; 3])?;
    let rotation = UnitQuaternion::from_euler_angles(roll, pitch, yaw);
    Ok((link, Isometry3::from_parts(Translation3::new(x, y, z), rotation)))
}
