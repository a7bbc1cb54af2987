//! Shapes of robots and worlds as shapes of the physics.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use parry3d::shape::{HeightField, HeightFieldFlags, SharedShape, TriMeshFlags};
use parry3d::utils::Array2;
use robot_model::{Geometry, Inertia, Source};
use worlds::{Object, Terrain, TriangleMesh};

use crate::convert::{matrix64, vector, vector64};
use crate::error::PlantError;
use crate::hulls;

/// A wheel's edge is rounded by this share of half its width, so that it rolls over edges of triangles instead of
/// catching on them.
const ROUNDING: f64 = 0.25;

/// How long a mesh may be [m].
const LENGTHS: core::ops::RangeInclusive<f64> = 1e-4..=20.0;
/// No link has a density below this [kg/m³].
const LIGHTEST: f64 = 30.0;

/// A shape and its place in the frame of whatever carries it.
pub(crate) struct Placed {
    pub shape: SharedShape,
    pub pose: Isometry3<f64>,
}

/// The shape of a link's collision geometry; `None` for a mesh, see [`of_mesh`].
pub(crate) fn of_link(geometry: &Geometry, is_wheel: bool) -> Option<Placed> {
    use robot_model::Shape;
    let at = geometry.pose_in_link;
    match &geometry.shape {
        Shape::Box { size } => {
            let half = size * 0.5;
            Some(Placed { shape: SharedShape::cuboid(half.x as f32, half.y as f32, half.z as f32), pose: at })
        }
        Shape::Cylinder { radius, length } if is_wheel => {
            Some(Placed { shape: wheel(*radius, *length), pose: at * z_up() })
        }
        Shape::Cylinder { radius, length } => {
            Some(Placed { shape: SharedShape::cylinder((0.5 * length) as f32, *radius as f32), pose: at * z_up() })
        }
        Shape::Capsule { radius, length } => {
            Some(Placed { shape: SharedShape::capsule_z((0.5 * length) as f32, *radius as f32), pose: at })
        }
        Shape::Sphere { radius } => Some(Placed { shape: SharedShape::ball(*radius as f32), pose: at }),
        Shape::Mesh { .. } => None,
    }
}

/// The convex parts of a link's mesh.
pub(crate) fn of_mesh(link: &str, mesh: &Source, scale: &Vector3<f64>) -> Result<Arc<Vec<SharedShape>>, PlantError> {
    let refuse = |expected: &'static str, found: String| PlantError::Shape {
        what: "mesh of link",
        name: link.to_owned(),
        expected,
        found: format!("{}: {found}", mesh.name),
    };
    let triangles = TriangleMesh::decode(&mesh.bytes, &mesh.name)
        .map_err(|error| refuse("a mesh that can be read", error.to_string()))?;
    let extent = |axis: usize| {
        let along = triangles.vertices.iter().map(|vertex| vertex[axis] * scale[axis]);
        along.clone().fold(f64::NEG_INFINITY, f64::max) - along.fold(f64::INFINITY, f64::min)
    };
    let longest = (0..3).map(extent).fold(0.0, f64::max);
    if !LENGTHS.contains(&longest) {
        return Err(refuse("a length of 0.1 mm to 20 m (is its scale right?)", format!("{longest} m")));
    }
    Ok(hulls::of_mesh(&triangles, scale))
}

/// The box that stands in for a mesh whose file is not there. An inertia that no thing has makes none: a finger would be metres large.
pub(crate) fn equivalent_box(inertia: &Inertia) -> Option<Placed> {
    let edges = inertia.equivalent_box()?;
    if inertia.mass < LIGHTEST * edges.iter().product::<f64>() {
        return None;
    }
    let half = edges.map(|edge| (0.5 * edge).max(2e-3));
    let pose = Isometry3::from_parts(Translation3::from(inertia.com_in_link), UnitQuaternion::identity());
    Some(Placed { shape: SharedShape::cuboid(half.x as f32, half.y as f32, half.z as f32), pose })
}

