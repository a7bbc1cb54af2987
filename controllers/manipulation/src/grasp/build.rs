//! From a robot's links and joints to a hand's levels.

use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion, Vector3};
use robot_model::{Chain, RobotModel, Tree, description};

use super::hand::SIDES;
use super::level::Level;
use super::probe::{Probe, probes};
use crate::collision::CollisionModel;
use crate::error::ManipulationError;

/// Probes on a hand are so far apart [m]. Chosen: half a finger's width.
const SPACING: f64 = 0.01;
/// A joint is moved by so much to see what that does [rad or m].
const NUDGE: f64 = 1e-4;

/// The frame in which grasps are planned, x ahead and z along the opening, in the hand's frame.
pub(super) fn canonical(hand: &description::Hand) -> Isometry3<f64> {
    let opening = hand.opening_in_hand.into_inner();
    let z = (opening - Vector3::x() * opening.x).normalize();
    let columns = Matrix3::from_columns(&[Vector3::x(), z.cross(&Vector3::x()), z]);
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(columns));
    Isometry3::from_parts(Translation3::identity(), rotation)
}

/// A link of a finger.
struct Phalanx {
    link: usize,
    chain: Chain,
    /// Where its finger begins: the first link that moves. Links of one finger have the same.
    finger: usize,
    /// Which of [`SIDES`] its finger is on.
    side: usize,
    /// Whether it is its finger's last link.
    is_last: bool,
    /// In the link's frame.
    probes: Vec<Probe>,
}

/// The links of a hand as a tree.
pub(super) struct Skeleton<'r> {
    tree: &'r Tree,
    joints: &'r [usize],
    /// The frame in which grasps are planned, in that of the palm's body.
    canonical_in_body: Isometry3<f64>,
    phalanges: Vec<Phalanx>,
    /// In the frame in which grasps are planned.
    pub palm: Vec<Probe>,
}

