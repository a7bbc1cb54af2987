//! Frames that a file adds to its URDF: the middle of a sole, a tool's tip.

use nalgebra::Vector3;
use page::{Fault, Fields};

use super::names;
use crate::parts::{Inertia, Motion};
use crate::{Link, ModelError, Tree};

/// The tree with the links of all `[[frame]]`s: without mass, each fixed to a link of the URDF or to an earlier frame.
pub(super) fn with_frames(fields: &mut Fields<'_>, mut tree: Tree) -> Result<Tree, ModelError> {
    let mut links = tree.links.clone();
    fields.each_named("frame", |table, name| {
        links.push(read(table, name, &tree)?);
        tree = Tree::new(links.clone(), tree.joints.clone()).map_err(|error| table.refuse(error))?;
        Ok(())
    })?;
    Ok(tree)
}

fn read(fields: &mut Fields<'_>, name: String, tree: &Tree) -> Result<Link, Fault> {
    if tree.link(&name).is_some() {
        return Err(fields.need("name", "a text")?.error("a name that no link has", &format!("\"{name}\"")));
    }
    let (link, placement_in_parent) = names::place(fields, tree)?;
    Ok(Link {
        joint_name: Some(name.clone()),
        name,
        parent: Some(link),
        motion: Motion::Fixed,
        placement_in_parent,
        axis_in_link: Vector3::x_axis(),
        inertia: Inertia::zero(),
        visuals: Vec::new(),
        collisions: Vec::new(),
    })
}
