//! The way from one link to one of its descendants: a leg, an arm, a finger.

use nalgebra::Isometry3;

use crate::ModelError;
use crate::kinematics::moved;
use crate::parts::Motion;
use crate::tree::Tree;

/// The links from a root (exclusive) to a tip (inclusive), for kinematics of one limb without the rest of the robot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Index of the link in whose frame the tip's pose is given.
    pub root: usize,
    /// Index of the last link.
    pub tip: usize,
    /// All links that are passed, from the root's child to the tip.
    pub links: Vec<usize>,
    /// The independent joints on the way, from root to tip, each once.
    pub joints: Vec<usize>,
}

impl Chain {
    /// The way down from link `root` to link `tip`; refused if `tip` does not hang on `root`.
    pub fn new(tree: &Tree, root: usize, tip: usize) -> Result<Chain, ModelError> {
        let mut links = Vec::new();
        let mut index = tip;
        while index != root {
            links.push(index);
            index = tree.links[index].parent.ok_or_else(|| {
                let what = format!("chain to link \"{}\"", tree.links[tip].name);
                ModelError::tree(&what, format!("link \"{}\" above it", tree.links[root].name), "no way up to it")
            })?;
        }
        links.reverse();
        let mut joints = Vec::new();
        for &link in &links {
            match tree.links[link].motion {
                Motion::Joint(joint) if !joints.contains(&joint) => joints.push(joint),
                Motion::Mimic(mimic) if !joints.contains(&mimic.joint) => joints.push(mimic.joint),
                _ => {}
            }
        }
        Ok(Chain { root, tip, links, joints })
    }

    /// Pose of the tip in the root's frame, at `joints` (the positions of the whole tree).
    pub fn tip_in_root(&self, tree: &Tree, joints: &[f64]) -> Isometry3<f64> {
        let mut pose = Isometry3::identity();
        for &index in &self.links {
            let link = &tree.links[index];
            pose *= link.placement_in_parent;
            if let Some(kind) = tree.kind(index) {
                pose = moved(pose, kind, &link.axis_in_link, tree.position(index, joints));
            }
        }
        pose
    }
}
