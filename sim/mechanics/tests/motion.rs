//! Bodies that move freely, or on joints, keep what nature keeps.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use mechanics::{Body, Joint};
use nalgebra::{Isometry3, Matrix3, UnitQuaternion, Vector3};
use support::{Shape, World, cuboid, free, inertia};

/// A trunk with two arms of three joints each, floating.
fn chain() -> Vec<(Body, Shape)> {
    let trunk = free((cuboid(10.0, 0.3, 0.4, 0.6).0, Shape::None), Isometry3::identity());
    let mut bodies = vec![trunk];
    for side in [-1.0, 1.0] {
        for (number, axis) in [Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis()].into_iter().enumerate() {
            let (parent, at) = if number == 0 {
                (0, Vector3::new(0.0, 0.2 * side, 0.2))
            } else {
                (bodies.len() - 1, Vector3::new(0.0, 0.3 * side, 0.0))
            };
            let mut weight = inertia(2.0, Matrix3::from_diagonal(&Vector3::new(0.02, 0.004, 0.02)));
            weight.com_in_link = Vector3::new(0.02, 0.15 * side, 0.01);
            bodies.push((
                Body {
                    parent: Some(parent),
                    joint: Joint::Revolute(axis),
                    placement_in_parent: Isometry3::translation(at.x, at.y, at.z),
                    inertia: weight,
                    rotor: 0.0,
                },
                Shape::None,
            ));
        }
    }
    bodies
}

fn swinging(step: f64, moving: Vector3<f64>) -> World {
    let mut world = World::new(chain()).in_space();
    world.step = step;
    let mut coordinates = world.mechanics.coordinates().clone();
    for dof in 6..12 {
        coordinates.velocities[dof] = 3.0 - 0.7 * (dof as f64 - 6.0);
    }
    coordinates.positions[2] = 0.7;
    coordinates.positions[5] = -0.4;
    coordinates.set_free_velocity(world.mechanics.model(), 0, &moving, &Vector3::new(0.3, -0.5, 1.0));
    world.mechanics.set_coordinates(coordinates);
    world
}

#[test]
fn a_floating_robot_keeps_both_momenta_at_any_velocity() {
    for moving in [Vector3::zeros(), Vector3::new(5.0, -3.0, 1.0), Vector3::new(300.0, 0.0, 0.0)] {
        let mut world = swinging(1e-3, moving);
        let begin = world.mechanics.now().centroid(world.mechanics.model(), 0);
        world.run(2.0);
        let end = world.mechanics.now().centroid(world.mechanics.model(), 0);
        assert!((end.momentum - begin.momentum).norm() < 1e-10 * (1.0 + begin.momentum.norm()));
        assert!((end.spin - begin.spin).norm() < 1e-10 * begin.spin.norm(), "{} {}", end.spin, begin.spin);
        let gone = begin.com + begin.momentum * (2.0 / begin.mass);
        assert!((end.com - gone).norm() < 1e-9 * (1.0 + gone.norm()), "{} {gone}", end.com);
    }
}

#[test]
fn a_step_half_as_long_is_four_times_as_exact() {
    let end = |step: f64| {
        let mut world = swinging(step, Vector3::zeros());
        world.run(0.5);
        (world.mechanics.coordinates().positions.clone(), world.energy())
    };
    let (exact, energy) = end(1e-5);
    let error = |step: f64| {
        let (positions, found) = end(step);
        let far = positions.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        (far, (found / energy - 1.0).abs())
    };
    let (coarse, fine) = (error(2e-3), error(1e-3));
    assert!(coarse.0 / fine.0 > 3.7 && fine.0 < 1e-4, "{coarse:?} {fine:?}");
    assert!(fine.1 < 1e-5, "{fine:?}");
}

#[test]
fn a_handle_that_turns_about_its_middle_axis_turns_over_and_keeps_energy_and_spin() {
    let (weight, _) = cuboid(1.0, 0.3, 0.2, 0.05);
    let mut world = World::new(vec![free((weight, Shape::None), Isometry3::identity())]).in_space();
    world.set_velocity(0, Vector3::zeros(), Vector3::new(0.01, 8.0, 0.0));
    let (energy, spin) = (world.energy(), world.mechanics.now().centroid(world.mechanics.model(), 0).spin);
    let mut least: f64 = 1.0;
    for _ in 0..10_000 {
        world.step();
        let axis = world.mechanics.now().bodies[0].in_world.rotation * Vector3::y();
        least = least.min(axis.y);
    }
    assert!(least < -0.99, "it turns over: {least}");
    let end = world.mechanics.now().centroid(world.mechanics.model(), 0).spin;
    assert!((end - spin).norm() < 1e-11 * spin.norm());
    assert!((world.energy() / energy - 1.0).abs() < 1e-4, "{}", world.energy() / energy);
}

