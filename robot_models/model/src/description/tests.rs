//! Good files, bad files, and files that a monkey typed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use proptest::prelude::*;
use robot_io::RobotLayout;

use super::{Description, DescriptionFile};
use crate::{ModelError, Tree, Urdf};

const URDF: &str = r#"<robot name="cart">
  <link name="base"/> <link name="leg"/> <link name="fork"/> <link name="wheel"/> <link name="flap"/>
  <joint name="hip" type="revolute"><parent link="base"/><child link="leg"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="50" velocity="5"/></joint>
  <joint name="steer" type="revolute"><parent link="leg"/><child link="fork"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="10" velocity="5"/></joint>
  <joint name="roll" type="continuous"><parent link="fork"/><child link="wheel"/><axis xyz="0 1 0"/>
    <limit effort="10" velocity="20"/></joint>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="flap"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>"#;

pub(super) const TOML: &str = r#"name = "cart"
urdf = "cart.urdf"
cycle_period_us = 4000

[[actuator]]
name = "servo"
rated_effort = 20.0
peak_effort = 40.0
no_load_speed = 3.5
gear_ratio = 100
rotor_inertia = 1e-6
coulomb_friction = 0.5
viscous_friction = 0.1
delay_us = 2000
backlash = 0.001
encoder_counts_per_turn = 4096
position_noise = 1e-4
velocity_noise = 1e-2
effort_noise = 0.1
torque_constant = 0.013
efficiency = 0.7
thermal = { resistance = 1.0, capacitance = 400, ambient = 25.0, derate_from = 80.0, trip_at = 100.0, copper_loss = 0.02 }

[[joints]]
names = ["hip", "steer", "roll"]
actuator = "servo"
stiffness = 100.0
damping = 5.0

[[joints]]
names = ["hinge"]

[[end_effector]]
name = "foot"
link = "fork"

[[limb]]
name = "leg"
joints = ["hip", "steer", "roll"]
end_effector = "foot"

[[group]]
name = "all"
limbs = ["leg"]
joints = ["hinge"]

[[pose]]
name = "stand"
[pose.positions]
hip = 0.5

[[pose]]
name = "turned"
like = "stand"
[pose.positions]
steer = -1.5

[[wheel]]
name = "wheel"
limb = "leg"
steer_joint = "steer"
drive_joint = "roll"
radius = 0.1
width = 0.03

[[imu]]
name = "imu"
link = "base"
xyz = [0.1, 0.0, 0.2]
rpy = [0.0, 0.0, 1.5707963267948966]
gyro_noise_density = 1e-4
gyro_bias_walk = 1e-5
accel_noise_density = 4e-3
accel_bias_walk = 3e-4
gyro_turn_on_bias = 0.0035
accel_turn_on_bias = 0.03
scale_error = 0.002
misalignment = 0.001
attitude_time = 2.0
rate_hz = 250

[[force_torque]]
name = "hip_wrench"
joint = "hip"
force_noise = 0.5
torque_noise = 0.05

[[contact]]
name = "wheel_contact"
link = "wheel"
threshold = 5.0
force_noise = 1.0

[[skin]]
name = "shin"
link = "leg"
xyz = [0.0, 0.1, 0.2]
out = [0.0, 2.0, 0.0]
radius = 0.05
depth = 0.01
threshold = 2.0
force_noise = 0.2

[[foot]]
name = "sole"
limb = "leg"
length = 0.2
width = 0.1
force_torque = "hip_wrench"
contact = "wheel_contact"

[[surface]]
name = "rubber"
links = ["wheel"]
friction = 0.9

[[no_contact]]
links = ["base", "wheel"]

[[battery]]
name = "battery"
energy_wh = 355.0
voltage = 22.2
internal_resistance = 0.03
idle_power_w = 120.0

[[laser]]
name = "lidar"
link = "leg"
xyz = [0.0, 0.0, 0.1]
rpy = [0.0, 0.0, 0.0]
beams = 1081
first_angle_deg = -135.0
angle_step_deg = 0.25
rate_hz = 40.0
min_range = 0.1
max_range = 30.0
range_noise_near = 0.01
range_noise_far = 0.017
near_range = 10.0
beam_divergence = 0.01
pulse_length = 0.75
white_range = 60.0

