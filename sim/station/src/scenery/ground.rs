//! The terrain on the stage, with a fine texture so that one sees it move, and a plain out to the haze.

use bevy::asset::RenderAssetUsages;
use bevy::image::{ImageAddressMode, ImageFilterMode, ImageSampler, ImageSamplerDescriptor};
use bevy::light::NotShadowCaster;
use bevy::prelude::*;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
use worlds::{Terrain, World};

use super::terrain_mesh::{MOST_SAMPLES, TEXTURE_SIDE, skirt, terrain_mesh};
use crate::graphics::Quality;
use crate::stage::Stage;

/// The ground.
pub(crate) struct GroundPlugin;

/// Pixels along the edge of the detail texture.
const EDGE: usize = 512;
/// Samples of the ground that a software driver can draw several times a second [1].
const FEW_SAMPLES: usize = 60_000;
/// How far the plain reaches [m].
const PLAIN: f32 = 500.0;
/// How far the plain lies below the lowest ground [m], so that the two do not flicker.
const DROP: f32 = 0.03;

impl Plugin for GroundPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Startup, spawn_ground);
    }
}

fn spawn_ground(
    mut commands: Commands,
    stage: Res<Stage>,
    quality: Res<Quality>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    mut images: ResMut<Assets<Image>>,
) {
    let world = &stage.scene.world;
    let bottom = world.terrain.height_range().0 as f32 - DROP;
    let most = if *quality == Quality::Fine { MOST_SAMPLES } else { FEW_SAMPLES };
    let detail = images.add(detail_texture(*quality));
    let rough = StandardMaterial { perceptual_roughness: 0.94, reflectance: 0.25, ..default() };
    commands.spawn((
        Name::new("terrain"),
        Mesh3d(meshes.add(terrain_mesh(&world.terrain, &world.materials, most).into_mesh())),
        MeshMaterial3d(materials.add(StandardMaterial { base_color_texture: Some(detail), ..rough.clone() })),
    ));
    commands.spawn((
        Name::new("skirt"),
        Mesh3d(meshes.add(skirt(&world.terrain, bottom).into_mesh())),
        MeshMaterial3d(materials.add(StandardMaterial { base_color: Color::srgb(0.36, 0.33, 0.30), ..rough.clone() })),
    ));
    let plain = StandardMaterial { base_color: plain_color(world), ..rough };
    commands.spawn((
        Name::new("plain"),
        Mesh3d(meshes.add(Circle::new(PLAIN).mesh().resolution(96))),
        MeshMaterial3d(materials.add(plain)),
        Transform::from_translation(middle(&world.terrain).extend(bottom)),
        NotShadowCaster,
    ));
}

fn middle(terrain: &Terrain) -> Vec2 {
    let ((x_min, x_max), (y_min, y_max)) = terrain.extent();
    Vec2::new(0.5 * (x_min + x_max) as f32, 0.5 * (y_min + y_max) as f32)
}

/// The ground's main colour, greyed: the plain is where nothing happens.
fn plain_color(world: &World) -> Color {
    let main = world.materials.first().map_or([0.5; 3], |material| material.color);
    Srgba::rgb(main[0], main[1], main[2]).mix(&Srgba::gray(0.55), 0.45).into()
}

/// Grains and a faint line every metre, in smaller and smaller copies for the distance.
fn detail_texture(quality: Quality) -> Image {
    let mut level: Vec<f32> = (0..EDGE * EDGE).map(|i| brightness(i % EDGE, i / EDGE)).collect();
    let mut pixels = Vec::new();
    let mut edge = EDGE;
    let mut levels = 0;
    loop {
        pixels.extend(level.iter().flat_map(|&v| [(v * 255.0) as u8; 3].into_iter().chain([255])));
        levels += 1;
        if edge == 1 {
            break;
        }
        level = halved(&level, edge);
        edge /= 2;
    }
    let size = Extent3d { width: EDGE as u32, height: EDGE as u32, depth_or_array_layers: 1 };
    let format = TextureFormat::Rgba8Unorm;
    // Image::new insists on one level of detail, so the smaller copies are added afterwards
    let first = pixels[..4 * EDGE * EDGE].to_vec();
    let mut image = Image::new(size, TextureDimension::D2, first, format, RenderAssetUsages::RENDER_WORLD);
    image.data = Some(pixels);
    image.texture_descriptor.mip_level_count = levels;
    image.sampler = ImageSampler::Descriptor(ImageSamplerDescriptor {
        address_mode_u: ImageAddressMode::Repeat,
        address_mode_v: ImageAddressMode::Repeat,
        mag_filter: ImageFilterMode::Linear,
        min_filter: ImageFilterMode::Linear,
        mipmap_filter: ImageFilterMode::Linear,
        anisotropy_clamp: if quality == Quality::Fine { 8 } else { 1 },
        ..default()
    });
    image
}

