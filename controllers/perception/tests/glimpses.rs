//! What is seen by its colour, too far away to be recognised.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use nalgebra::{Isometry3, Matrix3, Matrix6, Point3, UnitQuaternion, Vector3};
use perception::{
    CameraView, ColourClass, ColourTable, DepthCloud, Detection, Ground, Look, Misfit, ObjectClass, Pictures,
    Recogniser, RecognitionSettings, Sighting, SightingFinder, SightingSettings, Symmetry, TrackEvent,
    TrackingSettings, WorldModel,
};
use robot_io::Time;
use support::{
    BLUE, Body, Form, Luck, SOIL, World, colour_intrinsics, colour_picture, colours, cup, depth_picture, depth_view,
    looking, models, standing,
};

/// A cup on a table 70 cm high, so far ahead.
fn on_a_table(x: f64, y: f64) -> World {
    let table = Body { form: Form::Box([0.6, 0.8, 0.7].into()), pose: standing(x + 0.2, 0.0, 0.35, 0.0), rgb: SOIL };
    World::of(&[table, cup(standing(x, y, 0.75, 0.3))])
}

fn sightings(world: &World, seed: u64) -> Vec<Sighting> {
    let widths = |class: &ColourClass| ColourClass { foot_to_middle: 0.03, width: [0.03, 0.2], ..class.clone() };
    let table = ColourTable::new(colours().classes().iter().map(widths).collect());
    let mut finder = SightingFinder::new(table, SightingSettings::default()).unwrap();
    let camera = looking(Point3::new(0.0, 0.0, 1.35), Point3::new(3.0, 0.0, 0.5));
    let settings = RecognitionSettings::default();
    let mut cloud = DepthCloud::new(settings.noise, settings.normals).unwrap();
    cloud.fill(&depth_picture(world, &depth_view(camera), seed), &depth_view(camera)).unwrap();
    let view = CameraView::still(colour_intrinsics(), camera * Isometry3::translation(0.0, 0.025, 0.0));
    let ground = Ground::Plane { point: Point3::origin(), normal: Vector3::z_axis() };
    finder.find_with_depth(&colour_picture(world, &view, seed), &view, &cloud, &ground).unwrap().to_vec()
}

#[test]
fn a_cup_on_a_table_is_glimpsed_where_it_is_up_to_4_m_away() {
    for seed in 0..20 {
        let mut luck = Luck::new(seed, "glimpsed");
        let (x, y) = (luck.within(1.5, 4.0), luck.within(-0.3, 0.3));
        let seen = sightings(&on_a_table(x, y), seed);
        assert_eq!(seen.len(), 1, "{x} {y}: {seen:?}");
        let off = seen[0].position - Point3::new(x, y, 0.75);
        let square = off.dot(&(seen[0].covariance.try_inverse().unwrap() * off));
        assert!(seen[0].is_measured && off.norm() < 0.05 && square < 11.3, "{x} {y}: {off:?} {square}");
    }
}

#[test]
fn what_is_too_near_for_depth_is_not_looked_for_on_the_ground_behind_and_what_is_too_far_is() {
    // 40 cm before the camera, as in a hand
    assert_eq!(sightings(&World::of(&[cup(standing(0.4, 0.0, 1.25, 0.0))]), 1), []);
    let seen = sightings(&World::of(&[cup(standing(8.0, 0.0, 0.05, 0.0))]), 1);
    assert_eq!(seen.len(), 1, "{seen:?}");
    let off = seen[0].position - Point3::new(8.0, 0.0, 0.0);
    assert!(!seen[0].is_measured && off.norm() < 3.0 * seen[0].covariance.trace().sqrt(), "{off:?}");
}

