//! Robot and terrain as shapes that Foxglove can draw.

use nalgebra::{Isometry3, Point3, Vector3};
use replay::{SceneEntity, SceneGeometry, SceneShape};
use robot_model::Shape;
use worlds::{Terrain, World};

use crate::Stage;

/// The terrain is drawn no finer than this [m].
const FINEST_CELL: f64 = 0.2;

/// One entity per link that can be seen, one for the terrain, one per object.
pub fn entities(stage: &Stage) -> Vec<SceneEntity> {
    let robots = std::iter::once(stage).chain(&stage.others);
    let links = robots.flat_map(|stage| &stage.robot.tree.links).zip(stage.link_names());
    let seen = links.filter(|(link, _)| !link.visuals.is_empty());
    let mut entities: Vec<SceneEntity> = seen
        .map(|(link, frame)| SceneEntity {
            id: frame.clone(),
            frame,
            shapes: link.visuals.iter().filter_map(link_shape).collect(),
        })
        .collect();
    entities.push(ground(&stage.world));
    entities.extend(stage.world.objects.iter().map(object));
    entities
}

/// Mesh files stay out: a log carries no meshes.
fn link_shape(visual: &robot_model::Geometry) -> Option<SceneShape> {
    let geometry = match &visual.shape {
        Shape::Box { size } => SceneGeometry::Box { size: *size },
        Shape::Cylinder { radius, length } | Shape::Capsule { radius, length } => {
            SceneGeometry::Cylinder { radius: *radius, length: *length }
        }
        Shape::Sphere { radius } => SceneGeometry::Sphere { radius: *radius },
        Shape::Mesh { .. } => return None,
    };
    let color = visual.color.unwrap_or([0.6, 0.6, 0.6, 1.0]).map(f64::from);
    Some(SceneShape { shape_in_frame: visual.pose_in_link, geometry, color })
}

fn ground(world: &World) -> SceneEntity {
    let terrain = world.terrain.resampled(world.terrain.cell.max(FINEST_CELL));
    let geometry = SceneGeometry::Mesh { points: points(&terrain), triangles: triangles(&terrain) };
    let shape_in_frame = Isometry3::identity();
    let shapes = vec![SceneShape { shape_in_frame, geometry, color: [0.55, 0.5, 0.42, 1.0] }];
    SceneEntity { id: "terrain".to_owned(), frame: "world".to_owned(), shapes }
}

fn points(terrain: &Terrain) -> Vec<Point3<f64>> {
    let cells = (0..terrain.rows).flat_map(|row| (0..terrain.columns).map(move |column| (row, column)));
    let place = |(row, column): (usize, usize)| {
        let (x, y) = (terrain.origin_x + column as f64 * terrain.cell, terrain.origin_y + row as f64 * terrain.cell);
        Point3::new(x, y, terrain.height(row, column))
    };
    cells.map(place).collect()
}

fn triangles(terrain: &Terrain) -> Vec<[u32; 3]> {
    let columns = terrain.columns as u32;
    let cells = (0..terrain.rows.saturating_sub(1) as u32)
        .flat_map(move |row| (0..columns.saturating_sub(1)).map(move |column| row * columns + column));
    cells.flat_map(|a| [[a, a + 1, a + columns + 1], [a, a + columns + 1, a + columns]]).collect()
}

fn object(object: &worlds::Object) -> SceneEntity {
    let geometry = match &object.shape {
        worlds::Shape::Box { half_extents } => SceneGeometry::Box { size: Vector3::from(*half_extents) * 2.0 },
        worlds::Shape::Cylinder { radius, half_height } => {
            SceneGeometry::Cylinder { radius: *radius, length: 2.0 * half_height }
        }
        worlds::Shape::Mesh { vertices, triangles } => {
            let points = vertices.iter().map(|vertex| Point3::from(*vertex)).collect();
            SceneGeometry::Mesh { points, triangles: triangles.clone() }
        }
    };
    let [red, green, blue] = object.color.map(f64::from);
    let (shape_in_frame, frame) = match moves(object) {
        true => (Isometry3::identity(), object_frame(object)),
        false => (object.pose_in_world, "world".to_owned()),
    };
    let shapes = vec![SceneShape { shape_in_frame, geometry, color: [red, green, blue, 1.0] }];
    SceneEntity { id: object.name.clone(), frame, shapes }
}

/// True of what can be pushed and of what moves by itself: it has a frame of its own.
pub fn moves(object: &worlds::Object) -> bool {
    object.mass.is_some() || object.motion.is_some()
}

/// The name of an object's frame in `/tf`.
pub fn object_frame(object: &worlds::Object) -> String {
    format!("object/{}", object.name)
}
