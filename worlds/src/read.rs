//! From the text of a world file to a world.

use std::path::{Path, PathBuf};

use crate::fields::{COORDINATE, DIRECTION, DISTANCE, HEIGHT, LENGTH};
use crate::files::{Files, Reader, read_file};
use crate::height_map::MAX_SAMPLES;
use crate::layers::{self, Site};
use crate::material::material_index;
use crate::materials;
use crate::objects::{self, Frame};
use crate::pair;
use crate::prop;
use crate::route::Route;
use crate::scatter;
use crate::terrain::Terrain;
use crate::variety::{OF_THE_RUN, Shifts};
use crate::world::{PriorMap, Spawn, World};
use crate::{HeightMap, Material, WorldError};
use page::{Fault, Fields, Page, Range, Value};

/// Standard of a file that says nothing about gravity [m/s²].
const GRAVITY: f64 = 9.81;

/// Most samples of ground that gives way.
const MAX_DEFORMABLE: usize = 1 << 20;

/// Whether the prior map's image is read, or about to be written.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Prior {
    Read,
    Skip,
}

/// The prior map's table.
pub(crate) struct PriorSpec {
    pub(crate) file: String,
    /// What is in it, if it is wanted.
    bytes: Option<Vec<u8>>,
    cell: f64,
    scale: f64,
    offset: f64,
}

/// Makes the PNG of the prior map that a world file asks for: where it belongs, and its bytes.
pub fn make_prior_map(path: &Path) -> Result<(PathBuf, Vec<u8>), WorldError> {
    let shown = path.display().to_string();
    let bytes = read_file(path)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut reader = Reader::new(Files::Folder(folder.to_owned()), Vec::new());
    let (world, spec) = assemble(Page::of_bytes(&shown, &bytes)?, &mut reader, Prior::Skip)?;
    let missing = || Fault::of_field(&shown, 1, "prior_map", "a table", "nothing");
    let spec = spec.ok_or_else(missing)?;
    let survey = world.terrain.resampled(spec.cell);
    let map = HeightMap::from_heights(&survey.heights, survey.columns, spec.scale, spec.offset);
    Ok((folder.join(&spec.file), map.encode(&spec.file)?))
}

/// Reads the whole file; `sources` are left to the caller.
pub(crate) fn assemble(
    page: Page<'_>,
    reader: &mut Reader<'_>,
    prior: Prior,
) -> Result<(World, Option<PriorSpec>), WorldError> {
    let root = page.parse()?;
    let mut fields = page.fields(&root);
    let name = fields.text("name")?.to_owned();
    let gravity = fields.number_or("gravity", Range::new(0.0, 100.0, "m/s²"), GRAVITY)?;
    let seed = fields.get("seed").map_or(Ok(0), |value| read_seed(&value))?;
    let shifts = Shifts::read(&mut fields, seed)?;
    let mut props = fields.tables("prop")?;
    let files = prop::files(&mut props, reader)?;
    let sheets = prop::sheets(&files)?;
    let mut materials = materials::read(&mut fields)?;
    prop::add_materials(&sheets, &mut materials)?;
    let pairs = pair::read(&mut fields, &materials)?;
    let mut ground = fields.need("terrain", "a table")?.table()?;
    let mut terrain = read_grid(&mut ground, &materials)?;
    let routes = read_routes(&mut fields, &terrain)?;
    let layers = ground.tables("layer")?;
    let deformable = read_deformable(&mut ground, &terrain)?;
    ground.finish()?;
    for (index, layer) in layers.into_iter().enumerate() {
        let mut site =
            Site { terrain: &mut terrain, materials: &materials, routes: &routes, reader, seed, shifts: &shifts };
        layers::apply(layer, index as u64, &mut site)?;
    }
    check_heights(&fields, &terrain)?;
    let spawns = read_spawns(&mut fields, &terrain)?;
    let mut site =
        Site { terrain: &mut terrain, materials: &materials, routes: &routes, reader, seed, shifts: &shifts };
    let mut objects = objects::read(&mut fields, &mut site, Frame::World)?;
    prop::read(props, &sheets, &mut site, &mut objects)?;
    scatter::read(&mut fields, &mut site, &mut objects)?;
    let from = (prior == Prior::Read).then_some(&mut *reader);
    let spec = fields.get("prior_map").map(|value| read_prior_spec(value, &terrain, from)).transpose()?;
    fields.finish()?;
    let prior = spec.as_ref().and_then(|spec| read_prior(spec, &terrain)).transpose()?;
    let world = World {
        name,
        gravity,
        terrain,
        deformable,
        objects,
        materials,
        pairs,
        spawns,
        routes,
        prior,
        sources: Vec::new(),
    };
    Ok((world, spec))
}

