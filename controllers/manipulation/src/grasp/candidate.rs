//! Where a hand could be to grasp a part: parallel sides between the fingers, turned and shifted.

use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion, Vector3};

use super::settings::GraspSettings;
use super::shape::{ObjectPart, PartShape};

/// A pose of the hand that has not been looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// The frame in which grasps are planned, x ahead and z along the opening, in the object's [m].
    pub pose: Isometry3<f64>,
    /// How thick what is between the fingers is [m].
    pub thickness: f64,
    /// How far the fingers reach over it [m].
    pub over: f64,
}

/// What the hand can do, as far as candidates need to know.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// The widest that fits [m].
    pub width: f64,
    /// Where the palm and the fingers end along x [m].
    pub palm: f64,
    pub tip: f64,
}

/// No less than this of the fingers has to reach over a side [m]. Chosen: a fingertip's breadth.
const OVER: f64 = 0.015;
/// No less than this of a side has to be under the middle of the fingers on either side [m].
const UNDER: f64 = 0.02;

/// The candidates of one part, in one order. Of what is round about z only those with the fingers on either side along x, if
/// `once`: the others follow by turns.
pub(super) fn candidates(part: &ObjectPart, reach: &Reach, settings: &GraspSettings, once: bool) -> Vec<Candidate> {
    let mut sampler = Sampler { reach, settings, found: Vec::new() };
    let (x, z) = (Vector3::x(), Vector3::z());
    match part.shape {
        PartShape::Box { size } => {
            for axis in 0..3 {
                for sign in [1.0, -1.0] {
                    let opening = Vector3::ith(axis, sign);
                    sampler.sides(opening, Vector3::ith((axis + 1) % 3, 1.0), size[axis], &Extent::Box(size));
                }
            }
        }
        PartShape::Cylinder { radius, height } | PartShape::Cup { radius, height, .. } => {
            let turns = if once { 1 } else { settings.directions };
            for opening in circle(turns, &x, &Vector3::y()) {
                sampler.sides(opening, z, 2.0 * radius, &Extent::Round { radius, height });
                if let PartShape::Cup { wall, .. } = part.shape {
                    sampler.rim(opening, radius - 0.5 * wall, 0.5 * height, wall);
                }
            }
            if matches!(part.shape, PartShape::Cylinder { .. }) {
                let extent = Extent::Round { radius, height };
                sampler.sides(z, x, height, &extent);
                sampler.sides(-z, x, height, &extent);
            }
        }
    }
    let place = |found: Candidate| Candidate { pose: part.pose * found.pose, ..found };
    sampler.found.into_iter().map(place).collect()
}

/// Directions evenly around a circle, beginning with the first of two axes.
fn circle(number: u32, first: &Vector3<f64>, second: &Vector3<f64>) -> impl Iterator<Item = Vector3<f64>> {
    let (first, second) = (*first, *second);
    (0..number).map(move |place| {
        let (sin, cos) = libm::sincos(core::f64::consts::TAU * f64::from(place) / f64::from(number));
        first * cos + second * sin
    })
}

/// How far a part reaches from its middle.
enum Extent {
    Box(Vector3<f64>),
    Round { radius: f64, height: f64 },
}

impl Extent {
    /// Along a direction [m].
    fn along(&self, direction: &Vector3<f64>) -> f64 {
        match self {
            Extent::Box(size) => 0.5 * direction.abs().dot(size),
            Extent::Round { radius, height } => {
                radius * (1.0 - direction.z * direction.z).max(0.0).sqrt() + 0.5 * height * direction.z.abs()
            }
        }
    }

    /// Whether the sides go on along a direction, so that the fingers may be shifted.
    fn goes_on(&self, across: &Vector3<f64>, opening: &Vector3<f64>) -> bool {
        match self {
            Extent::Box(_) => true,
            Extent::Round { .. } => across.z.abs() > 0.5 || opening.z.abs() > 0.5,
        }
    }
}

struct Sampler<'s> {
    reach: &'s Reach,
    settings: &'s GraspSettings,
    found: Vec<Candidate>,
}

