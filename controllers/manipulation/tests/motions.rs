//! A motion that was made at one object is done at another place, by one hand or two, and says why it is not done.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

mod support;

use manipulation::{
    Arc, Checker, JointPath, JointStates, Keyframe, KeyframePlanner, LimbGoal, Motion, MotionError, MotionLimits,
    MotionSettings, Reference, Scene, SerialChain, Trajectory, Way, adapted,
};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use robot_model::RobotModel;
use support::{arm, block, chain, joints, model, robot, standing};

struct Setup {
    robot: RobotModel,
    group: Vec<usize>,
    /// Arms from the base to the hands, to look where these are.
    arms: [SerialChain; 2],
    planner: KeyframePlanner,
    begin: Vec<f64>,
}

impl Setup {
    fn new(name: &str, pose: &str, limbs: &[&str]) -> Setup {
        let robot = robot(name);
        let group = joints(&robot, limbs);
        let sides = ["left", "right"].into_iter().filter(|side| limbs.contains(&format!("{side}_arm").as_str()));
        let hands = sides.map(|side| arm(&robot, side)).collect();
        let planner = KeyframePlanner::new(&robot.tree, &group, hands, MotionSettings::default()).unwrap();
        let arms = ["left", "right"].map(|side| chain(&robot, "base_link", side));
        let begin = robot.description.pose(pose).unwrap().positions.clone();
        Setup { robot, group, arms, planner, begin }
    }

    fn hand(&self, side: usize, all: &[f64]) -> Isometry3<f64> {
        self.arms[side].forward(&self.arms[side].of_all(all).unwrap()).unwrap()
    }

    fn all(&self, positions: &[f64]) -> Vec<f64> {
        let mut all = self.begin.clone();
        self.group.iter().zip(positions).for_each(|(joint, position)| all[*joint] = *position);
        all
    }

    fn at(&self, path: &JointPath, share: f64) -> Vec<f64> {
        let mut positions = vec![0.0; path.dof()];
        path.at(share * path.length(), &mut positions).unwrap();
        self.all(&positions)
    }

    fn to_hand(&self, side: usize, pose_in_base: Isometry3<f64>, relative_to: Option<&str>) -> LimbGoal {
        let relative_to = relative_to.map(str::to_owned);
        LimbGoal::Hand { hand: self.arms[side].tip(), pose_in_base, relative_to }
    }
}

fn keyframe(name: &str, way: Way, goals: Vec<LimbGoal>) -> Keyframe {
    Keyframe { name: name.to_owned(), goals, way, stops: false }
}

fn gap(one: &Isometry3<f64>, other: &Isometry3<f64>) -> f64 {
    (one.translation.vector - other.translation.vector).norm() + one.rotation.angle_to(&other.rotation)
}

#[test]
fn equation_7_moves_what_is_done_along_with_the_object() {
    let pose = |x: f64, y: f64, yaw: f64| Isometry3::new(Vector3::new(x, y, 0.2), Vector3::z() * yaw);
    let (reference, perceived, hand) = (pose(0.5, 0.1, 0.0), pose(0.6, -0.1, 0.8), pose(0.4, 0.1, 0.3));
    let found = adapted(&perceived, &reference, &hand);
    assert!(gap(&perceived.inv_mul(&found), &reference.inv_mul(&hand)) < 1e-12, "the hand is to the object as it was");
    assert!(gap(&adapted(&reference, &reference, &hand), &hand) < 1e-12);
}

