//! Meshes as convex parts.
//!
//! A mesh that is nearly convex becomes its hull, and one of closed convex pieces becomes those. Any other is taken apart by parry's VHACD (Mamou, "Volumetric hierarchical approximate
//! convex decomposition", 2016), which is deterministic and takes some tenths of a second, so that what was found for a mesh is kept for the
//! process. Hulls keep the corners that lie farthest out in many directions: a contact's search looks at each.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use nalgebra::Vector3;
use parry3d::math::Vector;
use parry3d::shape::SharedShape;
use parry3d::transformation::try_convex_hull;
use parry3d::transformation::vhacd::{VHACD, VHACDParameters};
use worlds::TriangleMesh;

use crate::convert::{vector, vector64};

/// A mesh whose hull has no more than so many times its volume is taken for convex.
const NEARLY_CONVEX: f64 = 1.15;
/// A piece is convex if its hull has its volume to so many times that.
const EXACTLY_CONVEX: f64 = 1e-3;
/// Most pieces that a mesh is taken for.
const MOST_PIECES: usize = 32;
/// Most parts of a mesh that is taken apart.
const MOST_PARTS: u32 = 16;
/// Cells along the longest edge of a mesh that is taken apart.
const CELLS: u32 = 48;
/// How much of a part's volume may be missing.
const CONCAVITY: f32 = 0.02;
/// Corners of a hull are looked for in so many directions; a hull of fewer keeps all.
const DIRECTIONS: usize = 96;
/// A mesh that is flat becomes a plate of so much thickness [m].
const THIN: f64 = 1e-3;

/// What was found for meshes: by a hash of their corners and triangles.
type Found = BTreeMap<[u8; 32], Arc<Vec<SharedShape>>>;
static FOUND: Mutex<Found> = Mutex::new(BTreeMap::new());

/// The convex parts of a mesh that is scaled along its axes.
pub(crate) fn of_mesh(mesh: &TriangleMesh, scale: &Vector3<f64>) -> Arc<Vec<SharedShape>> {
    let corners: Vec<Vector> =
        mesh.vertices.iter().map(|vertex| vector(&Vector3::from(*vertex).component_mul(scale))).collect();
    let key = key(&corners, &mesh.triangles);
    let found = FOUND.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
    found.unwrap_or_else(|| {
        let parts = Arc::new(parts(&corners, &mesh.triangles));
        FOUND.lock().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&parts));
        parts
    })
}

fn key(corners: &[Vector], triangles: &[[u32; 3]]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for corner in corners {
        for coordinate in corner.to_array() {
            hasher.update(&coordinate.to_bits().to_le_bytes());
        }
    }
    for corner in triangles.iter().flatten() {
        hasher.update(&corner.to_le_bytes());
    }
    *hasher.finalize().as_bytes()
}

fn parts(corners: &[Vector], triangles: &[[u32; 3]]) -> Vec<SharedShape> {
    let thick = thickened(corners, triangles);
    let Ok((hull, faces)) = try_convex_hull(&thick) else { return vec![around(&thick)] };
    let whole = || vec![convex(&hull).unwrap_or_else(|| around(&thick))];
    let (own, of_hull) = (volume(corners, triangles), volume(&hull, &faces));
    // a mesh that is not closed has no volume to speak of
    if own <= 0.0 || of_hull <= NEARLY_CONVEX * own {
        return whole();
    }
    if let Some(pieces) = pieces(corners, triangles) {
        return pieces;
    }
    let parameters = VHACDParameters {
        resolution: CELLS,
        concavity: CONCAVITY,
        max_convex_hulls: MOST_PARTS,
        ..VHACDParameters::default()
    };
    let apart = VHACD::decompose(&parameters, corners, triangles, true);
    let parts = apart.compute_exact_convex_hulls(corners, triangles);
    let parts: Vec<SharedShape> = parts.iter().filter_map(|(corners, _)| convex(corners)).collect();
    if parts.is_empty() { whole() } else { parts }
}

/// The pieces of a mesh that consists of a few, each closed and convex; `None` of any other. Triangles that share a corner are of the same piece.
fn pieces(corners: &[Vector], triangles: &[[u32; 3]]) -> Option<Vec<SharedShape>> {
    let mut piece_of: Vec<usize> = (0..corners.len()).collect();
    let root = |piece_of: &[usize], mut corner: usize| {
        while piece_of[corner] != corner {
            corner = piece_of[corner];
        }
        corner
    };
    for [a, b, c] in triangles {
        let [a, b, c] = [a, b, c].map(|corner| root(&piece_of, *corner as usize));
        let least = a.min(b).min(c);
        [a, b, c].into_iter().for_each(|corner| piece_of[corner] = least);
    }
    let mut found: BTreeMap<usize, Vec<[u32; 3]>> = BTreeMap::new();
    for triangle in triangles {
        found.entry(root(&piece_of, triangle[0] as usize)).or_default().push(*triangle);
        if found.len() > MOST_PIECES {
            return None;
        }
    }
    found.values().map(|own| piece(corners, own)).collect()
}

