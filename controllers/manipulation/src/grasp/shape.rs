//! What is grasped, by its shape.

use nalgebra::{Isometry3, Point3, Vector3};

use crate::collision::{Placed, Solid};
use crate::error::{ManipulationError, check_number};

/// The shape of a part, about its own middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PartShape {
    /// A box.
    Box {
        /// Full edge lengths along x, y, z [m].
        size: Vector3<f64>,
    },
    /// A solid cylinder about z.
    Cylinder {
        /// Radius [m].
        radius: f64,
        /// Height along z [m].
        height: f64,
    },
    /// A cylinder about z that is hollow, has a bottom, and is open at its top (+z).
    Cup {
        /// Radius outside [m].
        radius: f64,
        /// Height outside along z [m].
        height: f64,
        /// Thickness of wall and bottom [m].
        wall: f64,
    },
}

/// A part of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObjectPart {
    /// Its shape.
    pub shape: PartShape,
    /// Its pose in the object's frame [m].
    pub pose: Isometry3<f64>,
}

/// An object that can be grasped: one part or several, and where its centre of mass is.
#[derive(Clone, Debug, PartialEq)]
pub struct GraspObject {
    parts: Vec<ObjectPart>,
    center_of_mass: Vector3<f64>,
    /// The parts by which it is taken; none: by any.
    grips: Vec<usize>,
}

impl GraspObject {
    /// Of these parts. The centre of mass, in the object's frame [m], is that of parts of one density if it is not told.
    /// Refused is an object without parts, or with sizes that are none.
    pub fn new(parts: Vec<ObjectPart>, center_of_mass: Option<Vector3<f64>>) -> Result<GraspObject, ManipulationError> {
        let part = "an object to grasp";
        if parts.is_empty() {
            return Err(ManipulationError::refused(part, "parts", "one part or more", "none"));
        }
        parts.iter().try_for_each(|one| one.shape.check(part))?;
        let center_of_mass = center_of_mass.unwrap_or_else(|| balance(&parts));
        for place in center_of_mass.iter() {
            check_number(part, "center_of_mass", (-1e3, 1e3), "m", *place)?;
        }
        Ok(GraspObject { parts, center_of_mass, grips: Vec::new() })
    }

    /// The same, taken by these of its parts alone, as a door by its handle. Refused is a number that no part has.
    pub fn with_grips(self, grips: &[usize]) -> Result<GraspObject, ManipulationError> {
        let count = self.parts.len();
        match grips.iter().find(|grip| **grip >= count) {
            Some(found) => {
                let expected = format!("numbers of parts below {count}");
                Err(ManipulationError::refused("an object to grasp", "grips", expected, found))
            }
            None => Ok(GraspObject { grips: grips.to_vec(), ..self }),
        }
    }

    /// The parts by which it is taken.
    pub(super) fn taken_by(&self) -> impl Iterator<Item = &ObjectPart> {
        let is_grip = |number: &usize| self.grips.is_empty() || self.grips.contains(number);
        self.parts.iter().enumerate().filter(move |(number, _)| is_grip(number)).map(|(_, part)| part)
    }

    /// Of one part about its own middle.
    pub fn of(shape: PartShape) -> Result<GraspObject, ManipulationError> {
        GraspObject::new(vec![ObjectPart { shape, pose: Isometry3::identity() }], None)
    }

    /// Its parts.
    pub fn parts(&self) -> &[ObjectPart] {
        &self.parts
    }

    /// Its centre of mass in its own frame [m].
    pub fn center_of_mass(&self) -> Vector3<f64> {
        self.center_of_mass
    }

    /// Its parts as solids in its own frame, for a [`Scene`](crate::Scene); a cup is a cylinder there.
    pub fn solids(&self) -> Vec<Placed> {
        self.parts.iter().map(|part| Placed { solid: part.shape.solid(), pose: part.pose }).collect()
    }

    /// How far a point in its frame is outside of it [m]; within it negative.
    pub fn distance(&self, point: &Vector3<f64>) -> f64 {
        let of_part =
            |part: &ObjectPart| part.shape.distance(&part.pose.inverse_transform_point(&Point3::from(*point)).coords);
        self.parts.iter().map(of_part).fold(f64::INFINITY, f64::min)
    }

    /// The axis about which it is round: a point on it and its direction, in its frame. `None` if it is not.
    pub(super) fn axis(&self) -> Option<(Vector3<f64>, Vector3<f64>)> {
        let [part] = self.parts[..] else { return None };
        let along = part.pose.rotation * Vector3::z();
        let aside = (self.center_of_mass - part.pose.translation.vector).cross(&along).norm();
        let is_round = !matches!(part.shape, PartShape::Box { .. }) && aside < 1e-9;
        is_round.then_some((part.pose.translation.vector, along))
    }
}