#[test]
fn a_grasp_is_done_where_the_cup_is_and_the_hand_goes_straight_to_it() {
    for (name, pose, back, up) in [("centaur", "arms_forward", -0.12, 0.0), ("humanoid", "stand", 0.1, 0.12)] {
        let setup = Setup::new(name, pose, &["left_arm"]);
        let here = setup.hand(0, &setup.begin);
        let designed = Isometry3::translation(back, 0.0, up) * here;
        let there = Isometry3::translation(0.06, 0.0, 0.0) * designed;
        let cup = Isometry3::translation(0.05, 0.0, 0.0) * there;
        let reference = Reference { object: "cup".to_owned(), pose_in_base: cup };
        let motion = Motion {
            name: "grasp cup".to_owned(),
            references: vec![reference],
            keyframes: vec![
                keyframe("before", Way::Joints, vec![setup.to_hand(0, designed, Some("cup"))]),
                keyframe("at", Way::Cartesian, vec![setup.to_hand(0, there, Some("cup"))]),
            ],
        };
        let moved = Isometry3::new(Vector3::new(0.0, 0.0, 0.03), Vector3::z() * 0.1);
        let perceived = Reference { object: "cup".to_owned(), pose_in_base: moved * cup };
        let path = setup.planner.path(&motion, std::slice::from_ref(&perceived), &setup.begin, None).unwrap();
        let goal = adapted(&perceived.pose_in_base, &cup, &there);
        assert!(gap(&setup.hand(0, &setup.at(&path, 1.0)), &goal) < 1e-5, "{name}: the hand is at the cup");

        // from the stop on the hand is on a line, turned as at its ends
        let stop = path.stops().next().unwrap() / path.length();
        let from = setup.hand(0, &setup.at(&path, stop));
        let along = (goal.translation.vector - from.translation.vector).normalize();
        for look in 0..=200 {
            let share = stop + (1.0 - stop) * f64::from(look) / 200.0;
            let hand = setup.hand(0, &setup.at(&path, share));
            let away = hand.translation.vector - from.translation.vector;
            assert!((away - along * along.dot(&away)).norm() < 5e-4, "{name}: {look}");
            assert!(hand.rotation.angle_to(&goal.rotation) < 2e-3, "{name}: {look}");
        }
    }
}

#[test]
fn on_an_arc_a_hand_keeps_its_distance_from_the_axis_and_turns_along_or_not() {
    let setup = Setup::new("centaur", "arms_forward", &["left_arm"]);
    let from = setup.hand(0, &setup.begin);
    // 3 cm above the axis, which points ahead: the arm is nearly as far out as it gets
    let about = from.translation.vector - Vector3::new(0.0, 0.0, 0.03);
    for (keep, by) in [(true, 4.0), (false, 0.6)] {
        let arc = Arc { about, axis: Vector3::x_axis(), by, keep };
        let wanted = vec![setup.to_hand(0, arc.pose(&from, 1.0), None)];
        let motion = Motion { keyframes: vec![keyframe("turn", Way::Arc(arc), wanted)], ..Motion::default() };
        let path = setup.planner.path(&motion, &[], &setup.begin, None).unwrap();
        assert!(gap(&setup.hand(0, &setup.at(&path, 1.0)), &arc.pose(&from, 1.0)) < 1e-5);
        let mut before = 0.0;
        for look in 0..=200 {
            let hand = setup.hand(0, &setup.at(&path, f64::from(look) / 200.0));
            let away = hand.translation.vector - about;
            assert!(away.x.abs() < 5e-4 && (away.yz().norm() - 0.03).abs() < 5e-4, "{look}: {away}");
            let angle = f64::atan2(-away.y, away.z);
            let angle = if angle < -1e-3 { angle + core::f64::consts::TAU } else { angle };
            assert!(angle > before - 1e-6, "{look}: it goes back");
            before = angle;
            let turned = hand.rotation * from.rotation.inverse();
            let along = if keep { 0.0 } else { angle };
            let expected = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), along);
            assert!(turned.angle_to(&expected) < 3e-3, "{look}: turned by {}", turned.angle());
        }
        assert!((before - by).abs() < 1e-4);
    }
}

#[test]
fn two_hands_and_the_torso_arrive_together_within_their_limits() {
    let setup = Setup::new("centaur", "arms_forward", &["spine", "left_arm", "right_arm"]);
    let turned = UnitQuaternion::from_euler_angles(0.0, 0.0, 0.1);
    let goals: Vec<Isometry3<f64>> = [0, 1]
        .map(|side| Isometry3::from_parts(nalgebra::Translation3::identity(), turned) * setup.hand(side, &setup.begin))
        .into();
    let mut wanted: Vec<LimbGoal> = (0..2).map(|side| setup.to_hand(side, goals[side], None)).collect();
    wanted.push(LimbGoal::Joint { joint: setup.group[0], position: 0.2 });
    let motion = Motion { keyframes: vec![keyframe("turn", Way::Cartesian, wanted)], ..Motion::default() };
    let path = setup.planner.path(&motion, &[], &setup.begin, None).unwrap();
    let end = setup.at(&path, 1.0);
    assert!((end[setup.group[0]] - 0.2).abs() < 1e-9);
    for (side, goal) in goals.iter().enumerate() {
        assert!(gap(&setup.hand(side, &end), goal) < 1e-5, "hand {side}");
    }
    let limits = MotionLimits::of_joints(&setup.robot.tree, &setup.group, 0.5, 0.3).unwrap();
    let trajectory = Trajectory::new(path, &limits).unwrap();
    let mut states = JointStates::new(setup.group.len());
    let mut moving = vec![0.0; setup.group.len()];
    for look in 0..=1000 {
        let time = f64::from(look) * 1e-3 * trajectory.duration();
        trajectory.at(time, &mut states).unwrap();
        for (joint, last) in moving.iter_mut().enumerate() {
            assert!(states.velocities[joint].abs() <= limits.velocity[joint] + 1e-9);
            assert!(states.accelerations[joint].abs() <= limits.acceleration[joint] + 1e-6);
            if states.velocities[joint].abs() > 1e-3 {
                *last = time;
            }
        }
    }
    assert!(moving.iter().all(|last| *last > 0.9 * trajectory.duration()), "{moving:?} of {}", trajectory.duration());
}

