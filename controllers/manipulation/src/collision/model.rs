//! A robot's links as solids and spheres, and which of them may meet.

use nalgebra::{Isometry3, Vector3};
use robot_model::{Configuration, Data, Geometry, RobotModel, Shape, Tree, forward_kinematics};

use super::cover::{cover, without_held};
use super::solid::{Placed, Solid};
use super::sphere::Sphere;
use crate::error::{ManipulationError, check_number, check_numbers};

/// How finely links are made of spheres.
#[derive(Clone, Debug, PartialEq)]
pub struct CollisionSettings {
    /// No sphere reaches farther beyond its link's shape than this [m]; links that are near to others where the robot stands
    /// get finer ones, down to a quarter of it.
    pub excess: f64,
    /// What is kept between the robot and anything else, at the least, where a configuration is called free [m]. A way is
    /// looked at so often that no point of the robot moves farther than this in between, so that half of it is kept everywhere.
    pub margin: f64,
}

impl Default for CollisionSettings {
    fn default() -> Self {
        CollisionSettings { excess: 0.02, margin: 0.01 }
    }
}

/// Two links that are not kept apart, and why.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Excluded {
    /// The one link, by its index in the tree.
    pub one: usize,
    /// The other.
    pub two: usize,
    /// Why.
    pub reason: Reason,
}

/// Why two links are not kept apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reason {
    /// A joint, or nothing that moves, is between them.
    HangTogether,
    /// The robot's file says that they do not touch.
    File,
    /// Where the robot stands the finest spheres of the first and the margin overlap with the second, by so much [m].
    Standing(f64),
}

/// A robot as collision checks see it: for each link its exact solids, and the spheres that hold them.
#[derive(Clone, Debug)]
pub struct CollisionModel {
    tree: Tree,
    solids: Vec<Vec<Placed>>,
    /// The same of what light meets.
    seen: Vec<Vec<Placed>>,
    /// For each link the coarsest.
    spheres: Vec<Vec<Sphere>>,
    /// Where each link is in the base's frame while the robot stands.
    standing: Vec<Isometry3<f64>>,
    settings: CollisionSettings,
    excluded: Vec<Excluded>,
    /// For each pair of links whether they are kept apart.
    apart: Vec<bool>,
}

/// So many finenesses there are, the excess of each half that of the one before.
const FINER: usize = 3;

impl CollisionModel {
    /// Of a robot that stands with its joints at `standing`, one position for each joint of its tree [rad or m].
    ///
    /// Kept apart are all links but those of one body, neighbours in the tree, those the robot's file says not to touch,
    /// and, where a [`Checker`](crate::Checker) is made, those that overlap where it stands; the plant decides in the same way,
    /// of exact shapes. `corners` gives the
    /// corners of a mesh by its name in the URDF, before its scale [m]: the box around them stands for the mesh. Refused
    /// is a mesh of which there are none.
    pub fn new(
        robot: &RobotModel,
        standing: &[f64],
        settings: CollisionSettings,
        corners: impl Fn(&str) -> Option<Vec<Vector3<f64>>>,
    ) -> Result<CollisionModel, ManipulationError> {
        let part = "settings of collision checks";
        check_number(part, "excess", (1e-3, 1.0), "m", settings.excess)?;
        check_number(part, "margin", (1e-4, 1.0), "m", settings.margin)?;
        check_numbers("where the robot stands", "positions", robot.tree.dof(), standing)?;
        let tree = robot.tree.clone();
        let (mut solids, mut seen) = (Vec::new(), Vec::new());
        for link in &tree.links {
            let of_link = |geometry: &Geometry| placed(&link.name, geometry, &corners);
            solids.push(link.collisions.iter().map(of_link).collect::<Result<Vec<Placed>, _>>()?);
            seen.push(link.seen().map(of_link).collect::<Result<Vec<Placed>, _>>()?);
        }
        let links = tree.links.len();
        let spheres = solids.iter().map(|solids| covered(solids, settings.excess)).collect();
        let standing = poses(&tree, standing);
        let apart = vec![true; links * links];
        let mut model = CollisionModel { tree, solids, seen, spheres, standing, settings, excluded: Vec::new(), apart };
        model.exclude_neighbours(robot);
        Ok(model)
    }

    /// The robot's tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The settings it was made with.
    pub fn settings(&self) -> &CollisionSettings {
        &self.settings
    }

    /// The spheres of a link in its frame, the coarsest; none of a link that does not exist.
    pub fn spheres(&self, link: usize) -> &[Sphere] {
        self.spheres.get(link).map_or(&[], Vec::as_slice)
    }

    /// Spheres of a link that are so fine that each of the `others`, a link and a distance [m], is farther from them than that
    /// where the robot stands. What the finest still overlap with, and by how much [m], is passed to `overlaps`.
    pub(crate) fn fine_spheres(
        &self,
        link: usize,
        others: impl Iterator<Item = (usize, f64)>,
        mut overlaps: impl FnMut(usize, f64),
    ) -> Vec<Sphere> {
        let mut levels = vec![self.spheres[link].clone()];
        let mut wanted = 0;
        for (other, distance) in others {
            let mut level = 0;
            loop {
                if levels.len() <= level {
                    levels.push(covered(&self.solids[link], self.settings.excess / (1 << level) as f64));
                }
                let overlap = self.overlap((link, &levels[level]), other) + distance;
                if overlap <= 0.0 {
                    wanted = level.max(wanted);
                    break;
                }
                level += 1;
                if level == FINER {
                    overlaps(other, overlap);
                    break;
                }
            }
        }
        levels.swap_remove(wanted)
    }

