//! A run that is restored goes on to the bit as it would have.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

mod support;

use nalgebra::Vector3;
use robot_io::{Digest, StateReader, StateWriter};
use support::biped::{Biped, smooth};
use whole_body::{CenterOfMass, Goal, InverseDynamics, JointGoal, Posture, Settings, Task};

fn control(biped: &Biped) -> InverseDynamics {
    let joints = biped.tree.joints.iter().zip(&biped.configuration.joints);
    let joints = joints.map(|(joint, q)| JointGoal::at(&joint.name, *q)).collect();
    let tasks = vec![
        Task::new("balance", 0, Goal::CenterOfMass(CenterOfMass::at(Vector3::new(0.03, 0.0, 0.9)))),
        Task::new("posture", 1, Goal::Posture(Posture { joints })),
    ];
    InverseDynamics::new(&biped.tree, tasks, biped.contacts.clone(), Settings::default()).unwrap()
}

/// Shakes the robot for a while. All torques, as bits.
fn run(control: &mut InverseDynamics, biped: &mut Biped, cycles: core::ops::Range<u32>) -> Vec<u64> {
    let mut bits = Vec::new();
    for cycle in cycles {
        if cycle == 50 {
            let Some(Task { goal: Goal::CenterOfMass(goal), .. }) = control.task_mut("balance") else { panic!() };
            goal.position.y = 0.08 * smooth(1.0, 2.0).0;
            control.contact_mut("right sole").unwrap().most_force = 300.0;
        }
        control.solve(&biped.configuration, &biped.velocity).unwrap();
        bits.extend(control.torques().iter().map(|torque| torque.to_bits()));
        let accelerations = control.accelerations().to_vec();
        biped.step(&accelerations);
    }
    bits
}

#[test]
fn a_restored_run_goes_on_as_it_would_have() {
    let mut biped = Biped::crouched(0.8);
    let mut first = control(&biped);
    run(&mut first, &mut biped, 0..100);
    let saved = StateWriter::save(&mut first);
    let (configuration, velocity) = (biped.configuration.clone(), biped.velocity.clone());
    let went_on = run(&mut first, &mut biped, 100..200);

    let mut again = Biped::crouched(0.8);
    let mut second = control(&again);
    (again.configuration, again.velocity) = (configuration, velocity);
    StateReader::restore(&mut second, &saved).unwrap();
    assert_eq!(run(&mut second, &mut again, 100..200), went_on);
    assert_eq!(Digest::of(&mut first), Digest::of(&mut second));
}

#[test]
fn two_runs_are_the_same_to_the_bit() {
    let [one, other] = [0, 1].map(|_| {
        let mut biped = Biped::crouched(0.8);
        let mut control = control(&biped);
        run(&mut control, &mut biped, 0..100)
    });
    assert_eq!(one, other);
}