/// The shapes of an object: one, or the convex parts of a mesh that can be moved.
pub(crate) fn of_object(object: &Object) -> Result<Vec<Placed>, PlantError> {
    use worlds::Shape;
    let identity = Isometry3::identity();
    let shape = match &object.shape {
        Shape::Box { half_extents: [x, y, z] } => SharedShape::cuboid(*x as f32, *y as f32, *z as f32),
        Shape::Cylinder { radius, half_height } => {
            return Ok(vec![Placed {
                shape: SharedShape::cylinder(*half_height as f32, *radius as f32),
                pose: z_up(),
            }]);
        }
        Shape::Mesh { vertices, triangles } if object.mass.is_some() => {
            let mesh = TriangleMesh { vertices: vertices.clone(), triangles: triangles.clone() };
            let parts = hulls::of_mesh(&mesh, &Vector3::repeat(1.0));
            return Ok(parts.iter().map(|shape| Placed { shape: shape.clone(), pose: identity }).collect());
        }
        Shape::Mesh { vertices, triangles } => {
            let corners = vertices.iter().map(|v| vector(&Vector3::from(*v))).collect();
            let refuse = |found: String| PlantError::Shape {
                what: "object",
                name: object.name.clone(),
                expected: "a mesh of proper triangles",
                found,
            };
            SharedShape::trimesh_with_flags(corners, triangles.clone(), TriMeshFlags::FIX_INTERNAL_EDGES)
                .map_err(|error| refuse(error.to_string()))?
        }
    };
    Ok(vec![Placed { shape, pose: identity }])
}

/// Mass and inertia of shapes of uniform density that weigh `mass` [kg], in the frame in which they are placed. Several are placed where that frame is.
pub(crate) fn inertia(shapes: &[Placed], mass: f64) -> Inertia {
    let of = |placed: &Placed| placed.shape.mass_properties(1.0);
    let (uniform, pose) = match shapes {
        [placed] => (of(placed), placed.pose),
        several => (several.iter().map(of).sum(), Isometry3::identity()),
    };
    let scale = mass / f64::from(uniform.mass());
    let rotation = pose.rotation.to_rotation_matrix().into_inner();
    let about_com = matrix64(&uniform.reconstruct_inertia_matrix()) * scale;
    Inertia {
        mass,
        com_in_link: (pose * Point3::from(vector64(uniform.local_com))).coords,
        rotational_at_com_in_link: rotation * about_com * rotation.transpose(),
    }
}

/// The ground as a height field. Parry's is Y-up; [`Terrain::height_field`] says how it lies.
pub(crate) fn of_terrain(terrain: &Terrain) -> Placed {
    let field = terrain.height_field();
    let heights = Array2::new(field.rows, field.columns, field.heights);
    let scale = vector(&Vector3::from(field.scale));
    let shape = SharedShape::new(HeightField::with_flags(heights, scale, HeightFieldFlags::FIX_INTERNAL_EDGES));
    Placed { shape, pose: field.pose_in_world }
}

/// A cylinder with rounded edges; its outer radius and width are as given.
fn wheel(radius: f64, width: f64) -> SharedShape {
    let border = (ROUNDING * 0.5 * width).min(0.5 * radius);
    SharedShape::round_cylinder((0.5 * width - border) as f32, (radius - border) as f32, border as f32)
}

/// URDF's cylinders stand along z, parry's along y.
fn z_up() -> Isometry3<f64> {
    Isometry3::rotation(Vector3::x() * core::f64::consts::FRAC_PI_2)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use nalgebra::Matrix3;

    #[test]
    fn a_box_is_its_own_equivalent_box() {
        let (x, y, z): (f64, f64, f64) = (0.2, 0.4, 0.6);
        let moments = Vector3::new(y * y + z * z, x * x + z * z, x * x + y * y) * (3.0 / 12.0);
        let rotational_at_com_in_link = Matrix3::from_diagonal(&moments);
        let inertia = Inertia { mass: 3.0, com_in_link: Vector3::zeros(), rotational_at_com_in_link };
        let half = equivalent_box(&inertia).unwrap().shape.as_cuboid().unwrap().half_extents;
        assert!((half.x - 0.1).abs() < 1e-6 && (half.y - 0.2).abs() < 1e-6 && (half.z - 0.3).abs() < 1e-6);
    }

    #[test]
    fn a_rounded_wheel_keeps_its_size() {
        let aabb = wheel(0.1, 0.04).compute_local_aabb();
        assert!((aabb.maxs.x - 0.1).abs() < 1e-6 && (aabb.maxs.y - 0.02).abs() < 1e-6);
    }
}
