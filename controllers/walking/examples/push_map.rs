//! Pushes that a walking pendulum comes through: 8 directions, 8 phases of a step, with three kinds of noise each.
//!
//! `cargo run --release -p walking --example push_map`
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "an example")]
#![allow(dead_code, missing_docs, reason = "the pendulum belongs to the tests")]

#[path = "../tests/pendulum/mod.rs"]
mod pendulum;

use core::f64::consts::FRAC_PI_4;

use pendulum::largest;
use walking::GaitSettings;

fn main() {
    let settings = GaitSettings::default();
    println!("largest push [m/s] while the left foot carries (phases 0/8 to 6/8) and both (7/8), walking at 0.3 m/s");
    println!("direction [°]   0/8   1/8   2/8   3/8   4/8   5/8   6/8   7/8");
    let mut least = f64::INFINITY;
    for direction in 0..8 {
        print!("{:13}", 45 * direction);
        for phase in 0..8 {
            let speed = largest(settings, &[1, 2, 3], f64::from(phase) / 8.0, f64::from(direction) * FRAC_PI_4);
            least = least.min(speed);
            print!("{speed:6.2}");
        }
        println!();
    }
    println!("least: {least:.2} m/s, {:.0} Ns for 90 kg", least * 90.0);
}
