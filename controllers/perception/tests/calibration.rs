//! Where a camera really sits.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use nalgebra::{Isometry3, Matrix3, Point3, UnitQuaternion, Vector3};
use perception::{Calibration, CalibrationSettings, DepthNoise, Observation, PerceptionError, calibrate};
use support::{Luck, depth_intrinsics};

/// What the robot's files do not know.
struct Truth {
    mounting: Isometry3<f64>,
    place: Point3<f64>,
}

impl Truth {
    /// 1 cm and 1°, as a robot's files are wrong.
    fn new(luck: &mut Luck) -> Truth {
        Truth {
            mounting: Isometry3::new(luck.vector(0.01), luck.vector(0.018)),
            place: Point3::new(0.02, -0.01, 0.12) + luck.vector(0.01),
        }
    }

    fn observe(&self, hand: Isometry3<f64>, camera: Isometry3<f64>, luck: &mut Luck) -> Observation {
        let seen = (camera * self.mounting).inverse() * hand * self.place;
        let ray = seen.coords / seen.x;
        let covariance = DepthNoise::default().covariance(&depth_intrinsics(), &ray, seen.x);
        let noise = covariance.cholesky().unwrap().l() * luck.vector(1.0);
        Observation { hand_in_base: hand, camera_in_base: camera, seen: seen + noise, covariance }
    }
}

fn head(luck: &mut Luck) -> Isometry3<f64> {
    let turn = UnitQuaternion::from_euler_angles(0.0, 0.6 + luck.within(-0.2, 0.2), luck.within(-0.3, 0.3));
    Isometry3::from_parts(Vector3::new(0.1, 0.0, 1.5).into(), turn)
}

fn hand(luck: &mut Luck, turning: f64) -> Isometry3<f64> {
    let at = Vector3::new(luck.within(0.6, 0.9), luck.within(-0.25, 0.25), luck.within(0.9, 1.2));
    Isometry3::from_parts(at.into(), UnitQuaternion::from_scaled_axis(luck.vector(turning)))
}

fn run(seed: u64, count: usize) -> (Calibration, Truth) {
    let mut luck = Luck::new(seed, "calibration");
    let truth = Truth::new(&mut luck);
    let looks: Vec<Observation> = (0..count)
        .map(|_| {
            let (hand, head) = (hand(&mut luck, 0.8), head(&mut luck));
            truth.observe(hand, head, &mut luck)
        })
        .collect();
    let guess = Point3::new(0.0, 0.0, 0.1);
    (calibrate(&looks, &guess, &CalibrationSettings::default()).unwrap(), truth)
}

fn errors(found: &Calibration, truth: &Truth) -> [f64; 3] {
    let off = found.mounting.inverse() * truth.mounting;
    let shift = found.mounting.translation.vector - truth.mounting.translation.vector;
    [shift.norm(), off.rotation.angle(), (found.place_in_hand - truth.place).norm()]
}

#[test]
fn a_camera_that_is_off_by_a_centimetre_and_a_degree_is_put_right_to_millimetres() {
    for seed in 0..50 {
        let (found, truth) = run(seed, 30);
        let [shift, turn, place] = errors(&found, &truth);
        assert!(shift < 0.004 && turn < 0.004 && place < 0.002, "seed {seed}: {shift} m, {turn} rad, {place} m");
        assert!((0.6..1.5).contains(&found.misfit), "seed {seed}: {}", found.misfit);
    }
}

#[test]
fn errors_are_as_large_as_the_covariance_says() {
    let mut mean = 0.0;
    for seed in 0..100 {
        let (found, truth) = run(seed, 30);
        let turn = (found.mounting.rotation.inverse() * truth.mounting.rotation).scaled_axis();
        let shift = truth.mounting.translation.vector - found.mounting.translation.vector;
        let place = truth.place - found.place_in_hand;
        let all: Vec<f64> = [shift, turn, place].iter().flat_map(|part| [part.x, part.y, part.z]).collect();
        let off = nalgebra::SVector::<f64, 9>::from_iterator(all);
        mean += off.dot(&(found.covariance.try_inverse().unwrap() * off)) / 100.0;
    }
    // nine degrees of freedom
    assert!((6.0..13.0).contains(&mean), "{mean}");
}

#[test]
fn a_hand_that_never_turns_and_too_few_looks_are_refused_with_a_reason() {
    let mut luck = Luck::new(1, "still");
    let truth = Truth::new(&mut luck);
    let camera = head(&mut luck);
    let looks: Vec<Observation> = (0..30)
        .map(|_| {
            let hand = hand(&mut luck, 0.0);
            truth.observe(hand, camera, &mut luck)
        })
        .collect();
    let refused = calibrate(&looks, &Point3::origin(), &CalibrationSettings::default()).unwrap_err();
    assert!(matches!(refused, PerceptionError::NotDetermined { .. }), "{refused}");
    assert!(refused.to_string().contains("turn the hand and the camera about more axes"), "{refused}");
    let few = calibrate(&looks[..3], &Point3::origin(), &CalibrationSettings::default()).unwrap_err();
    assert_eq!(few.to_string(), "perception: observations: expected at least 6, found 3");
    let mut wrong = looks;
    wrong[2].covariance = Matrix3::zeros();
    let wrong = calibrate(&wrong, &Point3::origin(), &CalibrationSettings::default()).unwrap_err().to_string();
    assert!(wrong.contains("observations[2].covariance [m²]: expected a positive definite matrix"), "{wrong}");
}

#[test]
fn a_few_wrong_sightings_do_not_spoil_it() {
    let mut luck = Luck::new(3, "outliers");
    let truth = Truth::new(&mut luck);
    let looks: Vec<Observation> = (0..40)
        .map(|number| {
            let (hand, head) = (hand(&mut luck, 0.8), head(&mut luck));
            let mut look = truth.observe(hand, head, &mut luck);
            if number % 10 == 0 {
                look.seen += Vector3::new(0.05, -0.08, 0.1);
            }
            look
        })
        .collect();
    let found = calibrate(&looks, &Point3::new(0.0, 0.0, 0.1), &CalibrationSettings::default()).unwrap();
    let [shift, turn, place] = errors(&found, &truth);
    assert!(shift < 0.005 && turn < 0.005 && place < 0.003, "{shift} m, {turn} rad, {place} m");
}
