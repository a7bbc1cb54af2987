//! The reflex on the robots that ship, whose joints do at once as they are told.

use std::path::Path;

use nalgebra::Vector3;
use robot_io::{Commands, Contact, Events, Readings, RobotLayout};
use robot_model::description::SKIN;
use robot_model::{Configuration, Data, RobotModel, forward_kinematics};

use super::Withdrawal;
use crate::withdrawal_settings::WithdrawalSettings;

const ROBOTS: [&str; 2] = ["humanoid", "centaur"];

struct Bench {
    model: RobotModel,
    layout: RobotLayout,
    withdrawal: Withdrawal,
    readings: Readings,
    /// What others want of the joints, and what they are told.
    nominal: Commands,
    commands: Commands,
    events: Events,
}

impl Bench {
    fn with(robot: &str, sensors: &[&str], settings: &WithdrawalSettings) -> Bench {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../robot_models/{robot}/{robot}.toml"));
        let model = RobotModel::load(&file).unwrap();
        let sensors: Vec<String> = sensors.iter().map(|name| (*name).to_owned()).collect();
        let layout = model.layout_with(&sensors);
        let (mut readings, mut nominal) = (Readings::new(&layout), Commands::new(&layout));
        // elbows have room either way
        let ahead = model.description.pose("arms_forward").unwrap_or(&model.description.poses[0]);
        let pose = ahead.positions.clone();
        for (joint, position) in pose.into_iter().enumerate() {
            readings.joints[joint].position = position;
            (nominal.joints[joint].position, nominal.joints[joint].stiffness) = (position, 100.0);
        }
        readings.status.lifecycle = robot_io::Lifecycle::Active;
        let withdrawal = Withdrawal::new(&model, &layout, settings);
        let commands = nominal.clone();
        Bench { model, layout, withdrawal, readings, nominal, commands, events: Events::new() }
    }

    fn new(robot: &str) -> Bench {
        Bench::with(robot, &[SKIN], &WithdrawalSettings::default())
    }

    /// A cycle in which some patches are touched by so many newtons. Nobody writes commands anew, as where no pose was ordered.
    fn cycle_wanting(&mut self, touched: &[(&str, f64)], wants_touch: bool) {
        for (contact, sensor) in self.readings.contacts.iter_mut().zip(&self.layout.contacts) {
            let found = touched.iter().find(|(patch, _)| *patch == sensor.name);
            let force = found.map_or(0.0, |(_, force)| *force);
            *contact = Contact { touching: force > 2.0, force, ..*contact };
        }
        self.withdrawal.take_out(false, &mut self.commands);
        assert!(self.same_as_wanted(), "others find what they wanted");
        self.withdrawal.update(&self.readings, |_| wants_touch, &mut self.commands, &mut self.events);
        for (read, told) in self.readings.joints.iter_mut().zip(&self.commands.joints) {
            read.position = told.position;
        }
    }

    fn cycle(&mut self, touched: &[(&str, f64)]) {
        self.cycle_wanting(touched, false);
    }

    fn seconds(&mut self, seconds: f64, touched: &[(&str, f64)]) {
        let cycles = (seconds / self.layout.period.seconds()).round() as usize;
        (0..cycles).for_each(|_| self.cycle(touched));
    }

    fn same_as_wanted(&self) -> bool {
        let pairs = || self.commands.joints.iter().zip(&self.nominal.joints);
        pairs().all(|(told, wanted)| told.position == wanted.position)
    }

    /// Where a patch is and which way it looks out, in the base frame, by the joints' readings.
    fn patch(&self, name: &str) -> (Vector3<f64>, Vector3<f64>) {
        let tree = &self.model.tree;
        let mut configuration = Configuration::zero(tree);
        configuration.joints.iter_mut().zip(&self.readings.joints).for_each(|(own, read)| *own = read.position);
        let mut data = Data::new(tree);
        forward_kinematics(tree, &configuration, &mut data);
        let patch = self.model.description.skin.iter().find(|patch| patch.name == name).unwrap();
        let link_in_base = data.link_in_base[patch.link];
        ((link_in_base * patch.middle_in_link).coords, link_in_base.rotation * *patch.out_in_link)
    }

    /// How far a patch goes if it is touched for 0.1 s, in the direction into the arm, and across that.
    fn drawn(&mut self, patch: &str, force: f64) -> (f64, f64) {
        let (before, out) = self.patch(patch);
        self.seconds(0.1, &[(patch, force)]);
        self.seconds(0.6, &[]);
        let way = self.patch(patch).0 - before;
        (-way.dot(&out), (way + out * -way.dot(&out)).norm())
    }
}

#[test]
fn each_patch_of_a_forearm_is_drawn_inwards_alike_on_both_robots() {
    for patch in ["left_forearm_front", "left_forearm_rear", "left_forearm_outside", "left_forearm_inside"] {
        let [one, other] = ROBOTS.map(|robot| {
            let (inwards, across) = Bench::new(robot).drawn(patch, 20.0);
            assert!(inwards > 0.1 && across < 0.5 * inwards, "{robot}, {patch}: {inwards} m, across {across} m");
            inwards
        });
        assert!((one - other).abs() < 0.05, "{patch}: {one} m and {other} m");
    }
}

