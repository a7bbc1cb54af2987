//! A biped in a closed loop: it squats, shifts its weight, lifts a foot, and keeps all its limits on the way.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

mod support;

use nalgebra::{Isometry3, Vector3};
use support::biped::{Biped, STEP, smooth};
use whole_body::{
    AngularMomentum, CenterOfMass, Goal, InverseDynamics, JointGoal, Pose, Posture, Settings, Task, WholeBodyError,
};

/// Balance first, then the trunk and the foot in the air, then the joints.
fn tasks(biped: &Biped, com: Vector3<f64>) -> Vec<Task> {
    let joints = biped.tree.joints.iter().zip(&biped.configuration.joints);
    let joints = joints.map(|(joint, position)| JointGoal::at(&joint.name, *position)).collect();
    vec![
        Task::new("balance", 0, Goal::CenterOfMass(CenterOfMass::at(com))),
        Task::new("trunk", 1, Goal::Pose(Pose::at("trunk", Isometry3::identity()).orientation_only())),
        Task::new("spin", 1, Goal::AngularMomentum(AngularMomentum::none())).weighing(0.1).at_frequency(5.0),
        Task::new("posture", 2, Goal::Posture(Posture { joints })),
    ]
}

struct Loop {
    biped: Biped,
    control: InverseDynamics,
    time: f64,
    most_steps: usize,
}

impl Loop {
    fn new(more: impl FnOnce(&mut Biped) -> Vec<Task>) -> Loop {
        let mut biped = Biped::crouched(0.9);
        let com = com_of(&biped);
        let mut tasks = tasks(&biped, com);
        tasks.extend(more(&mut biped));
        let control = InverseDynamics::new(&biped.tree, tasks, biped.contacts.clone(), Settings::default()).unwrap();
        Loop { biped, control, time: 0.0, most_steps: 0 }
    }

    fn move_com(&mut self, from: Vector3<f64>, to: Vector3<f64>, since: f64, duration: f64) {
        let (value, speed, acceleration) = smooth(self.time - since, duration);
        let Some(Task { goal: Goal::CenterOfMass(goal), .. }) = self.control.task_mut("balance") else { panic!() };
        goal.position = from + value * (to - from);
        goal.velocity = speed * (to - from);
        goal.acceleration = acceleration * (to - from);
    }

    /// One cycle, with all that must hold in each.
    fn cycle(&mut self) {
        let outcome = self.control.solve(&self.biped.configuration, &self.biped.velocity);
        assert!(outcome.is_ok(), "{outcome:?} at {} s", self.time);
        self.most_steps = self.most_steps.max(self.control.steps());
        let really = self.biped.accelerations(&self.control);
        for (found, wanted) in really.iter().zip(self.control.accelerations()) {
            assert!((found - wanted).abs() < 1e-6 * (1.0 + wanted.abs()), "{found} and {wanted} at {} s", self.time);
        }
        for (torque, joint) in self.control.torques().iter().zip(&self.biped.tree.joints) {
            assert!(torque.abs() <= joint.limits.effort + 1e-5, "{}: {torque} N m at {} s", joint.name, self.time);
        }
        for contact in &self.biped.contacts {
            let wrench = self.control.wrench(&contact.name).unwrap();
            let is_lifted = wrench.norm() == 0.0;
            assert!(
                is_lifted || contact.excess(&wrench) < 1e-5,
                "{}: {wrench} {} at {} s",
                contact.name,
                contact.excess(&wrench),
                self.time
            );
        }
        self.biped.step(&really);
        self.time += STEP;
        let within = self.biped.tree.joints.iter().zip(&self.biped.configuration.joints);
        for (joint, position) in within {
            let limits = joint.limits;
            assert!((limits.lower - 1e-6..=limits.upper + 1e-6).contains(position), "{}: {position}", joint.name);
        }
    }
}

fn com_of(biped: &Biped) -> Vector3<f64> {
    let mut data = robot_model::Data::new(&biped.tree);
    robot_model::forward_kinematics(&biped.tree, &biped.configuration, &mut data);
    robot_model::center_of_mass_in_world(&biped.tree, &data)
}

