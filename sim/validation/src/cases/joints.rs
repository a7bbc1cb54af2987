//! Bodies on joints.

use mechanics::{Body, Closure, Constraint, Joint, MechanicsError};
use nalgebra::{Isometry3, Matrix3, Point3, Unit, Vector3};

use super::moving::quarter_period;
use super::share;
use crate::Case;
use crate::scene::{GRAVITY, Scene, Shape, inertia};

pub(super) const CASES: &[Case] = &[
    Case {
        name: "pendulum",
        what: "a pendulum of 1 m that swings by 1 rad: its period, over ten",
        reference: "4 √(l/g) K(sin ½)",
        unit: "1",
        limit: 2e-6,
        error: pendulum,
    },
    Case {
        name: "top",
        what: "a top at 400 rad/s that leans by 0.5 rad: how far it has precessed in 2 s",
        reference: "steady precession: I₁ Ω² cos θ − I₃ ω₃ Ω + m g l = 0 (Goldstein, § 5.7)",
        unit: "1",
        limit: 1e-2,
        error: top,
    },
    Case {
        name: "damper",
        what: "a wheel of 0.1 kg·m² at 5 rad/s with 0.1, 10 and 10,000 N·m·s/rad of damping, 20 ms: its velocity at worst",
        reference: "ω exp(−d t/I)",
        unit: "rad/s",
        limit: 1e-9,
        error: damper,
    },
    Case {
        name: "four_bar",
        what: "a linkage of four bars that turns for 2 s: how far its pin opens",
        reference: "a closed loop stays closed",
        unit: "m",
        limit: 1e-4,
        error: four_bar,
    },
    Case {
        name: "geared",
        what: "two arms, one geared to the other by 2: the acceleration with which they begin to fall",
        reference: "m g l (1 + r)/(I (1 + r²))",
        unit: "1",
        limit: 1e-3,
        error: geared,
    },
];

/// A body of this mass [kg] on a hinge, its centre of mass off it [m].
pub(crate) fn hinge(
    parent: Option<usize>,
    at: [f64; 3],
    axis: Unit<Vector3<f64>>,
    mass: f64,
    com: [f64; 3],
) -> (Body, Shape) {
    let mut weight = inertia(mass, Matrix3::from_diagonal_element(0.01 * mass));
    weight.com_in_link = Vector3::from(com);
    let placement_in_parent = Isometry3::from(Vector3::from(at));
    (Body { parent, joint: Joint::Revolute(axis), placement_in_parent, inertia: weight, rotor: 0.0 }, Shape::None)
}

/// The same with other moments about its centre of mass [kg·m²].
fn with_moments((body, shape): (Body, Shape), moments: Vector3<f64>) -> (Body, Shape) {
    let mut body = body;
    body.inertia.rotational_at_com_in_link = Matrix3::from_diagonal(&moments);
    (body, shape)
}

fn pendulum() -> Result<f64, MechanicsError> {
    let bob = hinge(None, [0.0, 0.0, 2.0], Vector3::y_axis(), 1.0, [0.0, 0.0, -1.0]);
    let mut scene = Scene::new(vec![with_moments(bob, Vector3::from_element(1e-9))])?;
    scene.change(|coordinates| coordinates.positions[0] = 1.0);
    let mut passes = Vec::new();
    while passes.len() < 11 && scene.time < 60.0 {
        let before = scene.position(0);
        scene.step();
        let after = scene.position(0);
        if before > 0.0 && after <= 0.0 {
            passes.push(scene.time - scene.step * after / (after - before));
        }
    }
    let found = passes.last().zip(passes.first()).map_or(f64::INFINITY, |(last, first)| (last - first) / 10.0);
    Ok(share(found, 4.0 * (1.0 / GRAVITY).sqrt() * quarter_period(0.5_f64.sin().powi(2))))
}

