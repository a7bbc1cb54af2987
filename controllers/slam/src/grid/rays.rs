//! Which cells beams went through.

use core::f64::consts::PI;

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use super::Surfel;
use super::cloud::point;
use super::window::{CellKey, Window};
use crate::Sweep;

/// A beam.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ray {
    origin: Point3<f64>,
    /// Of unit length.
    direction: Vector3<f64>,
    /// One over each part of the direction.
    inverse: Vector3<f64>,
    /// How far it is known to be free [m].
    free: f64,
}

/// So much before the hit a beam says nothing [m]: noise, and surfaces that it meets at a flat angle.
const MARGIN: f64 = 0.1;

/// All beams of a sweep. Of those that met nothing only the ends are known; they are taken to begin where the scanner was in
/// the middle of the sweep.
pub(crate) fn rays_of(sweep: &Sweep, base_in_frame: &Isometry3<f64>) -> Vec<Ray> {
    let origins: Vec<Point3<f64>> = sweep.origins.iter().map(|origin| base_in_frame * point(origin)).collect();
    let ray = |origin: &Point3<f64>, end: &[f32; 3]| {
        let way = base_in_frame * point(end) - origin;
        let length = way.norm();
        let (direction, free) = (way / length, length - MARGIN);
        let inverse = direction.map(|slope| 1.0 / slope);
        (free > 0.0 && free.is_finite()).then_some(Ray { origin: *origin, direction, inverse, free })
    };
    let hits = sweep.points.iter().filter_map(|hit| ray(origins.get(usize::from(hit.origin))?, &hit.position));
    let middle = origins.get(origins.len() / 2);
    let misses = sweep.misses.iter().filter_map(|end| ray(middle?, end));
    hits.chain(misses).collect()
}

/// How many beams went through each cell of a window.
pub(crate) struct Passes {
    window: Window,
    beams: Vec<u8>,
    /// More beams than this say nothing more.
    most: u8,
}

impl Passes {
    const HIT: u8 = u8::MAX;

    pub(crate) fn new(window: &Window, most: u8) -> Passes {
        Passes { window: *window, beams: vec![0; window.len()], most: most.min(Passes::HIT - 1) }
    }

    /// A cell in which a beam ended is not free, whatever went through.
    pub(crate) fn is_hit(&mut self, key: CellKey) {
        if let Some(place) = self.window.place(key) {
            self.beams[place] = Passes::HIT;
        }
    }

    /// Follows the beams from cell to cell. A beam that goes through the cell of a surfel, but past the surfel, tells nothing about
    /// it.
    ///
    /// Near the scanner many more beams go through a cell than say anything new: there only each second one is followed, nearer
    /// still each fourth, then each eighth.
    pub(crate) fn cast<'a>(&mut self, rays: &[Ray], each: usize, surfel_at: impl Fn(usize) -> Option<&'a Surfel>) {
        /// So many beams go through a cell where thinning begins, if they spread evenly.
        const PLENTY: f64 = 16.0;
        /// Where beams begin to be followed, by turns: twice the beams go through a cell at 0.71 of a distance.
        const BEGIN: [f64; 8] = [0.0, 1.0, 0.71, 1.0, 0.5, 1.0, 0.71, 1.0];
        let plenty = self.window.cell * ((rays.len() / each) as f64 / (4.0 * PI * PLENTY)).sqrt();
        for (ray, begin) in rays.iter().step_by(each).zip(BEGIN.into_iter().cycle()) {
            let part = [begin * plenty, ray.free];
            let Some(walk) = self.window.walk(&ray.origin, (&ray.direction, &ray.inverse), part) else { continue };
            walk.each_place(|place| {
                let beams = &mut self.beams[place];
                if *beams < self.most && surfel_at(place).is_none_or(|surfel| goes_through(ray, surfel)) {
                    *beams += 1;
                }
            });
        }
    }

    /// The cells that beams went through and none ended in: their places and by how many.
    pub(crate) fn passed(&self) -> impl Iterator<Item = (usize, u8)> + '_ {
        self.beams.iter().copied().enumerate().filter(|(_, beams)| (1..Passes::HIT).contains(beams))
    }
}

/// True if a beam cannot have gone where it went with the surfel there.
fn goes_through(ray: &Ray, surfel: &Surfel) -> bool {
    const STEEPEST: f64 = 0.1;
    const DEVIATIONS: f64 = 1.5;
    let to_mean = surfel.mean - ray.origin;
    let [along_normal, across, along] = surfel.variances;
    let slope = ray.direction.dot(&surfel.normal);
    if surfel.is_flat() {
        let distance = to_mean.dot(&surfel.normal) / slope;
        let off = (ray.direction * distance - to_mean).norm_squared();
        let clear = distance + DEVIATIONS * (along_normal.sqrt() / slope.abs()) < ray.free;
        slope.abs() > STEEPEST && clear && off < DEVIATIONS * DEVIATIONS * across.max(0.25 * along)
    } else {
        let distance = to_mean.dot(&ray.direction);
        let off = ray.direction * distance - to_mean;
        let is_through = |inverse: Matrix3<f64>| off.dot(&(inverse * off)) < DEVIATIONS * DEVIATIONS;
        distance + along.sqrt() < ray.free && surfel.spread().try_inverse().is_some_and(is_through)
    }
}
