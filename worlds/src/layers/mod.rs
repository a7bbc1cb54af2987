//! Terrain as an ordered list of layers: each is a function from place and height to height, or a patch of material.

mod image;
mod maze;
mod noise;
pub(crate) mod region;
mod shapes;
mod slopes;
mod stones;

use crate::fields::{DIRECTION, DISTANCE};
use crate::files::Reader;
use crate::terrain::{Terrain, pairs};
use crate::variety::Shifts;
use crate::{Material, Random, Route, WorldError};
use page::{Fault, Fields};

use noise::value_noise;
use region::Area;

/// A layer's shape: the new height [m] at (x, y) where the layers before it made `height`.
pub(crate) trait Profile {
    /// Height after this layer [m].
    fn height(&self, x: f64, y: f64, height: f64) -> f64;
}

/// What a layer may need beside its own fields.
pub(crate) struct Site<'a, 'r> {
    /// The ground as the layers before left it.
    pub(crate) terrain: &'a mut Terrain,
    /// Materials that patches may name.
    pub(crate) materials: &'a [Material],
    /// Routes that regions may name.
    pub(crate) routes: &'a [Route],
    /// The world's files.
    pub(crate) reader: &'a mut Reader<'r>,
    /// The world's seed.
    pub(crate) seed: u64,
    /// What stands elsewhere from seed to seed.
    pub(crate) shifts: &'a Shifts,
}

const KINDS: &str =
    "one of flat, image, ramp, steps, waves, roughness, stones, crater, mound, rim, wall, maze, material";

/// Reads one layer and lays it on the ground.
pub(crate) fn apply(mut fields: Fields<'_>, index: u64, site: &mut Site<'_, '_>) -> Result<(), WorldError> {
    let kind = fields.need("kind", KINDS)?;
    let seed = fields.whole_or("seed", 0..=i64::MAX as u64, site.seed)?;
    let random = Random::new(seed, index);
    let area = Area::read(&mut fields, site)?;
    let profile: Box<dyn Profile> = match kind.text()? {
        "material" => return patch(fields, &area, random, site),
        "stones" => return strew(fields, &area, random, site),
        "flat" => Box::new(shapes::Flat::read(&mut fields)?),
        "image" => Box::new(image::Image::read(&mut fields, site)?),
        "ramp" => Box::new(slopes::Ramp::read(&mut fields)?),
        "steps" => Box::new(slopes::Steps::read(&mut fields)?),
        "waves" => Box::new(shapes::Waves::read(&mut fields)?),
        "roughness" => Box::new(noise::Roughness::read(&mut fields, random)?),
        "crater" => Box::new(shapes::Crater::read(&mut fields)?),
        "mound" => Box::new(shapes::Mound::read(&mut fields)?),
        "rim" => Box::new(slopes::Rim::read(&mut fields, site.terrain.extent())?),
        "wall" => Box::new(shapes::Wall::read(&mut fields)?),
        "maze" => Box::new(maze::Maze::read(&mut fields, random)?),
        other => return Err(kind.error(KINDS, other).into()),
    };
    fields.finish()?;
    raise(profile.as_ref(), Some(&area), site);
    Ok(())
}

/// h ← h + weight × (profile(h) − h) at every sample.
fn raise(profile: &dyn Profile, area: Option<&Area>, site: &mut Site<'_, '_>) {
    let terrain = &mut *site.terrain;
    for (row, column) in pairs(terrain.rows, terrain.columns) {
        let (x, y) = terrain.position(row, column);
        let weight = area.map_or(1.0, |area| area.weight(x, y));
        if weight > 0.0 {
            let [dx, dy] = area.map_or([0.0; 2], |area| area.shift);
            let height = &mut terrain.heights[row * terrain.columns + column];
            *height += weight * (profile.height(x - dx, y - dy, *height) - *height);
        }
    }
}

/// Lays stones, whole ones only, and gives the cells under them their material.
fn strew(fields: Fields<'_>, area: &Area, random: Random, site: &mut Site<'_, '_>) -> Result<(), WorldError> {
    let (stones, material) = stones::Stones::read(fields, area, &random, site)?;
    raise(&stones, None, site);
    if let Some(material) = material {
        paint(site.terrain, material, |x, y| stones.bump(x, y) > 0.0);
    }
    Ok(())
}

/// Gives the cells whose middle lies in the area another material; `ragged` frays its edge.
fn patch(mut fields: Fields<'_>, area: &Area, random: Random, site: &mut Site<'_, '_>) -> Result<(), WorldError> {
    let material =
        crate::material::material_index(&fields.need("material", "the name of a material")?, site.materials)?;
    let ragged = fields.number_or("ragged", DISTANCE, 0.0)?;
    fields.finish()?;
    // Three octaves, the coarsest four times as long as the edge may stray.
    let stray = |x, y| if ragged > 0.0 { ragged * value_noise(&random, x, y, 4.0 * ragged, 3) } else { 0.0 };
    paint(site.terrain, material, |x, y| area.distance(x, y) < stray(x, y));
    Ok(())
}

/// Gives a material to the cells whose middle is inside.
fn paint(terrain: &mut Terrain, material: usize, inside: impl Fn(f64, f64) -> bool) {
    let half = 0.5 * terrain.cell;
    for (row, column) in pairs(terrain.rows - 1, terrain.columns - 1) {
        let (x, y) = terrain.position(row, column);
        if inside(x + half, y + half) {
            terrain.cell_materials[row * (terrain.columns - 1) + column] = material as u8;
        }
    }
}

/// A horizontal direction from the field `direction_deg`, counter-clockwise from +x: (cos, sin).
fn direction(fields: &mut Fields<'_>) -> Result<(f64, f64), Fault> {
    let angle = fields.angle("direction_deg", DIRECTION)?;
    Ok((libm::cos(angle), libm::sin(angle)))
}
