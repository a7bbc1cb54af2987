//! How exactly robots move freely: `cargo run --release -p mechanics --example free_motion -- FILE.urdf…`.
//!
//! Each robot floats without gravity, its joints at random velocities of up to 3 rad/s, first coasting and then driven to
//! swing by ±1 rad; after 0.6 s in steps of 1 ms its links are compared with where Runge and Kutta's method of fourth order in steps of 10 µs
//! takes them, with accelerations by the articulated body algorithm. Robots with joints that follow others are left out: here they are held by
//! constraints, there they have no coordinate.
#![allow(clippy::disallowed_methods, reason = "an example that a person runs")]

use std::error::Error;
use std::path::Path;

use mechanics::{Coordinates, Drive, Joint, Mechanics, Model};
use nalgebra::{Isometry3, Vector3};
use robot_io::RandomStream;
use robot_model::{Motion, Tree, Urdf, Wrench};
use runge_kutta::RungeKutta;

mod runge_kutta;

const SECONDS: f64 = 0.6;
/// Frequency of the swinging [rad/s]; its amplitude is 1 rad.
const SWING: f64 = 6.0;
/// Of a joint's servo, for an inertia of one [1/s², 1/s].
const STIFFNESS: f64 = 400.0;
const DAMPING: f64 = 40.0;

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "| robot | motion | links, median [mm] | links, largest [mm] | energy | momentum | spin | at 10 µs [mm] |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|---:|");
    for file in std::env::args().skip(1) {
        let tree = weighty(Urdf::read(&file, &std::fs::read_to_string(&file)?)?.tree)?;
        if tree.links.iter().any(|link| matches!(link.motion, Motion::Mimic(_))) {
            println!("| {file} has joints that follow others |");
            continue;
        }
        for driven in [false, true] {
            let (coarse, exact) = (run(&tree, driven, 1e-3)?, run(&tree, driven, 1e-5)?);
            let reference = reference(&tree, driven)?;
            let apart = exact.links.iter().zip(&reference).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
            let mut errors: Vec<f64> = coarse.links.iter().zip(&reference).map(|(a, b)| (a - b).norm() * 1e3).collect();
            errors.sort_by(f64::total_cmp);
            let name = Path::new(&file).file_stem().map_or(String::new(), |name| name.to_string_lossy().into_owned());
            println!(
                "| {name} | {} | {:.4} | {:.4} | {:.1e} | {:.1e} | {:.1e} | {:.1e} |",
                if driven { "driven" } else { "coasting" },
                errors[errors.len() / 2],
                errors[errors.len() - 1],
                (coarse.energy / exact.energy - 1.0).abs(),
                coarse.momentum,
                coarse.spin,
                apart * 1e3,
            );
        }
    }
    Ok(())
}

struct End {
    links: Vec<Vector3<f64>>,
    energy: f64,
    momentum: f64,
    spin: f64,
}

/// The same robot with no body lighter than the mechanics' lightest.
fn weighty(tree: Tree) -> Result<Tree, Box<dyn Error>> {
    let robot = mechanics::robot(&tree, Joint::Free, &Isometry3::identity(), 0, |_| 0.0);
    let mut links = tree.links.clone();
    links.iter_mut().for_each(|link| link.inertia = robot_model::Inertia::zero());
    for (raised, body) in robot.bodies.iter().zip(tree.rigid_bodies()) {
        links[body.link].inertia = raised.inertia;
    }
    Ok(Tree::new(links, tree.joints)?)
}

/// Velocity of a joint at the beginning [rad/s].
fn begins(dof: usize) -> f64 {
    6.0 * RandomStream::new(1, "free motion").uniform(dof as u64, 0) - 3.0
}

/// Linear [m/s] and angular velocity [rad/s] of the base at the beginning.
fn base_begins() -> [Vector3<f64>; 2] {
    [Vector3::new(5.0, -2.0, 1.0), Vector3::new(0.3, 0.2, -0.5)]
}

/// Where a servo wants its joint [rad], and how fast it shall be there [rad/s].
fn swing(dof: usize, time: f64) -> (f64, f64) {
    let (sin, cos) = (SWING * time + dof as f64).sin_cos();
    (sin, SWING * cos)
}

/// Where the bodies are at the end [m].
fn reference(tree: &Tree, driven: bool) -> Result<Vec<Vector3<f64>>, Box<dyn Error>> {
    let inertias = inertias(tree)?;
    let effort = |dof: usize, time: f64, position: f64, velocity: f64| {
        let (rest, rest_velocity) = swing(dof, time);
        let acceleration = STIFFNESS * (rest - position) + DAMPING * (rest_velocity - velocity);
        if driven { inertias[dof] * acceleration } else { 0.0 }
    };
    let mut velocities: Vec<f64> = (0..tree.velocity_dof()).map(begins).collect();
    velocities.iter_mut().zip(base_begins().iter().flatten()).for_each(|(velocity, begin)| *velocity = *begin);
    let mut motion = RungeKutta::new(tree, velocities);
    motion.run(SECONDS, 1e-5, effort)?;
    Ok(motion.links())
}

/// What resists each dof's acceleration with all others at rest, at the beginning [kg, kg·m²].
fn inertias(tree: &Tree) -> Result<Vec<f64>, Box<dyn Error>> {
    let model = Model::new(mechanics::robot(tree, Joint::Free, &Isometry3::identity(), 0, |_| 0.0).bodies)?;
    let (bodies, dofs, coordinates) = (model.bodies().len(), model.dofs(), Coordinates::new(&model));
    let mut resting = Mechanics::new(model, coordinates);
    resting.begin(1e-9);
    resting.finish(&vec![Drive::default(); dofs], &vec![Wrench::zero(); bodies], &mut [], 1e-9);
    Ok((0..dofs).map(|dof| resting.inertia(dof)).collect())
}

fn run(tree: &Tree, driven: bool, step: f64) -> Result<End, Box<dyn Error>> {
    let robot = mechanics::robot(tree, Joint::Free, &Isometry3::identity(), 0, |_| 0.0);
    let model = Model::new(robot.bodies)?;
    let (bodies, dofs) = (model.bodies().len(), model.dofs());
    let mut coordinates = Coordinates::new(&model);
    (6..dofs).for_each(|dof| coordinates.velocities[dof] = begins(dof));
    let [linear, angular] = base_begins();
    coordinates.set_free_velocity(&model, 0, &linear, &angular);
    let mut mechanics = Mechanics::new(model, coordinates);
    let begin = mechanics.now().centroid(mechanics.model(), 0);
    let mut drives = vec![Drive::default(); dofs];
    let inertias = inertias(tree)?;
    let steps = (SECONDS / step).round() as u64;
    for count in 0..steps {
        let time = (count as f64 + 0.5) * step;
        if driven {
            for (dof, drive) in drives.iter_mut().enumerate().skip(6) {
                (drive.stiffness, drive.damping) = (STIFFNESS * inertias[dof], DAMPING * inertias[dof]);
                (drive.rest_position, drive.rest_velocity) = swing(dof, time);
            }
        }
        mechanics.begin(step);
        mechanics.finish(&drives, &vec![Wrench::zero(); bodies], &mut [], step);
    }
    let end = mechanics.now().centroid(mechanics.model(), 0);
    Ok(End {
        links: mechanics.now().bodies.iter().map(|body| body.in_world.translation.vector).collect(),
        energy: mechanics.now().kinetic_energy(),
        momentum: (end.momentum - begin.momentum).norm() / begin.momentum.norm(),
        spin: (end.spin - begin.spin).norm() / begin.spin.norm(),
    })
}
