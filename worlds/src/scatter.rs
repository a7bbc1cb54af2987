//! The `[[scatter]]` tables: many things of one kind, strewn by seed.

use std::f64::consts::TAU;

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use crate::fields::DISTANCE;
use crate::layers::Site;
use crate::layers::region::Area;
use crate::objects::{Thing, outline, rest_height};
use crate::variety::SCATTERS;
use crate::{Object, Random, WorldError};
use page::Fields;

/// Most things of one table.
const MOST: u64 = 500;
/// Places tried for a thing before it is left out.
const TRIES: u64 = 64;
/// Random numbers reserved for one thing: its heading, and two for each try.
const STRIDE: u64 = 2 * TRIES + 2;

/// Reads all tables and adds their things to the objects.
pub(crate) fn read(
    fields: &mut Fields<'_>,
    site: &mut Site<'_, '_>,
    objects: &mut Vec<Object>,
) -> Result<(), WorldError> {
    for (index, table) in fields.tables("scatter")?.into_iter().enumerate() {
        let random = Random::new(site.seed, SCATTERS + index as u64);
        strew(table, &random, site, objects)?;
    }
    Ok(())
}

fn strew(
    mut table: Fields<'_>,
    random: &Random,
    site: &mut Site<'_, '_>,
    objects: &mut Vec<Object>,
) -> Result<(), WorldError> {
    let named = table.need("name", "a text")?;
    let name = named.text()?;
    let count = table.whole("count", 0..=MOST)?;
    let thing = Thing::read(&mut table, site)?;
    let apart = table.number_or("apart", DISTANCE, 0.0)?;
    let area = Area::read(&mut table, site)?;
    table.finish()?;
    let corners = outline(&thing.shape);
    let reach = corners.iter().map(|corner| libm::hypot(corner[0], corner[1])).fold(0.0, f64::max);
    let ((x0, x1), (y0, y1)) = site.terrain.extent();
    let mut places: Vec<(f64, f64)> = Vec::new();
    for number in 0..count {
        let first = number * STRIDE;
        let place = |draw: u64| (random.between(draw, x0, x1), random.between(draw + 1, y0, y1));
        let is_free = |&(x, y): &(f64, f64)| {
            let far = places.iter().all(|(u, v)| libm::hypot(x - u, y - v) >= apart.max(2.0 * reach));
            far && area.distance(x, y) <= -reach
        };
        let Some((x, y)) = (0..TRIES).map(|i| place(first + 2 + 2 * i)).find(is_free) else { continue };
        places.push((x, y));
        let yaw = random.between(first, 0.0, TAU);
        let rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw);
        let Some(z) = rest_height(&corners, &rotation, x, y, site.terrain) else { continue };
        let name = format!("{name}_{}", number + 1);
        if objects.iter().any(|object| object.name == name) {
            return Err(named.error("a name that is used once", &format!("a second `{name}`")).into());
        }
        let Thing { ref shape, material, mass, color } = thing;
        let pose_in_world = Isometry3::from_parts(Translation3::new(x, y, z), rotation);
        objects.push(Object {
            name,
            shape: shape.clone(),
            pose_in_world,
            mass,
            motion: None,
            joint: None,
            material,
            color,
        });
    }
    Ok(())
}
