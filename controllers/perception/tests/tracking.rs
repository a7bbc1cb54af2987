//! Objects that keep their identity.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use nalgebra::{Isometry3, Matrix3, Matrix6, Point3, UnitQuaternion, Vector3};
use perception::{
    DepthCloud, DepthNoise, Detection, Fitness, Look, NormalSettings, ObjectClass, Registered, Symmetry, Track,
    TrackEvent, TrackingSettings, WorldModel, look_at,
};
use robot_io::{Digest, StateReader, StateWriter, Time};
use support::{Luck, World, battery, camera_at, cup, depth_picture, depth_view, standing};

const CUP: usize = 0;
const BATTERY: usize = 1;

fn world() -> WorldModel {
    let cup = ObjectClass { name: "cup".to_owned(), symmetry: Symmetry::new(Some(Vector3::z_axis()), &[]).unwrap() };
    let folds = [(Vector3::z_axis(), 2), (Vector3::x_axis(), 2)];
    let battery = ObjectClass { name: "battery".to_owned(), symmetry: Symmetry::new(None, &folds).unwrap() };
    WorldModel::new(vec![cup, battery], TrackingSettings::default()).unwrap()
}

fn at(tenths: u64) -> Time {
    Time::from_nanoseconds(tenths * 100_000_000)
}

fn seen(class: usize, x: f64, y: f64, yaw: f64, luck: &mut Luck) -> Detection {
    let mut covariance = Matrix6::identity() * 1e-4;
    covariance.fixed_view_mut::<3, 3>(0, 0).copy_from(&(Matrix3::identity() * 9e-6));
    let pose = standing(x, y, 0.05, yaw);
    let turned = UnitQuaternion::from_scaled_axis(luck.vector(0.01)) * pose.rotation;
    let place = pose.translation.vector + luck.vector(0.003);
    Detection::of_pose(class, Isometry3::from_parts(place.into(), turned), covariance)
}

fn update(world: &mut WorldModel, tenths: u64, detections: &[Detection]) -> Vec<TrackEvent> {
    world.update(at(tenths), detections, &UnitQuaternion::identity(), |_| Look::Seen).to_vec()
}

#[test]
fn an_object_is_confirmed_by_its_third_sighting_and_its_place_gets_better() {
    let (mut world, mut luck) = (world(), Luck::new(1, "cup"));
    assert_eq!(update(&mut world, 0, &[seen(CUP, 1.0, 0.0, 0.3, &mut luck)]), []);
    assert_eq!(update(&mut world, 1, &[seen(CUP, 1.0, 0.0, 1.3, &mut luck)]), []);
    assert_eq!(world.confirmed().count(), 0);
    assert_eq!(update(&mut world, 2, &[seen(CUP, 1.0, 0.0, -2.3, &mut luck)]), [TrackEvent::Confirmed(1)]);
    for tenths in 3..40 {
        assert_eq!(update(&mut world, tenths, &[seen(CUP, 1.0, 0.0, 0.1 * tenths as f64, &mut luck)]), []);
    }
    let cup = world.confirmed().next().unwrap();
    assert!((cup.position() - Point3::new(1.0, 0.0, 0.05)).norm() < 0.004, "{}", cup.position());
    // a round cup has no turn of its own
    assert!(cup.pose.rotation.angle_to(&UnitQuaternion::identity()) < 0.03);
    assert!(cup.covariance[(5, 5)] > 3.0 && cup.covariance[(3, 3)] < 1e-3, "{}", cup.covariance);
}

#[test]
fn two_cups_and_a_battery_keep_their_identities_in_any_order() {
    let (mut world, mut luck) = (world(), Luck::new(2, "three"));
    let places = [(CUP, 1.0, 0.06), (CUP, 1.0, -0.06), (BATTERY, 1.0, 0.0)];
    for tenths in 0..60 {
        let mut detections: Vec<Detection> =
            places.iter().map(|(class, x, y)| seen(*class, *x, *y, 0.2, &mut luck)).collect();
        if tenths > 0 {
            detections.rotate_left(luck.within(0.0, 2.99) as usize);
        }
        update(&mut world, tenths, &detections);
    }
    let found: Vec<(u64, usize)> = world.confirmed().map(|track| (track.id, track.class)).collect();
    assert_eq!(found, [(1, CUP), (2, CUP), (3, BATTERY)]);
    for (track, (_, x, y)) in world.confirmed().zip(places) {
        assert!((track.position() - Point3::new(x, y, 0.05)).norm() < 0.006, "{track:?}");
    }
}

