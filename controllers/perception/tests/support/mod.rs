//! Pictures of simple worlds, with the noise of the simulator's cameras (`sim/README.md`, "Sensors that look outwards").
#![allow(dead_code, unused_imports, clippy::unwrap_used, reason = "tests")]

pub mod cast;
pub mod pictures;

use nalgebra::{Isometry3, Point3, Rotation3, UnitQuaternion, Vector3};
use perception::{CameraView, ColourClass, ColourTable, ObjectModel};
use robot_io::{Intrinsics, RandomStream};

pub use cast::{Body, Form, World};
pub use pictures::{colour_picture, depth_picture, depth_picture_with};

pub const BLUE: [f64; 3] = [40.0, 70.0, 190.0];
pub const YELLOW: [f64; 3] = [215.0, 190.0, 30.0];
pub const SOIL: [f64; 3] = [140.0, 110.0, 85.0];

/// The centaur's depth camera.
pub fn depth_intrinsics() -> Intrinsics {
    Intrinsics::with_field_of_view(320, 240, 58.0_f64.to_radians())
}

/// The centaur's colour camera beside it.
pub fn colour_intrinsics() -> Intrinsics {
    Intrinsics::with_field_of_view(640, 480, 58.0_f64.to_radians())
}

/// A camera at a place that looks at another one.
pub fn looking(eye: Point3<f64>, at: Point3<f64>) -> Isometry3<f64> {
    let ahead = (at - eye).normalize();
    let left = Vector3::z().cross(&ahead).normalize();
    let axes = nalgebra::Matrix3::from_columns(&[ahead, left, ahead.cross(&left)]);
    Isometry3::from_parts(
        eye.coords.into(),
        UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes)),
    )
}

/// A camera `distance` away from a place, above it by an angle [rad], from a direction [rad].
pub fn camera_at(at: Point3<f64>, distance: f64, pitch: f64, yaw: f64) -> Isometry3<f64> {
    let back = Vector3::new(-pitch.cos() * yaw.cos(), -pitch.cos() * yaw.sin(), pitch.sin());
    looking(at + back * distance, at)
}

pub fn depth_view(camera: Isometry3<f64>) -> CameraView {
    CameraView::still(depth_intrinsics(), camera)
}

pub const OBJECTS: &str = r#"
[[object]]
name = "cup"
colour = "blue"
symmetry = { round = [0, 0, 1] }
[[object.part]]
cup = { radius = 0.04, height = 0.1, wall = 0.004 }

[[object]]
name = "battery"
colour = "yellow"
symmetry = { turns = [{ axis = [0, 0, 1], fold = 2 }, { axis = [1, 0, 0], fold = 2 }] }
[[object.part]]
box = [0.16, 0.06, 0.08]

[[object]]
name = "roll"
symmetry = { round = [0, 0, 1], turns = [{ axis = [1, 0, 0], fold = 2 }] }
[[object.part]]
cylinder = { radius = 0.03, height = 0.14 }
"#;

pub fn models() -> Vec<ObjectModel> {
    ObjectModel::parse(OBJECTS, "objects.toml").unwrap()
}

pub fn cup(at: Isometry3<f64>) -> Body {
    Body { form: Form::Cup { radius: 0.04, height: 0.1, wall: 0.004 }, pose: at, rgb: BLUE }
}

pub fn battery(at: Isometry3<f64>) -> Body {
    Body { form: Form::Box([0.16, 0.06, 0.08].into()), pose: at, rgb: YELLOW }
}

pub fn roll(at: Isometry3<f64>) -> Body {
    Body { form: Form::Cylinder { radius: 0.03, height: 0.14 }, pose: at, rgb: [200.0, 200.0, 200.0] }
}

/// A pose above the ground, turned about the vertical.
pub fn standing(x: f64, y: f64, height: f64, yaw: f64) -> Isometry3<f64> {
    Isometry3::new(Vector3::new(x, y, height), Vector3::z() * yaw)
}

/// Random numbers of a test.
pub struct Luck(RandomStream, u64);

impl Luck {
    pub fn new(seed: u64, name: &str) -> Luck {
        Luck(RandomStream::new(seed, name), 0)
    }

    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        self.1 += 1;
        low + (high - low) * self.0.uniform(self.1, 0)
    }

    pub fn normal(&mut self) -> f64 {
        self.1 += 1;
        self.0.normal(self.1, 0)
    }

    pub fn vector(&mut self, deviation: f64) -> Vector3<f64> {
        Vector3::new(self.normal(), self.normal(), self.normal()) * deviation
    }
}

/// Classes trained on a colour under the light of the test world.
pub fn colours() -> ColourTable {
    let train = |name: &str, rgb: [f64; 3]| {
        let mut luck = Luck::new(1, name);
        let mut example = || {
            let light = luck.within(0.4, 1.1);
            rgb.map(|level| (level * light + 2.0 * luck.normal()).clamp(0.0, 255.0) as u8)
        };
        let examples: Vec<[u8; 3]> = (0..400).map(|_| example()).collect();
        ColourClass::train(name, &examples, 3.0).unwrap()
    };
    ColourTable::new(vec![train("blue", BLUE), train("yellow", YELLOW)])
}

pub fn median(values: &mut [f64]) -> f64 {
    percentile(values, 0.5)
}

pub fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * share).round() as usize]
}
