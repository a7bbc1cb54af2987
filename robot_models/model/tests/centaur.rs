//! The shipped centaur against the figures of its README. `-- --nocapture` prints them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::path::Path;

use nalgebra::{DMatrix, Isometry3, Matrix4x3, Point3, RowVector3, Vector3, Vector4};
use robot_model::description::Description;
use robot_model::{
    Configuration, Data, GRAVITY_IN_WORLD, JointKind, RobotModel, Shape, Tree, center_of_mass_in_world,
    forward_kinematics, link_jacobian_in_world, rnea,
};

const LEGS: [&str; 4] = ["front_left", "front_right", "rear_left", "rear_right"];
const POSES: [&str; 4] = ["stand", "low", "high", "arms_forward"];

struct Centaur {
    tree: Tree,
    description: Description,
}

impl Centaur {
    fn load() -> Centaur {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../centaur/centaur.toml");
        let RobotModel { tree, description, .. } = RobotModel::load(&path).unwrap_or_else(|error| panic!("{error}"));
        Centaur { tree, description }
    }

    fn joint(&self, name: &str) -> usize {
        self.tree.joint(name).expect(name)
    }

    fn link(&self, name: &str) -> usize {
        self.tree.link(name).expect(name)
    }

    fn pose(&self, name: &str) -> Vec<f64> {
        self.description.pose(name).expect(name).positions.clone()
    }

    /// Forward kinematics with the base level at the world's origin.
    fn at(&self, joints: Vec<f64>) -> (Configuration, Data) {
        let configuration = Configuration { base_in_world: Isometry3::identity(), joints };
        let mut data = Data::new(&self.tree);
        forward_kinematics(&self.tree, &configuration, &mut data);
        (configuration, data)
    }

    /// Midway between the points where a leg's two wheels touch level ground, in the base frame [m].
    fn foothold(&self, data: &Data, leg: &str) -> Vector3<f64> {
        let limb = self.description.limbs.iter().position(|limb| limb.name == format!("{leg}_leg")).unwrap();
        let wheels: Vec<_> = self.description.wheels_of(limb).collect();
        let sum: Vector3<f64> = wheels.iter().map(|wheel| data.link_in_base[wheel.link].translation.vector).sum();
        sum / wheels.len() as f64 - Vector3::z() * wheels[0].radius
    }

    /// What each leg carries [N], shared with the least sum of squares.
    fn loads(&self, data: &Data) -> Vector4<f64> {
        let com = center_of_mass_in_world(&self.tree, data);
        let rows = LEGS.map(|leg| self.foothold(data, leg)).map(|foot| RowVector3::new(1.0, foot.x, foot.y));
        let moments = Matrix4x3::from_rows(&rows);
        let wanted = Vector3::new(1.0, com.x, com.y) * (-self.tree.mass() * GRAVITY_IN_WORLD.z);
        moments * (moments.transpose() * moments).try_inverse().unwrap() * wanted
    }

    /// Efforts with which the joints hold a pose on level ground [N·m].
    fn standing_efforts(&self, joints: Vec<f64>) -> Vec<f64> {
        let (configuration, mut data) = self.at(joints);
        let still = vec![0.0; self.tree.velocity_dof()];
        rnea(&self.tree, &configuration, &still, &still, &GRAVITY_IN_WORLD, &mut data);
        let mut efforts = data.efforts.clone();
        let loads = self.loads(&data);
        let mut jacobian = DMatrix::zeros(6, self.tree.velocity_dof());
        for (row, leg) in LEGS.iter().enumerate() {
            let link = self.link(&format!("{leg}_wheel_pair_link"));
            let foot = data.link_in_base[link].inverse() * Point3::from(self.foothold(&data, leg));
            link_jacobian_in_world(&self.tree, &data, link, &foot.coords, &mut jacobian);
            efforts -= jacobian.row(2).transpose() * loads[row];
        }
        assert!(efforts.rows(0, 6).norm() < 1e-6, "the base is not in balance: {}", efforts.rows(0, 6));
        efforts.rows(6, self.tree.dof()).iter().copied().collect()
    }

