//! Objects registered in noisy depth pictures.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use perception::{Pictures, Recogniser, RecognitionSettings, Registered};
use support::{
    Body, Luck, World, battery, camera_at, cup, depth_picture, depth_view, median, models, percentile, roll,
};

const SEEDS: u64 = 50;

fn recogniser(names: &[&str]) -> Recogniser {
    let chosen = models().into_iter().filter(|model| names.contains(&model.name())).collect();
    Recogniser::new(chosen, None, RecognitionSettings::default()).unwrap()
}

/// What is found of a world from a camera: name and pose of each object.
fn found(recogniser: &mut Recogniser, world: &World, camera: Isometry3<f64>, seed: u64) -> Vec<(String, Registered)> {
    let view = depth_view(camera);
    let image = depth_picture(world, &view, seed);
    let pictures = Pictures { depth: (&image, &view), colour: None };
    let recognised = recogniser.recognise(&pictures, &Vector3::z_axis(), &UnitQuaternion::identity()).unwrap().to_vec();
    let name = |index: usize| recogniser.models()[index].name().to_owned();
    recognised.iter().filter_map(|found| found.object.map(|(index, object)| (name(index), object))).collect()
}

/// Errors of one object over seeds: how often it is found, places [m] and angles [rad] off, squared normalised errors.
struct Errors {
    found: usize,
    places: Vec<f64>,
    angles: Vec<f64>,
    normalised: Vec<f64>,
    /// How often the orientation is wrong and nothing says that it may be.
    misled: usize,
}

fn errors(name: &str, place: impl Fn(&mut Luck) -> Body, [near, far]: [f64; 2]) -> Errors {
    let mut recogniser = recogniser(&[name]);
    let symmetry = recogniser.models()[0].symmetry().clone();
    let mut errors = Errors { found: 0, places: Vec::new(), angles: Vec::new(), normalised: Vec::new(), misled: 0 };
    for seed in 0..SEEDS {
        let mut luck = Luck::new(seed, name);
        let body = place(&mut luck);
        let distance = luck.within(near, far);
        let middle = Point3::from(body.pose.translation.vector) + luck.vector(0.02);
        let camera = camera_at(middle, distance, luck.within(0.45, 1.0), luck.within(-3.0, 3.0));
        for (_, object) in found(&mut recogniser, &World::of(&[body]), camera, seed) {
            errors.found += 1;
            let off = object.pose.translation.vector - body.pose.translation.vector;
            errors.places.push(off.norm());
            errors.angles.push(symmetry.angle_between(&object.pose.rotation, &body.pose.rotation));
            let angle = errors.angles[errors.angles.len() - 1];
            errors.misled += usize::from(angle > 0.2 && object.rival.is_none());
            let inverse = object.covariance.fixed_view::<3, 3>(0, 0).try_inverse().unwrap();
            errors.normalised.push(off.dot(&(inverse * off)));
        }
    }
    errors
}

/// The worst medians that a user may meet: issue 13 asks for 5 mm and 2° at manipulation distance.
fn check(what: &str, mut errors: Errors, range: [f64; 2]) {
    let [place, angle] =
        [&mut errors.places, &mut errors.angles].map(|values| [median(values), percentile(values, 0.95)]);
    println!(
        "{what}, {:.1} to {:.1} m: found {} of {SEEDS}; median {:.1} mm {:.2}°, 95 % {:.1} mm {:.2}°; normalised {:.1}, 95 % {:.1}",
        range[0],
        range[1],
        errors.found,
        1e3 * place[0],
        angle[0].to_degrees(),
        1e3 * place[1],
        angle[1].to_degrees(),
        median(&mut errors.normalised),
        percentile(&mut errors.normalised, 0.95),
    );
    assert!(errors.found as u64 >= SEEDS * 9 / 10, "{what}: found {} of {SEEDS}", errors.found);
    assert!(errors.misled == 0, "{what}: {} are turned wrongly with no word of it", errors.misled);
    assert!(place[0] <= 0.005, "{what}: median {} m", place[0]);
    assert!(angle[0].to_degrees() <= 2.0, "{what}: median {}°", angle[0].to_degrees());
}

fn anywhere(luck: &mut Luck, height: f64, turn: Vector3<f64>) -> Isometry3<f64> {
    let at = Vector3::new(luck.within(-1.0, 1.0), luck.within(-1.0, 1.0), height);
    let yaw = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), luck.within(-3.0, 3.0));
    Isometry3::from_parts(at.into(), yaw * UnitQuaternion::new(turn))
}

