//! The ground's triangles: positions, normals, colours.

use bevy::color::LinearRgba;
use bevy::prelude::{Srgba, Vec3};
use worlds::{Material, Terrain};

use crate::mesh_data::MeshData;

/// Samples that a graphics card draws without effort [1]; what the eye sees does not suffer beyond.
pub const MOST_SAMPLES: usize = 1_500_000;
/// Side of the detail texture's square on the ground [m].
pub(super) const TEXTURE_SIDE: f32 = 4.0;

/// The ground with smooth normals, each corner coloured by the cells around it, a little darker in hollows and
/// lighter on heights. The triangles are those that the physics collides with, unless there are more than `most`
/// samples, which are then thinned out.
pub fn terrain_mesh(terrain: &Terrain, materials: &[Material], most: usize) -> MeshData {
    let samples = terrain.rows * terrain.columns;
    let stride = (1..).find(|stride| samples / (stride * stride) <= most).unwrap_or(1);
    let (rows, columns) = (picks(terrain.rows, stride), picks(terrain.columns, stride));
    let palette: Vec<LinearRgba> = materials.iter().map(|m| linear(m.color)).collect();
    let mut mesh = MeshData::default();
    for &row in &rows {
        for &column in &columns {
            let (x, y) = terrain.position(row, column);
            let position = Vec3::new(x as f32, y as f32, terrain.height(row, column) as f32);
            mesh.corner(position, normal(terrain, row, column, stride));
            mesh.uvs.push([position.x / TEXTURE_SIDE, position.y / TEXTURE_SIDE]);
            let color = cell_color(terrain, &palette, row, column) * shade(terrain, row, column);
            mesh.colors.push([color.red, color.green, color.blue, 1.0]);
        }
    }
    mesh.triangles = grid_triangles(rows.len(), columns.len());
    mesh
}

/// Walls from the ground's edge down to `bottom` [m], so that the ground is a slab and no sheet.
pub(super) fn skirt(terrain: &Terrain, bottom: f32) -> MeshData {
    let mut mesh = MeshData::default();
    let (last_row, last_column) = (terrain.rows - 1, terrain.columns - 1);
    let along_x = |row: usize| (0..=last_column).map(move |column| (row, column)).collect::<Vec<_>>();
    let along_y = |column: usize| (0..=last_row).map(move |row| (row, column)).collect::<Vec<_>>();
    let reversed = |mut edge: Vec<(usize, usize)>| {
        edge.reverse();
        edge
    };
    let edges = [
        (along_x(0), Vec3::NEG_Y),
        (along_y(last_column), Vec3::X),
        (reversed(along_x(last_row)), Vec3::Y),
        (reversed(along_y(0)), Vec3::NEG_X),
    ];
    for (edge, normal) in edges {
        let mut before: Option<(u32, u32)> = None;
        for (row, column) in edge {
            let (x, y) = terrain.position(row, column);
            let top = Vec3::new(x as f32, y as f32, terrain.height(row, column) as f32);
            let corners = (mesh.corner(top, normal), mesh.corner(top.with_z(bottom), normal));
            if let Some((top_before, bottom_before)) = before {
                mesh.triangles.push([bottom_before, corners.1, corners.0]);
                mesh.triangles.push([bottom_before, corners.0, top_before]);
            }
            before = Some(corners);
        }
    }
    mesh
}

/// Every so manieth of `count` indices, the last one always.
fn picks(count: usize, stride: usize) -> Vec<usize> {
    let mut picks: Vec<usize> = (0..count - 1).step_by(stride).collect();
    picks.push(count - 1);
    picks
}

/// Two triangles a cell, divided as `worlds::Terrain` says: from (row + 1, column) to (row, column + 1).
fn grid_triangles(rows: usize, columns: usize) -> Vec<[u32; 3]> {
    let number = |row: usize, column: usize| (row * columns + column) as u32;
    let mut triangles = Vec::with_capacity(2 * (rows - 1) * (columns - 1));
    for row in 0..rows - 1 {
        for column in 0..columns - 1 {
            let (near, far) = (number(row, column), number(row + 1, column));
            triangles.push([near, near + 1, far]);
            triangles.push([far + 1, far, near + 1]);
        }
    }
    triangles
}

/// Normal from the central differences of the heights.
fn normal(terrain: &Terrain, row: usize, column: usize, stride: usize) -> Vec3 {
    let (west, east) = (column.saturating_sub(stride), (column + stride).min(terrain.columns - 1));
    let (south, north) = (row.saturating_sub(stride), (row + stride).min(terrain.rows - 1));
    let rise_x = terrain.height(row, east) - terrain.height(row, west);
    let rise_y = terrain.height(north, column) - terrain.height(south, column);
    let run_x = (east - west) as f64 * terrain.cell;
    let run_y = (north - south) as f64 * terrain.cell;
    Vec3::new(-(rise_x / run_x) as f32, -(rise_y / run_y) as f32, 1.0).normalize()
}

/// Mean colour of the up to four cells around a sample.
fn cell_color(terrain: &Terrain, palette: &[LinearRgba], row: usize, column: usize) -> LinearRgba {
    let (cell_rows, cell_columns) = (terrain.rows - 1, terrain.columns - 1);
    let rows = row.saturating_sub(1)..(row + 1).min(cell_rows);
    let mut sum = LinearRgba::BLACK;
    let mut count = 0.0;
    for cell_row in rows {
        for cell_column in column.saturating_sub(1)..(column + 1).min(cell_columns) {
            let material = usize::from(terrain.cell_materials[cell_row * cell_columns + cell_column]);
            sum += palette.get(material).copied().unwrap_or(LinearRgba::rgb(0.4, 0.4, 0.4));
            count += 1.0;
        }
    }
    sum / count
}