/// A whole number, or the word for the run's seed where nobody has put that in: then zero.
fn read_seed(value: &Value<'_>) -> Result<u64, Fault> {
    match value.text() {
        Ok(OF_THE_RUN) => Ok(0),
        Ok(word) => {
            let expected = format!("a whole number, or \"{OF_THE_RUN}\" for the seed of the run");
            Err(value.error(&expected, &format!("`{word}`")))
        }
        Err(_) => value.whole(0..=i64::MAX as u64),
    }
}

/// A level grid of the size and the material that `[terrain]` says.
fn read_grid(fields: &mut Fields<'_>, materials: &[Material]) -> Result<Terrain, Fault> {
    let cell = fields.number("cell", LENGTH)?;
    let size = fields.need("size", "[length along x, length along y] in metres")?;
    let lengths: [f64; 2] = size.vector(LENGTH)?;
    let center = fields.get("center").map_or(Ok([0.0, 0.0]), |value| value.vector::<2>(COORDINATE))?;
    let material = material_index(&fields.need("material", "the name of a material")?, materials)?;
    let cells = lengths.map(|length| libm::round(length / cell));
    if lengths.iter().zip(&cells).any(|(length, n)| *n < 1.0 || (length - n * cell).abs() > 1e-6 * length) {
        return Err(size.error(&format!("whole multiples of the cell, {cell} m"), &format!("{lengths:?}")));
    }
    if (cells[0] + 1.0) * (cells[1] + 1.0) > MAX_SAMPLES as f64 {
        let found = format!("{} × {}", cells[0] + 1.0, cells[1] + 1.0);
        return Err(size.error(&format!("at most {MAX_SAMPLES} samples"), &found));
    }
    let [x, y] = cells.map(|n| n as usize);
    Ok(Terrain {
        rows: y + 1,
        columns: x + 1,
        cell,
        origin_x: center[0] - 0.5 * lengths[0],
        origin_y: center[1] - 0.5 * lengths[1],
        heights: vec![0.0; (x + 1) * (y + 1)],
        cell_materials: vec![material as u8; x * y],
    })
}

/// Whether the ground gives way; each of its samples may become a rut that a snapshot holds.
fn read_deformable(ground: &mut Fields<'_>, terrain: &Terrain) -> Result<bool, Fault> {
    let Some(value) = ground.get("deformable") else { return Ok(false) };
    let deformable = value.flag()?;
    if deformable && terrain.heights.len() > MAX_DEFORMABLE {
        let expected = format!("at most {MAX_DEFORMABLE} samples of ground that is deformable");
        return Err(value.error(&expected, &format!("{} × {}", terrain.columns, terrain.rows)));
    }
    Ok(deformable)
}

/// Layers can pile up; the sum must stay a height that f32 physics resolves.
fn check_heights(fields: &Fields<'_>, terrain: &Terrain) -> Result<(), Fault> {
    let (low, high) = terrain.height_range();
    let sane = terrain.heights.iter().all(|h| (HEIGHT.low..=HEIGHT.high).contains(h));
    let expected = format!("terrain heights from {} to {} m after all layers", HEIGHT.low, HEIGHT.high);
    if sane { Ok(()) } else { Err(fields.error(&expected, &format!("heights from {low} to {high} m"))) }
}

