//! A cup between two fingers.

use mechanics::{Body, Joint, MechanicsError};
use nalgebra::{Isometry3, Matrix3, Vector3};

use super::share;
use crate::Case;
use crate::scene::{GRAVITY, Pad, Scene, Shape, cuboid, free, inertia};

pub(super) const CASES: &[Case] = &[
    Case {
        name: "grasp_holds",
        what: "a cup pinched with 1.02 of the force that friction needs, 60 s: how far it creeps",
        reference: "it is held",
        unit: "m",
        limit: 1e-4,
        error: grasp_holds,
    },
    Case {
        name: "grasp_slips",
        what: "a cup pinched with 0.98 of the force that friction needs, 0.5 s: how far it has slipped",
        reference: "0.02 g t²/2",
        unit: "1",
        limit: 2e-2,
        error: grasp_slips,
    },
];

/// Width of the cup [m], its mass [kg], and what each finger presses with [N].
const WIDTH: f64 = 0.08;
const MASS: f64 = 0.3;
const FORCE: f64 = 10.0;

/// The cup, pinched, with friction `share` times what holds it.
fn pinched(share: f64) -> Result<Scene, MechanicsError> {
    let finger = |side: f64| {
        let body = Body {
            parent: None,
            joint: Joint::Prismatic(Vector3::x_axis()),
            placement_in_parent: Isometry3::translation(side * 0.5 * WIDTH, 0.0, 0.0),
            inertia: inertia(0.05, Matrix3::from_diagonal_element(1e-5)),
            // a geared finger
            rotor: 2.0,
        };
        (body, Shape::None)
    };
    let (cup, _) = cuboid(MASS, [WIDTH, WIDTH, 0.1]);
    let bodies = vec![free((cup, Shape::None), Isometry3::identity()), finger(-1.0), finger(1.0)];
    let mut scene = Scene::new(bodies)?.rough(share * MASS * GRAVITY / (2.0 * FORCE), 0.0);
    let tip = [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)].map(|(y, z)| Vector3::new(0.0, 0.01 * y, 0.01 * z));
    let pad = |body: usize, side: f64| Pad {
        body,
        points: tip,
        other: Some(0),
        on_plane: Vector3::x() * (0.5 * side * WIDTH),
        normal: if side < 0.0 { -Vector3::x_axis() } else { Vector3::x_axis() },
    };
    scene.pads = vec![pad(1, -1.0), pad(2, 1.0)];
    (scene.drives[6].effort, scene.drives[7].effort) = (FORCE, -FORCE);
    Ok(scene)
}

fn grasp_holds() -> Result<f64, MechanicsError> {
    let mut scene = pinched(1.02)?;
    scene.run(60.0);
    Ok(scene.place(0).norm())
}

fn grasp_slips() -> Result<f64, MechanicsError> {
    let mut scene = pinched(0.98)?;
    scene.run(0.5);
    Ok(share(-scene.place(0).z, 0.5 * 0.02 * GRAVITY * 0.25))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_grasp_is_solved_to_its_tolerance_and_gives_way_by_less_than_ten_micrometres() {
        let mut scene = pinched(1.02).unwrap();
        let (mut worst, mut depth): (f64, f64) = (0.0, 0.0);
        while scene.time < 60.0 {
            scene.step();
            worst = worst.max(scene.mechanics.certificate().residual);
            depth = depth.max(scene.mechanics.certificate().depth);
        }
        assert!(worst <= 1e-9 && depth < 1e-5, "{worst} m/s, {depth} m");
    }

    #[test]
    fn a_cup_that_is_let_go_falls() {
        let mut scene = pinched(1.02).unwrap();
        scene.run(0.1);
        (scene.drives[6].effort, scene.drives[7].effort) = (-FORCE, FORCE);
        let begin = scene.place(0).z;
        scene.run(0.2);
        assert!((scene.place(0).z - begin + 0.5 * GRAVITY * 0.04).abs() < 0.01, "{}", scene.place(0).z);
    }
}
