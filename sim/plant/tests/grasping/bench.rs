//! A robot before a table.

use std::path::Path;

use manipulation::{Object, Solid};
use nalgebra::{Isometry3, Vector3};
use plant::{Setup, Simulation};
use robot_io::RandomStream;
use robot_model::RobotModel;
use worlds::World;

use super::things::Thing;
use crate::support::active;

/// A robot, and the table at which it stands.
pub struct Bench {
    pub robot: RobotModel,
    /// In which pose it begins, with its left hand free.
    pub pose: &'static str,
    /// How high the table is [m]: a slab that floats, so that legs have room.
    top: f64,
    /// Where things may stand, along x and y [m].
    area: [[f64; 2]; 2],
}

/// The slab [m], and how far beyond its near edge things may stand.
const SLAB: [f64; 3] = [0.4, 0.9, 0.04];
const EDGE: f64 = 0.06;

/// The centaur on its wheels.
pub fn centaur() -> Bench {
    Bench { robot: crate::support::centaur(), pose: "arms_forward", top: 0.72, area: [[0.48, 0.58], [0.12, 0.32]] }
}

impl Bench {
    fn table_at(&self) -> [f64; 3] {
        [self.area[0][0] - EDGE + 0.5 * SLAB[0], 0.1, self.top - 0.5 * SLAB[2]]
    }

    /// The table, for collision checks.
    pub fn table(&self) -> Object {
        let [x, y, z] = self.table_at();
        Object::obstacle("table", Solid::Box { size: Vector3::from(SLAB) }, Isometry3::translation(x, y, z))
    }

    /// The simulation with a thing at a place and turned as the seed has it, and which of the world's objects it is.
    pub fn simulation(&self, thing: &Thing, seed: u64) -> (Simulation, usize) {
        let draw = RandomStream::new(seed, "where the thing is");
        let within = |[low, high]: [f64; 2], index: u32| low + (high - low) * draw.uniform(0, index);
        let (x, y, yaw) = (within(self.area[0], 0), within(self.area[1], 1), within([0.0, 360.0], 2));
        let text = format!(
            "name = \"t\"\n[terrain]\ncell = 0.1\nsize = [6.0, 6.0]\nmaterial = \"concrete\"\n\
             [[material]]\nname = \"wood\"\nfriction = 0.45\nrestitution = 0.1\nrolling_resistance = 0.02\ncolor = [0.7, 0.5, 0.4]\n\
             [[object]]\nname = \"table\"\nbox = {{ size = {SLAB:?} }}\nposition = {:?}\nmaterial = \"wood\"\n\
             [[prop]]\nname = \"thing\"\nfile = \"../assets/props/{}.toml\"\nposition = [{x}, {y}, {}]\n\
             rpy_deg = [{}, 0.0, {yaw}]\n",
            self.table_at(),
            thing.prop,
            self.top + thing.over + 2e-4,
            thing.roll,
        );
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../worlds");
        let world = World::from_str(&text, "t.toml", &folder).unwrap();
        let object = world.objects.iter().position(|object| object.name == "thing").unwrap();
        let setup = Setup { pose: self.pose.to_owned(), seed, ..Setup::default() };
        (active(&world, &self.robot, &setup), object)
    }
}
