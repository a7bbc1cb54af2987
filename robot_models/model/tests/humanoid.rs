//! The shipped humanoid against the figures of its README. `-- --nocapture` prints them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::path::Path;

use nalgebra::{DMatrix, Isometry3, Point3, Vector3};
use robot_model::description::{Description, EncoderAt};
use robot_model::{
    Configuration, Data, GRAVITY_IN_WORLD, RobotModel, Shape, Tree, center_of_mass_in_world, forward_kinematics,
    link_jacobian_in_world, rnea,
};

const SIDES: [&str; 2] = ["left", "right"];
const POSES: [&str; 3] = ["stand", "high", "low"];

struct Humanoid {
    tree: Tree,
    description: Description,
}

impl Humanoid {
    fn load() -> Humanoid {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../humanoid/humanoid.toml");
        let RobotModel { tree, description, .. } = RobotModel::load(&path).unwrap_or_else(|error| panic!("{error}"));
        Humanoid { tree, description }
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

    /// Middle of a sole's underside.
    fn sole(&self, data: &Data, side: &str) -> Isometry3<f64> {
        data.link_in_base[self.link(&format!("{side}_foot_center_link"))]
    }

    /// Efforts with which the joints hold a pose on level ground, half of the weight on the middle of each sole [N·m].
    fn standing_efforts(&self, joints: Vec<f64>) -> Vec<f64> {
        let (configuration, mut data) = self.at(joints);
        let still = vec![0.0; self.tree.velocity_dof()];
        rnea(&self.tree, &configuration, &still, &still, &GRAVITY_IN_WORLD, &mut data);
        let mut efforts = data.efforts.clone();
        let mut jacobian = DMatrix::zeros(6, self.tree.velocity_dof());
        for side in SIDES {
            let link = self.link(&format!("{side}_foot_center_link"));
            link_jacobian_in_world(&self.tree, &data, link, &Vector3::zeros(), &mut jacobian);
            efforts += jacobian.row(2).transpose() * (0.5 * self.tree.mass() * GRAVITY_IN_WORLD.z);
        }
        let base = efforts.rows(0, 6).norm();
        assert!(base < 1.0, "the weight is over the soles' middle line to a millimetre: {base} N·m");
        efforts.rows(6, self.tree.dof()).iter().copied().collect()
    }
}

#[test]
fn mass_joints_and_boards() {
    let Humanoid { tree, description } = Humanoid::load();
    println!("mass {:.2} kg, {} joints", tree.mass(), tree.dof());
    // given: 93.56 kg, of which 0.01 are the IMU's
    assert!((tree.mass() - 93.55).abs() < 0.01, "{} kg", tree.mass());
    assert_eq!(tree.dof(), 33);
    let in_limbs: usize = description.limbs.iter().map(|limb| limb.joints.len()).sum();
    assert_eq!(in_limbs, 33, "every joint belongs to one limb");
    assert_eq!((description.force_torques.len(), description.imus.len()), (4, 1));
}

#[test]
fn limits_are_those_of_the_actuators() {
    let Humanoid { tree, description } = Humanoid::load();
    for (index, joint) in tree.joints.iter().enumerate() {
        let class = description.actuator_of(index).expect(&joint.name);
        assert_eq!(joint.limits.effort, class.peak_effort, "{}", joint.name);
        assert!(class.no_load_speed >= joint.limits.velocity, "{}", joint.name);
    }
}

#[test]
fn servos_are_softer_than_half_of_their_springs() {
    let Humanoid { tree, description } = Humanoid::load();
    let mut elastic = 0;
    for (index, joint) in tree.joints.iter().enumerate() {
        let class = description.actuator_of(index).expect(&joint.name);
        let Some(spring) = class.spring else { continue };
        assert_eq!(class.encoder_at, EncoderAt::Link, "{}", joint.name);
        let servo = description.joints[index].stiffness;
        assert!(2.0 * servo <= spring, "{}: {servo} of {spring} N·m/rad", joint.name);
        elastic += 1;
    }
    assert_eq!(elastic, 30, "all but hands and laser");
}

#[test]
fn poses_stand_on_level_soles_with_the_weight_between_them() {
    let humanoid = Humanoid::load();
    for pose in POSES {
        let (_, data) = humanoid.at(humanoid.pose(pose));
        let soles = SIDES.map(|side| humanoid.sole(&data, side));
        let com = center_of_mass_in_world(&humanoid.tree, &data);
        let middle = (soles[0].translation.vector + soles[1].translation.vector) * 0.5;
        let apart = soles[0].translation.y - soles[1].translation.y;
        println!(
            "{pose}: base {:.3} m, centre of mass {:.3} m above ground, soles {apart:.3} m apart",
            -middle.z,
            com.z - middle.z
        );
        assert!((com - middle).xy().norm() < 1e-3, "{pose}: {com} over {middle}");
        assert!((apart - 0.26).abs() < 1e-3, "{pose}: {apart}");
        assert!(soles.iter().all(|sole| sole.rotation.angle() < 1e-3), "{pose}: soles are level");
    }
}

#[test]
fn standing_takes_a_fraction_of_the_rated_efforts() {
    let humanoid = Humanoid::load();
    for pose in POSES {
        let efforts = humanoid.standing_efforts(humanoid.pose(pose));
        for (index, effort) in efforts.iter().enumerate() {
            let (name, rated) =
                (&humanoid.tree.joints[index].name, humanoid.description.actuator_of(index).unwrap().rated_effort);
            if name.contains("left") && effort.abs() > 0.1 * rated {
                println!("{pose}: {name} {effort:.1} N·m, {:.0} % of rated", 100.0 * effort.abs() / rated);
            }
            assert!(effort.abs() < 0.5 * rated, "{pose}: {name} {effort} of {rated} N·m");
        }
    }
}

#[test]
fn feet_are_the_soles_below_their_force_cells() {
    let Humanoid { tree, description } = Humanoid::load();
    assert_eq!(description.feet.len(), 2);
    for (foot, side) in description.feet.iter().zip(SIDES) {
        let sole = &tree.links[tree.link(&format!("{side}_sole_link")).unwrap()].collisions[0];
        let Shape::Box { size } = sole.shape else { panic!("a box: {:?}", sole.shape) };
        assert_eq!((foot.length, foot.width), (size.x, size.y));
        let cell = &description.force_torques[foot.force_torque.unwrap()];
        assert_eq!(tree.links[cell.link].name, format!("{side}_sole_link"));
    }
}

#[test]
fn it_is_a_metre_eighty_five_tall() {
    let humanoid = Humanoid::load();
    let (_, data) = humanoid.at(vec![0.0; humanoid.tree.dof()]);
    let head = humanoid.link("head_link");
    let top = humanoid.tree.links[head].visuals.iter().map(|visual| {
        let Shape::Box { size } = visual.shape else { return f64::NEG_INFINITY };
        (data.link_in_base[head] * visual.pose_in_link * Point3::new(0.0, 0.0, 0.5 * size.z)).z
    });
    let height = top.fold(f64::NEG_INFINITY, f64::max) - humanoid.sole(&data, "left").translation.z;
    println!("{height:.3} m tall");
    assert!((height - 1.85).abs() < 0.05, "{height} m");
}

#[test]
fn left_and_right_are_mirror_images() {
    let Humanoid { tree, .. } = Humanoid::load();
    let mut joints = vec![0.0; tree.dof()];
    for (joint, position) in tree.joints.iter().zip(&mut joints) {
        let limits = joint.limits;
        *position = 0.3 * limits.upper.min(2.0) + 0.2 * limits.lower.max(-2.0);
    }
    for (joint, other) in [("hip_roll", -1.0), ("hip_yaw", -1.0), ("ankle_roll", -1.0), ("arm_shoulder_roll", -1.0)] {
        let [left, right] = SIDES.map(|side| tree.joint(&format!("{side}_{joint}")).unwrap());
        joints[right] = other * joints[left];
    }
    for joint in ["arm_shoulder_yaw", "arm_forearm_yaw", "arm_wrist_yaw"] {
        let [left, right] = SIDES.map(|side| tree.joint(&format!("{side}_{joint}")).unwrap());
        (joints[left], joints[right]) = (0.4, -0.4);
    }
    for joint in ["waist_roll", "waist_yaw", "neck_yaw", "laser_spin"] {
        joints[tree.joint(joint).unwrap()] = 0.0;
    }
    let humanoid = Humanoid { tree, ..Humanoid::load() };
    let (_, data) = humanoid.at(joints);
    for link in ["foot_center", "sole", "hand_grasp", "hand_index_distal", "hand_thumb_distal"] {
        let [left, right] = SIDES.map(|side| data.link_in_base[humanoid.link(&format!("{side}_{link}_link"))]);
        let mirrored = left.translation.vector.component_mul(&Vector3::new(1.0, -1.0, 1.0));
        assert!((mirrored - right.translation.vector).norm() < 1e-9, "{link}: {left} {right}");
    }
}
