//! How exactly robots move freely: `cargo run --release -p mechanics --example free_motion -- FILE.urdf…`.
//!
//! Each robot floats without gravity, its joints at random velocities of up to 3 rad/s, first coasting and then driven to
//! swing by ±1 rad; after 0.6 s in steps of 1 ms its links are compared with those of the same robot in steps of 10 µs.
#![allow(clippy::disallowed_methods, reason = "an example that a person runs")]

use std::error::Error;
use std::path::Path;

use mechanics::{Coordinates, Drive, Joint, Mechanics, Model};
use nalgebra::{Isometry3, Vector3};
use robot_io::RandomStream;
use robot_model::{Urdf, Wrench};

const SECONDS: f64 = 0.6;
/// Frequency of the swinging [rad/s]; its amplitude is 1 rad.
const SWING: f64 = 6.0;
/// Of a joint's servo, for an inertia of one [1/s², 1/s].
const STIFFNESS: f64 = 400.0;
const DAMPING: f64 = 40.0;

fn main() -> Result<(), Box<dyn Error>> {
    println!("| robot | motion | links, median [mm] | links, largest [mm] | energy | momentum | spin |");
    println!("|---|---|---:|---:|---:|---:|---:|");
    for file in std::env::args().skip(1) {
        let urdf = Urdf::read(&file, &std::fs::read_to_string(&file)?)?;
        for driven in [false, true] {
            let (coarse, exact) = (run(&urdf, driven, 1e-3)?, run(&urdf, driven, 1e-5)?);
            let mut errors: Vec<f64> =
                coarse.links.iter().zip(&exact.links).map(|(a, b)| (a - b).norm() * 1e3).collect();
            errors.sort_by(f64::total_cmp);
            let name = Path::new(&file).file_stem().map_or(String::new(), |name| name.to_string_lossy().into_owned());
            println!(
                "| {name} | {} | {:.4} | {:.4} | {:.1e} | {:.1e} | {:.1e} |",
                if driven { "driven" } else { "coasting" },
                errors[errors.len() / 2],
                errors[errors.len() - 1],
                (coarse.energy / exact.energy - 1.0).abs(),
                coarse.momentum,
                coarse.spin,
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

fn run(urdf: &Urdf, driven: bool, step: f64) -> Result<End, Box<dyn Error>> {
    let robot = mechanics::robot(&urdf.tree, Joint::Free, &Isometry3::identity(), 0, |_| 0.0);
    let model = Model::new(robot.bodies)?;
    let (bodies, dofs) = (model.bodies().len(), model.dofs());
    let mut coordinates = Coordinates::new(&model);
    let random = RandomStream::new(1, "free motion");
    for dof in 6..dofs {
        coordinates.velocities[dof] = 6.0 * random.uniform(dof as u64, 0) - 3.0;
    }
    coordinates.set_free_velocity(&model, 0, &Vector3::new(5.0, -2.0, 1.0), &Vector3::new(0.3, 0.2, -0.5));
    let mut mechanics = Mechanics::new(model, coordinates);
    let begin = mechanics.now().centroid(mechanics.model(), 0);
    let mut drives = vec![Drive::default(); dofs];
    let mut resting = mechanics.clone();
    resting.begin(1e-9);
    resting.finish(&drives, &vec![Wrench::zero(); bodies], &mut [], 1e-9);
    let inertias: Vec<f64> = (0..dofs).map(|dof| resting.inertia(dof)).collect();
    let steps = (SECONDS / step).round() as u64;
    for count in 0..steps {
        let time = (count as f64 + 0.5) * step;
        if driven {
            for (dof, drive) in drives.iter_mut().enumerate().skip(6) {
                let (sin, cos) = (SWING * time + dof as f64).sin_cos();
                let inertia = inertias[dof];
                (drive.stiffness, drive.damping) = (STIFFNESS * inertia, DAMPING * inertia);
                (drive.rest_position, drive.rest_velocity) = (sin, SWING * cos);
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