    /// Lowest and highest place of a leg's foothold straight above and below the one in `stand`, within the limits
    /// of its joints and with the steering axis upright [m].
    fn stroke(&self, leg: &str) -> (f64, f64) {
        let [hip, knee, ankle] = ["hip", "knee", "ankle"].map(|part| self.joint(&format!("{leg}_{part}_pitch")));
        let ankle_link = self.link(&format!("{leg}_ankle_link"));
        let hip_link = self.link(&format!("{leg}_thigh_link"));
        let wanted = self.foothold(&self.at(self.pose("stand")).1, leg);
        let limits = |joint: usize| self.tree.joints[joint].limits;
        let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
        for step in 0..=1000 {
            let mut joints = vec![0.0; self.tree.dof()];
            let (lower, upper) = (limits(knee).lower, limits(knee).upper);
            joints[knee] = lower + (upper - lower) * f64::from(step) / 1000.0;
            let (_, data) = self.at(joints.clone());
            let hip_at = data.link_in_base[hip_link].translation.vector;
            let arm = data.link_in_base[ankle_link].translation.vector - hip_at;
            // turn the hip by θ about y so that the ankle comes to x = wanted: x' = r·sin(φ − θ), z' = −r·cos(φ − θ)
            let (reach, angle) = (arm.x.hypot(arm.z), arm.x.atan2(-arm.z));
            let ahead = (wanted.x - hip_at.x) / reach;
            if ahead.abs() > 1.0 {
                continue;
            }
            joints[hip] = angle - ahead.asin();
            joints[ankle] = -(joints[hip] + joints[knee]);
            let within = [hip, ankle].iter().all(|j| (limits(*j).lower..=limits(*j).upper).contains(&joints[*j]));
            if within {
                let foot = self.foothold(&self.at(joints).1, leg);
                assert!((foot.x - wanted.x).abs() < 1e-9, "{leg}: {} instead of {}", foot.x, wanted.x);
                (lowest, highest) = (lowest.min(foot.z), highest.max(foot.z));
            }
        }
        (lowest, highest)
    }
}

#[test]
fn mass_joints_and_names() {
    let Centaur { tree, description } = Centaur::load();
    println!("mass {:.2} kg, {} joints", tree.mass(), tree.dof());
    assert!((tree.mass() - 58.0).abs() < 0.5, "{} kg", tree.mass());
    let mut expected = Vec::new();
    for leg in LEGS {
        let parts = ["hip_pitch", "knee_pitch", "ankle_pitch", "ankle_yaw", "wheel_left", "wheel_right"];
        expected.extend(parts.map(|part| format!("{leg}_{part}")));
    }
    expected.extend(["spine_yaw", "laser_spin"].map(String::from));
    for side in ["left", "right"] {
        let shoulder = ["shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow_pitch"];
        let wrist = ["wrist_yaw", "wrist_pitch", "wrist_roll"];
        expected.extend(shoulder.iter().chain(&wrist).map(|part| format!("{side}_arm_{part}")));
        for finger in 1..=4 {
            expected.extend(["proximal", "distal"].map(|part| format!("{side}_hand_finger{finger}_{part}")));
        }
    }
    let mut names: Vec<_> = tree.joints.iter().map(|joint| joint.name.clone()).collect();
    names.sort();
    expected.sort();
    assert_eq!(names, expected);
    assert_eq!(names.len(), 56);
    let in_limbs: usize = description.limbs.iter().map(|limb| limb.joints.len()).sum();
    assert_eq!(in_limbs, 56, "every joint belongs to one limb");
    assert_eq!((description.wheels.len(), description.contacts.len()), (8, 8));
}

#[test]
fn footprint_is_80_by_70_cm_over_the_wheels() {
    let centaur = Centaur::load();
    let (_, data) = centaur.at(centaur.pose("stand"));
    let (mut length, mut width) = (0.0_f64, 0.0_f64);
    for wheel in &centaur.description.wheels {
        let at = data.link_in_base[wheel.link].translation.vector;
        length = length.max(2.0 * (at.x.abs() + wheel.radius));
        width = width.max(2.0 * (at.y.abs() + wheel.width / 2.0));
    }
    println!("footprint {length:.3} m x {width:.3} m");
    assert!((length - 0.80).abs() < 0.005 && (width - 0.70).abs() < 0.005, "{length} x {width}");
}

#[test]
fn legs_stroke_40_cm_and_15_more_behind() {
    let centaur = Centaur::load();
    let (_, data) = centaur.at(centaur.pose("stand"));
    let strokes = LEGS.map(|leg| (leg, centaur.stroke(leg), centaur.foothold(&data, leg).z));
    for (leg, (lowest, highest), stand) in strokes {
        println!(
            "{leg}: stroke {:.3} m, {:.3} up and {:.3} down from stand",
            highest - lowest,
            highest - stand,
            stand - lowest
        );
        assert!(highest - lowest >= 0.40, "{leg}: {}", highest - lowest);
        assert!(highest - stand >= 0.20 && stand - lowest >= 0.20, "{leg}: {lowest} … {stand} … {highest}");
    }
    let further = strokes[0].1.0 - strokes[2].1.0;
    println!("hind legs reach {further:.3} m further down");
    assert!((further - 0.15).abs() < 0.01, "{further}");
}

