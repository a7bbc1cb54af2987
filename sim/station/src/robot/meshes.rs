//! Triangles for the shapes of a URDF. A mesh file that is not there is shown as the link's collision shapes.

use bevy::math::Vec3;
use robot_model::{Geometry, MeshFinder, Shape};
use worlds::TriangleMesh;

use crate::convert::vec3;
use crate::mesh_data::MeshData;
use crate::shapes;

/// Edges are rounded by this much at most [m].
const ROUND: f32 = 0.008;
/// Finds and reads mesh files.
pub(super) struct MeshLibrary(MeshFinder);

impl Default for MeshLibrary {
    fn default() -> Self {
        MeshLibrary(MeshFinder::new(None))
    }
}

impl MeshLibrary {
    /// Those of the visuals that can be drawn with their triangles; if a mesh file is missing, the collision shapes.
    pub(super) fn drawable<'g>(
        &self,
        visuals: &'g [Geometry],
        collisions: &'g [Geometry],
    ) -> Vec<(&'g Geometry, MeshData)> {
        let all = |geometries: &'g [Geometry]| -> Option<Vec<_>> {
            geometries.iter().map(|geometry| Some((geometry, self.mesh(&geometry.shape)?))).collect()
        };
        let some = |geometries: &'g [Geometry]| -> Vec<_> {
            geometries.iter().filter_map(|geometry| Some((geometry, self.mesh(&geometry.shape)?))).collect()
        };
        all(visuals).unwrap_or_else(|| if collisions.is_empty() { some(visuals) } else { some(collisions) })
    }

    fn mesh(&self, shape: &Shape) -> Option<MeshData> {
        Some(match shape {
            Shape::Box { size } => shapes::rounded_box(0.5 * vec3(size), ROUND),
            Shape::Cylinder { radius, length } => shapes::cylinder(*radius as f32, *length as f32, ROUND),
            Shape::Capsule { radius, length } => shapes::capsule(*radius as f32, *length as f32),
            Shape::Sphere { radius } => shapes::sphere(*radius as f32),
            Shape::Mesh { uri, scale } => {
                let file = self.read(uri)?;
                let vertices: Vec<Vec3> = file.vertices.iter().map(|v| Vec3::from(v.map(|c| c as f32))).collect();
                shapes::facets(&vertices, &file.triangles, vec3(scale))
            }
        })
    }

    fn read(&self, uri: &str) -> Option<TriangleMesh> {
        TriangleMesh::decode(&self.0.read(uri).ok()?, uri).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Isometry3, Vector3};

    fn geometry(shape: Shape) -> Geometry {
        Geometry { shape, pose_in_link: Isometry3::identity(), color: None }
    }

    #[test]
    fn a_missing_mesh_is_shown_as_its_collision_shape() {
        let mesh = Shape::Mesh { uri: "package://nowhere/arm.stl".to_owned(), scale: Vector3::repeat(1.0) };
        let (visuals, collisions) = ([geometry(mesh)], [geometry(Shape::Sphere { radius: 0.1 })]);
        let library = MeshLibrary(MeshFinder::default());
        let shown = library.drawable(&visuals, &collisions);
        assert_eq!(shown.len(), 1);
        assert_eq!(shown[0].0.shape, Shape::Sphere { radius: 0.1 });
        assert!(library.drawable(&visuals, &[]).is_empty());
    }
}
