//! What one cycle costs on a humanoid of 33 joints that squats on both feet and moves both hands.
//! `cargo test --release -p whole_body --test cost -- --ignored --nocapture`
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

mod support;

use nalgebra::{Isometry3, Vector3};
use robot_model::{Configuration, Tree};
use rustix::time::{ClockId, clock_gettime};
use support::humanoid::{hand_target, soles, standing, tree};
use whole_body::{
    AngularMomentum, Capsule, CenterOfMass, Gaze, Goal, InverseDynamics, JointGoal, Pose, Posture, Settings, Task,
};

const CYCLES: usize = 3_000;
const STEP: f64 = 0.001;

fn tasks(tree: &Tree, at: &Configuration, com: Vector3<f64>) -> Vec<Task> {
    let joints = tree.joints.iter().zip(&at.joints).map(|(joint, q)| JointGoal::at(&joint.name, *q)).collect();
    let upright = |link: &str| Goal::Pose(Pose::at(link, Isometry3::identity()).orientation_only());
    let hand = |side: &str| {
        let goal = hand_target(side, 0.0);
        Goal::Pose(Pose::at(&format!("{side}_hand"), Isometry3::translation(goal.x, goal.y, goal.z)).position_only())
    };
    let gaze =
        Gaze { link: "head".to_owned(), axis_in_link: Vector3::x(), target_in_world: Vector3::new(2.0, 0.5, 1.0) };
    vec![
        Task::new("balance", 0, Goal::CenterOfMass(CenterOfMass::at(com))),
        Task::new("chest", 0, upright("chest")),
        Task::new("left", 1, hand("left")),
        Task::new("right", 1, hand("right")),
        Task::new("spin", 1, Goal::AngularMomentum(AngularMomentum::none())).weighing(0.1).at_frequency(5.0),
        Task::new("gaze", 1, Goal::Gaze(gaze)),
        Task::new("posture", 2, Goal::Posture(Posture { joints })),
    ]
}

/// Time that this thread has had [s]: others' use of the machine does not count.
fn thread_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Moves the goals, solves, and lets the joints do what was solved for. How long it took [µs], and the solver's steps.
fn cycle(
    control: &mut InverseDynamics,
    com: Vector3<f64>,
    time: f64,
    configuration: &mut Configuration,
    velocity: &mut [f64],
) -> (f64, usize) {
    let Some(Task { goal: Goal::CenterOfMass(goal), .. }) = control.task_mut("balance") else { panic!() };
    goal.position =
        com + Vector3::new(0.02 * (2.0 * time).sin(), 0.04 * time.sin(), -0.08 * (1.0 - (2.0 * time).cos()));
    for side in ["left", "right"] {
        let Some(Task { goal: Goal::Pose(goal), .. }) = control.task_mut(side) else { panic!() };
        goal.pose_in_world.translation.vector = hand_target(side, time);
    }
    let began = thread_time();
    let outcome = control.solve(configuration, velocity);
    let took = (thread_time() - began) * 1e6;
    assert!(outcome.is_ok(), "{outcome:?} at {time} s");
    support::biped::integrate(configuration, velocity, control.accelerations());
    (took, control.steps())
}

/// Hands and forearms against legs, trunk and each other, as a humanoid's controller keeps them apart: 28 pairs.
fn apart() -> (Vec<Capsule>, Vec<(String, String)>) {
    let capsule = |link: &str, from: f64, to: f64, radius: f64| {
        let [from, to] = [from, to].map(|z| Vector3::new(0.0, 0.0, z));
        Capsule { name: link.to_owned(), link: link.to_owned(), from, to, radius }
    };
    let of_side = |side: &str| {
        vec![
            capsule(&format!("{side}_hand"), 0.0, -0.12, 0.05),
            capsule(&format!("{side}_elbow"), 0.0, -0.12, 0.045),
            capsule(&format!("{side}_hip_pitch"), -0.05, -0.3, 0.07),
            capsule(&format!("{side}_knee"), -0.05, -0.3, 0.06),
        ]
    };
    let mut capsules: Vec<Capsule> = ["left", "right"].into_iter().flat_map(of_side).collect();
    capsules.extend([capsule("pelvis", 0.0, 0.05, 0.1), capsule("chest", 0.1, 0.35, 0.13)]);
    let is_arm = |name: &str| name.ends_with("hand") || name.ends_with("elbow");
    let names = || capsules.iter().map(|capsule| capsule.name.as_str());
    let pairs = names().enumerate().flat_map(|(index, one)| names().take(index).map(move |other| (one, other)));
    let side = |name: &str| name.split('_').next().unwrap().to_owned();
    let meet = |one: &str, other: &str| match (is_arm(one), is_arm(other)) {
        (true, true) => side(one) != side(other),
        (one, other) => one || other,
    };
    let pairs = pairs.filter(|(one, other)| meet(one, other)).map(|(one, other)| (one.to_owned(), other.to_owned()));
    let pairs = pairs.collect();
    (capsules, pairs)
}

#[test]
#[ignore = "it measures time"]
fn one_cycle() {
    measure("free", false);
}

#[test]
#[ignore = "it measures time"]
fn one_cycle_with_hands_kept_apart() {
    measure("with hands kept apart", true);
}

fn measure(how: &str, keeps_apart: bool) {
    let tree = tree();
    let mut configuration = standing(&tree);
    let mut velocity = vec![0.0; tree.velocity_dof()];
    let mut data = robot_model::Data::new(&tree);
    robot_model::forward_kinematics(&tree, &configuration, &mut data);
    let com = robot_model::center_of_mass_in_world(&tree, &data);
    let tasks = tasks(&tree, &configuration, com);
    let mut control = InverseDynamics::new(&tree, tasks, soles(), Settings::default()).unwrap();
    if keeps_apart {
        let (capsules, pairs) = apart();
        println!("{} pairs", pairs.len());
        control = control.keeping_apart(&capsules, &pairs).unwrap();
    }
    let mut times = Vec::new();
    let (mut most_steps, mut all_steps) = (0, 0);
    for number in 0..CYCLES {
        let time = number as f64 * STEP;
        let (took, steps) = cycle(&mut control, com, time, &mut configuration, &mut velocity);
        times.push(took);
        most_steps = most_steps.max(steps);
        all_steps += steps;
    }
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((CYCLES - 1) as f64 * share) as usize];
    println!(
        "{how}: {} joints, {} cycles: median {:.0} µs, 99 % {:.0} µs, worst {:.0} µs",
        tree.dof(),
        CYCLES,
        at(0.5),
        at(0.99),
        at(1.0)
    );
    println!("steps of the active set: {:.1} a cycle, {most_steps} at most", all_steps as f64 / CYCLES as f64);
}