/// The hull of some triangles that close a convex piece.
fn piece(corners: &[Vector], triangles: &[[u32; 3]]) -> Option<SharedShape> {
    let mut own: Vec<u32> = triangles.iter().flatten().copied().collect();
    own.sort_unstable();
    own.dedup();
    let points: Vec<Vector> = own.iter().map(|corner| corners[*corner as usize]).collect();
    let (hull, faces) = try_convex_hull(&points).ok()?;
    let (inside, of_hull) = (volume(corners, triangles), volume(&hull, &faces));
    let is_convex = inside > 0.0 && (of_hull - inside).abs() <= EXACTLY_CONVEX * of_hull;
    (is_convex && points.len() <= DIRECTIONS).then(|| convex(&points)).flatten()
}

/// The corners of a mesh, or of a flat one those of a plate.
fn thickened(corners: &[Vector], triangles: &[[u32; 3]]) -> Vec<Vector> {
    let across = |[a, b, c]: [Vector; 3]| (b - a).cross(c - a);
    let normals = triangles.iter().map(|triangle| across(triangle.map(|corner| corners[corner as usize])));
    let largest = normals.max_by(|one, two| one.length_squared().total_cmp(&two.length_squared()));
    let Some(normal) = largest.and_then(Vector::try_normalize) else { return corners.to_vec() };
    let along = |corner: &Vector| normal.dot(*corner);
    let (low, high) = (
        corners.iter().map(along).fold(f32::INFINITY, f32::min),
        corners.iter().map(along).fold(f32::NEG_INFINITY, f32::max),
    );
    let thin = THIN as f32;
    if high - low > thin {
        return corners.to_vec();
    }
    corners.iter().flat_map(|corner| [-0.5, 0.5].map(|side| *corner + normal * (side * thin))).collect()
}

/// Volume within a closed surface [m³].
fn volume(corners: &[Vector], triangles: &[[u32; 3]]) -> f64 {
    let six = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|corner| vector64(corners[corner as usize]));
        a.dot(&b.cross(&c))
    };
    triangles.iter().map(six).sum::<f64>() / 6.0
}

/// The hull of some points, with few corners; `None` if they lie in a plane.
fn convex(points: &[Vector]) -> Option<SharedShape> {
    if points.len() <= DIRECTIONS {
        return SharedShape::convex_hull(points);
    }
    let mut kept: Vec<usize> = (0..DIRECTIONS).map(|index| farthest(points, direction(index))).collect();
    for axis in [Vector::X, Vector::Y, Vector::Z] {
        kept.extend([farthest(points, axis), farthest(points, -axis)]);
    }
    kept.sort_unstable();
    kept.dedup();
    let few: Vec<Vector> = kept.into_iter().map(|index| points[index]).collect();
    SharedShape::convex_hull(&few).or_else(|| SharedShape::convex_hull(points))
}

/// One of [`DIRECTIONS`] that are spread evenly, along a spiral from pole to pole.
fn direction(index: usize) -> Vector {
    const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
    let z = 1.0 - (2.0 * index as f64 + 1.0) / DIRECTIONS as f64;
    let (sin, cos) = libm::sincos(GOLDEN_ANGLE * index as f64);
    let across = (1.0 - z * z).sqrt();
    vector(&Vector3::new(across * cos, across * sin, z))
}

fn farthest(points: &[Vector], direction: Vector) -> usize {
    let mut best = (f32::NEG_INFINITY, 0);
    for (index, point) in points.iter().enumerate() {
        let along = point.dot(direction);
        if along > best.0 {
            best = (along, index);
        }
    }
    best.1
}

