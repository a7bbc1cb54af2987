//! A hand on a straight line.

use nalgebra::{Isometry3, Translation3};
use robot_model::{Chain, Tree};

use crate::error::ManipulationError;
use crate::ik::{Goal, IkSettings, InverseKinematics, Outcome};

/// Whether positions of the group's joints are accepted.
type Accepts<'a> = &'a mut dyn FnMut(&[f64]) -> bool;

/// A hand: what looks for its joints, and how its chain's root hangs on the base.
#[derive(Clone, Debug)]
pub(super) struct Hand {
    search: InverseKinematics,
    /// The same from where the joints are only: it does not jump to another answer.
    near: InverseKinematics,
    root: Chain,
    /// Where the chain's joints are in the group.
    places: Vec<usize>,
}

impl Hand {
    pub fn new(
        tree: &Tree,
        group: &[usize],
        search: InverseKinematics,
        settings: &IkSettings,
    ) -> Result<Hand, ManipulationError> {
        let chain = search.chain().clone();
        let part = format!("the hand of link {}", chain.tip());
        let root = Chain::new(tree, 0, chain.root())
            .map_err(|error| ManipulationError::refused(&part, "root", "a link of the robot", error))?;
        let place = |joint: &usize| group.iter().position(|moved| moved == joint);
        let places: Option<Vec<usize>> = chain.joints().iter().map(place).collect();
        let places = places
            .ok_or_else(|| ManipulationError::refused(&part, "joints", "joints of the group", "one that is none"))?;
        let once = IkSettings { most_starts: 1, answers: 1, most_steps: 100, ..settings.clone() };
        let near = InverseKinematics::new(chain, once)?;
        Ok(Hand { search, near, root, places })
    }

    pub fn link(&self) -> usize {
        self.search.chain().tip()
    }

    /// Where the hand is in the base's frame, with all joints of the tree where they are said to be.
    pub fn pose(&self, tree: &Tree, all: &[f64]) -> Result<Isometry3<f64>, ManipulationError> {
        let own = self.search.chain().of_all(all)?;
        Ok(self.root.tip_in_root(tree, all) * self.search.chain().forward(&own)?)
    }

    /// Moves the joints of the chain, among the group's, so that the hand is at a pose in the base's frame; `all` are those of
    /// the tree, of which those above the chain count. With `anywhere`, from many places and with answers that are accepted;
    /// else on from where they are.
    pub fn reach(
        &self,
        (tree, all): (&Tree, &[f64]),
        pose_in_base: &Isometry3<f64>,
        positions: &mut [f64],
        anywhere: Option<Accepts<'_>>,
    ) -> Result<Outcome, ManipulationError> {
        let goal = Goal::Pose(self.root.tip_in_root(tree, all).inv_mul(pose_in_base));
        let mut own: Vec<f64> = self.places.iter().map(|place| positions[*place]).collect();
        let outcome = match anywhere {
            None => self.near.solve(&goal, &mut own)?,
            Some(accepts) => {
                let mut whole = positions.to_vec();
                self.search.solve_where(&goal, &mut own, |answer| {
                    self.places.iter().zip(answer).for_each(|(place, position)| whole[*place] = *position);
                    accepts(&whole)
                })?
            }
        };
        self.places.iter().zip(&own).for_each(|(place, position)| positions[*place] = *position);
        Ok(outcome)
    }
}

/// A pose a share of the way from one to another: straight, and turned about one axis.
pub(super) fn between(from: &Isometry3<f64>, to: &Isometry3<f64>, share: f64) -> Isometry3<f64> {
    let place = from.translation.vector.lerp(&to.translation.vector, share);
    let turn =
        crate::kinematics::rotation_vector(&(from.rotation.inverse() * to.rotation).to_rotation_matrix().into_inner());
    Isometry3::from_parts(Translation3::from(place), from.rotation * nalgebra::UnitQuaternion::new(turn * share))
}

/// How far two poses are from each other [m] and [rad].
pub(super) fn gap(from: &Isometry3<f64>, to: &Isometry3<f64>) -> [f64; 2] {
    let turn = (from.rotation.inverse() * to.rotation).to_rotation_matrix().into_inner();
    let way = to.translation.vector - from.translation.vector;
    [way.norm(), crate::kinematics::rotation_vector(&turn).norm()]
}
