//! The `[[object]]` tables: boxes, cylinders and meshes, placed freely or set down on the ground.

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion};

use crate::fields::{COORDINATE, DIRECTION, LENGTH, color};
use crate::files::Reader;
use crate::joint::{self, ObjectJoint};
use crate::layers::Site;
use crate::material::material_index;
use crate::motion;
use crate::triangles::{MOST_TRIANGLES, TriangleMesh};
use page::{Fault, Fields, Range, Value};

use crate::terrain::Terrain;
use crate::{Object, Shape, WorldError};

/// Gap left under an object that is set down, so that it does not start inside the ground [m].
const CLEARANCE: f64 = 0.001;

/// In which frame objects are placed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Frame {
    World,
    /// Of a [prop](crate::prop), whose objects neither lie on the ground nor move by themselves.
    Prop,
}

/// Reads all objects.
pub(crate) fn read(fields: &mut Fields<'_>, site: &mut Site<'_, '_>, frame: Frame) -> Result<Vec<Object>, WorldError> {
    let mut taken = Vec::new();
    let mut objects: Vec<Object> = Vec::new();
    for mut table in fields.tables("object")? {
        let name = table.unique_name(&mut taken)?;
        let Thing { shape, material, mass, color } = Thing::read(&mut table, site)?;
        let (pose_in_world, motion) = match frame {
            Frame::Prop => (read_pose_in_prop(&mut table)?, None),
            Frame::World => (read_pose(&mut table, &outline(&shape), site)?, table.get("motion")),
        };
        if let Some(motion) = motion.as_ref().filter(|_| mass.is_some()) {
            return Err(motion.error("no mass beside a motion: what moves by itself is not pushed", "both").into());
        }
        let motion = motion.map(|motion| motion::read(motion.table()?)).transpose()?;
        let joint = read_joint(&mut table, mass, &objects)?;
        table.finish()?;
        objects.push(Object { name, shape, pose_in_world, mass, motion, joint, material, color });
    }
    Ok(objects)
}

/// What an object hangs on.
fn read_joint(table: &mut Fields<'_>, mass: Option<f64>, before: &[Object]) -> Result<Option<ObjectJoint>, Fault> {
    let (hinge, slide) = (table.get("hinge"), table.get("slide"));
    let (value, slides) = match (hinge, slide) {
        (None, None) => return Ok(None),
        (Some(hinge), None) => (hinge, false),
        (None, Some(slide)) => (slide, true),
        (Some(_), Some(slide)) => return Err(slide.error("one joint, hinge or slide", "both")),
    };
    if mass.is_none() {
        return Err(value.error("a mass beside a joint: what has none is fixed to the world", "none"));
    }
    let carried = |value: &Value<'_>, index: usize| match &before[index].motion {
        Some(_) => {
            Err(value.error("on = an object that does not move by itself", &format!("\"{}\"", before[index].name)))
        }
        None => Ok(()),
    };
    let names: Vec<&str> = before.iter().map(|object| object.name.as_str()).collect();
    let joint = joint::read(value, slides, &names, carried)?;
    Ok(Some(joint))
}

/// An object without its name and place.
pub(crate) struct Thing {
    pub(crate) shape: Shape,
    pub(crate) material: usize,
    pub(crate) mass: Option<f64>,
    pub(crate) color: [f32; 3],
}

impl Thing {
    /// Reads shape, material, mass and colour.
    pub(crate) fn read(table: &mut Fields<'_>, site: &mut Site<'_, '_>) -> Result<Thing, WorldError> {
        let shape = read_shape(table, site.reader)?;
        let material = material_index(&table.need("material", "the name of a material")?, site.materials)?;
        let mass = table.optional("mass", Range::new(1e-6, 1e6, "kg"))?;
        let color = color(table)?.unwrap_or(site.materials[material].color);
        Ok(Thing { shape, material, mass, color })
    }
}

fn read_shape(table: &mut Fields<'_>, reader: &mut Reader<'_>) -> Result<Shape, WorldError> {
    let (cuboid, cylinder, mesh) = (table.get("box"), table.get("cylinder"), table.get("mesh"));
    match (cuboid, cylinder, mesh) {
        (Some(value), None, None) => {
            let mut fields = value.table()?;
            let size: [f64; 3] = fields.vector("size", LENGTH)?;
            fields.finish()?;
            Ok(Shape::Box { half_extents: size.map(|length| 0.5 * length) })
        }
        (None, Some(value), None) => {
            let mut fields = value.table()?;
            let radius = fields.number("radius", LENGTH)?;
            let half_height = 0.5 * fields.number("height", LENGTH)?;
            fields.finish()?;
            Ok(Shape::Cylinder { radius, half_height })
        }
        (None, None, Some(value)) => read_mesh(value.table()?, reader),
        (cuboid, cylinder, mesh) => {
            let found = [cuboid.is_some(), cylinder.is_some(), mesh.is_some()].iter().filter(|&&there| there).count();
            Err(table.error("exactly one of box, cylinder, mesh", &format!("{found} of them")).into())
        }
    }
}

/// A mesh from a file, or written out in the table.
fn read_mesh(mut fields: Fields<'_>, reader: &mut Reader<'_>) -> Result<Shape, WorldError> {
    let scale = fields.number_or("scale", Range::new(1e-6, 1e6, "1"), 1.0)?;
    let mesh = match fields.get("file") {
        Some(file) => {
            let (name, bytes) = crate::fields::file(&file, reader)?;
            TriangleMesh::decode(&bytes, name)?
        }
        None => inline_mesh(&mut fields)?,
    };
    fields.finish()?;
    let vertices = mesh.vertices.iter().map(|vertex| vertex.map(|c| c * scale)).collect();
    Ok(Shape::Mesh { vertices, triangles: mesh.triangles })
}

