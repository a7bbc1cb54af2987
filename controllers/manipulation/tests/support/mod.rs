//! The robots that ship, and numbers that look random.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::path::Path;

use manipulation::{CollisionModel, CollisionSettings, Object, Scene, SerialChain, Solid};
use nalgebra::{Isometry3, Vector3};
use robot_model::RobotModel;

pub fn robot(name: &str) -> RobotModel {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models");
    RobotModel::load(&root.join(format!("{name}/{name}.toml"))).unwrap()
}

pub fn standing(robot: &RobotModel) -> Vec<f64> {
    robot.description.pose("stand").unwrap().positions.clone()
}

/// From where the arm hangs to the hand that can grasp.
pub fn arm(robot: &RobotModel, side: &str) -> SerialChain {
    chain(robot, "torso_link", side)
}

pub fn chain(robot: &RobotModel, root: &str, side: &str) -> SerialChain {
    let hand = robot.description.end_effector(&format!("{side}_hand")).unwrap().link;
    SerialChain::new(&robot.tree, robot.tree.link(root).unwrap(), hand).unwrap()
}

pub fn model(robot: &RobotModel) -> CollisionModel {
    CollisionModel::new(robot, &standing(robot), CollisionSettings::default(), |_| None).unwrap()
}

/// Limbs' joints, one limb after the other.
pub fn joints(robot: &RobotModel, limbs: &[&str]) -> Vec<usize> {
    limbs.iter().flat_map(|limb| robot.description.limb(limb).unwrap().joints.clone()).collect()
}

pub fn block(name: &str, size: [f64; 3], at: [f64; 3]) -> Object {
    let pose = Isometry3::translation(at[0], at[1], at[2]);
    Object::obstacle(name, Solid::Box { size: Vector3::from(size) }, pose)
}

/// A table before the robot with boxes, a ball and a bottle on it, and a shelf above, in the base's frame; `top` is its height.
pub fn table(ahead: f64, top: f64) -> Scene {
    let mut scene = Scene::default();
    let mut add = |object: Object| scene.add(object).unwrap();
    add(block("table", [0.6, 1.2, 0.04], [ahead + 0.3, 0.0, top - 0.02]));
    add(block("box", [0.12, 0.12, 0.2], [ahead + 0.15, 0.25, top + 0.1]));
    add(block("crate", [0.15, 0.1, 0.15], [ahead + 0.12, -0.2, top + 0.075]));
    add(block("shelf", [0.3, 1.2, 0.03], [ahead + 0.35, 0.0, top + 0.5]));
    let at = |y: f64, z: f64| Isometry3::translation(ahead + 0.1, y, top + z);
    add(Object::obstacle("bottle", Solid::Cylinder { radius: 0.04, length: 0.25 }, at(0.05, 0.125)));
    add(Object::obstacle("ball", Solid::Sphere { radius: 0.07 }, at(0.45, 0.07)));
    scene
}

/// SplitMix64, from 0 to 1.
pub struct Random(pub u64);

impl Random {
    pub fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn within(&mut self, limits: &[[f64; 2]]) -> Vec<f64> {
        limits.iter().map(|[low, high]| low + (high - low) * self.share()).collect()
    }
}
