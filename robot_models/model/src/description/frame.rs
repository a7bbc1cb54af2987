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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use nalgebra::Point3;

    use crate::{ModelError, RobotModel, Source};

    const URDF: &str = r#"<robot name="cart"><link name="base"/><link name="wheel"/>
  <joint name="axle" type="fixed"><parent link="base"/><child link="wheel"/><origin xyz="0 0 0.5"/></joint></robot>"#;

    fn with_frames(frames: &str) -> Result<RobotModel, ModelError> {
        let source = |name: &str, text: &str| Source { name: name.to_owned(), bytes: text.as_bytes().into() };
        let toml = format!("name = \"cart\"\ncycle_period_us = 4000\n{frames}");
        RobotModel::from_sources(source("cart.toml", &toml), source("cart.urdf", URDF))
    }

    #[test]
    fn a_frame_is_a_link_that_others_name() {
        let frames = "[[frame]]\nname = \"hub\"\nlink = \"wheel\"\nxyz = [0.0, 0.1, 0.0]\n\
                  [[frame]]\nname = \"tip\"\nlink = \"hub\"\nrpy = [0.0, 0.0, 1.5707963267948966]\n\
                  [[end_effector]]\nname = \"tip\"\nlink = \"tip\"\n";
        let cart = with_frames(frames).unwrap();
        assert_eq!(cart.tree.links.len(), 4);
        let tip = cart.description.end_effector("tip").unwrap().link;
        assert_eq!(cart.tree.links[tip].name, "tip");
        let in_base = cart.tree.place(tip).pose_in_body * Point3::new(1.0, 0.0, 0.0);
        assert!((in_base - Point3::new(0.0, 1.1, 0.5)).norm() < 1e-12, "{in_base}");
        for (from, to, message) in [
            ("name = \"hub\"", "name = \"wheel\"", "frame[0].name: expected a name that no link has, found \"wheel\""),
            ("link = \"hub\"", "link = \"hob\"", "frame[1].link: expected a link of the robot, found \"hob\""),
            ("xyz", "xzy", "frame[0].xzy: expected one of name, link, xyz, rpy, found an unknown field"),
            ("0.1, 0.0]", "0.1]", "frame[0].xyz: expected a list of 3 numbers"),
            ("link = \"tip\"", "link = \"top\"", "link: expected a link of the robot, found \"top\""),
        ] {
            let found = with_frames(&frames.replace(from, to)).unwrap_err().to_string();
            assert!(found.starts_with("cart.toml:") && found.contains(message), "{found}");
        }
    }
}