#[test]
fn hands_reach_two_metres() {
    let centaur = Centaur::load();
    let mut joints = vec![0.0; centaur.tree.dof()];
    for (position, high) in joints.iter_mut().zip(centaur.pose("high")).take(24) {
        *position = high;
    }
    for side in ["left", "right"] {
        joints[centaur.joint(&format!("{side}_arm_shoulder_pitch"))] = -3.1;
    }
    let (_, data) = centaur.at(joints);
    let ground = LEGS.map(|leg| centaur.foothold(&data, leg).z).into_iter().fold(f64::INFINITY, f64::min);
    let tip = data.link_in_base[centaur.link("left_hand_finger1_distal_link")] * Point3::new(0.0, 0.0, -0.05);
    println!("finger tips reach {:.3} m above ground", tip.z - ground);
    assert!((tip.z - ground - 2.0).abs() < 0.05, "{}", tip.z - ground);
}

#[test]
fn left_and_right_are_mirror_images() {
    let Centaur { tree, description } = Centaur::load();
    // a wheel pair has its own left and right, which swap with the leg's
    let mirrored = |name: &str| name.replace("left", "?").replace("right", "left").replace('?', "right");
    let flip = Vector3::new(1.0, -1.0, 1.0);
    for link in &tree.links {
        let other = &tree.links[tree.link(&mirrored(&link.name)).expect(&link.name)];
        let (a, b) = (&link.inertia, &other.inertia);
        assert!((a.mass - b.mass).abs() < 1e-9, "{}: {} and {} kg", link.name, a.mass, b.mass);
        let com = a.com_in_link.component_mul(&flip) - b.com_in_link;
        assert!(com.norm() < 1e-5, "{}: centre of mass {com}", link.name);
        let moments = (a.rotational_at_com_in_link - b.rotational_at_com_in_link).diagonal();
        assert!(moments.norm() < 1e-6, "{}: moments of inertia {moments}", link.name);
    }
    for (index, joint) in tree.joints.iter().enumerate() {
        let other = tree.joint(&mirrored(&joint.name)).expect(&joint.name);
        let axis = tree.links[joint.link].axis_in_link;
        let sign = if axis.y.abs() > 0.5 { 1.0 } else { -1.0 };
        let (a, b) = (joint.limits, tree.joints[other].limits);
        let expected = if sign > 0.0 { (b.lower, b.upper) } else { (-b.upper, -b.lower) };
        assert_eq!((a.lower, a.upper), expected, "{}", joint.name);
        assert_eq!(description.joints[index], description.joints[other], "{}", joint.name);
        for pose in &description.poses {
            let (here, there) = (pose.positions[index], sign * pose.positions[other]);
            assert!((here - there).abs() < 1e-9, "{} of {}: {here} and {there}", joint.name, pose.name);
        }
    }
}

#[test]
fn limits_are_those_of_the_actuators() {
    let Centaur { tree, description } = Centaur::load();
    for (index, joint) in tree.joints.iter().enumerate() {
        let (limits, class) = (joint.limits, description.actuator_of(index).expect(&joint.name));
        assert_eq!((limits.effort, limits.velocity), (class.peak_effort, class.no_load_speed), "{}", joint.name);
        match joint.kind {
            JointKind::Continuous => assert!(limits.lower == f64::NEG_INFINITY && limits.upper == f64::INFINITY),
            _ => {
                assert!(limits.lower < 0.0 && limits.upper > 0.0 && limits.upper - limits.lower < 6.3, "{}", joint.name)
            }
        }
    }
    let layout = description.layout(&tree);
    assert_eq!((layout.joints.len(), layout.imus.len(), layout.contacts.len(), layout.batteries.len()), (56, 1, 8, 1));
    assert_eq!(layout.imus[0].frame, "imu_link");
}

#[test]
fn wheels_are_the_cylinders_of_the_urdf() {
    let Centaur { tree, description } = Centaur::load();
    for wheel in &description.wheels {
        let shapes: Vec<_> = tree.links[wheel.link].collisions.iter().map(|geometry| geometry.shape.clone()).collect();
        assert_eq!(shapes, [Shape::Cylinder { radius: wheel.radius, length: wheel.width }], "{}", wheel.name);
        assert!(tree.links[wheel.link].axis_in_link.y > 0.999, "{} turns forward about +y", wheel.name);
    }
}

#[test]
fn the_centre_of_mass_is_well_inside_the_support_polygon() {
    let centaur = Centaur::load();
    for (pose, least) in [("stand", 0.28), ("low", 0.28), ("high", 0.28), ("arms_forward", 0.22)] {
        let (_, data) = centaur.at(centaur.pose(pose));
        let com = center_of_mass_in_world(&centaur.tree, &data);
        let feet = LEGS.map(|leg| centaur.foothold(&data, leg));
        let half_track = 0.065; // the polygon's corners are the outer wheels
        let left = feet.iter().map(|foot| foot.y.abs() + half_track).fold(f64::INFINITY, f64::min);
        let front = feet[0].x - com.x;
        let rear = com.x - feet[2].x;
        let margin = front.min(rear).min(left - com.y.abs());
        println!("{pose}: centre of mass {:.3} {:.3} {:.3} m, margin {margin:.3} m", com.x, com.y, com.z - feet[0].z);
        assert!(margin > least, "{pose}: {margin}");
        // tips over on a slope of atan(margin / height): 20° and a lot more
        assert!(margin / (com.z - feet[0].z) > 0.36 * 1.1, "{pose}");
    }
}

