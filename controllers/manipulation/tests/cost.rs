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
    let search = InverseKinematics::new(chain.clone(), IkSettings { answers, ..IkSettings::default() }).unwrap();
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
        for answers in [1, 2, 4] {
            solves(&format!("{name}'s arm"), &arm, &begin, answers);
        }
        let whole = chain(&robot, "base_link", "left");
        let begin = whole.of_all(&standing(&robot)).unwrap();
        solves(&format!("{name}'s arm and torso"), &whole, &begin, 1);
    }
}

/// Start and goal are free; the arm's other joints rest where the robot stands.
fn plans(what: &str, robot: &str, limbs: &[&str], scene: &Scene, settings: &PlannerSettings) {
    let robot = support::robot(robot);
    let (model, standing, group) = (model(&robot), standing(&robot), joints(&robot, limbs));
    let mut checker = Checker::new(&model, scene, &Isometry3::identity(), &group, &standing).unwrap();
    let limits = checker.limits().to_vec();
    let mut planner = Planner::new(settings.clone()).unwrap();
    let mut random = Random(1);
    let mut free = || loop {
        let positions = random.within(&limits);
        if checker.hit(&positions).unwrap().is_none() {
            return positions;
        }
    };
    let questions: Vec<[Vec<f64>; 2]> = (0..2000).map(|_| [free(), free()]).collect();
    let (mut times, mut found, mut straight, mut corners, mut samples) = (Vec::new(), 0, 0, 0, 0);
    for [start, goal] in &questions {
        let began = thread_time();
        let plan = planner.plan(&mut checker, start, &[goal]);
        times.push((thread_time() - began) * 1e3);
        match plan {
            Ok(plan) => {
                found += 1;
                straight += usize::from(plan.iterations == 0);
                corners += plan.waypoints.len() - 2;
                samples += plan.iterations;
            }
            Err(PlanError::NotFound { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    let at = shares(&mut times, &[0.5, 0.95, 0.99, 1.0]);
    println!(
        "| {what} | {} joints, {} spheres | {:.2} ms | {:.2} ms | {:.1} ms | {:.0} ms | {:.2} % | {:.0} % | {:.1} | {:.0} |",
        group.len(),
        checker.spheres(),
        at[0],
        at[1],
        at[2],
        at[3],
        f64::from(found) / 20.0,
        straight as f64 / 20.0,
        corners as f64 / f64::from(found),
        f64::from(samples) / f64::from(found),
    );
}

#[test]
#[ignore = "it measures time"]
fn planning() {
    println!("| who | | median | 95 % | 99 % | worst | found | straight | corners | samples |");
    let settings = PlannerSettings::default();
    let centaur = table(0.45, 0.1);
    plans("centaur's arm", "centaur", &["left_arm"], &centaur, &settings);
    plans("centaur's arms and torso", "centaur", &["spine", "left_arm", "right_arm"], &centaur, &settings);
    let humanoid = table(0.3, 0.0);
    plans("humanoid's arm", "humanoid", &["left_arm"], &humanoid, &settings);
    plans("humanoid's arms and waist", "humanoid", &["waist", "left_arm", "right_arm"], &humanoid, &settings);
}
