//! Parts that are to stay apart stay apart, also where tasks want them together.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

mod support;

use nalgebra::{Isometry3, Vector3};
use robot_model::{Configuration, Data, Tree, forward_kinematics};
use support::biped::integrate;
use support::humanoid::{soles, standing, tree};
use whole_body::{
    Capsule, CenterOfMass, Goal, InverseDynamics, InverseKinematics, JointGoal, Pose, Posture, Settings, Task,
};

fn hands() -> (Vec<Capsule>, Vec<(String, String)>) {
    let capsule = |side: &str| Capsule {
        name: format!("{side} hand"),
        link: format!("{side}_hand"),
        from: Vector3::new(0.0, 0.0, 0.05),
        to: Vector3::new(0.0, 0.0, -0.1),
        radius: 0.05,
    };
    (["left", "right"].map(capsule).to_vec(), vec![("left hand".to_owned(), "right hand".to_owned())])
}

/// Both hands want to be at one point.
fn tasks(tree: &Tree, at: &Configuration) -> Vec<Task> {
    let mut data = Data::new(tree);
    forward_kinematics(tree, at, &mut data);
    let com = robot_model::center_of_mass_in_world(tree, &data);
    let hand = |side: &str| {
        let pose = Pose::at(&format!("{side}_hand"), Isometry3::translation(0.35, 0.0, 1.0)).position_only();
        Task::new(side, 1, Goal::Pose(pose))
    };
    let joints = tree.joints.iter().zip(&at.joints).map(|(joint, q)| JointGoal::at(&joint.name, *q)).collect();
    let foot = |side: &str| {
        let pose = data.link_in_world[tree.link(&format!("{side}_foot")).unwrap()];
        Task::new(&format!("{side} foot"), 0, Goal::Pose(Pose::at(&format!("{side}_foot"), pose)))
    };
    vec![
        Task::new("balance", 0, Goal::CenterOfMass(CenterOfMass::at(com))),
        hand("left"),
        hand("right"),
        Task::new("posture", 2, Goal::Posture(Posture { joints })),
        foot("left"),
        foot("right"),
    ]
}

#[test]
fn hands_that_want_to_be_at_one_place_stop_before_they_meet() {
    let tree = tree();
    let mut configuration = standing(&tree);
    let mut velocity = vec![0.0; tree.velocity_dof()];
    let mut tasks = tasks(&tree, &configuration);
    tasks.truncate(4);
    let (capsules, pairs) = hands();
    let control = InverseDynamics::new(&tree, tasks, soles(), Settings::default()).unwrap();
    let mut control = control.keeping_apart(&capsules, &pairs).unwrap();
    let mut nearest = f64::INFINITY;
    for cycle in 0..2_000 {
        let outcome = control.solve(&configuration, &velocity);
        assert!(outcome.is_ok(), "{outcome:?} in cycle {cycle}");
        nearest = control.distances().fold(nearest, f64::min);
        integrate(&mut configuration, &mut velocity, control.accelerations());
    }
    // that places slide along the capsules is left out of their acceleration: a millimetre
    assert!(nearest > 0.009, "they came to {nearest} m");
    let at_last = control.distances().next().unwrap();
    assert!(at_last < 0.02, "they end {at_last} m apart");
}

#[test]
fn a_pose_is_found_in_which_they_do_not_touch() {
    let tree = tree();
    let mut configuration = standing(&tree);
    let tasks = tasks(&tree, &configuration);
    let (capsules, pairs) = hands();
    let search = InverseKinematics::new(&tree, tasks).unwrap();
    let mut search = search.keeping_apart(&capsules, &pairs, 0.02).unwrap();
    search.solve(&mut configuration).unwrap();
    let mut data = Data::new(&tree);
    forward_kinematics(&tree, &configuration, &mut data);
    let line = |side: &str, along: f64| {
        let pose = data.link_in_world[tree.link(&format!("{side}_hand")).unwrap()];
        pose.rotation * Vector3::new(0.0, 0.0, 0.05 - 0.15 * along) + pose.translation.vector
    };
    let mut nearest = f64::INFINITY;
    for (s, t) in (0..=100).flat_map(|s| (0..=100).map(move |t| (f64::from(s) / 100.0, f64::from(t) / 100.0))) {
        nearest = nearest.min((line("left", s) - line("right", t)).norm() - 0.1);
    }
    assert!(nearest > 0.0195 && nearest < 0.025, "{nearest} m after {} steps", search.steps());
}

#[test]
fn a_pair_that_names_nothing_is_refused() {
    let tree = tree();
    let (capsules, _) = hands();
    let control = InverseDynamics::new(&tree, Vec::new(), Vec::new(), Settings::default()).unwrap();
    let error = control.keeping_apart(&capsules, &[("left hand".to_owned(), "nose".to_owned())]).unwrap_err();
    let told = "a pair to keep apart: capsule: expected one of left hand, right hand, found \"nose\"";
    assert_eq!(error.to_string(), told);
}

#[test]
fn pairs_that_may_touch_do_not_bind_and_are_kept_apart_again_afterwards() {
    let tree = tree();
    let configuration = standing(&tree);
    let velocity = vec![0.0; tree.velocity_dof()];
    let mut tasks = tasks(&tree, &configuration);
    tasks.truncate(4);
    let (mut capsules, pairs) = hands();
    capsules.iter_mut().for_each(|capsule| capsule.radius = 0.2);
    let control = InverseDynamics::new(&tree, tasks, soles(), Settings::default()).unwrap();
    let mut control = control.keeping_apart(&capsules, &pairs).unwrap();
    let mut solve = |lets_touch: bool| {
        control.let_touch(lets_touch);
        control.solve(&configuration, &velocity).unwrap();
        control.accelerations().to_vec()
    };
    let (kept, let_go, again) = (solve(false), solve(true), solve(false));
    let differ = |one: &[f64], other: &[f64]| one.iter().zip(other).any(|(one, other)| (one - other).abs() > 1e-3);
    assert!(differ(&kept, &let_go) && !differ(&kept, &again));
}
