//! Layers as triangles, in the frame of the map.

use bevy::color::{ColorToComponents, LinearRgba};
use bevy::prelude::{Srgba, Vec3};
use nalgebra::{Isometry3, Point3};
use robot_io::colour_maps::{cost_colour, height_colour, height_range};
use robot_io::{Grid, HeightMap, PointCloud, SurfelView};

use crate::convert::vec3;
use crate::mesh_data::MeshData;

/// Edge of the grain that stands for a point [m].
const GRAIN: f32 = 0.022;
/// Surfels hover by this much, so that they do not flicker with the ground [m].
const SURFEL_LIFT: f32 = 0.012;
/// Heights, then costs above them, hover by this much [m].
const LIFTS: (f32, f32) = (0.03, 0.05);
/// Cheaper cells are not painted: most of the ground is.
const FREE: f32 = 0.08;
/// The low end of the colours is left out for points, which are small.
const DARKEST: f64 = 0.2;
/// Opacity of heights, which let the true ground shine through a little.
const HEIGHT_OPACITY: f32 = 0.88;
/// Level, slanting and upright surfels (sRGB).
const INCLINATIONS: [[f32; 3]; 3] = [[0.16, 0.62, 0.60], [0.95, 0.76, 0.25], [0.85, 0.30, 0.50]];

/// A cloud as one grain a point, coloured by its height in the map; thinned out evenly to at most `most`.
pub(super) fn cloud(cloud: &PointCloud, frame_in_map: &Isometry3<f64>, most: usize) -> MeshData {
    let stride = cloud.points.len().div_ceil(most.max(1)).max(1);
    let points: Vec<Vec3> = cloud.points.iter().step_by(stride).map(|point| Vec3::from(*point)).collect();
    let height = |point: &Vec3| (frame_in_map * Point3::new(point.x, point.y, point.z).cast::<f64>()).z;
    let heights: Vec<f64> = points.iter().map(height).collect();
    let (low, high) = usual_range(&heights);
    let mut mesh = MeshData::default();
    for (point, height) in points.iter().zip(&heights) {
        let part = ((height - low) / (high - low)).clamp(0.0, 1.0);
        grain(&mut mesh, *point, opaque(height_colour(DARKEST + (1.0 - DARKEST) * part)));
    }
    mesh
}

/// Surfels as hexagons, coloured by their inclination; thinned out evenly to at most `most`.
pub(super) fn surfels(surfels: &[SurfelView], most: usize) -> MeshData {
    let stride = surfels.len().div_ceil(most.max(1)).max(1);
    let mut mesh = MeshData::default();
    for surfel in surfels.iter().step_by(stride) {
        let normal = vec3(&surfel.normal).normalize_or(Vec3::Z);
        // what one sees is the side that looks up
        let normal = if normal.z < 0.0 { -normal } else { normal };
        let (u, v) = normal.any_orthonormal_pair();
        let centre = vec3(&surfel.position.coords) + SURFEL_LIFT * normal;
        let colour = inclination_colour(normal.z);
        let first = mesh.positions.len() as u32;
        for corner in 0..6_u8 {
            let (sin, cos) = (std::f32::consts::FRAC_PI_3 * f32::from(corner)).sin_cos();
            mesh.corner(centre + surfel.radius as f32 * (cos * u + sin * v), normal);
            mesh.colors.push(colour);
        }
        mesh.triangles.extend((1..5).map(|corner| [first, first + corner, first + corner + 1]));
    }
    mesh
}

/// Heights as a surface with light and shade, thinned out to at most `most` samples; open where nothing is known. Where
/// `costs` says that nobody can drive, heights do not stretch the colours.
pub(super) fn heights(map: &HeightMap, costs: Option<&Grid>, most: usize) -> MeshData {
    let stride = (1..).find(|stride| map.rows * map.columns / (stride * stride) <= most.max(1)).unwrap_or(1);
    let Some((low, high)) = height_range(map, costs) else { return MeshData::default() };
    let (rows, columns) = (map.rows.div_ceil(stride), map.columns.div_ceil(stride));
    let mut mesh = MeshData::default();
    let mut numbers = vec![None; rows * columns];
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        let Some(height) = sample(map, row * stride, column * stride) else { continue };
        let place = |index: usize, origin: f64| (origin + (index * stride) as f64 * map.cell) as f32;
        let corner = Vec3::new(place(column, map.origin_x), place(row, map.origin_y), height as f32 + LIFTS.0);
        numbers[row * columns + column] = Some(mesh.corner(corner, normal(map, row * stride, column * stride, stride)));
        let [red, green, blue, _] = opaque(height_colour((height - low) / (high - low)));
        mesh.colors.push([red, green, blue, HEIGHT_OPACITY]);
    }
    for (row, column) in (1..rows).flat_map(|row| (1..columns).map(move |column| (row - 1, column - 1))) {
        let number = |down: usize, right: usize| numbers[(row + down) * columns + column + right];
        let halves = [[number(0, 0), number(0, 1), number(1, 0)], [number(1, 1), number(1, 0), number(0, 1)]];
        mesh.triangles.extend(halves.into_iter().filter_map(|[a, b, c]| Some([a?, b?, c?])));
    }
    mesh
}

