//! The robot on the stage: an entity per link, its visuals as children.

mod meshes;

use bevy::prelude::*;
use robot_model::Geometry;

use crate::convert::transform;
use crate::feed::{Latest, Phase};
use crate::stage::Stage;
use meshes::MeshLibrary;

/// Shows the robot.
pub(crate) struct RobotPlugin;

/// Index of a link in the robot's tree.
#[derive(Component, Clone, Copy, Debug)]
pub(crate) struct LinkIndex(pub(crate) usize);

/// Colour of what has none.
const DEFAULT_COLOR: [f32; 4] = [0.72, 0.74, 0.77, 1.0];

impl Plugin for RobotPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Startup, spawn_robot).add_systems(Update, move_links.in_set(Phase::Move));
    }
}

fn spawn_robot(
    mut commands: Commands,
    stage: Res<Stage>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let library = MeshLibrary::default();
    let mut paints = Vec::new();
    for (index, link) in stage.scene.robot.tree.links.iter().enumerate() {
        let name = Name::new(link.name.clone());
        let mut entity = commands.spawn((name, LinkIndex(index), Transform::IDENTITY, Visibility::default()));
        for (geometry, data) in library.drawable(&link.visuals, &link.collisions) {
            let paint = paint_of(geometry, &mut paints, &mut materials);
            let mesh = meshes.add(data.into_mesh());
            entity.with_child((Mesh3d(mesh), MeshMaterial3d(paint), transform(&geometry.pose_in_link)));
        }
    }
}

/// One material per colour.
fn paint_of(
    geometry: &Geometry,
    paints: &mut Vec<([f32; 4], Handle<StandardMaterial>)>,
    materials: &mut Assets<StandardMaterial>,
) -> Handle<StandardMaterial> {
    let color = geometry.color.unwrap_or(DEFAULT_COLOR);
    if let Some((_, known)) = paints.iter().find(|(known, _)| *known == color) {
        return known.clone();
    }
    let paint = materials.add(paint(color));
    paints.push((color, paint.clone()));
    paint
}

/// Light colours are painted metal, dark ones rubber.
fn paint([red, green, blue, opacity]: [f32; 4]) -> StandardMaterial {
    let dark = red.max(green).max(blue) < 0.25;
    StandardMaterial {
        base_color: Color::srgba(red, green, blue, opacity),
        perceptual_roughness: if dark { 0.78 } else { 0.42 },
        metallic: if dark { 0.0 } else { 0.12 },
        reflectance: 0.45,
        alpha_mode: if opacity < 1.0 { AlphaMode::Blend } else { AlphaMode::Opaque },
        ..default()
    }
}

fn move_links(latest: Res<Latest>, mut links: Query<(&LinkIndex, &mut Transform)>) {
    let Some(shown) = latest.news() else { return };
    for (index, mut place) in &mut links {
        if let Some(pose) = shown.frame.links_in_world.get(index.0) {
            *place = transform(pose);
        }
    }
}
