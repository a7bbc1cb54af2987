//! Stances are found, limits are kept, and what cannot be reached is come near to.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

mod support;

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;
use robot_model::{Data, center_of_mass_in_world, forward_kinematics};
use support::Dice;
use support::biped::{Biped, tree};
use support::humanoid;
use whole_body::{CenterOfMass, Gaze, Goal, InverseKinematics, JointGoal, Pose, Posture, Task};

fn foot(side: &str, place: Vector3<f64>) -> Task {
    let pose = Isometry3::translation(place.x, place.y, place.z + 0.08);
    Task::new(side, 0, Goal::Pose(Pose::at(&format!("{side}_foot"), pose)))
}

#[test]
fn a_wide_stance_with_the_weight_on_one_foot() {
    let mut biped = Biped::crouched(0.5);
    let over_left = CenterOfMass { axes: [true, true, false], ..CenterOfMass::at(Vector3::new(0.05, 0.2, 0.0)) };
    let tasks = vec![
        foot("left", Vector3::new(0.1, 0.2, 0.0)),
        foot("right", Vector3::new(-0.1, -0.2, 0.0)),
        Task::new("balance", 1, Goal::CenterOfMass(over_left)),
        Task::new("trunk", 1, Goal::Pose(Pose::at("trunk", Isometry3::identity()).orientation_only())),
    ];
    let mut search = InverseKinematics::new(&biped.tree, tasks).unwrap();
    search.solve(&mut biped.configuration).unwrap();
    for task in ["left", "right", "balance", "trunk"] {
        let error = search.error(task, &biped.configuration).unwrap();
        assert!(error < 1e-8, "{task}: {error} after {} steps", search.steps());
    }
    assert!(search.steps() < 60, "{}", search.steps());
    let mut data = Data::new(&biped.tree);
    forward_kinematics(&biped.tree, &biped.configuration, &mut data);
    assert!((center_of_mass_in_world(&biped.tree, &data).y - 0.2).abs() < 1e-8);
}

#[test]
fn what_is_out_of_reach_is_come_near_to_and_the_feet_stay() {
    let mut biped = Biped::crouched(0.5);
    let far = CenterOfMass { axes: [true, true, true], ..CenterOfMass::at(Vector3::new(0.0, 0.0, 3.0)) };
    let tasks = vec![
        foot("left", Vector3::new(0.0, 0.1, 0.0)),
        foot("right", Vector3::new(0.0, -0.1, 0.0)),
        Task::new("up", 1, Goal::CenterOfMass(far)),
    ];
    let mut search = InverseKinematics::new(&biped.tree, tasks).unwrap();
    search.solve(&mut biped.configuration).unwrap();
    for task in ["left", "right"] {
        let error = search.error(task, &biped.configuration).unwrap();
        assert!(error < 1e-3, "{task}: {error} after {} steps", search.steps());
    }
    let knee = biped.configuration.joints[biped.tree.joint("left_knee").unwrap()];
    assert!(knee < 0.05, "the knees are at {knee} rad");
}

#[test]
fn it_looks_where_it_is_told_with_its_hands_where_they_are_told() {
    let tree = humanoid::tree();
    let mut configuration = humanoid::standing(&tree);
    let joints =
        tree.joints.iter().zip(&configuration.joints).map(|(joint, q)| JointGoal::at(&joint.name, *q)).collect();
    let hand =
        Isometry3::from_parts(Translation3::new(0.4, 0.2, 1.1), UnitQuaternion::from_euler_angles(0.0, -1.2, 0.0));
    let target_in_world = Vector3::new(1.0, 0.6, 0.8);
    let gaze = Gaze { link: "head".to_owned(), axis_in_link: Vector3::new(2.0, 0.0, 0.0), target_in_world };
    let tasks = vec![
        foot("left", Vector3::new(0.0, 0.1, 0.0)),
        foot("right", Vector3::new(0.0, -0.1, 0.0)),
        Task::new("hand", 1, Goal::Pose(Pose::at("left_hand", hand).position_only())),
        Task::new("gaze", 2, Goal::Gaze(gaze)),
        Task::new("rest", 3, Goal::Posture(Posture { joints })),
    ];
    let mut search = InverseKinematics::new(&tree, tasks).unwrap();
    search.solve(&mut configuration).unwrap();
    for task in ["left", "right", "hand", "gaze"] {
        let error = search.error(task, &configuration).unwrap();
        assert!(error < 1e-7, "{task}: {error} after {} steps", search.steps());
    }
    let mut data = Data::new(&tree);
    forward_kinematics(&tree, &configuration, &mut data);
    let head = data.link_in_world[tree.link("head").unwrap()];
    let looks = head.rotation * Vector3::x();
    let wanted = (target_in_world - head.translation.vector).normalize();
    assert!((looks - wanted).norm() < 1e-6, "{looks} and {wanted}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn limits_hold_and_it_is_the_same_each_time(seed in 1_u64..) {
        let tree = tree();
        let mut dice = Dice(seed);
        let place = |dice: &mut Dice| Vector3::new(0.5 * dice.next(), 0.5 * dice.next(), 0.5 * dice.next());
        let tasks = vec![foot("left", place(&mut dice)), foot("right", place(&mut dice))];
        let mut search = InverseKinematics::new(&tree, tasks).unwrap();
        let start = Biped::crouched(0.6).configuration;
        let mut found = [start.clone(), start];
        for configuration in &mut found {
            search.solve(configuration).unwrap();
            for (joint, position) in tree.joints.iter().zip(&configuration.joints) {
                let (lower, upper) = (joint.limits.lower, joint.limits.upper);
                prop_assert!((lower - 1e-8..=upper + 1e-8).contains(position), "{}: {position}", joint.name);
            }
        }
        let [one, other] = found;
        prop_assert_eq!(one, other);
    }
}