impl PartShape {
    /// The solid that fills it.
    pub fn solid(&self) -> Solid {
        match *self {
            PartShape::Box { size } => Solid::Box { size },
            PartShape::Cylinder { radius, height } | PartShape::Cup { radius, height, .. } => {
                Solid::Cylinder { radius, length: height }
            }
        }
    }

    /// How far a point in its own frame is outside of it [m]; within it negative.
    pub fn distance(&self, point: &Vector3<f64>) -> f64 {
        let PartShape::Cup { radius, height, wall } = *self else { return self.solid().distance(point) };
        // a half of the section along the axis: the wall, and the bottom with what is below the wall
        let beside = (point.x * point.x + point.y * point.y).sqrt();
        let rectangle = |middle: [f64; 2], half: [f64; 2]| {
            let (x, y) = ((beside - middle[0]).abs() - half[0], (point.z - middle[1]).abs() - half[1]);
            let beyond = (x.max(0.0) * x.max(0.0) + y.max(0.0) * y.max(0.0)).sqrt();
            if beyond > 0.0 { beyond } else { x.max(y) }
        };
        let side = rectangle([radius - 0.5 * wall, 0.0], [0.5 * wall, 0.5 * height]);
        side.min(rectangle([0.0, 0.5 * (wall - height)], [radius, 0.5 * wall]))
    }

    fn check(&self, part: &str) -> Result<(), ManipulationError> {
        let length = |field: &'static str, length: f64| check_number(part, field, (1e-4, 10.0), "m", length);
        match *self {
            PartShape::Box { size } => size.iter().try_for_each(|edge| length("size", *edge)),
            PartShape::Cylinder { radius, height } => length("radius", radius).and_then(|()| length("height", height)),
            PartShape::Cup { radius, height, wall } => {
                length("radius", radius)?;
                length("height", height)?;
                check_number(part, "wall", (1e-4, radius.min(height)), "m", wall)
            }
        }
    }

    /// Its volume [m³] and how high over its middle its centre of mass is [m].
    fn mass(&self) -> (f64, f64) {
        use core::f64::consts::PI;
        match *self {
            PartShape::Box { size } => (size.product(), 0.0),
            PartShape::Cylinder { radius, height } => (PI * radius * radius * height, 0.0),
            PartShape::Cup { radius, height, wall } => {
                let (whole, inner) = (PI * radius * radius * height, radius - wall);
                let hollow = PI * inner * inner * (height - wall);
                (whole - hollow, -hollow * 0.5 * wall / (whole - hollow))
            }
        }
    }
}

/// The centre of mass of parts of one density.
fn balance(parts: &[ObjectPart]) -> Vector3<f64> {
    let (mut sum, mut volume) = (Vector3::zeros(), 0.0);
    for ObjectPart { shape, pose } in parts {
        let (own, up) = shape.mass();
        sum += (pose * Point3::new(0.0, 0.0, up)).coords * own;
        volume += own;
    }
    sum / volume
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_cup_is_hollow_and_heavier_at_its_bottom() {
        let cup = GraspObject::of(PartShape::Cup { radius: 0.04, height: 0.1, wall: 0.004 }).unwrap();
        let distance = |x: f64, z: f64| cup.distance(&Vector3::new(x, 0.0, z));
        for (x, z, expected) in [
            (0.0, 0.0, 0.036),
            (0.05, 0.0, 0.01),
            (0.038, 0.0, -0.002),
            (0.0, -0.048, -0.002),
            (0.0, -0.06, 0.01),
            (0.038, 0.06, 0.01),
        ] {
            assert!((distance(x, z) - expected).abs() < 1e-12, "{} at {x}, {z}", distance(x, z));
        }
        let up = cup.center_of_mass().z;
        assert!((-0.02..-0.005).contains(&up), "{up}");
        assert!(cup.axis().is_some());
    }

    #[test]
    fn nonsense_is_refused_by_name() {
        let refused = |shape| GraspObject::of(shape).unwrap_err().to_string();
        let found = refused(PartShape::Cup { radius: 0.04, height: 0.1, wall: 0.05 });
        assert_eq!(found, "an object to grasp: wall: expected a number from 0.0001 to 0.04 [m], found 0.05");
        assert!(refused(PartShape::Box { size: Vector3::new(0.1, 0.0, 0.1) }).contains("size"));
        assert!(GraspObject::new(Vec::new(), None).unwrap_err().to_string().contains("one part or more"));
    }
}
