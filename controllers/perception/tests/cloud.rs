//! Points, normals, planes, and what stands on them.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use perception::{
    Cluster, ClusterFinder, ClusterSettings, DepthCloud, DepthNoise, NormalSettings, Plane, PlaneFinder, PlaneSettings,
};
use support::{Body, Form, World, camera_at, cup, depth_picture, depth_view, standing};

fn cloud(world: &World, camera: Isometry3<f64>, seed: u64) -> DepthCloud {
    let view = depth_view(camera);
    let mut cloud = DepthCloud::new(DepthNoise::default(), NormalSettings::default()).unwrap();
    cloud.fill(&depth_picture(world, &view, seed), &view).unwrap();
    cloud
}

fn planes(cloud: &DepthCloud) -> Vec<Plane> {
    PlaneFinder::new(PlaneSettings::default()).unwrap().find(cloud, &Vector3::z_axis()).to_vec()
}

fn clusters(cloud: &DepthCloud, planes: &[Plane]) -> Vec<Cluster> {
    ClusterFinder::new(ClusterSettings::default()).unwrap().find(cloud, planes).to_vec()
}

fn table() -> Body {
    Body { form: Form::Box([0.6, 1.2, 0.04].into()), pose: standing(1.0, 0.0, 0.68, 0.0), rgb: [180.0, 140.0, 90.0] }
}

#[test]
fn ground_and_table_are_found_to_millimetres_and_half_a_degree() {
    for seed in 0..10 {
        let cloud = cloud(&World::of(&[table()]), camera_at(Point3::new(1.0, 0.0, 0.7), 1.2, 0.8, 0.0), seed);
        let planes = planes(&cloud);
        let heights: Vec<f64> = planes.iter().map(|plane| plane.height(&Point3::new(1.0, 0.0, 0.0))).collect();
        assert_eq!(planes.len(), 2, "seed {seed}: {planes:#?}");
        assert!(heights[0].abs() < 0.01 && (heights[1] + 0.7).abs() < 0.003, "seed {seed}: {heights:?}");
        for plane in &planes {
            assert!(plane.normal.angle(&Vector3::z()) < 0.5_f64.to_radians(), "seed {seed}: {plane:?}");
        }
    }
}

#[test]
fn normals_of_a_table_point_up() {
    let cloud = cloud(&World::of(&[table()]), camera_at(Point3::new(1.0, 0.0, 0.7), 1.0, 0.8, 0.0), 1);
    let on_table = |pixel: &usize| {
        cloud.point(*pixel).is_some_and(|point| (point.z - 0.7).abs() < 0.01 && (point.x - 1.0).abs() < 0.2)
    };
    let angles: Vec<f64> = (0..cloud.len())
        .step_by(7)
        .filter(on_table)
        .filter_map(|pixel| cloud.normal(pixel))
        .map(|normal| normal.angle(&Vector3::z()))
        .collect();
    let mut sorted = angles.clone();
    assert!(sorted.len() > 500);
    assert!(support::median(&mut sorted).to_degrees() < 6.0, "{}", support::median(&mut sorted).to_degrees());
}

#[test]
fn two_cups_that_stand_3_cm_apart_are_two() {
    for seed in 0..20 {
        let world = World::of(&[cup(standing(1.0, 0.055, 0.05, 0.0)), cup(standing(1.0, -0.055, 0.05, 0.0))]);
        let cloud = cloud(&world, camera_at(Point3::new(1.0, 0.0, 0.05), 0.8, 0.7, 0.0), seed);
        let found = clusters(&cloud, &planes(&cloud));
        assert_eq!(found.len(), 2, "seed {seed}");
        for cluster in &found {
            assert!((cluster.centroid.y.abs() - 0.055).abs() < 0.01, "seed {seed}: {}", cluster.centroid);
            assert!((0.08..0.14).contains(&cluster.extent.max()), "seed {seed}: {}", cluster.extent);
            assert!((0.09..0.115).contains(&cluster.heights[1]), "seed {seed}: {:?}", cluster.heights);
            assert!(!cluster.is_cut);
        }
    }
}