/// Mean of each square of four.
fn halved(level: &[f32], edge: usize) -> Vec<f32> {
    let half = edge / 2;
    let at = |x: usize, y: usize| level[y * edge + x];
    let mean = |x: usize, y: usize| 0.25 * (at(x, y) + at(x + 1, y) + at(x, y + 1) + at(x + 1, y + 1));
    (0..half * half).map(|i| mean(2 * (i % half), 2 * (i / half))).collect()
}

/// Brightness [1] of a pixel of the detail texture.
fn brightness(x: usize, y: usize) -> f32 {
    let grains = 0.5 * noise(x, y, 4) + 0.3 * noise(x, y, 16) + 0.2 * noise(x, y, 64);
    let metre = EDGE as f32 / TEXTURE_SIDE;
    let from_line = |i: usize| {
        let rest = (i as f32 + 0.5) % metre;
        rest.min(metre - rest)
    };
    let line = if from_line(x).min(from_line(y)) < 1.1 { 0.90 } else { 1.0 };
    (0.86 + 0.14 * grains) * line
}

/// Smooth noise in 0…1 that repeats with the texture; `size` pixels from knot to knot.
fn noise(x: usize, y: usize, size: usize) -> f32 {
    let knots = EDGE / size;
    let (column, row) = (x / size, y / size);
    let smooth = |i: usize| {
        let t = (i % size) as f32 / size as f32;
        t * t * (3.0 - 2.0 * t)
    };
    let knot = |dc: usize, dr: usize| hash((column + dc) % knots, (row + dr) % knots, size);
    let near = knot(0, 0) + (knot(1, 0) - knot(0, 0)) * smooth(x);
    let far = knot(0, 1) + (knot(1, 1) - knot(0, 1)) * smooth(x);
    near + (far - near) * smooth(y)
}

fn hash(x: usize, y: usize, salt: usize) -> f32 {
    let mut bits = (x as u32).wrapping_mul(0x9E37_79B1) ^ (y as u32).wrapping_mul(0x85EB_CA77) ^ (salt as u32) << 7;
    bits = (bits ^ (bits >> 15)).wrapping_mul(0x2C1B_3C6D);
    bits = (bits ^ (bits >> 12)).wrapping_mul(0x297A_2D39);
    (bits >> 8) as f32 / (1 << 24) as f32
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn the_texture_has_all_its_smaller_copies() {
        let image = detail_texture(Quality::Fine);
        let pixels: usize = (0..10).map(|level| (EDGE >> level) * (EDGE >> level)).sum();
        assert_eq!(image.texture_descriptor.mip_level_count, 10);
        assert_eq!(image.data.unwrap().len(), 4 * pixels);
    }

    #[test]
    fn the_texture_repeats_without_a_seam() {
        for size in [4, 16, 64] {
            let jumps = (0..EDGE).map(|y| (noise(EDGE - 1, y, size) - noise(0, y, size)).abs());
            let inside = (0..EDGE).map(|y| (noise(EDGE / 2 - 1, y, size) - noise(EDGE / 2, y, size)).abs());
            let largest = |jumps: &mut dyn Iterator<Item = f32>| jumps.fold(0.0, f32::max);
            assert!(largest(&mut jumps.into_iter()) < 1.5 * largest(&mut inside.into_iter()) + 0.05, "size {size}");
        }
    }
}
