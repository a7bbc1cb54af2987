//! Things on the ground.

use nalgebra::Isometry3;

use crate::joint::ObjectJoint;
use crate::motion::Motion;
use crate::terrain::Terrain;

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
    /// What it hangs on, if it does not lie free; only with a mass.
    pub joint: Option<ObjectJoint>,
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

impl Object {
    /// Where it is after `time` [s], if it moves by itself; else where it began.
    pub fn pose_at(&self, time: f64, terrain: &Terrain) -> Isometry3<f64> {
        let Some(motion) = &self.motion else { return self.pose_in_world };
        let mut pose = self.pose_in_world;
        let start = [pose.translation.x, pose.translation.y];
        let ground = |[x, y]: [f64; 2]| terrain.height_at(x, y);
        let place = motion.place_at(start, time);
        if let (Some(here), Some(there)) = (ground(start), ground(place)) {
            pose.translation.z += there - here;
        }
        (pose.translation.x, pose.translation.y) = (place[0], place[1]);
        pose
    }
}
