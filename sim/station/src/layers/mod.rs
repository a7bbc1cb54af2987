//! What the robot knows of the world: clouds, surfels, heights and costs as meshes, pose graph and plans as lines.
//!
//! A mesh is built when its layer is new and shown, and stays until then. All layers come in the map frame, whose plane is
//! the world's and whose zero height is the ground at the start.

mod lines;
mod meshes;

use bevy::app::{PluginGroup, PluginGroupBuilder};
use bevy::light::{NotShadowCaster, NotShadowReceiver};
use bevy::prelude::*;
use robot_io::{Grid, HeightMap, Layer};
use std::sync::Arc;

use crate::convert::transform;
use crate::feed::{Latest, Phase};
use crate::graphics::Quality;
use crate::mesh_data::MeshData;
use crate::stage::{Shown, Stage};
use crate::{Overlays, Scene};

/// All layers of the map.
pub(crate) struct LayerPlugins;

/// The layers that are meshes.
struct MeshLayersPlugin;

/// Meshes on the stage, one a layer.
#[derive(Resource, Default)]
struct Drawn(Vec<DrawnLayer>);

struct DrawnLayer {
    name: &'static str,
    /// What the mesh shows.
    layer: Layer,
    entity: Entity,
}

/// What meshes are painted with.
#[derive(Resource)]
struct Paints {
    cloud: Handle<StandardMaterial>,
    surfels: Handle<StandardMaterial>,
    heights: Handle<StandardMaterial>,
    costs: Handle<StandardMaterial>,
}

/// So many points of a cloud, surfels and samples of heights are drawn at most.
#[derive(Clone, Copy, Debug)]
struct Most {
    points: usize,
    surfels: usize,
    samples: usize,
}

const FINE: Most = Most { points: 60_000, surfels: 20_000, samples: 250_000 };
const FAST: Most = Most { points: 12_000, surfels: 8_000, samples: 40_000 };

impl PluginGroup for LayerPlugins {
    fn build(self) -> PluginGroupBuilder {
        PluginGroupBuilder::start::<Self>().add(MeshLayersPlugin).add(lines::LineLayersPlugin)
    }
}

impl Plugin for MeshLayersPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Drawn>().add_systems(Startup, mix_paints).add_systems(Update, follow.in_set(Phase::Move));
    }
}

/// Height of the map's zero in the world [m]: the ground where the robot started.
pub(crate) fn map_height(scene: &Scene) -> f64 {
    let start = scene.odom_in_world;
    scene.world.terrain.height_at(start.x, start.y).unwrap_or(0.0)
}

fn mix_paints(mut commands: Commands, mut materials: ResMut<Assets<StandardMaterial>>) {
    let bright = StandardMaterial { unlit: true, ..default() };
    let matt = StandardMaterial { perceptual_roughness: 0.95, reflectance: 0.1, ..default() };
    commands.insert_resource(Paints {
        cloud: materials.add(bright.clone()),
        surfels: materials.add(StandardMaterial { cull_mode: None, double_sided: true, ..matt.clone() }),
        heights: materials.add(StandardMaterial { alpha_mode: AlphaMode::Blend, ..matt }),
        costs: materials.add(StandardMaterial {
            alpha_mode: AlphaMode::Blend,
            cull_mode: None,
            depth_bias: 1.0,
            ..bright
        }),
    });
}

/// What the layers are drawn from, and how.
type Sources<'w> = (Res<'w, Latest>, Res<'w, Stage>, Res<'w, Shown>, Res<'w, Quality>, Res<'w, Paints>);

