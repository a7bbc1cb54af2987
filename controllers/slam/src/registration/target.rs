//! The target's pieces of surface, found by their cells.

use nalgebra::{Matrix3, Point3, Vector3};

use crate::Surfel;
use crate::grid::{CellKey, SurfelCloud};

/// A surfel of the target that has a normal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    pub(super) mean: Point3<f64>,
    pub(super) normal: Vector3<f64>,
    /// Along the normal [m²].
    pub(super) variance: f64,
    /// Of the normal's direction, by the number and spread of its points [rad²].
    pub(super) tilt: f64,
}

/// One level.
pub(super) struct PlaneLevel {
    /// Side of a cell [m].
    pub(super) cell: f64,
    planes: Vec<Option<Plane>>,
    /// Open addressing: the key of a cell and the index of its plane plus one, zero for none. Only looked up, never walked.
    slots: Vec<(CellKey, u32)>,
    mask: usize,
}

pub(super) fn levels_of(cloud: &SurfelCloud) -> Vec<PlaneLevel> {
    cloud
        .layers()
        .iter()
        .enumerate()
        .map(|(number, layer)| {
            let size = (2 * layer.keys.len().max(8)).next_power_of_two();
            let mut level = PlaneLevel {
                cell: layer.window.cell,
                planes: Vec::with_capacity(layer.keys.len()),
                slots: vec![([0; 3], 0); size],
                mask: size - 1,
            };
            let surfels: Vec<Surfel> = layer.surfels(number).collect();
            for (key, surfel) in layer.keys.iter().zip(&surfels) {
                level.add(*key, surfel);
            }
            level.bridge(&layer.keys, &surfels);
            level
        })
        .collect()
}

impl PlaneLevel {
    pub(super) fn get(&self, key: CellKey) -> Option<&Plane> {
        self.planes.get(self.at(key)?)?.as_ref()
    }

    fn at(&self, key: CellKey) -> Option<usize> {
        let mut slot = hash(key) & self.mask;
        loop {
            match self.slots[slot] {
                (_, 0) => return None,
                (found, at) if found == key => return Some(at as usize - 1),
                _ => slot = (slot + 1) & self.mask,
            }
        }
    }

    fn add(&mut self, key: CellKey, surfel: &Surfel) {
        let plane = surfel.is_flat().then(|| Plane {
            mean: surfel.mean,
            normal: surfel.normal,
            variance: surfel.variances[0],
            tilt: surfel.tilt(),
        });
        self.planes.push(plane);
        let mut slot = hash(key) & self.mask;
        while self.slots[slot].1 != 0 {
            slot = (slot + 1) & self.mask;
        }
        self.slots[slot] = (key, self.planes.len() as u32);
    }

    /// Far away a cell holds a single scan line. With the parallel lines beside it there is a plane all the same.
    fn bridge(&mut self, keys: &[CellKey], surfels: &[Surfel]) {
        for (index, (key, surfel)) in keys.iter().zip(surfels).enumerate() {
            let Some(line) = surfel.line().filter(|_| self.planes[index].is_none()) else { continue };
            let around = (0..27).map(|n| [key[0] + n % 3 - 1, key[1] + n / 3 % 3 - 1, key[2] + n / 9 - 1]);
            let parallel =
                around.filter_map(|key| self.at(key)).map(|at| &surfels[at]).filter(|other| other.is_along(&line));
            self.planes[index] = plane_through(surfel, parallel);
        }
    }
}

/// The plane of several surfels, at the mean of one of them.
fn plane_through<'a>(surfel: &Surfel, all: impl Iterator<Item = &'a Surfel>) -> Option<Plane> {
    let (mut weight, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
    for other in all {
        let offset = other.mean - surfel.mean;
        weight += other.weight;
        first += offset * other.weight;
        second += (other.covariance + offset * offset.transpose()) * other.weight;
    }
    let mean = first / weight;
    let merged = Surfel::of_points(surfel, weight, second / weight - mean * mean.transpose());
    merged.is_flat().then(|| Plane {
        mean: surfel.mean,
        normal: merged.normal,
        variance: merged.variances[0],
        tilt: merged.tilt(),
    })
}

/// Spreads neighbouring cells over the table.
fn hash(key: CellKey) -> usize {
    let [x, y, z] = key.map(|at| u64::from(at as u32));
    let mixed = (x ^ y.rotate_left(21) ^ z.rotate_left(42)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 32) as usize
}
