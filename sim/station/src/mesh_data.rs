//! Triangles, before they become a mesh of Bevy's.

use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, Mesh, PrimitiveTopology};
use bevy::prelude::Vec3;

/// Triangles before they become a mesh of Bevy's, so that one can look at them without a graphics adapter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshData {
    /// Corners [m].
    pub positions: Vec<[f32; 3]>,
    /// Unit normals.
    pub normals: Vec<[f32; 3]>,
    /// Linear red, green, blue, opacity; empty where the material has it.
    pub colors: Vec<[f32; 4]>,
    /// Texture coordinates; empty where there is no texture.
    pub uvs: Vec<[f32; 2]>,
    /// Corner numbers, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl MeshData {
    /// The mesh for Bevy.
    pub fn into_mesh(self) -> Mesh {
        let mut mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD);
        mesh.insert_attribute(Mesh::ATTRIBUTE_POSITION, self.positions);
        mesh.insert_attribute(Mesh::ATTRIBUTE_NORMAL, self.normals);
        if !self.colors.is_empty() {
            mesh.insert_attribute(Mesh::ATTRIBUTE_COLOR, self.colors);
        }
        if !self.uvs.is_empty() {
            mesh.insert_attribute(Mesh::ATTRIBUTE_UV_0, self.uvs);
        }
        mesh.insert_indices(Indices::U32(self.triangles.into_iter().flatten().collect()));
        mesh
    }

    /// Adds a corner and returns its number.
    pub(crate) fn corner(&mut self, position: Vec3, normal: Vec3) -> u32 {
        self.positions.push(position.to_array());
        self.normals.push(normal.to_array());
        self.positions.len() as u32 - 1
    }
}