    /// By how much spheres of a link overlap with another link's solids where the robot stands [m]; negative where they do not.
    fn overlap(&self, (link, spheres): (usize, &[Sphere]), other: usize) -> f64 {
        let relative = self.standing[other].inv_mul(&self.standing[link]);
        let mut deepest = f64::NEG_INFINITY;
        for sphere in spheres {
            let center = relative.rotation * sphere.center + relative.translation.vector;
            let depths = self.solids[other].iter().map(|placed| sphere.radius - placed.distance(&center));
            deepest = depths.fold(deepest, f64::max);
        }
        deepest
    }

    /// The solids of a link in its frame; none of a link that does not exist.
    pub fn solids(&self, link: usize) -> &[Placed] {
        self.solids.get(link).map_or(&[], Vec::as_slice)
    }

    /// What a camera sees of a link, in its frame: links may be drawn larger than they are kept clear.
    pub fn seen(&self, link: usize) -> &[Placed] {
        self.seen.get(link).map_or(&[], Vec::as_slice)
    }

    /// All pairs of links with shapes that are never kept apart; a checker has some more.
    pub fn excluded(&self) -> &[Excluded] {
        &self.excluded
    }

    /// Whether two links are kept apart.
    pub fn keeps_apart(&self, one: usize, two: usize) -> bool {
        self.apart.get(one * self.tree.links.len() + two).copied().unwrap_or(false)
    }

    /// Whether a link belongs to the hand of another: to the same body, or to one that hangs on it.
    pub fn is_of_hand(&self, link: usize, hand: usize) -> bool {
        let body = |link: usize| self.tree.place(link).body;
        let (mut at, hand) = (Some(link), body(hand));
        while let Some(link) = at {
            if body(link) == hand {
                return true;
            }
            at = self.tree.links[link].parent;
        }
        false
    }

    fn exclude_neighbours(&mut self, robot: &RobotModel) {
        let bodies: Vec<_> = robot.tree.rigid_bodies().collect();
        let body = |link: usize| robot.tree.place(link).body;
        for two in 0..self.tree.links.len() {
            for one in 0..=two {
                let (first, second) = (body(one), body(two));
                let hangs = |on: usize, hung: usize| bodies.get(hung).is_some_and(|hung| hung.parent == Some(on));
                let together = first == second || hangs(first, second) || hangs(second, first);
                match (together, robot.description.keeps_apart(one, two)) {
                    (true, _) => self.exclude(one, two, Reason::HangTogether),
                    (false, true) => self.exclude(one, two, Reason::File),
                    (false, false) => {}
                }
            }
        }
    }

    fn exclude(&mut self, one: usize, two: usize, reason: Reason) {
        let links = self.tree.links.len();
        self.apart[one * links + two] = false;
        self.apart[two * links + one] = false;
        if one != two && !self.solids[one].is_empty() && !self.solids[two].is_empty() {
            self.excluded.push(Excluded { one, two, reason });
        }
    }
}

/// The spheres of a link.
fn covered(solids: &[Placed], excess: f64) -> Vec<Sphere> {
    without_held(solids.iter().flat_map(|placed| cover(placed, excess)).collect())
}

fn poses(tree: &Tree, joints: &[f64]) -> Vec<Isometry3<f64>> {
    let mut configuration = Configuration::zero(tree);
    configuration.joints.copy_from_slice(joints);
    let mut data = Data::new(tree);
    forward_kinematics(tree, &configuration, &mut data);
    data.link_in_base
}

fn placed(
    link: &str,
    geometry: &Geometry,
    corners: &impl Fn(&str) -> Option<Vec<Vector3<f64>>>,
) -> Result<Placed, ManipulationError> {
    let (pose, part) = (geometry.pose_in_link, format!("link \"{link}\""));
    let solid = match &geometry.shape {
        Shape::Box { size } => Solid::Box { size: *size },
        Shape::Cylinder { radius, length } => Solid::Cylinder { radius: *radius, length: *length },
        Shape::Capsule { radius, length } => Solid::Capsule { radius: *radius, length: *length },
        Shape::Sphere { radius } => Solid::Sphere { radius: *radius },
        Shape::Mesh { uri, scale } => {
            let corners = corners(uri).filter(|corners| !corners.is_empty());
            let corners = corners
                .ok_or_else(|| ManipulationError::refused(&part, "mesh", format!("the corners of {uri}"), "none"))?;
            let scaled = || corners.iter().map(|corner| corner.component_mul(scale));
            let low = scaled().fold(Vector3::repeat(f64::INFINITY), |low, corner| low.inf(&corner));
            let high = scaled().fold(Vector3::repeat(f64::NEG_INFINITY), |high, corner| high.sup(&corner));
            let middle = 0.5 * (low + high);
            let (size, middle) = (high - low, Isometry3::translation(middle.x, middle.y, middle.z));
            let solid = Solid::Box { size };
            solid.check(&part)?;
            return Ok(Placed { solid, pose: pose * middle });
        }
    };
    solid.check(&part)?;
    Ok(Placed { solid, pose })
}
