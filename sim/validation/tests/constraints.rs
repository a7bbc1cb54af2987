//! Limits, couplings and closed loops hold, and are felt on both sides.
#![allow(clippy::unwrap_used, reason = "tests")]

use mechanics::{Body, Closure, Constraint, Joint, MechanicsError, Model};
use nalgebra::{Isometry3, Matrix3, Unit, Vector3};
use validation::{Scene, Shape, cuboid, free, inertia};

fn hinge(parent: Option<usize>, at: [f64; 3], axis: Unit<Vector3<f64>>, mass: f64, com: [f64; 3]) -> Body {
    let mut weight = inertia(mass, Matrix3::from_diagonal_element(0.01 * mass));
    weight.com_in_link = Vector3::from(com);
    let placement_in_parent = Isometry3::translation(at[0], at[1], at[2]);
    Body { parent, joint: Joint::Revolute(axis), placement_in_parent, inertia: weight, rotor: 0.0 }
}

fn scene(bodies: Vec<Body>, constraints: Vec<Constraint>) -> Scene {
    Scene::with(bodies.into_iter().map(|body| (body, Shape::None)).collect(), constraints).unwrap()
}

#[test]
fn a_joint_ends_at_its_limit_under_load_and_when_it_flies_there() {
    let arm = hinge(None, [0.0; 3], Vector3::y_axis(), 2.0, [0.5, 0.0, 0.0]);
    let mut scene = scene(vec![arm], vec![Constraint::Limit { body: 0, lower: -1.0, upper: 0.3, buffer: None }]);
    let mut highest = f64::NEG_INFINITY;
    for _ in 0..3_000 {
        scene.step();
        highest = highest.max(scene.mechanics.coordinates().positions[0]);
    }
    // it falls, at 2.4 rad/s when it gets there
    assert!(highest < 0.305, "{highest}");
    let position = scene.mechanics.coordinates().positions[0];
    assert!((position - 0.3).abs() < 2e-4, "{position}");
}

#[test]
fn a_limit_stops_a_joint_that_would_pass_it_within_a_step() {
    for velocity in [250.0, 400.0, 500.0, 700.0] {
        let arm = hinge(None, [0.0; 3], Vector3::y_axis(), 2.0, [0.5, 0.0, 0.0]);
        let mut scene = scene(vec![arm], vec![Constraint::Limit { body: 0, lower: -1.0, upper: 1.5, buffer: None }]);
        let mut coordinates = scene.mechanics.coordinates().clone();
        coordinates.velocities[0] = velocity;
        scene.mechanics.set_coordinates(coordinates);
        for _ in 0..20 {
            scene.step();
            let beyond = scene.mechanics.coordinates().positions[0] - 1.5;
            assert!(beyond < 0.1 * velocity * scene.step, "{velocity} rad/s: {beyond} rad beyond at {} s", scene.time);
        }
    }
}

#[test]
fn a_joint_that_follows_is_felt_by_its_master() {
    // two equal arms on one axle, the second coupled the other way round: they balance
    let arms = |ratio| {
        let arms = vec![
            hinge(None, [0.0; 3], Vector3::y_axis(), 1.0, [0.4, 0.0, 0.0]),
            hinge(None, [0.0, 1.0, 0.0], Vector3::y_axis(), 1.0, [0.4, 0.0, 0.0]),
        ];
        let mut scene = scene(arms, vec![Constraint::Coupling { follower: 1, master: 0, ratio, offset: 0.0 }]);
        scene.run(0.3);
        let positions = scene.mechanics.coordinates().positions.clone();
        (positions[0], positions[1])
    };
    let (one, two) = arms(-1.0);
    assert!(one.abs() < 1e-4 && two.abs() < 1e-4, "{one} {two}");
    // geared two to one they fall together, and stay in gear
    let (one, two) = arms(2.0);
    assert!(one > 0.3 && (two - 2.0 * one).abs() < 1e-4, "{one} {two}");
}

