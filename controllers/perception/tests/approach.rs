//! From afar to the hand: what a robot does that looks for a cup.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use nalgebra::{Isometry3, Point3, Unit, UnitQuaternion, Vector3};
use perception::{
    CameraView, ColourClass, ColourTable, Detection, Ground, Look, ObjectClass, Pictures, Recogniser,
    RecognitionSettings, SightingFinder, SightingSettings, TrackEvent, TrackingSettings, WorldModel, look_at,
};
use robot_io::Time;
use support::{
    Body, World, battery, camera_at, colour_intrinsics, colour_picture, colours, cup, depth_picture, depth_view,
    models, standing,
};

struct Robot {
    far: SightingFinder,
    near: Recogniser,
    world: WorldModel,
    tenths: u64,
}

impl Robot {
    fn new() -> Robot {
        let mut classes = colours().classes().to_vec();
        for class in &mut classes {
            *class = ColourClass { foot_to_middle: 0.04, ..class.clone() };
        }
        let known = |model: &perception::ObjectModel| ObjectClass {
            name: model.name().to_owned(),
            symmetry: model.symmetry().clone(),
        };
        Robot {
            far: SightingFinder::new(ColourTable::new(classes), SightingSettings::default()).unwrap(),
            near: Recogniser::new(models(), Some(colours()), RecognitionSettings::default()).unwrap(),
            world: WorldModel::new(models().iter().map(known).collect(), TrackingSettings::default()).unwrap(),
            tenths: 0,
        }
    }

    fn stamp(&mut self) -> Time {
        self.tenths += 1;
        Time::from_nanoseconds(self.tenths * 100_000_000)
    }

    /// A colour picture of objects that stand on the ground; their middle is 5 cm above it.
    fn look_far(&mut self, world: &World, camera: Isometry3<f64>) -> Vec<TrackEvent> {
        let view = CameraView::still(colour_intrinsics(), camera);
        let level = Ground::Plane { point: Point3::origin(), normal: Unit::new_unchecked(Vector3::z()) };
        let image = colour_picture(world, &view, self.tenths);
        let sightings = self.far.find(&image, &view, &level).unwrap();
        let detections: Vec<Detection> = sightings
            .iter()
            .map(|seen| Detection::of_place(seen.class, seen.position + Vector3::z() * 0.05, &seen.covariance))
            .collect();
        let stamp = self.stamp();
        self.world.update(stamp, &detections, &UnitQuaternion::identity(), |_| Look::Outside).to_vec()
    }

    fn look_near(&mut self, world: &World, camera: Isometry3<f64>) -> Vec<TrackEvent> {
        let view = depth_view(camera);
        let colour_view = CameraView::still(colour_intrinsics(), camera);
        let depth = depth_picture(world, &view, self.tenths);
        let image = colour_picture(world, &colour_view, self.tenths);
        let pictures = Pictures { depth: (&depth, &view), colour: Some((&image, &colour_view)) };
        let reference = UnitQuaternion::identity();
        let found = self.near.recognise(&pictures, &Vector3::z_axis(), &reference).unwrap();
        let detections: Vec<Detection> = found
            .iter()
            .filter_map(|found| found.object)
            .map(|(model, object)| Detection::from((model, &object)))
            .collect();
        let (stamp, cloud) = (self.stamp(), self.near.cloud());
        self.world.update(stamp, &detections, &reference, |track| look_at(cloud, &track.position(), 0.05)).to_vec()
    }
}

fn off(robot: &Robot, class: usize, truth: &Body) -> f64 {
    let track = robot.world.confirmed().find(|track| track.class == class).unwrap();
    (track.pose.translation.vector - truth.pose.translation.vector).norm()
}

#[test]
fn a_cup_and_a_battery_are_sighted_approached_registered_and_missed_when_they_are_taken_away() {
    let bodies = [cup(standing(4.0, 0.15, 0.05, 0.0)), battery(standing(4.05, -0.15, 0.04, 0.5))];
    let (world, mut robot) = (World::of(&bodies), Robot::new());
    let at = Point3::new(4.0, 0.0, 0.04);
    let mut events = Vec::new();
    for step in 0..4 {
        let distance = 3.0 - 0.3 * f64::from(step);
        events.extend(robot.look_far(&world, camera_at(at, distance, 0.5, 0.0)));
    }
    assert_eq!(events, [TrackEvent::Confirmed(1), TrackEvent::Confirmed(2)]);
    assert!(robot.world.confirmed().all(|track| !track.has_orientation));
    let far = [off(&robot, 0, &bodies[0]), off(&robot, 1, &bodies[1])];
    assert!(far.iter().all(|off| *off < 0.15), "{far:?}");
    for step in 0..5 {
        let distance = 1.1 - 0.05 * f64::from(step);
        assert_eq!(robot.look_near(&world, camera_at(at, distance, 0.8, 0.0)), []);
    }
    assert_eq!(robot.world.tracks().len(), 2, "{:#?}", robot.world.tracks());
    assert!(robot.world.confirmed().all(|track| track.has_orientation));
    let near = [off(&robot, 0, &bodies[0]), off(&robot, 1, &bodies[1])];
    assert!(near.iter().all(|off| *off < 0.005), "{near:?}");
    // somebody takes the cup away
    let (rest, cup) = (World::of(&bodies[1..]), robot.world.confirmed().find(|track| track.class == 0).unwrap().id);
    let events: Vec<TrackEvent> = (0..8).flat_map(|_| robot.look_near(&rest, camera_at(at, 0.9, 0.8, 0.0))).collect();
    assert_eq!(events, [TrackEvent::Lost(cup)]);
    assert_eq!(robot.world.confirmed().count(), 1);
}