/// A box around points that no hull is found for: they lie along a line.
fn around(points: &[Vector]) -> SharedShape {
    let (mut low, mut high) = (points[0], points[0]);
    for point in points {
        (low, high) = (low.min(*point), high.max(*point));
    }
    let (middle, half) = (0.5 * (low + high), (0.5 * (high - low)).max(Vector::splat(0.5 * THIN as f32)));
    let corner = |index: usize| {
        let side = |axis: usize| if index >> axis & 1 == 1 { 1.0 } else { -1.0 };
        middle + half * Vector::new(side(0), side(1), side(2))
    };
    let corners: [Vector; 8] = core::array::from_fn(corner);
    SharedShape::convex_hull(&corners).unwrap_or_else(|| SharedShape::cuboid(half.x, half.y, half.z))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box from one corner to another as a mesh.
    fn block(low: [f64; 3], high: [f64; 3]) -> TriangleMesh {
        let corner =
            |index: usize| core::array::from_fn(|axis| if index >> axis & 1 == 1 { high[axis] } else { low[axis] });
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let halves = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d]];
        TriangleMesh { vertices: (0..8).map(corner).collect(), triangles: faces.into_iter().flat_map(halves).collect() }
    }

    fn join(meshes: &[TriangleMesh]) -> TriangleMesh {
        let mut joined = TriangleMesh { vertices: Vec::new(), triangles: Vec::new() };
        for mesh in meshes {
            let first = joined.vertices.len() as u32;
            joined.vertices.extend(&mesh.vertices);
            joined.triangles.extend(mesh.triangles.iter().map(|triangle| triangle.map(|corner| first + corner)));
        }
        joined
    }

    #[test]
    fn a_box_is_one_part_of_its_size() {
        let parts = of_mesh(&block([0.0; 3], [1.0, 2.0, 3.0]), &Vector3::repeat(0.1));
        assert_eq!(parts.len(), 1);
        let size = parts[0].compute_local_aabb().maxs;
        assert!((size.x - 0.1).abs() < 1e-6 && (size.y - 0.2).abs() < 1e-6 && (size.z - 0.3).abs() < 1e-6, "{size}");
    }

    #[test]
    fn a_fork_keeps_the_room_between_its_prongs() {
        let prong = |x: f64| block([x, 0.0, 0.0], [x + 0.02, 0.02, 0.2]);
        let fork = join(&[block([0.0, 0.0, -0.02], [0.1, 0.02, 0.0]), prong(0.0), prong(0.08)]);
        let parts = of_mesh(&fork, &Vector3::repeat(1.0));
        let holds = |point: Vector| parts.iter().any(|part| part.contains_point(&parry3d::math::Pose::IDENTITY, point));
        assert!(holds(Vector::new(0.01, 0.01, 0.15)) && holds(Vector::new(0.09, 0.01, 0.15)), "both prongs are there");
        assert!(!holds(Vector::new(0.05, 0.01, 0.15)), "and nothing between them");
        assert_eq!(format!("{:?}", bounds(&parts)), format!("{:?}", bounds(&of_mesh(&fork, &Vector3::repeat(1.0)))));
    }

    #[test]
    fn convex_pieces_are_taken_as_they_are() {
        // a tray of 10 cm with walls of 2 mm, which no cell of the decomposition resolves
        let wall = |x: f64| block([x, 0.0, 0.002], [x + 0.002, 0.1, 0.05]);
        let tray = join(&[block([0.0, 0.0, 0.0], [0.1, 0.1, 0.002]), wall(0.0), wall(0.098)]);
        let parts = of_mesh(&tray, &Vector3::repeat(1.0));
        assert_eq!(parts.len(), 3);
        let holds = |point: Vector| parts.iter().any(|part| part.contains_point(&parry3d::math::Pose::IDENTITY, point));
        for (x, is_wall) in [(0.001, true), (0.0025, false), (0.05, false), (0.0975, false), (0.099, true)] {
            assert_eq!(holds(Vector::new(x, 0.05, 0.04)), is_wall, "{x}");
        }
        // one that is not convex is not taken for a piece
        let corner = join(&[block([0.0; 3], [0.1, 0.02, 0.02]), wall(0.2)]);
        let mut bent = corner.clone();
        bent.vertices[7] = [0.05, 0.01, 0.01];
        assert!(pieces_of(&corner).is_some() && pieces_of(&bent).is_none());
    }

    fn pieces_of(mesh: &TriangleMesh) -> Option<Vec<SharedShape>> {
        let corners: Vec<Vector> = mesh.vertices.iter().map(|vertex| vector(&Vector3::from(*vertex))).collect();
        pieces(&corners, &mesh.triangles)
    }

    fn bounds(parts: &[SharedShape]) -> Vec<[u32; 6]> {
        let bits = |part: &SharedShape| {
            let bounds = part.compute_local_aabb();
            [bounds.mins.x, bounds.mins.y, bounds.mins.z, bounds.maxs.x, bounds.maxs.y, bounds.maxs.z].map(f32::to_bits)
        };
        parts.iter().map(bits).collect()
    }

    #[test]
    fn a_flat_mesh_is_a_thin_plate() {
        let flat =
            TriangleMesh { vertices: vec![[0.0; 3], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0]], triangles: vec![[0, 1, 2]] };
        let size = of_mesh(&flat, &Vector3::repeat(1.0))[0].compute_local_aabb().half_extents();
        assert!((size.x - 0.05).abs() < 1e-6 && (size.z - 5e-4).abs() < 1e-6, "{size}");
    }
}