#[test]
fn a_battery_seen_from_behind_is_the_same_battery() {
    let (mut world, mut luck) = (world(), Luck::new(3, "battery"));
    let half = core::f64::consts::PI;
    for tenths in 0..20 {
        let turns = if tenths % 2 == 0 { 0.7 } else { 0.7 + half };
        update(&mut world, tenths, &[seen(BATTERY, 0.8, 0.1, turns, &mut luck)]);
    }
    let tracks: Vec<&Track> = world.confirmed().collect();
    assert_eq!(tracks.len(), 1);
    let truth = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.7);
    assert!(tracks[0].pose.rotation.angle_to(&truth) < 0.02);
}

#[test]
fn what_is_not_where_it_should_be_seen_is_lost_and_what_is_hidden_is_not() {
    let (mut world, mut luck) = (world(), Luck::new(4, "lost"));
    for tenths in 0..3 {
        update(&mut world, tenths, &[seen(CUP, 1.0, 0.0, 0.0, &mut luck)]);
    }
    for tenths in 3..50 {
        for look in [Look::Hidden, Look::Outside] {
            assert_eq!(world.update(at(tenths), &[], &UnitQuaternion::identity(), |_| look), []);
        }
    }
    let deviation = world.tracks()[0].covariance[(0, 0)].sqrt();
    assert!(deviation > 0.009, "after five seconds unseen it may have moved: {deviation} m");
    let events: Vec<TrackEvent> = (50..60).flat_map(|tenths| update(&mut world, tenths, &[])).collect();
    assert_eq!(events, [TrackEvent::Lost(1)]);
    update(&mut world, 60, &[seen(CUP, 1.0, 0.0, 0.0, &mut luck)]);
    assert_eq!(world.tracks()[0].id, 2, "identities are not used again");
}

#[test]
fn a_detection_that_comes_once_is_never_confirmed() {
    let (mut world, mut luck) = (world(), Luck::new(5, "ghost"));
    for tenths in 0..30 {
        let ghost = seen(CUP, luck.within(0.5, 3.0), luck.within(-2.0, 2.0), 0.0, &mut luck);
        update(&mut world, tenths, if tenths % 5 == 0 { core::slice::from_ref(&ghost) } else { &[] });
        assert_eq!(world.confirmed().count(), 0);
    }
    assert!(world.tracks().len() <= 1, "ghosts are forgotten");
}

#[test]
fn a_cup_sighted_far_away_gets_its_pose_when_it_is_near() {
    let (mut world, mut luck) = (world(), Luck::new(6, "approach"));
    let far = Matrix3::from_diagonal(&Vector3::new(0.04, 0.01, 0.01));
    for tenths in 0..4 {
        let place = Point3::new(1.1, 0.05, 0.1) + luck.vector(0.05);
        update(&mut world, tenths, &[Detection::of_place(BATTERY, place, &far)]);
    }
    let battery = world.tracks()[0];
    assert!(battery.is_confirmed && !battery.has_orientation && battery.covariance[(5, 5)] > 1.0);
    for tenths in 4..14 {
        update(&mut world, tenths, &[seen(BATTERY, 1.0, 0.0, 0.6, &mut luck)]);
    }
    assert_eq!(world.tracks().len(), 1, "it is one object: {:#?}", world.tracks());
    let battery = world.tracks()[0];
    assert!(battery.id == 1 && battery.has_orientation);
    assert!((battery.position() - Point3::new(1.0, 0.0, 0.05)).norm() < 0.005, "{}", battery.position());
    let truth = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.6);
    assert!(battery.pose.rotation.angle_to(&truth) < 0.03);
}

