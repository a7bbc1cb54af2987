//! What a world is.

use crate::Material;
use crate::files::Source;
use crate::object::Object;
use crate::pair::Pair;
use crate::route::Route;
use crate::terrain::Terrain;

/// A place to stand in: ground, things on it, and named spots.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    /// Name, for logs and reports.
    pub name: String,
    /// Acceleration of free fall, downward [m/s²]; 9.81 if the file says nothing.
    pub gravity: f64,
    /// The ground.
    pub terrain: Terrain,
    /// Whether loose ground gives way to what presses on it, and stays so: wheels leave ruts.
    pub deformable: bool,
    /// Fixed and movable things, in file order.
    pub objects: Vec<Object>,
    /// Materials in use: the terrain's first, then in order of mention.
    pub materials: Vec<Material>,
    /// What two materials do on each other, where it does not follow from each alone.
    pub pairs: Vec<Pair>,
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

/// A coarse map of the ground, as a survey from above gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct PriorMap {
    /// Name of the PNG.
    pub file: String,
    /// Its heights on its own grid; its cells' materials are unknown and all 0.
    pub terrain: Terrain,
}

impl World {
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
}
