//! A chain is where the robot's model says that it is, and hands come where they are sent.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

mod support;

use manipulation::{Goal, IkSettings, InverseKinematics, SerialChain};
use nalgebra::{Isometry3, Vector3};
use proptest::prelude::*;
use robot_model::{Configuration, Data, RobotModel, forward_kinematics, relative_pose};
use support::{Random, arm, chain, robot, standing};

fn by_model(robot: &RobotModel, chain: &SerialChain, positions: &[f64]) -> Isometry3<f64> {
    let mut configuration = Configuration::zero(&robot.tree);
    configuration.joints.copy_from_slice(&standing(robot));
    for (joint, position) in chain.joints().iter().zip(positions) {
        configuration.joints[*joint] = *position;
    }
    let mut data = Data::new(&robot.tree);
    forward_kinematics(&robot.tree, &configuration, &mut data);
    relative_pose(&data, chain.tip(), chain.root())
}

fn gap(one: &Isometry3<f64>, other: &Isometry3<f64>) -> [f64; 2] {
    let turn = one.rotation.to_rotation_matrix().into_inner() - other.rotation.to_rotation_matrix().into_inner();
    [(one.translation.vector - other.translation.vector).norm(), turn.norm()]
}

#[test]
fn forward_kinematics_is_that_of_the_model() {
    let mut random = Random(3);
    for name in ["centaur", "humanoid"] {
        let robot = robot(name);
        for chain in [arm(&robot, "left"), arm(&robot, "right"), chain(&robot, "base_link", "left")] {
            for _ in 0..200 {
                let positions = random.within(chain.limits());
                let [place, turn] = gap(&chain.forward(&positions).unwrap(), &by_model(&robot, &chain, &positions));
                assert!(place < 1e-12 && turn < 1e-12, "{name}: {place} m and {turn} at {positions:?}");
            }
        }
    }
}

