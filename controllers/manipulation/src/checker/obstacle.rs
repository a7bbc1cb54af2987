//! Solids, ground and points, against spheres of eight configurations.

use nalgebra::{Isometry3, Vector3};
use robot_io::HeightMap;

use super::hit::Touching;
use crate::collision::{Cloud, Placed, Solid, Sphere, Surroundings};
use crate::lanes::{Fixed, LANES, Lanes};

/// A solid on a body.
#[derive(Clone, Debug)]
pub(super) struct Obstacle {
    pub what: Touching,
    pose: Fixed,
    form: Form,
    /// Where its middle is, and the radius of the sphere around it.
    middle: [f32; 3],
    outer: f32,
}

/// A solid with what its distance is computed from [m].
#[derive(Clone, Copy, Debug)]
enum Form {
    /// A box of these half edges with this much around it: a sphere has no edges.
    Block([f32; 3], f32),
    /// Radius and half the length.
    Cylinder(f32, f32),
    /// Radius and half the length.
    Capsule(f32, f32),
}

impl Obstacle {
    pub fn new(what: Touching, placed: &Placed) -> Obstacle {
        let form = match placed.solid {
            Solid::Sphere { radius } => Form::Block([0.0; 3], radius as f32),
            Solid::Box { size } => Form::Block([0, 1, 2].map(|axis| 0.5 * size[axis] as f32), 0.0),
            Solid::Cylinder { radius, length } => Form::Cylinder(radius as f32, 0.5 * length as f32),
            Solid::Capsule { radius, length } => Form::Capsule(radius as f32, 0.5 * length as f32),
        };
        let place = placed.pose.translation.vector;
        let middle = [place.x as f32, place.y as f32, place.z as f32];
        Obstacle { what, pose: Fixed::new(&placed.pose), form, middle, outer: placed.solid.outer_radius() as f32 }
    }

    /// The sphere around it.
    pub fn around(&self) -> Sphere {
        let [x, y, z] = self.middle.map(f64::from);
        Sphere { center: Vector3::new(x, y, z), radius: f64::from(self.outer) }
    }

    /// Whether a sphere of any configuration can be near: a glance at the sphere around the solid.
    #[inline(always)]
    pub fn is_near(&self, center: &[Lanes; 3], radius: f32) -> bool {
        let away: [Lanes; 3] = core::array::from_fn(|axis| center[axis] - Lanes::all(self.middle[axis]));
        let squared = away[0] * away[0] + away[1] * away[1] + away[2] * away[2];
        let reach = radius + self.outer;
        squared.any_less(Lanes::all(reach * reach))
    }

    /// Whether a sphere of any configuration meets the solid.
    #[inline(always)]
    pub fn meets(&self, center: &[Lanes; 3], radius: f32) -> bool {
        let [x, y, z] = self.pose.take_in(center);
        let beyond = |along: Lanes, half: f32| (along.size() - Lanes::all(half)).most(Lanes::ZERO);
        let (squared, reach) = match self.form {
            Form::Block(half, around) => {
                let (x, y, z) = (beyond(x, half[0]), beyond(y, half[1]), beyond(z, half[2]));
                (x * x + y * y + z * z, radius + around)
            }
            Form::Cylinder(wide, half) => {
                let (beside, z) = (beyond((x * x + y * y).root(), wide), beyond(z, half));
                (beside * beside + z * z, radius)
            }
            Form::Capsule(wide, half) => {
                let z = beyond(z, half);
                (x * x + y * y + z * z, radius + wide)
            }
        };
        squared.any_less(Lanes::all(reach * reach))
    }
}

/// Ground or points, in the world.
#[derive(Clone, Debug)]
pub(super) struct Around {
    pub what: Touching,
    /// The world's pose in the frame of the body that does not move.
    world: Fixed,
    surroundings: Surroundings,
}

impl Around {
    pub fn new(what: Touching, surroundings: &Surroundings, base_in_world: &Isometry3<f64>) -> Around {
        Around { what, world: Fixed::new(&base_in_world.inverse()), surroundings: surroundings.clone() }
    }

    /// Whether a sphere of any configuration meets them; spheres that are larger than a cloud is made for, only roughly.
    pub fn meets(&self, center: &[Lanes; 3], radius: f32) -> bool {
        let [x, y, z] = self.world.take_in(center);
        let place = |lane: usize| [x.0[lane], y.0[lane], z.0[lane]];
        match &self.surroundings {
            Surroundings::Heights(map) => (0..LANES).any(|lane| is_in_ground(map, &place(lane), radius)),
            Surroundings::Cloud(cloud) => (0..LANES).any(|lane| is_in_cloud(cloud, &place(lane), radius)),
        }
    }
}

fn is_in_cloud(cloud: &Cloud, place: &[f32; 3], radius: f32) -> bool {
    let near = |axis: usize| place[axis] + radius >= cloud.low[axis] && place[axis] - radius <= cloud.high[axis];
    (0..3).all(near) && (radius > cloud.largest || cloud.meets(place, radius))
}

/// Whether a sphere meets the ground: a column below each sample, a cell wide to each side. What is interpolated between
/// samples lies within.
fn is_in_ground(map: &HeightMap, place: &[f32; 3], radius: f32) -> bool {
    let (place, radius) = (Vector3::from(place.map(f64::from)), f64::from(radius));
    let half = map.cell;
    let range = |at: f64, origin: f64, number: usize| {
        let first = ((at - radius - half - origin) / map.cell).ceil().max(0.0);
        let last = ((at + radius + half - origin) / map.cell).floor();
        if last < 0.0 { 0..0 } else { first as usize..(last as usize + 1).min(number) }
    };
    for row in range(place.y, map.origin_y, map.rows) {
        for column in range(place.x, map.origin_x, map.columns) {
            let height = map.heights.get(row * map.columns + column).copied().unwrap_or(f64::NAN);
            let beside =
                |at: f64, origin: f64, index: usize| ((at - origin - map.cell * index as f64).abs() - half).max(0.0);
            let (x, y) = (beside(place.x, map.origin_x, column), beside(place.y, map.origin_y, row));
            let above = (place.z - height).max(0.0);
            // no number: nothing is known, and no comparison holds
            if height.is_finite() && x * x + y * y + above * above < radius * radius {
                return true;
            }
        }
    }
    false
}