[[camera]]
name = "eye"
link = "base"
xyz = [0.0, 0.0, 0.1]
rpy = [0.0, 0.0, 0.0]
width = 640
height = 480
horizontal_fov_deg = 90.0
rate_hz = 20.0
row_period_us = 50
noise = 2.0

[[depth_camera]]
name = "depth"
link = "base"
xyz = [0.0, 0.0, 0.1]
rpy = [0.0, 0.0, 0.0]
width = 320
height = 240
horizontal_fov_deg = 58.0
rate_hz = 30.0
min_range = 0.5
max_range = 6.5
baseline = 0.075
disparity_step = 0.0625
disparity_noise = 0.03
white_range = 20.0
"#;

fn tree() -> Tree {
    Urdf::read("cart.urdf", URDF).unwrap().tree
}

pub(super) fn read(text: &str) -> Result<Description, ModelError> {
    DescriptionFile::parse("cart.toml", text)?.resolve(&tree())
}

/// The good file with `from` replaced by `to`, and the message that it is refused with.
fn refused(from: &str, to: &str) -> String {
    assert!(TOML.contains(from), "the file has no {from}");
    read(&TOML.replacen(from, to, 1)).expect_err(to).to_string()
}

#[test]
fn every_name_becomes_an_index() {
    let (tree, cart) = (tree(), read(TOML).unwrap());
    assert_eq!((cart.name.as_str(), cart.urdf.as_deref()), ("cart", Some("cart.urdf")));
    assert_eq!(cart.cycle_period.seconds(), 0.004);
    let class = cart.actuator_of(tree.joint("steer").unwrap()).unwrap();
    assert_eq!((class.name.as_str(), class.delay.seconds()), ("servo", 0.002));
    assert!((class.reflected_inertia() - 0.01).abs() < 1e-12);
    assert_eq!(class.thermal.time_constant(), 400.0);
    assert_eq!(class.thermal.steady_temperature(20.0), 33.0);
    assert_eq!(cart.actuator_of(tree.joint("hinge").unwrap()), None);
    let wheel = cart.wheel("wheel").unwrap();
    assert_eq!(tree.links[wheel.link].name, "wheel");
    assert_eq!(cart.wheels_of(wheel.limb).count(), 1);
    let foot = cart.limb("leg").unwrap().end_effector.unwrap();
    assert_eq!(cart.group("leg").unwrap().joints, cart.limb("leg").unwrap().joints, "a limb is a group");
    assert_eq!(cart.group("all").unwrap().joints.len(), 4);
    assert_eq!(tree.links[cart.end_effectors[foot].link].name, "fork");
    let sole = cart.foot("sole").unwrap();
    assert_eq!((tree.links[sole.link].name.as_str(), sole.force_torque, sole.contact), ("fork", Some(0), Some(0)));
    let ahead = cart.imus[0].pose_in_link * nalgebra::Point3::new(1.0, 0.0, 0.0);
    assert!((ahead - nalgebra::Point3::new(0.1, 1.0, 0.2)).norm() < 1e-12, "{ahead}");
}

#[test]
fn a_class_of_drives_has_what_it_does_not_say_from_the_one_it_is_like() {
    let like = "[[actuator]]\nname = \"small\"\nlike = \"servo\"\nrated_effort = 5.0\nspring = 50.0\n\
                thermal.capacitance = 30\n\n[[joints]]";
    let cart = read(&TOML.replacen("[[joints]]", like, 1)).unwrap();
    let [servo, small] = &cart.actuators[..] else { panic!("two classes") };
    assert_eq!((small.name.as_str(), small.rated_effort, small.spring), ("small", 5.0, Some(50.0)));
    assert_eq!((small.peak_effort, small.delay, small.thermal.trip_at), (40.0, servo.delay, 100.0));
    assert_eq!((small.thermal.capacitance, servo.thermal.capacitance), (30.0, 400.0));
    for (from, to, message) in [
        ("like = \"servo\"", "like = \"serve\"", "actuator[1].like: expected the name of an earlier [[actuator]]"),
        ("like = \"servo\"", "like = \"small\"", "actuator[1].like: expected the name of an earlier [[actuator]]"),
        ("rated_effort", "rated_efort", "actuator[1].rated_efort: expected one of "),
        ("rated_effort = 5.0", "rated_effort = 50.0", "actuator[1].peak_effort: expected at least rated_effort 50 N·m"),
    ] {
        let text = TOML.replacen("[[joints]]", &like.replace(from, to), 1);
        let found = read(&text).unwrap_err().to_string();
        assert!(found.contains(message), "{found}");
    }
}

