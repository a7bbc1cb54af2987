//! Bodies that nothing touches.

use core::f64::consts::PI;

use mechanics::{Body, Joint, MechanicsError};
use nalgebra::{Isometry3, Matrix3, Vector3};

use super::share;
use crate::Case;
use crate::scene::{GRAVITY, Scene, Shape, cuboid, free, inertia};

pub(super) const CASES: &[Case] = &[
    Case {
        name: "parabola",
        what: "a thrown body after 1 s: its place",
        reference: "v t + g t²/2",
        unit: "m",
        limit: 1e-12,
        error: parabola,
    },
    Case {
        name: "middle_axis",
        what: "a box that spins about its middle axis (Dzhanibekov): when it has turned over three times",
        reference: "elliptic functions (Landau and Lifshitz, Mechanics, § 37)",
        unit: "1",
        limit: 1e-3,
        error: middle_axis,
    },
    Case {
        name: "middle_axis_spin",
        what: "a box that spins about its middle axis, 10 s: its angular momentum",
        reference: "is kept",
        unit: "1",
        limit: 1e-11,
        error: middle_axis_spin,
    },
    Case {
        name: "floating_momentum",
        what: "a floating trunk with two swinging arms at 300 m/s, 2 s: both momenta",
        reference: "are kept",
        unit: "1",
        limit: 1e-9,
        error: floating_momentum,
    },
    Case {
        name: "floating_chain",
        what: "a floating trunk with two swinging arms at rest, 0.5 s: its joint that is farthest off",
        reference: "the same in steps of 10 µs",
        unit: "rad",
        limit: 1e-4,
        error: floating_chain,
    },
];

fn parabola() -> Result<f64, MechanicsError> {
    let mut scene = Scene::new(vec![free(cuboid(3.0, [0.1, 0.2, 0.3]), Isometry3::identity())])?;
    let velocity = Vector3::new(3.0, -2.0, 5.0);
    scene.throw(0, velocity, Vector3::zeros());
    scene.run(1.0);
    Ok((scene.place(0) - velocity + Vector3::z() * (0.5 * GRAVITY)).norm())
}

/// A box of 1 kg, spinning at 8 rad/s about its middle axis and hardly about its longest.
fn handle() -> Result<(Scene, Vector3<f64>, Vector3<f64>), MechanicsError> {
    let (weight, _) = cuboid(1.0, [0.3, 0.2, 0.05]);
    let mut scene = Scene::new(vec![free((weight, Shape::None), Isometry3::identity())])?.in_space();
    let spin = Vector3::new(0.1, 8.0, 0.0);
    scene.throw(0, Vector3::zeros(), spin);
    Ok((scene, weight.rotational_at_com_in_link.diagonal(), spin))
}

fn middle_axis() -> Result<f64, MechanicsError> {
    let (mut scene, moments, spin) = handle()?;
    let about_middle = |scene: &Scene| {
        let turn = scene.mechanics.now().bodies[0].in_world.rotation;
        turn.inverse_transform_vector(&scene.spin(0)).y
    };
    let (mut turned_over, mut found) = (0, 0.0);
    while turned_over < 3 && scene.time < 30.0 {
        let before = about_middle(&scene);
        scene.step();
        let after = about_middle(&scene);
        if before * after < 0.0 {
            turned_over += 1;
            found = scene.time - scene.step * after / (after - before);
        }
    }
    // it begins where cn = 0, and ω about the middle is zero at K, 3 K and 5 K; 1 and 3 change places as 2 T I₂ > L² here
    let (low, middle, high) = (moments.z, moments.y, moments.x);
    let (twice_energy, square) = (moments.dot(&spin.component_mul(&spin)), moments.component_mul(&spin).norm_squared());
    let (from_low, to_high) = (square - twice_energy * low, twice_energy * high - square);
    let rate = ((high - middle) * from_low / (low * middle * high)).sqrt();
    let modulus = (middle - low) * to_high / ((high - middle) * from_low);
    Ok(share(found, 5.0 * quarter_period(modulus) / rate))
}

fn middle_axis_spin() -> Result<f64, MechanicsError> {
    let (mut scene, moments, spin) = handle()?;
    let begin = moments.component_mul(&spin);
    scene.run(10.0);
    let end = scene.mechanics.now().centroid(scene.mechanics.model(), 0).spin;
    Ok((end - begin).norm() / begin.norm())
}

/// The complete elliptic integral K of a squared modulus, by the arithmetic-geometric mean.
pub(super) fn quarter_period(modulus: f64) -> f64 {
    let (mut a, mut b) = (1.0_f64, (1.0 - modulus).sqrt());
    for _ in 0..8 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    0.5 * PI / a
}