#[test]
fn two_welded_bodies_fall_as_one() {
    let block = |x: f64| free(cuboid(1.0, [0.2; 3]), Isometry3::translation(x, 0.0, 0.0)).0;
    let weld = Constraint::Closure {
        body: 1,
        other: Some(0),
        frame_in_body: Isometry3::identity(),
        frame_in_other: Isometry3::translation(0.3, 0.0, 0.0),
        kind: Closure::Weld,
    };
    let mut scene = scene(vec![block(0.0), block(0.3)], vec![weld]);
    scene.throw(0, Vector3::zeros(), Vector3::new(0.0, 2.0, 1.0));
    scene.throw(1, Vector3::new(0.0, 0.3, -0.6), Vector3::new(0.0, 2.0, 1.0));
    scene.run(1.0);
    let (one, two) = (scene.mechanics.now().bodies[0].in_world, scene.mechanics.now().bodies[1].in_world);
    let between = one.inverse() * two;
    assert!((between.translation.vector - Vector3::new(0.3, 0.0, 0.0)).norm() < 1e-4, "{between}");
    assert!(between.rotation.angle() < 1e-4);
    let middle = 0.5 * (one.translation.vector + two.translation.vector);
    assert!((middle - Vector3::new(0.15, 0.15, -0.3 - 4.905)).norm() < 1e-3, "{middle}");
}

#[test]
fn what_makes_no_model_is_refused() {
    let arm = hinge(None, [0.0; 3], Vector3::y_axis(), 1.0, [0.0; 3]);
    let late = Body { parent: Some(1), ..arm };
    assert_eq!(Model::new(vec![late]).unwrap_err(), MechanicsError::Order { body: 0, parent: 1 });
    let carried = Body { parent: Some(0), joint: Joint::Free, ..arm };
    assert_eq!(Model::new(vec![arm, carried]).unwrap_err(), MechanicsError::CarriedAndFree { body: 1 });
    let weightless = Body { inertia: robot_model::Inertia::zero(), joint: Joint::Free, ..arm };
    assert!(matches!(Model::new(vec![weightless]).unwrap_err(), MechanicsError::Inertia { body: 0, .. }));
    let unlikely = Body { rotor: f64::NAN, ..arm };
    assert!(matches!(Model::new(vec![unlikely]).unwrap_err(), MechanicsError::Rotor { body: 0, .. }));
    let crossed = Constraint::Limit { body: 0, lower: 1.0, upper: -1.0, buffer: None };
    let error = Model::new(vec![arm]).unwrap().with([crossed]).unwrap_err();
    assert!(error.to_string().starts_with("constraint 0: expected"), "{error}");
    let itself = Constraint::Coupling { follower: 0, master: 0, ratio: 1.0, offset: 0.0 };
    assert!(Model::new(vec![arm]).unwrap().with([itself]).is_err());
}

#[test]
fn a_joint_feels_the_weight_that_hangs_on_it() {
    // a post that stands still on the world, with an arm that a torque holds level
    let post = Body { joint: Joint::Fixed, ..hinge(None, [0.0; 3], Vector3::y_axis(), 3.0, [0.0, 0.0, 0.5]) };
    let arm = hinge(Some(0), [0.0, 0.0, 1.0], Vector3::y_axis(), 2.0, [0.4, 0.0, 0.0]);
    let mut scene = scene(vec![post, arm], Vec::new());
    scene.drives[0].effort = -2.0 * 9.81 * 0.4;
    scene.step();
    let weights = scene.weights();
    scene.mechanics.find_reactions(&weights, &scene.contacts, scene.step);
    let (arm, post) = (scene.mechanics.reaction(1), scene.mechanics.reaction(0));
    assert!((arm.linear - Vector3::new(0.0, 0.0, -19.62)).norm() < 1e-9, "{}", arm.linear);
    assert!((arm.angular - Vector3::new(0.0, 7.848, 0.0)).norm() < 1e-9, "{}", arm.angular);
    assert!((post.linear.z + 49.05).abs() < 1e-9 && (post.angular.y - 7.848).abs() < 1e-9);
}

#[test]
fn a_bounce_is_no_force_along_the_axis_that_a_body_slides_on_however_often_one_asks() {
    let up = Vector3::z_axis();
    let slider = Body { joint: Joint::Prismatic(up), ..hinge(None, [0.0, 0.0, 1.0], up, 3.0, [0.0; 3]) };
    let mut scene = Scene::new(vec![(slider, Shape::Ball(0.1))]).unwrap().on(*up).rough(0.0, 0.8);
    let mut hardest = 0.0_f64;
    for _ in 0..1000 {
        scene.step();
        let weights = scene.weights();
        for _ in 0..3 {
            scene.mechanics.find_reactions(&weights, &scene.contacts, scene.step);
            let along = scene.mechanics.reaction(0).linear.z;
            assert!(along.abs() < 1e-6, "{along} N at {} s", scene.time);
        }
        hardest = scene.contacts.iter().fold(hardest, |most, contact| most.max(contact.impulse.z));
    }
    // 4.2 m/s down and 0.8 times as much up
    assert!(hardest > 3.0 * 4.0 * 1.8, "{hardest} N·s");
}