/// Shows the meshes of the layers there are, builds those that are new, hides the others.
fn follow(
    mut commands: Commands,
    (latest, stage, shown, quality, paints): Sources<'_>,
    mut drawn: ResMut<Drawn>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut visible: Query<&mut Visibility>,
) {
    let Some(frame) = &latest.shown else { return };
    let layers = &frame.telemetry.layers;
    for known in &drawn.0 {
        let is_there = layers.iter().any(|(name, layer)| *name == known.name && wanted(layer, &shown.0));
        let wish = if is_there { Visibility::Inherited } else { Visibility::Hidden };
        if let Ok(mut visibility) = visible.get_mut(known.entity) {
            visibility.set_if_neq(wish);
        }
    }
    let most = if *quality == Quality::Fine { FINE } else { FAST };
    for (name, layer) in layers.iter().filter(|(_, layer)| wanted(layer, &shown.0)) {
        if drawn.0.iter().any(|known| known.name == *name && is_same(&known.layer, layer)) {
            continue;
        }
        let Some(data) = mesh_of(layer, layers, &stage.scene, most) else { continue };
        let (mesh, place) = (Mesh3d(meshes.add(data.into_mesh())), place_of(layer, &stage.scene));
        match drawn.0.iter_mut().find(|known| known.name == *name) {
            Some(known) => {
                commands.entity(known.entity).insert((mesh, place));
                known.layer = layer.clone();
            }
            None => {
                let paint = MeshMaterial3d(paint_of(layer, &paints).clone());
                let entity =
                    commands.spawn((Name::new(*name), mesh, paint, place, NotShadowCaster, NotShadowReceiver)).id();
                drawn.0.push(DrawnLayer { name, layer: layer.clone(), entity });
            }
        }
    }
}

/// True if a layer is a mesh that is to be shown.
fn wanted(layer: &Layer, shown: &Overlays) -> bool {
    match layer {
        Layer::Cloud(..) => shown.cloud,
        Layer::Surfels(_) => shown.surfels,
        Layer::Heights(_) => shown.height_map,
        Layer::Grid(_) => shown.cost_map,
        Layer::Graph(_) | Layer::Path(_) | Layer::Outline(_) | Layer::Markers(_) => false,
    }
}

/// The heights among the layers.
fn heights_among<'a>(layers: &'a [(&'static str, Layer)]) -> Option<&'a HeightMap> {
    layers.iter().find_map(|(_, layer)| if let Layer::Heights(map) = layer { Some(&**map) } else { None })
}

/// The costs among the layers.
pub(crate) fn costs_among<'a>(layers: &'a [(&'static str, Layer)]) -> Option<&'a Grid> {
    layers.iter().find_map(|(_, layer)| if let Layer::Grid(grid) = layer { Some(&**grid) } else { None })
}

/// The layer's triangles; `None` if it has none.
fn mesh_of(layer: &Layer, layers: &[(&'static str, Layer)], scene: &Scene, most: Most) -> Option<MeshData> {
    let (zero, heights) = (map_height(scene), heights_among(layers));
    let ground = |x: f64, y: f64| {
        let seen = heights.and_then(|map| meshes::height_near(map, x, y));
        seen.unwrap_or_else(|| scene.world.terrain.height_at(x, y).map_or(0.0, |height| height - zero))
    };
    let data = match layer {
        Layer::Cloud(cloud, frame_in_map) => meshes::cloud(cloud, frame_in_map, most.points),
        Layer::Surfels(surfels) => meshes::surfels(surfels, most.surfels),
        Layer::Heights(map) => meshes::heights(map, costs_among(layers), most.samples),
        Layer::Grid(grid) => meshes::costs(grid, ground),
        _ => return None,
    };
    Some(data)
}

/// Where the layer's frame is in the world.
fn place_of(layer: &Layer, scene: &Scene) -> Transform {
    let mut place =
        if let Layer::Cloud(_, frame_in_map) = layer { transform(frame_in_map) } else { Transform::IDENTITY };
    place.translation.z += map_height(scene) as f32;
    place
}

fn paint_of<'p>(layer: &Layer, paints: &'p Paints) -> &'p Handle<StandardMaterial> {
    match layer {
        Layer::Surfels(_) => &paints.surfels,
        Layer::Heights(_) => &paints.heights,
        Layer::Grid(_) => &paints.costs,
        _ => &paints.cloud,
    }
}

/// True if both are the very same picture in memory.
fn is_same(a: &Layer, b: &Layer) -> bool {
    match (a, b) {
        (Layer::Cloud(a, pose_a), Layer::Cloud(b, pose_b)) => a.is_same(b) && pose_a == pose_b,
        (Layer::Surfels(a), Layer::Surfels(b)) => Arc::ptr_eq(a, b),
        (Layer::Heights(a), Layer::Heights(b)) => a.is_same(b),
        (Layer::Grid(a), Layer::Grid(b)) => Arc::ptr_eq(a, b),
        _ => false,
    }
}