#[test]
fn what_slipped_out_of_a_hand_is_about_there_until_it_is_seen() {
    let mut luck = Luck::new(3, "slipped");
    let mut world = world();
    for tenths in 1..=4 {
        update(&mut world, tenths, &[seen(0, 1.0, 0.0, 0.0, &mut luck)]);
    }
    let id = world.tracks()[0].id;
    world.carry(id, Isometry3::translation(1.0, 0.0, 0.2));
    world.lose(id, at(5));
    let lost = *world.track(id).unwrap();
    assert!(!lost.is_confirmed && lost.is_glimpse() && lost.glimpsed == at(5), "{lost:?}");
    for tenths in 6..=8 {
        update(&mut world, tenths, &[seen(0, 1.05, 0.1, 0.0, &mut luck)]);
    }
    let found: Vec<_> = world.confirmed().collect();
    assert_eq!((found.len(), found[0].id), (1, id), "it keeps its identity");
    assert!((found[0].position().x - 1.05).abs() < 0.02, "{:?}", found[0]);
}

#[test]
fn a_pose_with_a_rival_tells_its_place_alone() {
    let (pose, covariance) = (standing(1.0, 0.0, 0.05, 0.3), Matrix6::identity() * 1e-6);
    let mut object = Registered { pose, covariance, fitness: Fitness::default(), rival: None };
    assert!(Detection::from((CUP, &object)).has_orientation);
    object.rival = Some(standing(1.02, 0.0, 0.05, 2.0));
    let told = Detection::from((CUP, &object));
    assert!(!told.has_orientation);
    assert!((told.covariance[(0, 0)].sqrt() - 0.02).abs() < 1e-3 && told.covariance[(1, 1)].sqrt() < 2e-3);
}

#[test]
fn places_are_as_uncertain_as_the_filter_says() {
    let mut squares = Vec::new();
    for seed in 0..200 {
        let (mut world, mut luck) = (world(), Luck::new(seed, "consistent"));
        for tenths in 0..15 {
            update(&mut world, tenths, &[seen(BATTERY, 1.0, 0.0, 0.4, &mut luck)]);
        }
        let track = world.tracks()[0];
        let off = track.position() - Point3::new(1.0, 0.0, 0.05);
        let inverse = track.covariance.fixed_view::<3, 3>(0, 0).try_inverse().unwrap();
        squares.push(off.dot(&(inverse * off)));
    }
    let mean = squares.iter().sum::<f64>() / squares.len() as f64;
    // three degrees of freedom; it allows for more than the noise that is drawn here
    assert!((0.8..3.5).contains(&mean), "{mean}");
}

#[test]
fn a_world_that_is_saved_and_restored_goes_on_alike() {
    let (mut world, mut luck) = (world(), Luck::new(7, "saved"));
    let step = |world: &mut WorldModel, tenths: u64, luck: &mut Luck| {
        update(world, tenths, &[seen(CUP, 1.0, 0.0, 0.0, luck), seen(BATTERY, 1.2, 0.3, 0.2, luck)]);
    };
    for tenths in 0..5 {
        step(&mut world, tenths, &mut luck);
    }
    let mut other = self::world();
    StateReader::restore(&mut other, &StateWriter::save(&mut world)).unwrap();
    let mut again = Luck::new(8, "after");
    let mut and_again = Luck::new(8, "after");
    for tenths in 5..9 {
        step(&mut world, tenths, &mut again);
        step(&mut other, tenths, &mut and_again);
    }
    assert_eq!(Digest::of(&mut world), Digest::of(&mut other));
}

#[test]
fn a_place_is_seen_hidden_or_outside_as_the_depth_picture_says() {
    let mut cloud = DepthCloud::new(DepthNoise::default(), NormalSettings::default()).unwrap();
    let mut look = |world: &World, at: Point3<f64>| {
        let view = depth_view(camera_at(Point3::new(1.0, 0.0, 0.05), 1.0, 0.5, 0.0));
        cloud.fill(&depth_picture(world, &view, 1), &view).unwrap();
        look_at(&cloud, &at, 0.05)
    };
    let place = Point3::new(1.0, 0.0, 0.05);
    assert_eq!(look(&World::default(), place), Look::Seen, "it would be seen, but it is gone");
    assert_eq!(look(&World::of(&[cup(standing(1.0, 0.0, 0.05, 0.0))]), place), Look::Seen);
    assert_eq!(look(&World::of(&[battery(standing(0.75, 0.0, 0.15, 1.57))]), place), Look::Hidden);
    assert_eq!(look(&World::default(), Point3::new(1.0, 3.0, 0.05)), Look::Outside);
}