#[test]
fn a_top_precesses_as_fast_as_its_weight_turns_its_spin() {
    // a disc on a ball joint: three hinges, the last of which is its axle
    let hinge = |parent: Option<usize>, axis, mass: f64, moments: Vector3<f64>, com: Vector3<f64>| {
        let mut weight = inertia(mass, Matrix3::from_diagonal(&moments));
        weight.com_in_link = com;
        (
            Body {
                parent,
                joint: Joint::Revolute(axis),
                placement_in_parent: Isometry3::identity(),
                inertia: weight,
                rotor: 0.0,
            },
            Shape::None,
        )
    };
    let light = Vector3::from_element(1e-9);
    let disc = Vector3::new(0.5, 0.5, 1.0) * (0.5 * 0.5 * 0.05 * 0.05);
    let (mass, lever, speed): (f64, f64, f64) = (0.5, 0.06, 400.0);
    let bodies = vec![
        hinge(None, Vector3::z_axis(), 1e-6, light, Vector3::zeros()),
        hinge(Some(0), Vector3::y_axis(), 1e-6, light, Vector3::zeros()),
        hinge(Some(1), Vector3::z_axis(), mass, disc, Vector3::new(0.0, 0.0, lever)),
    ];
    let mut world = World::new(bodies);
    let mut coordinates = world.mechanics.coordinates().clone();
    coordinates.positions[1] = 0.5;
    let rate = mass * 9.81 * lever / (disc.z * speed);
    coordinates.velocities = vec![rate, 0.0, speed - rate * 0.5_f64.cos()];
    world.mechanics.set_coordinates(coordinates);
    world.run(2.0);
    let turned = world.mechanics.coordinates().positions[0];
    assert!((turned / (rate * 2.0) - 1.0).abs() < 0.02, "{turned} {}", rate * 2.0);
    assert!((world.mechanics.coordinates().positions[1] - 0.5).abs() < 0.02);
}

#[test]
fn a_pendulum_swings_with_its_period() {
    let mut weight = inertia(1.0, Matrix3::from_diagonal_element(1e-9));
    weight.com_in_link = Vector3::new(0.0, 0.0, -1.0);
    let bob = Body {
        parent: None,
        joint: Joint::Revolute(Vector3::y_axis()),
        placement_in_parent: Isometry3::translation(0.0, 0.0, 2.0),
        inertia: weight,
        rotor: 0.0,
    };
    let mut world = World::new(vec![(bob, Shape::None)]);
    let mut coordinates = world.mechanics.coordinates().clone();
    coordinates.positions[0] = 1.0;
    world.mechanics.set_coordinates(coordinates);
    // 4 √(l/g) K(sin ½), by the arithmetic-geometric mean
    let (mut a, mut b): (f64, f64) = (1.0, 0.5_f64.cos());
    for _ in 0..8 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    let period = core::f64::consts::TAU * (1.0_f64 / 9.81).sqrt() / a;
    let mut crossings = Vec::new();
    while crossings.len() < 11 {
        let before = world.mechanics.coordinates().positions[0];
        world.step();
        let after = world.mechanics.coordinates().positions[0];
        if before > 0.0 && after <= 0.0 {
            crossings.push(world.time - world.step * after / (after - before));
        }
    }
    let found = (crossings[10] - crossings[0]) / 10.0;
    assert!((found / period - 1.0).abs() < 2e-6, "{found} {period}");
}

#[test]
fn a_damped_joint_slows_down_as_in_nature_however_stiff() {
    for damping in [0.1, 10.0, 1e4] {
        let weight = inertia(1.0, Matrix3::from_diagonal_element(0.1));
        let wheel = Body {
            parent: None,
            joint: Joint::Revolute(Vector3::z_axis()),
            placement_in_parent: Isometry3::identity(),
            inertia: weight,
            rotor: 0.0,
        };
        let mut world = World::new(vec![(wheel, Shape::None)]).in_space();
        let mut coordinates = world.mechanics.coordinates().clone();
        coordinates.velocities[0] = 5.0;
        world.mechanics.set_coordinates(coordinates);
        world.drives[0].damping = damping;
        for count in 1..=20 {
            world.step();
            let wanted = 5.0 * (-damping * f64::from(count) * 1e-3 / 0.1).exp();
            let found = world.mechanics.coordinates().velocities[0];
            assert!((found - wanted).abs() < 1e-9, "{damping}: {found} {wanted}");
        }
    }
}

#[test]
fn a_free_body_turns_as_its_placement_says() {
    let (weight, _) = cuboid(1.0, 0.2, 0.2, 0.2);
    let mut world = World::new(vec![free((weight, Shape::None), Isometry3::identity())]).in_space();
    world.set_velocity(0, Vector3::new(1.0, 0.0, 0.0), Vector3::new(0.0, 0.0, 1.0));
    world.run(1.0);
    let wanted = Isometry3::from_parts(
        nalgebra::Translation3::new(1.0, 0.0, 0.0),
        UnitQuaternion::from_euler_angles(0.0, 0.0, 1.0),
    );
    let found = world.mechanics.now().bodies[0].in_world;
    assert!((found.translation.vector - wanted.translation.vector).norm() < 1e-12);
    assert!(found.rotation.angle_to(&wanted.rotation) < 1e-7);
}