#[test]
fn a_pose_begins_like_an_earlier_one() {
    let (tree, cart) = (tree(), read(TOML).unwrap());
    let turned = &cart.pose("turned").unwrap().positions;
    assert_eq!(turned[tree.joint("hip").unwrap()], 0.5);
    assert_eq!(turned[tree.joint("steer").unwrap()], -1.5);
    assert_eq!(turned[tree.joint("hinge").unwrap()], 0.0);
}

#[test]
fn the_layout_takes_the_tighter_limit_of_urdf_and_actuator() {
    let (tree, cart) = (tree(), read(TOML).unwrap());
    let layout = cart.layout(&tree);
    let limits = |name: &str| layout.joints[layout.joint(name).unwrap()].limits;
    assert_eq!((limits("hip").effort, limits("hip").velocity), (40.0, 3.5));
    assert_eq!((limits("steer").effort, limits("steer").velocity), (10.0, 3.5));
    assert_eq!((limits("hinge").effort, limits("hinge").velocity), (1.0, 1.0));
    assert_eq!(layout.force_torques[0].frame, "leg");
    assert_eq!(layout.contacts[0].frame, "wheel");
    assert_eq!(layout.batteries[0].frame, "base");
}

#[test]
fn the_layout_holds_the_sensors_that_are_switched_on() {
    let (tree, cart) = (tree(), read(TOML).unwrap());
    assert_eq!(cart.vision_sensors().collect::<Vec<_>>(), ["lidar", "eye", "depth"]);
    let all = cart.layout(&tree);
    assert_eq!((all.lasers.len(), all.cameras.len(), all.depth_cameras.len()), (1, 1, 1));
    let (laser, eye) = (&all.lasers[0], &all.cameras[0]);
    assert_eq!((laser.frame.as_str(), laser.geometry.steps_per_turn), ("leg", 1440));
    assert!((laser.geometry.angle(540)).abs() < 1e-12 && laser.geometry.period.seconds() == 0.025);
    assert!((eye.intrinsics.fx - 320.0).abs() < 1e-9 && eye.rate_hz == 20.0);
    let some = cart.layout_with(&tree, &["depth".to_owned()]);
    assert_eq!((some.lasers.len(), some.cameras.len(), some.depth_cameras[0].name.as_str()), (0, 0, "depth"));
    assert_eq!(some.joints, all.joints);
    assert_eq!(cart.switchable_sensors().collect::<Vec<_>>(), ["lidar", "eye", "depth", "skin"]);
    let names = |layout: &RobotLayout| layout.contacts.iter().map(|contact| contact.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&cart.layout_with(&tree, &["skin".to_owned()])), ["wheel_contact", "shin"]);
}

