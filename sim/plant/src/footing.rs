//! Where the base is when the robot just touches the ground.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use parry3d::shape::Shape;
use robot_model::description::Base;
use worlds::{Terrain, World};

use crate::collision::CollisionShape;
use crate::convert::{pose, vector64};
use crate::error::PlantError;
use crate::setup::Setup;

/// Directions, from straight down, in which a shape's extreme points are looked for [rad].
const TILTS: [f64; 4] = [0.15, 0.35, 0.7, 1.2];
/// Directions around the vertical.
const AROUND: usize = 16;

/// The pose of the base at the spawn place: the lowest point of a robot that floats touches the ground under it, and the origin of one that is
/// fixed lies on the ground. `shapes` are its own, each with its link.
pub(crate) fn base_pose<'s>(
    world: &World,
    setup: &Setup,
    shapes: impl Iterator<Item = (usize, &'s CollisionShape)>,
    base: Base,
    link_in_base: &[Isometry3<f64>],
) -> Result<Isometry3<f64>, PlantError> {
    let terrain = &world.terrain;
    let (x, y) = (setup.spawn.x, setup.spawn.y);
    let Some(ground) = terrain.height_at(x, y) else {
        let ((x_min, x_max), (y_min, y_max)) = terrain.extent();
        return Err(PlantError::OffTerrain { x, y, x_min, x_max, y_min, y_max });
    };
    let heading = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), setup.spawn.yaw);
    let level = Isometry3::from_parts(Translation3::new(x, y, 0.0), heading);
    let clearances = shapes.filter_map(|(link, shape)| {
        lowest_clearance(&*shape.shape, &(level * link_in_base[link] * shape.pose_in_owner), terrain)
    });
    let clearance = clearances.fold(f64::INFINITY, f64::min);
    // a robot that collides with nothing, or that is fixed to the ground, begins at its height
    let stands = clearance.is_finite() && base == Base::Free;
    let z = if stands { -clearance } else { ground };
    Ok(Isometry3::from_parts(Translation3::new(x, y, z), heading))
}

/// The smallest height of the shape's extreme points above the ground; `None` beside the terrain.
fn lowest_clearance(shape: &dyn Shape, in_world: &Isometry3<f64>, terrain: &Terrain) -> Option<f64> {
    let map = shape.as_support_map()?;
    let place = pose(in_world);
    let clearance = |direction: Vector3<f64>| {
        let point = vector64(map.support_point(&place, crate::convert::vector(&direction)));
        terrain.height_at(point.x, point.y).map(|ground| point.z - ground)
    };
    let around = (0..TILTS.len() * AROUND).map(|index| {
        let (tilt, turn) = (TILTS[index / AROUND], core::f64::consts::TAU * (index % AROUND) as f64 / AROUND as f64);
        let (sin, cos) = libm::sincos(tilt);
        let (turn_sin, turn_cos) = libm::sincos(turn);
        Vector3::new(sin * turn_cos, sin * turn_sin, -cos)
    });
    core::iter::once(-Vector3::z()).chain(around).filter_map(clearance).reduce(f64::min)
}
