//! What a robot stands and walks on.

use page::{Fault, Fields, Range};

use super::{ContactMount, EndEffector, ForceTorqueMount, Limb, names};
use crate::Tree;

/// A foot: a rectangle, or a point if it has no length and width.
///
/// Its frame is that of its limb's end effector: in the middle of the underside, x ahead, z up.
#[derive(Clone, Debug, PartialEq)]
pub struct Foot {
    /// Its name.
    pub name: String,
    /// Index of the limb that carries it.
    pub limb: usize,
    /// Index of the link whose frame is the foot's.
    pub link: usize,
    /// Along x [m]; 0 for a point.
    pub length: f64,
    /// Along y [m]; 0 for a point.
    pub width: f64,
    /// Index of the force/torque cell through which all of its load goes, if there is one.
    pub force_torque: Option<usize>,
    /// Index of its contact switch, if there is one.
    pub contact: Option<usize>,
}

/// What feet are made of: tables that are read before.
pub(super) struct Parts<'d> {
    pub tree: &'d Tree,
    pub limbs: &'d [Limb],
    pub end_effectors: &'d [EndEffector],
    pub force_torques: &'d [ForceTorqueMount],
    pub contacts: &'d [ContactMount],
}

impl Foot {
    pub(super) fn read(fields: &mut Fields<'_>, name: String, parts: &Parts<'_>) -> Result<Foot, Fault> {
        let named = fields.need("limb", "the name of a [[limb]]")?;
        let limb = names::table(&named, "limb", parts.limbs.iter().map(|limb| &limb.name))?;
        let Some(end_effector) = parts.limbs[limb].end_effector else {
            let found = format!("\"{}\", which has none", parts.limbs[limb].name);
            return Err(named.error("a limb with an end effector, whose link is the foot's frame", &found));
        };
        let link = parts.end_effectors[end_effector].link;
        let size = Range::new(0.0, 10.0, "m");
        let (length, width) = (fields.number("length", size)?, fields.number("width", size)?);
        let cells = parts.force_torques.iter().map(|cell| &cell.name);
        let cell = fields.get("force_torque");
        let force_torque = cell.as_ref().map(|cell| names::table(cell, "force_torque", cells)).transpose()?;
        if let (Some(cell), Some(index)) = (&cell, force_torque)
            && !hangs_on(parts.tree, link, parts.force_torques[index].link)
        {
            let found = format!("\"{}\", which is not between the trunk and the foot", parts.force_torques[index].name);
            return Err(cell.error("a cell through which the foot's load goes", &found));
        }
        let switches = parts.contacts.iter().map(|contact| &contact.name);
        let contact = fields.get("contact").map(|name| names::table(&name, "contact", switches)).transpose()?;
        Ok(Foot { name, limb, link, length, width, force_torque, contact })
    }
}

/// Whether a link hangs on another, or is it.
fn hangs_on(tree: &Tree, link: usize, other: usize) -> bool {
    core::iter::successors(Some(link), |link| tree.links[*link].parent).any(|link| link == other)
}