fn inline_mesh(fields: &mut Fields<'_>) -> Result<TriangleMesh, Fault> {
    let corners = fields.need("vertices", "a list of [x, y, z], or `file`")?.list("a list of [x, y, z]")?;
    let vertices = corners.iter().map(|corner| corner.vector(COORDINATE)).collect::<Result<Vec<_>, _>>()?;
    let list = fields.need("triangles", "a list of three vertex numbers each")?;
    let triangles = list.list("a list of three vertex numbers each")?;
    if triangles.is_empty() || triangles.len() > MOST_TRIANGLES {
        return Err(list.error(&format!("1 to {MOST_TRIANGLES} triangles"), &format!("{}", triangles.len())));
    }
    let read = |triangle: &Value<'_>| -> Result<[u32; 3], Fault> {
        let corners = triangle.list("three vertex numbers")?;
        let [a, b, c] = corners.as_slice() else {
            return Err(triangle.error("three vertex numbers", &format!("{} of them", corners.len())));
        };
        let number = |value: &Value<'_>| value.whole(0..=vertices.len().saturating_sub(1) as u64).map(|n| n as u32);
        Ok([number(a)?, number(b)?, number(c)?])
    };
    let triangles = triangles.iter().map(read).collect::<Result<_, _>>()?;
    Ok(TriangleMesh { vertices, triangles })
}

fn read_rotation(table: &mut Fields<'_>) -> Result<UnitQuaternion<f64>, Fault> {
    let rpy = table.get("rpy_deg").map_or(Ok([0.0; 3]), |value| value.vector::<3>(DIRECTION))?;
    let [roll, pitch, yaw] = rpy.map(f64::to_radians);
    Ok(UnitQuaternion::from_euler_angles(roll, pitch, yaw))
}

/// `position = [x, y, z]` in the prop's frame.
fn read_pose_in_prop(table: &mut Fields<'_>) -> Result<Isometry3<f64>, Fault> {
    let rotation = read_rotation(table)?;
    let [x, y, z] = table.vector("position", COORDINATE)?;
    Ok(Isometry3::from_parts(Translation3::new(x, y, z), rotation))
}

/// `position = [x, y, z]` as it is, or `place = [x, y]` set down on the highest ground under what lies within these corners.
pub(crate) fn read_pose(
    table: &mut Fields<'_>,
    corners: &[[f64; 3]],
    site: &Site<'_, '_>,
) -> Result<Isometry3<f64>, Fault> {
    let rotation = read_rotation(table)?;
    let [dx, dy] = site.shifts.of(table)?;
    let [x, y, z] = match (table.get("position"), table.get("place")) {
        (Some(position), None) => {
            let [x, y, z] = position.vector(COORDINATE)?;
            [x + dx, y + dy, z]
        }
        (None, Some(place)) => {
            let [x, y] = place.vector(COORDINATE)?;
            let (x, y) = (x + dx, y + dy);
            let outside = || place.error("a place on the terrain", &format!("[{x}, {y}]"));
            [x, y, rest_height(corners, &rotation, x, y, site.terrain).ok_or_else(outside)?]
        }
        (position, _) => {
            let found = if position.is_some() { "both" } else { "neither" };
            return Err(table.error("either position = [x, y, z] or place = [x, y]", found));
        }
    };
    Ok(Isometry3::from_parts(Translation3::new(x, y, z), rotation))
}

/// The z at which the lowest of an outline's corners is just above the highest ground under them.
pub(crate) fn rest_height(
    corners: &[[f64; 3]],
    rotation: &UnitQuaternion<f64>,
    x: f64,
    y: f64,
    terrain: &Terrain,
) -> Option<f64> {
    let corners: Vec<_> = corners.iter().map(|corner| rotation * Point3::from(*corner)).collect();
    let lowest = corners.iter().map(|corner| corner.z).fold(f64::INFINITY, f64::min);
    let reach = corners.iter().map(|corner| libm::hypot(corner.x, corner.y)).fold(0.0, f64::max);
    let steps = libm::ceil(reach / terrain.cell).min(64.0) as i32;
    let mut highest = terrain.height_at(x, y)?;
    for i in -steps..=steps {
        for j in -steps..=steps {
            let (dx, dy) = (reach * f64::from(i) / f64::from(steps), reach * f64::from(j) / f64::from(steps));
            highest = highest.max(terrain.height_at(x + dx, y + dy).unwrap_or(highest));
        }
    }
    Some(highest - lowest + CLEARANCE)
}

/// Points whose hull holds the shape.
pub(crate) fn outline(shape: &Shape) -> Vec<[f64; 3]> {
    let corners = |x: f64, y: f64, z: f64| {
        let sign = |bit: usize, i: usize| if i & bit == 0 { -1.0 } else { 1.0 };
        (0..8).map(|i| [x * sign(1, i), y * sign(2, i), z * sign(4, i)]).collect()
    };
    match shape {
        Shape::Box { half_extents: [x, y, z] } => corners(*x, *y, *z),
        Shape::Cylinder { radius, half_height } => corners(*radius, *radius, *half_height),
        Shape::Mesh { vertices, .. } => vertices.clone(),
    }
}