/// What is changed to what, what stands in the line that is named, and the message after the line's number.
#[rustfmt::skip] // a table
const REFUSALS: [(&str, &str, &str, &str); 42] = [
    ("name = \"shin\"", "name = \"wheel_contact\"", "name = \"wheel_contact\"", "skin[0].name: expected a name that is used once, found a second `wheel_contact`"),
    ("out = [0.0, 2.0, 0.0]", "out = [0.0, 0.0, 0.0]", "out = [0.0, 0.0", "skin[0].out: expected a direction [x, y, z], longer than 1e-6, found [0.0, 0.0, 0.0]"),
    ("out = [0.0, 2.0, 0.0]\n", "", "[[skin]]", "skin[0].out: expected a direction [x, y, z] out of the robot, found nothing"),
    ("radius = 0.1", "radius = -0.1", "radius = -0.1", "wheel[0].radius: expected a number from 0.000001 to 100 [m], found float `-0.1`"),
    ("radius = 0.1", "radius = \"big\"", "radius = \"big\"", "wheel[0].radius: expected a number from 0.000001 to 100 [m], found string `\"big\"`"),
    ("radius = 0.1", "radius = nan", "radius = nan", "wheel[0].radius: expected a number from 0.000001 to 100 [m], found float `nan`"),
    ("efficiency = 0.7", "efficiency = 1.7", "efficiency = 1.7", "actuator[0].efficiency: expected a number from 0.000001 to 1 [1], found float `1.7`"),
    ("trip_at = 100.0", "trip_at = 50.0", "trip_at = 50.0", "actuator[0].thermal.trip_at: expected above derate_from 80 °C, found 50 °C"),
    ("peak_effort = 40.0", "peak_effort = 4.0", "peak_effort = 4.0", "actuator[0].peak_effort: expected at least rated_effort 20 N·m, found 4 N·m"),
    ("cycle_period_us = 4000", "cycle_period_us = 0", "cycle_period_us = 0", "cycle_period_us: expected a whole number from 1 to 1000000, found integer `0`"),
    ("names = [\"hinge\"]", "names = [\"henge\"]", "henge", "joints[1].names[0]: expected a joint of the robot, found \"henge\""),
    ("names = [\"hinge\"]", "names = [\"hip\"]", "names = [\"hip\"]", "joints[1].names[0]: expected each joint once, found string `\"hip\"` a second time"),
    ("names = [\"hinge\"]", "names = []", "white_range", "joint \"hinge\": expected an entry in [[joints]], found none up to the end of the file"),
    ("stiffness = 100.0\n", "", "[[joints]]", "joints[0].stiffness: expected a number from 0 to 100000000 [N·m/rad or N/m], found nothing"),
    ("actuator = \"servo\"\n", "", "[[joints]]", "joints[0].actuator: expected the name of an [[actuator]] beside stiffness and damping, found nothing"),
    ("actuator = \"servo\"", "actuator = \"serve\"", "\"serve\"", "joints[0].actuator: expected the name of a [[actuator]], found \"serve\""),
    ("hip = 0.5", "hip = 1.5", "hip = 1.5", "pose[0].positions.hip: expected -1 to 1, found 1.5"),
    ("hip = 0.5", "hop = 0.5", "hop = 0.5", "pose[0].positions.hop: expected a joint of the robot, found \"hop\""),
    ("like = \"stand\"", "like = \"turned\"", "like = \"turned\"", "pose[1].like: expected the name of an earlier [[pose]], found \"turned\""),
    ("name = \"turned\"", "name = \"stand\"", "name = \"stand\"", "pose[1].name: expected a name that is used once, found a second `stand`"),
    ("limbs = [\"leg\"]", "limbs = [\"arm\"]", "limbs = [\"arm\"]", "group[0].limbs[0]: expected the name of a [[limb]], found \"arm\""),
    ("joints = [\"hinge\"]", "joints = [\"roll\"]", "joints = [\"roll\"]", "group[0].joints[0]: expected each joint once, found joint \"roll\" a second time"),
    ("limbs = [\"leg\"]\njoints = [\"hinge\"]\n", "", "[[group]]", "group[0]: expected limbs or joints, found none"),
    ("name = \"all\"", "name = \"leg\"", "name = \"leg\"", "group[0].name: expected a name that is used once, found a second `leg`"),
    ("drive_joint = \"roll\"", "drive_joint = \"hip\"", "drive_joint = \"hip\"", "wheel[0].drive_joint: expected a continuous joint, found Revolute"),
    ("drive_joint = \"roll\"", "drive_joint = \"hinge\"", "drive_joint = \"hinge\"", "wheel[0].drive_joint: expected a joint of limb \"leg\", found \"hinge\""),
    ("link = \"wheel\"", "link = \"weel\"", "link = \"weel\"", "contact[0].link: expected a link of the robot, found \"weel\""),
    ("links = [\"base\", \"wheel\"]", "links = [\"base\", \"weel\"]", "weel", "no_contact[0].links[1]: expected a link of the robot, found \"weel\""),
    ("links = [\"wheel\"]", "links = [\"wheel\", \"wheel\"]", "links = [\"wheel\", \"wheel\"]", "surface[0].links[1]: expected each link once, found string `\"wheel\"` a second time"),
    ("end_effector = \"foot\"\n", "", "limb = \"leg\"", "foot[0].limb: expected a limb with an end effector, whose link is the foot's frame, found \"leg\", which has none"),
    ("length = 0.2", "length = -0.2", "length = -0.2", "foot[0].length: expected a number from 0 to 10 [m], found float `-0.2`"),
    ("joint = \"hip\"", "joint = \"hinge\"", "force_torque = \"hip_wrench\"", "foot[0].force_torque: expected a cell through which the foot's load goes, found \"hip_wrench\", which is not between the trunk and the foot"),
    ("friction = 0.9", "friction = 90.0", "friction = 90.0", "surface[0].friction: expected a number from 0 to 10 [1], found float `90.0`"),
    ("links = [\"base\", \"wheel\"]", "links = [\"base\"]", "links = [\"base\"]", "no_contact[0].links: expected two links or more, found 1"),
    ("rate_hz = 250\n", "", "[[imu]]", "imu[0].rate_hz: expected a number from 0.001 to 1000000 [Hz], found nothing"),
    ("angle_step_deg = 0.25", "angle_step_deg = 0.7", "angle_step_deg = 0.7", "laser[0].angle_step_deg: expected a whole number of steps in 360°, found 0.7°"),
    ("beams = 1081", "beams = 1441", "beams = 1441", "laser[0].beams: expected at most 1440, a whole turn, found 1441"),
    ("max_range = 30.0", "max_range = 70.0", "max_range = 70.0", "laser[0].max_range: expected above min_range 0.1 m and at most 65.535 m, found 70 m"),
    ("name = \"depth\"", "name = \"lidar\"", "name = \"lidar\"", "depth_camera[0].name: expected a name that is used once, found a second `lidar`"),
    ("width = 640", "width = 64000", "width = 64000", "camera[0].width: expected a whole number from 1 to 4096, found integer `64000`"),
    ("row_period_us = 50", "row_period_us = 500", "row_period_us = 500", "camera[0].row_period_us: expected at most 104 µs: 480 rows in 0.0500 s, found 500 µs"),
    ("horizontal_fov_deg = 58.0", "horizontal_fov_deg = 180.0", "horizontal_fov_deg = 180.0", "depth_camera[0].horizontal_fov_deg: expected below 170°, what a pinhole camera can see, found 180°"),
];