fn top() -> Result<f64, MechanicsError> {
    // a disc on a ball joint: three hinges, the last of which is its axle
    let (mass, lever, radius, speed, lean) = (0.5, 0.06, 0.05, 400.0, 0.5_f64);
    let moments = Vector3::new(0.5, 0.5, 1.0) * (0.5 * mass * radius * radius);
    let fork = |parent, axis| with_moments(hinge(parent, [0.0; 3], axis, 1e-6, [0.0; 3]), Vector3::from_element(1e-9));
    let disc = hinge(Some(1), [0.0; 3], Vector3::z_axis(), mass, [0.0, 0.0, lever]);
    let bodies = vec![fork(None, Vector3::z_axis()), fork(Some(0), Vector3::y_axis()), with_moments(disc, moments)];
    let mut scene = Scene::new(bodies)?;
    let (across, along) = (moments.x + mass * lever * lever, moments.z * speed);
    let weight = mass * GRAVITY * lever;
    let rate = (along - (along * along - 4.0 * across * weight * lean.cos()).sqrt()) / (2.0 * across * lean.cos());
    scene.change(|coordinates| {
        coordinates.positions[1] = lean;
        coordinates.velocities = vec![rate, 0.0, speed - rate * lean.cos()];
    });
    scene.run(2.0);
    Ok(share(scene.position(0), rate * 2.0))
}

fn damper() -> Result<f64, MechanicsError> {
    let mut worst: f64 = 0.0;
    for damping in [0.1, 10.0, 1e4] {
        let wheel = hinge(None, [0.0; 3], Vector3::z_axis(), 1.0, [0.0; 3]);
        let mut scene = Scene::new(vec![with_moments(wheel, Vector3::from_element(0.1))])?.in_space();
        scene.change(|coordinates| coordinates.velocities[0] = 5.0);
        scene.drives[0].damping = damping;
        for _ in 0..20 {
            scene.step();
            let right = 5.0 * (-damping * scene.time / 0.1).exp();
            worst = worst.max((scene.mechanics.coordinates().velocities[0] - right).abs());
        }
    }
    Ok(worst)
}

/// Four bars that turn.
fn linkage() -> Result<Scene, MechanicsError> {
    // crank, coupler and rocker; the rocker's end is pinned to the world
    let bars = vec![
        hinge(None, [0.0; 3], Vector3::y_axis(), 0.5, [0.0, 0.0, 0.1]),
        hinge(Some(0), [0.0, 0.0, 0.2], Vector3::y_axis(), 1.0, [0.25, 0.0, 0.0]),
        hinge(Some(1), [0.5, 0.0, 0.0], Vector3::y_axis(), 0.8, [0.0, 0.0, -0.2]),
    ];
    let pin = Constraint::Closure {
        body: 2,
        other: None,
        frame_in_body: Isometry3::translation(0.0, 0.0, -0.4),
        frame_in_other: Isometry3::translation(0.5, 0.0, -0.2),
        kind: Closure::Hinge(Vector3::y_axis()),
    };
    let mut scene = Scene::with(bars, vec![pin])?.in_space();
    // at this place the coupler only shifts: it moves as if it hung on two equal parallel bars at first
    scene.change(|coordinates| coordinates.velocities = vec![4.0, -4.0, 2.0]);
    Ok(scene)
}

fn four_bar() -> Result<f64, MechanicsError> {
    let mut scene = linkage()?;
    let mut worst: f64 = 0.0;
    while scene.time < 2.0 {
        scene.step();
        let end = scene.mechanics.now().bodies[2].in_world * Point3::new(0.0, 0.0, -0.4);
        worst = worst.max((end.coords - Vector3::new(0.5, 0.0, -0.2)).norm());
    }
    Ok(worst)
}

fn geared() -> Result<f64, MechanicsError> {
    let arm = |at| hinge(None, at, Vector3::y_axis(), 1.0, [0.4, 0.0, 0.0]);
    let coupling = Constraint::Coupling { follower: 1, master: 0, ratio: 2.0, offset: 0.0 };
    let mut scene = Scene::with(vec![arm([0.0; 3]), arm([0.0, 1.0, 0.0])], vec![coupling])?;
    // so short that the arms' leaning changes nothing
    scene.run(0.01);
    let moment = 0.4 * 0.4 + 0.01;
    let right = GRAVITY * 0.4 * (1.0 + 2.0) / (moment * (1.0 + 4.0));
    Ok(share(scene.mechanics.coordinates().velocities[0] / 0.01, right))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_linkage_of_four_bars_keeps_its_energy() {
        let mut scene = linkage().unwrap();
        // it closes first
        scene.run(0.02);
        let begin = scene.energy();
        scene.run(2.0);
        assert!(share(scene.energy(), begin) < 0.02, "{} {begin}", scene.energy());
    }
}
