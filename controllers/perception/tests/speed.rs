//! How long things take. Not a part of the usual tests: `cargo test --release -p perception --test speed -- --ignored --nocapture`.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::disallowed_methods, reason = "this is about the wall clock")]

mod support;

use std::hint::black_box;
use std::time::Instant;

use nalgebra::{Isometry3, Point3, Unit, UnitQuaternion, Vector3};
use perception::{
    BlobFinder, CameraView, ClusterFinder, ClusterSettings, DepthCloud, DepthNoise, Ground, NormalSettings, Pictures,
    PlaneFinder, PlaneSettings, Recogniser, RecognitionSettings, SightingFinder, SightingSettings,
};
use support::{
    World, battery, camera_at, colour_intrinsics, colour_picture, colours, cup, depth_picture, depth_view, median,
    models, standing,
};

/// The median time of many calls [ms].
fn time(what: &str, mut call: impl FnMut()) {
    let mut times: Vec<f64> = (0..21)
        .map(|_| {
            let start = Instant::now();
            call();
            1e3 * start.elapsed().as_secs_f64()
        })
        .collect();
    println!("| {what} | {:.2} |", median(&mut times));
}

#[test]
#[ignore = "prints times"]
fn milliseconds_per_picture() {
    let camera = camera_at(Point3::new(1.0, 0.0, 0.04), 0.9, 0.7, 0.2);
    let view = depth_view(camera);
    let colour_view = CameraView::still(colour_intrinsics(), camera * Isometry3::translation(0.0, 0.025, 0.0));
    let world = World::of(&[cup(standing(1.0, 0.12, 0.05, 0.0)), battery(standing(1.02, -0.1, 0.04, 0.3))]);
    let depth = depth_picture(&world, &view, 1);
    let image = colour_picture(&world, &colour_view, 1);
    let level = Ground::Plane { point: Point3::origin(), normal: Unit::new_unchecked(Vector3::z()) };

    println!("| part | ms per picture, median of 21 |\n|---|---:|");
    let mut blobs = BlobFinder::default();
    let table = colours();
    time("colour classes and blobs, 640 x 480", || {
        black_box(blobs.find(&table, &image).len());
    });
    let mut sightings = SightingFinder::new(colours(), SightingSettings::default()).unwrap();
    time("the same with places on the ground", || {
        black_box(sightings.find(&image, &colour_view, &level).unwrap().len());
    });
    let mut cloud = DepthCloud::new(DepthNoise::default(), NormalSettings::default()).unwrap();
    time("points, 320 x 240", || cloud.fill(&depth, &view).unwrap());
    time("normals of all points", || {
        black_box((0..cloud.len()).filter_map(|pixel| cloud.normal(pixel)).count());
    });
    let mut planes = PlaneFinder::new(PlaneSettings::default()).unwrap();
    time("planes", || {
        black_box(planes.find(&cloud, &Vector3::z_axis()).len());
    });
    let found = planes.find(&cloud, &Vector3::z_axis()).to_vec();
    let mut clusters = ClusterFinder::new(ClusterSettings::default()).unwrap();
    time("clusters", || {
        black_box(clusters.find(&cloud, &found).len());
    });
    for (what, with_colour) in
        [("recognition of three models, all of the above but sightings", false), ("the same with colour", true)]
    {
        let mut recogniser = Recogniser::new(models(), Some(colours()), RecognitionSettings::default()).unwrap();
        let pictures = Pictures { depth: (&depth, &view), colour: with_colour.then_some((&image, &colour_view)) };
        time(what, || {
            recogniser.recognise(&pictures, &Vector3::z_axis(), &UnitQuaternion::identity()).unwrap();
        });
    }
}