fn read_routes(fields: &mut Fields<'_>, terrain: &Terrain) -> Result<Vec<Route>, Fault> {
    let mut taken = Vec::new();
    let read = |mut table: Fields<'_>, name: String| {
        let width = table.number("width", DISTANCE)?;
        let list = table.need("points", "a list of [x, y]")?;
        let points = list.list("a list of [x, y]")?;
        if points.len() < 2 {
            return Err(list.error("at least two points", &format!("{}", points.len())));
        }
        let points = points.iter().map(|point| on_terrain(point, terrain)).collect::<Result<_, _>>()?;
        table.finish()?;
        Ok(Route { name, width, points })
    };
    let tables = fields.tables("route")?.into_iter();
    tables.map(|mut table| table.unique_name(&mut taken).and_then(|name| read(table, name))).collect()
}

fn read_spawns<'d>(fields: &mut Fields<'d>, terrain: &Terrain) -> Result<Vec<Spawn>, Fault> {
    let mut taken = Vec::new();
    let mut read = |mut table: Fields<'d>| {
        let name = table.unique_name(&mut taken)?;
        let [x, y] = on_terrain(&table.need("position", "[x, y] in metres")?, terrain)?;
        let yaw = table.number_or("yaw_deg", DIRECTION, 0.0)?.to_radians();
        table.finish()?;
        Ok(Spawn { name, x, y, yaw })
    };
    fields.tables("spawn")?.into_iter().map(&mut read).collect()
}

/// A point [x, y] that must lie on the terrain.
fn on_terrain(point: &Value<'_>, terrain: &Terrain) -> Result<[f64; 2], Fault> {
    let [x, y] = point.vector(COORDINATE)?;
    if terrain.height_at(x, y).is_some() {
        return Ok([x, y]);
    }
    let ((x0, x1), (y0, y1)) = terrain.extent();
    let expected = format!("a point on the terrain, x {x0} to {x1}, y {y0} to {y1} [m]");
    Err(point.error(&expected, &format!("[{x}, {y}]")))
}

fn read_prior_spec(
    value: Value<'_>,
    terrain: &Terrain,
    reader: Option<&mut Reader<'_>>,
) -> Result<PriorSpec, WorldError> {
    let mut table = value.table()?;
    let cell_range = Range::new(0.01, 100.0, "m");
    let cell = table.need("cell", "a number in metres")?;
    let file = table.need("file", "a text")?;
    let spec = PriorSpec {
        file: file.text()?.to_owned(),
        bytes: None,
        cell: cell.number(cell_range)?,
        scale: table.number("scale", Range::new(1e-9, 1.0, "m per grey step"))?,
        offset: table.number("offset", HEIGHT)?,
    };
    table.finish()?;
    let ((x0, x1), (y0, y1)) = terrain.extent();
    let samples = ((x1 - x0) / spec.cell + 2.0) * ((y1 - y0) / spec.cell + 2.0);
    if samples > MAX_SAMPLES as f64 {
        let expected = format!("a cell that makes at most {MAX_SAMPLES} samples of this terrain");
        return Err(cell.error(&expected, &format!("{} m", spec.cell)).into());
    }
    let bytes = reader.map(|reader| crate::fields::file(&file, reader).map(|(_, bytes)| bytes)).transpose()?;
    Ok(PriorSpec { bytes, ..spec })
}

/// `None` if nobody wants it.
fn read_prior(spec: &PriorSpec, ground: &Terrain) -> Option<Result<PriorMap, WorldError>> {
    spec.bytes.as_ref().map(|bytes| prior_map(spec, bytes, ground))
}

fn prior_map(spec: &PriorSpec, bytes: &[u8], ground: &Terrain) -> Result<PriorMap, WorldError> {
    let map = HeightMap::decode(bytes, &spec.file)?;
    let mut terrain = ground.resampled(spec.cell);
    map.expect_size(&spec.file, terrain.rows, terrain.columns)?;
    terrain.heights = map.heights(spec.scale, spec.offset);
    terrain.cell_materials.fill(0);
    Ok(PriorMap { file: spec.file.clone(), terrain })
}
