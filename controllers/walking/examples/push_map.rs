//! Pushes that a walking pendulum comes through: 8 directions, 8 phases of a step, with three kinds of noise each.
//!
//! `cargo run --release -p walking --example push_map`
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "an example")]
#![allow(dead_code, missing_docs, reason = "the pendulum belongs to the tests")]

#[path = "../tests/pendulum/mod.rs"]
mod pendulum;

use core::f64::consts::FRAC_PI_4;

use pendulum::{largest, pushed, survives};
use walking::GaitSettings;

fn main() {
    const SEEDS: [u64; 3] = [1, 2, 3];
    let settings = GaitSettings::default();
    println!(
        "largest push [m/s], walking at 0.3 m/s: from 0/8, when the left foot begins to carry alone, to 7/8, when both carry,"
    );
    println!(
        "and standing, without a step and with steps; every figure is a multiple of 0.05 with three kinds of noise"
    );
    println!("direction [°]   0/8   1/8   2/8   3/8   4/8   5/8   6/8   7/8   without  with steps");
    let mut least = f64::INFINITY;
    for eighth in 0..8 {
        let direction = f64::from(eighth) * FRAC_PI_4;
        print!("{:13}", 45 * eighth);
        for phase in 0..8 {
            let share = f64::from(phase) / 8.0;
            let speed = largest(&SEEDS, |speed, seed| survives(settings, seed, 0.3, share, speed, direction));
            least = least.min(speed);
            print!("{speed:6.2}");
        }
        let without = largest(&SEEDS, |speed, seed| pushed(speed, direction, seed) == (true, 0));
        let with = largest(&SEEDS, |speed, seed| pushed(speed, direction, seed).0);
        println!("{without:10.2}{with:12.2}");
    }
    println!("least while walking: {least:.2} m/s, {:.0} Ns for 90 kg", least * 90.0);
}