const RANGES: [[f64; 2]; 2] = [[0.55, 0.85], [0.85, 1.2]];

#[test]
fn a_standing_cup_is_found_within_5_mm_and_2_degrees() {
    for range in RANGES {
        check("cup", errors("cup", |luck| cup(anywhere(luck, 0.05, Vector3::zeros())), range), range);
    }
}

#[test]
fn a_cup_that_lies_or_stands_on_its_head_is_found_too() {
    for range in RANGES {
        let lying = |luck: &mut Luck| cup(anywhere(luck, 0.04, Vector3::x() * core::f64::consts::FRAC_PI_2));
        check("lying cup", errors("cup", lying, range), range);
        let turned = |luck: &mut Luck| cup(anywhere(luck, 0.05, Vector3::x() * core::f64::consts::PI));
        check("cup on its head", errors("cup", turned, range), range);
    }
}

#[test]
fn a_battery_is_found_within_5_mm_and_2_degrees() {
    for range in RANGES {
        check("battery", errors("battery", |luck| battery(anywhere(luck, 0.04, Vector3::zeros())), range), range);
        let upright = |luck: &mut Luck| battery(anywhere(luck, 0.08, Vector3::y() * core::f64::consts::FRAC_PI_2));
        check("upright battery", errors("battery", upright, range), range);
    }
}

#[test]
fn a_roll_is_found_within_5_mm_and_2_degrees() {
    for range in RANGES {
        check(
            "lying roll",
            errors("roll", |luck| roll(anywhere(luck, 0.03, Vector3::x() * core::f64::consts::FRAC_PI_2)), range),
            range,
        );
    }
}

/// As real depth cameras have it: errors of 5 × 5 pixels are not independent, so that there is less to average.
#[test]
fn noise_that_neighbouring_pixels_share_leaves_5_mm_and_2_degrees() {
    let mut settings = RecognitionSettings::default();
    settings.noise.shared_pixels = 25.0;
    for name in ["cup", "battery"] {
        let chosen = models().into_iter().filter(|model| model.name() == name).collect();
        let mut recogniser = Recogniser::new(chosen, None, settings.clone()).unwrap();
        let symmetry = recogniser.models()[0].symmetry().clone();
        let (mut places, mut angles, mut squares) = (Vec::new(), Vec::new(), Vec::new());
        for seed in 0..SEEDS {
            let mut luck = Luck::new(seed, "shared");
            let height = if name == "cup" { 0.05 } else { 0.04 };
            let pose = anywhere(&mut luck, height, Vector3::zeros());
            let body = if name == "cup" { cup(pose) } else { battery(pose) };
            let camera =
                camera_at(Point3::from(pose.translation.vector), luck.within(0.65, 1.2), luck.within(0.45, 1.0), 1.0);
            let view = depth_view(camera);
            let image = support::depth_picture_with(&World::of(&[body]), &view, seed, 2);
            let pictures = Pictures { depth: (&image, &view), colour: None };
            let found = recogniser.recognise(&pictures, &Vector3::z_axis(), &UnitQuaternion::identity()).unwrap();
            for object in found.iter().filter_map(|found| found.object).map(|(_, object)| object) {
                let off = object.pose.translation.vector - pose.translation.vector;
                places.push(off.norm());
                angles.push(symmetry.angle_between(&object.pose.rotation, &pose.rotation));
                let inverse = object.covariance.fixed_view::<3, 3>(0, 0).try_inverse().unwrap();
                squares.push(off.dot(&(inverse * off)));
            }
        }
        let count = places.len();
        let [place, angle] = [median(&mut places), median(&mut angles).to_degrees()];
        let [worst, worst_angle] = [percentile(&mut places, 0.95), percentile(&mut angles, 0.95).to_degrees()];
        println!(
            "{name}, shared noise: found {count} of {SEEDS}; median {:.1} mm {angle:.2}°, 95 % {:.1} mm {worst_angle:.2}°; normalised {:.1}, 95 % {:.1}",
            1e3 * place,
            1e3 * worst,
            median(&mut squares),
            percentile(&mut squares, 0.95)
        );
        assert!(count as u64 >= SEEDS * 9 / 10 && place < 0.005 && angle < 2.0, "{name}: {count}, {place} m, {angle}°");
    }
}

