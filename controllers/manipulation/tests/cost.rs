//! What a question costs. `cargo test --release -p manipulation --test cost -- --ignored --nocapture --test-threads 1`
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

mod stopwatch;
mod support;

use manipulation::{
    Checker, Goal, IkSettings, InverseKinematics, PlanError, Planner, PlannerSettings, Scene, SerialChain,
};
use nalgebra::Isometry3;
use stopwatch::{shares, thread_time};
use support::{Random, arm, chain, joints, model, robot, standing, table};

const QUESTIONS: usize = 20_000;

fn solves(what: &str, chain: &SerialChain, begin: &[f64], answers: u32) {
    let mut random = Random(1);
    let search =
        InverseKinematics::new(chain.clone(), IkSettings { answers, ..IkSettings::default() }).unwrap();
    let goals: Vec<_> = (0..QUESTIONS).map(|_| chain.forward(&random.within(chain.limits())).unwrap()).collect();
    let (mut reached, mut times, mut steps, mut starts) = (0, Vec::new(), 0, 0);
    for goal in goals {
        let mut positions = begin.to_vec();
        let began = thread_time();
        let outcome = search.solve(&Goal::Pose(goal), &mut positions).unwrap();
        times.push((thread_time() - began) * 1e6);
        reached += usize::from(outcome.reached);
        (steps, starts) = (steps + outcome.steps, starts + outcome.starts);
    }
    let all: f64 = times.iter().sum();
    let at = shares(&mut times, &[0.5, 0.99, 1.0]);
    println!(
        "| {what}, {answers} answers | {} joints | {:.0} /s | {:.1} µs | {:.1} µs | {:.0} µs | {:.2} % | {:.1} | {:.1} |",
        chain.dof(),
        1e6 * QUESTIONS as f64 / all,
        at[0],
        at[1],
        at[2],
        100.0 * reached as f64 / QUESTIONS as f64,
        f64::from(starts) / QUESTIONS as f64,
        f64::from(steps) / QUESTIONS as f64,
    );
}

#[test]
#[ignore = "it measures time"]
fn inverse_kinematics() {
    println!("| chain | | rate | median | 99 % | worst | reached | starts | steps |");
    for name in ["centaur", "humanoid"] {
        let robot = robot(name);
        let arm = arm(&robot, "left");
        let begin = arm.of_all(&standing(&robot)).unwrap();
        for answers in [1, 4] {
            solves(&format!("{name}'s arm"), &arm, &begin, answers);
        }
        let whole = chain(&robot, "base_link", "left");
        let begin = whole.of_all(&standing(&robot)).unwrap();
        solves(&format!("{name}'s arm and torso"), &whole, &begin, 1);
    }
}
