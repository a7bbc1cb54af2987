//! A cycle allocates nothing, whatever changes in it.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

#[path = "../../../tests/support/counting.rs"]
mod counting;
mod support;

use counting::{Counting, allocations};
use nalgebra::{Isometry3, Vector3};
use support::biped::Biped;
use whole_body::{
    AngularMomentum, Capsule, CenterOfMass, Gaze, Goal, InverseDynamics, InverseKinematics, JointGoal, Pose, Posture,
    Settings, Task,
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn tasks(biped: &Biped) -> Vec<Task> {
    let joints = biped.tree.joints.iter().map(|joint| JointGoal::at(&joint.name, 0.1)).collect();
    let gaze =
        Gaze { link: "trunk".to_owned(), axis_in_link: Vector3::x(), target_in_world: Vector3::new(5.0, 1.0, 1.0) };
    vec![
        Task::new("balance", 0, Goal::CenterOfMass(CenterOfMass::at(Vector3::new(0.03, 0.0, 0.9)))),
        Task::new("spin", 1, Goal::AngularMomentum(AngularMomentum::none())),
        Task::new("swing", 1, Goal::Pose(Pose::at("right_foot", Isometry3::translation(0.1, -0.1, 0.2)))),
        Task::new("gaze", 2, Goal::Gaze(gaze)),
        Task::new("posture", 3, Goal::Posture(Posture { joints })),
    ]
}

#[test]
fn no_cycle_allocates() {
    let mut biped = Biped::crouched(0.9);
    let tasks = tasks(&biped);
    let control =
        InverseDynamics::new(&biped.tree, tasks.clone(), biped.contacts.clone(), Settings::default()).unwrap();
    let capsule = |side: &str| Capsule {
        name: side.to_owned(),
        link: format!("{side}_shin"),
        from: Vector3::zeros(),
        to: Vector3::new(0.0, 0.0, -0.4),
        radius: 0.08,
    };
    let capsules = ["left", "right"].map(capsule);
    let mut control = control.keeping_apart(&capsules, &[("left".to_owned(), "right".to_owned())]).unwrap();
    for cycle in 0..200 {
        let before = allocations();
        control.set_active("right sole", (cycle / 20) % 2 == 0).unwrap();
        control.contact_mut("left sole").unwrap().friction = 0.5 + 0.001 * f64::from(cycle);
        control.task_mut("balance").unwrap().weight = 1.0 + f64::from(cycle);
        let outcome = control.solve(&biped.configuration, &biped.velocity);
        let after = allocations();
        assert!(outcome.is_ok(), "{outcome:?} in cycle {cycle}");
        assert_eq!(after, before, "cycle {cycle}");
        let really = control.accelerations().to_vec();
        biped.step(&really);
    }

    let mut search = InverseKinematics::new(&biped.tree, tasks).unwrap();
    let mut configuration = biped.configuration.clone();
    let before = allocations();
    search.solve(&mut configuration).unwrap();
    assert_eq!(allocations(), before, "inverse kinematics");
}
