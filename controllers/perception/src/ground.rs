//! Where a ray meets the ground.

use nalgebra::{Point3, Unit, Vector3};
use robot_io::HeightMap;

/// The ground as it is known, in the fixed frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ground<'a> {
    /// A plane.
    Plane {
        /// A point of it.
        point: Point3<f64>,
        /// Its normal, upwards.
        normal: Unit<Vector3<f64>>,
    },
    /// Heights; z of the frame is up.
    Heights(&'a HeightMap),
}

/// Where a ray meets the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundHit {
    /// The place.
    pub point: Point3<f64>,
    /// The ground's normal there.
    pub normal: Vector3<f64>,
    /// How far away, in lengths of the ray.
    pub along: f64,
}

/// Halvings of the step in which a ray dives under heights.
const HALVINGS: usize = 30;

impl Ground<'_> {
    /// The first place at which a ray from above meets the ground within `farthest` [m]; `None` if there is none, or where
    /// heights are unknown.
    pub fn meet(&self, origin: &Point3<f64>, ray: &Vector3<f64>, farthest: f64) -> Option<GroundHit> {
        let length = ray.norm();
        match self {
            Ground::Plane { point, normal } => {
                let (height, sinking) = ((origin - point).dot(normal), -ray.dot(normal));
                let along = height / sinking;
                let is_met = height >= 0.0 && sinking > 1e-9 * length && along * length <= farthest;
                is_met.then(|| GroundHit { point: origin + ray * along, normal: normal.into_inner(), along })
            }
            Ground::Heights(map) => {
                let along = dive(map, origin, ray, farthest / length)?;
                let point = origin + ray * along;
                Some(GroundHit { point, normal: normal_at(map, &point), along })
            }
        }
    }
}

/// Where a ray goes below the heights, in lengths of the ray. It is looked at every half cell.
fn dive(map: &HeightMap, origin: &Point3<f64>, ray: &Vector3<f64>, end: f64) -> Option<f64> {
    let above = |along: f64| {
        let at = origin + ray * along;
        map.height_at(at.x, at.y).map(|height| at.z - height)
    };
    let step = 0.5 * map.cell / ray.norm();
    if !(step > 0.0 && end.is_finite()) {
        return None;
    }
    let mut was_above = None;
    for count in 0..=(end / step) as usize {
        let along = count as f64 * step;
        match (above(along), was_above) {
            (Some(height), _) if height > 0.0 => was_above = Some(along),
            (Some(_), Some(last)) => return Some(halve(&above, last, along)),
            _ => was_above = None,
        }
    }
    None
}

fn halve(above: &impl Fn(f64) -> Option<f64>, mut last: f64, mut under: f64) -> f64 {
    for _ in 0..HALVINGS {
        let middle = 0.5 * (last + under);
        if above(middle).is_some_and(|height| height > 0.0) { last = middle } else { under = middle }
    }
    0.5 * (last + under)
}

/// From differences over a cell to either side; up where a height is missing.
fn normal_at(map: &HeightMap, point: &Point3<f64>) -> Vector3<f64> {
    let height = |x: f64, y: f64| map.height_at(point.x + x * map.cell, point.y + y * map.cell);
    let slope = |high: Option<f64>, low: Option<f64>| Some((high? - low?) / (2.0 * map.cell));
    let slopes = (slope(height(1.0, 0.0), height(-1.0, 0.0)), slope(height(0.0, 1.0), height(0.0, -1.0)));
    let (Some(x), Some(y)) = slopes else { return Vector3::z() };
    Vector3::new(-x, -y, 1.0).normalize()
}
