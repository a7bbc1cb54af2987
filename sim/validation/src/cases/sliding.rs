//! Bodies that slide and roll.

use mechanics::MechanicsError;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::share;
use crate::Case;
use crate::scene::{GRAVITY, Scene, ball, cuboid, free};

pub(super) const CASES: &[Case] = &[
    Case {
        name: "slope_holds",
        what: "a box on a slope of 0.98 of what friction holds, µ 0.1, 0.5 and 1, 10 s: how far it creeps at most",
        reference: "it stands",
        unit: "m",
        limit: 1e-4,
        error: slope_holds,
    },
    Case {
        name: "slope_slides",
        what: "a box on a slope of 1.02 of what friction holds, 2 s: its velocity at worst",
        reference: "g (sin α − µ cos α) t",
        unit: "1",
        limit: 5e-3,
        error: slope_slides,
    },
    Case {
        name: "stops",
        what: "a box that slides at 2 m/s on level ground, µ 0.3: how far it comes",
        reference: "v²/(2 µ g)",
        unit: "1",
        limit: 2e-3,
        error: stops,
    },
    Case {
        name: "slides_into_rolling",
        what: "a ball that slides at 1.4 m/s: with what velocity it ends in rolling",
        reference: "5/7 v",
        unit: "1",
        limit: 1e-3,
        error: slides_into_rolling,
    },
    Case {
        name: "rolls_down",
        what: "a ball that rolls down 20° for 1 s: its velocity",
        reference: "5/7 g sin α t",
        unit: "1",
        limit: 1e-3,
        error: rolls_down,
    },
];

fn normal(angle: f64) -> Vector3<f64> {
    Vector3::new(angle.sin(), 0.0, angle.cos())
}

/// A box on a slope as steep as friction times `share` holds, and how steep that is [rad].
fn on_slope(friction: f64, share: f64) -> Result<(Scene, f64), MechanicsError> {
    let angle = (friction * share).atan();
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle);
    let at = Isometry3::from_parts((normal(angle) * 0.05).into(), turn);
    let scene = Scene::new(vec![free(cuboid(2.0, [0.3, 0.2, 0.1]), at)])?;
    Ok((scene.on(normal(angle)).rough(friction, 0.0), angle))
}

fn slope_holds() -> Result<f64, MechanicsError> {
    let mut worst: f64 = 0.0;
    for friction in [0.1, 0.5, 1.0] {
        let (mut scene, _) = on_slope(friction, 0.98)?;
        let begin = scene.place(0);
        scene.run(10.0);
        worst = worst.max((scene.place(0) - begin).norm());
    }
    Ok(worst)
}

fn slope_slides() -> Result<f64, MechanicsError> {
    let mut worst: f64 = 0.0;
    for friction in [0.1, 0.5, 1.0] {
        let (mut scene, angle) = on_slope(friction, 1.02)?;
        scene.run(2.0);
        let right = GRAVITY * (angle.sin() - friction * angle.cos()) * 2.0;
        worst = worst.max(share(scene.velocity(0).norm(), right));
    }
    Ok(worst)
}

fn stops() -> Result<f64, MechanicsError> {
    let (friction, velocity) = (0.3, 2.0);
    let box_on_floor = free(cuboid(2.0, [0.3, 0.2, 0.1]), Isometry3::translation(0.0, 0.0, 0.05));
    let mut scene = Scene::new(vec![box_on_floor])?.on(Vector3::z()).rough(friction, 0.0);
    scene.throw(0, Vector3::x() * velocity, Vector3::zeros());
    scene.run(2.0);
    Ok(share(scene.place(0).x, velocity * velocity / (2.0 * friction * GRAVITY)))
}

fn slides_into_rolling() -> Result<f64, MechanicsError> {
    let mut scene = Scene::new(vec![free(ball(0.2, 0.03), Isometry3::translation(0.0, 0.0, 0.03))])?;
    scene = scene.on(Vector3::z()).rough(0.2, 0.0);
    scene.throw(0, Vector3::x() * 1.4, Vector3::zeros());
    scene.run(1.0);
    Ok(share(scene.velocity(0).x, 1.0).max(share(scene.spin(0).y * 0.03, 1.0)))
}

fn rolls_down() -> Result<f64, MechanicsError> {
    let angle = 20.0_f64.to_radians();
    let mut scene = Scene::new(vec![free(ball(0.2, 0.03), Isometry3::from(normal(angle) * 0.03))])?;
    scene = scene.on(normal(angle)).rough(1.0, 0.0);
    scene.run(1.0);
    Ok(share(scene.velocity(0).norm(), 5.0 / 7.0 * GRAVITY * angle.sin()))
}