#[test]
fn joints_that_follow_others_slide_or_hang_crooked_are_where_the_model_says() {
    let joint = |name: &str, kind: &str, parent: &str, more: &str| {
        format!(
            r#"<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{name}_link"/>{more}
               <limit lower="-1" upper="1.5" effort="1" velocity="1"/></joint><link name="{name}_link"/>"#
        )
    };
    let text = [
        r#"<robot name="crooked"><link name="world_link"/>"#.to_owned(),
        joint("turn", "revolute", "world_link", r#"<origin xyz="0.1 0 0.2" rpy="0.3 -1 2"/><axis xyz="0 0 -1"/>"#),
        joint("slide", "prismatic", "turn_link", r#"<origin xyz="0 0.3 0" rpy="1 0 0"/><axis xyz="1 -2 0.5"/>"#),
        joint(
            "follow",
            "revolute",
            "slide_link",
            r#"<axis xyz="0 1 -1"/><mimic joint="turn" multiplier="-2" offset="0.3"/>"#,
        ),
        joint("last", "revolute", "follow_link", r#"<origin xyz="0.2 0 0"/><axis xyz="-1 0 0"/>"#),
        "</robot>".to_owned(),
    ];
    let source = robot_model::Source { name: "crooked.urdf".to_owned(), bytes: text.concat().into_bytes().into() };
    let robot = RobotModel::from_urdf(source).unwrap();
    let chain = SerialChain::new(&robot.tree, 0, robot.tree.link("last_link").unwrap()).unwrap();
    assert_eq!(chain.names(), ["turn", "slide", "last"]);
    let mut random = Random(5);
    let search = InverseKinematics::new(chain.clone(), IkSettings::default()).unwrap();
    for _ in 0..100 {
        let positions = random.within(chain.limits());
        let mut configuration = Configuration::zero(&robot.tree);
        chain.joints().iter().zip(&positions).for_each(|(joint, position)| configuration.joints[*joint] = *position);
        let mut data = Data::new(&robot.tree);
        forward_kinematics(&robot.tree, &configuration, &mut data);
        let pose = chain.forward(&positions).unwrap();
        let [place, turn] = gap(&pose, &relative_pose(&data, chain.tip(), 0));
        assert!(place < 1e-12 && turn < 1e-12, "{place} m and {turn} at {positions:?}");
        let mut found = vec![0.0; 3];
        let outcome = search.solve(&Goal::Pose(pose), &mut found).unwrap();
        assert!(outcome.reached, "{outcome:?} for {positions:?}");
    }
}

#[test]
fn a_hand_comes_where_it_is_sent_within_its_joints_limits() {
    let mut random = Random(7);
    for name in ["centaur", "humanoid"] {
        let robot = robot(name);
        for chain in [arm(&robot, "left"), arm(&robot, "right"), chain(&robot, "base_link", "right")] {
            let begin = chain.of_all(&standing(&robot)).unwrap();
            let search = InverseKinematics::new(chain.clone(), IkSettings::default()).unwrap();
            let mut reached = 0;
            for _ in 0..300 {
                let wanted = chain.forward(&random.within(chain.limits())).unwrap();
                let mut positions = begin.clone();
                let outcome = search.solve(&Goal::Pose(wanted), &mut positions).unwrap();
                let [place, turn] = gap(&chain.forward(&positions).unwrap(), &wanted);
                assert!((place - outcome.position_error).abs() < 1e-9, "{outcome:?} but {place} m away");
                assert!(!outcome.reached || place < 1e-5 && turn < 1e-5, "{place} m and {turn}: {outcome:?}");
                let within = |(position, [low, high]): (&f64, &[f64; 2])| position >= low && position <= high;
                assert!(positions.iter().zip(chain.limits()).all(within), "{positions:?}");
                reached += usize::from(outcome.reached);
            }
            assert!(reached >= 295, "{name}: {reached} of 300");
        }
    }
}

#[test]
fn what_is_out_of_reach_is_missed_by_what_is_told() {
    let robot = robot("centaur");
    let chain = arm(&robot, "left");
    let search = InverseKinematics::new(chain.clone(), IkSettings::default()).unwrap();
    let shoulder = chain.forward(&vec![0.0; chain.dof()]).unwrap().translation.vector + Vector3::z() * 0.5;
    let mut positions = vec![0.0; chain.dof()];
    let far = shoulder + Vector3::new(2.0, 0.0, 0.0);
    let outcome = search.solve(&Goal::Position(far), &mut positions).unwrap();
    let really = (chain.forward(&positions).unwrap().translation.vector - far).norm();
    assert!(!outcome.reached && (outcome.position_error - really).abs() < 1e-9, "{outcome:?}, {really}");
    assert!(really > 1.0 && really < 2.0, "the hand is stretched towards it: {really}");
    let near = search.solve(&Goal::Position(shoulder + Vector3::new(0.3, 0.0, -0.2)), &mut positions).unwrap();
    assert!(near.reached && near.orientation_error == 0.0, "{near:?}");
}

#[test]
fn of_several_answers_the_nearest_is_taken_and_refused_ones_are_not() {
    let robot = robot("centaur");
    let chain = arm(&robot, "left");
    let settings = |answers: u32| IkSettings { answers, ..IkSettings::default() };
    let one = InverseKinematics::new(chain.clone(), settings(1)).unwrap();
    let many = InverseKinematics::new(chain.clone(), settings(8)).unwrap();
    let mut random = Random(11);
    let away = |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let mut nearer = 0;
    for _ in 0..60 {
        let (begin, goal) = (random.within(chain.limits()), chain.forward(&random.within(chain.limits())).unwrap());
        let (mut first, mut best) = (begin.clone(), begin.clone());
        let outcomes =
            [one.solve(&Goal::Pose(goal), &mut first).unwrap(), many.solve(&Goal::Pose(goal), &mut best).unwrap()];
        if outcomes[0].reached {
            assert!(outcomes[1].reached && away(&best, &begin) <= away(&first, &begin) + 1e-9, "{outcomes:?}");
            nearer += usize::from(away(&best, &begin) < away(&first, &begin) - 1e-3);
        }
        let mut other = begin.clone();
        let outcome = one.solve_where(&Goal::Pose(goal), &mut other, |answer| away(answer, &first) > 0.01).unwrap();
        assert!(!outcome.reached || away(&other, &first) > 0.01);
    }
    assert!(nearer > 5, "{nearer} of 60 had a nearer answer");
}

proptest! {
    #[test]
    fn the_same_question_has_the_same_answer_and_none_is_no_number(
        seed in any::<u64>(), place in prop::array::uniform3(-1.5..1.5f64), turn in prop::array::uniform3(-3.0..3.0f64),
    ) {
        let robot = robot("humanoid");
        let chain = arm(&robot, "right");
        let search = InverseKinematics::new(chain.clone(), IkSettings { most_starts: 5, ..IkSettings::default() }).unwrap();
        let goal = Goal::Pose(Isometry3::new(Vector3::from(place), Vector3::from(turn)));
        let begin = Random(seed).within(chain.limits());
        let (mut first, mut second) = (begin.clone(), begin);
        let outcome = search.solve(&goal, &mut first).unwrap();
        prop_assert_eq!(outcome, search.solve(&goal, &mut second).unwrap());
        prop_assert_eq!(&first, &second);
        prop_assert!(first.iter().all(|position| position.is_finite()));
    }
}

#[test]
fn questions_that_make_no_sense_are_refused_by_name() {
    let robot = robot("centaur");
    let chain = arm(&robot, "left");
    let search = InverseKinematics::new(chain.clone(), IkSettings::default()).unwrap();
    let refused = search.solve(&Goal::Position(Vector3::zeros()), &mut [0.0; 3]).unwrap_err().to_string();
    assert_eq!(refused, "a chain's positions: positions: expected 7 numbers, found 3");
    let refused = search.solve(&Goal::Position(Vector3::repeat(f64::NAN)), &mut [0.0; 7]).unwrap_err().to_string();
    assert!(refused.starts_with("a goal: pose: expected finite numbers"), "{refused}");
    let backwards = SerialChain::new(&robot.tree, chain.tip(), chain.root()).unwrap_err().to_string();
    assert!(backwards.contains("tip") && backwards.contains("hangs"), "{backwards}");
    let settings = IkSettings { position_tolerance: -1.0, ..IkSettings::default() };
    assert!(InverseKinematics::new(chain, settings).unwrap_err().to_string().contains("position_tolerance"));
}