#[test]
fn a_motion_into_something_is_refused_before_it_is_done() {
    let setup = Setup::new("centaur", "arms_forward", &["left_arm"]);
    let here = setup.hand(0, &setup.begin);
    let ahead = Isometry3::translation(-0.05, 0.0, 0.12) * here;
    let motion = Motion {
        keyframes: vec![keyframe("ahead", Way::Cartesian, vec![setup.to_hand(0, ahead, None)])],
        ..Motion::default()
    };
    let mut scene = Scene::default();
    let model = model(&setup.robot);
    let checker =
        |scene: &Scene| Checker::new(&model, scene, &Isometry3::identity(), &setup.group, &setup.begin).unwrap();
    let path = setup.planner.path(&motion, &[], &setup.begin, Some(&mut checker(&scene)));
    assert!(path.is_ok(), "{path:?}");
    let at = ahead.translation.vector;
    scene.add(block("shelf", [0.5, 0.5, 0.02], [at.x, at.y, at.z + 0.04])).unwrap();
    let refused = setup.planner.path(&motion, &[], &setup.begin, Some(&mut checker(&scene))).unwrap_err();
    assert!(matches!(refused, MotionError::Collision(_)), "{refused}");
}

#[test]
fn what_cannot_be_done_is_named() {
    let setup = Setup::new("centaur", "stand", &["left_arm"]);
    let here = setup.hand(0, &standing(&setup.robot));
    let motion = |keyframe: Keyframe| Motion { keyframes: vec![keyframe], ..Motion::default() };
    let plan = |motion: &Motion| setup.planner.path(motion, &[], &setup.begin, None).unwrap_err().to_string();
    let at_cup = motion(keyframe("at", Way::Joints, vec![setup.to_hand(0, here, Some("cup"))]));
    assert_eq!(
        plan(&at_cup),
        "keyframe \"at\": object: expected \"cup\" among those that are the motion's references, found none"
    );
    let far = motion(keyframe("far", Way::Joints, vec![setup.to_hand(0, Isometry3::translation(3.0, 0.0, 0.0), None)]));
    assert!(plan(&far).starts_with("keyframe \"far\": link"), "{}", plan(&far));
    let far =
        motion(keyframe("far", Way::Cartesian, vec![setup.to_hand(0, Isometry3::translation(3.0, 0.0, 0.0), None)]));
    assert!(plan(&far).starts_with("keyframe \"far\": link"), "{}", plan(&far));
    let leg = motion(keyframe("leg", Way::Joints, vec![LimbGoal::Joint { joint: 0, position: 0.0 }]));
    assert!(plan(&leg).starts_with("keyframe \"leg\": joint: expected one of"), "{}", plan(&leg));
    let over = motion(keyframe("over", Way::Joints, vec![LimbGoal::Joint { joint: setup.group[0], position: 3.0 }]));
    assert!(plan(&over).contains("expected a number from -3.1 to 1.6"), "{}", plan(&over));
    let other = motion(keyframe("other", Way::Joints, vec![setup.to_hand(1, here, None)]));
    assert!(plan(&other).starts_with("keyframe \"other\": hand: expected one of the links"), "{}", plan(&other));
    let hands = vec![arm(&setup.robot, "right")];
    let foreign = KeyframePlanner::new(&setup.robot.tree, &setup.group, hands, MotionSettings::default());
    assert!(foreign.unwrap_err().to_string().contains("expected joints of the group"));
}
