//! A clear day: sun, sky, haze. All colours of the air are here, so that they agree.

use bevy::asset::RenderAssetUsages;
use bevy::camera::Exposure;
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::light::{CascadeShadowConfigBuilder, DirectionalLightShadowMap, ShadowFilteringMethod, Skybox};
use bevy::pbr::{DistanceFog, FogFalloff};
use bevy::prelude::*;
use bevy::render::render_resource::{
    Extent3d, TextureDimension, TextureFormat, TextureViewDescriptor, TextureViewDimension,
};
use bevy::render::view::ColorGrading;

use crate::graphics::Quality;

/// Sun and sky.
pub(crate) struct LightPlugin;

/// Where the sun stands, seen from the ground.
const SUN: Vec3 = Vec3::new(-0.48, -0.52, 0.71);
const ZENITH: LinearRgba = LinearRgba::rgb(0.16, 0.31, 0.60);
const HORIZON: LinearRgba = LinearRgba::rgb(0.62, 0.72, 0.82);
const NADIR: LinearRgba = LinearRgba::rgb(0.36, 0.34, 0.31);
const SUNSHINE: LinearRgba = LinearRgba::rgb(1.0, 0.92, 0.80);
/// Pixels along an edge of the sky's cube.
const SKY_EDGE: u32 = 128;

impl Plugin for LightPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(ClearColor(HORIZON.into()))
            .insert_resource(GlobalAmbientLight { brightness: 0.0, ..default() })
            .add_systems(Startup, spawn_sun);
    }
}

/// What every camera needs to see this day as it is.
pub(crate) fn eye(images: &mut Assets<Image>, quality: Quality) -> impl Bundle {
    let upright = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
    let mut ambient = EnvironmentMapLight::hemispherical_gradient(images, ZENITH.mix(&HORIZON, 0.35), HORIZON, NADIR);
    ambient.intensity = 1150.0;
    ambient.rotation = upright;
    let projection = PerspectiveProjection { fov: 0.70, near: 0.05, far: 600.0, ..default() };
    (
        Camera3d::default(),
        Projection::Perspective(projection),
        if quality == Quality::Fine { Msaa::Sample4 } else { Msaa::Off },
        Tonemapping::AgX,
        Exposure { ev100: 9.5 },
        if quality == Quality::Fine { ShadowFilteringMethod::Gaussian } else { ShadowFilteringMethod::Hardware2x2 },
        lively(),
        Skybox { image: Some(images.add(sky())), brightness: 1500.0, rotation: Quat::IDENTITY },
        ambient,
        DistanceFog {
            color: HORIZON.into(),
            directional_light_color: Color::LinearRgba(SUNSHINE.with_alpha(0.25)),
            directional_light_exponent: 24.0,
            falloff: FogFalloff::from_visibility_squared(260.0),
        },
    )
}

/// AgX alone is a little pale.
fn lively() -> ColorGrading {
    let mut grading = ColorGrading::default();
    grading.global.post_saturation = 1.22;
    for section in grading.all_sections_mut() {
        section.contrast = 1.08;
    }
    grading
}

fn spawn_sun(mut commands: Commands, quality: Res<Quality>) {
    let fine = *quality == Quality::Fine;
    commands.insert_resource(DirectionalLightShadowMap { size: if fine { 2048 } else { 1024 } });
    let cascades = CascadeShadowConfigBuilder {
        num_cascades: if fine { 3 } else { 1 },
        first_cascade_far_bound: 5.0,
        maximum_distance: if fine { 45.0 } else { 8.0 },
        ..default()
    };
    commands.spawn((
        Name::new("sun"),
        DirectionalLight {
            color: SUNSHINE.into(),
            illuminance: 7_500.0,
            shadow_maps_enabled: true,
            shadow_depth_bias: 0.03,
            shadow_normal_bias: 1.2,
            ..default()
        },
        cascades.build(),
        Transform::from_translation(SUN).looking_at(Vec3::ZERO, Vec3::Z),
    ));
}

/// The sky as a cube of six pictures.
fn sky() -> Image {
    let mut pixels = Vec::with_capacity((SKY_EDGE * SKY_EDGE * 24) as usize);
    for face in 0..6 {
        for row in 0..SKY_EDGE {
            for column in 0..SKY_EDGE {
                let at = |index: u32| 2.0 * (index as f32 + 0.5) / SKY_EDGE as f32 - 1.0;
                let color = Srgba::from(sky_color(direction(face, at(column), at(row))));
                pixels.extend(color.to_u8_array());
            }
        }
    }
    let size = Extent3d { width: SKY_EDGE, height: SKY_EDGE, depth_or_array_layers: 6 };
    let format = TextureFormat::Rgba8UnormSrgb;
    let mut image = Image::new(size, TextureDimension::D2, pixels, format, RenderAssetUsages::RENDER_WORLD);
    image.texture_view_descriptor =
        Some(TextureViewDescriptor { dimension: Some(TextureViewDimension::Cube), ..default() });
    image
}

/// World direction of a pixel of a cube face; cube maps are left-handed, which is why z is turned.
fn direction(face: usize, across: f32, down: f32) -> Vec3 {
    let v = match face {
        0 => Vec3::new(1.0, -down, -across),
        1 => Vec3::new(-1.0, -down, across),
        2 => Vec3::new(across, 1.0, down),
        3 => Vec3::new(across, -1.0, -down),
        4 => Vec3::new(across, -down, 1.0),
        _ => Vec3::new(-across, -down, -1.0),
    };
    Vec3::new(v.x, v.y, -v.z).normalize()
}

fn sky_color(direction: Vec3) -> LinearRgba {
    let up = direction.z.max(0.0);
    let air = HORIZON.mix(&ZENITH, 1.0 - (1.0 - up).powi(3));
    let near_sun = direction.dot(SUN.normalize()).max(0.0);
    let glow = 0.35 * near_sun.powi(12) + 0.6 * near_sun.powi(160);
    air.mix(&SUNSHINE, glow.min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sky_is_blue_above_and_bright_at_the_sun() {
        let zenith = sky_color(Vec3::Z);
        assert!(zenith.blue > 2.0 * zenith.red, "{zenith:?}");
        let sun = sky_color(SUN.normalize());
        assert!(sun.red > zenith.red && sun.luminance() > sky_color(-SUN.with_z(-0.71).normalize()).luminance());
    }

    #[test]
    fn the_middle_of_each_face_looks_along_an_axis() {
        let middles: Vec<Vec3> = (0..6).map(|face| direction(face, 0.0, 0.0)).collect();
        assert_eq!(middles, [Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y, -Vec3::Z, Vec3::Z]);
    }
}
