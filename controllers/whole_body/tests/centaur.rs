//! The centaur on its four legs: the same code for another robot, with point contacts.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

mod support;

use nalgebra::{Isometry3, Translation3, Vector3};
use robot_model::{
    BASE_DOF, Configuration, Data, GRAVITY_IN_WORLD, RobotModel, center_of_mass_in_world, forward_kinematics,
    link_jacobian_in_world, rnea,
};
use support::biped::{integrate, smooth};
use whole_body::{CenterOfMass, Contact, Goal, InverseDynamics, JointGoal, Pose, Posture, Settings, Task};

const LEGS: [&str; 4] = ["front_left", "front_right", "rear_left", "rear_right"];
/// From a pair of wheels down to the ground [m].
const DOWN: f64 = 0.1;

fn standing(model: &RobotModel) -> Configuration {
    let mut configuration = Configuration::zero(&model.tree);
    let pose = model.description.poses.iter().find(|pose| pose.name == "stand").unwrap();
    configuration.joints.copy_from_slice(&pose.positions);
    configuration
}

/// A point below each pair of wheels, its axes those of the world.
fn feet(model: &RobotModel, data: &Data) -> Vec<Contact> {
    let foot = |leg: &&str| {
        let link = format!("{leg}_wheel_pair_link");
        let at = data.link_in_world[model.tree.link(&link).unwrap()];
        let point = Isometry3::from(Translation3::from(at.translation.vector - DOWN * Vector3::z()));
        Contact::point(leg, &link, at.inverse() * point, 0.7)
    };
    LEGS.iter().map(foot).collect()
}

#[test]
fn it_stands_and_rises() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../robot_models/centaur/centaur.toml");
    let model = RobotModel::load(root.as_ref()).unwrap();
    let tree = &model.tree;
    let (mut configuration, mut velocity) = (standing(&model), vec![0.0; tree.velocity_dof()]);
    let mut data = Data::new(tree);
    forward_kinematics(tree, &configuration, &mut data);
    let (com, contacts) = (center_of_mass_in_world(tree, &data), feet(&model, &data));
    let joints =
        tree.joints.iter().zip(&configuration.joints).map(|(joint, q)| JointGoal::at(&joint.name, *q)).collect();
    let level = Pose::at("base_link", Isometry3::identity()).orientation_only();
    let tasks = vec![
        Task::new("balance", 0, Goal::CenterOfMass(CenterOfMass::at(com))),
        Task::new("base", 1, Goal::Pose(level)),
        Task::new("posture", 2, Goal::Posture(Posture { joints })),
    ];
    let mut control = InverseDynamics::new(tree, tasks, contacts.clone(), Settings::default()).unwrap();
    for cycle in 0..1_000 {
        let (value, speed, acceleration) = smooth(f64::from(cycle) * 1e-3, 0.8);
        let Some(Task { goal: Goal::CenterOfMass(goal), .. }) = control.task_mut("balance") else { panic!() };
        goal.position = com + Vector3::z() * 0.04 * value;
        goal.velocity.z = 0.04 * speed;
        goal.acceleration.z = 0.04 * acceleration;
        let outcome = control.solve(&configuration, &velocity);
        assert!(outcome.is_ok(), "{outcome:?} in cycle {cycle}");
        if cycle % 100 == 0 {
            let missed = missed(&model, &contacts, &control, &configuration, &velocity);
            assert!(missed < 1e-6, "the equation of motion misses {missed} in cycle {cycle}");
        }
        integrate(&mut configuration, &mut velocity, control.accelerations());
    }
    forward_kinematics(tree, &configuration, &mut data);
    let risen = center_of_mass_in_world(tree, &data) - com;
    assert!((risen - Vector3::z() * 0.04).norm() < 1e-3, "{risen}");
    let force: f64 = LEGS.iter().map(|leg| control.wrench(leg).unwrap()[2]).sum();
    assert!((force - 9.81 * tree.mass()).abs() < 5.0, "{force} N carry {} kg", tree.mass());
}

/// What is left of M a + h − τ − Jᵀ f.
fn missed(
    model: &RobotModel,
    contacts: &[Contact],
    control: &InverseDynamics,
    configuration: &Configuration,
    velocity: &[f64],
) -> f64 {
    let tree = &model.tree;
    let mut data = Data::new(tree);
    rnea(tree, configuration, velocity, control.accelerations(), &GRAVITY_IN_WORLD, &mut data);
    let mut rest = data.efforts.clone();
    rest.rows_mut(BASE_DOF, tree.dof()).iter_mut().zip(control.torques()).for_each(|(rest, torque)| *rest -= torque);
    let mut jacobian = nalgebra::DMatrix::zeros(6, tree.velocity_dof());
    for contact in contacts {
        let link = tree.link(&contact.link).unwrap();
        let wrench = control.wrench(&contact.name).unwrap();
        let turn = (data.link_in_world[link] * contact.frame_in_link).rotation;
        let force = turn * Vector3::new(wrench[0], wrench[1], wrench[2]);
        link_jacobian_in_world(tree, &data, link, &contact.frame_in_link.translation.vector, &mut jacobian);
        rest -= jacobian.rows(0, 3).transpose() * force;
    }
    rest.amax()
}
