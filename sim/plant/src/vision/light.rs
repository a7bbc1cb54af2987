//! Daylight: the sun with shadows, the sky, and what they make of a surface.

use nalgebra::Vector3;

use super::picture::{Pixel, Tile};
use super::ray::Ray;
use super::scene::{Scene, Surface};

/// Towards the sun, where the operator's station has it too. Of unit length but for rounding.
const SUN: [f64; 3] = [-0.478_850, -0.518_754, 0.708_299];
/// Light of the sun, straight on (linear, relative to a camera's white).
const SUNSHINE: [f64; 3] = [1.26, 1.16, 1.01];
/// Light of the sky from above.
const SKYLIGHT: [f64; 3] = [0.36, 0.43, 0.53];
/// Light that the ground throws back from below.
const BOUNCE: [f64; 3] = [0.17, 0.15, 0.12];
/// Colour of the sky overhead and at the horizon (linear).
const ZENITH: [f64; 3] = [0.12, 0.27, 0.62];
const HORIZON: [f64; 3] = [0.62, 0.72, 0.82];
/// How far a shadow ray starts away from its surface [m].
const LIFT: f64 = 1e-4;
/// Farthest that something throws a shadow [m].
const SHADOW: f64 = 60.0;
/// Steps of the table from linear light to grey levels.
const LEVELS: usize = 4096;
/// Size of the coarse and of the fine grains of the ground [m], and how much they change its brightness.
const GRAINS: [(f64, f64); 2] = [(0.17, 0.16), (0.03, 0.20)];

/// Shades tiles.
#[derive(Clone, Debug)]
pub(crate) struct Light {
    /// Of each surface of the scene, linear.
    albedo: Vec<[f64; 3]>,
    /// Grey level (sRGB, 0 to 255) of linear light from 0 to 1.
    levels: Vec<f32>,
    /// Solids that may throw a shadow on a tile: working memory.
    between: Vec<usize>,
}

impl Light {
    /// Daylight on a scene.
    pub fn new(scene: &Scene) -> Light {
        let linear = |surface: &Surface| surface.color.map(|channel| to_linear(f64::from(channel)));
        let level = |step: usize| (255.0 * to_srgb(step as f64 / (LEVELS - 1) as f64)) as f32;
        Light {
            albedo: scene.surfaces().iter().map(linear).collect(),
            levels: (0..LEVELS).map(level).collect(),
            between: Vec::with_capacity(scene.solids.len()),
        }
    }

    /// Shows the colour of each pixel of a tile, in grey levels of 255.
    pub fn shade(&mut self, scene: &Scene, tile: &Tile, mut show: impl FnMut(&Pixel, [f64; 3])) {
        self.find_shadows(scene, tile);
        for pixel in &tile.pixels {
            let light = match &pixel.hit {
                Some(_) => self.lit(scene, pixel),
                None => sky(&pixel.ray.direction),
            };
            show(pixel, light.map(|channel| self.level(channel)));
        }
    }

    fn lit(&self, scene: &Scene, pixel: &Pixel) -> [f64; 3] {
        let Some(hit) = &pixel.hit else { return [0.0; 3] };
        let sun = Vector3::from(SUN);
        let at = pixel.ray.at(hit.distance);
        let facing = hit.normal.dot(&sun);
        let is_lit = facing > 0.0 && {
            let ray = Ray { origin: at + hit.normal * LIFT, direction: sun };
            scene.cast(&ray, SHADOW, &self.between).is_none()
        };
        let (direct, above) = (if is_lit { facing } else { 0.0 }, 0.5 + 0.5 * hit.normal.z);
        let grain = if hit.is_ground { grain(&at, hit.distance) } else { 1.0 };
        let albedo = self.albedo[hit.surface];
        core::array::from_fn(|channel| {
            let ambient = SKYLIGHT[channel] * above + BOUNCE[channel] * (1.0 - above);
            grain * albedo[channel] * (SUNSHINE[channel] * direct + ambient)
        })
    }

    /// The solids that may stand between the sun and what a tile shows: those near the beam of light that falls on a ball
    /// around it.
    fn find_shadows(&mut self, scene: &Scene, tile: &Tile) {
        self.between.clear();
        let points = || tile.pixels.iter().filter_map(|pixel| pixel.hit.map(|hit| pixel.ray.at(hit.distance)));
        let count = points().count();
        if count == 0 {
            return;
        }
        let middle = points().sum::<Vector3<f64>>() / count as f64;
        let radius = points().map(|point| (point - middle).norm_squared()).fold(0.0, f64::max).sqrt();
        let sun = Vector3::from(SUN);
        for (index, solid) in scene.solids.iter().enumerate() {
            let to = solid.centre - middle;
            let (along, reach) = (to.dot(&sun), radius + solid.radius + LIFT);
            if along >= -reach && to.norm_squared() - along * along <= reach * reach {
                self.between.push(index);
            }
        }
    }

    fn level(&self, light: f64) -> f64 {
        let step = (light.clamp(0.0, 1.0) * (LEVELS - 1) as f64).round();
        f64::from(self.levels[step as usize])
    }
}

/// The colour of the sky: paler towards the horizon, brighter about the sun.
fn sky(direction: &Vector3<f64>) -> [f64; 3] {
    let down = 1.0 - direction.z.clamp(0.0, 1.0);
    let pale = down * down * down;
    let near = direction.dot(&Vector3::from(SUN)).max(0.0);
    let glow = power(near, 5) * 0.2 + power(near, 9);
    core::array::from_fn(|channel| ZENITH[channel] + (HORIZON[channel] - ZENITH[channel]) * pale + glow)
}

/// x to the power of 2ⁿ.
fn power(x: f64, n: u32) -> f64 {
    (0..n).fold(x, |x, _| x * x)
}

/// Brightness of the ground's grains: smoothed random numbers on two grids, which blur where a pixel cannot resolve them.
fn grain(at: &Vector3<f64>, distance: f64) -> f64 {
    let mut brightness = 1.0;
    for (number, (size, depth)) in GRAINS.into_iter().enumerate() {
        let blur = distance * 0.003 / size;
        if blur < 2.0 {
            brightness += depth / (1.0 + blur * blur) * smooth(at.x / size, at.y / size, number as u64);
        }
    }
    brightness
}

/// Random numbers from −1 to 1 on a grid, bilinear in between.
fn smooth(x: f64, y: f64, grid: u64) -> f64 {
    let (column, row) = (x.floor(), y.floor());
    let (u, v) = (x - column, y - row);
    let value = |dc: f64, dr: f64| {
        let place = ((column + dc) as i64 as u64 & 0xffff_ffff) << 32 | (row + dr) as i64 as u64 & 0xffff_ffff;
        let mut bits = place.wrapping_add(grid).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ bits >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        (bits >> 40) as f64 / f64::from(1 << 23) - 1.0
    };
    let upper = value(0.0, 0.0) * (1.0 - u) + value(1.0, 0.0) * u;
    let lower = value(0.0, 1.0) * (1.0 - u) + value(1.0, 1.0) * u;
    upper * (1.0 - v) + lower * v
}

/// IEC 61966-2-1.
fn to_linear(srgb: f64) -> f64 {
    if srgb <= 0.04045 { srgb / 12.92 } else { libm::pow((srgb + 0.055) / 1.055, 2.4) }
}

fn to_srgb(linear: f64) -> f64 {
    if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * libm::pow(linear, 1.0 / 2.4) - 0.055 }
}
