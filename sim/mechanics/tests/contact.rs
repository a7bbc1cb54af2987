//! Bodies that touch do what mechanics' books say.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use nalgebra::{Isometry3, Vector3};
use support::{World, ball, cuboid, free};

const G: f64 = 9.81;

fn slope(angle: f64) -> Vector3<f64> {
    Vector3::new(angle.sin(), 0.0, angle.cos())
}

/// A box on a plane that is as steep as friction times `share` holds; how far [m] it has gone after `seconds`.
fn slide(friction: f64, share: f64, seconds: f64) -> (f64, f64, f64) {
    let angle = (friction * share).atan();
    let turn = nalgebra::UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle);
    let at = Isometry3::from_parts((slope(angle) * 0.05).into(), turn);
    let mut world = World::new(vec![free(cuboid(2.0, 0.3, 0.2, 0.1), at)]).on(slope(angle)).rough(friction, 0.0);
    let begin = world.place(0);
    world.run(seconds);
    ((world.place(0) - begin).norm(), world.velocity(0).norm(), angle)
}

#[test]
fn below_the_critical_slope_a_box_sticks() {
    for friction in [0.1, 0.5, 1.0] {
        let (way, velocity, _) = slide(friction, 0.98, 10.0);
        assert!(way < 1e-4 && velocity < 1e-8, "{way} m, {velocity} m/s");
    }
}

#[test]
fn above_the_critical_slope_it_slides_as_coulomb_says() {
    for friction in [0.1, 0.5, 1.0] {
        let (way, velocity, angle) = slide(friction, 1.02, 2.0);
        let acceleration = G * (angle.sin() - friction * angle.cos());
        let (wanted_way, wanted_velocity) = (0.5 * acceleration * 4.0, acceleration * 2.0);
        assert!((velocity / wanted_velocity - 1.0).abs() < 5e-3, "{velocity} {wanted_velocity}");
        assert!((way / wanted_way - 1.0).abs() < 1e-2, "{way} {wanted_way}");
    }
}

#[test]
fn a_ball_that_loses_nothing_comes_back_to_its_height() {
    let mut world = World::new(vec![free(ball(0.3, 0.05), Isometry3::translation(0.0, 0.0, 0.55))])
        .on(Vector3::z())
        .rough(0.5, 1.0);
    let begin = world.energy();
    world.run(20.0);
    assert!((world.energy() / begin - 1.0).abs() < 1e-6, "{} {begin}", world.energy());
}

#[test]
fn a_ball_of_restitution_one_tenth_comes_back_to_a_hundredth_of_its_height() {
    let mut world = World::new(vec![free(ball(0.3, 0.05), Isometry3::translation(0.0, 0.0, 1.05))])
        .on(Vector3::z())
        .rough(0.5, 0.1);
    let mut highest: f64 = 0.0;
    while world.velocity(0).z <= 0.0 {
        world.step();
    }
    while world.velocity(0).z > 0.0 {
        highest = highest.max(world.place(0).z - 0.05);
        world.step();
    }
    assert!((highest - 0.01).abs() < 4e-4, "{highest}");
}

#[test]
fn a_cradle_passes_on_what_the_first_ball_brings() {
    let row = (0..5).map(|number| free(ball(0.1, 0.02), Isometry3::translation(0.04 * f64::from(number), 0.0, 0.0)));
    let mut world = World::new(row.collect()).in_space().rough(0.3, 1.0);
    let mut coordinates = world.mechanics.coordinates().clone();
    coordinates.placements[0].translation.x = -0.1;
    world.mechanics.set_coordinates(coordinates);
    world.set_velocity(0, Vector3::new(1.0, 0.0, 0.0), Vector3::zeros());
    world.run(0.3);
    for number in 0..4 {
        assert!(world.velocity(number).norm() < 1e-3, "{number}: {}", world.velocity(number));
    }
    assert!((world.velocity(4).x - 1.0).abs() < 1e-3, "{}", world.velocity(4).x);
}

#[test]
fn balls_of_billiards_part_at_a_right_angle() {
    let at = |x: f64, y: f64| Isometry3::translation(x, y, 0.0);
    let mut world =
        World::new(vec![free(ball(0.17, 0.03), at(0.0, 0.0)), free(ball(0.17, 0.03), at(-0.2, 0.025))]).in_space();
    world = world.rough(0.0, 1.0);
    world.set_velocity(1, Vector3::new(2.0, 0.0, 0.0), Vector3::zeros());
    world.run(0.3);
    let (one, two) = (world.velocity(0), world.velocity(1));
    assert!(one.norm() > 0.5 && two.norm() > 0.5 && one.dot(&two).abs() < 1e-3, "{one} {two}");
    assert!((world.energy() - 0.5 * 0.17 * 4.0).abs() < 1e-9);
}

#[test]
fn a_ball_that_slides_ends_in_rolling_with_five_sevenths_of_its_velocity() {
    let mut world = World::new(vec![free(ball(0.2, 0.03), Isometry3::translation(0.0, 0.0, 0.03))])
        .on(Vector3::z())
        .rough(0.2, 0.0);
    world.set_velocity(0, Vector3::new(1.4, 0.0, 0.0), Vector3::zeros());
    world.run(1.0);
    assert!((world.velocity(0).x - 1.0).abs() < 1e-3, "{}", world.velocity(0).x);
    assert!((world.spin(0).y * 0.03 - 1.0).abs() < 2e-3, "{}", world.spin(0).y);
}

#[test]
fn twenty_boxes_stand_on_each_other() {
    let tower = (0..20).map(|number| {
        free(cuboid(1.0, 0.2, 0.2, 0.1), Isometry3::translation(0.0, 0.0, 0.05 + 0.1 * f64::from(number)))
    });
    let mut world = World::new(tower.collect()).on(Vector3::z()).rough(0.5, 0.0);
    let begin: Vec<Vector3<f64>> = (0..20).map(|body| world.place(body)).collect();
    let mut worst: f64 = 0.0;
    while world.time < 60.0 {
        world.step();
        worst = worst.max(world.mechanics.certificate().residual);
    }
    for (body, begin) in begin.iter().enumerate() {
        let gone = world.place(body) - begin;
        assert!(gone.xy().norm() < 1e-4 && gone.z.abs() < 0.01, "{body}: {gone}");
    }
    assert!(worst <= 1e-8, "{worst}");
}

#[test]
fn a_hundred_kilograms_rest_on_one() {
    let light = free(cuboid(1.0, 0.2, 0.2, 0.1), Isometry3::translation(0.0, 0.0, 0.05));
    let heavy = free(cuboid(100.0, 0.2, 0.2, 0.2), Isometry3::translation(0.0, 0.0, 0.2));
    let mut world = World::new(vec![light, heavy]).on(Vector3::z()).rough(0.5, 0.0);
    world.run(5.0);
    assert!(world.velocity(0).norm() < 1e-6 && world.velocity(1).norm() < 1e-6);
    assert!((world.place(1).z - 0.2).abs() < 5e-3, "{}", world.place(1).z);
}
