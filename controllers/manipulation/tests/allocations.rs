//! What is asked in every cycle allocates nothing.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

#[path = "../../../tests/support/counting.rs"]
mod counting;
mod support;

use counting::{Counting, allocations};
use manipulation::{
    Checker, FingerDrive, Goal, GripMonitor, GripSettings, Hand, IkSettings, InverseKinematics, JointPath, JointStates,
    MotionLimits, PathSettings, Trajectory,
};
use nalgebra::Isometry3;
use robot_io::{JointCommand, JointState};
use support::{Random, arm, joints, model, robot, standing, table};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn checks_solutions_and_states_allocate_nothing() {
    let robot = robot("centaur");
    let (model, stand) = (model(&robot), standing(&robot));
    let group = joints(&robot, &["left_arm"]);
    let mut checker = Checker::new(&model, &table(0.45, 0.1), &Isometry3::identity(), &group, &stand).unwrap();
    let chain = arm(&robot, "left");
    let search = InverseKinematics::new(chain.clone(), IkSettings::default()).unwrap();
    let mut random = Random(1);
    let start: Vec<f64> = group.iter().map(|joint| stand[*joint]).collect();
    let goal = vec![-1.0, 0.5, 0.2, -1.0, 0.1, 0.3, 0.0];
    let path = JointPath::through(&[start.clone(), goal.clone()], &[false; 2], &PathSettings::default(), None).unwrap();
    let limits = MotionLimits::of_joints(&robot.tree, &group, 0.5, 0.3).unwrap();
    let trajectory = Trajectory::new(path, &limits).unwrap();
    let mut states = JointStates::new(7);
    let poses: Vec<Isometry3<f64>> = (0..50).map(|_| chain.forward(&random.within(chain.limits())).unwrap()).collect();
    let mut positions = start.clone();

    let before = allocations();
    let mut free = 0;
    for (step, pose) in poses.iter().enumerate() {
        positions.copy_from_slice(&start);
        search.solve(&Goal::Pose(*pose), &mut positions).unwrap();
        free += usize::from(checker.hit(&positions).unwrap().is_none());
        checker.hit_between(&start, &positions).unwrap();
        let time = 0.05 * step as f64;
        trajectory.at(time, &mut states).unwrap();
        trajectory.collision_ahead(&mut checker, [time, 0.5], &states.positions).unwrap();
    }
    assert_eq!(allocations(), before);
    assert!(free > 0);
}

#[test]
fn a_hand_that_closes_allocates_nothing() {
    let robot = robot("centaur");
    let hand = Hand::new(&robot, "left_hand", &model(&robot)).unwrap();
    let mut drive = FingerDrive::new(&hand, GripSettings::default()).unwrap();
    let mut monitor = GripMonitor::new(GripSettings::default()).unwrap();
    let joints = vec![JointState::default(); robot.tree.dof()];
    let mut commands = vec![JointCommand::default(); robot.tree.dof()];
    drive.close(&hand, 20.0).unwrap();
    monitor.close(0.05);
    let before = allocations();
    for _ in 0..500 {
        let grip = monitor.update(&hand, &joints, drive.share(), 0.004);
        drive.update(&hand, &joints, &grip, 0.004, &mut commands);
    }
    assert_eq!(allocations(), before);
}