#[test]
fn it_squats_and_comes_up_again() {
    let mut run = Loop::new(|_| Vec::new());
    let com = com_of(&run.biped);
    let middle = Vector3::new(0.03, 0.0, com.z - 0.2);
    let soles = ["left_foot", "right_foot"].map(|name| run.biped.link_in_world(name));
    while run.time < 1.5 {
        run.move_com(com, middle, 0.0, 1.0);
        run.cycle();
    }
    assert!((com_of(&run.biped) - middle).norm() < 0.002, "{} and {middle}", com_of(&run.biped));
    while run.time < 3.0 {
        run.move_com(middle, com, 1.5, 1.0);
        run.cycle();
    }
    assert!((com_of(&run.biped) - com).norm() < 0.002, "{} and {com}", com_of(&run.biped));
    for (name, before) in ["left_foot", "right_foot"].into_iter().zip(soles) {
        let moved = run.biped.link_in_world(name).translation.vector - before.translation.vector;
        assert!(moved.norm() < 5e-4, "{name} crept by {moved}");
    }
}

#[test]
fn it_shifts_its_weight_lifts_a_foot_and_keeps_its_balance() {
    let mut run = Loop::new(|biped| {
        let foot = biped.link_in_world("right_foot");
        vec![Task::new("swing", 1, Goal::Pose(Pose::at("right_foot", foot)))]
    });
    let com = com_of(&run.biped);
    let over_left = Vector3::new(0.03, 0.1, com.z);
    while run.time < 2.0 {
        run.move_com(com, over_left, 0.0, 1.5);
        run.control.contact_mut("right sole").unwrap().most_force = 800.0 - 780.0 * smooth(run.time, 1.8).0;
        run.cycle();
    }
    let (left, right) = ["left sole", "right sole"].map(|name| run.control.wrench(name).unwrap()[2]).into();
    assert!(left > 780.0 && right < 20.001, "{left} N and {right} N");
    run.control.set_active("right sole", false).unwrap();
    let foot = run.biped.link_in_world("right_foot");
    while run.time < 4.0 {
        let (value, speed, acceleration) = smooth(run.time - 2.0, 1.0);
        let Some(Task { goal: Goal::Pose(goal), .. }) = run.control.task_mut("swing") else { panic!() };
        goal.pose_in_world = Isometry3::translation(0.1 * value, 0.0, 0.15 * value) * foot;
        goal.velocity.z = 0.15 * speed;
        goal.velocity.x = 0.1 * speed;
        goal.acceleration.z = 0.15 * acceleration;
        goal.acceleration.x = 0.1 * acceleration;
        run.cycle();
        assert_eq!(run.control.wrench("right sole").unwrap().norm(), 0.0);
        let from_ankle = com_of(&run.biped) - run.biped.link_in_world("left_foot").translation.vector;
        assert!((from_ankle.x - 0.03).abs() < 0.12 && from_ankle.y.abs() < 0.06, "{from_ankle} at {} s", run.time);
    }
    let lifted = run.biped.link_in_world("right_foot").translation.vector - foot.translation.vector;
    assert!((lifted - Vector3::new(0.1, 0.0, 0.15)).norm() < 0.005, "{lifted}");
    assert!((com_of(&run.biped) - over_left).norm() < 0.005, "{}", com_of(&run.biped));
}

#[test]
fn a_push_is_met_within_the_wrench_cones() {
    let mut run = Loop::new(|_| Vec::new());
    let com = com_of(&run.biped);
    run.move_com(com, com, 0.0, 1.0);
    run.biped.push(0.15, 0.1);
    while run.time < 2.0 {
        run.cycle();
    }
    assert!((com_of(&run.biped) - com).norm() < 0.003, "{} and {com}", com_of(&run.biped));
}

#[test]
fn what_cannot_be_is_said() {
    let mut biped = Biped::crouched(0.9);
    biped.contacts[0].most_force = 100.0;
    biped.contacts[1].least_force = 5000.0;
    biped.contacts[1].most_force = 6000.0;
    biped.tree.joints.iter_mut().for_each(|joint| joint.limits.effort = 20.0);
    let com = com_of(&biped);
    let tasks = tasks(&biped, com);
    let mut control = InverseDynamics::new(&biped.tree, tasks, biped.contacts.clone(), Settings::default()).unwrap();
    let error = control.solve(&biped.configuration, &biped.velocity).unwrap_err();
    assert!(matches!(&error, WholeBodyError::Impossible { by, .. } if *by > 0.0), "{error}");
}
