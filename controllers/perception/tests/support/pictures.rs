//! Pictures as the simulator's cameras take them.

use nalgebra::Vector3;
use perception::CameraView;
use robot_io::{DepthImage, Image, Period, RandomStream, Time};

use super::World;

const BASELINE: f64 = 0.075;
const STEP: f64 = 0.0625;
const NOISE: f64 = 0.03;
const RANGE: [f64; 2] = [0.5, 6.0];
const WHITE: f64 = 0.9;
const WHITE_RANGE: f64 = 20.0;

/// Depth from disparity, with noise, steps, the projector's shadows to the right of what is near, and pixels without light.
pub fn depth_picture(world: &World, view: &CameraView, seed: u64) -> DepthImage {
    depth_picture_with(world, view, seed, 0)
}

/// The same with noise that pixels up to `reach` apart share, as they do in a camera that correlates windows; its deviation is the same.
pub fn depth_picture_with(world: &World, view: &CameraView, seed: u64, reach: i64) -> DepthImage {
    let (width, height) = (view.intrinsics.width, view.intrinsics.height);
    let noise = RandomStream::new(seed, "depth");
    let focal = view.intrinsics.fx * BASELINE;
    let mut depths = Vec::with_capacity(width * height);
    for row in 0..height {
        let mut farthest = f64::NEG_INFINITY;
        for column in 0..width {
            let (origin, ray) = view.ray(column as f64, row as f64);
            let index = (row * width + column) as u32;
            let disparity = world.cast(&origin, &ray).map_or(0.0, |hit| {
                let cosine = -hit.normal.dot(&ray.normalize());
                let (depth, distance) = (hit.along, hit.along * ray.norm());
                let reflectivity = hit.rgb.iter().sum::<f64>() / 765.0;
                let strength = (reflectivity * cosine.max(0.0) / (distance * distance)).max(1e-12);
                let ratio = WHITE / (WHITE_RANGE * WHITE_RANGE) / strength;
                let seen = 1.0 / (1.0 + ratio.powi(4));
                if noise.uniform(1, 2 * index + 1) < seen { focal / depth } else { 0.0 }
            });
            let lit = column as f64 + disparity;
            let is_lit = lit >= farthest - 1.0;
            farthest = if disparity > 0.0 { farthest.max(lit) } else { farthest };
            let measured = disparity + NOISE * shared(&noise, width, column as i64, row as i64, reach);
            let depth = focal / ((measured / STEP).round() * STEP).max(1e-9);
            let is_measured = disparity > 0.0 && is_lit && (RANGE[0]..=RANGE[1]).contains(&depth);
            depths.push(if is_measured { (1e3 * depth).round() as u16 } else { 0 });
        }
    }
    DepthImage { stamp: Time::ZERO, row_period: Period::default(), width, height, depths }
}

/// The sum of a window's independent numbers, of variance one.
fn shared(noise: &RandomStream, width: usize, column: i64, row: i64, reach: i64) -> f64 {
    let window = (-reach..=reach).flat_map(|down| (-reach..=reach).map(move |across| (column + across, row + down)));
    let number = |(column, row): (i64, i64)| nearly_normal(noise, 2, (row * width as i64 + column) as u32);
    window.map(number).sum::<f64>() / (2 * reach + 1) as f64
}

/// Colours under a sun and a sky, with noise of two levels; sky where nothing is.
pub fn colour_picture(world: &World, view: &CameraView, seed: u64) -> Image {
    let (width, height) = (view.intrinsics.width, view.intrinsics.height);
    let noise = RandomStream::new(seed, "colour");
    let sun = Vector3::new(0.4, -0.3, 0.85).normalize();
    let mut rgb = Vec::with_capacity(3 * width * height);
    for row in 0..height {
        for column in 0..width {
            let (origin, ray) = view.ray(column as f64, row as f64);
            let seen = world.cast(&origin, &ray).map_or([170.0, 195.0, 225.0], |hit| {
                let light = 0.35 + 0.15 * hit.normal.z + 0.5 * hit.normal.dot(&sun).max(0.0);
                hit.rgb.map(|level| level * light)
            });
            for level in seen {
                let index = rgb.len() as u32;
                rgb.push((level + 2.0 * nearly_normal(&noise, 1, index)).round().clamp(0.0, 255.0) as u8);
            }
        }
    }
    Image { stamp: Time::ZERO, row_period: Period::default(), width, height, rgb }
}

/// The sum of four uniform numbers, as the simulator has it.
fn nearly_normal(noise: &RandomStream, counter: u64, index: u32) -> f64 {
    let bits = noise.bits(counter, index);
    let sum: u64 = (0..4).map(|part| bits >> (16 * part) & 0xffff).sum();
    (sum as f64 / 65_536.0 - 2.0) * 1.732_050_807_568_877_2
}