#[test]
fn steering_axes_stand_upright_over_one_spot() {
    let centaur = Centaur::load();
    let (_, stand) = centaur.at(centaur.pose("stand"));
    for pose in POSES {
        let (_, data) = centaur.at(centaur.pose(pose));
        let heights = LEGS.map(|leg| centaur.foothold(&data, leg).z);
        for (leg, height) in LEGS.iter().zip(heights) {
            let up = data.link_in_base[centaur.link(&format!("{leg}_ankle_link"))].rotation * Vector3::z();
            assert!(up.z > 1.0 - 1e-6, "{pose} {leg}: {up}");
            assert!((height - heights[0]).abs() < 1e-3, "{pose} {leg}: {height}");
            let moved = centaur.foothold(&data, leg) - centaur.foothold(&stand, leg);
            assert!(moved.xy().norm() < 1e-3, "{pose} {leg}: {moved}");
        }
    }
}

#[test]
fn it_stands_with_torque_to_spare_and_hardly_sags() {
    let centaur = Centaur::load();
    for (pose, most) in [("stand", 0.6), ("low", 0.8), ("high", 0.6), ("arms_forward", 0.6)] {
        let joints = centaur.pose(pose);
        let efforts = centaur.standing_efforts(joints.clone());
        for (index, effort) in efforts.iter().enumerate() {
            let (name, rated) =
                (&centaur.tree.joints[index].name, centaur.description.actuator_of(index).unwrap().rated_effort);
            if name.contains("left") && effort.abs() > 0.1 * rated {
                println!("{pose}: {name} {effort:.1} N·m, {:.0} % of rated", 100.0 * effort.abs() / rated);
            }
            assert!(effort.abs() < most * rated, "{pose}: {name} {effort} of {rated} N·m");
        }
        let (_, data) = centaur.at(joints.clone());
        let yielded = |index: usize| match centaur.description.joints[index].stiffness {
            0.0 => joints[index],
            stiffness => joints[index] - efforts[index] / stiffness,
        };
        let (_, sagged) = centaur.at((0..joints.len()).map(yielded).collect());
        for leg in ["front_left", "rear_left"] {
            let sag = centaur.foothold(&sagged, leg) - centaur.foothold(&data, leg);
            println!(
                "{pose}: {leg} load {:.0} N, sag {:.1} mm",
                centaur.loads(&data)[usize::from(leg != "front_left") * 2],
                1e3 * sag.z
            );
            assert!((0.0..0.01).contains(&sag.z), "{pose} {leg}: {sag}");
        }
    }
}

#[test]
fn wheels_climb_twenty_degrees() {
    let Centaur { tree, description } = Centaur::load();
    let class = description.actuator("wheel").unwrap();
    let slope = 20_f64.to_radians();
    let rolling_resistance = 0.05; // of soil, relative to the weight on it
    let force = -tree.mass() * GRAVITY_IN_WORLD.z * (slope.sin() + rolling_resistance * slope.cos());
    let effort = force * description.wheels[0].radius / description.wheels.len() as f64;
    println!("20 deg: {effort:.2} N·m per wheel of {} N·m rated", class.rated_effort);
    assert!(2.0 * effort < class.rated_effort, "four wheels alone would do: {effort} of {}", class.rated_effort);
}

#[test]
fn motors_stay_cool_and_the_battery_lasts_as_long_as_momaros() {
    let centaur = Centaur::load();
    for class in &centaur.description.actuators {
        let hot = class.thermal.steady_temperature(class.rated_effort);
        assert!(hot > 60.0 && hot < class.thermal.derate_from, "{}: {hot} °C at rated effort", class.name);
    }
    let heat = |(index, effort): (usize, &f64)| {
        centaur.description.actuator_of(index).unwrap().thermal.copper_loss * effort * effort
    };
    let efforts = centaur.standing_efforts(centaur.pose("stand"));
    let power: f64 = efforts.iter().enumerate().map(heat).sum();
    let battery = &centaur.description.batteries[0];
    let hours = battery.energy_wh / (battery.idle_power_w + power);
    println!("standing: {power:.0} W in the windings, {hours:.2} h of battery");
    assert!((1.5..2.0).contains(&hours), "{hours} h");
}