#[test]
fn an_arm_comes_back_to_the_bit_and_says_so() {
    for robot in ROBOTS {
        let mut bench = Bench::new(robot);
        let (inwards, _) = bench.drawn("right_hand_outside", 20.0);
        assert!(inwards > 0.1, "{robot}: {inwards} m");
        bench.seconds(0.8, &[]);
        assert!(!bench.same_as_wanted(), "{robot}: it rests there");
        bench.seconds(4.0, &[]);
        assert!(bench.same_as_wanted(), "{robot}");
        let told: Vec<&str> = bench.events.iter().map(|event| event.what.as_ref()).collect();
        let begins = "right_hand_outside is touched, right_arm is drawn back, force [N]";
        assert_eq!(told, [begins, "right_arm is back after a touch"], "{robot}");
    }
}

#[test]
fn no_joint_leaves_its_range_and_the_place_goes_no_farther_than_it_may() {
    for robot in ROBOTS {
        let mut bench = Bench::new(robot);
        let farthest = WithdrawalSettings::default().farthest;
        for patch in ["left_hand_front", "left_hand_rear", "left_hand_outside", "left_hand_inside"] {
            for _ in 0..200 {
                bench.seconds(0.01, &[(patch, 500.0)]);
                for (joint, of_layout) in bench.commands.joints.iter().zip(&bench.layout.joints) {
                    let range = of_layout.limits.lower..=of_layout.limits.upper;
                    assert!(range.contains(&joint.position), "{robot}, {}: {}", of_layout.name, joint.position);
                }
                let gone = bench.withdrawal.arms.iter().map(|arm| arm.course.gone()).fold(0.0, f64::max);
                assert!(gone < farthest + 0.01, "{robot}, {patch}: {gone} m");
            }
        }
    }
}

#[test]
fn a_light_touch_one_from_both_sides_and_one_that_is_wanted_are_left_alone() {
    for robot in ROBOTS {
        let mut bench = Bench::new(robot);
        bench.seconds(0.5, &[("left_hand_outside", 3.5)]);
        bench.seconds(0.5, &[("left_hand_outside", 30.0), ("left_hand_inside", 30.0)]);
        for _ in 0..100 {
            bench.cycle_wanting(&[("left_hand_outside", 30.0)], true);
        }
        assert!(bench.same_as_wanted() && bench.events.is_empty(), "{robot}: {:?}", bench.events);
    }
}

#[test]
fn a_hand_that_grips_is_left_alone_and_its_forearm_is_not() {
    for robot in ROBOTS {
        let mut bench = Bench::new(robot);
        let finger = bench.layout.joints.iter().position(|joint| joint.name.starts_with("left_hand_")).unwrap();
        // something is between the fingers
        bench.nominal.joints[finger].position += 0.3;
        bench.commands = bench.nominal.clone();
        let held = bench.nominal.joints[finger].position - 0.3;
        for _ in 0..100 {
            bench.readings.joints[finger].position = held;
            bench.cycle(&[("left_hand_inside", 30.0)]);
        }
        assert!(bench.same_as_wanted(), "{robot}");
        for _ in 0..100 {
            bench.readings.joints[finger].position = held;
            bench.cycle(&[("left_hand_inside", 30.0), ("left_forearm_outside", 30.0)]);
        }
        assert!(!bench.same_as_wanted(), "{robot}");
    }
}

#[test]
fn a_touch_from_the_other_side_turns_it_round() {
    for robot in ROBOTS {
        let mut bench = Bench::new(robot);
        bench.seconds(0.05, &[("left_hand_outside", 30.0)]);
        bench.seconds(0.3, &[]);
        let (before, out) = bench.patch("left_hand_outside");
        bench.seconds(0.1, &[("left_hand_inside", 30.0)]);
        bench.seconds(0.3, &[]);
        let way = (bench.patch("left_hand_outside").0 - before).dot(&out);
        assert!(way > 0.05, "{robot}: {way} m");
    }
}

#[test]
fn a_robot_that_is_stopped_moves_nothing_and_one_without_skin_has_no_reflex() {
    for robot in ROBOTS {
        let mut bench = Bench::new(robot);
        bench.readings.status.lifecycle = robot_io::Lifecycle::Inactive;
        bench.seconds(0.2, &[("left_hand_outside", 30.0)]);
        assert!(bench.same_as_wanted(), "{robot}");
        assert!(!Bench::with(robot, &[], &WithdrawalSettings::default()).withdrawal.is_there(), "{robot}");
        let off = WithdrawalSettings { reflex: false, ..WithdrawalSettings::default() };
        let mut bench = Bench::with(robot, &[SKIN], &off);
        bench.seconds(0.2, &[("left_hand_outside", 30.0)]);
        assert!(bench.same_as_wanted(), "{robot}: it is switched off");
    }
}

#[test]
fn a_run_goes_on_from_its_state() {
    let mut bench = Bench::new("centaur");
    bench.seconds(0.1, &[("left_hand_outside", 20.0)]);
    let saved = robot_io::StateWriter::save(&mut bench.withdrawal);
    let (readings, commands) = (bench.readings.clone(), bench.commands.clone());
    bench.seconds(0.3, &[]);
    let wanted = bench.commands.clone();
    let mut again = Bench::new("centaur");
    robot_io::StateReader::restore(&mut again.withdrawal, &saved).unwrap();
    (again.readings, again.commands) = (readings, commands);
    again.seconds(0.3, &[]);
    assert_eq!(again.commands, wanted);
}
