//! The target's pieces of surface, found by their cells.

use nalgebra::{Matrix3, Point3, Vector3};

use crate::Surfel;
use crate::grid::{CellKey, Layer, SurfelCloud, Window};

/// A surfel of the target that has a normal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    /// Tells it from all others.
    pub(super) number: u32,
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
    window: Window,
    /// Index of a cell's plane plus one, zero for none, by the cell's place in the window.
    places: Vec<u32>,
    planes: Vec<Plane>,
}

pub(super) fn levels_of(cloud: &SurfelCloud) -> Vec<PlaneLevel> {
    cloud.layers().iter().enumerate().map(|(number, layer)| PlaneLevel::of(layer, number)).collect()
}

impl PlaneLevel {
    fn of(layer: &Layer, number: usize) -> PlaneLevel {
        let window = layer.window;
        let neighbourhood = Neighbourhood::of(layer, number);
        let mut level = PlaneLevel { cell: window.cell, window, places: vec![0; window.len()], planes: Vec::new() };
        for (index, key) in layer.keys.iter().enumerate() {
            let Some(place) = window.place(*key) else { continue };
            if let Some(plane) = neighbourhood.plane(index, *key) {
                level.planes.push(Plane { number: (number as u32) << 24 | index as u32, ..plane });
                level.places[place] = level.planes.len() as u32;
            }
        }
        level
    }

    pub(super) fn get(&self, key: CellKey) -> Option<&Plane> {
        let index = self.places[self.window.place(key)?];
        self.planes.get((index as usize).checked_sub(1)?)
    }
}

/// The surfels of a level with what is beside them.
struct Neighbourhood {
    window: Window,
    surfels: Vec<Surfel>,
    /// Directions of those that are scan lines.
    lines: Vec<Option<Vector3<f64>>>,
    /// Index of a cell's surfel plus one, zero for none, by the cell's place in the window.
    places: Vec<u32>,
}

impl Neighbourhood {
    fn of(layer: &Layer, number: usize) -> Neighbourhood {
        let window = layer.window;
        let surfels: Vec<Surfel> = layer.surfels(number).collect();
        let lines = surfels.iter().map(Surfel::line).collect();
        let mut places = vec![0; window.len()];
        for (index, key) in layer.keys.iter().enumerate() {
            if let Some(place) = window.place(*key) {
                places[place] = index as u32 + 1;
            }
        }
        Neighbourhood { window, surfels, lines, places }
    }

    /// A surfel's own plane. Far away a cell holds a single scan line: with the parallel lines beside it there is a plane all the
    /// same.
    fn plane(&self, index: usize, key: CellKey) -> Option<Plane> {
        let surfel = &self.surfels[index];
        if surfel.is_flat() {
            return Some(plane_of(surfel));
        }
        let line = self.lines[index]?;
        let around = (0..27).map(|n| [key[0] + n % 3 - 1, key[1] + n / 3 % 3 - 1, key[2] + n / 9 - 1]);
        let beside = around.filter_map(|key| self.at(key)).filter(|other| self.is_along(*other, &line));
        plane_through(surfel, beside.map(|other| &self.surfels[other]))
    }

    fn at(&self, key: CellKey) -> Option<usize> {
        (self.places[self.window.place(key)?] as usize).checked_sub(1)
    }

    /// True for a surfel that could belong to a plane that contains a line.
    fn is_along(&self, surfel: usize, line: &Vector3<f64>) -> bool {
        const COSINE: f64 = 0.95;
        let of = &self.surfels[surfel];
        match self.lines[surfel] {
            Some(own) => own.dot(line).abs() >= COSINE,
            None => of.is_flat() && of.normal.dot(line).abs() <= 1.0 - COSINE,
        }
    }
}

fn plane_of(surfel: &Surfel) -> Plane {
    Plane { number: 0, mean: surfel.mean, normal: surfel.normal, variance: surfel.variances[0], tilt: surfel.tilt() }
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
    merged.is_flat().then(|| plane_of(&merged))
}