#[test]
fn a_cup_stands_on_the_table_and_not_on_the_ground() {
    let world = World::of(&[table(), cup(standing(1.0, 0.0, 0.75, 0.0))]);
    let cloud = cloud(&world, camera_at(Point3::new(1.0, 0.0, 0.7), 1.1, 0.7, 0.0), 4);
    let planes = planes(&cloud);
    let found = clusters(&cloud, &planes);
    assert_eq!((planes.len(), found.len()), (2, 1), "{found:#?}");
    assert_eq!(found[0].plane, 1);
    assert!((0.08..0.12).contains(&found[0].heights[1]), "{:?}", found[0].heights);
}

#[test]
fn nothing_stands_on_empty_ground_level_or_wavy() {
    for seed in 0..50 {
        let world = World { bodies: Vec::new(), waves: 0.0001 * seed as f64 };
        let cloud = cloud(&world, camera_at(Point3::new(1.0, 0.0, 0.0), 0.9, 0.6, 0.3 * seed as f64), seed);
        let found = clusters(&cloud, &planes(&cloud));
        assert!(found.is_empty(), "seed {seed}: {:?}", found.iter().map(|cluster| cluster.extent).collect::<Vec<_>>());
    }
}

#[test]
fn a_level_cut_through_walls_is_no_plane_to_stand_on() {
    // a gateway with a bin before it, a hall behind
    let wall = |x: f64, y: f64, size: [f64; 3]| Body {
        form: Form::Box(size.into()),
        pose: standing(x, y, 0.5 * size[2], 0.0),
        rgb: [160.0; 3],
    };
    let world = World::of(&[
        wall(1.3, 2.0, [0.2, 2.6, 1.2]),
        wall(1.3, -2.0, [0.2, 2.6, 1.2]),
        wall(5.5, 0.0, [0.2, 6.0, 1.2]),
        wall(1.2, 0.0, [0.01, 0.3, 0.6]),
        wall(1.4, 0.14, [0.22, 0.01, 0.6]),
        wall(1.4, -0.14, [0.22, 0.01, 0.6]),
    ]);
    for seed in 0..20 {
        let turn = UnitQuaternion::from_euler_angles(0.0, 0.3, 0.0);
        let camera = Isometry3::from_parts(Vector3::new(0.1, 0.0, 1.07).into(), turn);
        let found = planes(&cloud(&world, camera, seed));
        assert_eq!(found.len(), 1, "seed {seed}: {found:#?}");
        assert!(found[0].height(&Point3::new(1.0, 0.0, 0.0)).abs() < 0.02, "seed {seed}: {found:#?}");
    }
}

#[test]
fn the_same_picture_has_the_same_planes_and_clusters_and_memory_does_not_show() {
    let camera = camera_at(Point3::new(1.0, 0.0, 0.7), 1.1, 0.7, 0.0);
    let first = cloud(&World::of(&[table(), cup(standing(1.0, 0.0, 0.75, 0.0))]), camera, 4);
    let other = cloud(&World::of(&[cup(standing(1.0, 0.1, 0.05, 0.0))]), camera, 5);
    let mut planes = PlaneFinder::new(PlaneSettings::default()).unwrap();
    let mut clusters = ClusterFinder::new(ClusterSettings::default()).unwrap();
    let mut look = |cloud: &DepthCloud| {
        let planes = planes.find(cloud, &Vector3::z_axis()).to_vec();
        let clusters = clusters.find(cloud, &planes).to_vec();
        (planes, clusters)
    };
    let before = look(&first);
    look(&other);
    assert!(before == look(&first));
}

#[test]
fn pictures_without_pixels_and_without_depth_show_nothing_and_those_of_another_size_are_refused() {
    let mut cloud = DepthCloud::new(DepthNoise::default(), NormalSettings::default()).unwrap();
    let nothing = perception::CameraView::still(robot_io::Intrinsics::default(), Isometry3::identity());
    cloud.fill(&robot_io::DepthImage::default(), &nothing).unwrap();
    assert!(cloud.is_empty() && planes(&cloud).is_empty() && clusters(&cloud, &[]).is_empty());
    let view = depth_view(Isometry3::identity());
    let dark = robot_io::DepthImage { width: 320, height: 240, depths: vec![0; 320 * 240], ..Default::default() };
    cloud.fill(&dark, &view).unwrap();
    assert!(planes(&cloud).is_empty() && clusters(&cloud, &[]).is_empty() && cloud.normal(5).is_none());
    let told = cloud.fill(&robot_io::DepthImage::default(), &view).unwrap_err().to_string();
    assert_eq!(told, "perception: the picture of the depth camera: expected 76800 pixels, found 0");
}
