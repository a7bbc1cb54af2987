//! The target's pieces of surface, found by their cells.

use nalgebra::{Point3, Vector3};

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
    planes: Vec<Plane>,
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
            let flat = layer.keys.iter().zip(layer.surfels(number)).filter(|(_, surfel)| surfel.is_flat());
            flat.for_each(|(key, surfel)| level.add(*key, &surfel));
            level
        })
        .collect()
}

impl PlaneLevel {
    pub(super) fn get(&self, key: CellKey) -> Option<&Plane> {
        let mut slot = hash(key) & self.mask;
        loop {
            match self.slots[slot] {
                (_, 0) => return None,
                (found, at) if found == key => return self.planes.get(at as usize - 1),
                _ => slot = (slot + 1) & self.mask,
            }
        }
    }

    fn add(&mut self, key: CellKey, surfel: &Surfel) {
        let [variance, across, _] = surfel.variances;
        let tilt = variance / (surfel.weight * across);
        self.planes.push(Plane { mean: surfel.mean, normal: surfel.normal, variance, tilt });
        let mut slot = hash(key) & self.mask;
        while self.slots[slot].1 != 0 {
            slot = (slot + 1) & self.mask;
        }
        self.slots[slot] = (key, self.planes.len() as u32);
    }
}

/// Spreads neighbouring cells over the table.
fn hash(key: CellKey) -> usize {
    let [x, y, z] = key.map(|at| u64::from(at as u32));
    let mixed = (x ^ y.rotate_left(21) ^ z.rotate_left(42)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 32) as usize
}