impl<'r> Skeleton<'r> {
    pub fn new(
        robot: &'r RobotModel,
        hand: &description::Hand,
        model: &CollisionModel,
    ) -> Result<Skeleton<'r>, ManipulationError> {
        let tree = &robot.tree;
        let place = tree.place(hand.link);
        let root = tree.rigid_bodies().nth(place.body).map_or(0, |body| body.link);
        let canonical_in_body = place.pose_in_body * canonical(hand);
        let of_link = |link: usize, pose: &Isometry3<f64>| -> Vec<Probe> {
            let on_solids = model.solids(link).iter().flat_map(|placed| probes(placed, SPACING));
            on_solids.map(|probe| probe.moved(pose)).collect()
        };
        let of_body = |link: &usize| tree.place(*link).body == place.body;
        let palm = (0..tree.links.len()).filter(of_body);
        let palm = palm.flat_map(|link| of_link(link, &canonical_in_body.inv_mul(&tree.place(link).pose_in_body)));
        let palm: Vec<Probe> = palm.collect();
        let joints = &robot.description.limbs[hand.limb].joints;
        let mut phalanges = Vec::new();
        for link in (0..tree.links.len()).filter(|link| !of_body(link)) {
            let Ok(chain) = Chain::new(tree, root, link) else { continue };
            let Some(finger) = chain.links.iter().copied().find(|link| tree.kind(*link).is_some()) else { continue };
            if chain.joints.iter().all(|joint| joints.contains(joint)) {
                let probes = of_link(link, &Isometry3::identity());
                phalanges.push(Phalanx { link, chain, finger, side: 0, is_last: true, probes });
            }
        }
        let mut skeleton = Skeleton { tree, joints, canonical_in_body, phalanges, palm };
        skeleton.find_tips();
        skeleton.take_sides(&hand.open);
        for (side, where_it_is) in ["along", "against"].into_iter().enumerate() {
            let has = |phalanx: &Phalanx| phalanx.side == side && phalanx.is_last && !phalanx.probes.is_empty();
            if !skeleton.phalanges.iter().any(has) {
                let expected = format!("a finger with a shape {where_it_is} the opening direction");
                return Err(ManipulationError::refused(&format!("hand \"{}\"", hand.name), "limb", expected, "none"));
            }
        }
        Ok(skeleton)
    }

    /// All links that move.
    pub fn links(&self) -> Vec<usize> {
        self.phalanges.iter().map(|phalanx| phalanx.link).collect()
    }

    /// On the last links of fingers no other body hangs.
    fn find_tips(&mut self) {
        let body = |link: usize| self.tree.place(link).body;
        let hangs = |link: usize, other: &Phalanx| other.chain.links.contains(&link) && body(other.link) != body(link);
        let is_last: Vec<bool> =
            self.phalanges.iter().map(|one| !self.phalanges.iter().any(|other| hangs(one.link, other))).collect();
        self.phalanges.iter_mut().zip(is_last).for_each(|(phalanx, is_last)| phalanx.is_last = is_last);
    }

    /// A finger is on the side where its probes are in the mean while the hand is open.
    fn take_sides(&mut self, open: &[f64]) {
        let all = self.all(open);
        let heights: Vec<(usize, Vec<f64>)> = self
            .phalanges
            .iter()
            .map(|phalanx| (phalanx.finger, self.placed(phalanx, &all).map(|probe| probe.center.z).collect()))
            .collect();
        for phalanx in &mut self.phalanges {
            let own = heights.iter().filter(|(finger, _)| *finger == phalanx.finger);
            phalanx.side = usize::from(own.flat_map(|(_, heights)| heights).sum::<f64>() < 0.0);
        }
    }

    /// Positions of all joints of the tree with the hand's so.
    fn all(&self, positions: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.tree.dof()];
        self.joints.iter().zip(positions).for_each(|(joint, position)| all[*joint] = *position);
        all
    }

    fn pose(&self, phalanx: &Phalanx, all: &[f64]) -> Isometry3<f64> {
        self.canonical_in_body.inv_mul(&phalanx.chain.tip_in_root(self.tree, all))
    }

    /// The probes of a link in the frame in which grasps are planned.
    fn placed<'s>(&self, phalanx: &'s Phalanx, all: &[f64]) -> impl Iterator<Item = Probe> + use<'s> {
        let pose = self.pose(phalanx, all);
        phalanx.probes.iter().map(move |probe| probe.moved(&pose))
    }

    /// The hand at a share between these ends.
    pub fn level(&self, share: f64, ends: &[[f64; 2]]) -> Level {
        let positions: Vec<f64> = ends.iter().map(|[open, closed]| open + share * (closed - open)).collect();
        let all = self.all(&positions);
        let side = |side: usize| {
            let own = self.phalanges.iter().filter(move |phalanx| phalanx.side == side);
            own.flat_map(|phalanx| self.placed(phalanx, &all)).collect::<Vec<Probe>>()
        };
        let sides = [side(0), side(1)];
        let inner = |side: usize| {
            let tips = self.phalanges.iter().filter(move |phalanx| phalanx.side == side && phalanx.is_last);
            let depths = tips.flat_map(|phalanx| self.placed(phalanx, &all)).map(|probe| depth(&probe, side));
            depths.fold(f64::NEG_INFINITY, f64::max)
        };
        let reach = [0, 1].map(|side| -SIDES[side] * inner(side));
        let inward = [0, 1].map(|side| self.inward(side, &all));
        Level { share, sides, reach, inward }
    }

    /// How far each joint moves the innermost points of a side's last links inwards, in the mean of its fingers.
    fn inward(&self, side: usize, all: &[f64]) -> Vec<f64> {
        let mut fingers: Vec<(usize, &Phalanx, Probe, f64)> = Vec::new();
        for phalanx in self.phalanges.iter().filter(|phalanx| phalanx.side == side && phalanx.is_last) {
            for (own, probe) in phalanx.probes.iter().zip(self.placed(phalanx, all)) {
                let depth = depth(&probe, side);
                match fingers.iter_mut().find(|(finger, ..)| *finger == phalanx.finger) {
                    None => fingers.push((phalanx.finger, phalanx, *own, depth)),
                    Some(known) if depth > known.3 + 1e-12 => *known = (phalanx.finger, phalanx, *own, depth),
                    Some(_) => {}
                }
            }
        }
        let moved = |joint: usize| {
            let at = |by: f64, (_, phalanx, probe, _): &(usize, &Phalanx, Probe, f64)| {
                let mut all = all.to_vec();
                all[joint] += by;
                depth(&probe.moved(&self.pose(phalanx, &all)), side)
            };
            let way: f64 = fingers.iter().map(|finger| at(NUDGE, finger) - at(-NUDGE, finger)).sum();
            way / (2.0 * NUDGE * fingers.len() as f64)
        };
        self.joints.iter().map(|joint| moved(*joint)).collect()
    }
}

/// How far inwards a probe of a side reaches, against that side's direction [m].
fn depth(probe: &Probe, side: usize) -> f64 {
    probe.radius - SIDES[side] * probe.center.z
}