/// Brightness [1] from the height within the whole and from the curvature about the sample: hollows see less sky.
fn shade(terrain: &Terrain, row: usize, column: usize) -> f32 {
    let reach = (0.25 / terrain.cell).round().max(1.0) as usize;
    let (south, north) = (row.saturating_sub(reach), (row + reach).min(terrain.rows - 1));
    let (west, east) = (column.saturating_sub(reach), (column + reach).min(terrain.columns - 1));
    let around = [(south, column), (north, column), (row, west), (row, east)];
    let mean = around.iter().map(|&(r, c)| terrain.height(r, c)).sum::<f64>() / 4.0;
    let height = terrain.height(row, column);
    let curvature = ((height - mean) * 3.0).clamp(-0.30, 0.12);
    let altitude = (height * 0.06).clamp(-0.08, 0.10);
    (1.0 + curvature + altitude) as f32
}

fn linear(color: [f32; 3]) -> LinearRgba {
    Srgba::rgb(color[0], color[1], color[2]).into()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn material(color: [f32; 3]) -> Material {
        Material { color, ..Material::preset("concrete").unwrap() }
    }

    fn ground(rows: usize, columns: usize, height: impl Fn(f64, f64) -> f64) -> Terrain {
        let mut terrain = Terrain {
            rows,
            columns,
            cell: 0.5,
            origin_x: -1.0,
            origin_y: 2.0,
            heights: Vec::new(),
            cell_materials: vec![0; (rows - 1) * (columns - 1)],
        };
        let positions = (0..rows * columns).map(|i| terrain.position(i / columns, i % columns));
        terrain.heights = positions.map(|(x, y)| height(x, y)).collect();
        terrain
    }

    #[test]
    fn a_plane_has_its_own_normal_everywhere_and_triangles_that_face_up() {
        let terrain = ground(4, 6, |x, y| 0.5 * x - 0.25 * y);
        let mesh = terrain_mesh(&terrain, &[material([0.5; 3])], MOST_SAMPLES);
        assert_eq!(mesh.positions.len(), 24);
        assert_eq!(mesh.triangles.len(), 2 * 3 * 5);
        let expected = Vec3::new(-0.5, 0.25, 1.0).normalize();
        assert!(mesh.normals.iter().all(|&n| (Vec3::from(n) - expected).length() < 1e-6));
        let corner = |i: u32| Vec3::from(mesh.positions[i as usize]);
        for [a, b, c] in &mesh.triangles {
            let face = (corner(*b) - corner(*a)).cross(corner(*c) - corner(*a)).normalize();
            assert!((face - expected).length() < 1e-5, "{face}");
        }
    }

    #[test]
    fn the_triangles_are_those_of_the_physics() {
        let terrain = ground(2, 2, |x, y| if x > -0.75 && y > 2.25 { 1.0 } else { 0.0 });
        let mesh = terrain_mesh(&terrain, &[material([0.5; 3])], MOST_SAMPLES);
        let flat = mesh.triangles[0].map(|i| mesh.positions[i as usize][2]);
        assert_eq!(flat, [0.0; 3], "the triangle at the near corner is flat, as terrain.height_at says");
        assert_eq!(terrain.height_at(-0.8, 2.2), Some(0.0));
    }

    #[test]
    fn colours_meet_half_way_between_materials() {
        let mut terrain = ground(2, 3, |_, _| 0.0);
        terrain.cell_materials = vec![0, 1];
        let mesh = terrain_mesh(&terrain, &[material([0.0, 0.0, 0.0]), material([1.0, 1.0, 1.0])], MOST_SAMPLES);
        let reds: Vec<f32> = mesh.colors[..3].iter().map(|c| c[0]).collect();
        assert_eq!(reds, [0.0, 0.5, 1.0]);
    }

    #[test]
    fn hollows_are_darker_than_bumps() {
        let bump = ground(5, 5, |x, y| if x == 0.0 && y == 3.0 { 0.05 } else { 0.0 });
        let hollow = ground(5, 5, |x, y| if x == 0.0 && y == 3.0 { -0.05 } else { 0.0 });
        let centre = |terrain: &Terrain| terrain_mesh(terrain, &[material([0.5; 3])], MOST_SAMPLES).colors[12][0];
        assert!(centre(&hollow) < centre(&ground(5, 5, |_, _| 0.0)));
        assert!(centre(&bump) > centre(&ground(5, 5, |_, _| 0.0)));
    }

    #[test]
    fn a_ground_of_too_many_samples_is_thinned_to_its_edges() {
        let mesh = terrain_mesh(&ground(11, 21, |x, _| x), &[material([0.5; 3])], 60);
        assert_eq!(mesh.positions.len(), 6 * 11);
        let reach = mesh.positions.iter().map(|p| p[0]).fold(f32::MIN, f32::max);
        assert_eq!(reach, 9.0, "the far edge is where it was");
    }

    #[test]
    fn a_thinned_grid_keeps_its_last_row() {
        assert_eq!(picks(10, 4), [0, 4, 8, 9]);
        assert_eq!(picks(9, 4), [0, 4, 8]);
        assert_eq!(picks(3, 1), [0, 1, 2]);
    }

    #[test]
    fn the_skirt_faces_outward_and_reaches_the_bottom() {
        let terrain = ground(3, 4, |x, _| x);
        let mesh = skirt(&terrain, -5.0);
        let corner = |i: u32| Vec3::from(mesh.positions[i as usize]);
        for [a, b, c] in &mesh.triangles {
            let face = (corner(*b) - corner(*a)).cross(corner(*c) - corner(*a)).normalize();
            assert!(face.dot(Vec3::from(mesh.normals[*a as usize])) > 0.99);
        }
        assert!(mesh.positions.iter().any(|p| p[2] == -5.0));
    }
}
