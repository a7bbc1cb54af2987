//! A humanoid of 33 joints and 87 kg: legs of six, a waist of three, arms of seven with a hand that opens, a neck of two.

use nalgebra::{Isometry3, Vector3};
use robot_model::{Configuration, Tree, Urdf};
use whole_body::Contact;

use super::biped::sole;

/// A joint of a limb: name, place after the last one, axis, lowest and highest position, effort.
type Segment = (&'static str, [f64; 3], &'static str, f64, f64, f64);

const LEG: [Segment; 6] = [
    ("hip_yaw", [0.0, 0.1, 0.0], "0 0 1", -0.8, 0.8, 120.0),
    ("hip_roll", [0.0; 3], "1 0 0", -0.6, 0.6, 220.0),
    ("hip_pitch", [0.0; 3], "0 1 0", -1.8, 0.7, 220.0),
    ("knee", [0.0, 0.0, -0.4], "0 1 0", 0.02, 2.3, 280.0),
    ("ankle_pitch", [0.0, 0.0, -0.4], "0 1 0", -1.0, 0.8, 150.0),
    ("foot", [0.0; 3], "1 0 0", -0.5, 0.5, 100.0),
];
const ARM: [Segment; 8] = [
    ("shoulder_pitch", [0.0, 0.2, 0.35], "0 1 0", -2.5, 2.5, 90.0),
    ("shoulder_roll", [0.0; 3], "1 0 0", -1.8, 1.8, 90.0),
    ("shoulder_yaw", [0.0, 0.0, -0.15], "0 0 1", -1.8, 1.8, 60.0),
    ("elbow", [0.0, 0.0, -0.15], "0 1 0", -2.4, 0.1, 60.0),
    ("wrist_yaw", [0.0, 0.0, -0.12], "0 0 1", -2.0, 2.0, 20.0),
    ("wrist_pitch", [0.0, 0.0, -0.12], "0 1 0", -1.2, 1.2, 20.0),
    ("hand", [0.0; 3], "1 0 0", -1.2, 1.2, 20.0),
    ("fingers", [0.0, 0.0, -0.08], "0 1 0", 0.0, 1.5, 10.0),
];
const WAIST: [Segment; 3] = [
    ("waist_yaw", [0.0, 0.0, 0.08], "0 0 1", -1.5, 1.5, 150.0),
    ("waist_roll", [0.0; 3], "1 0 0", -0.5, 0.5, 150.0),
    ("chest", [0.0; 3], "0 1 0", -0.6, 1.0, 200.0),
];
const NECK: [Segment; 2] =
    [("neck", [0.0, 0.0, 0.45], "0 0 1", -1.5, 1.5, 15.0), ("head", [0.0, 0.0, 0.05], "0 1 0", -0.8, 0.8, 15.0)];

pub fn tree() -> Tree {
    let mut text = String::from("<robot name=\"humanoid\">");
    text += &link("pelvis", 10.0);
    limb(&mut text, "pelvis", "", &WAIST, 7.0, 1.0);
    limb(&mut text, "chest", "", &NECK, 1.5, 1.0);
    for (side, sign) in [("left_", 1.0), ("right_", -1.0)] {
        limb(&mut text, "pelvis", side, &LEG, 2.5, sign);
        limb(&mut text, "chest", side, &ARM, 1.2, sign);
    }
    Urdf::read("humanoid.urdf", &(text + "</robot>")).unwrap().tree
}

fn link(name: &str, mass: f64) -> String {
    let moment = 0.02 * mass;
    format!(
        "<link name=\"{name}\"><inertial><origin xyz=\"0.01 0 -0.03\"/><mass value=\"{mass}\"/><inertia ixx=\"{moment}\" \
         ixy=\"0\" ixz=\"0\" iyy=\"{moment}\" iyz=\"0\" izz=\"{moment}\"/></inertial></link>"
    )
}

/// A chain of joints, each named after the link that it moves.
fn limb(text: &mut String, root: &str, side: &str, joints: &[Segment], mass: f64, sign: f64) {
    let mut parent = root.to_owned();
    for (name, [x, y, z], axis, lower, upper, effort) in joints {
        let child = format!("{side}{name}");
        *text += &link(&child, mass);
        *text += &format!(
            "<joint name=\"{child}_joint\" type=\"revolute\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
             <origin xyz=\"{x} {} {z}\"/><axis xyz=\"{axis}\"/>\
             <limit lower=\"{lower}\" upper=\"{upper}\" velocity=\"10\" effort=\"{effort}\"/></joint>",
            y * sign
        );
        parent = child;
    }
}

/// On both feet, knees and elbows bent.
pub fn standing(tree: &Tree) -> Configuration {
    let mut configuration = Configuration::zero(tree);
    for side in ["left", "right"] {
        let angles = [("hip_pitch", -0.4), ("knee", 0.8), ("ankle_pitch", -0.4), ("elbow", -1.0), ("fingers", 0.5)];
        for (joint, angle) in angles {
            configuration.joints[tree.joint(&format!("{side}_{joint}_joint")).unwrap()] = angle;
        }
    }
    configuration.base_in_world = Isometry3::translation(0.0, 0.0, 0.8 * 0.4_f64.cos() + 0.08);
    configuration
}

/// Both soles.
pub fn soles() -> Vec<Contact> {
    ["left", "right"].map(|side| sole(side, 0.7)).to_vec()
}

/// A point of the world that moves to and fro before the robot [m].
pub fn hand_target(side: &str, time: f64) -> Vector3<f64> {
    let y = if side == "left" { 0.3 } else { -0.3 };
    Vector3::new(0.35 + 0.1 * (3.0 * time).sin(), y + 0.1 * (2.0 * time).cos(), 1.0 + 0.1 * (2.5 * time).sin())
}