/// Costs as painted cells on the ground, whose height `ground` tells for any place of the map.
pub(super) fn costs(grid: &Grid, ground: impl Fn(f64, f64) -> f64) -> MeshData {
    let mut mesh = MeshData::default();
    let half = 0.5 * grid.cell;
    for (index, cost) in grid.values.iter().enumerate().filter(|(_, cost)| **cost >= FREE) {
        let x = grid.origin_x + (index % grid.columns.max(1)) as f64 * grid.cell;
        let y = grid.origin_y + (index / grid.columns.max(1)) as f64 * grid.cell;
        let [red, green, blue, opacity] = cost_colour(f64::from(*cost));
        let paint = LinearRgba::from(Srgba::rgba_u8(red, green, blue, opacity)).to_f32_array();
        let corners = [(-half, -half), (half, -half), (half, half), (-half, half)].map(|(dx, dy)| {
            let (x, y) = (x + dx, y + dy);
            mesh.colors.push(paint);
            mesh.corner(Vec3::new(x as f32, y as f32, ground(x, y) as f32 + LIFTS.1), Vec3::Z)
        });
        mesh.triangles.extend([[corners[0], corners[1], corners[2]], [corners[0], corners[2], corners[3]]]);
    }
    mesh
}

/// The height at a place, that of the nearest cell if a neighbour is not known.
pub(super) fn height_near(map: &HeightMap, x: f64, y: f64) -> Option<f64> {
    let index = |u: f64, count: usize| (u > -0.6 && u < count as f64 - 0.4).then(|| u.round().max(0.0) as usize);
    let own = || {
        let column = index((x - map.origin_x) / map.cell, map.columns)?;
        sample(map, index((y - map.origin_y) / map.cell, map.rows)?, column)
    };
    map.height_at(x, y).or_else(own)
}

fn sample(map: &HeightMap, row: usize, column: usize) -> Option<f64> {
    let is_within = row < map.rows && column < map.columns;
    map.heights.get(row * map.columns + column).copied().filter(|height| is_within && height.is_finite())
}

/// From the central differences of what is known; upright where nothing is.
fn normal(map: &HeightMap, row: usize, column: usize, stride: usize) -> Vec3 {
    let rise = |ahead: Option<f64>, behind: Option<f64>| {
        let here = sample(map, row, column);
        let steps = f64::from(u8::from(ahead.is_some()) + u8::from(behind.is_some()));
        let rise = ahead.or(here).zip(behind.or(here)).map_or(0.0, |(ahead, behind)| ahead - behind);
        if steps > 0.0 { rise / (steps * stride as f64 * map.cell) } else { 0.0 }
    };
    let west = column.checked_sub(stride).and_then(|column| sample(map, row, column));
    let south = row.checked_sub(stride).and_then(|row| sample(map, row, column));
    let along_x = rise(sample(map, row, column + stride), west);
    let along_y = rise(sample(map, row + stride, column), south);
    Vec3::new(-along_x as f32, -along_y as f32, 1.0).normalize()
}

/// A tetrahedron.
fn grain(mesh: &mut MeshData, at: Vec3, colour: [f32; 4]) {
    const CORNERS: [Vec3; 4] =
        [Vec3::new(1.0, 1.0, 1.0), Vec3::new(-1.0, -1.0, 1.0), Vec3::new(-1.0, 1.0, -1.0), Vec3::new(1.0, -1.0, -1.0)];
    let [a, b, c, d] = CORNERS.map(|corner| {
        mesh.colors.push(colour);
        mesh.corner(at + 0.35 * GRAIN * corner, Vec3::Z)
    });
    mesh.triangles.extend([[a, c, b], [a, b, d], [a, d, c], [b, c, d]]);
}

/// From where to where most values lie: a twentieth at each end is left out.
fn usual_range(values: &[f64]) -> (f64, f64) {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let at = |part: usize| sorted.get(sorted.len() * part / 20).or(sorted.last()).copied().unwrap_or(0.0);
    let low = at(1);
    (low, at(19).max(low + 0.2))
}

fn inclination_colour(up: f32) -> [f32; 4] {
    // 0 level, 1 upright
    let tilt = up.clamp(0.0, 1.0).acos() / std::f32::consts::FRAC_PI_2;
    let (below, part) = if tilt < 0.5 { (0, 2.0 * tilt) } else { (1, 2.0 * tilt - 1.0) };
    let [red, green, blue] = core::array::from_fn(|channel| {
        INCLINATIONS[below][channel] + part * (INCLINATIONS[below + 1][channel] - INCLINATIONS[below][channel])
    });
    LinearRgba::from(Srgba::rgb(red, green, blue)).to_f32_array()
}

fn opaque([red, green, blue]: [u8; 3]) -> [f32; 4] {
    LinearRgba::from(Srgba::rgb_u8(red, green, blue)).to_f32_array()
}

#[cfg(test)]
#[path = "meshes_tests.rs"]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;