#[test]
fn an_object_of_another_colour_than_its_model_s_is_refused_and_says_so() {
    let camera = looking(Point3::new(0.0, 0.0, 0.5), Point3::new(0.8, 0.0, 0.05));
    let (depth_view, colour_view) = (depth_view(camera), CameraView::still(colour_intrinsics(), camera));
    let mut recogniser = Recogniser::new(models(), Some(colours()), RecognitionSettings::default()).unwrap();
    for (rgb, is_cup) in [(BLUE, true), (SOIL, false)] {
        let world = World::of(&[Body { rgb, ..cup(standing(0.8, 0.0, 0.05, 0.0)) }]);
        let (depth, colour) = (depth_picture(&world, &depth_view, 3), colour_picture(&world, &colour_view, 3));
        let pictures = Pictures { depth: (&depth, &depth_view), colour: Some((&colour, &colour_view)) };
        let seen = recogniser.recognise(&pictures, &Vector3::z_axis(), &UnitQuaternion::identity()).unwrap();
        assert_eq!(seen[0].object.map(|(model, _)| model), is_cup.then_some(0), "{seen:?}");
        assert_eq!(seen[0].has_colour, is_cup);
        let is_told = seen[0].refused.iter().any(|(model, why)| *model == 0 && matches!(why, Misfit::Colour { .. }));
        assert_eq!(is_told, !is_cup, "{seen:?}");
    }
}

fn world() -> WorldModel {
    let class = ObjectClass { name: "battery".to_owned(), symmetry: Symmetry::default() };
    WorldModel::new(vec![class], TrackingSettings::default()).unwrap()
}

fn at(x: f64, deviation: f64) -> Detection {
    Detection::of_place(0, Point3::new(x, 0.0, 0.8), &(Matrix3::identity() * deviation * deviation))
}

fn pose(x: f64) -> Detection {
    Detection::of_pose(0, Isometry3::translation(x, 0.0, 0.8), Matrix6::identity() * 1e-6)
}

fn second(count: u64) -> Time {
    Time::from_nanoseconds(count * 1_000_000_000)
}

#[test]
fn what_was_glimpsed_is_recognised_later_and_stays_the_same_object() {
    let (mut world, reference) = (world(), UnitQuaternion::identity());
    let all = |_: &perception::Track| Look::Seen;
    assert_eq!(world.glimpse(second(1), &[at(3.0, 0.05)], all), []);
    assert_eq!(world.glimpse(second(2), &[at(3.04, 0.05)], all), [TrackEvent::Glimpsed(1)]);
    assert!(world.tracks()[0].is_glimpse() && world.confirmed().next().is_none());
    // nearer, and more exactly
    world.glimpse(second(3), &[at(2.97, 0.03)], all);
    assert!((world.tracks()[0].position().x - 2.97).abs() < 1e-9);
    for count in 4..7 {
        world.update(second(count), &[pose(2.95)], &reference, all);
    }
    let track = *world.confirmed().next().unwrap();
    assert_eq!((track.id, track.has_orientation, world.tracks().len()), (1, true, 1));
    assert!((track.position().x - 2.95).abs() < 2e-3, "{track:?}");
    // a glimpse does not spoil what is known better
    world.glimpse(second(7), &[at(2.99, 0.03)], |_| Look::Hidden);
    let moved = (world.tracks()[0].position() - track.position()).norm();
    assert!(moved < 1e-9 && world.tracks()[0].glimpses == 4, "{:?}", world.tracks());
}

#[test]
fn what_is_glimpsed_no_more_is_forgotten_and_colour_keeps_what_is_too_far_to_be_recognised() {
    let (mut world, reference) = (world(), UnitQuaternion::identity());
    world.glimpse(second(1), &[at(3.0, 0.05)], |_| Look::Seen);
    for count in 2..4 {
        world.glimpse(second(count), &[], |_| Look::Seen);
    }
    assert_eq!(world.tracks().len(), 0);
    for count in 4..7 {
        world.update(second(count), &[pose(1.0)], &reference, |_| Look::Seen);
    }
    // far away, its colour tells that it is there …
    for count in 7..27 {
        assert_eq!(world.glimpse(second(count), &[at(1.02, 0.05)], |_| Look::Seen), []);
    }
    // … and that it is gone
    let lost = (27..40).find(|count| !world.glimpse(second(*count), &[], |_| Look::Seen).is_empty());
    assert_eq!((lost, world.tracks().len()), (Some(32), 0));
}

#[test]
fn a_world_that_is_cleared_gives_no_identity_twice() {
    let mut world = world();
    world.glimpse(second(1), &[at(3.0, 0.05)], |_| Look::Seen);
    world.clear();
    assert_eq!(world.tracks().len(), 0);
    world.glimpse(second(2), &[at(3.0, 0.05)], |_| Look::Seen);
    assert_eq!(world.tracks()[0].id, 2);
}
