//! Shapes for the `/scene` topic: robot primitives, once, and the terrain.

use foxglove::messages as fg;
use nalgebra::{Isometry3, Point3, Vector3};
use robot_io::Time;

use crate::show::{pose, timestamp, vector};

/// Shapes that move with one frame.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneEntity {
    /// Unique name; a later entity of the same name replaces this one.
    pub id: String,
    /// The frame of `/tf` with which it moves.
    pub frame: String,
    /// The shapes.
    pub shapes: Vec<SceneShape>,
}

/// One shape.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneShape {
    /// Where it is in the entity's frame.
    pub shape_in_frame: Isometry3<f64>,
    /// What it is.
    pub geometry: SceneGeometry,
    /// Red, green, blue and opacity, 0 to 1.
    pub color: [f64; 4],
}

/// What a shape is; lengths in [m].
#[derive(Clone, Debug, PartialEq)]
pub enum SceneGeometry {
    /// A box with these edges.
    Box {
        /// The edges' lengths [m].
        size: Vector3<f64>,
    },
    /// A ball.
    Sphere {
        /// Its radius [m].
        radius: f64,
    },
    /// A cylinder along z.
    Cylinder {
        /// Its radius [m].
        radius: f64,
        /// Its length [m].
        length: f64,
    },
    /// Triangles.
    Mesh {
        /// The corners [m].
        points: Vec<Point3<f64>>,
        /// Three corners a triangle.
        triangles: Vec<[u32; 3]>,
    },
}

pub(crate) fn update(time: Time, entities: &[SceneEntity]) -> fg::SceneUpdate {
    fg::SceneUpdate { deletions: Vec::new(), entities: entities.iter().map(|entity| translate(time, entity)).collect() }
}

fn translate(time: Time, entity: &SceneEntity) -> fg::SceneEntity {
    let mut out = fg::SceneEntity {
        timestamp: Some(timestamp(time)),
        frame_id: entity.frame.clone(),
        id: entity.id.clone(),
        frame_locked: true,
        ..fg::SceneEntity::default()
    };
    for shape in &entity.shapes {
        let (place, color) = (Some(pose(&shape.shape_in_frame)), Some(color(shape.color)));
        match &shape.geometry {
            SceneGeometry::Box { size } => {
                out.cubes.push(fg::CubePrimitive { pose: place, size: Some(vector(size)), color });
            }
            SceneGeometry::Sphere { radius } => {
                let size = Some(vector(&Vector3::repeat(2.0 * radius)));
                out.spheres.push(fg::SpherePrimitive { pose: place, size, color });
            }
            SceneGeometry::Cylinder { radius, length } => {
                let size = Some(vector(&Vector3::new(2.0 * radius, 2.0 * radius, *length)));
                let (bottom_scale, top_scale) = (1.0, 1.0);
                out.cylinders.push(fg::CylinderPrimitive { pose: place, size, bottom_scale, top_scale, color });
            }
            SceneGeometry::Mesh { points, triangles } => out.triangles.push(fg::TriangleListPrimitive {
                pose: place,
                points: points.iter().map(|point| fg::Point3 { x: point.x, y: point.y, z: point.z }).collect(),
                color,
                colors: Vec::new(),
                indices: triangles.iter().flatten().copied().collect(),
            }),
        }
    }
    out
}

fn color([r, g, b, a]: [f64; 4]) -> fg::Color {
    fg::Color { r, g, b, a }
}
