//! An object that can be recognised.

use nalgebra::{Point3, Vector3};

use super::shapes::Part;
use super::symmetry::Symmetry;
use crate::error::PerceptionError;

/// A point of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// Where it is in the object's frame [m].
    pub point: Point3<f64>,
    /// The surface's normal, outwards, of length 1.
    pub normal: Vector3<f64>,
}

/// Points of a surface, about evenly.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// The points.
    pub points: Vec<SurfacePoint>,
    /// About how far they are apart [m].
    pub spacing: f64,
}

/// An object: its surface, and the turns after which it looks the same.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectModel {
    name: String,
    colour: Option<String>,
    parts: Vec<Part>,
    surface: Surface,
    /// The same with fewer points.
    coarse: Surface,
    symmetry: Symmetry,
    radius: f64,
    grips: Vec<usize>,
}

/// How much farther apart the points are with which registration begins.
const COARSER: f64 = 2.0;
/// Most points of a surface.
const MOST_POINTS: usize = 20_000;

impl ObjectModel {
    /// An object of these parts, whose surface is sampled about every `spacing` [m]; what is inside another part is left out. `colour` is the name
    /// of its class in a [`ColourTable`](crate::ColourTable). Refused if it does not look the same after the turns of its symmetry.
    pub fn new(
        name: &str,
        colour: Option<&str>,
        parts: &[Part],
        spacing: f64,
        symmetry: Symmetry,
    ) -> Result<ObjectModel, PerceptionError> {
        let surface = sample(parts, spacing);
        let count = surface.points.len();
        if !(10..=MOST_POINTS).contains(&count) {
            let expected = format!("10 to {MOST_POINTS} points of the surface; their spacing is {spacing} m");
            return Err(PerceptionError::value(format!("object '{name}'"), expected, count));
        }
        let radius = surface.points.iter().map(|sample| sample.point.coords.norm()).fold(0.0, f64::max);
        let (colour, coarse) = (colour.map(str::to_owned), sample(parts, COARSER * spacing));
        let parts = parts.to_vec();
        let model =
            ObjectModel { name: name.to_owned(), colour, parts, surface, coarse, symmetry, radius, grips: Vec::new() };
        model.looks_the_same()?;
        Ok(model)
    }

    /// The same, taken by hands by these of its parts alone, by their numbers.
    #[must_use]
    pub fn with_grips(self, grips: Vec<usize>) -> ObjectModel {
        ObjectModel { grips, ..self }
    }

    /// The parts by which hands take it; none: by any.
    pub fn grips(&self) -> &[usize] {
        &self.grips
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of its colour class, if it has one.
    pub fn colour(&self) -> Option<&str> {
        self.colour.as_deref()
    }

    /// The shapes that it is made of.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Points of its surface.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// Fewer points of its surface, to begin with.
    pub fn coarse(&self) -> &Surface {
        &self.coarse
    }

    /// The turns after which it looks the same.
    pub fn symmetry(&self) -> &Symmetry {
        &self.symmetry
    }

    /// How far it reaches from its origin [m].
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// After each turn of the symmetry every point must be near one that is there.
    fn looks_the_same(&self) -> Result<(), PerceptionError> {
        let round = self.symmetry.axis().map(|axis| nalgebra::UnitQuaternion::from_axis_angle(&axis, 1.0));
        let turns = self.symmetry.turns().iter().skip(1).copied().chain(round);
        // every fourth point tells a face that is not there
        let some: Vec<&SurfacePoint> = self.surface.points.iter().step_by(4).collect();
        for turn in turns {
            for sample in &some {
                let turned = turn * sample.point;
                let square = |other: &SurfacePoint| (other.point - turned).norm_squared();
                let off = self.surface.points.iter().map(square).fold(f64::INFINITY, f64::min).sqrt();
                if off > 1.5 * self.surface.spacing {
                    let field = format!("object '{}': symmetry", self.name);
                    let found = format!("a point that is {off:.4} m away from the turned surface");
                    return Err(PerceptionError::value(field, "turns after which it looks the same", found));
                }
            }
        }
        Ok(())
    }
}

/// Points of all parts; what is inside another part is left out. Points of a file are as they are.
fn sample(parts: &[Part], spacing: f64) -> Surface {
    let mut points = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let others = || parts.iter().enumerate().filter(|(other, _)| *other != number);
        let is_outside = |sample: &SurfacePoint| !others().any(|(_, other)| other.holds(&sample.point, 0.1 * spacing));
        points.extend(part.sample(spacing).into_iter().filter(is_outside));
    }
    Surface { points, spacing }
}