#[test]
fn errors_name_file_line_field_expected_and_found() {
    for (from, to, in_line, message) in REFUSALS {
        let found = refused(from, to);
        let (line, rest) = found.strip_prefix("cart.toml:").unwrap().split_once(": ").unwrap();
        assert_eq!(rest, message);
        let text = TOML.replacen(from, to, 1);
        let line = text.lines().nth(line.parse::<usize>().unwrap() - 1).unwrap();
        assert!(line.contains(in_line), "{found} points at: {line}");
    }
}

#[test]
fn an_unknown_field_is_refused_with_those_there_are() {
    let message = refused("radius = 0.1", "radius = 0.1\nspokes = 8");
    let expected = "one of name, limb, steer_joint, drive_joint, radius, width, found an unknown field";
    assert_eq!(message, format!("cart.toml:64: wheel[0].spokes: expected {expected}"));
    let message = refused("radius = 0.1", "raidus = 0.1");
    assert_eq!(
        message,
        "cart.toml:63: wheel[0].radius: expected a number from 0.000001 to 100 [m], found nothing; near it: 'raidus'"
    );
    let message = refused("[[actuator]]", "[[actuators]]");
    assert!(message.starts_with("cart.toml:5: actuators: expected one of name, urdf, cycle_period_us, "), "{message}");
}

#[test]
fn what_is_no_toml_is_refused_with_its_line() {
    let message = read("name = \"cart\"\ncycle_period_us = = 3\n").unwrap_err().to_string();
    assert!(message.starts_with("cart.toml:2: not valid TOML: "), "{message}");
}

proptest! {
    #[test]
    fn mutated_files_never_panic(cuts in prop::collection::vec((0..TOML.len(), 0_usize..20, ".{0,8}"), 1..4)) {
        let mut text = TOML.to_owned();
        for (start, length, insert) in cuts {
            let boundary = |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap();
            let range = boundary(start)..boundary(start + length);
            text.replace_range(range, &insert);
        }
        drop(read(&text));
    }

    #[test]
    fn random_text_never_panics(text in "\\PC{0,200}") {
        drop(read(&text));
    }

    #[test]
    fn any_number_anywhere_never_panics(which in 0_usize..1000, value in any::<f64>()) {
        let numbers: Vec<usize> = TOML.match_indices(" = ").map(|(at, _)| at + 3).collect();
        let start = numbers[which % numbers.len()];
        let end = start + TOML[start..].find(['\n', ',', '}']).unwrap();
        let text = format!("{}{value:?}{}", &TOML[..start], &TOML[end..]);
        if let Ok(description) = read(&text) {
            prop_assert!(description.wheels[0].radius > 0.0 && description.actuators[0].peak_effort >= description.actuators[0].rated_effort);
        }
    }
}
