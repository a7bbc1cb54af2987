//! Bodies that meet.

use mechanics::MechanicsError;
use nalgebra::{Isometry3, Vector3};

use super::share;
use crate::Case;
use crate::scene::{Scene, ball, free};

pub(super) const CASES: &[Case] = &[
    Case {
        name: "bounce_whole",
        what: "a ball of restitution 1 that bounces from 0.5 m for 20 s: its energy",
        reference: "is kept",
        unit: "1",
        limit: 1e-6,
        error: bounce_whole,
    },
    Case {
        name: "bounce_tenth",
        what: "a ball of restitution 0.1 let fall from 1 m: how high it comes",
        reference: "e² h",
        unit: "1",
        limit: 4e-2,
        error: bounce_tenth,
    },
    Case {
        name: "cradle",
        what: "Newton's cradle, a ball at 1 m/s onto four that touch: the velocity that is farthest off",
        reference: "the last goes on with all of it, the others stand",
        unit: "m/s",
        limit: 1e-3,
        error: cradle,
    },
    Case {
        name: "billiards",
        what: "a ball at 2 m/s onto an equal one, off its middle: cosine of the angle at which they part",
        reference: "a right angle",
        unit: "1",
        limit: 1e-3,
        error: billiards,
    },
    Case {
        name: "light_on_heavy",
        what: "a ball of 0.1 kg at 3 m/s onto one of 100 kg, restitution 0.5: the velocity that is farthest off",
        reference: "momentum is kept, e of the approach comes back",
        unit: "m/s",
        limit: 1e-6,
        error: light_on_heavy,
    },
];

fn bounce_whole() -> Result<f64, MechanicsError> {
    let high = free(ball(0.3, 0.05), Isometry3::translation(0.0, 0.0, 0.55));
    let mut scene = Scene::new(vec![high])?.on(Vector3::z()).rough(0.5, 1.0);
    let begin = scene.energy();
    scene.run(20.0);
    Ok(share(scene.energy(), begin))
}

fn bounce_tenth() -> Result<f64, MechanicsError> {
    let high = free(ball(0.3, 0.05), Isometry3::translation(0.0, 0.0, 1.05));
    let mut scene = Scene::new(vec![high])?.on(Vector3::z()).rough(0.5, 0.1);
    while scene.velocity(0).z <= 0.0 && scene.time < 5.0 {
        scene.step();
    }
    let mut highest: f64 = 0.0;
    while scene.velocity(0).z > 0.0 {
        highest = highest.max(scene.place(0).z - 0.05);
        scene.step();
    }
    Ok(share(highest, 0.01))
}

fn cradle() -> Result<f64, MechanicsError> {
    let at = |number: i32| if number == 0 { -0.1 } else { 0.04 * f64::from(number) };
    let row = (0..5).map(|number| free(ball(0.1, 0.02), Isometry3::translation(at(number), 0.0, 0.0)));
    let mut scene = Scene::new(row.collect())?.in_space().rough(0.3, 1.0);
    scene.throw(0, Vector3::x(), Vector3::zeros());
    scene.run(0.3);
    let off =
        |number: usize| (scene.velocity(number) - if number == 4 { Vector3::x() } else { Vector3::zeros() }).norm();
    Ok((0..5).map(off).fold(0.0, f64::max))
}

/// Two balls after they have met, without friction and loss.
fn met() -> Result<Scene, MechanicsError> {
    let at = |x: f64, y: f64| Isometry3::translation(x, y, 0.0);
    let balls = vec![free(ball(0.17, 0.03), at(0.0, 0.0)), free(ball(0.17, 0.03), at(-0.2, 0.025))];
    let mut scene = Scene::new(balls)?.in_space().rough(0.0, 1.0);
    scene.throw(1, Vector3::x() * 2.0, Vector3::zeros());
    scene.run(0.3);
    Ok(scene)
}

fn billiards() -> Result<f64, MechanicsError> {
    let scene = met()?;
    let (one, two) = (scene.velocity(0), scene.velocity(1));
    Ok(one.dot(&two).abs() / (one.norm() * two.norm()))
}

fn light_on_heavy() -> Result<f64, MechanicsError> {
    let (light, heavy, velocity, restitution) = (0.1, 100.0, 3.0, 0.5);
    let balls = vec![
        free(ball(light, 0.03), Isometry3::translation(-0.2, 0.0, 0.0)),
        free(ball(heavy, 0.1), Isometry3::identity()),
    ];
    let mut scene = Scene::new(balls)?.in_space().rough(0.3, restitution);
    scene.throw(0, Vector3::x() * velocity, Vector3::zeros());
    scene.run(0.2);
    let middle = light * velocity / (light + heavy);
    let off = |body: usize, right: f64| (scene.velocity(body) - Vector3::x() * right).norm();
    let back = restitution * velocity / (light + heavy);
    Ok(off(0, middle - back * heavy).max(off(1, middle + back * light)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn balls_of_billiards_both_go_on_and_keep_their_energy() {
        let scene = met().unwrap();
        assert!(scene.velocity(0).norm() > 0.5 && scene.velocity(1).norm() > 0.5);
        assert!((scene.energy() - 0.5 * 0.17 * 4.0).abs() < 1e-9, "{}", scene.energy());
    }
}
