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
        "| {what}, {answers} answers | {} joints | {:.0} /s | {:.1} µs | {:.1} µs | {:.0} µs | {reached} | {:.1} | {:.1} |",
        chain.dof(),
        1e6 * QUESTIONS as f64 / all,
        at[0],
        at[1],
        at[2],
        f64::from(starts) / QUESTIONS as f64,
        f64::from(steps) / QUESTIONS as f64,
    );
}

#[test]
#[ignore = "it measures time"]
fn inverse_kinematics() {
    println!("| chain | | rate | median | 99 % | worst | of 20,000 | starts | steps |");
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

/// Which questions are asked.
#[derive(Clone, Copy, PartialEq)]
enum Ask {
    /// Start and goal are drawn from all that is free.
    Any,
    /// And the straight way between them is not free.
    Around,
}

/// 2,000 questions; joints that do not move rest where the robot stands.
fn plans(what: &str, robot: &str, limbs: &[&str], scene: &Scene, ask: Ask) {
    let robot = support::robot(robot);
    let (model, standing, group) = (model(&robot), standing(&robot), joints(&robot, limbs));
    let mut checker = Checker::new(&model, scene, &Isometry3::identity(), &group, &standing).unwrap();
    let limits = checker.limits().to_vec();
    let mut planner = Planner::new(PlannerSettings::default()).unwrap();
    let mut random = Random(1);
    let mut free = |checker: &mut Checker| loop {
        let positions = random.within(&limits);
        if checker.hit(&positions).unwrap().is_none() {
            return positions;
        }
    };
    let mut questions = Vec::new();
    while questions.len() < 2000 {
        let [start, goal] = [free(&mut checker), free(&mut checker)];
        if ask == Ask::Any || checker.hit_between(&start, &goal).unwrap().is_some() {
            questions.push([start, goal]);
        }
    }
    let (mut times, mut found, mut corners, mut samples) = (Vec::new(), 0, 0, 0);
    for [start, goal] in &questions {
        let began = thread_time();
        let plan = planner.plan(&mut checker, start, &[goal]);
        times.push((thread_time() - began) * 1e3);
        match plan {
            Ok(plan) => {
                found += 1;
                corners += plan.waypoints.len() - 2;
                samples += plan.iterations;
            }
            Err(PlanError::NotFound { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    let at = shares(&mut times, &[0.5, 0.95, 0.99, 1.0]);
    println!(
        "| {what} | {} joints, {} spheres | {:.2} ms | {:.2} ms | {:.1} ms | {:.0} ms | {found} | {:.1} | {:.0} |",
        group.len(),
        checker.spheres(),
        at[0],
        at[1],
        at[2],
        at[3],
        corners as f64 / f64::from(found),
        f64::from(samples) / f64::from(found),
    );
}

#[test]
#[ignore = "it measures time"]
fn planning() {
    println!("| who | | median | 95 % | 99 % | worst | of 2,000 | corners | samples |");
    for (ask, which) in [(Ask::Any, "any"), (Ask::Around, "no straight way")] {
        let all: [(&str, &str, &[&str], Scene); 4] = [
            ("arm", "centaur", &["left_arm"], table(0.45, 0.1)),
            ("arms and torso", "centaur", &["spine", "left_arm", "right_arm"], table(0.45, 0.1)),
            ("arm", "humanoid", &["left_arm"], table(0.3, 0.0)),
            ("arms and waist", "humanoid", &["waist", "left_arm", "right_arm"], table(0.3, 0.0)),
        ];
        for (what, robot, limbs, scene) in all {
            plans(&format!("{robot}'s {what}, {which}"), robot, limbs, &scene, ask);
        }
    }
}

#[test]
#[ignore = "it measures time"]
fn checks() {
    println!("| who | spheres | a configuration of eight that are free | an edge that is free |");
    for (robot, limbs) in [
        ("centaur", &["left_arm"][..]),
        ("centaur", &["spine", "left_arm", "right_arm"]),
        ("humanoid", &["left_arm"]),
        ("humanoid", &["waist", "left_arm", "right_arm"]),
    ] {
        let robot = support::robot(robot);
        let (model, standing, group) = (model(&robot), standing(&robot), joints(&robot, limbs));
        let scene = table(0.45, 0.1);
        let mut checker = Checker::new(&model, &scene, &Isometry3::identity(), &group, &standing).unwrap();
        let (limits, mut random) = (checker.limits().to_vec(), Random(1));
        let mut edges = Vec::new();
        while edges.len() < 300 {
            let [from, to] = [random.within(&limits), random.within(&limits)];
            let to: Vec<f64> = from.iter().zip(&to).map(|(from, to)| from + 0.2 * (to - from)).collect();
            if checker.hit(&from).unwrap().is_none() && checker.hit_between(&from, &to).unwrap().is_none() {
                edges.push([from, to]);
            }
        }
        let time = |mut work: Box<dyn FnMut() + '_>| {
            let began = thread_time();
            (0..20).for_each(|_| work());
            (thread_time() - began) * 1e6 / 20.0 / 300.0
        };
        let mut other = checker.clone();
        let one = time(Box::new(|| edges.iter().for_each(|[from, _]| assert!(checker.hit(from).unwrap().is_none()))));
        let way = time(Box::new(|| {
            edges.iter().for_each(|[from, to]| assert!(other.hit_between(from, to).unwrap().is_none()))
        }));
        println!("| {} {limbs:?} | {} | {:.2} µs | {way:.1} µs |", robot.name, checker.spheres(), one / 8.0);
    }
}
