//! The target's pieces of surface, found by their cells.

use core::cell::OnceCell;

use nalgebra::{Matrix3, Point3, Vector3};

use crate::Surfel;
use crate::grid::{CellKey, Layer, SurfelCloud, Window};

/// A surfel of the target that has a normal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    /// Tells it from all others of the target: they are counted without gaps.
    pub(super) number: u32,
    pub(super) mean: Point3<f64>,
    pub(super) normal: Vector3<f64>,
    /// Along the normal [m²].
    pub(super) variance: f64,
    /// Of the normal's direction, by the number and spread of its points [rad²].
    pub(super) tilt: f64,
}

/// A cloud to register against. Its planes are made when somebody asks for them: most cells are never met.
pub(crate) struct Target<'a> {
    pub(super) levels: Vec<PlaneLevel<'a>>,
    /// Surfels on all levels.
    pub(super) surfels: usize,
}

impl<'a> Target<'a> {
    pub(crate) fn of(cloud: &'a SurfelCloud) -> Target<'a> {
        let mut surfels = 0;
        let level = |(number, layer): (usize, &'a Layer)| {
            let level = PlaneLevel::of(layer, number, surfels as u32);
            surfels += layer.keys.len();
            level
        };
        let levels = cloud.layers().iter().enumerate().map(level).collect();
        Target { levels, surfels }
    }
}

/// One level.
pub(super) struct PlaneLevel<'a> {
    /// Side of a cell [m].
    pub(super) cell: f64,
    window: Window,
    /// Index of a cell's surfel plus one, zero for none, by the cell's place in the window.
    places: Vec<u32>,
    layer: &'a Layer,
    number: usize,
    /// Number of its first plane.
    first: u32,
    surfels: Vec<OnceCell<Shape>>,
    planes: Vec<OnceCell<Option<Plane>>>,
}

/// A surfel, and its direction if it is a scan line.
#[derive(Clone)]
struct Shape {
    surfel: Surfel,
    line: Option<Vector3<f64>>,
}

impl<'a> PlaneLevel<'a> {
    fn of(layer: &'a Layer, number: usize, first: u32) -> PlaneLevel<'a> {
        let window = layer.window;
        let mut places = vec![0; window.len()];
        for (index, key) in layer.keys.iter().enumerate() {
            if let Some(place) = window.place(*key) {
                places[place] = index as u32 + 1;
            }
        }
        let (surfels, planes) = (vec![OnceCell::new(); layer.keys.len()], vec![OnceCell::new(); layer.keys.len()]);
        PlaneLevel { cell: window.cell, window, places, layer, number, first, surfels, planes }
    }

    pub(super) fn get(&self, key: CellKey) -> Option<&Plane> {
        let index = self.at(key)?;
        self.planes[index].get_or_init(|| self.plane(index, key)).as_ref()
    }

    /// A surfel's own plane. Far away a cell holds a single scan line: with the parallel lines beside it there is a plane all the
    /// same.
    fn plane(&self, index: usize, key: CellKey) -> Option<Plane> {
        let number = self.first + index as u32;
        let Shape { surfel, line } = self.shape(index);
        if surfel.is_flat() {
            return Some(plane_of(surfel, number));
        }
        let line = (*line)?;
        let around = (0..27).map(|n| [key[0] + n % 3 - 1, key[1] + n / 3 % 3 - 1, key[2] + n / 9 - 1]);
        let beside = around.filter_map(|key| self.at(key)).filter(|other| self.is_along(*other, &line));
        plane_through(surfel, number, beside.map(|other| &self.shape(other).surfel))
    }

    fn at(&self, key: CellKey) -> Option<usize> {
        (self.places[self.window.place(key)?] as usize).checked_sub(1)
    }

    fn shape(&self, index: usize) -> &Shape {
        self.surfels[index].get_or_init(|| {
            let surfel = self.layer.surfel_at(self.number, index);
            Shape { line: surfel.line(), surfel }
        })
    }

    /// True for a surfel that could belong to a plane that contains a line.
    fn is_along(&self, surfel: usize, line: &Vector3<f64>) -> bool {
        const COSINE: f64 = 0.95;
        let Shape { surfel, line: own } = self.shape(surfel);
        match own {
            Some(own) => own.dot(line).abs() >= COSINE,
            None => surfel.is_flat() && surfel.normal.dot(line).abs() <= 1.0 - COSINE,
        }
    }
}

fn plane_of(surfel: &Surfel, number: u32) -> Plane {
    Plane { number, mean: surfel.mean, normal: surfel.normal, variance: surfel.variances[0], tilt: surfel.tilt() }
}

/// The plane of several surfels, at the mean of one of them.
fn plane_through<'a>(surfel: &Surfel, number: u32, all: impl Iterator<Item = &'a Surfel>) -> Option<Plane> {
    let (mut weight, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
    for other in all {
        let offset = other.mean - surfel.mean;
        weight += other.weight;
        first += offset * other.weight;
        second += (other.covariance + offset * offset.transpose()) * other.weight;
    }
    let mean = first / weight;
    let merged = Surfel::of_points(surfel, weight, second / weight - mean * mean.transpose());
    merged.is_flat().then(|| plane_of(&merged, number))
}
