//! Boxes, cylinders and meshes that stand about.

use bevy::prelude::*;
use worlds::{Object, Shape};

use crate::convert::{srgb, transform};
use crate::feed::{Latest, Phase};
use crate::shapes;
use crate::stage::Stage;

/// The things in the world.
pub(crate) struct ObjectsPlugin;

/// Index of an object in the world.
#[derive(Component)]
struct ObjectIndex(usize);

impl Plugin for ObjectsPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Startup, spawn_objects).add_systems(Update, move_objects.in_set(Phase::Move));
    }
}

fn spawn_objects(
    mut commands: Commands,
    stage: Res<Stage>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    for (index, object) in stage.scene.world.objects.iter().enumerate() {
        let material = StandardMaterial { base_color: srgb(object.color), perceptual_roughness: 0.8, ..default() };
        commands.spawn((
            Name::new(object.name.clone()),
            ObjectIndex(index),
            Mesh3d(meshes.add(mesh(object))),
            MeshMaterial3d(materials.add(material)),
            transform(&object.pose_in_world),
        ));
    }
}

fn mesh(object: &Object) -> Mesh {
    let data = match &object.shape {
        Shape::Box { half_extents } => shapes::rounded_box(Vec3::from(half_extents.map(|e| e as f32)), 0.01),
        Shape::Cylinder { radius, half_height } => shapes::cylinder(*radius as f32, 2.0 * *half_height as f32, 0.01),
        Shape::Mesh { vertices, triangles } => {
            let vertices: Vec<Vec3> = vertices.iter().map(|v| Vec3::from(v.map(|c| c as f32))).collect();
            shapes::facets(&vertices, triangles, Vec3::ONE)
        }
    };
    data.into_mesh()
}

fn move_objects(latest: Res<Latest>, mut objects: Query<(&ObjectIndex, &mut Transform)>) {
    let Some(shown) = latest.news() else { return };
    for (index, mut place) in &mut objects {
        if let Some(pose) = shown.frame.objects_in_world.get(index.0) {
            *place = transform(pose);
        }
    }
}