/// A trunk with two arms of three joints each, which swing, floating with a velocity.
fn floating(step: f64, velocity: Vector3<f64>) -> Result<Scene, MechanicsError> {
    let (trunk, _) = cuboid(10.0, [0.3, 0.4, 0.6]);
    let mut bodies = vec![free((trunk, Shape::None), Isometry3::identity())];
    for side in [-1.0, 1.0] {
        for (number, axis) in [Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis()].into_iter().enumerate() {
            let (parent, at) = if number == 0 {
                (0, Vector3::new(0.0, 0.2 * side, 0.2))
            } else {
                (bodies.len() - 1, Vector3::new(0.0, 0.3 * side, 0.0))
            };
            let mut weight = inertia(2.0, Matrix3::from_diagonal(&Vector3::new(0.02, 0.004, 0.02)));
            weight.com_in_link = Vector3::new(0.02, 0.15 * side, 0.01);
            let arm = Body {
                parent: Some(parent),
                joint: Joint::Revolute(axis),
                placement_in_parent: Isometry3::from(at),
                inertia: weight,
                rotor: 0.0,
            };
            bodies.push((arm, Shape::None));
        }
    }
    let mut scene = Scene { step, ..Scene::new(bodies)?.in_space() };
    scene.change(|coordinates| {
        for number in 0..6 {
            coordinates.velocities[6 + number] = 3.0 - 0.7 * number as f64;
        }
        (coordinates.positions[2], coordinates.positions[5]) = (0.7, -0.4);
    });
    scene.throw(0, velocity, Vector3::new(0.3, -0.5, 1.0));
    Ok(scene)
}

fn floating_momentum() -> Result<f64, MechanicsError> {
    let mut scene = floating(1e-3, Vector3::new(300.0, 0.0, 0.0))?;
    let begin = scene.mechanics.now().centroid(scene.mechanics.model(), 0);
    scene.run(2.0);
    let end = scene.mechanics.now().centroid(scene.mechanics.model(), 0);
    let of = |found: Vector3<f64>, right: Vector3<f64>| (found - right).norm() / right.norm();
    Ok(of(end.momentum, begin.momentum).max(of(end.spin, begin.spin)))
}

fn floating_chain() -> Result<f64, MechanicsError> {
    let end = |step: f64| {
        let mut scene = floating(step, Vector3::zeros())?;
        scene.run(0.5);
        Ok(scene.mechanics.coordinates().positions.clone())
    };
    let (found, right) = (end(1e-3)?, end(1e-5)?);
    Ok(found.iter().zip(&right).map(|(found, right)| (found - right).abs()).fold(0.0, f64::max))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use nalgebra::UnitQuaternion;

    #[test]
    fn a_step_half_as_long_is_four_times_as_exact() {
        let end = |step: f64| {
            let mut scene = floating(step, Vector3::zeros()).unwrap();
            scene.run(0.5);
            (scene.mechanics.coordinates().positions.clone(), scene.mechanics.now().kinetic_energy())
        };
        let (exact, energy) = end(1e-5);
        let error = |step: f64| {
            let (positions, found) = end(step);
            let far = positions.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            (far, share(found, energy))
        };
        let (coarse, fine) = (error(2e-3), error(1e-3));
        assert!(coarse.0 / fine.0 > 3.7 && fine.1 < 1e-5, "{coarse:?} {fine:?}");
    }

    #[test]
    fn the_middle_of_a_robot_that_floats_goes_straight_on() {
        for velocity in [Vector3::zeros(), Vector3::new(5.0, -3.0, 1.0), Vector3::new(300.0, 0.0, 0.0)] {
            let mut scene = floating(1e-3, velocity).unwrap();
            let begin = scene.mechanics.now().centroid(scene.mechanics.model(), 0);
            scene.run(2.0);
            let end = scene.mechanics.now().centroid(scene.mechanics.model(), 0);
            let gone = begin.com + begin.momentum * (2.0 / begin.mass);
            assert!((end.com - gone).norm() < 1e-9 * (1.0 + gone.norm()), "{} {gone}", end.com);
        }
    }

    #[test]
    fn a_body_that_turns_about_its_middle_axis_keeps_its_energy() {
        let (mut scene, ..) = handle().unwrap();
        let begin = scene.energy();
        scene.run(10.0);
        assert!(share(scene.energy(), begin) < 1e-4, "{} {begin}", scene.energy());
    }

    #[test]
    fn a_free_body_turns_as_its_velocity_says() {
        let (weight, _) = cuboid(1.0, [0.2; 3]);
        let mut scene = Scene::new(vec![free((weight, Shape::None), Isometry3::identity())]).unwrap().in_space();
        scene.throw(0, Vector3::x(), Vector3::z());
        scene.run(1.0);
        let found = scene.mechanics.now().bodies[0].in_world;
        assert!((found.translation.vector - Vector3::x()).norm() < 1e-12);
        assert!(found.rotation.angle_to(&UnitQuaternion::from_euler_angles(0.0, 0.0, 1.0)) < 1e-7);
    }
}
