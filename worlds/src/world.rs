//! What a world is.

use std::path::Path;

use image::RgbImage;
use nalgebra::Isometry3;

use crate::files::{Files, Reader, Source, read_file};
use crate::read::{Prior, assemble};
use crate::terrain::Terrain;
use crate::variety::with_seed;
use crate::{Material, Motion, WorldError};

/// Most height samples in a grid or an image.
pub const MAX_SAMPLES: usize = 4_000_000;

/// A place to stand in: ground, things on it, and named spots.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    /// Name, for logs and reports.
    pub name: String,
    /// Acceleration of free fall, downward [m/s²]; 9.81 if the file says nothing.
    pub gravity: f64,
    /// The ground.
    pub terrain: Terrain,
    /// Fixed and movable things, in file order.
    pub objects: Vec<Object>,
    /// Materials in use: the terrain's first, then in order of mention.
    pub materials: Vec<Material>,
    /// Named start places, in file order.
    pub spawns: Vec<Spawn>,
    /// Named ways over the ground, in file order.
    pub routes: Vec<Route>,
    /// What the robot may know of the ground before it starts.
    pub prior: Option<PriorMap>,
    /// Every file read, the world file first: enough to make this world again.
    pub sources: Vec<Source>,
}

/// A named start place; its z is the terrain's.
#[derive(Debug, Clone, PartialEq)]
pub struct Spawn {
    /// Name, unique in its world.
    pub name: String,
    /// World x [m].
    pub x: f64,
    /// World y [m].
    pub y: f64,
    /// Heading, counter-clockwise from +x [rad].
    pub yaw: f64,
}

/// A named way over the ground. Layers can spare it (`except = [{ route = … }]`), scenarios can drive along it.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// Name, unique in its world.
    pub name: String,
    /// Width of its corridor [m].
    pub width: f64,
    /// Corners, world x and y [m], at least two.
    pub points: Vec<[f64; 2]>,
}

/// A coarse map of the ground, as a survey from above gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct PriorMap {
    /// Name of the PNG.
    pub file: String,
    /// Its heights on its own grid; its cells' materials are unknown and all 0.
    pub terrain: Terrain,
}

/// A thing on the ground.
#[derive(Debug, Clone, PartialEq)]
pub struct Object {
    /// Name, unique in its world.
    pub name: String,
    /// Shape in the object's own frame.
    pub shape: Shape,
    /// Pose of the object's frame in the world.
    pub pose_in_world: Isometry3<f64>,
    /// Mass [kg]; `None` is fixed to the world, or moves by itself.
    pub mass: Option<f64>,
    /// How it moves by itself, if it does.
    pub motion: Option<Motion>,
    /// Index into the world's materials.
    pub material: usize,
    /// Red, green, blue (sRGB), each 0 to 1.
    pub color: [f32; 3],
}

/// Shapes an object can have.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A box about its middle.
    Box {
        /// Half its size along x, y, z [m].
        half_extents: [f64; 3],
    },
    /// A cylinder about its middle, its axis along local Z.
    Cylinder {
        /// Radius [m].
        radius: f64,
        /// Half its height [m].
        half_height: f64,
    },
    /// A triangle mesh.
    Mesh {
        /// Corners [m].
        vertices: Vec<[f64; 3]>,
        /// Corner numbers, counter-clockwise seen from outside.
        triangles: Vec<[u32; 3]>,
    },
}

impl World {
    /// Reads a world file and the files it names, which lie relative to its folder. A seed that is the run's is zero.
    pub fn load(path: &Path) -> Result<Self, WorldError> {
        Self::load_for_run(path, 0)
    }

    /// Reads a world file for a run with `seed`, which is the world's as well if the file says `seed = "run"`. The sources kept
    /// have the number in its place.
    pub fn load_for_run(path: &Path, seed: u64) -> Result<Self, WorldError> {
        let bytes = read_file(path)?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let name =
            path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
        let text = with_seed(utf8(&bytes, &path.display().to_string())?, seed);
        Self::from_named(&text, &name, &path.display().to_string(), Files::Folder(folder.to_owned()))
    }