#[test]
fn a_cup_is_found_from_a_camera_that_moves_while_its_rows_are_exposed() {
    let mut recogniser = recogniser(&["cup"]);
    let (mut places, truth) = (Vec::new(), cup(support::standing(1.0, 0.0, 0.05, 0.0)));
    for seed in 0..SEEDS {
        let mut luck = Luck::new(seed, "moving");
        let first_row = camera_at(Point3::new(1.0, 0.0, 0.05) + luck.vector(0.02), 0.8, luck.within(0.5, 0.9), 0.0);
        // 0.3 m/s and 0.6 rad/s for the 21.6 ms of a picture
        let last_row = first_row * Isometry3::new(luck.vector(0.3 * 0.0216), luck.vector(0.6 * 0.0216));
        let view = perception::CameraView { first_row, last_row, ..depth_view(first_row) };
        let image = depth_picture(&World::of(&[truth]), &view, seed);
        let pictures = Pictures { depth: (&image, &view), colour: None };
        let found = recogniser.recognise(&pictures, &Vector3::z_axis(), &UnitQuaternion::identity()).unwrap();
        let poses = found.iter().filter_map(|found| found.object).map(|(_, object)| object.pose.translation.vector);
        places.extend(poses.map(|at| (at - truth.pose.translation.vector).norm()));
    }
    let (count, worst) = (places.len(), percentile(&mut places, 0.95));
    println!("cup from a moving camera: found {count} of {SEEDS}, 95 % {:.1} mm", 1e3 * worst);
    assert!(count as u64 == SEEDS && worst < 0.002, "{count}, {worst} m");
}

#[test]
fn a_battery_at_the_picture_s_border_is_where_it_is_or_not_found_or_said_to_have_a_rival() {
    let mut recogniser = recogniser(&["battery"]);
    let (mut count, mut wrong) = (0, Vec::new());
    for seed in 0..SEEDS {
        let mut luck = Luck::new(seed, "cut");
        let body = battery(anywhere(&mut luck, 0.04, Vector3::zeros()));
        let mut camera = camera_at(Point3::from(body.pose.translation.vector), 0.8, luck.within(0.5, 0.9), 0.5);
        // the picture ends at the object, more or less
        camera.rotation *=
            UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 29_f64.to_radians() + luck.within(-0.2, 0.03));
        for (_, object) in found(&mut recogniser, &World::of(&[body]), camera, seed) {
            count += 1;
            let off = object.pose.translation.vector - body.pose.translation.vector;
            let deviation = object.covariance.fixed_view::<3, 3>(0, 0).trace().sqrt();
            if off.norm() > f64::max(0.01, 4.0 * deviation) && object.rival.is_none() {
                wrong.push((seed, off.norm(), deviation, object.fitness));
            }
        }
    }
    println!("battery at the border: found {count} of {SEEDS}, {} of them wrong", wrong.len());
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Its middle is as high as that of the model when both stand on the ground.
#[test]
fn a_cup_2_percent_larger_than_its_model_on_uneven_ground_is_found_as_well() {
    let mut recogniser = recogniser(&["cup"]);
    let (mut places, mut angles) = (Vec::new(), Vec::new());
    for seed in 0..SEEDS {
        let mut luck = Luck::new(seed, "larger");
        let form = support::Form::Cup { radius: 0.0408, height: 0.102, wall: 0.004 };
        let body = Body { form, ..cup(anywhere(&mut luck, 0.051, luck_turn(seed))) };
        let world = World { bodies: vec![body], waves: 0.004 };
        let camera = camera_at(Point3::from(body.pose.translation.vector), 0.8, luck.within(0.45, 1.0), 0.1);
        for (_, object) in found(&mut recogniser, &world, camera, seed) {
            places.push((object.pose.translation.vector - body.pose.translation.vector).norm());
            angles.push((object.pose.rotation * Vector3::z()).angle(&(body.pose.rotation * Vector3::z())));
        }
    }
    let (count, place, angle) = (places.len(), median(&mut places), median(&mut angles).to_degrees());
    println!("larger cup, leaning, uneven ground: found {count} of {SEEDS}; median {:.1} mm {angle:.2}°", 1e3 * place);
    assert!(count as u64 >= SEEDS * 9 / 10 && place < 0.005 && angle < 2.0, "{count}, {place} m, {angle}°");
}

/// It leans by up to 6°.
fn luck_turn(seed: u64) -> Vector3<f64> {
    let mut luck = Luck::new(seed, "leaning");
    Vector3::new(luck.within(-0.1, 0.1), luck.within(-0.1, 0.1), 0.0)
}
