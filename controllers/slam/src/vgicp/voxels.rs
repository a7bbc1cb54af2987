//! The map: a normal distribution in each voxel.

use std::collections::BTreeMap;

use nalgebra::{Matrix3, Point3, Vector3};
use robot_io::{State, StateVisitor};

use super::shapes::Shaped;
use crate::voxel::{Key, cell, key};

/// The voxels that points have fallen into, in the map frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct GaussianMap {
    side: f64,
    voxels: BTreeMap<Key, Voxel>,
}

/// Sums over the points of a voxel.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
struct Voxel {
    count: f64,
    points: Vector3<f64>,
    covariances: Matrix3<f64>,
    /// The last sweep of which a point fell into it.
    last: u64,
}

impl GaussianMap {
    pub fn new(side: f64) -> GaussianMap {
        GaussianMap { side, voxels: BTreeMap::new() }
    }

    pub fn len(&self) -> usize {
        self.voxels.len()
    }

    /// Adds a sweep's points where the pose puts them.
    pub fn add(&mut self, shaped: impl Iterator<Item = Shaped>, sweep: u64) {
        for Shaped { point, covariance } in shaped {
            let voxel = self.voxels.entry(key(&cell(&point, self.side))).or_default();
            voxel.count += 1.0;
            voxel.points += point.coords;
            voxel.covariances += covariance;
            voxel.last = sweep;
        }
    }

    /// Forgets voxels that no point has fallen into since a sweep.
    pub fn keep_since(&mut self, sweep: u64) {
        self.voxels.retain(|_, voxel| voxel.last >= sweep);
    }

    /// Mean of the points and of their covariances in the voxel that holds a place.
    pub fn at(&self, place: &Point3<f64>) -> Option<Shaped> {
        let voxel = self.voxels.get(&key(&cell(place, self.side)))?;
        let point = Point3::from(voxel.points / voxel.count);
        Some(Shaped { point, covariance: voxel.covariances / voxel.count })
    }
}

impl State for GaussianMap {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let mut keys: Vec<u64> = self.voxels.keys().copied().collect();
        let mut voxels: Vec<Voxel> = self.voxels.values().copied().collect();
        visitor.field("keys", &mut keys);
        visitor.field("voxels", &mut voxels);
        self.voxels = keys.into_iter().zip(voxels).collect();
    }
}
