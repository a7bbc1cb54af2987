//! How long a cycle and an adjustment of a step take: `cargo run --release -p walking --example cost`.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "an example")]
#![allow(dead_code, missing_docs, reason = "the pendulum belongs to the tests")]

#[path = "../tests/pendulum/mod.rs"]
mod pendulum;
#[path = "../tests/stopwatch/mod.rs"]
mod stopwatch;

use nalgebra::{Vector2, Vector3};
use pendulum::Pendulum;
use stopwatch::times;
use walking::adjust::Situation;
use walking::{AdjustSettings, Adjuster, Footstep, GaitSettings, Manner, Measured, Reach, Side, Twist};

fn main() {
    let mut pendulum = Pendulum::new(GaitSettings::default(), 1);
    pendulum.gait.walk(Twist { forward: 0.3, sideways: 0.05, turning: 0.1 });
    let mut measured = Vec::new();
    for cycle in 0..20_000 {
        if cycle % 3000 == 2999 {
            pendulum.push(0.25, f64::from(cycle));
        }
        pendulum.step();
        measured.push(Measured { com: pendulum.com, dcm: pendulum.dcm(), forces: None, feet: None });
    }
    let mut gait = Pendulum::new(GaitSettings::default(), 1).gait;
    gait.walk(Twist { forward: 0.3, sideways: 0.05, turning: 0.1 });
    let mut cycles = measured.iter();
    let cycle = times(measured.len(), || {
        gait.update(cycles.next().unwrap());
    });
    println!("a cycle [µs]: median {:.2}, 99 % {:.2}, longest {:.2}", cycle[0], cycle[1], cycle[2]);

    let adjuster = Adjuster::new(AdjustSettings::default(), Reach::default());
    for (name, size) in [("small", 0.02), ("large", 0.4)] {
        let mut k = 0;
        let adjust = times(20_000, || {
            k += 1;
            std::hint::black_box(adjuster.adjust(&situation(k, size)));
        });
        println!(
            "an adjustment, {name} errors [µs]: median {:.2}, 99 % {:.2}, longest {:.2}",
            adjust[0], adjust[1], adjust[2]
        );
    }
}

/// In the middle of a step, off by up to `size` [m].
fn situation(k: u32, size: f64) -> Situation {
    let stance = Footstep::flat(Side::Right, Vector3::zeros(), 0.0);
    let planned = stance.beside(0.28);
    let angle = 2.4 * f64::from(k);
    let off = Vector2::new(angle.cos(), angle.sin()) * (size * f64::from(k % 100) / 100.0);
    let (swing, planned_dcm) = (planned.position.xy(), Vector2::new(0.0, 0.15));
    let dcm = Vector2::new(0.0, 0.042) + off;
    Situation {
        stance,
        swing,
        dcm,
        planned,
        planned_dcm,
        elapsed: 0.2,
        planned_time: 0.6,
        both: 0.12,
        manner: Manner::default(),
        omega: 3.2,
    }
}
