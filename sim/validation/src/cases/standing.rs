//! Bodies that stand on each other.

use core::f64::consts::PI;

use mechanics::MechanicsError;
use nalgebra::{Isometry3, Unit, UnitQuaternion, Vector3};

use crate::Case;
use crate::scene::{Pad, Scene, Shape, cuboid, free};

pub(super) const CASES: &[Case] = &[
    Case {
        name: "tower",
        what: "twenty boxes of 1 kg on each other for 60 s: how far one goes aside at most",
        reference: "they stand",
        unit: "m",
        limit: 1e-4,
        error: tower,
    },
    Case {
        name: "heavy_on_light",
        what: "100 kg on 1 kg for 5 s: how far one of them goes at most",
        reference: "they stand",
        unit: "m",
        limit: 1e-3,
        error: heavy_on_light,
    },
    Case {
        name: "arch",
        what: "an arch of nine stones on two springers, µ 0.7, 60 s: how far one moves at most",
        reference: "it stands: the line of thrust lies inside it (t/R = 0.2; Couplet and Heyman: 0.107 is enough)",
        unit: "m",
        limit: 1e-3,
        error: arch,
    },
];

/// How far the body that has gone farthest is from where it was [m], as `measure` takes it.
fn farthest(scene: &Scene, begin: &[Vector3<f64>], measure: impl Fn(Vector3<f64>) -> f64) -> f64 {
    begin.iter().enumerate().map(|(body, begin)| measure(scene.place(body) - begin)).fold(0.0, f64::max)
}

fn places(scene: &Scene) -> Vec<Vector3<f64>> {
    (0..scene.shapes.len()).map(|body| scene.place(body)).collect()
}

/// Boxes on each other.
fn boxes(count: i32) -> Result<Scene, MechanicsError> {
    let at = |number: i32| Isometry3::translation(0.0, 0.0, 0.05 + 0.1 * f64::from(number));
    let boxes = (0..count).map(|number| free(cuboid(1.0, [0.2, 0.2, 0.1]), at(number)));
    Ok(Scene::new(boxes.collect())?.on(Vector3::z()).rough(0.5, 0.0))
}

fn tower() -> Result<f64, MechanicsError> {
    let mut scene = boxes(20)?;
    let begin = places(&scene);
    scene.run(60.0);
    Ok(farthest(&scene, &begin, |gone| gone.xy().norm()))
}

fn heavy_on_light() -> Result<f64, MechanicsError> {
    let light = free(cuboid(1.0, [0.2, 0.2, 0.1]), Isometry3::translation(0.0, 0.0, 0.05));
    let heavy = free(cuboid(100.0, [0.2, 0.2, 0.2]), Isometry3::translation(0.0, 0.0, 0.2));
    let mut scene = Scene::new(vec![light, heavy])?.on(Vector3::z()).rough(0.5, 0.0);
    let begin = places(&scene);
    scene.run(5.0);
    Ok(farthest(&scene, &begin, |gone| gone.norm()))
}

/// An arch of half a circle.
struct Arch {
    stones: usize,
    /// Of its middle [m].
    radius: f64,
    /// Across, in its plane [m].
    thick: f64,
    /// Along, out of its plane [m].
    deep: f64,
}

impl Arch {
    /// Half the angle of a stone [rad].
    fn half(&self) -> f64 {
        0.5 * PI / self.stones as f64
    }

    /// Where a stone's origin is: x outward, z towards the next stone.
    fn at(&self, number: usize) -> Isometry3<f64> {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -self.half() * (2 * number + 1) as f64);
        Isometry3::from_parts((turn * Vector3::x() * self.radius).into(), turn)
    }

    /// The corners of a stone's face towards the next one (`1.0`) or the one before (`-1.0`), in the stone's frame.
    fn corners(&self, side: f64) -> [Vector3<f64>; 4] {
        [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)].map(|(out, along)| {
            let from_centre = self.radius + 0.5 * self.thick * out;
            let (sine, cosine) = self.half().sin_cos();
            Vector3::new(from_centre * cosine - self.radius, 0.5 * self.deep * along, side * from_centre * sine)
        })
    }

    /// Each stone on the one before, the first and the last on the ground.
    fn pads(&self) -> Vec<Pad> {
        let (sine, cosine) = self.half().sin_cos();
        let ground = |body: usize, side: f64| Pad {
            body,
            points: self.corners(side),
            other: None,
            on_plane: Vector3::zeros(),
            normal: Vector3::z_axis(),
        };
        let joint = |body: usize| Pad {
            body,
            points: self.corners(-1.0),
            other: Some(body - 1),
            on_plane: Vector3::new(self.radius * (cosine - 1.0), 0.0, self.radius * sine),
            normal: Unit::new_normalize(Vector3::new(-sine, 0.0, cosine)),
        };
        let ends = [ground(0, -1.0), ground(self.stones - 1, 1.0)];
        ends.into_iter().chain((1..self.stones).map(joint)).collect()
    }
}

fn arch() -> Result<f64, MechanicsError> {
    let arch = Arch { stones: 9, radius: 1.0, thick: 0.2, deep: 0.2 };
    // a stone weighs as a box that is as long as its arc in the middle
    let (weight, _) = cuboid(10.0, [arch.thick, arch.deep, 2.0 * arch.radius * arch.half().tan()]);
    let bodies = (0..arch.stones).map(|number| free((weight, Shape::None), arch.at(number)));
    let mut scene = Scene::new(bodies.collect())?.rough(0.7, 0.0);
    scene.pads = arch.pads();
    let begin = places(&scene);
    scene.run(60.0);
    Ok(farthest(&scene, &begin, |gone| gone.norm()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_tower_is_solved_to_its_tolerance_and_does_not_sink() {
        let mut scene = boxes(20).unwrap();
        let begin = places(&scene);
        let mut worst: f64 = 0.0;
        while scene.time < 60.0 {
            scene.step();
            worst = worst.max(scene.mechanics.certificate().residual);
        }
        assert!(worst <= 1e-8, "{worst}");
        assert!(farthest(&scene, &begin, |gone| gone.z.abs()) < 0.01);
    }
}