impl Sampler<'_> {
    /// Both sides of a part that is so thick along the opening direction, from all around it.
    fn sides(&mut self, opening: Vector3<f64>, aside: Vector3<f64>, thickness: f64, extent: &Extent) {
        if thickness + 2.0 * self.settings.clearance > self.reach.width {
            return;
        }
        for ahead in circle(self.settings.directions, &aside, &opening.cross(&aside)) {
            let across = opening.cross(&ahead);
            let far = extent.along(&ahead);
            let depths = [self.reach.palm + self.settings.clearance + far, self.reach.tip - OVER + far];
            let shift = if extent.goes_on(&across, &opening) { extent.along(&across) - UNDER } else { 0.0 };
            for depth in steps(depths, self.settings.step) {
                let over = self.reach.tip + far - depth;
                for shift in middle_first(shift, self.settings.step) {
                    self.add((ahead, opening), across * shift - ahead * depth, (thickness, over));
                }
            }
        }
    }

    /// A wall between the fingers, from above the open end.
    fn rim(&mut self, opening: Vector3<f64>, beside: f64, top: f64, wall: f64) {
        let ahead = -Vector3::z();
        for over in [1.0, 2.0, 3.0] {
            let (rim, over) = (opening * beside + Vector3::z() * top, OVER * over);
            self.add((ahead, opening), rim - ahead * (self.reach.tip - over), (wall, over));
        }
    }

    /// A hand that points ahead at a place, with something so thick between its fingers, so far over it.
    fn add(
        &mut self,
        (ahead, opening): (Vector3<f64>, Vector3<f64>),
        place: Vector3<f64>,
        (thickness, over): (f64, f64),
    ) {
        let columns = Matrix3::from_columns(&[ahead, opening.cross(&ahead), opening]);
        let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(columns));
        let pose = Isometry3::from_parts(Translation3::from(place), rotation);
        self.found.push(Candidate { pose, thickness, over });
    }
}

/// Places from the first to the last, a step apart; none if there is no room.
fn steps([first, last]: [f64; 2], step: f64) -> impl Iterator<Item = f64> {
    let number = ((last - first) / step + 1e-9).floor();
    let number = if number < 0.0 { 0 } else { number as usize + 1 };
    (0..number).map(move |place| first + step * place as f64)
}

/// Zero, and places a step apart on both sides of it that are not farther than `most`.
fn middle_first(most: f64, step: f64) -> impl Iterator<Item = f64> {
    let number = (most.max(0.0) / step + 1e-9).floor() as i32;
    (0..=2 * number).map(move |place| step * f64::from(if place % 2 == 0 { place / 2 } else { -(place + 1) / 2 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_begin_in_the_middle_and_keep_within() {
        let found: Vec<f64> = middle_first(0.025, 0.01).collect();
        assert_eq!(found.len(), 5);
        assert!(found[0] == 0.0 && found.iter().all(|place| place.abs() < 0.0201), "{found:?}");
        assert_eq!(middle_first(-1.0, 0.01).count(), 1);
        assert_eq!(steps([0.0, 0.03], 0.01).count(), 4);
        assert_eq!(steps([0.0, -0.01], 0.01).count(), 0);
    }

    #[test]
    fn hands_point_ahead_at_the_part_with_its_sides_between_the_fingers() {
        let part =
            ObjectPart { shape: PartShape::Box { size: Vector3::new(0.05, 0.05, 0.12) }, pose: Isometry3::identity() };
        let reach = Reach { width: 0.11, palm: -0.06, tip: 0.04 };
        let found = candidates(&part, &reach, &GraspSettings::default(), false);
        assert!(found.len() > 100, "{}", found.len());
        for Candidate { pose, thickness, over } in found {
            assert_eq!(thickness, 0.05, "120 mm do not fit");
            assert!((OVER - 1e-9..0.1).contains(&over), "{over} m over the sides");
            let middle = pose.inverse_transform_point(&nalgebra::Point3::origin());
            assert!(middle.z.abs() < 1e-12, "it is between the fingers");
            assert!((pose.rotation * Vector3::z()).z.abs() < 1e-12, "the long axis is not");
        }
    }
}