    /// Makes a world from the text of a world file; `name` names it in errors, files it names lie in `base_dir`.
    pub fn from_str(text: &str, name: &str, base_dir: &Path) -> Result<Self, WorldError> {
        Self::from_named(text, name, name, Files::Folder(base_dir.to_owned()))
    }

    /// Makes the world again from the sources that [`World::sources`] kept, such as those embedded in a log.
    pub fn from_sources(sources: &[Source]) -> Result<Self, WorldError> {
        let reason = "there are no sources at all".to_owned();
        let first = sources.first().ok_or(WorldError::Read { file: "(world file)".to_owned(), reason })?;
        let text = utf8(&first.bytes, &first.name)?;
        Self::from_named(text, &first.name, &first.name, Files::Kept(sources))
    }

    fn from_named(text: &str, name: &str, shown: &str, files: Files<'_>) -> Result<Self, WorldError> {
        let source = Source { name: name.to_owned(), bytes: text.as_bytes().to_vec() };
        let mut reader = Reader { files, sources: vec![source] };
        let (mut world, _) = assemble(text, shown, &mut reader, Prior::Read)?;
        world.sources = reader.sources;
        Ok(world)
    }

    /// The start place of that name.
    pub fn spawn(&self, name: &str) -> Option<&Spawn> {
        self.spawns.iter().find(|spawn| spawn.name == name)
    }

    /// The route of that name.
    pub fn route(&self, name: &str) -> Option<&Route> {
        self.routes.iter().find(|route| route.name == name)
    }

    /// The coarse height map that the robot may know beforehand, if the world has one.
    pub fn prior_map(&self) -> Option<&Terrain> {
        self.prior.as_ref().map(|prior| &prior.terrain)
    }

    /// The material under (x, y); `None` outside the terrain.
    pub fn material_at(&self, x: f64, y: f64) -> Option<&Material> {
        self.materials.get(self.terrain.material_at(x, y)?)
    }

    /// A hill-shaded map seen from above, coloured by material, north (+y) up, with the objects' outlines. The scale
    /// is reduced where the picture would be larger than 16 million pixels.
    pub fn top_view(&self, pixels_per_metre: f64) -> RgbImage {
        crate::view::top_view(self, pixels_per_metre)
    }
}

impl Route {
    /// Length of the way [m].
    pub fn length(&self) -> f64 {
        self.points.windows(2).map(|leg| libm::hypot(leg[1][0] - leg[0][0], leg[1][1] - leg[0][1])).sum()
    }

    /// Distance of (x, y) from the way's middle line [m].
    pub fn distance(&self, x: f64, y: f64) -> f64 {
        let legs = self.points.windows(2).map(|leg| segment_distance([x, y], leg[0], leg[1]));
        legs.fold(f64::INFINITY, f64::min)
    }
}

/// Distance of a point from a line segment [m].
pub(crate) fn segment_distance(point: [f64; 2], from: [f64; 2], to: [f64; 2]) -> f64 {
    let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
    let (px, py) = (point[0] - from[0], point[1] - from[1]);
    let length_squared = dx * dx + dy * dy;
    let t = if length_squared > 0.0 { ((px * dx + py * dy) / length_squared).clamp(0.0, 1.0) } else { 0.0 };
    libm::hypot(px - t * dx, py - t * dy)
}

pub(crate) fn utf8<'b>(bytes: &'b [u8], file: &str) -> Result<&'b str, WorldError> {
    std::str::from_utf8(bytes).map_err(|error| WorldError::Syntax {
        file: file.to_owned(),
        line: 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count(),
        message: "expected UTF-8 text, found bytes that are not UTF-8".to_owned(),
    })
}
