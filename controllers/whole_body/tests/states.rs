//! The biped in states that nobody chose: each cycle's outcome against clarabel's.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

mod support;

use clarabel::solver::SolverStatus;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;
use robot_model::{BASE_DOF, Configuration, Tree};
use support::biped::{sole, tree};
use support::{Dice, witness};
use whole_body::{
    CenterOfMass, Constraints, Goal, InverseDynamics, JointGoal, Pose, Posture, Problem, Rows, Settings, Task,
    WholeBodyError,
};

fn state(tree: &Tree, dice: &mut Dice, speed: f64) -> (Configuration, Vec<f64>) {
    let middle = |joint: &robot_model::Joint, number: f64| {
        let (lower, upper) = (joint.limits.lower, joint.limits.upper);
        0.5 * (lower + upper) + 0.5 * number * (upper - lower)
    };
    let joints = tree.joints.iter().map(|joint| middle(joint, dice.next())).collect();
    let turn = UnitQuaternion::from_scaled_axis(0.3 * Vector3::new(dice.next(), dice.next(), dice.next()));
    let base_in_world = Isometry3::from_parts(Translation3::new(0.0, 0.0, 0.8), turn);
    let velocity = (0..tree.velocity_dof()).map(|_| speed * dice.next()).collect();
    (Configuration { base_in_world, joints }, velocity)
}

fn control(tree: &Tree, dice: &mut Dice) -> InverseDynamics {
    let joints = tree.joints.iter().map(|joint| JointGoal::at(&joint.name, dice.next())).collect();
    let com = Vector3::new(0.1 * dice.next(), 0.1 * dice.next(), 0.8 + 0.1 * dice.next());
    let upright = Pose::at("trunk", Isometry3::identity()).orientation_only();
    let tasks = vec![
        Task::new("balance", 0, Goal::CenterOfMass(CenterOfMass::at(com))),
        Task::new("trunk", 1, Goal::Pose(upright)),
        Task::new("posture", 2, Goal::Posture(Posture { joints })),
    ];
    let contacts = ["left", "right"].map(|side| sole(side, 0.8)).to_vec();
    InverseDynamics::new(tree, tasks, contacts, Settings::default()).unwrap()
}

/// The first level of a problem as one quadratic program, without any change of coordinates.
fn first_level(problem: &Problem) -> witness::Witness {
    let n = problem.variables;
    let mut limits = problem.limits.clone();
    let (mut rows, mut lower, mut upper) = (Rows::new(0, n), Vec::new(), Vec::new());
    for row in 0..limits.count() {
        let range = limits.range(row);
        if range.0.is_finite() || range.1.is_finite() {
            limits.normal(row, rows.push());
            lower.push(range.0);
            upper.push(range.1);
        }
    }
    for (row, target) in problem.equalities.targets.iter().enumerate() {
        rows.push().copy_from_slice(problem.equalities.rows.row(row));
        lower.push(*target);
        upper.push(*target);
    }
    let level = &problem.levels[0];
    let mut hessian = Rows::new(n, n);
    for i in 0..n {
        let row = hessian.push();
        for (k, entry) in row.iter_mut().enumerate() {
            let product = |l: usize| level.rows.row(l)[i] * level.rows.row(l)[k];
            *entry = (0..level.targets.len()).map(product).sum::<f64>() + if i == k { 1e-9 } else { 0.0 };
        }
    }
    let gradient: Vec<f64> = (0..n)
        .map(|i| -(0..level.targets.len()).map(|l| level.rows.row(l)[i] * level.targets[l]).sum::<f64>())
        .collect();
    witness::solve(&hessian, &gradient, &rows, &lower, &upper)
}

fn missed(problem: &Problem, x: &[f64]) -> f64 {
    let level = &problem.levels[0];
    let value = |row: usize| level.rows.row(row).iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
    let squares = level.targets.iter().enumerate().map(|(row, target)| (value(row) - target).powi(2));
    squares.sum::<f64>().sqrt()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_possible_is_found_and_what_is_not_is_said(
        seed in 1_u64.., left in any::<bool>(), right in any::<bool>(), speed in 0.0..1.0_f64,
    ) {
        let tree = tree();
        let mut dice = Dice(seed);
        let mut control = control(&tree, &mut dice);
        control.set_active("left sole", left).unwrap();
        control.set_active("right sole", right).unwrap();
        let (configuration, velocity) = state(&tree, &mut dice, speed);
        let outcome = control.solve(&configuration, &velocity);
        let theirs = first_level(control.problem());
        match outcome {
            Ok(()) => {
                prop_assert!(theirs.status != SolverStatus::PrimalInfeasible, "clarabel finds nothing");
                let of_joints = control.accelerations()[BASE_DOF..].iter().all(|a| a.abs() <= 200.0 + 1e-6);
                prop_assert!(of_joints, "{:?}", control.accelerations());
                if matches!(theirs.status, SolverStatus::Solved | SolverStatus::AlmostSolved) {
                    // ours is the minimum with damping, theirs one point of those that it was chosen from
                    let size: f64 = theirs.x.iter().map(|x| x * x).sum();
                    let most = missed(control.problem(), &theirs.x).powi(2) + damping(control.problem()) * size;
                    let ours = (0..3).map(|axis| first_level_error(&control, axis).powi(2)).sum::<f64>();
                    prop_assert!(ours <= most + 1e-6, "{ours} against {most}");
                }
            }
            Err(WholeBodyError::Impossible { .. }) => {
                prop_assert!(theirs.status != SolverStatus::Solved, "{outcome:?}, but clarabel finds {:?}", theirs.x);
            }
            Err(error) => prop_assert!(false, "{error}"),
        }
    }

    #[test]
    fn what_was_before_does_not_matter(seed in 1_u64..) {
        let tree = tree();
        let mut dice = Dice(seed);
        let mut warm = control(&tree, &mut dice);
        let cold = warm.clone();
        for _ in 0..5 {
            let (configuration, velocity) = state(&tree, &mut dice, 0.3);
            let mut fresh = cold.clone();
            let (one, other) = (warm.solve(&configuration, &velocity), fresh.solve(&configuration, &velocity));
            prop_assert_eq!(one.is_ok(), other.is_ok());
            if one.is_ok() {
                for (a, b) in warm.torques().iter().zip(fresh.torques()) {
                    prop_assert!((a - b).abs() < 1e-4, "{} and {}", a, b);
                }
            }
        }
    }
}

/// What the solver adds to the diagonal.
fn damping(problem: &Problem) -> f64 {
    let rows = &problem.levels[0].rows;
    let longest = (0..rows.len()).map(|row| rows.row(row).iter().map(|a| a * a).sum::<f64>()).fold(0.0, f64::max);
    Settings::default().damping.powi(2) * longest
}

/// What the centre of mass misses along an axis [m/s²].
fn first_level_error(control: &InverseDynamics, axis: usize) -> f64 {
    let level = &control.problem().levels[0];
    let row = level.rows.row(axis);
    row.iter().zip(control.accelerations()).map(|(a, x)| a * x).sum::<f64>() - level.targets[axis]
}
