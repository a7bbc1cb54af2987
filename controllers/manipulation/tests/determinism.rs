//! The same question has the same answer, to the bit, on every machine.
//!
//! Answers are hashed as they are and compared with what they were on the machine on which this was written: nothing in them
//! depends on how wide a machine's vectors are, on fused multiplication or on its mathematical library.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

mod support;

use manipulation::{
    Checker, Goal, IkSettings, InverseKinematics, JointPath, JointStates, MotionLimits, PathSettings, Planner,
    PlannerSettings, Trajectory,
};
use nalgebra::Isometry3;
use support::{Random, arm, joints, model, robot, standing, table};

/// FNV-1a over the bits of numbers.
struct Digest(u64);

impl Digest {
    fn add(&mut self, numbers: &[f64]) {
        for byte in numbers.iter().flat_map(|number| number.to_bits().to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

fn plans() -> u64 {
    let robot = robot("centaur");
    let (model, stand) = (model(&robot), standing(&robot));
    let group = joints(&robot, &["spine", "left_arm", "right_arm"]);
    let mut checker = Checker::new(&model, &table(0.45, 0.1), &Isometry3::identity(), &group, &stand).unwrap();
    let limits = MotionLimits::of_joints(&robot.tree, &group, 0.5, 0.3).unwrap();
    let (bounds, mut random) = (checker.limits().to_vec(), Random(8));
    let mut planner = Planner::new(PlannerSettings::default()).unwrap();
    let (mut digest, mut states) = (Digest(0xcbf2_9ce4_8422_2325), JointStates::new(group.len()));
    let mut start: Option<Vec<f64>> = None;
    for _ in 0..40 {
        let goal = random.within(&bounds);
        if checker.hit(&goal).unwrap().is_some() {
            continue;
        }
        if let Some(start) = &start {
            let plan = planner.plan(&mut checker, start, &[&goal]).unwrap();
            let stops = vec![false; plan.waypoints.len()];
            let path =
                JointPath::through(&plan.waypoints, &stops, &PathSettings::default(), Some(&mut checker)).unwrap();
            let trajectory = Trajectory::new(path, &limits).unwrap();
            digest.add(&[trajectory.duration()]);
            for look in 0..20 {
                trajectory.at(0.1 * f64::from(look), &mut states).unwrap();
                digest.add(&states.positions);
                digest.add(&states.accelerations);
            }
        }
        start = Some(goal);
    }
    digest.0
}

fn solutions() -> u64 {
    let robot = robot("humanoid");
    let chain = arm(&robot, "left");
    let search = InverseKinematics::new(chain.clone(), IkSettings::default()).unwrap();
    let (mut random, mut digest) = (Random(8), Digest(0xcbf2_9ce4_8422_2325));
    for _ in 0..200 {
        let goal = chain.forward(&random.within(chain.limits())).unwrap();
        let mut positions = vec![0.0; chain.dof()];
        search.solve(&Goal::Pose(goal), &mut positions).unwrap();
        digest.add(&positions);
    }
    digest.0
}

#[test]
fn plans_trajectories_and_solutions_are_what_they_were() {
    assert_eq!(format!("{:016x} {:016x}", plans(), solutions()), "cbe09776be1c6749 4779bae8d0f2e5ef");
}
