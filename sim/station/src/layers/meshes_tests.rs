//! Layers as triangles, without a graphics adapter.

use nalgebra::Vector3;

use super::*;

/// 4 x 3 samples that rise to the east by 0.1 m each; the first is not known.
fn slope() -> HeightMap {
    let mut heights: Vec<f64> = (0..12).map(|i| 0.1 * f64::from(i % 4)).collect();
    heights[0] = f64::NAN;
    HeightMap { cell: 0.5, origin_x: 1.0, origin_y: -1.0, columns: 4, rows: 3, heights }
}

fn face(mesh: &MeshData, [a, b, c]: &[u32; 3]) -> Vec3 {
    let corner = |i: &u32| Vec3::from(mesh.positions[*i as usize]);
    (corner(b) - corner(a)).cross(corner(c) - corner(a)).normalize()
}

/// Every corner has a normal and a colour, every triangle three corners.
fn is_whole(mesh: &MeshData) -> bool {
    let count = mesh.positions.len();
    mesh.normals.len() == count
        && mesh.colors.len() == count
        && mesh.triangles.iter().flatten().all(|i| (*i as usize) < count)
        && mesh.positions.iter().flatten().all(|c| c.is_finite())
}

#[test]
fn heights_are_open_where_nothing_is_known_and_look_up() {
    let mesh = heights(&slope(), None, 1_000);
    assert!(is_whole(&mesh));
    assert_eq!((mesh.positions.len(), mesh.triangles.len()), (11, 2 * 6 - 1), "a corner and its triangle are missing");
    assert!(mesh.triangles.iter().all(|triangle| face(&mesh, triangle).z > 0.9));
    let expected = Vec3::new(-0.2, 0.0, 1.0).normalize();
    assert!(mesh.normals.iter().all(|normal| Vec3::from(*normal).distance(expected) < 1e-5), "{:?}", mesh.normals);
    let east = mesh.positions.iter().zip(&mesh.colors).find(|(p, _)| p[0] == 2.5).unwrap();
    assert_eq!(east.0[2], 0.3 + LIFTS.0);
    assert!(east.1[0] > 0.9, "the highest is yellow: {:?}", east.1);
}

#[test]
fn a_large_map_is_thinned_out_and_an_unknown_one_is_nothing() {
    let map = HeightMap { heights: vec![0.5; 10_000], columns: 100, rows: 100, ..slope() };
    let mesh = heights(&map, None, 2_500);
    assert_eq!(mesh.positions.len(), 2_500);
    let reach = mesh.positions.iter().map(|p| p[0]).fold(f32::MIN, f32::max);
    assert_eq!(reach, 1.0 + 98.0 * 0.5);
    assert_eq!(heights(&HeightMap { heights: vec![f64::NAN; 12], ..slope() }, None, 100), MeshData::default());
    assert_eq!(heights(&HeightMap::default(), None, 100), MeshData::default());
}

#[test]
fn costs_lie_on_the_ground_and_free_and_unknown_cells_are_not_painted() {
    let values = vec![0.0, f32::NAN, 0.5, 1.0];
    let grid = Grid { cell: 0.2, origin_x: 1.0, origin_y: 2.0, columns: 2, rows: 2, values };
    let mesh = costs(&grid, |x, _| x);
    assert!(is_whole(&mesh));
    assert_eq!((mesh.positions.len(), mesh.triangles.len()), (8, 4));
    assert!(mesh.positions.iter().all(|[x, y, z]| (z - x - LIFTS.1).abs() < 1e-6 && *y >= 2.09), "{mesh:?}");
    assert!(mesh.colors[7][3] == 1.0 && mesh.colors[0][3] < 1.0, "what is forbidden is opaque");
    assert!(mesh.triangles.iter().all(|triangle| face(&mesh, triangle).z > 0.5));
}

#[test]
fn a_surfel_has_its_place_size_and_normal() {
    let surfel = |normal| SurfelView { position: Point3::new(1.0, 2.0, 3.0), normal, radius: 0.25 };
    let mesh = surfels(&[surfel(Vector3::new(0.0, 0.0, -1.0)), surfel(Vector3::y())], 10);
    assert!(is_whole(&mesh));
    assert_eq!((mesh.positions.len(), mesh.triangles.len()), (12, 8));
    let centre = Vec3::new(1.0, 2.0, 3.0 + SURFEL_LIFT);
    assert!(mesh.positions[..6].iter().all(|p| (Vec3::from(*p).distance(centre) - 0.25).abs() < 1e-5));
    for (index, triangle) in mesh.triangles.iter().enumerate() {
        let expected = if index < 4 { Vec3::Z } else { Vec3::Y };
        assert!(face(&mesh, triangle).distance(expected) < 1e-5, "the one below the ground is turned over");
    }
    assert!(mesh.colors[0] != mesh.colors[6], "level and upright differ");
    assert_eq!(surfels(&[surfel(Vector3::x()); 100], 30).triangles.len(), 4 * 25);
}

#[test]
fn a_cloud_is_thinned_out_evenly_and_coloured_by_height_in_the_map() {
    let points: Vec<[f32; 3]> = (0..100_u8).map(|i| [0.0, 0.0, f32::from(i) / 50.0]).collect();
    let upside_down = Isometry3::rotation(Vector3::new(std::f64::consts::PI, 0.0, 0.0));
    let given = PointCloud { points, ..PointCloud::default() };
    let mesh = cloud(&given, &upside_down, 50);
    assert!(is_whole(&mesh));
    assert_eq!((mesh.positions.len(), mesh.triangles.len()), (4 * 50, 4 * 50));
    let (first, last) = (mesh.colors[0], mesh.colors[mesh.colors.len() - 1]);
    assert!(first[0] > 0.9 && last[0] < 0.15, "what is high in the cloud is low in the map: {first:?} {last:?}");
    let middle = |i: usize| mesh.positions[4 * i..4 * i + 4].iter().map(|p| Vec3::from(*p)).sum::<Vec3>() / 4.0;
    assert!(middle(1).distance(Vec3::new(0.0, 0.0, 0.04)) < 1e-5);
    assert!(cloud(&PointCloud::default(), &upside_down, 50).triangles.is_empty());
}

#[test]
fn the_height_beside_the_known_is_that_of_its_cell() {
    let map = slope();
    assert_eq!(height_near(&map, 1.2, -1.0), None, "the cell itself is not known");
    assert!((height_near(&map, 1.4, -1.0).unwrap() - 0.1).abs() < 1e-12, "beside the unknown one");
    assert!((height_near(&map, 2.7, 0.0).unwrap() - 0.3).abs() < 1e-12, "the rim of the last cell");
    assert_eq!(height_near(&map, 3.0, 0.0), None);
    assert_eq!(height_near(&map, f64::NAN, 0.0), None);
}
