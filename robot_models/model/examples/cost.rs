//! `cost FILE.urdf`: what this crate's algorithms take, in nanoseconds a call: forward kinematics of all links, inverse dynamics, mass matrix, forward
//! dynamics, each the fastest of several rounds over the same states. `robot_models/compare/cost.py` sets it beside Pinocchio.

use std::path::Path;
use std::process::ExitCode;

use nalgebra::{Isometry3, Vector3};
use robot_model::{Configuration, Data, GRAVITY_IN_WORLD, ModelError, RobotModel, aba, crba, forward_kinematics, rnea};
use rustix::time::{ClockId, clock_gettime};

const STATES: usize = 50;
const ROUNDS: usize = 25;
const CALLS: usize = 400;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [robot] = arguments.as_slice() else {
        eprintln!("usage: cost FILE.urdf");
        return ExitCode::from(2);
    };
    match measure(Path::new(robot)) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Velocity coordinates, then the time of each algorithm [ns].
fn measure(robot: &Path) -> Result<String, ModelError> {
    let tree = RobotModel::load(robot)?.tree;
    let dof = tree.velocity_dof();
    let wave = |state: usize, place: usize| (1.3 * state as f64 + 0.9 * place as f64).sin();
    let configuration = |state: usize| {
        let turn = Vector3::new(wave(state, 1), wave(state, 2), wave(state, 3));
        let joints = (0..tree.dof()).map(|joint| wave(state, joint)).collect();
        Configuration { base_in_world: Isometry3::new(Vector3::z(), turn), joints }
    };
    let q: Vec<Configuration> = (0..STATES).map(configuration).collect();
    let v: Vec<Vec<f64>> = (0..STATES).map(|state| (0..dof).map(|place| wave(state, place + 7)).collect()).collect();
    let mut data = Data::new(&tree);
    let gravity = &GRAVITY_IN_WORLD;
    let kinematics = fastest(|state| forward_kinematics(&tree, &q[state], &mut data));
    let inverse = fastest(|state| rnea(&tree, &q[state], &v[state], &v[STATES - 1 - state], gravity, &mut data));
    let mass = fastest(|state| crba(&tree, &q[state], &mut data));
    let mut is_singular = false;
    let forward = fastest(|state| {
        is_singular |= aba(&tree, &q[state], &v[state], &v[STATES - 1 - state], gravity, &mut data).is_err();
    });
    let note = if is_singular { " singular" } else { "" };
    Ok(format!("{dof} {kinematics:.1} {inverse:.1} {mass:.1} {forward:.1}{note}"))
}

/// Time of a call [ns], the mean of the fastest round.
fn fastest(mut call: impl FnMut(usize)) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let began = thread_time();
        (0..CALLS).for_each(|number| call(number % STATES));
        best = best.min((thread_time() - began) / CALLS as f64);
    }
    1e9 * best
}

/// Time that this thread has had [s].
fn thread_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}
